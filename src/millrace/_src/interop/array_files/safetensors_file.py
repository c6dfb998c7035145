"""safetensors files: a header in JSON, then the bytes of all tensors one after the other.

The header is eight bytes of length (little-endian) and an object that gives each tensor's dtype, shape and offset; an
entry `__metadata__` maps texts to texts. Values are little-endian, in C order. Numbers of every width have a name in
the format, bfloat16 and two kinds of float8 too; strings have none.
Format: https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from millrace._src.checkpoint.bundle.ranged_file import RangedFile
from millrace._src.core import dtypes, errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType
from millrace._src.interop.array_files.array_file import ArrayFile, ArrayInfo, Source
from millrace._src.ops.io.whole_writes import atomic_write

SUFFIX = ".safetensors"

_CODES: dict[str, DType] = {
    "F64": dtypes.float64,
    "F32": dtypes.float32,
    "F16": dtypes.float16,
    "BF16": dtypes.bfloat16,
    "F8_E4M3": dtypes.float8_e4m3fn,
    "F8_E5M2": dtypes.float8_e5m2,
    "C64": dtypes.complex64,
    "I64": dtypes.int64,
    "I32": dtypes.int32,
    "I16": dtypes.int16,
    "I8": dtypes.int8,
    "U64": dtypes.uint64,
    "U32": dtypes.uint32,
    "U16": dtypes.uint16,
    "U8": dtypes.uint8,
    "BOOL": dtypes.bool,
}
_CODE_OF = {dtype: code for code, dtype in _CODES.items()}
_METADATA = "__metadata__"
_LARGEST_HEADER = 100_000_000  # bytes, as in the format's own library


def has_code(dtype: DType) -> bool:
    """Says whether the format has a name for a dtype."""
    return dtype in _CODE_OF


class SafetensorsFile(ArrayFile):
    """A safetensors file that is open for reading.

    Attributes:
      metadata: the texts that the file carries along.

    Raises:
      tf.errors.NotFoundError: if there is no such file.
      tf.errors.DataLossError: if it is damaged, or no safetensors file.
      tf.errors.UnimplementedError: if a tensor has a dtype that TensorFlow has not.
    """

    def __init__(self, name: str) -> None:
        self._file = RangedFile(name)
        try:
            header, self._start = self._read_header()
            self.metadata: dict[str, str] = header.pop(_METADATA, {})
            self._begins: dict[str, int] = {}
            self.arrays = {name: self._info(name, entry) for name, entry in header.items()}
        except BaseException:
            self._file.close()
            raise

    def read(self, name: str) -> Array:
        info = self.arrays[name]
        array = np.empty(info.shape, info.dtype.np_dtype)
        self._file.read_into(self._start + self._begins[name], array.reshape(-1).view(np.uint8))
        return array if sys.byteorder == "little" else array.byteswap()

    def close(self) -> None:
        self._file.close()

    def _read_header(self) -> tuple[dict[str, Any], int]:
        size = int.from_bytes(self._file.read(0, 8), "little")
        if size > min(_LARGEST_HEADER, self._file.size - 8):
            raise self._damage_error(f"its header would have {size} bytes")
        try:
            header = json.loads(self._file.read(8, size))
        except (ValueError, RecursionError) as error:
            raise self._damage_error(f"its header is not JSON ({error})") from None
        if not isinstance(header, dict):
            raise self._damage_error("its header is not an object")
        return header, 8 + size

    def _info(self, name: str, entry: object) -> ArrayInfo:
        match entry:
            case {"dtype": str() as code, "shape": list() as shape, "data_offsets": [int() as begin, int() as end]}:
                pass
            case _:
                raise self._damage_error(f"the entry of {name!r} is {entry!r}")
        if code not in _CODES:
            message = f"{self._file.name}: tensor {name!r} has the dtype {code}, which TensorFlow has not."
            raise errors.UnimplementedError(None, None, message)
        if not all(type(dim) is int and dim >= 0 for dim in shape):
            raise self._damage_error(f"the shape of {name!r} is {shape}")
        dtype = _CODES[code]
        if end - begin != math.prod(shape) * dtype.size or not 0 <= begin <= end <= self._file.size - self._start:
            raise self._damage_error(f"tensor {name!r} of {dtype.name} {shape} cannot be its bytes {begin} to {end}")
        self._begins[name] = begin
        return ArrayInfo(name, dtype, tuple(shape), end - begin)

    def _damage_error(self, reason: str) -> errors.OpError:
        return errors.DataLossError(None, None, f"{self._file.name} is not a whole safetensors file: {reason}.")


def write_safetensors(name: str, sources: Sequence[Source], metadata: Mapping[str, str] | None = None) -> None:
    """Writes a safetensors file, whole or not at all; one array at a time is in memory.

    Args:
      name: the name of the file.
      sources: the arrays.
      metadata: texts to carry along.

    Raises: tf.errors.InvalidArgumentError: if an array has a dtype that the format has not.
    """
    with atomic_write(name) as file:
        file.write(_header([source.info for source in sources], metadata))
        for source in sources:
            file.write(_little_endian(source.value()))


def _header(arrays: Sequence[ArrayInfo], metadata: Mapping[str, str] | None) -> bytes:
    header: dict[str, Any] = {_METADATA: dict(metadata)} if metadata else {}
    offset = 0
    for info in arrays:
        code = _CODE_OF.get(info.dtype)
        if code is None:
            message = f"safetensors files have no dtype for {info.name!r}, which is {info.dtype.name}."
            raise errors.InvalidArgumentError(None, None, message)
        end = offset + info.size
        header[info.name] = {"dtype": code, "shape": list(info.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 8)  # so that the values are aligned
    return len(text).to_bytes(8, "little") + text


def _little_endian(array: Array) -> memoryview:
    array = np.ascontiguousarray(array)
    return memoryview((array if sys.byteorder == "little" else array.byteswap()).reshape(-1).view(np.uint8))
