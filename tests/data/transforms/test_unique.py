"""`Dataset.unique`: each element once."""

from __future__ import annotations

from typing import Any

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


@settings(max_examples=40, deadline=None)
@given(numbers=st.lists(st.integers(-3, 3), max_size=30), limits=st.lists(st.integers(1, 9), min_size=1, max_size=3))
def test_each_number_comes_once_at_its_first_index(numbers: list[int], limits: list[int]) -> None:
    dataset = Dataset.from_tensor_slices(tf.constant(numbers, tf.int32)).unique()
    assert drained(dataset, limits) == [[number] for number in dict.fromkeys(numbers)]


def test_strings_and_vectors_are_compared_by_value() -> None:
    assert elements(Dataset.from_tensor_slices(["a", "b", "a"]).unique()) == [b"a", b"b"]
    assert elements(Dataset.from_tensor_slices([[1, 2], [3, 4], [1, 2]]).unique()) == [[1, 2], [3, 4]]
    assert elements(Dataset.from_tensor_slices([["a", "b"], ["a", "b"]]).unique()) == [[b"a", b"b"]]


def test_elements_of_different_shapes_differ() -> None:
    assert elements(Dataset.range(4).map(lambda x: tf.fill([x // 2], 1)).unique()) == [[], [1]]


@pytest.mark.parametrize("element", [1.5, True])
def test_other_dtypes_are_refused(element: Any) -> None:
    with pytest.raises(
        TypeError, match=r"`tf.data.Dataset.unique` does not support type <dtype: '.*'> -- only `tf.int32`"
    ):
        Dataset.from_tensors(element).unique()


def test_datasets_and_several_components_are_refused() -> None:
    with pytest.raises(TypeError, match="does not support type DatasetSpec"):
        Dataset.range(3).window(2).unique()
    with pytest.raises(tf.errors.InvalidArgumentError, match="only supports inputs with a single component"):
        Dataset.zip(Dataset.range(2), Dataset.range(2)).unique()


def test_errors_leave_the_position_unchanged() -> None:
    doubled = failing_at(Dataset.range(4), 2).map(lambda x: x // 2)
    assert outcomes(doubled.unique()) == [0, "InvalidArgumentError", 1]


def test_the_cardinality_is_not_known() -> None:
    assert Dataset.range(3).unique().node.cardinality() == UNKNOWN


def test_a_pass_is_restored_at_every_position() -> None:
    check_restores_everywhere(lambda: Dataset.range(12).map(lambda x: x % 7).unique())
    check_restores_everywhere(lambda: Dataset.from_tensor_slices([[1, 2], [3, 4], [1, 2], [5, 6]]).unique())


def test_unique_elements_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(lambda: Dataset.range(9).map(lambda x: x // 3).unique(), 3)


def test_the_function_of_datasets_does_the_same() -> None:
    assert elements(Dataset.from_tensor_slices([1, 1, 2]).apply(tf.data.experimental.unique())) == [1, 2]


def test_the_older_op_makes_the_same() -> None:
    handle = tf.raw_ops.ExperimentalUniqueDataset(
        input_dataset=Dataset.range(2).repeat(2)._variant_tensor, output_types=[tf.int64], output_shapes=[[]]
    )
    assert elements(tf.data.experimental.from_variant(handle, tf.TensorSpec([], tf.int64))) == [0, 1]
