"""The ops on conditional accumulators, by a resource handle or, as in TensorFlow 1's graphs, by a reference."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import ObjectHandle
from millrace._src.core.op_def import Effects, op
from millrace._src.core.resources import resource_of
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.accumulator.accumulators import Accumulator, DenseAccumulator, SparseAccumulator
from millrace._src.ops.shape_rules import UNKNOWN, no_outputs, scalar
from millrace._src.ops.type_sets import NUMERIC, QUANTIZED, TypeSet

_NUMBERS = TypeSet((*NUMERIC, *QUANTIZED))
_NOT_DIFFERENTIABLE = "an accumulator is not a number"
_shared_accumulators: weakref.WeakValueDictionary[tuple[str, str], Accumulator] = weakref.WeakValueDictionary()
"""The accumulators with a shared name, by container and name."""
_shared_lock = threading.Lock()


def _find_or_share(made: Accumulator, container: str, shared_name: str) -> Array:
    """Returns the accumulator of a shared name, which is `made` if no handle refers to one; without a name, `made`.

    Raises: InvalidArgumentError: if the accumulator of that name is of another kind, dtype or shape.
    """
    chosen = made
    if shared_name:
        with _shared_lock:
            chosen = _shared_accumulators.setdefault((container, shared_name), made)
    facts = [(type(a).__name__, a.dtype.name, str(a.shape), a.reduction) for a in (chosen, made)]
    if facts[0] != facts[1]:
        raise invalid(f"Shared accumulator '{shared_name}' is {facts[0]} but requested was {facts[1]}")
    array = np.empty((), object)
    array[()] = chosen
    return array


def _accumulator_in(handle: Array, kind: Any) -> Any:
    accumulator = resource_of(handle)
    if not isinstance(accumulator, kind):
        raise invalid(f"The handle refers to {type(accumulator).__name__}, not to {kind.__name__}")
    return accumulator


def _reference_shape(c: ShapeContext) -> TensorShape:
    return TensorShape.of((2,))


def _handle(c: ShapeContext) -> ObjectHandle:
    return ObjectHandle("accumulator")


_MAKES: dict[str, Any] = {
    "dtype": _NUMBERS,
    "handles": _handle,
    "host_only": True,
    "makes_shared_object": True,
    "cacheable": False,
    "not_differentiable": _NOT_DIFFERENTIABLE,
    "not_batched": "it has no operands that could differ",
}
_USES: dict[str, Any] = {
    "effects": Effects.IO,
    "host_only": True,
    "not_differentiable": _NOT_DIFFERENTIABLE,
    "not_batched": "rows would wait for one another",
}


# --- by resource -----------------------------------------------------------------------------------------------------


@op("ResourceConditionalAccumulator", "-> handle: resource", shape=scalar, **_MAKES)
def resource_conditional_accumulator(
    xp: Xp,
    *,
    dtype: DType,
    shape: TensorShape,
    container: str = "",
    shared_name: str = "",
    reduction_type: str = "MEAN",
) -> Array:
    """Makes an accumulator of dense gradients."""
    return _find_or_share(DenseAccumulator(dtype, shape, reduction_type), container, shared_name)


@op(
    "ResourceAccumulatorApplyGradient",
    "handle: resource, local_step: int64, gradient: dtype ->",
    dtype=_NUMBERS,
    shape=no_outputs,
    **_USES,
)
def resource_accumulator_apply_gradient(xp: Xp, handle: Array, local_step: Array, gradient: Array) -> None:
    """Adds a gradient to an accumulator, unless the gradient is of a step before the accumulator's."""
    _accumulator_in(handle, DenseAccumulator).apply(int(local_step), gradient)


@op("ResourceAccumulatorNumAccumulated", "handle: resource -> num_accumulated: int32", shape=scalar, **_USES)
def resource_accumulator_num_accumulated(xp: Xp, handle: Array) -> Array:
    """Counts the gradients that have come since the last was taken."""
    return np.array(_accumulator_in(handle, Accumulator).count, np.int32)


