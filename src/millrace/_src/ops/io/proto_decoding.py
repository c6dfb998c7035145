"""`tf.io.decode_proto` and its op: chosen fields of serialized messages become tensors.

The messages are read as they are written, field by field, so that unknown fields, the bytes of messages inside messages
and the number of values are those of the bytes. protobuf is asked for the descriptors, and for messages in text.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from google.protobuf import text_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, string
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops import raw
from millrace._src.ops.io.proto_messages import KINDS, FieldKind, descriptor_capabilities, fields_of, show_dtype
from millrace._src.ops.io.wire_format import MalformedError, read_varint
from millrace._src.ops.strings.text_bytes import string_array
from millrace._src.ops.type_sets import PLAIN, TypeList
from millrace._src.util.export import export

_FIXED_SIZES = {1: 8, 5: 4}
"""How many bytes a value of a fixed wire type has."""
_START_GROUP, _END_GROUP = 3, 4


@export("io.decode_proto")
def decode_proto(
    bytes: object,
    message_type: str,
    field_names: Sequence[str],
    output_types: Sequence[Any],
    descriptor_source: str = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
    name: str | None = None,
) -> Any:
    """Reads fields of serialized protocol buffer messages into tensors.

    >>> message = tf.train.Int64List(value=[3, 4]).SerializeToString()
    >>> found = tf.io.decode_proto([message, b""], "tensorflow.Int64List", ["value"], [tf.int64])
    >>> found.values[0].numpy(), found.sizes.numpy()
    (array([[3, 4],
           [0, 0]]), array([[2],
           [0]], dtype=int32))

    Args:
      bytes: a string Tensor of serialized messages, of any shape.
      message_type: the full name of the message type, e.g. `"tensorflow.Example"`.
      field_names: the names of the fields to read.
      output_types: a dtype for each field.
      descriptor_source: where the message type is described: `"local://"`, a file with a serialized
        `FileDescriptorSet`, or `b"bytes://"` with such a set behind it.
      message_format: `"binary"` or `"text"`.
      sanitize: whether to let protobuf write the messages anew before reading.
      name: name of the operation in a graph.

    Returns: A tuple with `sizes`, how many values each message has of each field, an int32 Tensor with the fields last;
      and `values`, a list with a Tensor for each field, whose last dimension is the largest number of values.
    Raises:
      tf.errors.InvalidArgumentError: if the message type, a field, or the dtype of a field is not known.
      tf.errors.DataLossError: if a message cannot be read.
    """
    return raw.DecodeProtoV2(
        bytes=bytes,
        message_type=message_type,
        field_names=field_names,
        output_types=output_types,
        descriptor_source=descriptor_source,
        message_format=message_format,
        sanitize=sanitize,
        name=name,
    )


def _decoded_shapes(c: ShapeContext) -> list[TensorShape]:
    fields = len(c.attr("field_names"))
    batch = c.shape("bytes")
    return [batch.concatenate([fields]), *[batch.concatenate([None])] * len(c.attr("output_types"))]


@op(
    "DecodeProtoV2",
    "bytes: string -> sizes: int32, values: output_types",
    output_types=TypeList(PLAIN),
    shape=_decoded_shapes,
    capabilities=descriptor_capabilities,
    host_only=True,
    not_differentiable="the bytes of a message have no gradient",
    not_batched="the largest number of values differs from row to row",
)
def decode_proto_v2(
    xp: Xp,
    bytes: Array,
    *,
    message_type: str,
    field_names: list[str],
    output_types: list[DType],
    descriptor_source: str = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
) -> tuple[Array, list[Array]]:
    """Reads chosen fields of serialized messages."""
    message, fields = fields_of(message_type, field_names, descriptor_source)
    if len(output_types) != len(fields):
        raise invalid("field_names and output_types attributes must have the same length")
    for field, dtype in zip(fields, output_types, strict=True):
        kind = KINDS[field.type]
        if dtype not in kind.dtypes:
            raise invalid(f"Unexpected output type for {field.full_name}: {kind.name} to {show_dtype(dtype)}")
    if message_format not in ("binary", "text"):
        raise invalid("format must be one of binary or text")
    if not bytes.size:
        raise invalid("Bufs argument must contain at least one value")
    rewrite = _rewriter(message, message_format, sanitize)
    rows = [_read_message(rewrite(data), fields) for data in bytes.reshape(-1)]
    sizes = np.array([[len(values) for values in row] for row in rows], dtype=np.int32)
    columns = [
        _tensor([row[i] for row in rows], *parts) for i, parts in enumerate(zip(fields, output_types, strict=True))
    ]
    return sizes.reshape(*bytes.shape, len(fields)), [column.reshape(*bytes.shape, -1) for column in columns]


def _rewriter(message: Descriptor, message_format: str, sanitize: bool) -> Callable[[bytes], bytes]:
    """Returns the function that brings a message into the binary form to be read."""
    message_class = GetMessageClass(message)

    def from_text(data: bytes) -> bytes:
        try:
            return bytes_of(text_format.Parse(data, message_class()))
        except (text_format.ParseError, UnicodeDecodeError):
            raise errors.DataLossError(None, None, "Unable to parse text protobuf") from None

    def sanitized(data: bytes) -> bytes:
        try:
            return bytes_of(message_class.FromString(data))
        except DecodeError:
            raise errors.DataLossError(None, None, "Unable to sanitize binary protobuf") from None

    def bytes_of(parsed: Any) -> bytes:
        serialized: bytes = parsed.SerializePartialToString()
        return serialized

    if message_format == "text":
        return from_text
    return sanitized if sanitize else lambda data: data


def _tensor(rows: Sequence[Sequence[Any]], field: FieldDescriptor, dtype: DType) -> Array:
    """Makes the matrix of a field's values; messages with fewer values are filled up with the default."""
    width = max(1, *map(len, rows))
    default = _default(field)
    elements = [value for row in rows for value in (*row, *[default] * (width - len(row)))]
    if dtype is string:
        return string_array(elements, (len(rows), width))
    return np.array(elements, dtype=dtype.np_dtype).reshape(len(rows), width)


