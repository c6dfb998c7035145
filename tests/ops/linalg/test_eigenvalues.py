"""Eigenvalues and eigenvectors."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.linalg.matrices import FLOATS, hermitian, matrix

SYMMETRIC = [
    *(Sample("SelfAdjointEigV2", (hermitian(dtype, 2, 3, 3),), {"compute_v": False}) for dtype in FLOATS),
    Sample("SelfAdjointEigV2", (hermitian("float16", 2, 2),), {"compute_v": False}, rtol=2e-2),
    Sample("SelfAdjointEigV2", (hermitian("float64", 3, 3),), rtol=1e-8),
    *(Sample("SelfAdjointEigV2", (hermitian("float32", *shape),)) for shape in ((0, 0), (0, 2, 2))),
    Sample("SelfAdjointEigV2", (hermitian("float64", 2, 3, 3),), grad=True),
    Sample("SelfAdjointEigV2", (hermitian("float64", 3, 3),), {"compute_v": False}, grad=True),
    Sample("SelfAdjointEigV2", (hermitian("complex128", 3, 3),), {"compute_v": False}, grad=True),
]
OUTPUT = {"float32": tf.complex64, "float64": tf.complex128, "complex64": tf.complex64, "complex128": tf.complex128}
# Symmetric matrices have real eigenvalues and eigenvectors, which differ between runs in their sign at most.
GENERAL = [
    *(Sample("Eig", (matrix(dtype, 2, 3, 3),), {"Tout": OUTPUT[dtype], "compute_v": False}) for dtype in FLOATS),
    Sample("Eig", (matrix("float64", 3, 3),), {"Tout": tf.complex128}, rtol=1e-8),
    *(Sample("Eig", (matrix("float32", *shape),), {"Tout": tf.complex64}) for shape in ((0, 0), (0, 2, 2))),
    Sample("Eig", (hermitian("float64", 3, 3),), {"Tout": tf.complex128}, grad=True),
    *(
        Sample("Eig", (matrix(t, 3, 3),), {"Tout": tf.complex128, "compute_v": False}, grad=True)
        for t in ("float64", "complex128")
    ),
]
SAMPLES = [*SYMMETRIC, *GENERAL]


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_self_adjoint_matrix_scales_its_eigenvectors(dtype: str) -> None:
    x = hermitian(dtype, 2, 3, 3)
    e, v = tf.linalg.eigh(x)
    assert e.dtype == v.dtype == dtype
    np.testing.assert_allclose(x @ v.numpy(), v.numpy() * e.numpy()[:, None, :], atol=1e-4)
    np.testing.assert_allclose(tf.linalg.eigvalsh(x), e, rtol=1e-5)
    assert (np.diff(np.real(e)) >= 0).all()


def test_eigh_reads_the_lower_triangle() -> None:
    np.testing.assert_allclose(tf.linalg.eigvalsh([[1.0, 99.0], [0.0, 2.0]]), [1.0, 2.0])


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_matrix_scales_its_eigenvectors(dtype: str) -> None:
    x = matrix(dtype, 2, 3, 3)
    e, v = tf.linalg.eig(x)
    assert e.dtype == v.dtype == OUTPUT[dtype]
    np.testing.assert_allclose(x @ v.numpy(), v.numpy() * e.numpy()[:, None, :], atol=1e-4)
    np.testing.assert_allclose(np.sort_complex(tf.linalg.eigvals(x)), np.sort_complex(e), rtol=1e-4)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (tf.linalg.eigh, "Self-adjoint eigen decomposition was not successful. The input might not be valid."),
        (tf.linalg.eigvalsh, "Self-adjoint eigen decomposition was not successful. The input might not be valid."),
        (tf.linalg.eig, "Eigen decomposition was not successful. The input might not be valid."),
        (tf.linalg.eigvals, "Eigen decomposition was not successful. The input might not be valid."),
    ],
)
def test_bad_input_raises(function: object, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        function(tf.fill([2, 2], np.float32(np.nan)))  # type: ignore[operator]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input matrix must be square"):
        function(tf.ones([2, 3]))  # type: ignore[operator]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input tensor 0 must have rank >= 2, got 1"):
        function(tf.ones([2]))  # type: ignore[operator]


def test_eig_of_integers_raises() -> None:
    with pytest.raises(TypeError, match=r"argument `tensor` is of dtype int32; float32, float64"):
        tf.linalg.eig([[1, 2], [3, 4]])


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_eigenvalues_of_complex_matrices_ascend_by_modulus(dtype: str) -> None:
    x = matrix(dtype, 3, 5, 5)
    e, v = (t.numpy() for t in tf.linalg.eig(x))
    for values in (e, tf.linalg.eigvals(x).numpy()):
        assert (np.diff(np.abs(values), axis=-1) > -1e-4).all()
    np.testing.assert_allclose(x @ v, v * e[:, None, :], atol=1e-4)
    assert tf.linalg.eigvals(np.diag([3.0, -1.0, 2.0]).astype(dtype)).numpy().tolist() == [-1, 2, 3]