@op(
    "ResourceAccumulatorSetGlobalStep",
    "handle: resource, new_global_step: int64 ->",
    shape=no_outputs,
    **_USES,
)
def resource_accumulator_set_global_step(xp: Xp, handle: Array, new_global_step: Array) -> None:
    """Sets the step below which gradients are stale."""
    _accumulator_in(handle, Accumulator).set_global_step(int(new_global_step))


@op(
    "ResourceAccumulatorTakeGradient",
    "handle: resource, num_required: int32 -> average: dtype",
    dtype=_NUMBERS,
    shape=lambda c: UNKNOWN,
    **_USES,
)
def resource_accumulator_take_gradient(xp: Xp, handle: Array, num_required: Array, *, dtype: DType) -> Array:
    """Waits until enough gradients have come; returns their mean or sum, and begins the next step."""
    accumulator = _accumulator_in(handle, DenseAccumulator)
    accumulator.require(dtype)
    average: Array = accumulator.take(int(num_required))
    return average


# --- by reference ----------------------------------------------------------------------------------------------------


conditional_accumulator = op("ConditionalAccumulator", "-> handle: Ref(string)", shape=_reference_shape, **_MAKES)(
    resource_conditional_accumulator.op_def.kernel
)


@op("SparseConditionalAccumulator", "-> handle: Ref(string)", shape=_reference_shape, **_MAKES)
def sparse_conditional_accumulator(
    xp: Xp,
    *,
    dtype: DType,
    shape: TensorShape,
    container: str = "",
    shared_name: str = "",
    reduction_type: str = "MEAN",
) -> Array:
    """Makes an accumulator of gradients that have few rows."""
    return _find_or_share(SparseAccumulator(dtype, shape, reduction_type), container, shared_name)


accumulator_apply_gradient = op(
    "AccumulatorApplyGradient",
    "handle: Ref(string), local_step: int64, gradient: dtype ->",
    dtype=_NUMBERS,
    shape=no_outputs,
    **_USES,
)(resource_accumulator_apply_gradient.op_def.kernel)


accumulator_num_accumulated = op(
    "AccumulatorNumAccumulated", "handle: Ref(string) -> num_accumulated: int32", shape=scalar, **_USES
)(resource_accumulator_num_accumulated.op_def.kernel)


accumulator_set_global_step = op(
    "AccumulatorSetGlobalStep", "handle: Ref(string), new_global_step: int64 ->", shape=no_outputs, **_USES
)(resource_accumulator_set_global_step.op_def.kernel)


accumulator_take_gradient = op(
    "AccumulatorTakeGradient",
    "handle: Ref(string), num_required: int32 -> average: dtype",
    dtype=_NUMBERS,
    shape=lambda c: UNKNOWN,
    **_USES,
)(resource_accumulator_take_gradient.op_def.kernel)


@op(
    "SparseAccumulatorApplyGradient",
    "handle: Ref(string), local_step: int64, gradient_indices: int64, gradient_values: dtype, gradient_shape: int64 ->",
    dtype=_NUMBERS,
    shape=no_outputs,
    **_USES,
)
def sparse_accumulator_apply_gradient(
    xp: Xp,
    handle: Array,
    local_step: Array,
    gradient_indices: Array,
    gradient_values: Array,
    gradient_shape: Array,
    *,
    has_known_shape: bool,
) -> None:
    """Adds rows to an accumulator, unless they are of a step before the accumulator's."""
    accumulator = _accumulator_in(handle, SparseAccumulator)
    accumulator.apply(int(local_step), gradient_indices, gradient_values, gradient_shape, has_known_shape)


def _sparse_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    return UNKNOWN, UNKNOWN, UNKNOWN


@op(
    "SparseAccumulatorTakeGradient",
    "handle: Ref(string), num_required: int32 -> indices: int64, values: dtype, shape: int64",
    dtype=_NUMBERS,
    shape=_sparse_shapes,
    **_USES,
)
def sparse_accumulator_take_gradient(
    xp: Xp, handle: Array, num_required: Array, *, dtype: DType
) -> tuple[Array, Array, Array]:
    """Waits until enough gradients have come; returns their rows' means or sums, and begins the next step."""
    accumulator = _accumulator_in(handle, SparseAccumulator)
    accumulator.require(dtype)
    parts: tuple[Array, Array, Array] = accumulator.take(int(num_required))
    return parts
