"""The message types that `tf.io.decode_proto` and `tf.io.encode_proto` know: where descriptors come from.

A descriptor source is "local://", for the message types that this process has loaded and for TensorFlow's own; or
"bytes://" with a serialized FileDescriptorSet behind it; or the name of a file with such a set. TensorFlow's message
types are Millrace's copies, which have another package name.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError

from millrace._src.core import dtypes as d
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.errors import invalid
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.shape_context import ShapeContext
from millrace._src.ops.io.example_fields import show
from millrace._src.ops.strings.text_bytes import attr_bytes
from millrace._src.proto import (  # noqa: F401 - load TensorFlow's message types into the pool
    attr_value_pb2,
    cluster_pb2,
    config_pb2,
    event_pb2,
    example_pb2,
    feature_pb2,
    graph_pb2,
    histogram_pb2,
    meta_graph_pb2,
    node_def_pb2,
    saver_pb2,
    summary_pb2,
    tensorflow_server_pb2,
)

_OUR_PACKAGE, _TENSORFLOW = "millrace.", "tensorflow."
_LOCAL, _BYTES = "local://", b"bytes://"
_F = FieldDescriptor


@dataclass(frozen=True, slots=True)
class FieldKind:
    """How the values of a field of some type are written, and which dtypes hold such values."""

    name: str
    """TensorFlow's word in messages."""
    wire_type: int
    dtypes: tuple[DType, ...]
    bits: int = 64
    is_signed: bool = False
    is_zigzag: bool = False


KINDS = {
    _F.TYPE_DOUBLE: FieldKind("double", 1, (d.float64,)),
    _F.TYPE_FLOAT: FieldKind("float", 5, (d.float32, d.float64)),
    _F.TYPE_INT64: FieldKind("int64", 0, (d.int64,), 64, True),
    _F.TYPE_SINT64: FieldKind("int64", 0, (d.int64,), 64, True, True),
    _F.TYPE_SFIXED64: FieldKind("int64", 1, (d.int64,), 64, True),
    _F.TYPE_UINT64: FieldKind("uint64", 0, (d.uint64,)),
    _F.TYPE_FIXED64: FieldKind("uint64", 1, (d.uint64,)),
    _F.TYPE_INT32: FieldKind("int32", 0, (d.int32, d.int64), 32, True),
    _F.TYPE_SINT32: FieldKind("int32", 0, (d.int32, d.int64), 32, True, True),
    _F.TYPE_SFIXED32: FieldKind("int32", 5, (d.int32, d.int64), 32, True),
    _F.TYPE_UINT32: FieldKind("uint32", 0, (d.uint32, d.uint64), 32),
    _F.TYPE_FIXED32: FieldKind("uint32", 5, (d.uint32, d.uint64), 32),
    _F.TYPE_BOOL: FieldKind("bool", 0, (d.bool,), 1),
    _F.TYPE_ENUM: FieldKind("enum", 0, (d.int32,), 32, True),
    _F.TYPE_STRING: FieldKind("string", 2, (d.string,)),
    _F.TYPE_BYTES: FieldKind("string", 2, (d.string,)),
    _F.TYPE_MESSAGE: FieldKind("message", 2, (d.string,)),
}
"""The types of fields; groups, which no one writes any more, are left out."""


def descriptor_capabilities(c: ShapeContext) -> Capability:
    """Says whether an op reads the description of a message type from a file."""
    source = attr_bytes(c.attr("descriptor_source"))
    is_file = source not in (b"", _LOCAL.encode()) and not source.startswith(_BYTES)
    return Capability.READS_FILES if is_file else Capability.NOTHING


def fields_of(message_type: str, field_names: list[str], descriptor_source: str) -> tuple[Descriptor, list[Any]]:
    """Returns the descriptor of a message type, and those of the named fields.

    Raises: tf.errors.InvalidArgumentError: if the source, the message type or a field is unknown.
    """
    message = _message(message_type, descriptor_source)
    fields = []
    for name in field_names:
        field = message.fields_by_name.get(name)
        if field is None or field.type not in KINDS:
            raise invalid(f"Unknown field: {name} in message type {message_type}")
        fields.append(field)
    return message, fields


@functools.lru_cache(maxsize=32)
def _message(message_type: str, descriptor_source: str) -> Descriptor:
    is_local = descriptor_source in ("", _LOCAL)
    pool = descriptor_pool.Default() if is_local else _pool_of(descriptor_source)
    if is_local and message_type.startswith(_TENSORFLOW):
        message_type = _OUR_PACKAGE + message_type.removeprefix(_TENSORFLOW)
    try:
        return pool.FindMessageTypeByName(message_type)
    except KeyError:
        raise invalid(f"No descriptor found for message type {message_type}") from None


def _pool_of(descriptor_source: str) -> descriptor_pool.DescriptorPool:
    """Makes a pool of the file descriptors in a source."""
    pool = descriptor_pool.DescriptorPool()
    try:
        for file in descriptor_pb2.FileDescriptorSet.FromString(_serialize_set(descriptor_source)).file:
            pool.Add(file)
    except (DecodeError, TypeError, OSError):  # TypeError: a file that does not fit the files before it
        raise invalid(
            "Source does not represent serialized file descriptor set proto. This may be due to a missing dependency "
            f'on the file containing REGISTER_DESCRIPTOR_POOL("{show(attr_bytes(descriptor_source))}", ...);'
        ) from None
    return pool


def _serialize_set(descriptor_source: str) -> bytes:
    source = attr_bytes(descriptor_source)
    if source.startswith(_BYTES):
        return source.removeprefix(_BYTES)
    with open(source, "rb") as file:
        return file.read()


def show_dtype(dtype: DType) -> str:
    """Returns TensorFlow's constant for a dtype, as messages show it: `DT_FLOAT`."""
    return f"DT_{runtime_name(dtype).upper()}"
