"""Nests of specs on the wire: Python structures to `StructuredValue` and back.

Problem: saved datasets, functions and variants say what their tensors look like. Leaves are specs of many classes,
the user's too, and the bytes must be those of TensorFlow.

Idea: tuples, lists, dictionaries and named tuples are written as such. A spec is its kind and, as a nest again, the
fields that `_serialize` gives; the class states the kind (`core/wire_forms.py`), or has a registered name.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import Any

import numpy as np

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.extension_types.anonymous import AnonymousExtensionTypeSpec
from millrace._src.core.extension_types.extension_spec import ExtensionTypeSpec
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import BoundedTensorSpec, NoneTensorSpec, TensorSpec
from millrace._src.core.tensor import EagerTensor
from millrace._src.core.type_spec_registry import get_name, is_known, is_registered, lookup
from millrace._src.core.type_specs import TypeSpec
from millrace._src.core.wire_forms import class_of_kind, kind_of_class, wire_form
from millrace._src.graph.message_bytes import dtype_of_number
from millrace._src.graph.tensor_proto import decode_tensor, encode_tensor
from millrace._src.proto import struct_pb2
from millrace._src.util.class_homes import tensorflow_home

_REGISTERED, _EXTENSION = "REGISTERED_TYPE_SPEC", "EXTENSION_TYPE_SPEC"


@tensorflow_home("python.saved_model.nested_structure_coder")
class NotEncodableError(Exception):
    """Says that a value has no form on the wire."""


# --- writing ---------------------------------------------------------------------------------------------------------


def encode_structure(value: object) -> struct_pb2.StructuredValue:
    """Writes a nest of specs, tensors and plain values.

    Raises: NotEncodableError: for a leaf of another kind, such as a spec of a class that has no registered name.
    """
    message = struct_pb2.StructuredValue()
    _fill(message, value)
    return message


def _fill(message: Any, value: Any) -> None:
    if isinstance(value, tuple) and type(value) is not tuple:
        named: Any = value
        message.named_tuple_value.name = type(value).__name__
        for key, item in zip(named._fields, value, strict=True):
            pair = message.named_tuple_value.values.add(key=key)
            _fill(pair.value, item)
    elif isinstance(value, (tuple, list)):
        items = message.tuple_value if isinstance(value, tuple) else message.list_value
        items.SetInParent()
        for item in value:
            _fill(items.values.add(), item)
    elif isinstance(value, Mapping):
        message.dict_value.SetInParent()
        for key in value:
            _fill(message.dict_value.fields[key], value[key])
    elif isinstance(value, TypeSpec):
        _fill_spec(message, value)
    else:
        _fill_leaf(message, value)


def _fill_spec(message: Any, spec: TypeSpec) -> None:
    if isinstance(spec, NoneTensorSpec):
        message.none_value.SetInParent()
    elif type(spec) is TensorSpec:
        _fill_tensor_spec(message.tensor_spec_value, spec)
    elif type(spec) is BoundedTensorSpec:
        bounded = message.bounded_tensor_spec_value
        _fill_tensor_spec(bounded, spec)
        bounded.minimum.CopyFrom(encode_tensor(spec.minimum, spec.dtype))
        bounded.maximum.CopyFrom(encode_tensor(spec.maximum, spec.dtype))
    else:
        message.type_spec_value.CopyFrom(encode_spec(spec))


def _fill_tensor_spec(message: Any, spec: Any) -> None:
    message.shape.CopyFrom(spec.shape.as_proto())
    message.dtype = spec.dtype.as_datatype_enum
    if spec.name:
        message.name = spec.name


def encode_spec(spec: TypeSpec) -> struct_pb2.TypeSpecProto:
    """Writes a spec that is none of a dense tensor.

    Raises: NotEncodableError: if its class states no kind and has no registered name, or a field has no form.
    """
    cls = type(spec)
    kind = kind_of_class(cls)
    if kind is None:
        if not is_registered(cls):
            raise NotEncodableError(f"No encoder for object {spec} of type {cls}.")
        kind = _EXTENSION if isinstance(spec, ExtensionTypeSpec) else _REGISTERED
    name = get_name(cls) if kind in (_REGISTERED, _EXTENSION) else cls.__name__
    return struct_pb2.TypeSpecProto(
        type_spec_class=kind,
        type_state=encode_structure(spec._serialize()),
        type_spec_class_name=name,
        num_flat_components=len(spec.flatten()),
    )


def _fill_leaf(message: Any, value: Any) -> None:
    if value is None:
        message.none_value.SetInParent()
    elif isinstance(value, TensorShape):
        message.tensor_shape_value.CopyFrom(value.as_proto())
    elif isinstance(value, DType):
        message.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, bool):
        message.bool_value = value
    elif type(value) is int:
        message.int64_value = value
    elif type(value) is float:
        message.float64_value = value
    elif isinstance(value, str):
        message.string_value = value
    elif isinstance(value, np.ndarray):
        message.numpy_value.CopyFrom(encode_tensor(value, as_dtype(value.dtype)))
    elif isinstance(value, EagerTensor):
        message.tensor_value.CopyFrom(encode_tensor(value._eager_array, value.dtype))
    else:
        raise NotEncodableError(f"No encoder for object {value} of type {type(value)}.")


# --- reading ---------------------------------------------------------------------------------------------------------


def decode_structure(message: Any) -> Any:
    """Reads a nest that `encode_structure`, or TensorFlow, wrote; None where it holds nothing.

    Raises:
      ValueError: for a spec of a class that is not registered, or whose parts do not fit the class; for a dtype or
        a value that cannot be.
      NotImplementedError: for a leaf of a kind that is not known.
    """
    kind = message.WhichOneof("kind")
    if kind is None or kind == "none_value":
        return None
    if kind in ("float64_value", "int64_value", "string_value", "bool_value"):
        return getattr(message, kind)
    if kind == "tensor_shape_value":
        return TensorShape(message.tensor_shape_value)
    if kind == "tensor_dtype_value":
        return dtype_of_number(message.tensor_dtype_value, "A structure in the file")
    if kind in ("tensor_value", "numpy_value"):
        array, dtype = _decode_tensor(getattr(message, kind))
        return convert_to_tensor(array, dtype) if kind == "tensor_value" else array
    if kind == "type_spec_value":
        return decode_spec(message.type_spec_value)
    if kind in ("tensor_spec_value", "bounded_tensor_spec_value"):
        return _decode_dense(getattr(message, kind), kind == "bounded_tensor_spec_value")
    return _decode_container(message, kind)


def _decode_dense(spec: Any, is_bounded: bool) -> Any:
    shape, dtype, name = TensorShape(spec.shape), dtype_of_number(spec.dtype, "A spec in the file"), spec.name or None
    if not is_bounded:
        return TensorSpec(shape, dtype, name)
    return BoundedTensorSpec(shape, dtype, _decode_tensor(spec.minimum)[0], _decode_tensor(spec.maximum)[0], name)


def _decode_tensor(message: object) -> tuple[Any, DType]:
    try:
        return decode_tensor(message)
    except TypeError as error:
        raise ValueError(f"The file holds a tensor that cannot be: {error}") from None


def _decode_container(message: Any, kind: str | None) -> Any:
    if kind == "list_value":
        return [decode_structure(item) for item in message.list_value.values]
    if kind == "tuple_value":
        return tuple(decode_structure(item) for item in message.tuple_value.values)
    if kind == "dict_value":
        fields = message.dict_value.fields
        return {key: decode_structure(fields[key]) for key in sorted(fields)}
    if kind == "named_tuple_value":
        pairs = message.named_tuple_value.values
        cls: Any = namedtuple(message.named_tuple_value.name, [pair.key for pair in pairs])  # type: ignore[misc]  # of a file
        return cls(*(decode_structure(pair.value) for pair in pairs))
    raise NotImplementedError(f"The file holds a `{kind}`, which Millrace does not know.")


def decode_spec(message: Any) -> Any:
    """Reads a spec that `encode_spec`, or TensorFlow, wrote.

    Raises:
      ValueError: if the class is not registered, or the fields are not those of the class.
      NotImplementedError: if no class states the kind.
    """
    kind = struct_pb2.TypeSpecProto.TypeSpecClass.Name(message.type_spec_class)
    cls = _find_registered_class(message.type_spec_class_name, kind) or class_of_kind(kind)
    if cls is None:
        raise NotImplementedError(f"The file holds a spec of kind {kind} ({message.type_spec_class_name!r}).")
    state = decode_structure(message.type_state)
    try:
        return cls._deserialize(state)
    except Exception as error:  # of a class's own constructor, which a file gives anything
        raise ValueError(f"The file holds a {cls.__name__} of {state!r}, which cannot be: {error}") from error


def _find_registered_class(name: str, kind: str) -> Any:
    """Returns the class that is registered under a name; an extension type may do without. None for other kinds.

    Raises: ValueError: if no class is registered under the name.
    """
    if kind == _EXTENSION and not is_known(name):
        return AnonymousExtensionTypeSpec
    return lookup(name) if kind in (_REGISTERED, _EXTENSION) else None


@wire_form("CODEC")
class SpecCodec:
    """What `TypeSpec` asks for its messages."""

    encode = staticmethod(encode_spec)
    decode = staticmethod(decode_spec)
    message_class = struct_pb2.TypeSpecProto
