"""`Dataset.rebatch`: rows in batches of other sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.data.nodes import UNKNOWN
from tests.data.pipelines import (
    check_restores_everywhere,
    check_same_in_function,
    drained,
    elements,
    failing_at,
    outcomes,
)

Dataset = tf.data.Dataset


def expected_batches(count: int, sizes: list[int], drop: bool) -> list[list[int]]:
    """The numbers below `count` in batches, by the definition."""
    batches, start, turn = [], 0, 0
    while True:
        size = sizes[turn % len(sizes)]
        if size and (start >= count or drop and start + size > count):
            return batches
        batches.append(list(range(count))[start : start + size])
        if len(batches[-1]) < size:
            return batches
        start, turn = start + size, turn + 1


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(0, 20),
    given_size=st.integers(1, 6),
    sizes=st.lists(st.integers(0, 5), min_size=1, max_size=3).filter(any),
    drop=st.booleans(),
    limits=st.lists(st.integers(1, 4), min_size=1, max_size=2),
)
def test_batches_are_those_of_the_definition(
    count: int, given_size: int, sizes: list[int], drop: bool, limits: list[int]
) -> None:
    rows = drained(Dataset.range(count).batch(given_size).rebatch(sizes, drop_remainder=drop), limits)
    assert rows == [[batch] for batch in expected_batches(count, sizes, drop)]


def test_one_size_is_a_scalar() -> None:
    assert elements(Dataset.range(10).batch(4).rebatch(3)) == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
    assert elements(Dataset.range(10).batch(4).rebatch(3, drop_remainder=True)) == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


def test_every_component_is_rebatched() -> None:
    batches = Dataset.from_tensor_slices({"a": [1, 2, 3], "b": ["x", "y", "z"]}).batch(2).rebatch(3)
    assert elements(batches) == [{"a": [1, 2, 3], "b": [b"x", b"y", b"z"]}]


@pytest.mark.parametrize(
    ("sizes", "loose", "dropped"),
    [
        (2, 2, 2),
        (3, None, 3),
        (8, None, 8),
        (1, 1, 1),
        ([2, 2], 2, 2),
        ([4, 4], 4, 4),
        ([2, 1, 1], None, None),
        ([1, 3], None, None),
    ],
)
def test_the_number_of_rows_is_known_if_all_batches_have_it(sizes: Any, loose: int | None, dropped: int | None) -> None:
    fours = Dataset.from_tensors(np.zeros((4, 2))).repeat(3)
    assert fours.rebatch(sizes).element_spec.shape.as_list() == [loose, 2]
    assert fours.rebatch(sizes, drop_remainder=True).element_spec.shape.as_list() == [dropped, 2]


def test_elements_without_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="Expected dataset with rank of >= 1 but found a dataset with scalar elements"):
        Dataset.range(3).rebatch(2)
    with pytest.raises(ValueError, match="The batch dimension of component 0 is 4, while the batch dimension of comp"):
        Dataset.from_tensors((np.zeros((4, 2)), np.zeros(6))).rebatch(2)


@pytest.mark.parametrize("sizes", [0, -1, [0, 0], [2, -1], []])
def test_sizes_that_make_no_batches_are_refused(sizes: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Batch sizes must be greater than zero"):
        Dataset.range(4).batch(2).rebatch(tf.constant(sizes, tf.int64))


def test_sizes_of_another_type_or_rank_are_refused() -> None:
    with pytest.raises(TypeError, match="Cannot convert 'a' to EagerTensor of dtype int64"):
        Dataset.range(4).batch(2).rebatch("a")
    with pytest.raises(ValueError, match=r"Received `batch_sizes` of rank 2."):
        Dataset.range(4).batch(2).rebatch([[1]])


def test_an_element_with_different_numbers_of_rows_is_an_error_of_its_own() -> None:
    dataset = Dataset.range(3).map(lambda x: (tf.fill([x + 1], x), tf.fill([x + 1 + x % 2], x)))
    assert outcomes(dataset.rebatch(2)) == ["InvalidArgumentError", ([2, 2], [2, 2]), ([2], [2])]


def test_an_error_drops_the_rows_that_wait() -> None:
    pairs = failing_at(Dataset.range(3), 1).map(lambda n: tf.stack([2 * n, 2 * n + 1]))
    assert outcomes(pairs.rebatch(3)) == ["InvalidArgumentError", [4, 5]]


def test_rows_of_different_shapes_make_no_batch() -> None:
    dataset = Dataset.range(3).map(lambda x: tf.fill([2, x + 1], x))
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"rows of different shapes.*\[1\], \[2\]"):
        next(iter(dataset.rebatch(3)))
    assert elements(dataset.rebatch(2))[2] == [[2, 2, 2], [2, 2, 2]]


def test_the_cardinality_is_not_known() -> None:
    assert Dataset.range(4).batch(2).rebatch(2).node.cardinality() == UNKNOWN


@pytest.mark.parametrize("sizes", [3, [2, 0, 3]])
def test_a_pass_is_restored_at_every_position(sizes: Any) -> None:
    check_restores_everywhere(lambda: Dataset.range(17).batch(4).rebatch(sizes))


def test_batches_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(lambda: Dataset.range(9).batch(4).rebatch(3), 3)
