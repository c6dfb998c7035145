"""LU decompositions."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.linalg.matrices import FLOATS, matrix

SAMPLES = [
    *(Sample("Lu", (matrix(dtype, 2, 3, 3),)) for dtype in FLOATS),
    Sample("Lu", (matrix("float16", 2, 2),), {"output_idx_type": tf.int64}, rtol=2e-2),
    *(Sample("Lu", (matrix("float32", *shape),)) for shape in ((0, 0), (0, 2, 2))),
    *(Sample("Lu", (matrix(t, 2, 3, 3)[:, [2, 0, 1]],), grad=True) for t in ("float64", "complex128")),
    Sample("Lu", (matrix("float64", 3, 3)[[2, 0, 1]],), grad=True),
]


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (2, 2, 4, 4)])
def test_the_factors_multiply_back_and_solve(shape: tuple[int, ...]) -> None:
    x = matrix("float64", *shape)[..., ::-1, :]
    rhs = matrix("float64", *shape[:-1], 2)
    result = tf.linalg.lu(x)
    assert type(result).__name__ == "Lu"
    np.testing.assert_allclose(tf.linalg.lu_reconstruct(*result), x, atol=1e-12)
    np.testing.assert_allclose(tf.linalg.lu_matrix_inverse(*result), np.linalg.inv(x), atol=1e-10)
    np.testing.assert_allclose(tf.linalg.lu_solve(*result, rhs), np.linalg.solve(x, rhs), atol=1e-10)


def test_right_hand_sides_are_repeated_over_the_batch() -> None:
    x, rhs = matrix("float64", 2, 3, 3), matrix("float64", 3, 1)
    np.testing.assert_allclose(tf.linalg.lu_solve(*tf.linalg.lu(x), rhs), np.linalg.solve(x, np.stack([rhs, rhs])))


def test_a_row_of_the_product_is_the_row_that_the_permutation_says() -> None:
    _, p = tf.linalg.lu([[0.0, 1.0], [1.0, 0.0]])
    assert p.numpy().tolist() == [1, 0]
    assert p.dtype == tf.int32
    assert tf.linalg.lu(tf.eye(2), output_idx_type=tf.int64).p.dtype == tf.int64


@pytest.mark.parametrize("value", [[[1.0, 2.0], [2.0, 4.0]], [[np.nan, 1.0], [1.0, 2.0]]])
def test_a_singular_matrix_raises(value: list[list[float]]) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible"):
        tf.linalg.lu(value)


def test_bad_shapes_raise() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input tensor must have rank >= 2, got 1"):
        tf.linalg.lu([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input matrix must be square"):
        tf.linalg.lu(tf.ones([2, 3]))
    with pytest.raises(ValueError, match="Input `rhs` must have at least 2 dimensions"):
        tf.linalg.lu_solve(*tf.linalg.lu([[1.0, 2.0], [3.0, 4.0]]), [1.0, 2.0])
    with pytest.raises(ValueError, match="Input `lower_upper` must have at least 2 dimensions"):
        tf.linalg.lu_reconstruct([1.0, 2.0], [0])
    with pytest.raises(ValueError, match=r"`lower_upper.shape\[-1\]` must equal `rhs.shape\[-1\]`"):
        tf.linalg.lu_solve([[1.0, 2.0], [3.0, 4.0]], [0, 1], [[1.0], [2.0], [3.0]], validate_args=True)
    with pytest.raises(ValueError, match="`lower_upper` must be square"):
        tf.linalg.lu_reconstruct(tf.ones([2, 3]), [0, 1], validate_args=True)
