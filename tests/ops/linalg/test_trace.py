"""Trace, adjoint, normalization."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.ops.linalg.matrices import matrix


def test_the_trace_sums_the_diagonal() -> None:
    for shape in ((3, 3), (2, 3), (2, 3, 2), (0, 3), (0, 2, 2)):
        x = matrix("complex128", *shape)
        np.testing.assert_allclose(tf.linalg.trace(x), np.trace(x, axis1=-2, axis2=-1))
    assert tf.linalg.trace([[1, 2], [3, 4]]).dtype == tf.int32


def test_the_trace_of_a_vector_raises() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"input must be at least 2-dim, received shape: \[2\]"):
        tf.linalg.trace([1.0, 2.0])
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Shape must be at least rank 2 but is rank 1"):
        tf.linalg.trace([1.0, 2.0])


def test_the_adjoint_conjugates() -> None:
    x = matrix("complex128", 2, 3, 2)
    np.testing.assert_array_equal(tf.linalg.adjoint(x), np.conj(np.swapaxes(x, -1, -2)))
    with pytest.raises(ValueError, match=r"Argument `a` should be a \(batch\) matrix with rank >= 2"):
        tf.linalg.adjoint([1.0, 2.0])


def test_normalize_returns_the_quotient_and_the_norm() -> None:
    quotient, norm = tf.linalg.normalize(tf.constant([3.0, 4.0]), ord=1, axis=0)
    np.testing.assert_allclose(quotient, [3 / 7, 4 / 7], rtol=1e-6)
    assert norm.shape == [1]
    quotient, norm = tf.linalg.normalize([[3.0, 4.0]], axis=[0, 1])
    np.testing.assert_allclose(quotient, [[0.6, 0.8]])
    assert norm.shape == [1, 1]
    quotient, norm = tf.linalg.normalize(tf.constant([[3.0 + 4j]]))
    assert (quotient.dtype, norm.dtype) == (tf.complex128, tf.complex128)


def test_the_nodes_are_named_as_tensorflow_names_them() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.eye(2)
        start = len(graph.get_operations())
        tf.linalg.trace(x)
        tf.linalg.adjoint(x)
        tf.linalg.normalize(x)
    names = [op.name for op in graph.get_operations()[start:] if op.type != "Const"]
    assert names == [
        *("Trace/diag_part", "Trace", "adjoint/matrix_transpose/transpose"),
        *("normalize/norm/mul", "normalize/norm/Sum", "normalize/norm/Sqrt", "normalize/truediv"),
    ]
