"""Full types on the wire: what a node's outputs are beyond their dtype.

TensorFlow notes on some nodes that an integer vector is a shape, or of what elements a list consists, as a
`FullTypeDef` in `experimental_type`. Nothing here reads these notes; graphs written here carry them so that the graphs
are TensorFlow's.

An op declares the note as text, `full_type="ARRAY[TENSOR[element_dtype]]"`: constructors in capitals, with their
argument in brackets, around a type or the name of a type attribute. Where the attribute is a list of types, the
constructor next to it is repeated: elements of a `DATASET[PRODUCT[TENSOR[output_types]]]` have several tensors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millrace._src.core.op_def import OpDef
from millrace._src.graph.op_def_proto import type_constant
from millrace._src.proto import full_type_pb2

_WITHOUT_NAME = frozenset({"TFT_BFLOAT16", "TFT_RESOURCE"})
"""Types of which TensorFlow notes nothing, beside the quantized ones."""


def full_type_of(op_def: OpDef, attrs: Mapping[str, Any]) -> full_type_pb2.FullTypeDef | None:
    """Returns the type of the outputs of a node as a product; None where TensorFlow notes none."""
    declared_type = op_def.traits.full_type
    if declared_type is None:
        return None
    outputs = _types(declared_type, attrs) if declared_type else []
    return full_type_pb2.FullTypeDef(type_id="TFT_PRODUCT", args=outputs)


def _types(text: str, attrs: Mapping[str, Any]) -> list[full_type_pb2.FullTypeDef]:
    """Returns the types for which a text stands: several where a constructor is next to a list of types."""
    name, bracket, argument = text.partition("[")
    if not bracket:
        return _leaves(attrs[name]) if name in attrs else [full_type_pb2.FullTypeDef(type_id=f"TFT_{name}")]
    argument = argument.removesuffix("]")
    inner = _types(argument, attrs)
    if "[" in argument:
        return [_construct(name, inner)]
    return [_construct(name, [leaf]) for leaf in inner]


def _construct(name: str, arguments: list[full_type_pb2.FullTypeDef]) -> full_type_pb2.FullTypeDef:
    """Returns a type with arguments; of a list of handles, and of what is unset, nothing is noted."""
    of_handles = [full_type_pb2.FullTypeDef(type_id="TFT_TENSOR", args=_handle())]
    is_bare = name == "UNSET" or (name == "ARRAY" and arguments == of_handles)
    return full_type_pb2.FullTypeDef(type_id=f"TFT_{name}", args=[] if is_bare else arguments)


def _handle() -> list[full_type_pb2.FullTypeDef]:
    return [full_type_pb2.FullTypeDef(type_id="TFT_LEGACY_VARIANT")]


def _leaves(types: Any) -> list[full_type_pb2.FullTypeDef]:
    """Returns the full types of the value of a type attribute, which may be a list."""
    return [_leaf(dtype) for dtype in (types if isinstance(types, (list, tuple)) else [types])]


def _leaf(dtype: Any) -> full_type_pb2.FullTypeDef:
    name = type_constant(dtype).replace("DT_", "TFT_", 1)
    if name == "TFT_VARIANT":
        return _handle()[0]
    is_noted = name in full_type_pb2.FullTypeId.keys() and name not in _WITHOUT_NAME  # noqa: SIM118  (an enum, no dict)
    return full_type_pb2.FullTypeDef(type_id=name if is_noted else "TFT_UNSET")
