"""Full types on the wire: what a node's outputs are beyond their dtype.

TensorFlow notes on some nodes that an integer vector is a shape, or of what elements a list or dataset (both of dtype
variant) consists, as a `FullTypeDef` in `experimental_type`. Nothing here reads it; graphs written here carry it so
that they are TensorFlow's. It follows from the op and its attributes alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from millrace._src.core.dtypes import DType
from millrace._src.graph.op_def_proto import type_constant
from millrace._src.proto import full_type_pb2

_LISTS = frozenset(
    "EmptyTensorList TensorListConcatLists TensorListFromTensor TensorListPushBack TensorListPushBackBatch "
    "TensorListReserve TensorListScatter TensorListScatterIntoExistingList TensorListScatterV2 TensorListSetItem "
    "TensorListSplit".split()
)
"""The ops whose first output is a list of tensors of `element_dtype`."""
_DATASET = re.compile(r"Dataset(V\d+)?$")


def full_type_of(op_name: str, attrs: Mapping[str, Any]) -> full_type_pb2.FullTypeDef | None:
    """The type of the outputs of a node as a product; None where TensorFlow notes none."""
    if op_name == "Shape":
        output = _dtype("out_type", attrs, "TFT_SHAPE_TENSOR")
    elif op_name in _LISTS:
        output = _wrapped("TFT_ARRAY", [_dtype("element_dtype", attrs, "TFT_TENSOR")])
    elif _DATASET.search(op_name) and _element_dtypes(attrs):
        tensors = [_tensor_of(dtype) for dtype in _element_dtypes(attrs)]
        output = _wrapped("TFT_DATASET", [_wrapped("TFT_PRODUCT", tensors)])
    else:
        return None
    return None if output is None else _wrapped("TFT_PRODUCT", [output])


def _element_dtypes(attrs: Mapping[str, Any]) -> tuple[DType, ...]:
    return tuple(attrs.get("output_types") or attrs.get("Toutput_types") or ())


def _dtype(attr: str, attrs: Mapping[str, Any], outer: str) -> full_type_pb2.FullTypeDef | None:
    dtype = attrs.get(attr)
    return None if dtype is None else _tensor_of(dtype, outer)


def _tensor_of(dtype: DType, outer: str = "TFT_TENSOR") -> full_type_pb2.FullTypeDef | None:
    name = type_constant(dtype).replace("DT_", "TFT_", 1)
    known = full_type_pb2.FullTypeId.keys()  # the enum itself cannot be asked `in`
    return _wrapped(outer, [_wrapped(name, [])]) if name in known else None


def _wrapped(name: str, args: list[full_type_pb2.FullTypeDef | None]) -> full_type_pb2.FullTypeDef | None:
    """A type of `args`; None if one of them is unknown."""
    known = [arg for arg in args if arg is not None]
    if len(known) < len(args):
        return None
    return full_type_pb2.FullTypeDef(type_id=name, args=known)
