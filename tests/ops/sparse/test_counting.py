"""Counts of integers as sparse tensors and as rows."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.sparse.recorded import Record, check

SAMPLES = [
    *(
        Sample("DenseCountSparseOutput", (np.array([[1, 1, 3], [0, 3, 3]], d), np.array(w, t)), {"binary_output": b})
        for d, t, w, b in (
            ("int32", "int64", [], False),
            ("int64", "float32", [[1, 2, 3], [4, 5, 6]], False),
            ("int32", "float64", [], True),
        )
    ),
    Sample("DenseCountSparseOutput", (np.int32([]), np.int32([])), {"binary_output": False, "minlength": 3}),
    Sample(
        "SparseCountSparseOutput",
        (np.int64([[0, 0], [2, 1]]), np.int32([1, 3]), np.int64([3, 2]), np.int64([])),
        {"binary_output": False},
    ),
    *(
        Sample(
            "SparseBincount",
            (np.int64(i), np.array([1, 1], d), np.int64(s), np.array(4, d), np.array(w, t)),
            {"binary_output": b},
        )
        for i, s, d, t, w, b in (
            ([[0], [2]], [3], "int32", "int32", [], False),
            ([[0, 0], [0, 1]], [3, 2], "int64", "float32", [1.5, 2], False),
            ([[0, 0], [2, 1]], [3, 2], "int32", "int64", [2, 3], False),
            ([[0, 0], [2, 1]], [3, 2], "int32", "float64", [], True),
        )
    ),
]

# What TensorFlow 2.21 answers.
RECORDS: list[Record] = [
    (
        "R.DenseCountSparseOutput(values=[1,1,3],weights=none(tf.int64),binary_output=False)",
        "[int64:[[1], [3]], int64:[2, 1], int64:[4]]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=[[1,1,3],[0,3,3]],weights=none(tf.int64),binary_output=False)",
        "[int64:[[0, 1], [0, 3], [1, 0], [1, 3]], int64:[2, 1, 1, 2], int64:[2, 4]]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=[[1,1,3],[0,3,3]],weights=none(tf.float32),binary_output=True)",
        "[int64:[[0, 1], [0, 3], [1, 0], [1, 3]], float32:[1.0, 1.0, 1.0, 1.0], int64:[2, 4]]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=[[1,1,3],[0,3,3]],weights=[[1.,2,3],[4,5,6]],binary_output=False)",
        "[int64:[[0, 1], [0, 3], [1, 0], [1, 3]], float32:[3.0, 3.0, 4.0, 11.0], int64:[2, 4]]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=[[1,1,3],[0,3,3]],weights=[[1.,2,3],[4,5,6]],binary_output=False,minlength=6)",
        "[int64:[[0, 1], [0, 3], [1, 0], [1, 3]], float32:[3.0, 3.0, 4.0, 11.0], int64:[2, 6]]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=[[1,1,3],[0,3,3]],weights=[[1.,2,3],[4,5,6]],binary_output=False,maxlength=2)",
        "[int64:[[0, 1], [1, 0]], float32:[3.0, 4.0], int64:[2, 2]]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=[[1,1,3],[0,3,3]],weights=[[1.,2,3],[4,5,6]],binary_output=False,minlength=5,maxlength=3)",
        "[int64:[[0, 1], [1, 0]], float32:[3.0, 4.0], int64:[2, 3]]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=[[1,1,3],[0,3,3]],weights=[[1.,2,3]],binary_output=False)",
        "InvalidArgumentError: Weights and data must have the same shape. Weight shape: [1,3]; data shape: [2,3]",
        "ValueError: Dimension 0 in both shapes must be equal, but are 1 and 2. Shapes are [1,3] and [2,3].",
    ),
    (
        "R.DenseCountSparseOutput(values=[[1,-1,3],[0,3,3]],weights=none(),binary_output=False)",
        "InvalidArgumentError: Input values must all be non-negative",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=[[[1]]],weights=none(),binary_output=False)",
        "InvalidArgumentError: Input must be a 1 or 2-dimensional tensor. Got: [1,1,1]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=3,weights=none(),binary_output=False)",
        "InvalidArgumentError: Input must be a 1 or 2-dimensional tensor. Got: []",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=c([],tf.int32),weights=none(),binary_output=False)",
        "[int64[0, 1], int32[0], int64:[1]]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=c(np.zeros((2,0)),tf.int32),weights=none(),binary_output=False)",
        "[int64[0, 2], int32[0], int64:[2, 1]]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=c([1,1,3],tf.int64),weights=none(tf.float64),binary_output=False,minlength=0,maxlength=0)",
        "[int64[0, 1], float64[0], int64:[0]]",
        None,
    ),
    (
        "R.SparseCountSparseOutput(indices=I([0],[1],[2]),values=[1,1,3],dense_shape=L(3),weights=none(),binary_output=False)",
        "[int64:[[1], [3]], int32:[2, 1], int64:[4]]",
        None,
    ),
    (
        "R.SparseCountSparseOutput(indices=I([0,0],[0,1],[2,0]),values=[1,1,3],dense_shape=L(4,2),weights=none(),binary_output=False)",
        "[int64:[[0, 1], [2, 3]], int32:[2, 1], int64:[4, 4]]",
        None,
    ),
    (
        "R.SparseCountSparseOutput(indices=I([0,0],[0,1],[2,0]),values=[1,1,3],dense_shape=L(4,2),weights=[1.,2,3],binary_output=False)",
        "[int64:[[0, 1], [2, 3]], float32:[3.0, 3.0], int64:[4, 4]]",
        None,
    ),
    (
        "R.SparseCountSparseOutput(indices=I([0,0],[0,1],[2,0]),values=[1,1,3],dense_shape=L(4,2),weights=[1.,2,3],binary_output=False,minlength=2,maxlength=3)",
        "[int64:[[0, 1]], float32:[3.0], int64:[4, 3]]",
        None,
    ),
    (
        "R.SparseCountSparseOutput(indices=I([0,0],[0,1],[2,0]),values=[1,1,3],dense_shape=L(4,2),weights=[1.,2],binary_output=False)",
        "InvalidArgumentError: Weights and values must have the same shape. Weight shape: [2]; values shape: [3]",
        None,
    ),
    (
        "R.SparseCountSparseOutput(indices=I([0,0],[0,1],[2,0]),values=[1,1,-3],dense_shape=L(4,2),weights=none(),binary_output=False)",
        "InvalidArgumentError: Input values must all be non-negative",
        None,
    ),
    (
        "R.SparseCountSparseOutput(indices=I([0,0],[0,1],[7,0]),values=[1,1,3],dense_shape=L(4,2),weights=none(),binary_output=False)",
        "InvalidArgumentError: Invalid index value at 2: dimension 0 has value 7 which is not in [0, 4) (as given by dense shape Tensor<type: int64 shape: [2] values: 4 2>",
        None,
    ),
    (
        "R.SparseCountSparseOutput(indices=I([0,0],[2,1],[1,0]),values=[1,1,3],dense_shape=L(4,2),weights=none(),binary_output=False)",
        "[int64:[[0, 1], [1, 3], [2, 1]], int32:[1, 1, 1], int64:[4, 4]]",
        None,
    ),
    (
        "R.SparseCountSparseOutput(indices=I([0,0,0],[2,1,0],[1,0,0]),values=[1,1,3],dense_shape=L(4,2,1),weights=none(),binary_output=False)",
        "[int64:[[0, 1], [1, 3], [2, 1]], int32:[1, 1, 1], int64:[4, 4]]",
        None,
    ),
    (
        "R.SparseCountSparseOutput(indices=I([0,0],[0,1]),values=[1,1,3],dense_shape=L(4,2),weights=none(),binary_output=False)",
        "InvalidArgumentError: Number of values must match first dimension of indices.Got 3 values, indices shape: [2,2]",
        None,
    ),
    (
        "R.SparseCountSparseOutput(indices=L(0,0),values=[1,1],dense_shape=L(4,2),weights=none(),binary_output=False)",
        "InvalidArgumentError: Input indices must be a 2-dimensional tensor. Got: [2]",
        "ValueError: Shape must be rank 2 but is rank 1",
    ),
    (
        "R.SparseCountSparseOutput(indices=I([0,0],[0,1]),values=[1,1],dense_shape=L(4),weights=none(),binary_output=False)",
        "InvalidArgumentError: Number of dimensions must match second dimension of indices.Got 1 dimensions, indices shape: [2,2]",
        None,
    ),
    (
        "R.SparseCountSparseOutput(indices=I([0,0],[0,1]),values=[[1],[1]],dense_shape=L(4,2),weights=none(),binary_output=False)",
        "InvalidArgumentError: Input values must be a vector. Got: [2,1]",
        None,
    ),
    (
        "R.SparseCountSparseOutput(indices=c(np.zeros((0,2),np.int64)),values=none(),dense_shape=L(4,2),weights=none(),binary_output=False)",
        "[int64[0, 2], int32[0], int64:[4, 1]]",
        None,
    ),
    (
        "R.SparseCountSparseOutput(indices=c(np.zeros((0,2),np.int64)),values=none(),dense_shape=L(0,2),weights=none(),binary_output=False)",
        "InvalidArgumentError: Cannot allocate 0 batches, is the dense shape too wide?",
        None,
    ),
    (
        "R.SparseBincount(indices=I([0],[1],[2]),values=[1,1,3],dense_shape=L(3),size=5,weights=none(),binary_output=False)",
        "int32:[0, 2, 0, 1, 0]",
        None,
    ),
    (
        "R.SparseBincount(indices=I([0,0],[0,1],[2,0]),values=[1,1,3],dense_shape=L(4,2),size=5,weights=none(),binary_output=False)",
        "int32:[[0, 2, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 0]]",
        None,
    ),
    (
        "R.SparseBincount(indices=I([0,0],[0,1],[2,0]),values=[1,1,3],dense_shape=L(4,2),size=3,weights=[1.,2,3],binary_output=False)",
        "float32:[[0.0, 3.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]",
        None,
    ),
    (
        "R.SparseBincount(indices=I([0,0],[0,1],[2,0]),values=[1,1,3],dense_shape=L(4,2),size=5,weights=none(),binary_output=True)",
        "int32:[[0, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 0]]",
        None,
    ),
    (
        "R.SparseBincount(indices=I([0,0],[0,1],[2,0]),values=[1,1,3],dense_shape=L(4,2),size=-5,weights=none(),binary_output=True)",
        "InvalidArgumentError: size (-5) must be non-negative",
        "ValueError: size (-5) must be non-negative",
    ),
    (
        "R.SparseBincount(indices=I([0,0],[0,1],[2,0]),values=[1,1,-3],dense_shape=L(4,2),size=5,weights=none(),binary_output=True)",
        "int32:[[0, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]",
        None,
    ),
    (
        "R.SparseBincount(indices=I([0,0],[0,1],[9,0]),values=[1,1,3],dense_shape=L(4,2),size=5,weights=none(),binary_output=True)",
        "InvalidArgumentError: Sparse index tuple indices[2, :] = [9, 0] is out of bounds",
        None,
    ),
    (
        "R.SparseBincount(indices=I([0,0,0],[0,1,0]),values=[1,1],dense_shape=L(4,2,1),size=5,weights=none(),binary_output=False)",
        "int32:[[0, 2, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]",
        "ValueError: Input must be less than rank 2",
    ),
    (
        "R.SparseBincount(indices=I([0,0],[0,1]),values=[1,1,2],dense_shape=L(4,2),size=5,weights=none(),binary_output=False)",
        "InvalidArgumentError: Number of elements in indices (2) and values (3) do not match",
        None,
    ),
    (
        "R.SparseBincount(indices=I([0],[1],[2]),values=[1,1,3],dense_shape=L(3),size=[5],weights=none(),binary_output=False)",
        "InvalidArgumentError: Shape must be rank 0 but is rank 1",
        "ValueError: Shape must be rank 0 but is rank 1",
    ),
    (
        "R.SparseBincount(indices=c(np.zeros((0,2),np.int64)),values=none(),dense_shape=L(4,2),size=3,weights=none(),binary_output=False)",
        "int32:[[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=[1,1,3],weights=none(tf.int64),binary_output=False,maxlength=10)",
        "[int64:[[1], [3]], int64:[2, 1], int64:[10]]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=[1,1,30],weights=none(tf.int64),binary_output=False,maxlength=10)",
        "[int64:[[1]], int64:[2], int64:[10]]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=[1,1,30],weights=none(tf.int64),binary_output=False,maxlength=10,minlength=20)",
        "[int64:[[1]], int64:[2], int64:[10]]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=[1,1,3],weights=none(tf.int64),binary_output=False,maxlength=10,minlength=20)",
        "[int64:[[1], [3]], int64:[2, 1], int64:[10]]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=[1,1,3],weights=none(tf.int64),binary_output=False,maxlength=10,minlength=7)",
        "[int64:[[1], [3]], int64:[2, 1], int64:[10]]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=[1,1,3],weights=[1.,2,3],binary_output=True)",
        "[int64:[[1], [3]], float32:[1.0, 1.0], int64:[4]]",
        None,
    ),
    (
        "R.DenseCountSparseOutput(values=[1,1,3],weights=[[1.,2,3]],binary_output=True)",
        "InvalidArgumentError: Weights and data must have the same shape. Weight shape: [1,3]; data shape: [3]",
        "ValueError: Shapes must be equal rank, but are 2 and 1",
    ),
    (
        "R.DenseCountSparseOutput(values=[[1,1,3]],weights=[1.,2,3],binary_output=False)",
        "InvalidArgumentError: Weights and data must have the same shape. Weight shape: [3]; data shape: [1,3]",
        "ValueError: Shapes must be equal rank, but are 1 and 2",
    ),
    (
        "R.SparseCountSparseOutput(indices=c([[0]],tf.int64),values=[2],dense_shape=c([3],tf.int64),weights=[3],binary_output=True)",
        "[int64:[[2]], int32:[1], int64:[3]]",
        None,
    ),
    (
        "R.SparseCountSparseOutput(indices=c([[5]],tf.int64),values=[2],dense_shape=c([3],tf.int64),weights=[3],binary_output=True)",
        "InvalidArgumentError: Invalid index value at 0: dimension 0 has value 5 which is not in [0, 3) (as given by dense shape Tensor<type: int64 shape: [1] values: 3>",
        None,
    ),
    (
        "R.SparseBincount(indices=c([[0]],tf.int64),values=[2],dense_shape=c([3],tf.int64),size=c(4),weights=[[3]],binary_output=False)",
        "int32:[0, 0, 3, 0]",
        None,
    ),
]


@pytest.mark.parametrize("mode", ["eager", "function"])
@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r[0])
def test_answers_are_those_of_tensorflow(record: Record, mode: str) -> None:
    check(record, mode, {})


def test_weights_of_another_number_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="got 2 weights, 3 values"):
        tf.raw_ops.SparseBincount(
            indices=np.int64([[0], [1], [2]]), values=[1, 1, 3], dense_shape=[3], size=5, weights=[1, 2]
        )


def test_a_row_of_many_values_counts_without_a_table_of_all_keys() -> None:
    numbers = np.array([[0, 10**12], [10**12, 5]])
    indices, counts, shape = tf.raw_ops.DenseCountSparseOutput(
        values=numbers, weights=tf.constant([], tf.int64), binary_output=False
    )
    assert indices.numpy().tolist() == [[0, 0], [0, 10**12], [1, 5], [1, 10**12]]
    assert counts.numpy().tolist() == [1, 1, 1, 1]
    assert shape.numpy().tolist() == [2, 10**12 + 1]
