"""Concat and stack: several tensors become one.

`concat` joins along a dimension that exists, `stack` (the op Pack) along a new dimension. The gradients split and
unstack. Elements of joined or stacked shapes stay known while tracing. Eager calls that nothing watches go to NumPy at
once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import executing_eagerly, name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int32
from millrace._src.core.errors import InvalidArgumentError, invalid
from millrace._src.core.handle_types import common_handle
from millrace._src.core.op_def import KnownValue, op, parts_along_first_axis
from millrace._src.core.shape_context import ShapeContext, partial_value, static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.array import slice_batches
from millrace._src.ops.array.eager_arguments import plain_arrays
from millrace._src.ops.array.identity import identity_op
from millrace._src.ops.array.shape_checks import (
    UNKNOWN,
    add,
    dims_text,
    merge_dims,
    require_scalar,
    unknown_dims,
    vector,
    with_rank,
    with_rank_at_least,
)
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.export import export

_INDEX = INDEX.with_default(int32)


# --- concat ------------------------------------------------------------------------------------------------------


def _concat_shape(c: ShapeContext, axis_name: str) -> TensorShape:
    require_scalar(c.shape(axis_name))
    shapes = c.shapes("values")
    known_dims = next((s.dim_sizes for s in shapes if s.dim_sizes is not None), None)
    if known_dims is None:
        return UNKNOWN
    rank = len(known_dims)
    if rank == 0:
        raise ValueError("Can't concatenate scalars (use tf.stack instead)")
    all_dims = [with_rank(s, rank) for s in shapes]
    axis = c.value(axis_name)
    if axis is None:
        return unknown_dims(rank)
    at = int(axis)
    with_rank_at_least(TensorShape.of(known_dims), at + 1 if at >= 0 else -at)
    at %= rank
    other_dims: tuple[int | None, ...] = (None,) * (rank - 1)
    for dims in all_dims:
        before = merge_dims(other_dims[:at], dims[:at]) or ()
        after = merge_dims(other_dims[at:], dims[at + 1 :]) or ()
        other_dims = (*before, *after)
    return TensorShape.of((*other_dims[:at], add(*(d[at] for d in all_dims)), *other_dims[at:]))


@op(
    "ConcatV2",
    "values: N * T, axis: Tidx -> output: T",
    only_moves_values=True,
    T=ANY,
    Tidx=_INDEX,
    shape=lambda c: _concat_shape(c, "axis"),
    constant_inputs=("axis",),
    batching=slice_batches.concat,
    exact_on_rows=True,
    known_value=KnownValue.WHOLE,
)
def concat_op(xp: Xp, values: list[Array], axis: Array) -> Array:
    """Joins tensors along a dimension that exists."""
    if axis.size != 1 or axis.ndim > 1:
        raise invalid(f"axis tensor should be a scalar integer, but got shape {dims_text(axis.shape)}")
    at = int(axis.reshape(-1)[0])
    try:
        return xp.concatenate(values, axis=at)
    except (ValueError, TypeError):
        raise _concat_error(values, at) from None


def _concat_error(values: Sequence[Array], at: int) -> InvalidArgumentError:
    """Says why the values cannot be joined."""
    rank = values[0].ndim
    if rank == 0:
        return invalid("ConcatOp : Can't concatenate scalars (use tf.stack instead)")
    if not -rank <= at < rank:
        return invalid(f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), but got {at}")
    first = values[0].shape
    for i, value in enumerate(values):
        shapes = f"shape[0] = {dims_text(first)} vs. shape[{i}] = {dims_text(value.shape)}"
        if value.ndim != rank:
            return invalid(f"ConcatOp : Ranks of all input tensors should match: {shapes}")
        for d in range(rank):
            if d != at % rank and value.shape[d] != first[d]:
                return invalid(f"ConcatOp : Dimension {d} in both shapes must be equal: {shapes}")
    return invalid("ConcatOp : the values cannot be concatenated")


@op(
    "Concat",
    "concat_dim: int32, values: N * T -> output: T",
    only_moves_values=True,
    T=ANY,
    shape=lambda c: _concat_shape(c, "concat_dim"),
    constant_inputs=("concat_dim",),
    batching=slice_batches.concat,
    exact_on_rows=True,
    known_value=KnownValue.WHOLE,
)
def concat_v1_op(xp: Xp, concat_dim: Array, values: list[Array]) -> Array:
    """Joins tensors along a dimension that exists; the form of TensorFlow's first graphs."""
    return concat_op.op_def.kernel(xp, values, concat_dim)


