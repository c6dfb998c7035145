"""Matrices for the samples and tests of linalg: the same for the same arguments, and far from singular."""

from __future__ import annotations

from typing import Any

import numpy as np

FLOATS = ("float32", "float64", "complex64", "complex128")


def matrix(dtype: str, *shape: int, seed: int = 0) -> Any:
    """Random matrices; square ones have a heavy diagonal."""
    rng = np.random.default_rng((seed, *shape))
    values = rng.uniform(-1, 1, shape)
    if dtype.startswith("complex"):
        values = values + 1j * rng.uniform(-1, 1, shape)
    if len(shape) >= 2 and shape[-1] == shape[-2]:
        values = values + np.diag(np.arange(2.0, 2.0 + shape[-1]))
    return values.astype(dtype)


def hermitian(dtype: str, *shape: int, seed: int = 0) -> Any:
    """Random Hermitian positive definite matrices."""
    x = matrix(dtype, *shape, seed=seed)
    return (x @ np.conj(np.swapaxes(x, -1, -2))).astype(dtype)
