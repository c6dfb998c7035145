"""Cholesky factors, their gradient, and solving with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram, Sample
from tests.ops.linalg.matrices import FLOATS, hermitian, matrix

SAMPLES = [
    *(Sample("Cholesky", (hermitian(dtype, 3, 3),)) for dtype in FLOATS),
    Sample("Cholesky", (hermitian("float16", 2, 2, 2),), rtol=2e-2),
    Sample("Cholesky", (hermitian("float64", 0, 0),)),
    Sample("Cholesky", (hermitian("float32", 0, 2, 2),)),
    *(Sample("CholeskyGrad", (np.tril(matrix(t, 2, 3, 3)), matrix(t, 2, 3, 3, seed=1))) for t in FLOATS[:2]),
    Sample("CholeskyGrad", (np.tril(matrix("float16", 2, 2)), matrix("float16", 2, 2, seed=1)), rtol=2e-2),
]


def _definite(x: Any) -> Any:
    """A Hermitian positive definite matrix from any: the op reads one triangle, and its gradient is Hermitian."""
    return tf.matmul(x, x, adjoint_b=True) + tf.eye(tf.shape(x)[-1], dtype=x.dtype)


GRADIENT_PROGRAMS = [
    GradientProgram("Cholesky", lambda x: tf.linalg.cholesky(_definite(x)), [matrix(dtype, *shape)])
    for dtype in ("float64", "complex128")
    for shape in ((3, 3), (2, 2, 2), (1, 1))
]


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_factor_times_its_adjoint_is_the_matrix(dtype: str) -> None:
    x = hermitian(dtype, 2, 3, 3)
    factor = tf.linalg.cholesky(x)
    np.testing.assert_allclose(tf.matmul(factor, factor, adjoint_b=True), x, rtol=1e-4)
    np.testing.assert_array_equal(factor, np.tril(factor))


@pytest.mark.parametrize("jit_compile", [False, pytest.param(True, marks=pytest.mark.xla)])
def test_only_the_lower_triangle_is_read(jit_compile: bool) -> None:
    function = tf.function(tf.linalg.cholesky, jit_compile=jit_compile)
    np.testing.assert_allclose(function(tf.constant([[4.0, 99.0], [2.0, 5.0]])), [[2.0, 0.0], [1.0, 2.0]])


@pytest.mark.parametrize("jit_compile", [False, pytest.param(True, marks=pytest.mark.xla)])
def test_a_matrix_that_is_not_positive_definite_gives_nan_for_itself_alone(jit_compile: bool) -> None:
    function = tf.function(tf.linalg.cholesky, jit_compile=jit_compile)
    result = function(tf.constant([[[4.0, 0.0], [0.0, 1.0]], [[-1.0, 0.0], [0.0, 1.0]]])).numpy()
    np.testing.assert_array_equal(result[0], [[2.0, 0.0], [0.0, 1.0]])
    np.testing.assert_array_equal(result[1], [[np.nan, 0.0], [np.nan, np.nan]])


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_the_gradient_holds_for_symmetric_changes(dtype: str) -> None:
    x = tf.constant(hermitian(dtype, 3, 3))
    weights = tf.constant(np.real(matrix("float64", 3, 3, seed=3)).astype(dtype))

    def loss(a: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.math.real(weights * tf.linalg.cholesky(a)))

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loss(x)
    gradient = tape.gradient(y, x).numpy()
    direction = hermitian(dtype, 3, 3, seed=5)
    step = 1e-6
    measured = (loss(x + step * direction) - loss(x - step * direction)).numpy() / (2 * step)
    np.testing.assert_allclose(np.real(np.vdot(gradient, direction)), measured, rtol=1e-6)
    np.testing.assert_allclose(gradient, np.conj(gradient.T), atol=1e-12)


def test_the_op_of_the_gradient_agrees_with_the_gradient_of_the_op() -> None:
    x, dy = tf.constant(hermitian("float64", 3, 3)), tf.constant(matrix("float64", 3, 3, seed=1))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.linalg.cholesky(x)
    np.testing.assert_allclose(tf.raw_ops.CholeskyGrad(l=y, grad=dy), tape.gradient(y, x, dy), atol=1e-12)


def test_solving_with_the_factor_solves_with_the_matrix() -> None:
    x, rhs = hermitian("complex128", 2, 3, 3), matrix("complex128", 2, 3, 1)
    np.testing.assert_allclose(tf.linalg.cholesky_solve(tf.linalg.cholesky(x), rhs), np.linalg.solve(x, rhs))
    # The batch dimensions broadcast.
    assert tf.linalg.cholesky_solve(tf.linalg.cholesky(x), rhs[0]).shape == [2, 3, 1]


def test_bad_shapes_raise() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input matrix must be square"):
        tf.linalg.cholesky(tf.ones([2, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"In\[0\] mismatch In\[1\] shape: 2 vs. 3"):
        tf.linalg.cholesky_solve(tf.eye(2), tf.ones([3, 1]))
