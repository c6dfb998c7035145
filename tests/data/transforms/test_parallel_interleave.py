"""The parallel forms of `interleave`: TensorFlow's order, whatever the threads do."""

from __future__ import annotations

import time
from typing import Any

import pytest

import millrace as tf
from tests.data.parallel import always_ahead, noting, of_variant, passes, stable_count
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, elements, outcomes
from tests.data.transforms.test_interleave import ORDERS, numbered

Dataset = tf.data.Dataset
__all__ = ["always_ahead"]

# As in ORDERS, of `tf.data.experimental.parallel_interleave`: another order where inner datasets end in mid-block.
LEGACY_ORDERS: list[tuple[list[int], int, int, list[int]]] = [
    ([0, 5, 2, 2, 5, 0, 1], 5, 3, [100, 101, 102, 200, 201, 300, 301, 400, 103, 104, 600, 401, 402, 403, 404]),
    ([2, 3, 1], 5, 3, [0, 1, 100, 200, 101, 102]),
    ([2, 3, 5, 1], 5, 3, [0, 1, 100, 200, 201, 202, 300, 101, 102, 203, 204]),
    (
        [1, 1, 3, 2, 1, 5, 5],
        5,
        4,
        [0, 100, 200, 201, 202, 300, 400, 500, 501, 502, 600, 601, 602, 603, 301, 503, 504, 604],
    ),
    ([5, 2, 5, 3], 3, 2, [0, 1, 100, 101, 200, 201, 2, 3, 202, 203, 4, 300, 204, 301, 302]),
    ([3, 5, 0, 2, 3], 4, 2, [0, 1, 100, 101, 300, 301, 2, 102, 400, 401, 103, 104, 402]),
    ([3, 2, 3, 0, 5], 5, 4, [0, 1, 2, 100, 200, 201, 202, 400, 101, 401, 402, 403, 404]),
    ([0, 3, 3, 0, 1, 1], 5, 4, [100, 101, 102, 200, 400, 500, 201, 202]),
    ([2, 2, 5, 2, 0, 0, 2], 1, 4, [0, 1, 100, 101, 200, 201, 202, 203, 204, 300, 301, 600, 601]),
    ([3, 0, 5, 2, 1, 5], 2, 1, [0, 1, 200, 2, 201, 202, 300, 203, 301, 204, 400, 500, 501, 502, 503, 504]),
    ([0, 0, 0, 5, 3], 1, 4, [300, 301, 302, 303, 304, 400, 401, 402]),
    ([2, 5, 0], 5, 2, [0, 1, 100, 101, 102, 103, 104]),
]


@pytest.mark.parametrize(("sizes", "cycle", "block", "expected"), ORDERS)
def test_the_order_is_that_of_the_sequential_form(
    sizes: list[int], cycle: int, block: int, expected: list[int], always_ahead: None
) -> None:
    for calls in {1, cycle, tf.data.AUTOTUNE}:
        dataset = Dataset.range(len(sizes)).interleave(numbered(sizes), cycle, block, calls, deterministic=True)
        assert elements(dataset) == expected


@pytest.mark.parametrize(("sizes", "cycle", "block", "expected"), LEGACY_ORDERS)
def test_the_older_form_has_the_order_of_tensorflow(
    sizes: list[int], cycle: int, block: int, expected: list[int], always_ahead: None
) -> None:
    older = tf.data.experimental.parallel_interleave(numbered(sizes), cycle, block)
    dataset = Dataset.range(len(sizes)).apply(older)
    assert elements(dataset) == expected
    assert type(dataset).__name__ == "ParallelInterleaveDataset"


def test_all_elements_come_if_the_order_does_not_matter(always_ahead: None) -> None:
    sizes = [5, 0, 3, 9, 1, 1, 7]
    for dataset in (
        Dataset.range(7).interleave(numbered(sizes), 3, 2, num_parallel_calls=3, deterministic=False),
        Dataset.range(7).apply(tf.data.experimental.parallel_interleave(numbered(sizes), 3, sloppy=True)),
    ):
        assert sorted(elements(dataset)) == [100 * i + j for i, size in enumerate(sizes) for j in range(size)]


def test_a_slow_dataset_does_not_hold_up_the_others_if_the_order_does_not_matter(always_ahead: None) -> None:
    slow = noting([], lambda x: 0.3 if x == 110 else 0.001)
    dataset = Dataset.range(3).interleave(
        lambda x: Dataset.range(100 * x, 100 * x + 20).map(slow), 3, num_parallel_calls=3, deterministic=False
    )
    assert elements(dataset).index(110) > 40


