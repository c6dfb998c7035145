"""Arrays of every dtype, as the tests of files of named arrays need them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from millrace._src.core.dtypes import as_dtype
from millrace._src.interop.array_files.sources import HeldArray

NUMBERS = ("float16", "float32", "float64", "complex64", "bool") + tuple(
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
)
SMALL = {"bfloat16": ml_dtypes.bfloat16, "float8_e4m3fn": ml_dtypes.float8_e4m3fn, "float8_e5m2": ml_dtypes.float8_e5m2}


def sources(**values: Any) -> list[HeldArray]:
    return [held(name, value) for name, value in values.items()]


def held(name: str, value: Any) -> HeldArray:
    array = np.asarray(value)
    return HeldArray(name, array, as_dtype("string" if array.dtype.hasobject else array.dtype))


def samples() -> dict[str, Any]:
    """An array for each dtype that every file of named arrays has, and arrays of unusual shapes and layouts."""
    matrix = np.arange(6).reshape(2, 3)
    arrays = {name: matrix.astype(name) for name in NUMBERS} | {name: matrix.astype(t) for name, t in SMALL.items()}
    arrays["not_finite"] = np.array([np.nan, np.inf, -np.inf, -0.0], np.float32)
    arrays["scalar"] = np.array(2.5, np.float32)
    arrays["empty"] = np.zeros([0, 3], np.float32)
    arrays["transposed"] = np.arange(6, dtype=np.int32).reshape(2, 3).T
    arrays["strided"] = np.arange(8, dtype=np.float64)[::2]
    arrays["name with spaces, ä and 'quotes'"] = np.ones([1], np.int8)
    return arrays


def assert_same(read: dict[str, Any], written: dict[str, Any]) -> None:
    assert sorted(read) == sorted(written)
    for name, array in written.items():
        assert (read[name].dtype, read[name].shape) == (array.dtype, array.shape), name
        assert read[name].tobytes() == np.ascontiguousarray(array).tobytes(), name
        assert read[name].flags.writeable
