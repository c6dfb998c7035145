"""Attributes on the wire: Python values to `AttrValue` and back.

Problem: an attribute's message depends on the attribute's declared kind (`1` is `f: 1` for a float attribute, `i: 1`
for an integer attribute). But nodes also carry attributes that no op declares (`_output_shapes`, `_class`), whose kind
only the value tells.

Idea: one function per kind writes a value, one table by field name reads a value. A kind is either declared or guessed
from the value; lists are the same functions over the list message. A function travels as its name and is found again in
the library of the graph that is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from millrace._src.core.dtypes import DType, as_dtype, from_np
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.graph.tensor_proto import decode_tensor, encode_tensor
from millrace._src.proto import attr_value_pb2


class FunctionName:
    """A function attribute whose function is not in the library: the function's name and attributes.

    Graphs are read and written with such names intact; running one asks for the function and fails.
    """

    __slots__ = ("attrs", "name")

    def __init__(self, name: str, attrs: Mapping[str, Any] | None = None) -> None:
        self.name = name
        self.attrs = dict(attrs or {})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionName) and (self.name, self.attrs) == (other.name, other.attrs)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"FunctionName({self.name!r})"


# --- Python to proto ---------------------------------------------------------------------------------------------


def _text(value: Any) -> bytes:
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else bytes(value)


_SCALAR: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "bool": ("b", bool),
    "int": ("i", int),
    "float": ("f", float),
    "string": ("s", _text),
    "type": ("type", lambda value: as_dtype(value).enum),
}


def _tensor(value: object) -> Any:
    """Encodes a tensor attribute: an array, or a (array, dtype) pair where the array's own dtype does not tell."""
    if isinstance(value, tuple):
        return encode_tensor(*value)
    array = np.asarray(value)
    return encode_tensor(array, from_np(array.dtype))


def _function(value: Any) -> attr_value_pb2.NameAttrList:
    name = value if isinstance(value, (str, bytes)) else value.name
    proto = attr_value_pb2.NameAttrList(name=name.decode() if isinstance(name, bytes) else name)
    if isinstance(value, FunctionName):
        for name, attr in value.attrs.items():
            proto.attr[name].CopyFrom(encode_attr(attr))
    return proto


_MESSAGE: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "shape": ("shape", lambda value: as_shape(value).as_proto()),
    "tensor": ("tensor", _tensor),
    "func": ("func", _function),
}


def kind_of(value: object) -> str:
    """Guesses the kind of an undeclared attribute from the value."""
    if isinstance(value, (list, tuple)):
        return f"list[{kind_of(value[0])}]" if value else "list[int]"
    for types, kind in _KINDS:
        if isinstance(value, types):
            return kind
    if hasattr(value, "name") and (hasattr(value, "graph") or hasattr(value, "inputs")):
        return "func"
    raise TypeError(f"A value of type {type(value).__name__} cannot be an attribute of a node: {value!r}.")


_KINDS: tuple[tuple[Any, str], ...] = (
    ((bool, np.bool_), "bool"),
    ((int, np.integer), "int"),
    ((float, np.floating), "float"),
    ((str, bytes), "string"),
    (DType, "type"),
    (TensorShape, "shape"),
    (FunctionName, "func"),
    (np.ndarray, "tensor"),
)


def encode_attr(value: object, kind: str | None = None) -> attr_value_pb2.AttrValue:
    """Writes an attribute; `kind` is the declared kind (`int`, `list[shape]`, ...), None guesses the kind.

    Raises: TypeError: if no kind of attribute has such a value.
    """
    proto = attr_value_pb2.AttrValue()
    if isinstance(value, attr_value_pb2.AttrValue):
        proto.CopyFrom(value)
        return proto
    kind = kind or kind_of(value)
    if kind.startswith("list["):
        proto.list.SetInParent()
        _encode_list(proto.list, value, kind[5:-1])
    elif kind in _SCALAR:
        field, convert = _SCALAR[kind]
        setattr(proto, field, convert(value))
    else:
        field, convert = _MESSAGE[kind]
        getattr(proto, field).CopyFrom(convert(value))
    return proto


def _encode_list(proto: Any, values: Any, kind: str) -> None:
    field, convert = _SCALAR.get(kind) or _MESSAGE[kind]
    getattr(proto, field).extend([convert(value) for value in values])


# --- proto to Python ---------------------------------------------------------------------------------------------

Library = Mapping[str, Any]
"""Functions by name."""


def _decode_function(proto: Any, library: Library) -> Any:
    function = library.get(proto.name)
    if function is not None and all(name.startswith("_") for name in proto.attr):  # else they fix open types
        return function
    return FunctionName(proto.name, {name: decode_attr(attr, library) for name, attr in proto.attr.items()})


def _decode_dtype(number: int) -> DType:
    try:
        return as_dtype(number)
    except TypeError:
        raise ValueError("AttrValue has invalid DataType") from None


_DECODE: dict[str, Callable[[Any, Library], Any]] = {
    "b": lambda value, _: value,
    "i": lambda value, _: value,
    "f": lambda value, _: value,
    "s": lambda value, _: value.decode("utf-8", "surrogateescape"),
    "type": lambda value, _: _decode_dtype(value),
    "shape": lambda value, _: TensorShape(value),
    "tensor": lambda value, _: decode_tensor(value)[0],
    "func": _decode_function,
}

KIND_OF_FIELD = {
    "b": "bool",
    "i": "int",
    "f": "float",
    "s": "string",
    "type": "type",
    "shape": "shape",
    "tensor": "tensor",
    "func": "func",
}


def decode_attr(proto: Any, library: Library | None = None) -> Any:
    """Reads an attribute: lists become tuples, functions are looked up in `library`.

    Raises: ValueError: if the attribute is empty, a placeholder, or malformed.
    """
    field = proto.WhichOneof("value")
    if field is None or field == "placeholder":
        raise ValueError("AttrValue missing value" if field is None else "AttrValue had placeholder value")
    functions = library or {}
    if field != "list":
        return _DECODE[field](getattr(proto, field), functions)
    for name, decode in _DECODE.items():
        values = getattr(proto.list, name)
        if len(values):
            return tuple(decode(value, functions) for value in values)
    return ()


def wire_kind(proto: Any) -> str | None:
    """Returns TensorFlow's name of the kind that a message holds (`int`, `list(int)`); None for an empty message."""
    field = proto.WhichOneof("value")
    if field != "list":
        return KIND_OF_FIELD.get(field)
    for name, kind in KIND_OF_FIELD.items():
        if len(getattr(proto.list, name)):
            return f"list({kind})"
    return "list"
