"""tf.compat.v1.ragged.RaggedTensorValue."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.ragged.ragged_value import ragged_value

_Value = tf.compat.v1.ragged.RaggedTensorValue


def _flat() -> Any:
    return _Value(np.array([1, 2, 3]), np.array([0, 2, 3]))


def test_parts_of_a_value() -> None:
    x = _flat()
    assert (x.shape, x.dtype, x.ragged_rank) == ((2, None), np.dtype("int64"), 1)
    assert x.values is x.flat_values
    assert x.to_list() == [[1, 2], [3]]
    assert [repr(p) for p in x._nested_row_partitions] == ["tf.RowPartition(row_splits=[0 2 3])"]


def test_a_value_of_a_value() -> None:
    x = _Value(_flat(), np.array([0, 1, 2]))
    assert (x.shape, x.ragged_rank) == ((2, None, None), 2)
    assert x.to_list() == [[[1, 2]], [[3]]]
    assert [splits.tolist() for splits in x.nested_row_splits] == [[0, 1, 2], [0, 2, 3]]
    assert x.flat_values.tolist() == [1, 2, 3]
    assert repr(x) == (
        "tf.RaggedTensorValue(values=tf.RaggedTensorValue(values=array([1, 2, 3]), row_splits=array([0, 2, 3])), "
        "row_splits=array([0, 1, 2]))"
    )


def test_text_of_a_value() -> None:
    assert str(_flat()) == "<tf.RaggedTensorValue [[1, 2], [3]]>"


def test_a_value_converts_to_a_ragged_tensor() -> None:
    assert tf.RaggedTensor.from_row_splits(_flat(), [0, 2]).to_list() == [[[1, 2], [3]]]
    assert tf.RaggedTensorSpec.from_value(_flat()) == tf.RaggedTensorSpec([2, None], tf.int64)


def test_values_from_parts() -> None:
    assert ragged_value(np.array([1, 2]), [np.array([0, 2])]).to_list() == [[1, 2]]
    assert ragged_value(np.array([1, 2]), []).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("values", "splits"),
    [
        ([1], np.array([0, 1])),
        (np.array([1]), [0, 1]),
        (np.array([1]), np.array([0.0, 1.0])),
        (np.array([1]), np.array([[0, 1]])),
        (np.array([1]), np.array([0, 1], np.int16)),
    ],
)
def test_what_is_no_array_is_refused(values: Any, splits: Any) -> None:
    with pytest.raises(TypeError, match=r"row_splits must be a 1D int32 or int64 numpy array|values must be a numpy"):
        _Value(values, splits)


def test_row_splits_of_two_dtypes_are_refused() -> None:
    with pytest.raises(ValueError, match="must have the same dtype"):
        _Value(_flat(), np.array([0, 2], np.int32))
