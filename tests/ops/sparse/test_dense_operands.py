"""Sparse times and over dense, against NumPy on dense arrays."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample

_INDICES, _SHAPE = np.int64([[0, 1], [1, 0], [1, 2]]), np.int64([2, 3])
_VALUES = np.float64([1.5, -2, 3])
_OPERANDS = [np.float64([[1, 2, 3], [4, 5, 6]]), np.float64([[1, 2, 3]]), np.float64([[2], [3]]), np.float64([1, 2, 3])]

SAMPLES = [
    *(Sample("SparseDenseCwiseMul", [_INDICES, _VALUES, _SHAPE, dense], grad=True) for dense in _OPERANDS),
    *(Sample("SparseDenseCwiseDiv", [_INDICES, _VALUES, _SHAPE, dense], grad=True) for dense in _OPERANDS),
    Sample("SparseDenseCwiseMul", [_INDICES, _VALUES, _SHAPE, np.float64(3)], grad=True),
    Sample("SparseDenseCwiseMul", [_INDICES, _VALUES + 1j, _SHAPE, np.complex128([[1j], [2]])], grad=True),
    Sample("SparseDenseCwiseDiv", [_INDICES, _VALUES + 1j, _SHAPE, np.complex128([[1j], [2]])], grad=True),
    Sample("SparseDenseCwiseDiv", [_INDICES, np.int32([5, -5, 7]), _SHAPE, np.int32([[2, 2, -2]])]),
    Sample("SparseDenseCwiseAdd", [_INDICES, _VALUES, _SHAPE, _OPERANDS[0]], grad=NotImplementedError),
    Sample("SparseDenseCwiseAdd", [_INDICES, np.int8([1, 2, 3]), _SHAPE, np.int8([[1], [2]])]),
    Sample("SparseDenseCwiseMul", [_INDICES[:0], np.float32([]), _SHAPE, np.float32([[1], [2]])]),
]


@pytest.mark.parametrize("dense", [*_OPERANDS, np.float64(3)])
def test_only_elements_at_coordinates_count(dense) -> None:
    value = tf.SparseTensor(_INDICES, _VALUES, _SHAPE)
    array = tf.sparse.to_dense(value).numpy()
    assert np.array_equal(tf.sparse.to_dense(value * dense).numpy(), array * dense)
    assert np.array_equal(tf.sparse.to_dense(value / dense).numpy(), array / dense)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sp_indices": [0, 1]}, r"Input sp_indices should be a matrix but received shape: \[2\]"),
        ({"sp_values": [[5, 6]]}, r"Inputs sp_values and sp_shape should be vectors but received shapes: \[1,2\] and"),
        ({"sp_values": [5, 6, 7]}, r"The first dimension of values and indices should match. \(3 vs. 2\)"),
        ({"sp_shape": [2, 2]}, "Number of dimensions must match second dimension of indices. Got 2 dimensions"),
        ({"sp_shape": [-2]}, "Expected shape dimensions to be non-negative, got -2"),
        ({"dense": [[2, 3]]}, "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes"),
        ({"sp_indices": [[0], [2]]}, "Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape"),
        ({"sp_indices": [[0], [-1]]}, "Provided indices are out-of-bounds"),
    ],
)
def test_operands_that_do_not_fit_are_refused(change, message) -> None:
    arguments = {"sp_indices": [[0], [1]], "sp_values": [5, 6], "sp_shape": [2], "dense": [2, 3], **change}
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.raw_ops.SparseDenseCwiseMul(**arguments)


def test_division_by_zero_is_refused_where_the_zero_is_read() -> None:
    value = tf.SparseTensor([[0]], [1.0], [2])
    assert (value / [2.0, 0.0]).values.numpy().tolist() == [0.5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="SparseDenseCwiseDiv cannot divide by zero"):
        value / [0.0, 1.0]


def test_a_tensor_without_elements_is_divided_by_anything() -> None:
    empty = tf.SparseTensor(np.zeros([0, 1], np.int64), np.zeros(0, np.float32), [2])
    assert (empty / [0.0, 1.0]).values.shape == [0]
