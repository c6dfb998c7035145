"""Ops on variables: create, read, assign, scatter.

A variable's value is replaced, so every kernel here computes a new array from the old array; a sum with a large array
that no other tensor holds is written into that array.
The same kernels serve XLA, where the resource is a cell that holds the traced value.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, int32
from millrace._src.core.handle_types import VariableHandle
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.op_def import Effects, op
from millrace._src.core.op_registry import get_op
from millrace._src.core.resources import VariableStorage, resource_of
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops import raw
from millrace._src.ops.array import index_batches
from millrace._src.ops.array.shape_checks import merge
from millrace._src.ops.shape_rules import UNKNOWN, no_outputs, scalar
from millrace._src.ops.type_sets import ANY, INDEX, NUMERIC
from millrace._src.util.thread_pool import run_in_blocks

_FEWEST_IN_PLACE, _BLOCK = 1 << 14, 1 << 18
"""The elements of a variable from which on an update in place is worth a look; the most elements for one thread."""
_STATE = "it changes a variable and has no differentiable output"


def value_of(storage: Any) -> Array:
    """Returns the value of a variable.

    Raises: FailedPreconditionError: if the variable has no value yet.
    """
    value = storage.value
    if value is None:
        raise errors.FailedPreconditionError(
            None,
            None,
            f"Could not find variable {storage.name}. This could mean that the variable has been deleted "
            "or was never initialized.",
        )
    return value


def variable_shape_of(handle: Any) -> TensorShape:
    """Returns the static shape of the variable behind a handle."""
    variable = handle.handle_type
    return variable.shape if isinstance(variable, VariableHandle) else UNKNOWN


def fill_like_variable(handle: Any, number: int) -> Any:
    """Returns a tensor of the shape and dtype of the variable behind a handle, every element of which is `number`.

    Raises: ValueError: if the handle does not say the dtype.
    """
    variable = handle.handle_type
    if not isinstance(variable, VariableHandle):
        raise ValueError(f"The dtype of the variable behind {handle} is not known.")
    return raw.Fill(dims=raw.VariableShape(input=handle), value=raw.Cast(x=number, DstT=variable.dtype))


def _variable_shape(c: ShapeContext) -> TensorShape:
    return variable_shape_of(c.inputs[0])


def _shape_text(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape))}]"


# --- life ----------------------------------------------------------------------------------------------------------


@op(
    "VarHandleOp",
    " -> resource: resource",
    shape=scalar,
    handles=lambda c: VariableHandle(c.attr("dtype"), c.attr("shape")),
    makes_shared_object=True,
    not_differentiable=_STATE,
    not_batched="it has no operands that could differ",
)
def var_handle(
    xp: Xp,
    *,
    dtype: DType,
    shape: TensorShape,
    container: str = "",
    shared_name: str = "",
    debug_name: str = "",
    allowed_devices: list[str] = (),  # type: ignore[assignment]  # an empty list by default
) -> Any:
    """Makes a handle to a new variable without a value."""
    return VariableStorage(dtype, shape, shared_name or debug_name)


@op(
    "VarIsInitializedOp",
    "resource: resource -> is_initialized: bool",
    shape=scalar,
    effects=Effects.READS,
    not_differentiable=_STATE,
)
def var_is_initialized(xp: Xp, resource: Array) -> Array:
    """Returns whether a variable has a value."""
    return np.asarray(resource_of(resource).value is not None)


@op(
    "DestroyResourceOp",
    "resource: resource -> ",
    shape=no_outputs,
    effects=Effects.WRITES,
    host_only=True,
    not_differentiable=_STATE,
)
def destroy_resource(xp: Xp, resource: Array, *, ignore_lookup_error: bool = True) -> None:
    """Drops a variable's value, or what another object holds."""
    resource_of(resource).destroy()


@op(
    "DisableCopyOnRead",
    "resource: resource -> ",
    shape=no_outputs,
    effects=Effects.WRITES,
    host_only=True,
    not_differentiable=_STATE,
)
def disable_copy_on_read(xp: Xp, resource: Array) -> None:
    """Does nothing: TensorFlow turns off copies of a variable's value here, and no read makes a copy in Millrace."""
    value_of(resource_of(resource))


def _rank_of_variable(c: ShapeContext) -> TensorShape:
    return TensorShape([_variable_shape(c).rank])


