"""The ops behind serialized sparse tensors."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.sparse.recorded import Record, check, sparse

NAMES = {
    "sp": sparse([[0, 0], [1, 0], [1, 1], [3, 0]], [1, 3, 2, 3], [4, 2]),
    "st": sparse([[0], [2]], ["a", "bcd"], [4]),
    "T": tf.io,
}
INDICES, VALUES, SHAPE = np.int64([[0, 1], [2, 0]]), np.float32([1.5, -2]), np.int64([3, 2])
SAMPLES = [
    Sample("SerializeSparse", (INDICES, VALUES, SHAPE)),
    Sample("SerializeManySparse", (INDICES, VALUES, SHAPE)),
    Sample("SerializeManySparse", (np.zeros((0, 2), np.int64), np.zeros(0, np.int8), SHAPE)),
    *(
        Sample(
            op,
            (
                np.array(
                    tf.raw_ops.SerializeManySparse(sparse_indices=INDICES, sparse_values=VALUES, sparse_shape=SHAPE)
                ),
            ),
            {"dtype": tf.float32},
        )
        for op in ("DeserializeSparse", "DeserializeManySparse")
    ),
]

# What TensorFlow 2.21 answers.
RECORDS: list[Record] = [
    (
        "R.DeserializeSparse(serialized_sparse=T.serialize_sparse(sp),dtype=tf.int32)",
        "[int64:[[0, 0], [1, 0], [1, 1], [3, 0]], int32:[1, 3, 2, 3], int64:[4, 2]]",
        None,
    ),
    (
        "R.DeserializeSparse(serialized_sparse=T.serialize_many_sparse(sp),dtype=tf.int32)",
        "[int64:[[0, 0], [1, 0], [1, 1], [3, 0]], int32:[1, 3, 2, 3], int64:[4, 2]]",
        None,
    ),
    (
        "R.DeserializeSparse(serialized_sparse=tf.stack([T.serialize_many_sparse(sp)]*2),dtype=tf.int32)",
        "[int64:[[0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 3, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 3, 0]], int32:[1, 3, 2, 3, 1, 3, 2, 3], int64:[2, 4, 2]]",
        None,
    ),
    (
        "R.DeserializeSparse(serialized_sparse=T.serialize_sparse(sp),dtype=tf.float32)",
        "InvalidArgumentError: Requested SparseTensor of type float but SparseTensor[0].values.dtype() == int32",
        None,
    ),
    (
        "R.DeserializeSparse(serialized_sparse=['a','b','c'],dtype=tf.float32)",
        "InvalidArgumentError: Could not parse serialized proto",
        None,
    ),
    (
        "R.DeserializeSparse(serialized_sparse=['a','b'],dtype=tf.float32)",
        "InvalidArgumentError: Serialized sparse should have 3 as the last dimension [2]",
        "ValueError: Dimension must be 3 but is 2",
    ),
    (
        "R.DeserializeSparse(serialized_sparse='a',dtype=tf.float32)",
        "InvalidArgumentError: Serialized sparse should have non-zero rank []",
        "ValueError: Shape must be at least rank 1 but is rank 0",
    ),
    (
        "R.DeserializeSparse(serialized_sparse=np.zeros((0,3),object),dtype=tf.float32)",
        "InvalidArgumentError: Serialized sparse should have at least 1 serialized tensor, but has a zero dimension [0,3]",
        None,
    ),
    (
        "R.DeserializeSparse(serialized_sparse=T.serialize_sparse(sp,out_type=tf.variant),dtype=tf.int32)",
        "[int64:[[0, 0], [1, 0], [1, 1], [3, 0]], int32:[1, 3, 2, 3], int64:[4, 2]]",
        None,
    ),
    (
        "R.DeserializeSparse(serialized_sparse=T.serialize_many_sparse(sp,out_type=tf.variant),dtype=tf.int32)",
        "[int64:[[0, 0], [1, 0], [1, 1], [3, 0]], int32:[1, 3, 2, 3], int64:[4, 2]]",
        None,
    ),
    (
        "R.DeserializeSparse(serialized_sparse=tf.stack([T.serialize_many_sparse(sp,out_type=tf.variant)]*2),dtype=tf.int32)",
        "[int64:[[0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 3, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 3, 0]], int32:[1, 3, 2, 3, 1, 3, 2, 3], int64:[2, 4, 2]]",
        None,
    ),
    (
        "R.DeserializeSparse(serialized_sparse=T.serialize_sparse(sp,out_type=tf.variant),dtype=tf.float32)",
        "InvalidArgumentError: Requested SparseTensor of type float but SparseTensor[0].values.dtype() == int32",
        None,
    ),
    (
        "R.SerializeSparse(sparse_indices=[[0]],sparse_values=[1,2],sparse_shape=[3])",
        "string:[b'\\x08\\t\\x12\\x08\\x12\\x02\\x08\\x01\\x12\\x02\\x08\\x01\"\\x08\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00', b'\\x08\\x03\\x12\\x04\\x12\\x02\\x08\\x02\"\\x08\\x01\\x00\\x00\\x00\\x02\\x00\\x00\\x00', b'\\x08\\t\\x12\\x04\\x12\\x02\\x08\\x01\"\\x08\\x03\\x00\\x00\\x00\\x00\\x00\\x00\\x00']",
        None,
    ),
    (
        "R.SerializeSparse(sparse_indices=[0],sparse_values=[1,2],sparse_shape=[3])",
        "InvalidArgumentError: Input indices should be a matrix but received shape [1]",
        "ValueError: Shape must be rank 2 but is rank 1",
    ),
    (
        "R.SerializeSparse(sparse_indices=[[0]],sparse_values=[[1]],sparse_shape=[3])",
        "InvalidArgumentError: Input values should be a vector but received shape [1,1]",
        "ValueError: Shape must be rank 1 but is rank 2",
    ),
    (
        "R.SerializeSparse(sparse_indices=[[0]],sparse_values=[1],sparse_shape=[[3]])",
        "InvalidArgumentError: Input shape should be a vector but received shape [1,1]",
        "ValueError: Shape must be rank 1 but is rank 2",
    ),
    (
        "R.SerializeSparse(sparse_indices=[[0]],sparse_values=[1],sparse_shape=[3,3])",
        "string:[b'\\x08\\t\\x12\\x08\\x12\\x02\\x08\\x01\\x12\\x02\\x08\\x01\"\\x08\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00', b'\\x08\\x03\\x12\\x04\\x12\\x02\\x08\\x01\"\\x04\\x01\\x00\\x00\\x00', b'\\x08\\t\\x12\\x04\\x12\\x02\\x08\\x02\"\\x10\\x03\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x03\\x00\\x00\\x00\\x00\\x00\\x00\\x00']",
        None,
    ),
    (
        "R.SerializeManySparse(sparse_indices=[[0]],sparse_values=[1],sparse_shape=[3])",
        "InvalidArgumentError: Rank of input SparseTensor should be > 1, but saw rank: 1",
        None,
    ),
    (
        "R.SerializeManySparse(sparse_indices=[[0,0],[5,0]],sparse_values=[1,2],sparse_shape=[3,1])",
        "InvalidArgumentError: indices[1] = [5,0] is out of bounds: need 0 <= index < [3,1]",
        None,
    ),
    (
        "R.SerializeManySparse(sparse_indices=[[2,0],[1,0]],sparse_values=[1,2],sparse_shape=[3,1])",
        "InvalidArgumentError: indices[1] = [1,0] is out of order. Many sparse ops require sorted indices.",
        None,
    ),
    (
        "R.SerializeManySparse(sparse_indices=[[2,0]],sparse_values=[1,2],sparse_shape=[3,1])",
        "InvalidArgumentError: indices and values rows (indexing dimension) must match. (indices = 1, values = 2)",
        None,
    ),
    (
        "R.SerializeManySparse(sparse_indices=np.zeros((0,2),np.int64),sparse_values=c([],tf.int32),sparse_shape=[3,1])",
        "string:[[b'\\x08\\t\\x12\\x06\\x12\\x00\\x12\\x02\\x08\\x01', b'\\x08\\x03\\x12\\x02\\x12\\x00', b'\\x08\\t\\x12\\x04\\x12\\x02\\x08\\x01\"\\x08\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00'], [b'\\x08\\t\\x12\\x06\\x12\\x00\\x12\\x02\\x08\\x01', b'\\x08\\x03\\x12\\x02\\x12\\x00', b'\\x08\\t\\x12\\x04\\x12\\x02\\x08\\x01\"\\x08\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00'], [b'\\x08\\t\\x12\\x06\\x12\\x00\\x12\\x02\\x08\\x01', b'\\x08\\x03\\x12\\x02\\x12\\x00', b'\\x08\\t\\x12\\x04\\x12\\x02\\x08\\x01\"\\x08\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00']]",
        None,
    ),
]


@pytest.mark.parametrize("mode", ["eager", "function"])
@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r[0])
def test_answers_are_those_of_tensorflow(record: Record, mode: str) -> None:
    check(record, mode, NAMES)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16", "bfloat16", "float64", "complex128"])
@pytest.mark.parametrize("form", [tf.string, tf.variant])
def test_values_of_all_dtypes_come_back(dtype: str, form: Any) -> None:
    values = tf.cast([1, 0], dtype)
    parts = tf.raw_ops.SerializeSparse(sparse_indices=[[0], [3]], sparse_values=values, sparse_shape=[5], out_type=form)
    indices, read, shape = tf.raw_ops.DeserializeSparse(serialized_sparse=parts, dtype=dtype)
    assert indices.numpy().tolist() == [[0], [3]]
    assert read.dtype == values.dtype
    assert read.numpy().tolist() == values.numpy().tolist()
    assert shape.numpy().tolist() == [5]


def test_parts_that_do_not_belong_together_are_refused() -> None:
    parts = tf.raw_ops.SerializeSparse(sparse_indices=[[0], [3]], sparse_values=[1], sparse_shape=[5])
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not belong together"):
        tf.raw_ops.DeserializeSparse(serialized_sparse=parts, dtype=tf.int32)


def test_a_variant_that_holds_no_tensor_is_refused() -> None:
    empty = tf.raw_ops.EmptyTensorList(element_shape=[1], max_num_elements=1, element_dtype=tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not get a tensor"):
        tf.raw_ops.DeserializeSparse(serialized_sparse=tf.stack([empty] * 3), dtype=tf.int32)