def _default(field: FieldDescriptor) -> Any:
    if field.is_repeated or field.message_type is not None:
        return b"" if KINDS[field.type].wire_type == 2 else 0
    value = field.default_value
    return value.encode() if isinstance(value, str) else value


# --- one message -----------------------------------------------------------------------------------------------------


def _read_message(data: bytes, fields: Sequence[FieldDescriptor]) -> list[list[Any]]:
    """Returns the values of each field; of a field that is not repeated the last one."""
    found: dict[int, list[Any]] = {field.number: [] for field in fields}
    kinds = {field.number: KINDS[field.type] for field in fields}
    position, end = 0, len(data)
    while position < end:
        number, wire_type, position = _read_tag(data, position, end)
        try:
            start = position
            position = _skip(data, number, wire_type, position, end)
            if number in kinds:
                found[number] += _values(data, start, position, wire_type, kinds[number])
        except MalformedError:
            counted = "ReadValue: Failed skipping field when counting"
            complaint = counted if number in kinds else "Failed skipping unrequested field"
            raise errors.DataLossError(None, None, complaint) from None
    return [found[field.number] if field.is_repeated else found[field.number][-1:] for field in fields]


def _read_tag(data: bytes, position: int, end: int) -> tuple[int, int, int]:
    """Returns number and wire type of a field, and the position after both."""
    try:
        tag, position = read_varint(data, position, end)
    except MalformedError:
        tag = 0
    if not tag >> 3 or tag & 7 == _END_GROUP:
        raise errors.DataLossError(None, None, "CountFields: Failed to consume entire buffer")
    return tag >> 3, tag & 7, position


def _skip(data: bytes, number: int, wire_type: int, position: int, end: int) -> int:
    """Returns the position after a field."""
    if wire_type == 0:
        return read_varint(data, position, end)[1]
    if wire_type == _START_GROUP:
        return _skip_group(data, number, position, end)
    if wire_type == 2:
        size, position = read_varint(data, position, end)
    else:
        size = _FIXED_SIZES.get(wire_type, end + 1)
    if position + size > end:
        raise MalformedError
    return position + size


def _skip_group(data: bytes, number: int, position: int, end: int) -> int:
    while True:
        tag, position = read_varint(data, position, end)
        if tag & 7 == _END_GROUP:
            if tag >> 3 != number:
                raise MalformedError
            return position
        position = _skip(data, tag >> 3, tag & 7, position, end)


def _values(data: bytes, position: int, end: int, wire_type: int, kind: FieldKind) -> list[Any]:
    """Returns the values in a field: one, those of a packed list, or none if the field has another wire type."""
    if wire_type == 2:
        position = read_varint(data, position, end)[1]
        if kind.wire_type == 2:
            return [data[position:end]]
    elif wire_type != kind.wire_type:
        return []
    values = []
    while position < end:
        value, position = _read_value(data, position, end, kind)
        values.append(value)
    return values


def _read_value(data: bytes, position: int, end: int, kind: FieldKind) -> tuple[Any, int]:
    if kind.wire_type == 0:
        number, position = read_varint(data, position, end)
        return _number(number, kind), position
    stop = position + _FIXED_SIZES[kind.wire_type]
    if stop > end:
        raise MalformedError
    if kind.name in ("double", "float"):
        return struct.unpack("<d" if kind.name == "double" else "<f", data[position:stop])[0], stop
    return int.from_bytes(data[position:stop], "little", signed=kind.is_signed), stop


def _number(number: int, kind: FieldKind) -> int:
    """Returns the value of a varint."""
    if kind.bits == 1:
        return int(number != 0)
    number &= (1 << kind.bits) - 1
    if kind.is_zigzag:
        return number >> 1 ^ -(number & 1)
    return number - (1 << kind.bits) if kind.is_signed and number >> (kind.bits - 1) else number
