"""Strided slices, their gradients and updates, and `tf.slice`.

`slice_spec` works out which elements a strided slice means; here NumPy's basic slicing takes these elements. The
gradient is zeros with the result's gradient at the position of the slice; in a loop the gradient is added in place.
Under XLA, bounds that the program computes must select a single element or a known size.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor, holds_tensor
from millrace._src.core.dtypes import DType, as_dtype, int16, int32, int64
from millrace._src.core.errors import UnknownWhileCompilingError, invalid
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import SymbolicTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.array import slice_batches
from millrace._src.ops.array.eager_arguments import index_tensor
from millrace._src.ops.array.shape_checks import UNKNOWN, dims_text, merge_dims, unknown_dims, with_rank
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.array.slice_spec import (
    NEW_AXIS,
    Masks,
    SliceEntry,
    SliceLayout,
    cache_layout,
    dense,
    range_of,
    static_size,
)
from millrace._src.ops.gradient_rules import unbroadcast, values_for
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.export import export

_SLICE_INDEX = TypeSet((int16, int32, int64))


# --- strided slice -----------------------------------------------------------------------------------------------


def _masks(c: ShapeContext) -> Masks:
    return Masks(*(c.attr(f"{name}_mask") for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")))


def _strided_slice_shape(c: ShapeContext) -> TensorShape:
    bounds = [with_rank(c.shape(name), 1) for name in ("begin", "end", "strides")]
    merged_dims = merge_dims(merge_dims(bounds[0], bounds[1]), bounds[2])
    count, dims, strides = (merged_dims or (None,))[0], c.shape("input").dim_sizes, c.value("strides")
    if count is None or dims is None or strides is None:
        return UNKNOWN
    begin, end = c.value("begin"), c.value("end")
    has_known_bounds = (
        begin is not None and end is not None
    )  # as in TensorFlow, bounds that are partly known are not looked into
    entries, order = dense(
        count,
        begin.tolist() if has_known_bounds else None,
        end.tolist() if has_known_bounds else None,
        strides.tolist(),
        _masks(c),
        len(dims),
        ValueError,
    )
    sizes = [static_size(e, d, at, ValueError) for at, (e, d) in enumerate(zip(entries, dims, strict=True))]
    return TensorShape.of(tuple(1 if at == NEW_AXIS else sizes[at] for at in order))


def _layout(shape: tuple[int, ...], begin: Array, end: Array, strides: Array, masks: Masks) -> SliceLayout:
    if begin.ndim != 1 or begin.shape != end.shape or begin.shape != strides.shape:
        raise invalid(
            "Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
            f"{dims_text(begin.shape)}, {dims_text(end.shape)}, and {dims_text(strides.shape)} instead."
        )
    return cache_layout(shape, tuple(begin.tolist()), tuple(end.tolist()), tuple(strides.tolist()), masks, invalid)


@op(
    "StridedSlice",
    "input: T, begin: Index, end: Index, strides: Index -> output: T",
    only_moves_values=True,
    T=ANY,
    Index=_SLICE_INDEX,
    shape=_strided_slice_shape,
    constant_inputs=("strides",),
    batching=slice_batches.strided_slice,
    exact_on_rows=True,
    refuses=("begin", "end", "strides"),
)
def strided_slice_op(
    xp: Xp,
    input: Array,
    begin: Array,
    end: Array,
    strides: Array,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Array:
    """Takes the part of `input` that begin, end, strides and masks describe."""
    masks = Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    if not xp.are_known(begin, end):
        return _dynamic_slice(xp, input, begin, strides.tolist(), masks)
    return input[_layout(input.shape, begin, end, strides, masks).key]


@strided_slice_op.specialize
def _specialize_strided_slice(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    """Specializes `x[i]`, the slice that loops are full of, without working out a layout."""
    kernel_attrs = {name: attrs[name] for name in strided_slice_op.op_def.kernel_attrs}
    if kernel_attrs.pop("shrink_axis_mask") != 1 or any(kernel_attrs.values()):
        return None
    general = functools.partial(strided_slice_op.op_def.kernel, xp, **kernel_attrs, shrink_axis_mask=1)

    def row(x: Array, begin: Array, end: Array, strides: Array) -> Array:
        if begin.shape == end.shape == strides.shape == (1,) and x.ndim and strides[0] == 1:
            at, size = begin[0], x.shape[0]
            if -size <= at < size:
                element: Array = x[at]
                return element
        return general(x, begin, end, strides)

    return row


def _dynamic_slice(xp: Xp, x: Array, begin: Array, strides: list[int], masks: Masks) -> Array:
    """Slices with bounds that the program computes: of single elements only, because lengths must be known."""
    entries, order = dense(begin.shape[0], None, None, strides, masks, x.ndim, invalid)
    for at, entry in enumerate(entries):
        _require_known_size(entry, at)
        if entry.shrinks:
            first = begin[entry.position]
            first = xp.where(first < 0, first + x.shape[at], first)
            x = xp.take(x, xp.reshape(first, (1,)), axis=at, mode="clip")
        else:
            full_range = range_of(entry, x.shape[at], at, invalid)
            x = x[(slice(None),) * at + (full_range.as_slice,)]
    return xp.reshape(x, tuple(1 if at == NEW_AXIS else x.shape[at] for at in order))


def _require_known_size(entry: SliceEntry, at: int) -> None:
    """Raises unless the slice is a single position or the whole dimension."""
    if not entry.shrinks and not (entry.begin_masked and entry.end_masked):
        raise UnknownWhileCompilingError(
            f"StridedSlice: dimension {at} is sliced by bounds that are only known when the program runs, so its size "
            "is not known when XLA compiles.",
            inputs=("begin", "end"),
        )


@strided_slice_op.partial_value
def strided_slice_elements(c: ShapeContext) -> list[int | None] | None:
    """Returns the known elements of a slice of a vector."""
    from_input = c.partial("input")
    bounds = [c.value(name) for name in ("begin", "end", "strides")]
    if from_input is None or c.shape("input").rank != 1 or any(b is None for b in bounds) or c.attr("new_axis_mask"):
        return None
    begin, end, strides = (tuple(b.tolist()) for b in bounds)
    part = np.array(from_input, dtype=object)[
        cache_layout((len(from_input),), begin, end, strides, _masks(c), ValueError).key
    ]
    return list(part.reshape(-1))


def _mask_attrs(
    begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int
) -> dict[str, Any]:
    return {
        "begin_mask": begin_mask,
        "end_mask": end_mask,
        "ellipsis_mask": ellipsis_mask,
        "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }


def _indices(*tensors: Any) -> tuple[Any, ...]:
    """Returns bounds in a dtype that shapes may have; constants of a graph as values.

    The gradient makes constants of its own from values.
    """
    return tuple(raw.Cast(x=t, DstT=int32) if t.dtype is int16 else _constant_value(t) for t in tensors)


def _constant_value(tensor: Any) -> Any:
    values = tensor.op.static_values if isinstance(tensor, SymbolicTensor) else None
    return values[tensor.value_index] if values else tensor


@strided_slice_op.gradient
@values_for(input=())
def strided_slice_gradient(
    dy: Tensor,
    input: Tensor,
    begin: Tensor,
    end: Tensor,
    strides: Tensor,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> tuple[Tensor, None, None, None]:
    """Puts the gradient at the position of the slice, zeros elsewhere."""
    begin, end, strides = _indices(begin, end, strides)
    grad = raw.StridedSliceGrad(
        shape=shape_tensor(input, as_dtype(begin.dtype)),
        begin=begin,
        end=end,
        strides=strides,
        dy=dy,
        **_mask_attrs(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask),
    )
    return grad, None, None, None


@op(
    "StridedSliceGrad",
    "shape: Index, begin: Index, end: Index, strides: Index, dy: T -> output: T",
    T=ANY,
    Index=INDEX,
    shape=lambda c: c.value_as_shape("shape"),
    constant_inputs=("shape", "strides"),
    batching=slice_batches.strided_slice_grad,
    refuses=("begin", "end", "strides"),
)
def strided_slice_grad(
    xp: Xp,
    shape: Array,
    begin: Array,
    end: Array,
    strides: Array,
    dy: Array,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Array:
    """Makes zeros of shape `shape`, with `dy` at the position of the slice."""
    masks = Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    dims = tuple(shape.tolist())
    zeros = xp.full(dims, b"", dtype=object) if dy.dtype.kind == "O" else xp.zeros(dims, dy.dtype)
    if not xp.are_known(begin, end):
        return _dynamic_scatter(xp, zeros, dy, begin, strides.tolist(), masks)
    target = _layout(dims, begin, end, strides, masks)
    if dy.shape != target.shape:
        raise invalid(f"shape of dy was {dims_text(dy.shape)} instead of {dims_text(target.shape)}")
    return xp.scatter(zeros, target.ranges, dy.reshape(target.range_shape), "set")


_FIRST_ROW = Masks(0, 0, 0, 0, 1)
"""The masks of `x[i]`."""


@strided_slice_grad.added_to
def _add_to_slice(
    xp: Xp,
    total: Array,
    shape: Array,
    begin: Array,
    end: Array,
    strides: Array,
    dy: Array,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> Array | None:
    """Adds a gradient to the slice of `total` alone.

    So a loop that reads an array row by row takes linear time backwards.
    """
    if total.shape != tuple(shape.tolist()):
        return None
    masks = Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    if not xp.are_known(begin, end):
        return _dynamic_scatter(xp, total, dy, begin, strides.tolist(), masks, "add")
    if masks == _FIRST_ROW and begin.shape == (1,) and dy.shape == total.shape[1:]:
        return xp.add_at(total, begin[0], dy)
    target = _layout(total.shape, begin, end, strides, masks)
    if dy.shape != target.shape:
        return None
    return xp.add_at(total, target.ranges, dy.reshape(target.range_shape))


def _dynamic_scatter(
    xp: Xp, zeros: Array, dy: Array, begin: Array, strides: list[int], masks: Masks, mode: str = "set"
) -> Array:
    """Transposes `_dynamic_slice`."""
    entries, _ = dense(begin.shape[0], None, None, strides, masks, zeros.ndim, invalid)
    index: list[Any] = []
    shape: list[int] = []
    for at, entry in enumerate(entries):
        _require_known_size(entry, at)
        if entry.shrinks:
            first = begin[entry.position]
            index.append(xp.reshape(xp.where(first < 0, first + zeros.shape[at], first), (1,)))
            shape.append(1)
        else:
            index.append(xp.arange(zeros.shape[at])[range_of(entry, zeros.shape[at], at, invalid).as_slice])
            shape.append(zeros.shape[at])
    grid = tuple(xp.reshape(ix, [-1 if i == at else 1 for i in range(len(index))]) for at, ix in enumerate(index))
    return xp.scatter(zeros, grid, dy.reshape(tuple(shape)), mode)


@strided_slice_grad.gradient
def strided_slice_grad_gradient(
    dz: Tensor,
    begin: Tensor,
    end: Tensor,
    strides: Tensor,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> tuple[None, None, None, None, Tensor]:
    """Takes the slice of the gradient."""
    masks = _mask_attrs(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return None, None, None, None, strided_slice_op(dz, begin, end, strides, **masks)


@op(
    "TensorStridedSliceUpdate",
    "input: T, begin: Index, end: Index, strides: Index, value: T -> output: T",
    T=ANY,
    Index=INDEX,
    shape=lambda c: c.shape("input"),
    constant_inputs=("begin", "end", "strides"),
    batching=slice_batches.strided_slice_update,
)
def tensor_strided_slice_update(
    xp: Xp,
    input: Array,
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
) -> Array:
    """Copies `input` with `value`, broadcast, at the position of the slice."""
    masks = Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    target = _layout(input.shape, begin, end, strides, masks)
    try:
        fitted_value = xp.broadcast_to(value, target.shape)
    except ValueError:
        shapes = f"{dims_text(value.shape)} into final shape {dims_text(target.shape)}"
        raise invalid(f"Cannot broadcast input shape {shapes}") from None
    return xp.scatter(input, target.ranges, fitted_value.reshape(target.range_shape), "set")


@tensor_strided_slice_update.gradient
def tensor_strided_slice_update_gradient(
    dy: Tensor,
    begin: Tensor,
    end: Tensor,
    strides: Tensor,
    value: Tensor,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> tuple[Tensor, None, None, None, Tensor]:
    """Gives the slice of the gradient to the value, the rest to the input."""
    masks = _mask_attrs(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    part = strided_slice_op(dy, begin, end, strides, **masks)
    d_input = tensor_strided_slice_update(dy, begin, end, strides, raw.ZerosLike(x=part), **masks)
    return d_input, None, None, None, unbroadcast(part, value)


@export("strided_slice")
def strided_slice(
    input_: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Takes a strided slice of a tensor; `x[...]` is the usual notation of a slice.

    >>> tf.strided_slice([1, 2, 3, 4, 5], [1], [5], [2]).numpy()
    array([2, 4], dtype=int32)

    Args:
      input_: A Tensor of any dtype.
      begin: an integer vector, where each slice begins.
      end: an integer vector, where each slice ends.
      strides: an integer vector of non-zero steps; None means ones.
      begin_mask: bit `i` set: `begin[i]` is ignored, the slice begins at the border.
      end_mask: bit `i` set: `end[i]` is ignored, the slice ends at the border.
      ellipsis_mask: bit `i` set: entry `i` covers all dimensions without an entry. At most one bit.
      new_axis_mask: bit `i` set: entry `i` inserts a dimension of size 1.
      shrink_axis_mask: bit `i` set: entry `i` is the single index `begin[i]`, and the dimension goes.
      var: the Variable whose value is `input_`; the result's `assign` then sets the slice of the Variable.
      name: name of the operation.

    Returns: A Tensor.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if the slice is malformed or out of range.
    """
    if strides is None:
        strides = raw.OnesLike(x=convert_to_tensor(begin))
    masks = _mask_attrs(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    result = strided_slice_op(input_, begin, end, strides, name=name, **masks)
    if var is not None:
        result.assign = functools.partial(_assign_slice, var, begin, end, strides, masks)
    return result


def _assign_slice(
    var: Any, begin: Any, end: Any, strides: Any, masks: dict[str, Any], value: Any, name: str | None = None
) -> Any:
    """Sets a slice of a variable and gives back the variable."""
    return var._strided_slice_assign(begin=begin, end=end, strides=strides, value=value, name=name, **masks)


# --- slice -------------------------------------------------------------------------------------------------------


def _slice_shape(c: ShapeContext) -> TensorShape:
    (count,) = merge_dims(with_rank(c.shape("begin"), 1), with_rank(c.shape("size"), 1)) or (None,)
    dims = c.shape("input").dim_sizes
    if dims is not None and count is not None and count != len(dims):
        raise ValueError(f"Shape must be rank {count} but is rank {len(dims)}")
    rank = count if dims is None else len(dims)
    if rank is None:
        return UNKNOWN
    begins, sizes = c.value("begin"), c.partial("size") or [None] * rank
    if dims is None:
        return (
            TensorShape.of(tuple(None if s is None or s < 0 else s for s in sizes))
            if begins is not None
            else unknown_dims(rank)
        )
    result = [_slice_size(d, None if begins is None else int(begins[i]), sizes[i]) for i, d in enumerate(dims)]
    return TensorShape.of(tuple(result))


def _slice_size(dim: int | None, begin: int | None, size: int | None) -> int | None:
    if size is not None and size < -1:
        raise ValueError(f"Invalid value in tensor used for shape: {size}")
    if size != -1:
        return size
    if dim is None or begin is None:
        return None
    if begin > dim:
        raise ValueError(f"Negative dimension size caused by subtracting {begin} from {dim}")
    return dim - begin


@op(
    "Slice",
    "input: T, begin: Index, size: Index -> output: T",
    only_moves_values=True,
    T=ANY,
    Index=INDEX,
    shape=_slice_shape,
    constant_inputs=("size",),
    batching=slice_batches.cut,
    exact_on_rows=True,
    refuses=("begin", "size"),
)
def slice_op(xp: Xp, input: Array, begin: Array, size: Array) -> Array:
    """Takes the block of `input` of shape `size` that begins at `begin`."""
    if begin.ndim != 1 or size.ndim != 1 or begin.shape[0] != input.ndim or size.shape[0] != input.ndim:
        shapes = f"{dims_text(begin.shape)} and {dims_text(size.shape)}"
        raise invalid(
            f"Expected begin and size arguments to be 1-D tensors of size {input.ndim}, "
            f"but got shapes {shapes} instead."
        )
    if not xp.are_known(begin):
        return _dynamic_block(xp, input, begin, size.tolist())
    index: list[Any] = []
    for i, (first, count, dim) in enumerate(zip(begin.tolist(), size.tolist(), input.shape, strict=True)):
        if not 0 <= first <= dim:
            raise invalid(f"Expected begin[{i}] in [0, {dim}], but got {first}")
        if count == -1:
            count = dim - first
        if not 0 <= count <= dim - first:
            raise invalid(f"Expected size[{i}] in [0, {dim - first}], but got {count}")
        index.append(slice(first, first + count))
    return input[tuple(index)]


def _dynamic_block(xp: Xp, x: Array, begin: Array, sizes: list[int]) -> Array:
    """Takes a block of known size at a position that the program computes."""
    for axis, size in enumerate(sizes):
        if size == -1:
            message = f"Slice: size[{axis}] is -1 and begin[{axis}] is not known when XLA compiles."
            raise UnknownWhileCompilingError(message, inputs=("begin",))
        if size != x.shape[axis]:
            x = xp.take(x, begin[axis] + xp.arange(size, dtype=begin.dtype), axis=axis, mode="clip")
    return x


@slice_op.partial_value
def slice_elements(c: ShapeContext) -> list[int | None] | None:
    """Returns the known elements of a part of a vector."""
    from_input, begin, size = c.partial("input"), c.value("begin"), c.value("size")
    if from_input is None or begin is None or size is None or c.shape("input").rank != 1:
        return None
    first, count = int(begin[0]), int(size[0])
    return from_input[first:] if count == -1 else from_input[first : first + count]


@slice_op.gradient
@values_for(input=())
def slice_gradient(dy: Tensor, input: Tensor, begin: Tensor) -> tuple[Tensor, None, None]:
    """Puts the gradient at the position of the block, zeros around the block."""
    before = begin
    after = shape_tensor(input, begin.dtype) - shape_tensor(dy, begin.dtype) - begin
    return raw.Pad(input=dy, paddings=raw.Pack(values=[before, after], axis=1)), None, None


@export("slice")
def slice_(input_: TensorLike, begin: TensorLike, size: TensorLike, name: str | None = None) -> Any:
    """Takes the block of a tensor of shape `size` that begins at `begin`.

    >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1]).numpy()
    array([[2, 3],
           [5, 6]], dtype=int32)

    Args:
      input_: A Tensor of any dtype.
      begin: an int32 or int64 vector with one element a dimension.
      size: a vector of the same dtype; -1 means all that remains.
      name: name of the operation.

    Returns: A Tensor of the same rank.
    Raises: tf.errors.InvalidArgumentError: if the block leaves the tensor.
    """
    if any(isinstance(bound, (list, tuple)) and holds_tensor(bound) for bound in (begin, size)):
        return slice_op(input_, begin, size, name=name)  # a tensor in one list decides the dtype of both
    return slice_op(input_, index_tensor(begin), index_tensor(size), name=name)
