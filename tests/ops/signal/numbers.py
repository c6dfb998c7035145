"""Numbers for the tests of signals."""

from __future__ import annotations

from typing import Any

import numpy as np


def real_numbers(dtype: str, *shape: int) -> Any:
    """Returns numbers between -2 and 2 without symmetry."""
    count = int(np.prod(shape))
    return (np.sin(np.arange(1, count + 1) * 1.7) * 2).reshape(shape).astype(dtype)


def complex_numbers(dtype: str, *shape: int) -> Any:
    """Returns complex numbers whose parts are between -2 and 2."""
    real = real_numbers("float64", *shape)
    return (real + 1j * np.cos(real * 5 + 1)).astype(dtype)