def test_datasets_are_read_at_a_time_where_that_takes_less_time() -> None:
    def pipeline(**kwargs: Any) -> Any:
        waiting = noting([], lambda x: 0.004)
        return Dataset.range(4).interleave(lambda x: Dataset.range(25).map(waiting), 4, 1, **kwargs)

    def seconds(dataset: Any) -> float:
        began = time.perf_counter()
        assert len(elements(dataset)) == 100
        return time.perf_counter() - began

    assert seconds(pipeline(num_parallel_calls=4)) < 0.75 * seconds(pipeline())


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"cycle_length": 0}, "`cycle_length` must be `tf.data.AUTOTUNE` or greater than 0 but is 0"),
        ({"block_length": 0}, "`block_length` must be > 0"),
        ({"num_parallel_calls": 0}, "num_parallel_calls must be greater than zero"),
        ({"num_parallel_calls": -2}, "num_parallel_calls must be greater than zero"),
        ({"num_parallel_calls": 3}, "If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either"),
    ],
)
def test_numbers_that_tensorflow_refuses_are_refused(kwargs: dict[str, int], words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        Dataset.range(3).interleave(Dataset.range, **{"cycle_length": 2, "num_parallel_calls": 2, **kwargs})


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"cycle_length": 0}, "`cycle_length` must be > 0"),
        ({"block_length": 0}, "`block_length` must be > 0"),
        ({"buffer_output_elements": 0}, "`buffer_output_elements` must be > 0"),
        ({"prefetch_input_elements": -1}, "`prefetch_input_elements` must be >= 0"),
    ],
)
def test_numbers_that_the_older_form_refuses(kwargs: dict[str, int], words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        Dataset.range(3).apply(tf.data.experimental.parallel_interleave(Dataset.range, **{"cycle_length": 2, **kwargs}))


def test_the_cardinality_of_an_endless_source_is_known() -> None:
    parallel = Dataset.range(3).repeat().interleave(Dataset.range, 2, num_parallel_calls=2)
    assert parallel.node.cardinality() == -1
    assert Dataset.range(3).interleave(Dataset.range, 2, num_parallel_calls=2).node.cardinality() == -2


def test_an_error_is_an_element_of_its_turn(always_ahead: None) -> None:
    def inverse(x: Any) -> Any:
        return tf.cast(60 * tf.debugging.check_numerics(1 / tf.cast(x, tf.float32), "no inverse"), tf.int32)

    error = "InvalidArgumentError"
    dataset = Dataset.range(-2, 3).interleave(
        lambda x: Dataset.range(x, x + 3).map(inverse), cycle_length=2, num_parallel_calls=2
    )
    assert outcomes(dataset) == [-30, -60, -60, error, error, 60, error, 60, 60, 30, 30, 20, 30, 20, 15]


def test_an_error_of_the_function_is_an_element_of_its_turn(always_ahead: None) -> None:
    bad = tf.constant([0.0, 1, 1, 0, 1])

    def dataset_or_error(x: Any) -> Any:
        number = tf.debugging.check_numerics(1 / bad[x], "no inverse")
        return Dataset.range(10 * x, 10 * x + 3 + tf.cast(0 * number, tf.int64))

    error = "InvalidArgumentError"
    expected = [error, 10, 11, 20, 12, 21, 22, error, 40, 41, 42]
    parallel = Dataset.range(5).interleave(dataset_or_error, 2, 1, num_parallel_calls=2)
    older = Dataset.range(5).apply(tf.data.experimental.parallel_interleave(dataset_or_error, 2, 1))
    assert outcomes(parallel) == outcomes(older) == expected
    sequential = Dataset.range(5).interleave(dataset_or_error, 2, 1)
    assert outcomes(sequential) == [error, 10, 20, 11, 21, 12, 22, error, 40, 41, 42]


def test_a_pass_goes_on_from_every_position(always_ahead: None) -> None:
    sizes = [2, 0, 3, 1, 4]
    check_restores_everywhere(lambda: Dataset.range(5).interleave(numbered(sizes), 2, 2, num_parallel_calls=2))
    older = tf.data.experimental.parallel_interleave(numbered(sizes), 3, 2)
    check_restores_everywhere(lambda: Dataset.range(5).apply(older))


def test_it_works_in_a_function() -> None:
    check_same_in_function(lambda: Dataset.range(4).interleave(Dataset.range, 2, num_parallel_calls=2), 5)


def test_an_iterator_that_is_dropped_half_way_leaves_nothing_behind(always_ahead: None) -> None:
    seen: list[int] = []
    inner = noting(seen, lambda x: 0.002)
    dataset = Dataset.range(100).interleave(lambda x: Dataset.range(1000).map(inner), 3, 4, num_parallel_calls=3)
    iterator = iter(dataset)
    for _ in range(40):
        next(iterator)
    before = passes()
    del iterator
    assert passes() == before - 1
    assert stable_count(lambda: len(seen)) < 100


@pytest.mark.parametrize(
    "name", ["ParallelInterleaveDatasetV2", "ParallelInterleaveDatasetV3", "ParallelInterleaveDataset"]
)
def test_the_ops_of_older_graphs_do_the_same(name: str) -> None:
    sizes, cycle, block, expected = LEGACY_ORDERS[0] if name == "ParallelInterleaveDataset" else ORDERS[0]
    source = Dataset.range(len(sizes))
    function = source.interleave(numbered(sizes))._functions()[0]
    common = {"output_types": [tf.int64], "output_shapes": [[]], "f": function.graph_function}
    numbers: dict[str, Any] = {"cycle_length": cycle, "block_length": block}
    if name == "ParallelInterleaveDataset":
        numbers |= {"sloppy": False, "buffer_output_elements": 2, "prefetch_input_elements": 2}
    else:
        numbers |= {"num_parallel_calls": cycle}
    variant = getattr(tf.raw_ops, name)(
        input_dataset=source._variant_tensor, other_arguments=function.captures, **numbers, **common
    )
    assert elements(of_variant(variant)) == expected