@concat_op.partial_value
def concat_elements(c: ShapeContext) -> list[int | None] | None:
    """Returns the known elements of joined vectors."""
    parts: list[int | None] = []
    for tensor in c.tensors("values"):
        part = partial_value(tensor)
        if part is None:
            return None
        parts.extend(part)
    return parts


def _concat_parts(dy: object, values: Sequence[Any], axis: object) -> list[Any]:
    """Cuts a gradient into the pieces that belong to each of the values."""
    sizes = [_size_along(v, axis) for v in values]
    if all(isinstance(s, int) for s in sizes):
        size_splits: Any = np.array(sizes, np.int32)
    else:
        size_splits = raw.Pack(values=sizes, axis=0)
    return list(raw.SplitV(value=dy, size_splits=size_splits, split_dim=_int32(axis), num_split=len(values)))


def _size_along(value: Any, axis: object) -> Any:
    """Returns the size of one dimension: an int where the size is known."""
    at = static_value(axis)
    if at is not None and value.shape.rank is not None:
        size = value.shape.as_list()[int(at.reshape(-1)[0])]
        if size is not None:
            return size
    rank = raw.Rank(input=value) if value.shape.rank is None else value.shape.rank
    return raw.GatherV2(params=shape_tensor(value), indices=raw.FloorMod(x=_int32(axis), y=rank), axis=0)


def _int32(tensor: Any) -> Any:
    return tensor if tensor.dtype is int32 else raw.Cast(x=tensor, DstT=int32)


@concat_op.gradient
@values_for(values=())
def concat_gradient(dy: Tensor, values: list[Tensor], axis: Tensor) -> tuple[list[Tensor], None]:
    """Gives each value its piece of the gradient."""
    return _concat_parts(dy, values, axis), None


@concat_v1_op.gradient
@values_for(values=())
def concat_v1_gradient(dy: Tensor, concat_dim: Tensor, values: list[Tensor]) -> tuple[None, list[Tensor]]:
    """Gives each value its piece of the gradient."""
    return None, _concat_parts(dy, values, concat_dim)


