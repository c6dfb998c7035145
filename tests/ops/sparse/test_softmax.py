"""`tf.sparse.softmax` against NumPy on dense arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import millrace as tf
from tests.contracts.sample import Sample

_INDICES, _SHAPE = np.int64([[0, 0], [0, 2], [1, 1]]), np.int64([3, 4])
_CUBE = np.int64([[0, 1, 1], [0, 0, 0], [0, 0, 1]])

SAMPLES = [
    Sample("SparseSoftmax", [_INDICES, np.float64([1, -2, 3]), _SHAPE], grad=True),
    Sample("SparseSoftmax", [_CUBE, np.float64([1, 2, 3]), np.int64([2, 2, 2])], grad=True),
    Sample("SparseSoftmax", [_INDICES, np.float16([1, 1000, 3]), _SHAPE]),
    Sample("SparseSoftmax", [_INDICES[:0], np.float32([]), _SHAPE]),
]


@given(hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=3), elements=st.integers(-3, 3)))
def test_rows_are_those_of_the_stored_elements(array) -> None:
    powers = np.where(array != 0, np.exp(array), 0)
    expected = powers / np.maximum(powers.sum(axis=-1, keepdims=True), 1e-300)
    result = tf.sparse.softmax(tf.sparse.from_dense(array))
    np.testing.assert_allclose(tf.sparse.to_dense(result).numpy(), expected, rtol=1e-12)


def test_rows_in_disorder_are_still_rows() -> None:
    value = tf.SparseTensor(_CUBE, [1.0, 2.0, 2.0], [2, 2, 2])
    assert tf.sparse.softmax(value).values.numpy().tolist() == [1, 0.5, 0.5]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sp_indices": [0]}, r"Input sp_indices should be a matrix but received shape: \[1\]"),
        ({"sp_values": [1.0, 2.0]}, "indices and values rows .indexing dimension. must match"),
        ({"sp_values": [[1.0]]}, r"Inputs sp_values and sp_shape should be vectors but received shapes: \[1,1\] and"),
        ({"sp_shape": [2, 2, 2]}, "Order length must be SparseTensor rank"),
        ({"sp_indices": [[0]], "sp_shape": [2]}, "Input should have rank >= 2, but received shape: 2"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(change, message) -> None:
    arguments = {"sp_indices": [[0, 0]], "sp_values": [1.0], "sp_shape": [2, 2], **change}
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.raw_ops.SparseSoftmax(**arguments)


@pytest.mark.xla
def test_softmax_compiles() -> None:
    softmax = tf.function(lambda v: tf.sparse.softmax(tf.SparseTensor(_INDICES, v, _SHAPE)).values, jit_compile=True)
    assert softmax(tf.constant([1.0, 1.0, 3.0])).numpy().tolist() == [0.5, 0.5, 1]
