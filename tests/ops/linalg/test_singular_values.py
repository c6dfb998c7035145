"""Singular values: factors that multiply back, shapes, gradients, input that LAPACK refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram, Sample
from tests.ops.linalg.matrices import FLOATS, matrix

SAMPLES = [
    *(Sample("Svd", (matrix(dtype, 2, 4, 3),), {"compute_uv": False}) for dtype in FLOATS),
    Sample("Svd", (matrix("float16", 2, 3),), {"compute_uv": False}, rtol=2e-2),
    *(Sample("Svd", (matrix("float64", *shape),), rtol=1e-8) for shape in ((3, 3), (4, 3), (2, 3, 4))),
    *(Sample("Svd", (matrix("float64", *shape),), {"full_matrices": True}, rtol=1e-8) for shape in ((3, 3), (3, 4))),
    *(Sample("Svd", (matrix("float32", *shape),)) for shape in ((0, 3), (3, 0), (0, 0), (0, 2, 2))),
    *(Sample("Svd", (matrix("float64", *shape),), grad=True) for shape in ((3, 3), (4, 2), (2, 2, 4))),
    *(
        Sample("Svd", (matrix("float64", *s),), {"full_matrices": True}, grad=True, needs_shapes=True)
        for s in ((3, 3), (4, 3), (3, 4))
    ),
    *(Sample("Svd", (matrix(dtype, 3, 4),), {"compute_uv": False}, grad=True) for dtype in ("float64", "complex128")),
]


def _absolute(x: Any) -> Any:
    """A function of all three factors on which the phases of the singular vectors, which are free, have no effect."""
    s, u, v = tf.linalg.svd(x)
    return tf.matmul(u * tf.cast(tf.sqrt(s), x.dtype)[..., None, :], v, adjoint_b=True)


GRADIENT_PROGRAMS = [
    GradientProgram("Svd", _absolute, [matrix(dtype, *shape)])
    for dtype in ("float64", "complex128")
    for shape in ((3, 3), (4, 2), (2, 2, 3))
]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2)])
def test_the_factors_multiply_back(dtype: str, shape: tuple[int, ...]) -> None:
    x = matrix(dtype, *shape)
    for full in (False, True):
        s, u, v = tf.linalg.svd(x, full_matrices=full)
        assert s.dtype.is_floating
        assert u.dtype == v.dtype == dtype
        k = s.shape[-1]
        product = tf.matmul(u[..., :k] * tf.cast(s, dtype)[..., None, :], v[..., :k], adjoint_b=True)
        np.testing.assert_allclose(product, x, atol=1e-5)
        assert u.shape[-1] == (shape[-2] if full else k)
        assert v.shape[-1] == (shape[-1] if full else k)


def test_nan_gives_nan_for_its_matrix_alone() -> None:
    x = matrix("float32", 2, 3, 3)
    x[0, 0, 0] = np.nan
    for result in tf.linalg.svd(x):
        assert np.isnan(result[0]).all()
        assert np.isfinite(result[1]).all()


def test_the_gradient_of_the_nuclear_norm_of_a_complex_matrix() -> None:
    # The sum of the singular values, through the factors: its gradient is U V^H.
    x = tf.constant(matrix("complex128", 3, 3))
    with tf.GradientTape() as tape:
        tape.watch(x)
        s, u, v = tf.linalg.svd(x)
        product = tf.matmul(u * tf.cast(s, tf.complex128)[None, :], v, adjoint_b=True)
        norm = tf.reduce_sum(tf.math.real(product * tf.math.conj(product)))
    np.testing.assert_allclose(tape.gradient(norm, x), 2 * x, atol=1e-10)


def test_the_gradient_of_bases_that_are_not_fixed_raises() -> None:
    x = tf.constant(matrix("float64", 2, 4))
    with tf.GradientTape() as tape:
        tape.watch(x)
        _, _, v = tf.linalg.svd(x, full_matrices=True)
    with pytest.raises(NotImplementedError, match=r"svd gradient is not implemented for abs\(m - n\) > 1"):
        tape.gradient(v, x)


def test_shapes_of_unknown_size_stay_unknown() -> None:
    with tf.Graph().as_default():
        x = tf.raw_ops.Placeholder(dtype=tf.float32, shape=[None, 3])
        assert [t.shape.as_list() for t in tf.linalg.svd(x)] == [[None], [None, None], [3, None]]
        assert [t.shape.as_list() for t in tf.linalg.svd(x, full_matrices=True)] == [[None], [None, None], [3, 3]]
        with pytest.raises(ValueError, match="Shape must be at least rank 2 but is rank 1"):
            tf.linalg.svd(tf.ones([2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input tensor 0 must have rank >= 2, got 1"):
        tf.linalg.svd(tf.ones([2]))
