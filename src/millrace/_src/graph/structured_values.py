"""Nests of specs on the wire: Python structures to `StructuredValue` and back.

Saved datasets and functions say what their tensors look like in this form: tuples, lists, dictionaries, named tuples,
and as leaves specs, shapes, dtypes and plain Python values.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import NoneTensorSpec, TensorSpec
from millrace._src.proto import struct_pb2


def encode_structure(value: Any) -> struct_pb2.StructuredValue:
    """Writes a nest of specs and plain values.

    Raises: NotImplementedError: for a leaf of another kind, such as the spec of a composite tensor.
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
    elif isinstance(value, dict):
        message.dict_value.SetInParent()
        for key in value:
            _fill(message.dict_value.fields[key], value[key])
    else:
        _fill_leaf(message, value)


def _fill_leaf(message: Any, value: Any) -> None:
    if value is None or isinstance(value, NoneTensorSpec):
        message.none_value.SetInParent()
    elif type(value) is TensorSpec:
        spec = message.tensor_spec_value
        spec.shape.CopyFrom(value.shape.as_proto())
        spec.dtype = value.dtype.as_datatype_enum
        if value.name:
            spec.name = value.name
    elif isinstance(value, TensorShape):
        message.tensor_shape_value.CopyFrom(value.as_proto())
    elif isinstance(value, DType):
        message.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, bool):
        message.bool_value = value
    elif isinstance(value, int):
        message.int64_value = value
    elif isinstance(value, float):
        message.float64_value = value
    elif isinstance(value, str):
        message.string_value = value
    else:
        raise NotImplementedError(
            f"{value!r} cannot be written to a file yet: specs of composite tensors wait for ragged and sparse tensors."
        )


def decode_structure(message: struct_pb2.StructuredValue) -> Any:
    """Reads a nest that `encode_structure`, or TensorFlow, wrote.

    Raises: NotImplementedError: for a leaf of a kind that is not supported.
    """
    kind = message.WhichOneof("kind")
    if kind == "none_value":
        return NoneTensorSpec()
    if kind in ("float64_value", "int64_value", "string_value", "bool_value"):
        return getattr(message, kind)
    if kind == "tensor_shape_value":
        return TensorShape(message.tensor_shape_value)
    if kind == "tensor_dtype_value":
        return as_dtype(message.tensor_dtype_value)
    if kind == "tensor_spec_value":
        spec = message.tensor_spec_value
        return TensorSpec(TensorShape(spec.shape), as_dtype(spec.dtype), spec.name or None)
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
    raise NotImplementedError(
        f"The file holds a `{kind}`, which Millrace cannot read yet: composite tensors wait for their issue."
    )