@op(
    "VariableShape",
    "input: resource -> output: out_type",
    out_type=INDEX.with_default(int32),
    shape=_rank_of_variable,
    effects=Effects.READS,
    reads_only_shapes=True,
    not_differentiable="a shape is integers",
)
def variable_shape(xp: Xp, input: Array, *, out_type: DType) -> Array:
    """Returns the shape of a variable's value."""
    return np.array(value_of(resource_of(input)).shape, dtype=out_type.np_dtype)


# --- read and assign --------------------------------------------------------------------------------------------------


@op("ReadVariableOp", "resource: resource -> value: dtype", dtype=ANY, shape=_variable_shape, effects=Effects.READS)
def read_variable(xp: Xp, resource: Array, *, dtype: DType) -> Array:
    """Reads the value of a variable."""
    value = value_of(resource_of(resource))
    if value.dtype != dtype.np_dtype:
        raise errors.InvalidArgumentError(
            None, None, f"Trying to read variable with wrong dtype. Expected {dtype.name} got {value.dtype.name}"
        )
    return value


@read_variable.specialize
def _specialize_read(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    dtype = attrs["dtype"]
    np_dtype = dtype.np_dtype

    def read(resource: Array) -> Array:
        storage = resource[()]
        value: Array = storage.value
        if value is None or value.dtype is not np_dtype:
            value = read_variable.op_def.kernel(xp, resource, dtype=dtype)
        return value

    return read


@read_variable.gradient(accepts_slices=True)
def read_variable_gradient(dvalue: object) -> Any:
    """Attaches the gradient with respect to a variable to the variable's handle."""
    return dvalue


def _assigned_shape(c: ShapeContext) -> list[TensorShape]:
    merge(_variable_shape(c), c.shape("value"))
    return []


@op(
    "AssignVariableOp",
    "resource: resource, value: dtype -> ",
    dtype=ANY,
    shape=_assigned_shape,
    effects=Effects.WRITES,
    not_differentiable=_STATE,
)
def assign_variable(xp: Xp, resource: Array, value: Array, *, validate_shape: bool = False) -> None:
    """Replaces the value of a variable."""
    storage = resource_of(resource)
    if storage.dtype is not None and value.dtype != storage.dtype.np_dtype:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Trying to assign variable with wrong dtype. Expected {storage.dtype.name} got {value.dtype.name}",
        )
    storage.value = value


def _check_same_dtype(value: Array, update: Array) -> None:
    if value.dtype != update.dtype:
        raise errors.InvalidArgumentError(
            None,
            None,
            "DType of variable handle and value does not match: "
            f"the variable has {value.dtype.name} and the value {update.dtype.name}.",
        )


def _update(xp: Xp, resource: Array, value: Array, combine: Any) -> None:
    """Replaces the old value of a variable by `combine(old, value)`; the shapes must be equal."""
    storage = resource_of(resource)
    with getattr(storage, "lock", None) or contextlib.nullcontext():
        old_value = value_of(storage)
        _check_same_dtype(old_value, value)
        if old_value.shape != value.shape:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Cannot update variable with shape {_shape_text(old_value.shape)} using a Tensor with shape "
                f"{_shape_text(value.shape)}, shapes must be equal.",
            )
        if old_value.size >= _FEWEST_IN_PLACE and isinstance(storage, VariableStorage):
            del old_value  # or else somebody holds it
            if storage.change_in_place(lambda array: _combine_in_place(combine, array, value)):
                return
            old_value = value_of(storage)
        new_value = combine(old_value, value)
        storage.value = new_value if not isinstance(new_value, np.generic) else np.asarray(new_value)


def _combine_in_place(combine: Any, array: Array, value: Array) -> None:
    """Writes `combine(array, value)` into the array, which no other tensor holds, of the same shape and dtype."""
    if not (array.flags.c_contiguous and value.flags.c_contiguous):
        combine(array, value, out=array)
        return
    flat, flat_value = array.reshape(-1), value.reshape(-1)

    def work(start: int, stop: int) -> None:
        combine(flat[start:stop], flat_value[start:stop], out=flat[start:stop])

    run_in_blocks(flat.size, _BLOCK, work, nanoseconds=1.0)


@op(
    "AssignAddVariableOp",
    "resource: resource, value: dtype -> ",
    dtype=NUMERIC,
    shape=_assigned_shape,
    effects=Effects.WRITES,
    not_differentiable=_STATE,
)
def assign_add_variable(xp: Xp, resource: Array, value: Array) -> None:
    """Adds to the value of a variable."""
    _update(xp, resource, value, xp.add)


