"""`tf.io.encode_proto` and its op: tensors become serialized messages, the reverse of `tf.io.decode_proto`."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from google.protobuf.descriptor import FieldDescriptor

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.io.proto_messages import KINDS, FieldKind, descriptor_capabilities, fields_of
from millrace._src.ops.io.wire_format import varint
from millrace._src.ops.strings.text_bytes import string_array
from millrace._src.ops.type_sets import PLAIN, TypeList
from millrace._src.util.export import export
from millrace._src.util.text import shape_brackets


@export("io.encode_proto")
def encode_proto(
    sizes: TensorLike,
    values: Sequence[Any],
    field_names: Sequence[str],
    message_type: str,
    descriptor_source: str = "local://",
    name: str | None = None,
) -> Any:
    """Writes serialized protocol buffer messages with the values of tensors.

    >>> tf.io.encode_proto([[2]], [tf.constant([[3, 4]], tf.int64)], ["value"], "tensorflow.Int64List").numpy()
    array([b'\\n\\x02\\x03\\x04'], dtype=object)

    Args:
      sizes: how many values of each field to write, an int32 Tensor with the fields last.
      values: a Tensor for each field, with the values last and the dimensions of `sizes` but the last before.
      field_names: the names of the fields.
      message_type: the full name of the message type, e.g. `"tensorflow.Example"`.
      descriptor_source: where the message type is described, as for `tf.io.decode_proto`.
      name: name of the operation in a graph.

    Returns: A string Tensor of messages, whose fields are in the order of their numbers.
    Raises: tf.errors.InvalidArgumentError: if the message type or a field is not known, or a tensor does not fit.
    """
    return encode_proto_op(
        sizes,
        list(values),
        field_names=field_names,
        message_type=message_type,
        descriptor_source=descriptor_source,
        name=name,
    )


@op(
    "EncodeProto",
    "sizes: int32, values: Tinput_types -> bytes: string",
    Tinput_types=TypeList(PLAIN, minimum=1),
    shape=lambda c: c.shape("sizes")[:-1],
    capabilities=descriptor_capabilities,
    batching=leading("sizes", "values"),
    exact_on_rows=True,
    host_only=True,
    not_differentiable="the bytes of a message have no gradient",
)
def encode_proto_op(
    xp: Xp,
    sizes: Array,
    values: list[Array],
    *,
    field_names: list[str],
    message_type: str,
    descriptor_source: str = "local://",
    Tinput_types: list[DType],
) -> Array:
    """Writes messages with the first values of each row of the tensors."""
    fields = fields_of(message_type, field_names, descriptor_source)[1]
    if len(values) != len(fields):
        raise invalid("Length of inputs list must match field_names")
    _check_values(fields, values, Tinput_types)
    batch = values[0].shape[:-1]
    if sizes.shape != (*batch, len(fields)):
        shapes = shape_brackets(sizes.shape), shape_brackets((*batch, len(fields)))
        raise invalid(f"sizes should be batch_size + [len(field_names)].  Saw: {shapes[0]} but expected: {shapes[1]}")
    _check_sizes(sizes.reshape(-1, len(fields)), values)
    order = sorted(range(len(fields)), key=lambda number: fields[number].number)
    columns = [(fields[number], values[number].reshape(-1, values[number].shape[-1]), number) for number in order]
    rows = enumerate(sizes.reshape(-1, len(fields)).tolist())
    messages = [
        b"".join(_field(field, column[row, : max(0, counts[number])].tolist()) for field, column, number in columns)
        for row, counts in rows
    ]
    return string_array(messages, batch)


def _check_values(fields: Sequence[FieldDescriptor], values: Sequence[Array], dtypes: Sequence[DType]) -> None:
    for field, value, dtype in zip(fields, values, dtypes, strict=True):
        if dtype not in KINDS[field.type].dtypes:
            kinds = f"Saw dtype: {runtime_name(dtype)} but field type is: {KINDS[field.type].name}"
            raise invalid(f"Incompatible type for field {field.name}.  {kinds}")
        if value.ndim < 2:
            seen = f"Saw shape {shape_brackets(value.shape)} but it should be at least a matrix."
            raise invalid(f"Invalid shape for field {field.name}.  {seen}")
        if value.shape[:-1] != values[0].shape[:-1]:
            shapes = f"{shape_brackets(value.shape)} but the first value has shape {shape_brackets(values[0].shape)}"
            raise invalid(f"Values must match up to the last dimension: field {field.name} has shape {shapes}.")


def _check_sizes(sizes: Array, values: Sequence[Array]) -> None:
    limits = np.array([value.shape[-1] for value in values])
    too_large = np.argwhere(sizes > limits)
    if len(too_large):
        message, field = too_large[0].tolist()
        raise invalid(
            f"Size to write must not be larger than value tensor; but saw: {sizes[message, field]} > {limits[field]} "
            f"at message {message} field {field}"
        )


# --- one field -------------------------------------------------------------------------------------------------------


def _field(field: FieldDescriptor, values: Sequence[Any]) -> bytes:
    """Writes the values of one field: a packed list, or one after the other, each behind its tag."""
    kind = KINDS[field.type]
    written = [_value(value, kind) for value in values]
    if field.is_packed:
        content = b"".join(written)
        return varint(field.number << 3 | 2) + varint(len(content)) + content if written else b""
    tag = varint(field.number << 3 | kind.wire_type)
    return b"".join(tag + value for value in written)


def _value(value: Any, kind: FieldKind) -> bytes:
    if kind.wire_type == 2:
        return varint(len(value)) + bytes(value)
    if kind.name in ("double", "float"):
        return struct.pack("<d", value) if kind.name == "double" else np.float32(value).astype("<f4").tobytes()
    number = _narrow(int(value), kind)
    if kind.wire_type == 0:
        return varint(number)
    return (number & ((1 << kind.bits) - 1)).to_bytes(kind.bits // 8, "little")


def _narrow(number: int, kind: FieldKind) -> int:
    """Returns a number in the bits of its field; a negative one is that of 64 bits, or zigzag."""
    number &= (1 << kind.bits) - 1
    if kind.is_signed and number >> (kind.bits - 1):
        number -= 1 << kind.bits
    return number << 1 ^ number >> 63 if kind.is_zigzag else number
