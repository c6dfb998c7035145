"""Events as bytes.

Problem: a training loop may write a million scalars, and filling in and serializing protobuf's classes would take as
long as all else that an event costs.

Idea: the parts of an event that repeat (the tag, the dtype and shape, the metadata) are encoded once; an event is then
a join of a few pieces. Fields stand in the order of their numbers, so the bytes are those that protobuf writes, and
TensorFlow.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, string
from millrace._src.ops.io.wire_format import varint

GRAPH_DEF = b"\x22"
"""The tag of the field of an event that holds a graph."""
SUMMARY = b"\x2a"
"""The tag of the field of an event that holds a summary."""
_WALL_TIME = b"\x09"
_STEP = b"\x10"
_VALUE = b"\x0a"
_VALUE_TAG = b"\x0a"
_VALUE_TENSOR = b"\x42"
_VALUE_METADATA = b"\x4a"
_DTYPE = b"\x08"
_SHAPE = b"\x12"
_DIM = b"\x12"
_SIZE = b"\x08"
_CONTENT = b"\x22"
_STRING_VAL = b"\x42"

_double = struct.Struct("<d").pack


def field(tag: bytes, payload: bytes) -> bytes:
    """Returns a field whose payload has a length: text, bytes or a message."""
    return tag + varint(len(payload)) + payload


def event(wall_time: float, step: int, tag: bytes, payload: bytes) -> bytes:
    """Returns an event.

    Args:
      wall_time: seconds since 1970.
      step: the step; none is written for step 0.
      tag: the field that says what the event is, such as `SUMMARY`.
      payload: the message in this field.
    """
    stamp = _WALL_TIME + _double(wall_time)
    return b"".join((stamp, _STEP + varint(step) if step else b"", tag, varint(len(payload)), payload))


def tensor_summary(tag: bytes, array: Array, dtype: DType, metadata: bytes | None) -> bytes:
    """Returns the summary of one tensor.

    Args:
      tag: the name of the summary.
      array: the value of the tensor.
      dtype: the dtype of the tensor.
      metadata: the serialized `SummaryMetadata`; None for none.
    """
    if dtype is not string:
        begin, end = surroundings(tag, dtype, array.shape, metadata, array.size * array.itemsize)
        return begin + content(array) + end
    strings = b"".join([field(_STRING_VAL, element) for element in array.reshape(-1).tolist()])
    begin, end = _around(tag, _head(dtype, array.shape), metadata, len(strings))
    return begin + strings + end


def content(array: Array) -> bytes:
    """Returns the elements of a numeric tensor as they stand in a summary."""
    return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def surroundings(
    tag: bytes, dtype: DType, shape: Sequence[int], metadata: bytes | None, length: int
) -> tuple[bytes, bytes]:
    """Returns what stands before and after the elements of a numeric tensor in the summary of the tensor.

    Args:
      tag: the name of the summary.
      dtype: the dtype of the tensor.
      shape: the shape of the tensor.
      metadata: the serialized `SummaryMetadata`; None for none.
      length: how many bytes the elements take.
    """
    head = _head(dtype, shape)
    return _around(tag, head + _CONTENT + varint(length) if length else head, metadata, length)


def _head(dtype: DType, shape: Sequence[int]) -> bytes:
    """Returns the first fields of a tensor: dtype and shape."""
    dims = b"".join([field(_DIM, _SIZE + varint(dim) if dim else b"") for dim in shape])
    return _DTYPE + varint(dtype.as_datatype_enum) + field(_SHAPE, dims)


def _around(tag: bytes, head: bytes, metadata: bytes | None, length: int) -> tuple[bytes, bytes]:
    """Returns what stands before and after elements that take so many bytes, given the fields before the elements."""
    name = field(_VALUE_TAG, tag) if tag else b""
    tail = b"" if metadata is None else field(_VALUE_METADATA, metadata)
    tensor = _VALUE_TENSOR + varint(len(head) + length)
    value_length = len(name) + len(tensor) + len(head) + length + len(tail)
    return b"".join((_VALUE, varint(value_length), name, tensor, head)), tail
