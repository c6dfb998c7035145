"""Arrays to be written into a file: from another file, or from memory.

Tests: tests/interop/array_files/test_file_conversion.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType
from millrace._src.interop.array_files.array_file import ArrayFile, ArrayInfo


class StoredArray:
    """An array of another file, under the name that it has in the new one."""

    def __init__(self, file: ArrayFile, stored_name: str, name: str) -> None:
        self._file, self._stored_name = file, stored_name
        stored = file.arrays[stored_name]
        self.info = ArrayInfo(name, stored.dtype, stored.shape, stored.size)

    def value(self) -> Array:
        """Reads the values."""
        return self._file.read(self._stored_name)


class HeldArray:
    """An array in memory."""

    def __init__(self, name: str, values: Any, dtype: DType) -> None:
        self._values = np.asarray(values, dtype=dtype.np_dtype)
        self.info = ArrayInfo(name, dtype, self._values.shape, self._values.nbytes)

    def value(self) -> Array:
        """Returns the values."""
        return self._values