@op(
    "AssignSubVariableOp",
    "resource: resource, value: dtype -> ",
    dtype=NUMERIC,
    shape=_assigned_shape,
    effects=Effects.WRITES,
    not_differentiable=_STATE,
)
def assign_sub_variable(xp: Xp, resource: Array, value: Array) -> None:
    """Subtracts from the value of a variable."""
    _update(xp, resource, value, xp.subtract)


@op(
    "ResourceCountUpTo",
    "resource: resource -> output: T",
    T=INDEX,
    shape=scalar,
    effects=Effects.WRITES,
    host_only=True,
    not_differentiable=_STATE,
)
def resource_count_up_to(xp: Xp, resource: Array, *, limit: int) -> Array:
    """Reads the value of a scalar variable and increments it; raises once the value has reached `limit`."""
    storage = resource_of(resource)
    old_value = value_of(storage)
    if old_value.ndim:
        raise errors.InvalidArgumentError(None, None, f"input is not a scalar: {_shape_text(old_value.shape)}")
    if old_value >= limit:
        raise errors.OutOfRangeError(None, None, f"Reached limit of {limit}")
    storage.value = np.asarray(old_value + 1, dtype=old_value.dtype)
    return old_value


# --- gather and scatter -----------------------------------------------------------------------------------------------


def _refuse_outside(indices: Array, size: int) -> None:
    wrong_positions = np.flatnonzero((indices < 0) | (indices >= size))
    if wrong_positions.size:
        position = np.unravel_index(wrong_positions[0], indices.shape)
        where = f"[{','.join(map(str, position))}]" if indices.ndim else ""
        raise errors.InvalidArgumentError(
            None, None, f"indices{where} = {indices.reshape(-1)[wrong_positions[0]]} is not in [0, {size})"
        )


def _refuse_tuples_outside(indices: Array, shape: tuple[int, ...]) -> None:
    _check_depth(indices, shape)
    is_wrong = np.zeros(indices.shape[:-1], bool)
    for part, size in zip(np.moveaxis(indices, -1, 0), shape, strict=False):
        is_wrong |= (part < 0) | (part >= size)
    if is_wrong.any():
        where = np.argwhere(is_wrong)[0].tolist()
        shown_index = f"[{', '.join(map(str, indices[tuple(where)].tolist()))}]"
        raise errors.InvalidArgumentError(
            None, None, f"indices{where} = {shown_index} does not index into shape {_shape_text(shape)}"
        )


def _check_depth(indices: Array, shape: tuple[int, ...]) -> None:
    """Refuses index tuples that are longer than the variable's rank."""
    if indices.shape[-1] > len(shape):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"index innermost dimension length must be <= params rank; saw: {indices.shape[-1]} vs. {len(shape)}",
        )


def _gather_shape(c: ShapeContext) -> TensorShape:
    variable, batch = _variable_shape(c), c.attr("batch_dims")
    if variable.rank is None:
        return UNKNOWN
    return variable[:batch].concatenate(c.shape("indices")[batch:]).concatenate(variable[batch + 1 :])


def _refuse_gather_outside(resource: Array, indices: Array, *, batch_dims: int) -> None:
    _refuse_outside(indices, value_of(resource_of(resource)).shape[batch_dims])


@op(
    "ResourceGather",
    "resource: resource, indices: Tindices -> output: dtype",
    dtype=ANY,
    Tindices=INDEX,
    checks=_refuse_gather_outside,
    shape=_gather_shape,
    effects=Effects.READS,
    batching=index_batches.resource_gather,
    refuses=("indices",),
)
def resource_gather(
    xp: Xp, resource: Array, indices: Array, *, batch_dims: int = 0, validate_indices: bool = True
) -> Array:
    """Picks rows of a variable."""
    value = value_of(resource_of(resource))
    if batch_dims == 0:
        return xp.take(value, indices, axis=0)
    lead = [
        xp.arange(n).reshape([-1 if i == j else 1 for j in range(indices.ndim)])
        for i, n in enumerate(value.shape[:batch_dims])
    ]
    return value[(*lead, indices)]


@resource_gather.gradient
def resource_gather_gradient(dy: object, resource: object, indices: object) -> tuple[Any, None]:
    """Returns a sparse gradient: only the picked rows have a gradient."""
    shape = raw.VariableShape(input=resource)
    rows = raw.Reshape(tensor=indices, shape=[-1])
    return IndexedSlices(raw.Reshape(tensor=dy, shape=_slices_shape(resource, indices, shape)), rows, shape), None


