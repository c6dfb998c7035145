"""`Dataset.shard`: every n-th element."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.data.nodes import INFINITE, UNKNOWN
from tests.data.pipelines import (
    check_restores_everywhere,
    check_same_in_function,
    drained,
    elements,
    failing_at,
    noting,
    outcomes,
)

Dataset = tf.data.Dataset


def by_stream(count: int) -> Any:
    return Dataset.range(count).filter(lambda x: x >= 0)


@pytest.mark.parametrize("make", [Dataset.range, by_stream])
@settings(max_examples=50, deadline=None)
@given(
    count=st.integers(0, 20),
    shards=st.integers(1, 6),
    index=st.integers(0, 5),
    limits=st.lists(st.integers(1, 5), min_size=1, max_size=3),
)
def test_blocks_of_all_lengths_give_every_nth_element(
    make: Any, count: int, shards: int, index: int, limits: list[int]
) -> None:
    index %= shards
    assert drained(make(count).shard(shards, index), limits) == [[n] for n in range(index, count, shards)]


def test_no_more_elements_are_asked_for_than_those_up_to_the_next_of_the_shard() -> None:
    seen: list[int] = []
    iterator = iter(noting(Dataset.range(10), seen).shard(3, 1))
    counts = [(next(iterator).numpy(), len(seen)) for _ in range(3)]
    assert counts == [(1, 2), (4, 5), (7, 8)]


def test_a_batch_asks_for_its_elements_at_once_and_no_more() -> None:
    seen: list[int] = []
    iterator = iter(noting(Dataset.range(20), seen).shard(3, 1).batch(3))
    assert next(iterator).numpy().tolist() == [1, 4, 7]
    assert len(seen) == 8


@pytest.mark.parametrize("bad", [4, 5])
def test_an_error_counts_as_one_element(bad: int) -> None:
    expected = [2, "InvalidArgumentError"] + ([5] if bad == 4 else []) + [8]
    assert outcomes(failing_at(Dataset.range(10), bad).shard(3, 2)) == expected
    assert outcomes(failing_at(by_stream(10), bad).shard(3, 2).map(lambda x: x)) == expected


@pytest.mark.parametrize(
    ("shards", "index", "message"),
    [
        (0, 0, "Number of shards must be greater than zero (currently num_shards = 0)."),
        (2, 2, "Index must be between 0 and 1 (currently index = 2)."),
        (2, -1, "Index must be between 0 and 1 (currently index = -1)."),
        (-2, 0, "Number of shards must be greater than zero (currently num_shards = -2)."),
        (-1, -1, "Index must be between 0 and -2 (currently index = -1)."),
    ],
)
def test_a_shard_that_cannot_be_is_refused(shards: int, index: int, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        Dataset.range(5).shard(shards, index)
    assert error.value.message.startswith(message)


def test_the_number_of_shards_cannot_be_left_to_a_strategy() -> None:
    with pytest.raises(tf.errors.FailedPreconditionError, match="SHARD_HINT"):
        iter(Dataset.range(5).shard(-1, 0))


def test_numbers_of_another_type_are_refused() -> None:
    with pytest.raises(TypeError, match="Cannot convert 'a' to EagerTensor of dtype int64"):
        Dataset.range(5).shard("a", 1)


def test_an_empty_shard_is_an_error_on_request() -> None:
    def sharded(dataset: Any) -> Any:
        arguments = {"num_shards": tf.constant(5, tf.int64), "index": tf.constant(0, tf.int64)}
        types = {"output_types": [tf.int64], "output_shapes": [[]], "require_non_empty": True}
        return tf.raw_ops.ShardDataset(input_dataset=dataset._variant_tensor, **arguments, **types)

    spec = tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))
    assert elements(spec._from_components(sharded(Dataset.range(7)))) == [0, 5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not apply FILE based sharding"):
        iter(spec._from_components(sharded(Dataset.range(2))))


def test_the_cardinality_is_that_of_the_shard() -> None:
    made = [Dataset.range(5).shard(2, index).node.cardinality() for index in (0, 1)]
    assert made == [3, 2]
    assert Dataset.range(2).shard(5, 4).node.cardinality() == 0
    assert Dataset.range(5).repeat().shard(2, 1).node.cardinality() == INFINITE
    assert by_stream(5).shard(2, 1).node.cardinality() == UNKNOWN


def test_a_shuffle_moves_positions() -> None:
    dataset = Dataset.range(10).shard(3, 1)
    assert dataset.node.is_random_access
    assert sorted(elements(dataset.shuffle(9, seed=1))) == [1, 4, 7]


@pytest.mark.parametrize("make", [Dataset.range, by_stream])
def test_a_pass_is_restored_at_every_position(make: Any) -> None:
    check_restores_everywhere(lambda: make(17).shard(3, 2))


def test_an_error_that_waits_is_restored() -> None:
    check_restores_everywhere(lambda: failing_at(by_stream(17), 5, 9).shard(2, 1))


def test_a_shard_in_a_function_is_that_of_eager_mode() -> None:
    check_same_in_function(lambda: Dataset.range(9).shard(2, 1), 4)
