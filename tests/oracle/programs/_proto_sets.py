"""A message type with a field of each kind, made for the tests of decoding and encoding."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_KINDS = (
    "double float int64 uint64 int32 fixed64 fixed32 bool string bytes uint32 sfixed32 sfixed64 sint32 sint64"
).split()


def _file() -> Any:
    proto = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="millrace_tests.proto", package="p", syntax="proto2")
    message = file.message_type.add(name="M")
    for number, kind in enumerate(_KINDS, 1):
        wire = getattr(proto, f"TYPE_{kind.upper()}")
        message.field.add(name=kind, number=number, type=wire, label=proto.LABEL_REPEATED)
    file.enum_type.add(name="E").value.add(name="A", number=0)
    optional = proto.LABEL_OPTIONAL
    message.field.add(name="enum", number=20, type=proto.TYPE_ENUM, type_name=".p.E", label=optional)
    message.field.add(name="m", number=21, type=proto.TYPE_MESSAGE, type_name=".p.M", label=proto.LABEL_REPEATED)
    message.field.add(name="default", number=22, type=proto.TYPE_INT32, label=optional, default_value="42")
    message.field.add(name="one", number=23, type=proto.TYPE_STRING, label=optional, default_value="x")
    return file


FILE = _file()
SERIALIZED_SET = descriptor_pb2.FileDescriptorSet(file=[FILE]).SerializeToString()
SOURCE = b"bytes://" + SERIALIZED_SET
_POOL = descriptor_pool.DescriptorPool()
_POOL.Add(FILE)
M = message_factory.GetMessageClass(_POOL.FindMessageTypeByName("p.M"))
"""The class of the message type, to write messages with."""
