"""The view of a shape rule: static shapes, attributes, and values known while tracing.

`reshape(x, [tf.shape(x)[0], -1])` keeps its static batch size only if the rule of Reshape can look at the *value* of
its second input. `static_value` finds values by running the kernels of side-effect-free ops whose inputs are constants.
A rule `partial_value` of an op finds vectors of which only some elements are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.context import eager_engine
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import Effects, OpDef
from millrace._src.core.op_signature import argument_indices
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor

_MAX_ELEMENTS = 4096
"""The most elements of a tensor whose value is computed while tracing: no shape is longer."""

_UNKNOWN = TensorShape(None)


class ShapeContext:
    """The inputs and attributes of one op call, for the op's shape rule."""

    __slots__ = ("op", "inputs", "attrs")

    def __init__(self, op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any]) -> None:
        self.op = op
        self.inputs = inputs
        self.attrs = attrs

    def tensors(self, name: str) -> Sequence[Any]:
        """Returns the tensors of input `name`."""
        position = self.op.input_positions.get(name)
        if position is not None:
            return (self.inputs[position],)
        for arg, at in argument_indices(self.op.signature.inputs, self.attrs):
            if arg.name == name:
                return self.inputs[at.start : at.stop]
        raise KeyError(f"{self.op.name} has no input '{name}'.")

    def shape(self, name: str) -> TensorShape:
        """Returns the static shape of the single input `name`."""
        shape: TensorShape = self.tensors(name)[0].shape
        return shape

    def shapes(self, name: str) -> list[TensorShape]:
        """Returns the static shapes of the list input `name`."""
        return [t.shape for t in self.tensors(name)]

    def attr(self, name: str) -> Any:
        """Returns the value of an attribute."""
        return self.attrs[name]

    def dtype(self, name: str) -> DType:
        """Returns the dtype of input `name` (of the first tensor if the input is a list)."""
        dtype: DType = self.tensors(name)[0].dtype
        return dtype

    def value(self, name: str) -> Any:
        """Returns the value of input `name` as a NumPy array if the value is known while tracing, else None."""
        return static_value(self.tensors(name)[0])

    def value_as_shape(self, name: str) -> TensorShape:
        """Reads the integer vector `name` as a shape; -1 and unknown elements are unknown dimensions."""
        return static_shape(self.tensors(name)[0])

    def partial(self, name: str) -> list[int | None] | None:
        """Returns the elements of the integer vector (or scalar, as one element) `name`, None where unknown."""
        return partial_value(self.tensors(name)[0])


def static_value(tensor: Any) -> Any:
    """Returns the value of a tensor as a NumPy array if no part of it is unknown while tracing, else None."""
    if isinstance(tensor, EagerTensor):
        return tensor._eager_array
    operation = getattr(tensor, "op", None)
    if operation is None:
        return None
    values = _static_outputs(operation)
    if values is not None:
        return values[tensor.value_index]
    if operation.op_def is None or operation.op_def.rules.partial_value is None or tensor.shape.rank not in (0, 1):
        return None
    elements = operation.op_def.rules.partial_value(ShapeContext(operation.op_def, operation.inputs, operation.attrs))
    if elements is None or None in elements:
        return None
    dims = () if tensor.shape.rank == 0 else (len(elements),)
    return np.array(elements, dtype=tensor.dtype.np_dtype).reshape(dims)


def _static_outputs(operation: Any) -> Sequence[Any] | None:
    """Returns the values of all outputs of an operation, memoized on the operation."""
    if operation.static_values is None:
        _settle(operation)
    return operation.static_values or None


def _settle(operation: Any) -> None:
    """Notes what is known of the outputs of an operation and, first, of those that it depends on.

    A chain of operations may be longer than calls can be nested.
    """
    pending = [operation]
    while pending:
        current = pending[-1]
        if current.static_values is None and not _may_fold(current):
            current.note_values(False)
        source = _unsettled_source(current) if current.static_values is None else None
        if source is not None:
            pending.append(source)
            continue
        pending.pop()
        if current.static_values is None:
            current.note_values(_fold(current) or False)


