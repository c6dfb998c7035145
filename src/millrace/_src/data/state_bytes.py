"""Saved states as bytes: a small format for nests of plain values and arrays.

    millrace state 1\\n   the first 17 bytes
    size                  of the header: 8 bytes, little-endian
    crc32                 of all that follows: 4 bytes, little-endian
    header                JSON, in UTF-8: the nest, with an index for each text of bytes and each array
    buffers               the texts and arrays, one after the other; numbers little-endian, in row-major order

In the header None, bool, int and str represent themselves, a list is an array of JSON, and an object has the one key
that says what it is: `t` tuple, `d` dictionary (pairs), `f` float (hexadecimal), `b` bytes (their number), `a` array
(dtype, shape), `o` array of texts or handles (shape, items), `p` optional (dtypes, arrays or None), `g` dataset (its
serialized graph), `h` dataset of elements in memory (dtypes, shapes, a block or None). No Python object is made but
these, and the ops of a graph may read files and no more, so that a state may come from anywhere.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.dtypes import as_dtype, from_np
from millrace._src.core.errors import DataLossError, UnimplementedError
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.resources import resource_of
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.nodes import DatasetNode
from millrace._src.data.optional_ops import OptionalValue
from millrace._src.data.options import ExternalStatePolicy
from millrace._src.data.serialized_graphs import dataset_of_graph, serialize_graph
from millrace._src.data.sources.memory_blocks import HeldNode
from millrace._src.graph.op_policy import OpPolicy

_MAGIC = b"millrace state 1\n"
_SIZES = struct.Struct("<QI")
_POLICY = OpPolicy(
    allowed=Capability.READS_FILES,
    advice=lambda _: "The datasets in the saved state of an iterator may only read files.",
)


def to_bytes(state: object) -> bytes:
    """Writes a state.

    Raises: UnimplementedError: if the state holds an object that the format does not know.
    """
    buffers: list[bytes] = []
    header = json.dumps(_encode(state, buffers), separators=(",", ":")).encode()
    rest = b"".join([header, *buffers])
    return _MAGIC + _SIZES.pack(len(header), zlib.crc32(rest)) + rest


def from_bytes(text: bytes) -> Any:
    """Reads a state.

    Raises:
      DataLossError: if the bytes are not those of a state, or were changed.
      OpError: if the state holds a dataset that cannot be.
    """
    start = len(_MAGIC) + _SIZES.size
    if not text.startswith(_MAGIC) or len(text) < start:
        raise DataLossError(None, None, f"These {len(text)} bytes are not the saved state of an iterator.")
    size, checksum = _SIZES.unpack_from(text, len(_MAGIC))
    if zlib.crc32(memoryview(text)[start:]) != checksum:
        raise DataLossError(None, None, "The saved state of an iterator was changed or cut off: its checksum differs.")
    try:
        return _StateReader(text, start + size).value(json.loads(text[start : start + size]))
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        raise DataLossError(None, None, f"The saved state of an iterator says what cannot be: {error}") from error


# --- writing -----------------------------------------------------------------------------------------------------


def _encode(value: object, buffers: list[bytes]) -> Any:
    """Returns a value as JSON, and adds its bytes to the buffers."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    for kind, encode in _WRITERS:
        if isinstance(value, kind):
            return encode(value, buffers)
    raise UnimplementedError(None, None, f"The state of an iterator holds {value!r}, which cannot be saved.")


def _encode_bytes(value: bytes, buffers: list[bytes]) -> Any:
    buffers.append(value)
    return {"b": len(value)}


def _encode_array(array: object, buffers: list[bytes]) -> Any:
    array = np.asarray(array)
    if array.dtype.kind == "O":
        return {"o": [list(array.shape), [_encode(item, buffers) for item in array.reshape(-1).tolist()]]}
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    buffers.append(array.tobytes())
    return {"a": [from_np(array.dtype).name, list(array.shape)]}


