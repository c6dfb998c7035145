"""Ops of TensorFlow 1 that change reference variables, or that keep arrays behind handles, in terms of today's ops.

A translation takes the node and its inputs, and returns the node's outputs, or None where the node is as it is. Of a
tensor array, the flow becomes a list of tensors, which ops forward; nothing is behind the handle any more.

Tests: tests/formats/test_v1_graphs_of_tensorflow.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, float32, int32
from millrace._src.core.shapes import TensorShape
from millrace._src.function.control_flow_v1.reference_variables import V1Variable
from millrace._src.graph.message_bytes import dtype_of_number
from millrace._src.graph.node_def import decode_attrs
from millrace._src.graph.opaque_ops import find_op
from millrace._src.graph.replaced_ops import REPLACED_OPS
from millrace._src.ops import raw

Translation: TypeAlias = Callable[[Any, Sequence[Any]], list[Any] | None]


def _value(value: object) -> Any:
    return value.read() if isinstance(value, V1Variable) else value


# --- reference variables ---------------------------------------------------------------------------------------------


def _changing(op: str, names: Sequence[str]) -> Translation:
    """Returns the translation of an op that changes a reference variable, into one that takes a handle.

    Args:
      op: today's op.
      names: the names of its inputs after the handle.
    """

    def translate(proto: object, inputs: Sequence[Any]) -> list[Any] | None:
        variable = inputs[0]
        if not isinstance(variable, V1Variable):
            return None
        getattr(raw, op)(resource=variable.handle, **dict(zip(names, map(_value, inputs[1:]), strict=True)))
        return [variable]

    return translate


def _on_handles(op: str) -> Translation:
    """Returns the translation of an op that changes reference variables, into the op with the same inputs as handles.

    Args: op: the op; today's has the same name behind `Resource`.
    """
    today = f"Resource{op}"

    def translate(proto: Any, inputs: Sequence[Any]) -> list[Any] | None:
        if not isinstance(inputs[0], V1Variable):
            return None
        op_def = find_op(today)
        arguments = (value.handle if isinstance(value, V1Variable) else value for value in inputs)
        names = (argument.name for argument in op_def.signature.inputs)
        attrs = decode_attrs(proto, find_op(op), proto.name, {})  # today's op may call a dtype by another name
        own = {name: attrs[name] for name in op_def.attr_kinds if name not in op_def.signature.inferred_attrs}
        result = getattr(raw, today)(**dict(zip(names, arguments, strict=True)), **own)
        return [inputs[0] if not op_def.signature.outputs else result]

    return translate


_ON_HANDLES = (
    "ApplyAdaMax",
    "ApplyAdadelta",
    "ApplyAdagrad",
    "ApplyAdagradDA",
    "ApplyAdagradV2",
    "ApplyAdam",
    "ApplyAddSign",
    "ApplyCenteredRMSProp",
    "ApplyFtrl",
    "ApplyFtrlV2",
    "ApplyGradientDescent",
    "ApplyMomentum",
    "ApplyPowerSign",
    "ApplyProximalAdagrad",
    "ApplyProximalGradientDescent",
    "ApplyRMSProp",
    "CountUpTo",
    "ScatterAdd",
    "ScatterDiv",
    "ScatterMax",
    "ScatterMin",
    "ScatterMul",
    "ScatterNdAdd",
    "ScatterNdSub",
    "ScatterNdUpdate",
    "ScatterSub",
    "ScatterUpdate",
    "SparseApplyAdadelta",
    "SparseApplyAdagrad",
    "SparseApplyAdagradDA",
    "SparseApplyAdagradV2",
    "SparseApplyCenteredRMSProp",
    "SparseApplyFtrl",
    "SparseApplyFtrlV2",
    "SparseApplyMomentum",
    "SparseApplyProximalAdagrad",
    "SparseApplyProximalGradientDescent",
    "SparseApplyRMSProp",
    "StridedSliceAssign",
)
"""The ops that change reference variables, and have a successor with the same inputs and attributes."""


def _identity_of_reference(proto: object, inputs: Sequence[Any]) -> list[Any] | None:
    return [inputs[0]] if isinstance(inputs[0], V1Variable) else None


def _identity(proto: Any, inputs: Sequence[Any]) -> list[Any] | None:
    """Forwards a list, which replaces the number that the node declares."""
    value = _value(inputs[0])
    return [value] if value.dtype.name == "variant" and proto.attr["T"].type != value.dtype.enum else None


def _is_initialized(proto: object, inputs: Sequence[Any]) -> list[Any] | None:
    if not isinstance(inputs[0], V1Variable):
        return None
    return [raw.VarIsInitializedOp(resource=inputs[0].handle)]


# --- tensor arrays ---------------------------------------------------------------------------------------------------


def _element_shape(proto: Any, attribute: str) -> Any:
    """Returns a shape attribute as the tensor that ops on lists take."""
    shape = TensorShape(proto.attr[attribute].shape) if attribute in proto.attr else TensorShape(None)
    if shape.rank is None:
        return convert_to_tensor(-1, int32)
    return convert_to_tensor([-1 if size is None else size for size in shape.as_list()], int32)


def _dtype(proto: Any) -> DType:
    return dtype_of_number(proto.attr["dtype"].type, f"Node '{proto.name}'")


def _make_array(proto: object, inputs: Sequence[Any]) -> list[Any]:
    elements = raw.TensorListReserve(
        element_shape=_element_shape(proto, "element_shape"),
        num_elements=inputs[0],
        element_dtype=_dtype(proto),
    )
    return [convert_to_tensor(0.0, float32), elements]


def _write(proto: object, inputs: Sequence[Any]) -> list[Any]:
    _, index, value, flow = map(_value, inputs)
    return [raw.TensorListSetItem(input_handle=flow, index=index, item=value, resize_if_index_out_of_bounds=True)]


def _read(proto: object, inputs: Sequence[Any]) -> list[Any]:
    _, index, flow = inputs
    dtype = _dtype(proto)
    return [
        raw.TensorListGetItem(
            input_handle=flow, index=index, element_shape=_element_shape(proto, "element_shape"), element_dtype=dtype
        )
    ]


def _gather(proto: object, inputs: Sequence[Any]) -> list[Any]:
    _, indices, flow = inputs
    dtype = _dtype(proto)
    return [
        raw.TensorListGather(
            input_handle=flow,
            indices=indices,
            element_shape=_element_shape(proto, "element_shape"),
            element_dtype=dtype,
        )
    ]


def _scatter(proto: object, inputs: Sequence[Any]) -> list[Any]:
    _, indices, value, flow = map(_value, inputs)
    return [raw.TensorListScatterIntoExistingList(input_handle=flow, tensor=value, indices=indices)]


def _concat(proto: object, inputs: Sequence[Any]) -> list[Any]:
    _, flow = inputs
    no_lengths: list[int] = []
    return list(
        raw.TensorListConcatV2(
            input_handle=flow,
            element_shape=convert_to_tensor(-1, int32),
            leading_dims=convert_to_tensor(no_lengths, "int64"),
            element_dtype=_dtype(proto),
        )
    )


def _split(proto: object, inputs: Sequence[Any]) -> list[Any]:
    _, value, lengths, _ = map(_value, inputs)
    return [raw.TensorListSplit(tensor=value, element_shape=convert_to_tensor(-1, int32), lengths=lengths)]


def _size(proto: object, inputs: Sequence[Any]) -> list[Any]:
    return [raw.TensorListLength(input_handle=inputs[1])]


def _nothing(proto: object, inputs: Sequence[Any]) -> list[Any]:
    return []


TRANSLATIONS: dict[str, Translation] = {
    **{op: _on_handles(op) for op in _ON_HANDLES},
    "Assign": _changing("AssignVariableOp", ["value"]),
    "AssignAdd": _changing("AssignAddVariableOp", ["value"]),
    "AssignSub": _changing("AssignSubVariableOp", ["value"]),
    "Identity": _identity,
    "IsVariableInitialized": _is_initialized,
    "RefIdentity": _identity_of_reference,
    "TensorArrayCloseV3": _nothing,
    "TensorArrayConcatV3": _concat,
    "TensorArrayGatherV3": _gather,
    "TensorArrayReadV3": _read,
    "TensorArrayScatterV3": _scatter,
    "TensorArraySizeV3": _size,
    "TensorArraySplitV3": _split,
    "TensorArrayV3": _make_array,
    "TensorArrayWriteV3": _write,
}
"""The translations by op."""

ANSWERED_OPS = frozenset(TRANSLATIONS) | REPLACED_OPS
"""The ops of TensorFlow 1 that Millrace does not have, and that the graphs of SavedModels may hold all the same."""
