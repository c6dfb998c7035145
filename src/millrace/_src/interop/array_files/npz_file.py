"""npz files: NumPy's archives of arrays.

NumPy has no bfloat16, float8 or int4: it writes them as bytes without a name. So the archive has one more array,
`__dtypes__`, with the names of such dtypes as JSON; other programs that read the archive find the bytes.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core import dtypes, errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, as_dtype, from_np
from millrace._src.interop.array_files.array_file import ArrayFile, ArrayInfo, Source
from millrace._src.ops.io.file_names import file_errors
from millrace._src.ops.io.file_systems import file_system_of
from millrace._src.ops.io.whole_writes import PartFile, atomic_write

SUFFIX = ".npz"
_DTYPES = "__dtypes__"
_ENDING = ".npy"
_DAMAGES = (zipfile.BadZipFile, zlib.error, ValueError, EOFError, NotImplementedError, RuntimeError)
"""What reading a damaged archive raises."""
_MAX_COMPRESSED = 1100
"""A byte of an archive unpacks to at most as many."""
_DAY = (1980, 1, 1, 0, 0, 0)
"""The time in the archive: equal arrays make equal bytes."""


class NpzFile(ArrayFile):
    """An npz file that is open for reading.

    Raises:
      tf.errors.NotFoundError: if there is no such file.
      tf.errors.DataLossError: if it is damaged, or no npz file.
      tf.errors.UnimplementedError: if an array holds Python objects, or a dtype that TensorFlow has not.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        file_system, path = file_system_of(name)
        with file_errors(name):
            self._file = io.BufferedReader(file_system.open(path, "r"))
        try:
            self._size = self._file.seek(0, io.SEEK_END)
            self._archive = zipfile.ZipFile(self._file)
            self._members = {self._name_of(info): info for info in self._archive.infolist()}
            self._dtypes = self._read_dtypes()
            self.arrays = {member: self._info(member) for member in self._members if member != _DTYPES}
        except _DAMAGES as error:
            self._file.close()
            raise self._damage_error(error) from None
        except BaseException:
            self._file.close()
            raise

    def read(self, name: str) -> Array:
        try:
            array = self._load(name)
        except _DAMAGES as error:
            raise self._damage_error(error) from None
        dtype = self.arrays[name].dtype
        if dtype == dtypes.string:
            return array.astype(object)
        if name in self._dtypes:
            return array.view(dtype.np_dtype)
        return array.astype(dtype.np_dtype, copy=False)  # from the other order of bytes

    def close(self) -> None:
        self._archive.close()
        self._file.close()

    def _name_of(self, member: zipfile.ZipInfo) -> str:
        if not member.filename.endswith(_ENDING):
            raise ValueError(f"its member {member.filename!r} is not an array")
        return member.filename.removesuffix(_ENDING)

    def _read_dtypes(self) -> dict[str, str]:
        names = json.loads(self._load(_DTYPES).tobytes()) if _DTYPES in self._members else {}
        if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
            raise ValueError(f"its member {_DTYPES!r} is not an object of texts")
        return names

    def _info(self, name: str) -> ArrayInfo:
        shape, stored, size = self._header(name)
        return ArrayInfo(name, self._dtype_of(name, stored), shape, size)

    def _header(self, name: str) -> tuple[tuple[int, ...], Any, int]:
        """Returns shape, NumPy's dtype and number of bytes of an array; the archive has as many bytes."""
        member_info = self._members[name]
        with self._archive.open(member_info) as member:
            version = np.lib.format.read_magic(member)
            read_header = (
                np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            )
            shape, _, stored = read_header(member)
        size = math.prod(shape) * stored.itemsize
        packed_size = min(member_info.compress_size, self._size)
        if not stored.hasobject and size > min(member_info.file_size, _MAX_COMPRESSED * packed_size):
            raise ValueError(f"array {name!r} would have {size} bytes")
        return shape, stored, size

    def _dtype_of(self, name: str, stored: Any) -> DType:
        if name in self._dtypes:
            dtype = self._named_dtype(name)
            if dtype.np_dtype.itemsize == stored.itemsize:
                return dtype
        elif stored.kind in "biufcS":
            return dtypes.string if stored.kind == "S" else from_np(stored.newbyteorder("="))
        message = f"{self._name}: array {name!r} has the dtype {stored}, which TensorFlow has not."
        raise errors.UnimplementedError(None, None, message)

    def _named_dtype(self, name: str) -> DType:
        try:
            return as_dtype(self._dtypes[name])
        except TypeError:
            raise ValueError(f"array {name!r} would be of dtype {self._dtypes[name]!r}") from None

    def _load(self, name: str) -> Array:
        self._header(name)  # before there is memory for the array
        with self._archive.open(self._members[name]) as member:
            return np.lib.format.read_array(member, allow_pickle=False)

    def _damage_error(self, error: Exception) -> errors.OpError:
        return errors.DataLossError(None, None, f"{self._name} is not a whole npz file: {error}")


def write_npz(name: str, sources: Sequence[Source]) -> None:
    """Writes an npz file, whole or not at all; one array at a time is in memory.

    Raises: tf.errors.InvalidArgumentError: if a string ends in a zero byte, which NumPy's strings lose.
    """
    named = {s.info.name: s.info.dtype.name for s in sources if not _is_numpys(s.info.dtype)}
    with atomic_write(name) as file, zipfile.ZipFile(_Stream(file), "w", allowZip64=True) as archive:
        if named:
            _add(archive, _DTYPES, np.frombuffer(json.dumps(named).encode("utf-8"), np.uint8))
        for source in sources:
            _add(archive, source.info.name, _storable(source.info, source.value()))


def _is_numpys(dtype: DType) -> bool:
    """Says whether the dtype follows from what NumPy writes; it does not for quantized integers."""
    return dtype == dtypes.string or (dtype.np_dtype.isbuiltin == 1 and from_np(dtype.np_dtype) == dtype)


def _storable(info: ArrayInfo, array: Array) -> Array:
    if info.dtype != dtypes.string:
        is_named = array.dtype.isbuiltin == 1  # those of ml_dtypes become bytes without a name
        return array if is_named else np.ascontiguousarray(array).view(f"V{array.dtype.itemsize}")
    if any(text.endswith(b"\0") for text in array.reshape(-1)):
        message = f"npz files lose the zero bytes at the end of strings, as {info.name!r} has."
        raise errors.InvalidArgumentError(None, None, message)
    return array.astype("S")


def _add(archive: zipfile.ZipFile, name: str, array: Array) -> None:
    with archive.open(zipfile.ZipInfo(name + _ENDING, _DAY), "w", force_zip64=True) as member:
        np.lib.format.write_array(member, array, allow_pickle=False)


class _Stream(io.RawIOBase):
    """The stream that `zipfile` writes to; it cannot seek, so the archive is written from front to back."""

    def __init__(self, file: PartFile) -> None:
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._file.write(data)
        return len(data)