def _slices_shape(resource: Any, indices: Any, shape: Any) -> Any:
    """Returns the shape of one slice for each index, as numbers where the shape is known."""
    variable, count = variable_shape_of(resource), indices.shape.num_elements()
    if count is not None and variable.rank is not None and variable[1:].is_fully_defined():
        return [count, *variable[1:].as_list()]
    return raw.ConcatV2(values=[raw.ExpandDims(input=raw.Size(input=indices), dim=0), shape[1:]], axis=0)


def _gather_nd_shape(c: ShapeContext) -> TensorShape:
    variable, indices = _variable_shape(c), c.shape("indices")
    if variable.rank is None or indices.rank is None or indices.as_list()[-1] is None:
        return UNKNOWN
    return TensorShape(indices.as_list()[:-1]).concatenate(variable[indices.as_list()[-1] :])


def _refuse_gather_nd_outside(resource: Array, indices: Array) -> None:
    _refuse_tuples_outside(indices, value_of(resource_of(resource)).shape)


@op(
    "ResourceGatherNd",
    "resource: resource, indices: Tindices -> output: dtype",
    dtype=ANY,
    Tindices=INDEX,
    checks=_refuse_gather_nd_outside,
    shape=_gather_nd_shape,
    effects=Effects.READS,
    batching=index_batches.resource_gather,
    refuses=("indices",),
)
def resource_gather_nd(xp: Xp, resource: Array, indices: Array) -> Array:
    """Picks slices of a variable at index tuples."""
    value = value_of(resource_of(resource))
    parts = tuple(xp.moveaxis(indices, -1, 0))
    _check_depth(indices, value.shape)
    return value[parts]


@resource_gather_nd.gradient
def resource_gather_nd_gradient(dy: Any, resource: Any, indices: Any) -> tuple[Any, None]:
    """Scatters the gradient back."""
    shape = raw.VariableShape(input=resource, out_type=indices.dtype)
    if indices.shape.rank == 2 and indices.shape[-1] == 1:
        return IndexedSlices(dy, raw.Squeeze(input=indices, squeeze_dims=[-1]), shape), None
    return raw.ScatterNd(indices=indices, updates=dy, shape=shape), None


def _refuse_scatter_outside(resource: Array, indices: Array, updates: Array) -> None:
    value = value_of(resource_of(resource))
    _check_same_dtype(value, updates)
    _refuse_outside(indices, value.shape[0])


def _refuse_scatter_nd_outside(ref: Array, indices: Array, updates: Array) -> None:
    value = value_of(resource_of(ref))
    _check_same_dtype(value, updates)
    _refuse_tuples_outside(indices, value.shape)


def _scatter(xp: Xp, resource: Array, indices: Array, updates: Array, mode: str) -> None:
    storage = resource_of(resource)
    with getattr(storage, "lock", None) or contextlib.nullcontext():
        old_value = value_of(storage)
        _check_same_dtype(old_value, updates)
        wanted_shape = (*indices.shape, *old_value.shape[1:])
        if updates.ndim and updates.shape != wanted_shape:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape "
                f"{_shape_text(updates.shape)}, indices.shape {_shape_text(indices.shape)}, params.shape "
                f"{_shape_text(old_value.shape)}",
            )
        del old_value  # or else something holds it
        _scatter_into(xp, storage, (indices,), xp.broadcast_to(updates, wanted_shape), mode)


def _scatter_nd(xp: Xp, resource: Array, indices: Array, updates: Array, mode: str) -> None:
    storage = resource_of(resource)
    with getattr(storage, "lock", None) or contextlib.nullcontext():
        old_value = value_of(storage)
        _check_same_dtype(old_value, updates)
        parts = tuple(xp.moveaxis(indices, -1, 0))
        _check_depth(indices, old_value.shape)
        wanted_shape = (*indices.shape[:-1], *old_value.shape[len(parts) :])
        if updates.ndim and updates.shape != wanted_shape:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"updates of shape {_shape_text(updates.shape)} do not fit indices of shape "
                f"{_shape_text(indices.shape)} into a variable of shape {_shape_text(old_value.shape)}; expected "
                f"{_shape_text(wanted_shape)}",
            )
        del old_value
        _scatter_into(xp, storage, parts, updates, mode)


def _scatter_into(xp: Xp, storage: Any, index: tuple[Array, ...], updates: Array, mode: str) -> None:
    """Combines elements of a variable with updates: in place where nothing else holds the array."""
    if isinstance(storage, VariableStorage) and value_of(storage).flags.c_contiguous:
        if storage.change_in_place(lambda array: xp.scatter(array, index, updates, mode, may_change=True)):
            return
    storage.value = xp.scatter(value_of(storage), index, updates, mode)


