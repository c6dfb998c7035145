"""Least squares."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.linalg.matrices import FLOATS, matrix

EMPTY = ((0, 3), (3, 0), (0, 0))
SAMPLES = [
    *(Sample("MatrixSolveLs", (matrix(t, 2, 4, 3), matrix(t, 2, 4, 2), 0.1), rtol=1e-3) for t in FLOATS),
    *(Sample("MatrixSolveLs", (matrix(t, 2, 4), matrix(t, 2, 1), 0.0), rtol=1e-3) for t in FLOATS),
    *(
        Sample("MatrixSolveLs", (matrix(t, 4, 2), matrix(t, 4, 1), 0.0), {"fast": False}, rtol=1e-3, grad=ValueError)
        for t in FLOATS
    ),
    Sample("MatrixSolveLs", (matrix("float16", 3, 2), matrix("float16", 3, 1), 0.5), rtol=2e-2),
    *(Sample("MatrixSolveLs", (matrix("float32", m, n), matrix("float32", m, 2), 0.0)) for m, n in EMPTY),
    *(
        Sample(
            "MatrixSolveLs",
            (matrix(t, *shape), matrix(t, shape[0], 2), 0.3),
            grad=True,
            held=("l2_regularizer",),
        )
        for t in ("float64", "complex128")
        for shape in ((4, 2), (2, 4))
    ),
]


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 5, 3), (3, 3)])
def test_the_solution_is_that_of_the_pseudo_inverse(shape: tuple[int, ...], fast: bool) -> None:
    for dtype in ("float64", "complex128"):
        a, b = matrix(dtype, *shape), matrix(dtype, *shape[:-1], 2)
        np.testing.assert_allclose(tf.linalg.lstsq(a, b, fast=fast), np.linalg.pinv(a) @ b, atol=1e-8)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5)])
def test_regularization_shrinks_the_solution(shape: tuple[int, int]) -> None:
    a, b = matrix("float64", *shape), matrix("float64", shape[0], 1)
    expected = np.linalg.solve(a.T @ a + 0.5 * np.eye(shape[1]), a.T @ b)
    np.testing.assert_allclose(tf.linalg.lstsq(a, b, l2_regularizer=0.5), expected, atol=1e-10)


def test_a_rank_deficient_matrix_is_solved_by_singular_values() -> None:
    a = tf.constant([[1.0, 2.0], [2.0, 4.0]])
    assert np.isnan(tf.linalg.lstsq(tf.zeros([2, 2]), [[1.0], [1.0]])).any()
    np.testing.assert_allclose(tf.linalg.lstsq(a, tf.eye(2), fast=False), [[0.04, 0.08], [0.08, 0.16]], rtol=1e-4)


def test_the_nodes_are_named_as_tensorflow_names_them() -> None:
    with tf.Graph().as_default() as graph:
        a, b = tf.ones([3, 2]), tf.ones([3, 1])
        start = len(graph.get_operations())
        tf.linalg.lstsq(a, b)
    assert [op.name for op in graph.get_operations()[start:]] == [
        "matrix_solve_ls/MatMul",
        "matrix_solve_ls/Cholesky",
        "matrix_solve_ls/MatMul_1",
        "matrix_solve_ls/cholesky_solve/MatrixTriangularSolve",
        "matrix_solve_ls/cholesky_solve/MatrixTriangularSolve_1",
    ]


@pytest.mark.parametrize("spec", [[None, None], [None, 3], None])
@pytest.mark.parametrize("rows", [2, 4])
def test_the_gradient_does_not_need_to_know_the_shape(rows: int, spec: list[int | None] | None) -> None:
    a, b = tf.constant(matrix("float64", rows, 3)), tf.constant(matrix("float64", rows, 2))

    def second(a: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as outer:
            outer.watch(a)
            with tf.GradientTape() as inner:
                inner.watch(a)
                y = tf.reduce_sum(tf.linalg.lstsq(a, b, l2_regularizer=0.125) ** 2)
            first = inner.gradient(y, a)
        return [first, outer.gradient(first, a)]

    found = tf.function(second, input_signature=[tf.TensorSpec(spec, tf.float64)])(a)
    for one, expected in zip(found, second(a), strict=True):
        np.testing.assert_allclose(one.numpy(), expected.numpy(), rtol=1e-9)


def test_the_slow_path_has_no_gradient() -> None:
    a = tf.constant(matrix("float64", 3, 2))
    with tf.GradientTape() as tape:
        tape.watch(a)
        x = tf.linalg.lstsq(a, tf.ones([3, 1], tf.float64), fast=False)
    with pytest.raises(ValueError, match="Gradient not defined for fast=False"):
        tape.gradient(x, a)


def test_shapes_that_do_not_fit_raise() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Matrix size-incompatible: In\[0\]: \[2,2\]"):
        tf.linalg.lstsq(tf.ones([2, 2]), tf.ones([3, 1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input tensor 0 must have rank >= 2, got 1"):
        tf.linalg.lstsq(tf.ones([2]), tf.ones([2]), fast=False)