def _unsettled_source(operation: Any) -> Any:
    """Returns the first operation of which must be found out whether its outputs are known; None if there is none."""
    for tensor in operation.inputs:
        source = getattr(tensor, "op", None)
        if source is not None and source.static_values is None:
            return source
        if source is not None and not source.static_values and not operation.op_def.traits.reads_only_shapes:
            return None  # one unknown input is enough
    return None


def _may_fold(operation: Any) -> bool:
    """Returns whether the outputs of an operation are known, and small, where its inputs are."""
    op: OpDef | None = operation.op_def
    if op is None or op.effects(operation.attrs) is not Effects.NONE or op.holds_graphs:
        return False
    if any((t.shape.num_elements() or 0) > _MAX_ELEMENTS or t.dtype.is_handle for t in operation.outputs):
        return False
    return bool(operation.inputs) or op.attr_kinds.get("value") == "tensor"


def _fold(operation: Any) -> Sequence[Any] | None:
    op: OpDef = operation.op_def
    values = []
    for tensor in operation.inputs:
        value = static_value(tensor)
        if value is None:
            value = shape_only_stand_in(op, tensor)
        if value is None or value.size > _MAX_ELEMENTS and not op.traits.reads_only_shapes:
            return None
        values.append(value)
    results = compute_outputs(operation, values)
    if results is None:
        return None
    return [np.asarray(r) if not isinstance(r, bytes) else np.array(r, dtype=object) for r in results]


def compute_outputs(operation: Any, values: Sequence[Any]) -> list[Any] | None:
    """Returns what the kernel of an operation makes of values of its inputs; None if the kernel refuses them."""
    kernel = eager_engine().bind(operation.op_def, tuple(t.dtype for t in operation.inputs), operation.attrs)
    try:
        with np.errstate(all="ignore"):
            return _flat(operation.op_def, kernel(*values))
    except Exception:
        return None


def shape_only_stand_in(op: OpDef, tensor: Any) -> Any:
    """Returns, for ops that read only shapes, an array of the right shape that takes no memory."""
    if not op.traits.reads_only_shapes or not tensor.shape.is_fully_defined():
        return None
    return np.broadcast_to(np.zeros((), dtype=tensor.dtype.np_dtype), tuple(tensor.shape.as_list()))


def _flat(op: OpDef, result: Any) -> list[Any]:
    args = op.signature.outputs
    if len(args) == 1:
        return list(result) if args[0].is_list else [result]
    flat: list[Any] = []
    for arg, part in zip(args, result, strict=True):
        flat.extend(part) if arg.is_list else flat.append(part)
    return flat


def partial_value(tensor: Any) -> list[int | None] | None:
    """Returns the elements of an integer vector or scalar, None where unknown; None if no element is known."""
    value = static_value(tensor)
    if value is not None:
        return [int(v) for v in np.asarray(value).reshape(-1)] if value.ndim <= 1 else None
    operation = getattr(tensor, "op", None)
    if operation is not None and operation.op_def is not None and operation.op_def.rules.partial_value is not None:
        elements: list[int | None] | None = operation.op_def.rules.partial_value(
            ShapeContext(operation.op_def, operation.inputs, operation.attrs)
        )
        if elements is not None:
            return elements
    shape = tensor.shape
    if shape.rank == 0:
        return [None]
    if shape.rank == 1 and shape.as_list()[0] is not None:
        return [None] * shape.as_list()[0]
    return None


def static_shape(tensor: Any) -> TensorShape:
    """Reads an integer vector as a shape: unknown where elements are -1 or unknown."""
    if tensor.shape.rank == 0:
        value = static_value(tensor)
        if value is not None and int(value) != -1:
            raise ValueError(
                "Received a scalar with value as shape; require a statically known scalar with value '-1' "
                "to describe an unknown shape."
            )
        return _UNKNOWN
    elements = partial_value(tensor)
    if elements is None:
        return _UNKNOWN
    return TensorShape([None if e is None or e == -1 else e for e in elements])
