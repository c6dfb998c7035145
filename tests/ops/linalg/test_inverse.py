"""Inverses, pseudo-inverses and ranks."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.linalg.matrices import FLOATS, matrix

SAMPLES = [
    *(Sample("MatrixInverse", (matrix(dtype, 3, 3),)) for dtype in FLOATS),
    Sample("MatrixInverse", (matrix("float16", 2, 2, 2),), rtol=2e-2),
    Sample("MatrixInverse", (matrix("float32", 0, 0),)),
    Sample("MatrixInverse", (matrix("float32", 0, 2, 2),)),
    Sample("MatrixInverse", (matrix("float64", 2, 3, 3),), grad=True),
    *(
        Sample("MatrixInverse", (matrix("complex128", 3, 3),), {"adjoint": adjoint}, grad=True)
        for adjoint in (False, True)
    ),
]


def test_a_matrix_times_its_inverse_is_the_identity() -> None:
    x = matrix("complex128", 4, 3, 3)
    np.testing.assert_allclose(tf.linalg.inv(x) @ x, np.broadcast_to(np.eye(3), x.shape), atol=1e-12)
    np.testing.assert_allclose(tf.linalg.inv(x, True), tf.linalg.adjoint(tf.linalg.inv(x)), atol=1e-12)


@pytest.mark.parametrize("value", [[[1.0, 2.0], [2.0, 4.0]], [[np.nan, 1.0], [1.0, 2.0]]])
def test_a_matrix_without_inverse_raises(value: list[list[float]]) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible"):
        tf.linalg.inv(value)


def test_the_inverse_of_what_is_not_a_square_matrix_raises() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input matrix must be square"):
        tf.linalg.inv(tf.ones([2, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have rank >= 2, got 1"):
        tf.linalg.inv(tf.ones([2]))
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3"):
        tf.linalg.inv(tf.ones([2, 3]))
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError), match="int32"):
        tf.linalg.inv(tf.constant([[1, 2], [3, 4]]))


def test_an_unknown_dimension_of_a_square_matrix_is_known_from_the_other() -> None:
    with tf.Graph().as_default():
        x = tf.raw_ops.Placeholder(dtype=tf.float32, shape=[None, 3])
        assert tf.linalg.inv(x).shape == [3, 3]
        assert tf.linalg.det(x).shape == []


def test_the_pseudo_inverse_solves_least_squares() -> None:
    for shape in ((4, 3), (3, 4), (2, 3, 3), (0, 3)):
        x = matrix("float64", *shape)
        np.testing.assert_allclose(tf.linalg.pinv(x), np.linalg.pinv(x), atol=1e-12)
    np.testing.assert_allclose(tf.linalg.pinv([[1.0, 2.0], [2.0, 4.0]]), [[0.04, 0.08], [0.08, 0.16]], rtol=1e-5)
    np.testing.assert_array_equal(tf.linalg.pinv([[1.0, 2.0], [2.0, 4.0]], rcond=1.0), np.zeros((2, 2)))


def test_the_rank_counts_singular_values_above_the_tolerance() -> None:
    assert tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).numpy() == 1
    assert tf.linalg.matrix_rank(tf.eye(3)).numpy() == 3
    assert tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]], tol=100.0).numpy() == 0
    assert tf.linalg.matrix_rank(tf.zeros([0, 2, 2])).numpy().tolist() == []
    assert tf.linalg.matrix_rank(tf.ones([2, 3])).dtype == tf.int32


@pytest.mark.parametrize("function", [tf.linalg.pinv, tf.linalg.matrix_rank])
def test_pinv_and_matrix_rank_refuse_other_dtypes_and_vectors(function: object) -> None:
    with pytest.raises(TypeError, match=r"Input `a` must have `float`-like `dtype` \(saw int32\)"):
        function(tf.ones([2, 2], tf.int32))  # type: ignore[operator]
    with pytest.raises(ValueError, match=r"Input `a` must have at least 2 dimensions \(saw: 1\)"):
        function(tf.ones([2]))  # type: ignore[operator]


def test_pinv_and_matrix_rank_name_their_nodes_as_tensorflow_does() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.eye(2)
        start = len(graph.get_operations())
        tf.linalg.pinv(x)
        tf.linalg.matrix_rank(x)
    names = [op.name for op in graph.get_operations()[start:] if op.type != "Const"]
    assert names == [
        *("pinv/Svd", "pinv/Max", "pinv/mul", "pinv/ExpandDims", "pinv/Greater", "pinv/SelectV2"),
        *("pinv/ExpandDims_1", "pinv/truediv", "pinv/MatMul"),
        *("matrix_rank/Svd", "matrix_rank/Cast", "matrix_rank/mul", "matrix_rank/Max", "matrix_rank/mul_1"),
        *("matrix_rank/Greater", "matrix_rank/Cast_1", "matrix_rank/Sum"),
    ]
