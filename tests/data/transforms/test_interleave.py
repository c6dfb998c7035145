"""`Dataset.interleave`: the order is TensorFlow's."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.data.nodes import PassContext
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, drained, elements, outcomes

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


# --- whole rounds at once ----------------------------------------------------------------------------------------


def in_turns(sizes: list[int], cycle: int, block: int) -> list[int]:
    """Returns the order of the elements, one after the other."""
    waiting = [[100 * number + k for k in range(size)] for number, size in enumerate(sizes)]
    slots: list[list[int] | None] = [None] * cycle
    order: list[int] = []
    turn = given = 0
    while waiting or any(slot is not None for slot in slots):
        if slots[turn] is None and waiting:
            slots[turn] = waiting.pop(0)
        slot = slots[turn]
        if slot:
            order.append(slot.pop(0))
            given += 1
        elif slot is not None:
            slots[turn] = None
        if not slot and slots[turn] is None or given == block:
            turn, given = (turn + 1) % cycle, 0
    return order


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 30), max_size=7),
    st.integers(1, 4),
    st.integers(1, 3),
    st.lists(st.integers(1, 60), min_size=1, max_size=6),
    st.booleans(),
)
def test_the_order_does_not_depend_on_how_many_elements_are_asked_for(
    sizes: list[int], cycle: int, block: int, limits: list[int], is_parallel: bool
) -> None:
    counts = sizes or [0]
    calls = {"num_parallel_calls": cycle} if is_parallel else {}
    dataset = Dataset.range(len(counts)).interleave(numbered(counts), cycle, block, **calls)
    assert drained(dataset, limits) == [[number] for number in in_turns(counts, cycle, block)]


def test_an_error_in_a_round_belongs_to_its_element() -> None:
    def inverse(x: Any) -> Any:
        return tf.debugging.check_numerics(1 / tf.cast(x, tf.float32), "no inverse")

    dataset = Dataset.range(2).interleave(lambda x: Dataset.range(x - 20, x + 20).map(inverse), 2)
    seen = outcomes(dataset, 100)
    assert len(seen) == 80
    assert seen.count("InvalidArgumentError") == 2
    numbers = [0 if x == "InvalidArgumentError" else round(1 / x) for x in seen]
    assert numbers[:38] == [n for pair in zip(range(-20, -1), range(-19, 0), strict=True) for n in pair]
    assert sorted(numbers) == sorted([*range(-20, 20), *range(-19, 21)])


def test_a_pass_goes_on_from_every_position_of_long_datasets() -> None:
    check_restores_everywhere(lambda: Dataset.range(3).interleave(numbered([20, 33, 9]), 2, 2), 70)
    check_restores_everywhere(lambda: Dataset.range(3).interleave(numbered([20, 33, 9]), 2, 2, 2).batch(8))


def test_a_dataset_that_is_alone_in_its_cycle_gives_whole_blocks() -> None:
    dataset = Dataset.range(3).interleave(lambda x: Dataset.range(100 * x, 100 * x + 60), cycle_length=1)
    cursor = dataset.node.cursor(PassContext())
    assert [cursor.next_block(50).count for _ in range(4)] == [50, 10, 50, 10]
    assert elements(dataset) == [100 * x + n for x in range(3) for n in range(60)]
