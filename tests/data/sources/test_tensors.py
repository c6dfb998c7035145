"""`Dataset.from_tensors` and `Dataset.from_tensor_slices`."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import elements

Dataset = tf.data.Dataset
INT = tf.TensorSpec([], tf.int32)


@pytest.mark.parametrize("nothing", [(), {}, None])
def test_slices_of_nothing_are_refused(nothing: Any) -> None:
    with pytest.raises(ValueError, match=r"Invalid `element`\. `element` should not be empty"):
        Dataset.from_tensor_slices(nothing)


def test_a_range_is_a_tensor_as_a_list_is() -> None:
    dataset = Dataset.from_tensor_slices((range(3), [4, 5, 6]))
    assert dataset.element_spec == (INT, INT)
    assert elements(dataset) == [(0, 4), (1, 5), (2, 6)]
    assert elements(Dataset.from_tensors({"a": range(2)})) == [{"a": [0, 1]}]


def test_a_scalar_has_no_slices() -> None:
    with pytest.raises(ValueError, match="Unbatching a tensor is only supported for rank >= 1"):
        Dataset.from_tensor_slices(([1], 2))


def test_constants_of_a_graph_are_named_after_their_leaf() -> None:
    with tf.Graph().as_default() as graph:
        Dataset.from_tensors((tf.constant(1), None, 2))
        Dataset.from_tensor_slices({"a": [1], "b": [2]})
    assert [operation.name for operation in graph.get_operations()] == [
        "Const",
        "normalize_element/component_2",
        "TensorDataset",
        "normalize_element_1/component_0",
        "normalize_element_1/component_1",
        "TensorSliceDataset",
    ]