def _encode_optional(value: OptionalValue, buffers: list[bytes]) -> Any:
    arrays = None if value.components is None else list(value.components)
    return {"p": [[dtype.name for dtype in value.dtypes], _encode(arrays, buffers)]}


def _encode_dataset(node: DatasetNode, buffers: list[bytes]) -> Any:
    return {"g": _encode_bytes(serialize_graph(node, ExternalStatePolicy.IGNORE), buffers)["b"]}


def _encode_held(node: HeldNode, buffers: list[bytes]) -> Any:
    shapes = [None if shape.rank is None else shape.as_list() for shape in node.shapes]
    block = None if node.block is None else node.block.save()
    return {"h": [[dtype.name for dtype in node.dtypes], shapes, _encode(block, buffers)]}


_WRITERS: list[tuple[Any, Callable[[Any, list[bytes]], Any]]] = [
    (float, lambda value, buffers: {"f": value.hex()}),
    (bytes, _encode_bytes),
    (tuple, lambda value, buffers: {"t": [_encode(item, buffers) for item in value]}),
    (list, lambda value, buffers: [_encode(item, buffers) for item in value]),
    (dict, lambda value, buffers: {"d": [[_encode(k, buffers), _encode(v, buffers)] for k, v in value.items()]}),
    ((np.ndarray, np.generic), _encode_array),
    (OptionalValue, _encode_optional),
    (HeldNode, _encode_held),
    (DatasetNode, _encode_dataset),
]


# --- reading -----------------------------------------------------------------------------------------------------


class _StateReader:
    """Reads the values of a header in order; their bytes follow one another from `position` on."""

    def __init__(self, text: bytes, position: int) -> None:
        self._text, self._position = text, position

    def value(self, encoded: object) -> Any:
        """Returns the value that was written as `encoded`."""
        if isinstance(encoded, list):
            return [self.value(item) for item in encoded]
        if not isinstance(encoded, dict):
            return encoded
        ((kind, content),) = encoded.items()
        read: Any = _READERS[kind]
        return read(self, content)

    def take(self, size: int) -> bytes:
        """Returns the next bytes.

        Raises: ValueError: if there are not so many.
        """
        if not 0 <= size <= len(self._text) - self._position:
            raise ValueError(f"{size} bytes are wanted where {len(self._text) - self._position} are left")
        self._position += size
        return self._text[self._position - size : self._position]

    def array(self, content: Any) -> Any:
        """Returns an array of numbers."""
        name, shape = content
        dtype = as_dtype(name).np_dtype
        count = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(self.take(count * dtype.itemsize), dtype).reshape(shape).copy()

    def objects(self, content: Any) -> Any:
        """Returns an array of texts or handles."""
        shape, items = content
        flat = np.empty(len(items), object)
        for index, item in enumerate(items):
            flat[index] = self.value(item)
        return flat.reshape(shape)

    def optional(self, content: Any) -> OptionalValue:
        """Returns an optional."""
        names, arrays = content
        return OptionalValue(self.value(arrays), [as_dtype(name) for name in names])

    def read_held(self, content: Any) -> HeldNode:
        """Returns a dataset of elements in memory."""
        names, shapes, encoded = content
        block = self.value(encoded)
        dtypes, static_shapes = tuple(map(as_dtype, names)), tuple(map(TensorShape, shapes))
        return HeldNode(dtypes, static_shapes, None if block is None else Block.from_state(block))

    def dataset(self, size: int) -> Any:
        """Returns a dataset."""
        return resource_of(dataset_of_graph(self.take(size), _POLICY)._eager_array)


_READERS: dict[str, Callable[[_StateReader, Any], Any]] = {
    "t": lambda reader, content: tuple([reader.value(item) for item in content]),
    "d": lambda reader, content: {reader.value(key): reader.value(value) for key, value in content},
    "f": lambda reader, content: float.fromhex(content),
    "b": _StateReader.take,
    "a": _StateReader.array,
    "o": _StateReader.objects,
    "p": _StateReader.optional,
    "g": _StateReader.dataset,
    "h": _StateReader.read_held,
}
