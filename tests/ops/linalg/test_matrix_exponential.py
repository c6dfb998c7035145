"""The op behind the matrix exponential, at once; what it is in a graph stands in tests/control_flow."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.linalg.matrices import matrix

SAMPLES = [
    *(Sample("MatrixExponential", (matrix(dtype, 2, 3, 3),), rtol=1e-4) for dtype in ("float32", "complex64")),
    *(Sample("MatrixExponential", (matrix(dtype, 3, 3),), rtol=1e-9) for dtype in ("float64", "complex128")),
    Sample("MatrixExponential", (matrix("float16", 2, 2),), rtol=2e-2),
    *(Sample("MatrixExponential", (matrix("float32", *shape),)) for shape in ((0, 0), (0, 2, 2))),
    *(Sample("MatrixExponential", (0.5 * matrix(t, 2, 2, 2),), grad=True) for t in ("float64", "complex128")),
]


@pytest.mark.parametrize("scale", [0.0, 0.01, 1.0, 30.0])
def test_the_exponential_is_that_of_scipy(scale: float) -> None:
    x = scale * matrix("float64", 2, 4, 4)
    np.testing.assert_allclose(tf.linalg.expm(x), scipy.linalg.expm(x), rtol=1e-9)


def test_matrices_of_different_size_are_scaled_each_on_its_own() -> None:
    x = np.stack([np.eye(2) * 1e-3, np.eye(2) * 40.0])
    np.testing.assert_allclose(tf.linalg.expm(x), np.exp([1e-3, 40.0])[:, None, None] * np.eye(2), rtol=1e-12)


def test_the_exponential_of_nan_is_nan_and_of_integers_raises() -> None:
    assert np.isnan(tf.linalg.expm(tf.fill([2, 2], np.nan))).all()
    with pytest.raises(ValueError, match=r"tf\.linalg\.expm does not support matrices of type"):
        tf.linalg.expm([[1, 2], [3, 4]])
