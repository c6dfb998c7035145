"""Tile and repeat: copies of a tensor, or of its elements, along a dimension.

`tile` repeats the whole tensor, and its gradient sums over the copies. `repeat` repeats each element: with one count
for all by a tile along a new dimension, with a count for each element by a gather.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32, int64
from millrace._src.core.errors import invalid
from millrace._src.core.op_algebra import ElementOrder
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext, static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.eager_arguments import index_tensor
from millrace._src.ops.array.ranges import sequence_mask
from millrace._src.ops.array.reshaping import expand_dims_op, reshape
from millrace._src.ops.array.selecting import boolean_mask
from millrace._src.ops.array.shape_checks import UNKNOWN, dims_text, multiply, with_rank
from millrace._src.ops.array.shape_ops import rank as rank_of
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.batching_rules import preceding
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.math.reduce import reduce_max
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.export import export

_INDEX = INDEX.with_default(int32)


# --- tile --------------------------------------------------------------------------------------------------------


def _tile_shape(c: ShapeContext) -> TensorShape:
    (count,) = with_rank(c.shape("multiples"), 1)
    dims = c.shape("input").dim_sizes
    if dims is None:
        if count is None:
            return UNKNOWN
        dims = (None,) * count
    if count is not None and count != len(dims):
        raise ValueError(f"Shape must be rank {len(dims)} but is rank {count}")
    multiples = c.partial("multiples") or [None] * len(dims)
    known_multiples = [None if m is None or m < 0 else m for m in multiples]
    return TensorShape.of(tuple(multiply(d, m) for d, m in zip(dims, known_multiples, strict=True)))


@op(
    "Tile",
    "input: T, multiples: Tmultiples -> output: T",
    T=ANY,
    Tmultiples=_INDEX,
    shape=_tile_shape,
    constant_inputs=("multiples",),
    batching=preceding("multiples", 1, "input"),
    exact_on_rows=True,
    element_order=ElementOrder.REPEATED,
)
def tile_op(xp: Xp, input: Array, multiples: Array) -> Array:
    """Repeats a tensor `multiples[i]` times along dimension `i`."""
    if multiples.ndim != 1:
        raise invalid(f"Expected multiples to be 1-D, but got shape {dims_text(multiples.shape)}")
    counts = multiples.tolist()
    if len(counts) != input.ndim:
        raise invalid(f"Expected multiples argument to be a vector of length {input.ndim} but got length {len(counts)}")
    for i, count in enumerate(counts):
        if count < 0:
            raise invalid(f"Expected multiples[{i}] >= 0, but got {count}")
    if input.size == 1:
        return xp.broadcast_to(input, counts)  # the gradient of a sum over everything: no copy
    halves = [part for count, size in zip(counts, input.shape, strict=True) for part in (count, size)]
    spread = xp.broadcast_to(xp.reshape(input, [part if n % 2 else 1 for n, part in enumerate(halves)]), halves)
    return xp.reshape(spread, [count * size for count, size in zip(counts, input.shape, strict=True)])


@tile_op.gradient
@values_for(input=())
def tile_op_gradient(dy: Tensor, input: Tensor, multiples: Tensor) -> tuple[Tensor, None]:
    """Sums the gradient over the copies: reshapes to `[m0, n0, m1, n1, ...]` and sums over the even dimensions."""
    shape = shape_tensor(input, multiples.dtype)
    pairs = raw.Reshape(tensor=raw.Pack(values=[multiples, shape], axis=1), shape=[-1])
    axes = raw.Range(start=0, limit=raw.Size(input=pairs), delta=2)
    d_input = raw.Sum(input=raw.Reshape(tensor=dy, shape=pairs), reduction_indices=axes)
    return reshape(d_input, shape), None


@export("tile", v1=["tile", "manip.tile"])
def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Any:
    """Repeats a tensor `multiples[i]` times along dimension `i`.

    >>> tf.tile([[1, 2]], [2, 2]).numpy()
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]], dtype=int32)

    Args:
      input: A Tensor of any dtype.
      multiples: An int32 or int64 vector with one element a dimension.
      name: name of the operation.

    Returns: A Tensor of the same dtype and rank.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if the length does not fit.
    """
    return tile_op(input, index_tensor(multiples), name=name)


# --- repeat ------------------------------------------------------------------------------------------------------


@export("repeat")
def repeat(input: TensorLike, repeats: TensorLike, axis: int | None = None, name: str | None = None) -> Any:
    """Repeats the elements of a tensor.

    >>> tf.repeat([1, 2], repeats=[2, 3]).numpy()
    array([1, 1, 2, 2, 2], dtype=int32)
    >>> tf.repeat([[1, 2], [3, 4]], repeats=2, axis=1).numpy()
    array([[1, 1, 2, 2],
           [3, 3, 4, 4]], dtype=int32)

    Args:
      input: A Tensor of any dtype.
      repeats: an int or integer vector: how often each element of dimension `axis` appears; broadcast to its size.
      axis: the dimension; None flattens `input` first.
      name: name of the operation.

    Returns: A Tensor; its dimension `axis` is the sum of the repeats.
    Raises: ValueError: if `repeats` has more than one dimension or another length, or `axis` is out of range.
    """
    if state.run is not None and type(input) is EagerTensor and type(repeats) is int and repeats >= 0:
        return _repeat_now(input, repeats, axis)
    if axis is None:
        input, axis = reshape(input, [-1]), 0
    with name_scope(name, "Repeat"):
        data = convert_to_tensor(input, name="data")
        counts = _repeat_counts(repeats)
        if counts.shape.rank is not None:
            counts.shape.with_rank_at_most(1)
        rank = data.shape.rank
        if rank == 0:
            data, rank = raw.Pack(values=[data], axis=0, name="stack"), 1
        if rank is None:
            if axis < 0:
                raise ValueError("tf.repeat: a negative `axis` needs an `input` of known rank.")
            return _repeat_by(data, counts, axis)
        if not -rank <= axis < rank:
            raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
        return _repeat(data, counts, axis % rank)


def _repeat_now(data: EagerTensor, count: int, axis: int | None) -> EagerTensor:
    """Repeats at once: the common case of an eager call that nothing watches."""
    value, rank = data._eager_array, data._eager_array.ndim
    if axis is not None and rank and not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    return EagerTensor(value.repeat(count, axis if rank else None), data.dtype)


def _repeat_counts(repeats: Any) -> Any:
    counts = convert_to_tensor(repeats, name="repeats")
    return counts if state.graph is None and counts.dtype in (int32, int64) else raw.Cast(x=counts, DstT=int32)


def _repeat(data: object, counts: Any, axis: int) -> Any:
    if counts.shape.rank == 0 or counts.shape.num_elements() == 1:
        return _repeat_evenly(data, counts, axis)
    _check_counts(data, counts, axis)
    return _repeat_by(data, counts, axis) if state.graph is None else _repeat_masked(data, counts, axis)


def _repeat_evenly(data: Any, counts: Any, axis: int) -> Any:
    """Tiles `x[..., None, ...]` along the new dimension and folds the new dimension into `axis`."""
    dims, shape = data.shape.as_list(), shape_tensor(data, counts.dtype)
    count = reshape(counts, [])
    multiples = [1] * (axis + 1) + [count] + [1] * (len(dims) - axis - 1)
    tiled_data = tile(expand_dims_op(data, axis + 1), multiples)
    sizes = [shape[:axis], [count * shape[axis]], shape[axis + 1 :]]
    result = reshape(tiled_data, raw.ConcatV2(values=sizes, axis=0, name="concat"))
    known_count = static_value(count)
    folded_size = multiply(dims[axis], None if known_count is None else int(known_count))
    result.set_shape([*dims[:axis], folded_size, *dims[axis + 1 :]])
    return result


def _check_counts(data: Any, counts: Any, axis: int) -> None:
    size = data.shape.dim_sizes[axis]
    length = counts.shape.as_list()[0] if counts.shape.rank == 1 else None
    if size is not None and length is not None and length not in (1, size):
        raise ValueError(f"Dimensions {size} and {length} are not compatible")


def _repeat_masked(data: Any, counts: Any, axis: int) -> Any:
    """Repeats each element as often as the largest count asks, then drops the superfluous copies, as TensorFlow's nodes
    do.
    """
    known_counts = static_value(counts)
    dims, shape = data.shape.as_list(), shape_tensor(data, counts.dtype)
    along_axis = counts = raw.BroadcastTo(input=counts, shape=[shape[axis]])
    if axis > 0:
        inner_shape = shape_tensor(counts)
        outer_shape = shape[: axis + 1 - rank_of(counts)]
        counts = raw.BroadcastTo(
            input=counts, shape=raw.ConcatV2(values=[outer_shape, inner_shape], axis=0, name="concat")
        )
    largest_count = reduce_max(counts)
    largest_count = raw.Maximum(x=convert_to_tensor(0, dtype=counts.dtype, name="zero"), y=largest_count)
    mask = sequence_mask(counts, largest_count)
    multiples = [1] * (axis + 1) + [largest_count] + [1] * (len(dims) - axis - 1)
    result = boolean_mask(tile(expand_dims_op(data, axis + 1), multiples), mask)
    if axis > 0:
        total = raw.Sum(input=along_axis, reduction_indices=raw.Range(start=0, limit=rank_of(along_axis), delta=1))
        sizes = [shape[:axis], [total], shape[axis + 1 :]]
        result = reshape(result, raw.ConcatV2(values=sizes, axis=0, name="concat"))
    size = None if known_counts is None or known_counts.size == 1 else int(known_counts.clip(0).sum())
    result.set_shape([*dims[:axis], size, *dims[axis + 1 :]])
    return result


def _repeat_by(data: Any, counts: Any, axis: int) -> Any:
    """Repeats element `i` `counts[i]` times: gathers by the positions that a running sum of the counts gives."""
    dims, known_counts = data.shape.dim_sizes, static_value(counts)
    each = raw.BroadcastTo(input=counts, shape=raw.Pack(values=[shape_tensor(data)[axis]], axis=0))
    each = raw.Maximum(x=each, y=0)
    ends = raw.Cumsum(x=each, axis=0)
    total = raw.Sum(input=each, reduction_indices=[0])
    positions = raw.Range(start=raw.ZerosLike(x=total), limit=total, delta=raw.OnesLike(x=total))
    indices = raw.UpperBound(sorted_inputs=expand_dims_op(ends, 0), values=expand_dims_op(positions, 0))
    # data -> reshape(data, shape(data)): so the gather's gradient is dense, as the gradient of tf.repeat in TensorFlow
    rows = reshape(data, shape_tensor(data))
    result = raw.GatherV2(params=rows, indices=reshape(indices, [-1]), axis=axis)
    if known_counts is not None and known_counts.size != 1 and dims is not None:
        result.set_shape([*dims[:axis], int(known_counts.clip(0).sum()), *dims[axis + 1 :]])
    return result