@export("concat")
def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Joins tensors along dimension `axis`.

    >>> tf.concat([[[1, 2]], [[3, 4], [5, 6]]], axis=0).numpy()
    array([[1, 2],
           [3, 4],
           [5, 6]], dtype=int32)

    Args:
      values: a list of Tensors of one dtype and one rank, alike in all dimensions but `axis`; or one Tensor.
      axis: a scalar in [-rank, rank).
      name: name of the operation.

    Returns: A Tensor.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if the shapes do not fit.
    """
    arrays = plain_arrays(values) if type(axis) is int else None
    if arrays is not None:
        return _concat_now(arrays, values[0].dtype, axis)
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        with name_scope(name, "concat"):
            tensor = convert_to_tensor(axis, dtype=int32, name="concat_dim")
            tensor.shape.assert_has_rank(0)
            return identity_op(values[0], name="concat")
    if not values:
        raise _too_short("values", "ConcatV2", 2)
    return concat_op(list(values), axis, name=name)


def _concat_now(arrays: list[Array], dtype: DType, axis: int) -> EagerTensor:
    """Joins arrays at once: the common case of an eager call that nothing watches."""
    if len(arrays) == 1:
        return EagerTensor(arrays[0], dtype)
    try:
        return EagerTensor(np.concatenate(arrays, axis=axis), dtype)
    except ValueError:
        error = _concat_error(arrays, axis)
    raise errors.op_error("ConcatV2", error.message, name="concat")


def _too_short(argument: str, op_name: str, least: int) -> Exception:
    message = f"List argument '{argument}' to '{op_name}' Op with length 0 shorter than minimum length {least}."
    return errors.op_error(op_name, message) if executing_eagerly() else ValueError(message)


# --- concat_offset -----------------------------------------------------------------------------------------------


@op(
    "ConcatOffset",
    "concat_dim: int32, shape: N * shape_type -> offset: N * shape_type",
    shape_type=_INDEX,
    shape=lambda c: [vector(with_rank(s, 1)[0]) for s in c.shapes("shape")],
    constant_inputs=("concat_dim", "shape"),
    not_differentiable="offsets are integers",
    not_batched="a shape is the same for all rows",
)
def concat_offset(xp: Xp, concat_dim: Array, shape: list[Array]) -> list[Array]:
    """Computes where each of several tensors of the given shapes begins in their concatenation."""
    rank, at = shape[0].size, int(concat_dim)
    if not -rank <= at < rank:
        raise invalid(f"Concat dim is out of range: {at} vs. {rank}")
    at %= rank
    offsets, start = [], 0
    for i, sizes in enumerate(shape):
        if sizes.size != rank or any(sizes[d] != shape[0][d] for d in range(rank) if d != at):
            a, b = (" ".join(str(n) for n in s.tolist()) for s in (sizes, shape[0]))
            raise invalid(
                f"All dimensions except {at} must match. Input {i} has shape [{a}] and doesn't match input 0 with "
                f"shape [{b}]."
            )
        offset = np.zeros([rank], sizes.dtype)
        offset[at] = start
        offsets.append(offset)
        start += int(sizes[at])
    return offsets


# --- stack -------------------------------------------------------------------------------------------------------


def _pack_shape(c: ShapeContext) -> TensorShape:
    merged_dims: Any = None
    shapes = c.shapes("values")
    for i, shape in enumerate(shapes):
        try:
            merged_dims = merge_dims(merged_dims, shape.dim_sizes)
        except ValueError as error:
            raise ValueError(f"{error}\n\tFrom merging shape {i - 1} with other shapes.") from None
    if merged_dims is None:
        return UNKNOWN
    axis, rank = c.attr("axis"), len(merged_dims) + 1
    if not -rank <= axis < rank:
        raise ValueError(f"Invalid axis: {axis}; must be in [{-rank},{rank})")
    axis %= rank
    return TensorShape.of((*merged_dims[:axis], len(shapes), *merged_dims[axis:]))


@op(
    "Pack",
    "values: N * T -> output: T",
    T=ANY,
    shape=_pack_shape,
    handles=common_handle,
    batching=slice_batches.pack,
    exact_on_rows=True,
    known_value=parts_along_first_axis,
)
def pack(xp: Xp, values: list[Array], *, axis: int = 0) -> Array:
    """Stacks tensors of one shape along a new dimension."""
    try:
        return xp.stack(values, axis=axis)
    except (ValueError, TypeError):
        raise _pack_error(values, axis) from None


def _pack_error(values: Sequence[Array], axis: int) -> Exception:
    first = values[0].shape
    for i, value in enumerate(values):
        if value.shape != first:
            shapes = f"values[0].shape = {dims_text(first)} != values[{i}].shape = {dims_text(value.shape)}"
            return invalid(f"Shapes of all inputs must match: {shapes}")
    rank = len(first) + 1
    return invalid(f"axis = {axis} not in [{-rank}, {rank})")


@pack.specialize
def _specialize_pack(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    if attrs["axis"] != 0:
        return None
    if len(dtypes) == 1:
        return lambda value: value[None]
    count, dtype = len(dtypes), dtypes[0].np_dtype

    def rows(*values: Array) -> Array:
        shape = values[0].shape
        for value in values:
            if value.shape != shape:
                raise _pack_error(values, 0)
        result = np.empty((count, *shape), dtype)
        for row, value in enumerate(values):
            result[row] = value if shape else value[()]
        return result

    return rows


@pack.partial_value
def pack_elements(c: ShapeContext) -> list[int | None] | None:
    """Returns the known elements of a stack of scalars."""
    if any(s.rank != 0 for s in c.shapes("values")):
        return None
    return [(partial_value(t) or [None])[0] for t in c.tensors("values")]


@pack.gradient
@values_for(values=())
def pack_gradient(dy: Tensor, values: list[Tensor], axis: int) -> tuple[list[Tensor]]:
    """Gives each value its slice of the gradient."""
    return (list(raw.Unpack(value=dy, num=len(values), axis=axis)),)


@export("stack")
def stack(values: Any, axis: int = 0, name: str = "stack") -> Any:
    """Stacks tensors of one shape along a new dimension.

    >>> tf.stack([[1, 4], [2, 5], [3, 6]]).numpy()
    array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int32)
    >>> tf.stack([[1, 4], [2, 5], [3, 6]], axis=1).shape
    TensorShape([2, 3])

    Args:
      values: a list of Tensors of one shape and dtype.
      axis: where the new dimension goes, in [-rank - 1, rank].
      name: name of the operation.

    Returns: A Tensor of one dimension more.
    Raises:
      ValueError: if `axis` is out of range.
      tf.errors.InvalidArgumentError: (ValueError while tracing) if the shapes differ.
    """
    arrays = plain_arrays(values)
    if (
        arrays is not None
        and all(a.shape == arrays[0].shape for a in arrays)
        and -arrays[0].ndim - 1 <= axis <= arrays[0].ndim
    ):
        return EagerTensor(np.stack(arrays, axis=axis), values[0].dtype)
    if axis == 0:
        whole_value = _as_one_value(values, name)
        if whole_value is not None:
            return whole_value
    items = list(values) if not isinstance(values, list) and isinstance(values, (tuple, EagerTensor)) else values
    if axis == 0 and state.graph is not None and isinstance(items, list):
        return _pack_with_names(items, name)
    if isinstance(items, list) and items:
        shape = convert_to_tensor(items[0]).shape if not hasattr(items[0], "shape") else items[0].shape
        rank = None if shape is None else TensorShape(shape).rank
        if rank is not None and not -(rank + 1) <= axis < rank + 1:
            raise ValueError(f"Argument `axis` = {axis} not in range [{-(rank + 1)}, {rank + 1})")
    try:
        return pack(items, axis=axis, name=name)
    except errors.OpError as error:
        raise errors.rename_op(error, name) from None


def _pack_with_names(items: list[Any], name: str) -> Any:
    """Stacks values in a graph; constants are named after their positions: `stack/1`."""
    dtype = next((v.dtype for v in items if isinstance(v, Tensor)), None)
    with name_scope(name, "stack") as scope:
        parts = [convert_to_tensor(v, dtype_hint=dtype, name=f"{scope}{i}") for i, v in enumerate(items)]
        return pack(parts, axis=0, name=scope or name)


def _as_one_value(values: Any, name: str) -> Any:
    """Converts `values` as a whole where that is a stack already: a Tensor, or a list without tensors."""
    if isinstance(values, (list, tuple)) and any(
        hasattr(v, "dtype") and not isinstance(v, (np.ndarray, np.generic)) for v in values
    ):
        return None
    try:
        return convert_to_tensor(values, name=name)
    except (TypeError, ValueError, NotImplementedError):
        return None


# --- parallel stack ----------------------------------------------------------------------------------------------


def _parallel_concat_shape(c: ShapeContext) -> TensorShape:
    shape: TensorShape = c.attr("shape")
    if not shape.is_fully_defined():
        raise ValueError("shape attr must be fully defined.")
    for part in c.shapes("values"):
        dims = with_rank(part, len(shape))
        if dims[0] not in (None, 1):
            raise ValueError("Size of first dimension must be 1.")
        merge_dims(dims[1:], (shape.dim_sizes or ())[1:])
    return shape


@op(
    "ParallelConcat",
    "values: N * T -> output: T",
    T=ANY,
    shape=_parallel_concat_shape,
    no_gradient="TensorFlow declares none; tf.stack has one",
    batching=slice_batches.parallel_concat,
)
def parallel_concat(xp: Xp, values: list[Array], *, shape: TensorShape) -> Array:
    """Joins tensors along the first dimension, which is 1 in each tensor."""
    if any(v.shape[:1] != (1,) for v in values):
        raise invalid("Size of first dimension must be 1.")
    return xp.concatenate(values, axis=0)


@export("parallel_stack")
def parallel_stack(values: Any, name: str = "parallel_stack") -> Any:
    """Stacks tensors of one known shape along a new first dimension; in a graph only.

    >>> with tf.Graph().as_default():
    ...     print(tf.parallel_stack([[1, 4], [2, 5]]).shape)
    (2, 2)

    Args:
      values: a list of Tensors of one shape, known while tracing, and one dtype.
      name: name of the operation.

    Returns: A Tensor of one dimension more.
    Raises: RuntimeError: in eager mode.
    """
    if executing_eagerly():
        raise RuntimeError("tf.parallel_stack() is not compatible with eager execution.")
    with name_scope(name, "parallel_stack"):
        first = convert_to_tensor(values[0])
        shape = TensorShape([len(values)]).concatenate(first.shape)
        return parallel_concat([raw.ExpandDims(input=v, dim=0) for v in values], shape=shape, name="ParallelConcat")
