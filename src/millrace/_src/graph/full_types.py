"""Full types on the wire: what a node's outputs are beyond their dtype.

TensorFlow notes on some nodes that an integer vector is a shape, or of what elements a list consists, as a
`FullTypeDef` in `experimental_type`. Nothing here reads these notes; graphs written here carry them so that the graphs
are TensorFlow's.

An op declares the note as text, `full_type="ARRAY[TENSOR[element_dtype]]"`: constructors in capitals, with their
arguments in brackets, around the name of a type attribute.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millrace._src.core.op_def import OpDef
from millrace._src.graph.op_def_proto import type_constant
from millrace._src.proto import full_type_pb2


def full_type_of(op_def: OpDef, attrs: Mapping[str, Any]) -> full_type_pb2.FullTypeDef | None:
    """Returns the type of the outputs of a node as a product; None where TensorFlow notes none."""
    declared_type = op_def.traits.full_type
    if declared_type is None:
        return None
    *constructors, attr = declared_type.rstrip("]").split("[")
    innermost = type_constant(attrs[attr]).removeprefix("DT_")
    names = [f"TFT_{name}" for name in ("PRODUCT", *constructors, innermost)]
    if names[-1] not in full_type_pb2.FullTypeId.keys():  # noqa: SIM118  (the enum itself cannot be asked `in`)
        return None
    full_type: full_type_pb2.FullTypeDef | None = None
    for name in reversed(names):
        full_type = full_type_pb2.FullTypeDef(type_id=name, args=[] if full_type is None else [full_type])
    return full_type
