"""What all matrix ops share: rules of shapes, and gradients that are the same eagerly, in graphs, and compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.linalg.matrices import matrix_dims, merge, minimum, square_dims
from tests.ops.linalg.matrices import hermitian, matrix

SQUARE, TALL, HERMITIAN = matrix("float64", 2, 3, 3), matrix("float64", 2, 4, 3), hermitian("float64", 2, 3, 3)
RHS = matrix("float64", 2, 3, 2)
FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "inv": (tf.linalg.inv, SQUARE),
    "slogdet": (lambda x: tf.linalg.slogdet(x)[1], SQUARE),
    "cholesky_solve": (lambda x: tf.linalg.cholesky_solve(tf.linalg.cholesky(x), RHS), HERMITIAN),
    "svd": (lambda x: tf.abs(tf.linalg.svd(x)[1]), TALL),
    "eigh": (lambda x: tf.abs(tf.linalg.eigh(x)[1]), HERMITIAN),
    "triangular_solve": (lambda x: tf.linalg.triangular_solve(x, RHS[0]), SQUARE),
    "expm": (tf.linalg.expm, SQUARE),
    "lu": (lambda x: tf.linalg.lu_solve(*tf.linalg.lu(x), RHS), SQUARE),
    "tridiagonal_solve": (lambda x: tf.linalg.tridiagonal_solve(x, RHS), SQUARE),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("kind", ["graph of unknown shapes", pytest.param("compiled", marks=pytest.mark.xla)])
def test_a_gradient_is_the_same_in_graphs(name: str, kind: str) -> None:
    function, value = FUNCTIONS[name]
    x = tf.constant(value)

    def gradient(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(function(x) ** 2)
        return tape.gradient(y, x)

    if kind == "compiled":
        traced = tf.function(gradient, autograph=False, jit_compile=True)
    else:
        signature = [tf.TensorSpec([None] * 3, tf.float64)]
        traced = tf.function(gradient, autograph=False, input_signature=signature)
    np.testing.assert_allclose(traced(x), gradient(x), rtol=1e-6, atol=1e-8)


def test_dimensions_of_matrices() -> None:
    assert matrix_dims(TensorShape(None)) is None
    assert matrix_dims(TensorShape([2, None, 3])) == ((2,), None, 3)
    assert square_dims(TensorShape([2, None, 3])) == ((2,), 3)
    assert [minimum(2, 3), minimum(None, 3), minimum(None, 0)] == [2, None, 0]
    with pytest.raises(ValueError, match="Shape must be at least rank 2 but is rank 1"):
        matrix_dims(TensorShape([2]))
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3"):
        square_dims(TensorShape([2, 3]))


def test_merged_shapes_are_the_more_specific_or_refused() -> None:
    assert merge(TensorShape(None), TensorShape([2])) == TensorShape([2])
    assert merge(TensorShape([None, 3]), TensorShape([2, None])) == TensorShape([2, 3])
    with pytest.raises(ValueError, match="Shapes must be equal rank, but are 1 and 2"):
        merge(TensorShape([2]), TensorShape([2, 2]))
    message = r"Dimension 1 in both shapes must be equal, but are 2 and 3. Shapes are \[2,2\] and \[2,3\]."
    with pytest.raises(ValueError, match=message):
        merge(TensorShape([2, 2]), TensorShape([2, 3]))
