"""Arrays for the samples of `tf.nn`'s ops."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

FLOATS = ("float16", "bfloat16", "float32", "float64")
REALS = (*FLOATS, "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def array(*shape: int, dtype: str = "float32", shift: float = 0.0) -> Any:
    """Distinct numbers in no order, between -2 and 2 (integers: between -9 and 9, or 0 and 9)."""
    count = int(np.prod(shape))
    values = 2 * np.sin(np.arange(count) * 1.7 + 0.3 + shift)
    kind = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
    if "int" in dtype:
        values = np.round(values * 4.5)
        values = np.abs(values) if dtype.startswith("u") else values
    if dtype.startswith("complex"):
        values = values + 1j * np.cos(np.arange(count) * 1.3)
    return np.asarray(values.reshape(shape).astype(kind))
