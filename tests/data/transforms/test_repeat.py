"""`Dataset.repeat`: passes that follow one another."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.data.nodes import INFINITE, UNKNOWN
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, drained, elements, noting, outcomes

Dataset = tf.data.Dataset


def by_position(count: int) -> Any:
    return Dataset.range(count)


def by_stream(count: int) -> Any:
    return Dataset.range(count).filter(lambda x: x >= 0)


@pytest.mark.parametrize("make", [by_position, by_stream])
@settings(max_examples=40, deadline=None)
@given(size=st.integers(0, 6), count=st.integers(0, 4), limits=st.lists(st.integers(1, 9), min_size=1, max_size=3))
def test_blocks_of_all_lengths_give_each_repetition_in_order(
    make: Any, size: int, count: int, limits: list[int]
) -> None:
    assert drained(make(size).repeat(count), limits) == [[n] for n in range(size)] * count


@pytest.mark.parametrize("make", [by_position, by_stream])
@pytest.mark.parametrize("count", [None, -1, -5])
def test_without_a_count_there_is_no_end(make: Any, count: int | None) -> None:
    assert elements(make(2).repeat(count).take(5)) == [0, 1, 0, 1, 0]


@pytest.mark.parametrize("make", [by_position, by_stream])
def test_a_dataset_without_elements_ends_when_repeated_without_end(make: Any) -> None:
    assert elements(make(0).repeat()) == []


def test_the_cardinality_is_that_of_all_repetitions() -> None:
    unknown = by_stream(3)
    made = [Dataset.range(5).repeat(3), Dataset.range(5).repeat(), Dataset.range(0).repeat(), unknown.repeat(3)]
    assert [dataset.node.cardinality() for dataset in made] == [15, INFINITE, 0, UNKNOWN]
    edges = [unknown.repeat(), unknown.repeat(0), Dataset.range(5).repeat(0)]
    assert [dataset.node.cardinality() for dataset in edges] == [INFINITE, 0, 0]
    assert Dataset.range(3).repeat().repeat(2).node.cardinality() == INFINITE


def test_a_pass_begins_when_somebody_asks_for_its_first_element() -> None:
    seen: list[int] = []
    iterator = iter(noting(Dataset.range(2), seen).repeat(2))
    next(iterator)
    next(iterator)
    assert seen == [0, 1]
    assert next(iterator).numpy() == 0
    assert seen == [0, 1, 0]


def test_a_pass_in_which_all_elements_fail_is_not_the_last() -> None:
    def refuse(x: Any) -> Any:
        return tf.debugging.check_numerics(tf.cast(x, tf.float32) / 0.0, "bad")

    assert outcomes(Dataset.range(1).map(refuse).repeat(), 3) == ["InvalidArgumentError"] * 3


def test_a_skip_goes_on_from_repetition_to_repetition() -> None:
    assert elements(by_stream(3).repeat(3).skip(7)) == [1, 2]
    assert elements(by_stream(3).repeat(2).skip(7)) == []
    assert elements(Dataset.range(3).repeat().skip(1000).take(2)) == [1, 2]


def test_each_repetition_of_a_shuffle_has_an_order_of_its_own() -> None:
    tf.random.set_seed(1)
    numbers = elements(Dataset.range(20).shuffle(20, seed=1).repeat(2))
    assert sorted(numbers[:20]) == sorted(numbers[20:]) == list(range(20))
    assert numbers[:20] != numbers[20:]


def test_a_shuffle_of_repetitions_moves_positions() -> None:
    dataset = Dataset.range(4).repeat(3)
    assert dataset.node.is_random_access
    assert sorted(elements(dataset.shuffle(12, seed=1))) == sorted([0, 1, 2, 3] * 3)
    assert not Dataset.range(4).repeat().node.is_random_access


@pytest.mark.parametrize("make", [by_position, by_stream])
def test_a_pass_is_restored_at_every_position(make: Any) -> None:
    check_restores_everywhere(lambda: make(3).repeat(3))
    check_restores_everywhere(lambda: make(5).shuffle(3, seed=2).repeat(3))


def test_a_repetition_in_a_function_is_that_of_eager_mode() -> None:
    check_same_in_function(lambda: Dataset.range(3).repeat(2), 6)


def test_repetitions_of_a_shuffle_begin_when_they_are_asked_for() -> None:
    tf.random.set_seed(1)
    shuffled = Dataset.range(4).shuffle(2, seed=7).repeat(3)
    dataset = Dataset.zip(shuffled, Dataset.range(6)).map(lambda x, i: x)
    # TensorFlow's orders: each pass begins two repetitions, though a third would be there to be read ahead
    assert [elements(dataset) for _ in range(3)] == [[1, 0, 3, 2, 0, 1], [1, 2, 0, 3, 0, 1], [1, 2, 0, 3, 0, 2]]


def test_a_shuffle_behind_a_concatenation_begins_when_it_is_asked_for() -> None:
    shuffled = Dataset.range(4).shuffle(2, seed=7)
    assert shuffled.node.reads_ahead
    assert Dataset.range(3).concatenate(Dataset.range(2)).node.reads_ahead
    assert not Dataset.range(3).concatenate(shuffled).node.reads_ahead
    assert not Dataset.range(3).flat_map(lambda x: shuffled).node.reads_ahead


def test_a_pass_over_a_shuffle_is_read_ahead_though_the_next_pass_is_not() -> None:
    repeated = Dataset.range(100).shuffle(10, seed=7).repeat(2)
    assert not repeated.node.reads_ahead
    for dataset in (repeated, repeated.map(lambda x: x + 1), repeated.with_options(tf.data.Options())):
        assert dataset.node.reads_block_ahead
    assert not repeated.batch(2).node.reads_block_ahead  # the elements of a batch may be of two passes
