"""Square and triangular systems of equations."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.linalg.matrices import FLOATS, matrix

SAMPLES = [
    *(Sample("MatrixSolve", (matrix(dtype, 3, 3), matrix(dtype, 3, 2))) for dtype in FLOATS),
    Sample("MatrixSolve", (matrix("float16", 2, 2), matrix("float16", 2, 1)), rtol=2e-2),
    Sample("MatrixSolve", (matrix("float32", 0, 0), matrix("float32", 0, 2))),
    Sample("MatrixSolve", (matrix("float32", 2, 2), matrix("float32", 2, 0))),
    *(
        Sample("MatrixSolve", (matrix(t, 2, 3, 3), matrix(t, 2, 3, 1)), {"adjoint": adjoint}, grad=True)
        for t in ("float64", "complex128")
        for adjoint in (False, True)
    ),
    *(Sample("MatrixTriangularSolve", (matrix(dtype, 3, 3), matrix(dtype, 3, 2))) for dtype in FLOATS),
    *(Sample("MatrixTriangularSolve", (matrix(t, 2, 2), matrix(t, 2, 1)), rtol=2e-2) for t in ("float16",)),
    Sample("MatrixTriangularSolve", (matrix("float32", 2, 0, 0), matrix("float32", 0, 2))),
    Sample("MatrixTriangularSolve", (matrix("float32", 2, 2), matrix("float32", 3, 2, 0))),
    *(
        Sample(
            "MatrixTriangularSolve",
            (matrix("complex128", *a), matrix("complex128", *b)),
            {"lower": lower, "adjoint": adjoint},
            grad=True,
        )
        for a, b in (((3, 3), (3, 2)), ((2, 2, 2), (2, 1)), ((2, 2), (2, 2, 1)))
        for lower in (False, True)
        for adjoint in (False, True)
    ),
]


def test_the_solution_solves_the_equations() -> None:
    a, b = matrix("complex128", 2, 3, 3), matrix("complex128", 2, 3, 2)
    np.testing.assert_allclose(a @ tf.linalg.solve(a, b).numpy(), b, atol=1e-12)
    adjoint = np.conj(np.swapaxes(a, 1, 2))
    np.testing.assert_allclose(adjoint @ tf.linalg.solve(a, b, adjoint=True).numpy(), b, atol=1e-12)


@pytest.mark.parametrize(
    ("matrix_shape", "rhs_shape", "eager", "graph"),
    [
        ([2, 2], [3, 1], "Input matrix and rhs are incompatible", "Dimensions must be equal, but are 2 and 3"),
        ([2, 2], [2], "All input tensors must have the same rank", "Shape must be at least rank 2 but is rank 1"),
        ([2, 2, 2], [3, 2, 1], "must have the same outer dimensions", "Dimension 0 in both shapes must be equal"),
        ([2, 2, 2], [2, 1], "All input tensors must have the same rank", "Shapes must be equal rank, but are 1 and 0"),
        ([2, 3], [2, 3], "First input .lhs. must be a square matrix", "Dimensions must be equal, but are 2 and 3"),
        ([2], [2], "Input tensor 0 must have rank >= 2, got 1", "Shape must be at least rank 2 but is rank 1"),
    ],
)
def test_equations_that_do_not_fit_raise(matrix_shape: list[int], rhs_shape: list[int], eager: str, graph: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=eager):
        tf.linalg.solve(tf.ones(matrix_shape), tf.ones(rhs_shape))
    with tf.Graph().as_default(), pytest.raises(ValueError, match=graph):
        tf.linalg.solve(tf.ones(matrix_shape), tf.ones(rhs_shape))


def test_the_solution_has_the_shape_of_the_right_hand_side() -> None:
    with tf.Graph().as_default():
        unknown = tf.raw_ops.Placeholder(dtype=tf.float32, shape=None)
        assert tf.linalg.solve(unknown, tf.ones([2, 3, 2])).shape == [2, 3, 2]
        assert tf.linalg.solve(tf.ones([3, 3]), unknown).shape.rank is None
        batches = tf.raw_ops.Placeholder(dtype=tf.float32, shape=[None, 3, 3])
        assert tf.linalg.solve(batches, tf.ones([2, 3, 2])).shape == [2, 3, 2]


def test_a_singular_matrix_raises() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input matrix is not invertible"):
        tf.linalg.solve([[1.0, 2.0], [2.0, 4.0]], [[1.0], [1.0]])


def test_substitution_reads_one_triangle() -> None:
    a, b = matrix("float64", 3, 3), matrix("float64", 3, 1)
    for lower, triangle in ((True, np.tril), (False, np.triu)):
        for adjoint in (False, True):
            used = triangle(a).T if adjoint else triangle(a)
            result = tf.linalg.triangular_solve(a, b, lower=lower, adjoint=adjoint)
            np.testing.assert_allclose(result, np.linalg.solve(used, b))


@pytest.mark.parametrize("jit_compile", [False, pytest.param(True, marks=pytest.mark.xla)])
def test_a_zero_on_the_diagonal_gives_infinities(jit_compile: bool) -> None:
    function = tf.function(tf.linalg.triangular_solve, jit_compile=jit_compile)
    result = function(tf.constant([[0.0, 0.0], [1.0, 1.0]]), tf.constant([[1.0], [1.0]]))
    np.testing.assert_array_equal(result, [[np.inf], [-np.inf]])


@pytest.mark.parametrize(
    ("matrix_shape", "rhs_shape", "message"),
    [
        ([2, 2], [3, 1], r"In\[0\] mismatch In\[1\] shape: 2 vs. 3: \[2,2\] \[3,1\] 1 0"),
        ([2, 2], [2], r"In\[1\] ndims must be >= 2: 1"),
        ([2], [2], r"In\[0\] ndims must be >= 2: 1"),
        ([2, 3], [2, 3], r"In\[0\] matrices in the last dimensions must be square \(3 =/= 2\)"),
        ([2, 2, 2], [3, 2, 1], r"must have compatible batch dimensions: \[2,2,2\] vs. \[3,2,1\]"),
    ],
)
def test_triangles_that_do_not_fit_raise(matrix_shape: list[int], rhs_shape: list[int], message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.linalg.triangular_solve(tf.ones(matrix_shape), tf.ones(rhs_shape))
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"Dimensions must be equal|must be at least rank 2"):
        tf.linalg.triangular_solve(tf.ones(matrix_shape), tf.ones(rhs_shape))


def test_the_gradient_sums_over_batches_of_unknown_size() -> None:
    a, b = tf.constant(matrix("float64", 2, 2)), tf.constant(matrix("float64", 3, 2, 1))

    def gradients(a: tf.Tensor, b: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            y = tf.reduce_sum(tf.linalg.triangular_solve(a, b) ** 2)
        return tape.gradient(y, [a, b])

    signature = [tf.TensorSpec([None] * 2, tf.float64), tf.TensorSpec([None] * 3, tf.float64)]
    traced = tf.function(gradients, input_signature=signature, autograph=False)
    for graph, eager in zip(traced(a, b), gradients(a, b)):
        assert graph.shape == eager.shape
        np.testing.assert_allclose(graph, eager)
