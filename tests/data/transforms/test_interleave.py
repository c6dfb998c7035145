"""`Dataset.interleave`: the order is TensorFlow's."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, elements, outcomes

Dataset = tf.data.Dataset

# Sizes of the inner datasets, cycle length, block length, and the order in which TensorFlow 2.21 gives the elements.
ORDERS: list[tuple[list[int], int, int, list[int]]] = [
    ([2, 2, 5, 2, 0, 0, 2], 1, 4, [0, 1, 100, 101, 200, 201, 202, 203, 204, 300, 301, 600, 601]),
    ([3, 0, 5, 2, 1, 5], 2, 1, [0, 1, 200, 2, 201, 202, 300, 203, 301, 204, 400, 500, 501, 502, 503, 504]),
    ([0, 0, 0, 5, 3], 1, 4, [300, 301, 302, 303, 304, 400, 401, 402]),
    ([2, 5, 0], 5, 2, [0, 1, 100, 101, 102, 103, 104]),
    ([2, 3, 0, 1, 0, 5, 0], 4, 3, [0, 1, 100, 101, 102, 300, 500, 501, 502, 503, 504]),
    ([5, 5], 3, 1, [0, 100, 1, 101, 2, 102, 3, 103, 4, 104]),
    ([5, 5, 3, 2, 3], 2, 3, [0, 1, 2, 100, 101, 102, 3, 4, 103, 104, 200, 201, 202, 300, 301, 400, 401, 402]),
    ([3, 2, 3, 2], 5, 1, [0, 100, 200, 300, 1, 101, 201, 301, 2, 202]),
    ([3, 2], 3, 4, [0, 1, 2, 100, 101]),
    ([5, 3, 3, 3], 4, 2, [0, 1, 100, 101, 200, 201, 300, 301, 2, 3, 102, 202, 302, 4]),
    (
        [1, 5, 3, 3, 5, 0, 2],
        5,
        2,
        [0, 100, 101, 200, 201, 300, 301, 400, 401, 102, 103, 202, 302, 402, 403, 600, 601, 104, 404],
    ),
    ([2, 1, 2, 1, 0, 3], 5, 3, [0, 1, 100, 200, 201, 300, 500, 501, 502]),
]


def numbered(sizes: list[int]) -> Any:
    """Returns the function from a number to the dataset of so many numbers, hundreds apart."""
    counts = tf.constant(sizes, tf.int64)
    return lambda x: Dataset.range(100 * x, 100 * x + counts[x])


@pytest.mark.parametrize(("sizes", "cycle", "block", "expected"), ORDERS)
def test_datasets_take_turns_as_in_tensorflow(sizes: list[int], cycle: int, block: int, expected: list[int]) -> None:
    assert elements(Dataset.range(len(sizes)).interleave(numbered(sizes), cycle, block)) == expected


@pytest.mark.parametrize("name", ["cycle_length", "block_length"])
@pytest.mark.parametrize("value", [0, -2])
def test_a_number_that_is_not_positive_is_refused(name: str, value: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"{name} must be greater than zero"):
        Dataset.range(3).interleave(Dataset.range, **{"cycle_length": 1, name: value})


def test_the_cycle_is_as_long_as_there_are_processors_by_default() -> None:
    for cycle in (None, tf.data.AUTOTUNE):
        node = Dataset.range(3).interleave(Dataset.range, cycle_length=cycle).node
        assert node.cycle_length >= 1


def test_a_function_that_returns_no_dataset_is_refused() -> None:
    with pytest.raises(TypeError, match="The `map_func` argument must return a `Dataset` object"):
        Dataset.range(3).interleave(lambda x: x)


def test_determinism_without_parallel_calls_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="The `deterministic` argument has no effect"):
        Dataset.range(3).interleave(Dataset.range, deterministic=True)


def test_an_error_leaves_the_turn_where_it_is() -> None:
    def inverse(x: Any) -> Any:
        return tf.cast(60 * tf.debugging.check_numerics(1 / tf.cast(x, tf.float32), "no inverse"), tf.int32)

    dataset = Dataset.range(-2, 3).interleave(lambda x: Dataset.range(x, x + 3).map(inverse), cycle_length=2)
    error = "InvalidArgumentError"
    assert outcomes(dataset) == [-30, -60, -60, error, 60, error, error, 60, 60, 30, 30, 20, 30, 20, 15]


def test_a_pass_goes_on_from_every_position() -> None:
    sizes = [2, 0, 3, 1, 4]
    check_restores_everywhere(lambda: Dataset.range(5).interleave(numbered(sizes), 2, 2))
    check_restores_everywhere(lambda: Dataset.range(5).interleave(lambda x: numbered(sizes)(x).batch(2), 3))


def test_it_works_in_a_function() -> None:
    check_same_in_function(lambda: Dataset.range(4).interleave(Dataset.range, 2), 5)