def _declare_scatter(mode: str) -> Any:
    def kernel(xp: Xp, resource: Array, indices: Array, updates: Array) -> None:
        _scatter(xp, resource, indices, updates, mode)

    kernel.__doc__ = f"Combines rows of a variable with updates: {mode}."
    return kernel


def _declare_scatter_nd(mode: str) -> Any:
    def kernel(
        xp: Xp, ref: Array, indices: Array, updates: Array, *, use_locking: bool = True, bad_indices_policy: str = ""
    ) -> None:
        _scatter_nd(xp, ref, indices, updates, mode)

    kernel.__doc__ = f"Combines slices of a variable at index tuples with updates: {mode}."
    return kernel


_SCATTER = "resource: resource, indices: Tindices, updates: dtype -> "
_SCATTER_ND = "ref: resource, indices: Tindices, updates: T -> "
_TRAITS: dict[str, Any] = {
    "Tindices": INDEX,
    "shape": no_outputs,
    "effects": Effects.WRITES,
    "not_differentiable": _STATE,
}
_CHECKED: dict[str, Any] = {**_TRAITS, "refuses": ("indices",), "checks_any_shape_of": ("updates",)}
_ROWS: dict[str, Any] = {**_CHECKED, "checks": _refuse_scatter_outside}
_TUPLES: dict[str, Any] = {**_CHECKED, "checks": _refuse_scatter_nd_outside}

resource_scatter_add = op("ResourceScatterAdd", _SCATTER, dtype=NUMERIC, **_ROWS)(_declare_scatter("add"))
resource_scatter_sub = op("ResourceScatterSub", _SCATTER, dtype=NUMERIC, **_ROWS)(_declare_scatter("sub"))
resource_scatter_mul = op("ResourceScatterMul", _SCATTER, dtype=NUMERIC, **_ROWS)(_declare_scatter("mul"))
resource_scatter_div = op("ResourceScatterDiv", _SCATTER, dtype=NUMERIC, **_ROWS)(_declare_scatter("div"))
resource_scatter_min = op("ResourceScatterMin", _SCATTER, dtype=NUMERIC, **_ROWS)(_declare_scatter("min"))
resource_scatter_max = op("ResourceScatterMax", _SCATTER, dtype=NUMERIC, **_ROWS)(_declare_scatter("max"))
resource_scatter_update = op("ResourceScatterUpdate", _SCATTER, dtype=ANY, **_ROWS)(_declare_scatter("set"))
resource_scatter_nd_update = op("ResourceScatterNdUpdate", _SCATTER_ND, T=ANY, **_TUPLES)(_declare_scatter_nd("set"))
resource_scatter_nd_add = op("ResourceScatterNdAdd", _SCATTER_ND, T=NUMERIC, **_TUPLES)(_declare_scatter_nd("add"))
resource_scatter_nd_sub = op("ResourceScatterNdSub", _SCATTER_ND, T=NUMERIC, **_TUPLES)(_declare_scatter_nd("sub"))
resource_scatter_nd_min = op("ResourceScatterNdMin", _SCATTER_ND, T=NUMERIC, **_TUPLES)(_declare_scatter_nd("min"))
resource_scatter_nd_max = op("ResourceScatterNdMax", _SCATTER_ND, T=NUMERIC, **_TUPLES)(_declare_scatter_nd("max"))


@op(
    "ResourceStridedSliceAssign",
    "ref: resource, begin: Index, end: Index, strides: Index, value: T -> ",
    T=ANY,
    Index=INDEX,
    shape=no_outputs,
    effects=Effects.WRITES,
    constant_inputs=("begin", "end", "strides"),
    not_differentiable=_STATE,
)
def resource_strided_slice_assign(
    xp: Xp,
    ref: Array,
    begin: Array,
    end: Array,
    strides: Array,
    value: Array,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> None:
    """Assigns to a slice of a variable, as `v[1:].assign(x)` does."""
    storage = resource_of(ref)
    masks = {
        "begin_mask": begin_mask,
        "end_mask": end_mask,
        "ellipsis_mask": ellipsis_mask,
        "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }
    update = get_op("TensorStridedSliceUpdate").kernel
    with getattr(storage, "lock", None) or contextlib.nullcontext():
        storage.value = update(xp, value_of(storage), begin, end, strides, value, **masks)
