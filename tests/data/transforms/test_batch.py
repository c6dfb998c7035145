"""`Dataset.batch`: consecutive elements in one element."""

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
    size=st.integers(1, 6),
    drop=st.booleans(),
    limits=st.lists(st.integers(1, 4), min_size=1, max_size=3),
)
def test_batches_hold_consecutive_elements(make: Any, count: int, size: int, drop: bool, limits: list[int]) -> None:
    batches = [list(range(count))[start : start + size] for start in range(0, count, size)]
    if drop and batches and len(batches[-1]) < size:
        batches.pop()
    dataset = make(count).batch(size, drop_remainder=drop)
    assert drained(dataset, limits) == [[batch] for batch in batches]
    assert dataset.node.cardinality() in (len(batches), UNKNOWN)


def test_every_component_is_stacked() -> None:
    dataset = Dataset.from_tensor_slices({"a": [1, 2, 3], "b": ["x", "y", "z"]}).batch(2)
    assert elements(dataset) == [{"a": [1, 2], "b": [b"x", b"y"]}, {"a": [3], "b": [b"z"]}]


def test_the_size_is_known_if_the_last_batch_is_dropped() -> None:
    assert Dataset.range(5).batch(2).element_spec == tf.TensorSpec([None], tf.int64)
    assert Dataset.range(5).batch(2, drop_remainder=True).element_spec == tf.TensorSpec([2], tf.int64)


def test_batches_of_missing_components_have_none() -> None:
    assert [batch[1] for batch in Dataset.from_tensors((1, None)).repeat(3).batch(2)] == [None, None]


def test_elements_of_different_shapes_are_an_error_of_their_batch() -> None:
    dataset = Dataset.range(6).map(lambda x: tf.fill([1 + x // 3], x)).batch(2)
    assert outcomes(dataset) == [[[0], [1]], "InvalidArgumentError", [[4, 4], [5, 5]]]
    message = r"Cannot batch tensors with different shapes in component 0. First element had shape \[1\] and element 1"
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        elements(dataset)


def test_an_error_of_an_element_takes_the_elements_before_it_in_the_batch() -> None:
    assert outcomes(failing_at(Dataset.range(7), 1, 4).batch(2)) == [
        *["InvalidArgumentError", [2, 3], "InvalidArgumentError", [5, 6]]
    ]


def test_no_more_elements_are_asked_for_than_a_batch_needs() -> None:
    seen: list[int] = []
    next(iter(noting(Dataset.range(9), seen).batch(4)))
    assert seen == [0, 1, 2, 3]


def test_the_cardinality_of_endless_and_unknown_sources() -> None:
    assert Dataset.range(5).repeat().batch(2).node.cardinality() == INFINITE
    assert by_stream(5).batch(2).node.cardinality() == UNKNOWN


@pytest.mark.parametrize("drop", [True, False])
def test_a_shuffle_of_batches_of_one_size_moves_positions(drop: bool) -> None:
    dataset = Dataset.range(5).batch(2, drop_remainder=drop)
    assert dataset.node.is_random_access is drop
    assert sorted(elements(dataset.shuffle(5, seed=1)))[:2] == [[0, 1], [2, 3]]


@pytest.mark.parametrize("make", [Dataset.range, by_stream, lambda n: failing_at(by_stream(n), 4, 7)])
def test_a_pass_is_restored_at_every_position(make: Any) -> None:
    check_restores_everywhere(lambda: make(11).batch(3))
    check_restores_everywhere(lambda: make(11).batch(3).unbatch())


def test_batches_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(lambda: Dataset.range(5).batch(2), 3)


def test_the_older_op_keeps_the_last_batch() -> None:
    handle = tf.raw_ops.BatchDataset(
        input_dataset=Dataset.range(3)._variant_tensor,
        batch_size=tf.constant(2, tf.int64),
        output_types=[tf.int64],
        output_shapes=[[None]],
    )
    assert elements(tf.data.experimental.from_variant(handle, tf.TensorSpec([None], tf.int64))) == [[0, 1], [2]]
