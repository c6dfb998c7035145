"""Sort, argsort, top_k: order along a dimension.

Everything is `top_k`. As in TensorFlow, sorting is taking all of the largest, and an ascending sort is a descending
sort of the values mirrored (`-x` for floats, `-x - 1` for integers, which cannot overflow). Equal values keep their
order. NaN is the smallest value, and, as -NaN is NaN, comes last in both directions: TensorFlow's kernels compare with
`>`, so that its position depends on its neighbours there; an ascending sort that XLA compiles, and NumPy's, end with
it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, bfloat16, float16, float32, int16, int32, int64
from millrace._src.core.errors import invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext, static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.reshaping import reshape
from millrace._src.ops.array.row_order import largest_of_rows
from millrace._src.ops.array.shape_checks import UNKNOWN, dims_text, known_int, with_rank_at_least
from millrace._src.ops.array.shape_ops import rank, shape_tensor
from millrace._src.ops.array.transposing import transpose
from millrace._src.ops.batching_rules import along_attr, leading
from millrace._src.ops.type_sets import INDEX, REAL
from millrace._src.util.export import export

_INDEX_TYPES = TypeSet((int16, int32, int64), default=int32)
_INDEX = INDEX.with_default(int32)


class TopKV2(NamedTuple):
    """The result of `tf.math.top_k`."""

    values: Any
    indices: Any


class ApproxTopK(NamedTuple):
    """The result of `tf.math.approx_max_k`."""

    values: Any
    indices: Any


# --- top_k -------------------------------------------------------------------------------------------------------


def _top_k_shape(c: ShapeContext) -> list[TensorShape]:
    dims = with_rank_at_least(c.shape("input"), 1)
    if c.shape("k").rank:
        raise ValueError(f"Input must be scalar but has rank {c.shape('k').rank}")
    return [_top_k_dims(dims, known_int(c, "k"))] * 2


def _top_k_dims(dims: Any, k: int | None) -> TensorShape:
    if k is not None and k < 0:
        raise ValueError(f"Dimension size, given by scalar input 1, must be non-negative but is {k}")
    if dims is None:
        return UNKNOWN
    if k is not None and dims[-1] is not None and dims[-1] < k:
        raise ValueError(f"input must have last dimension >= k = {k} but is {dims[-1]}")
    return TensorShape.of((*dims[:-1], k))


@kernel_part
def _largest(xp: Xp, x: Array, k: int, index_dtype: Any) -> tuple[Array, Array]:
    """Finds the `k` largest elements along the last dimension and their positions; NaN is smallest, and equal
    elements keep their order.
    """
    return largest_of_rows(x, k, index_dtype)


@_largest.kernel_for("xla")
def _xla_largest(xp: CompilingXp, x: Array, k: int, index_dtype: Any) -> tuple[Array, Array]:
    size = x.shape[-1]
    if x.dtype.itemsize == 8:
        positions = xp.lax.top_k(_without_signs(xp, x), k)[1]
    elif k * 8 <= size and (x.dtype.kind in "fV" or x.dtype.itemsize < 4):
        # XLA picks the largest of float32 alone; all else it sorts, and pairs five times slower than single numbers
        positions = xp.lax.top_k(_without_signs(xp, xp.astype(x, np.float32)), k)[1]
    else:
        keys = xp.astype(~_order_keys(xp, x), np.int64) << 32
        positions = xp.sort(keys | xp.arange(size), axis=-1)[..., :k] & 0xFFFFFFFF
    return xp.take_along_axis(x, positions, axis=-1), xp.astype(positions, index_dtype)


def _without_signs(xp: Xp, x: Array) -> Array:
    """Gives zeros and NaNs of both signs the sign that makes XLA take zeros for equal and NaN for smallest."""
    if x.dtype.kind in "iu":
        return x
    nan, zero = xp.asarray(-np.nan, x.dtype), xp.zeros((), x.dtype)
    return xp.where(xp.isnan(x), nan, xp.where(x == 0, zero, x))


def _order_keys(xp: Xp, x: Array) -> Array:
    """Returns int32 numbers in the order of the elements of `x`; NaN is smallest, and both zeros are equal."""
    if x.dtype.kind == "u":
        return xp.astype(x, np.int32) if x.dtype.itemsize < 4 else xp.bitcast(x ^ np.uint32(1 << 31), np.int32)
    if x.dtype.kind == "i":
        return xp.astype(x, np.int32)
    bits = xp.bitcast(_without_signs(xp, xp.astype(x, np.float32)), np.int32)
    return xp.where(bits < 0, bits ^ 0x7FFFFFFF, bits)


def _top_k(xp: Xp, x: Array, k: int, index_type: DType) -> tuple[Array, Array]:
    if not x.ndim:
        raise invalid(f"input must be >= 1-D, got shape {dims_text(x.shape)}")
    if k < 0:
        raise invalid(f"Need k >= 0, got {k}")
    if x.shape[-1] < k:
        raise invalid(f"input must have at least k columns. Had {x.shape[-1]}, needed {k}")
    return _largest(xp, x, k, index_type.np_dtype)


@op(
    "TopKV2",
    "input: T, k: Tk -> values: T, indices: index_type",
    T=REAL,
    Tk=_INDEX_TYPES,
    index_type=_INDEX_TYPES,
    shape=_top_k_shape,
    constant_inputs=("k",),
    batching=leading("input"),
    exact_on_rows=True,
    library_bound=True,
)
def top_k_op(xp: Xp, input: Array, k: Array, *, index_type: DType, sorted: bool = True) -> tuple[Array, Array]:
    """Finds the `k` largest elements along the last dimension and their positions; in order, whatever `sorted` says."""
    if k.ndim:
        raise invalid(f"k must be scalar, got shape {dims_text(k.shape)}")
    return _top_k(xp, input, int(k), index_type)


@op(
    "TopK",
    "input: T -> values: T, indices: int32",
    T=REAL,
    shape=lambda c: [_top_k_dims(with_rank_at_least(c.shape("input"), 1), c.attr("k"))] * 2,
    batching=leading("input"),
    library_bound=True,
)
def top_k_v1_op(xp: Xp, input: Array, *, k: int, sorted: bool = True) -> tuple[Array, Array]:
    """Finds the `k` largest elements along the last dimension; the form of TensorFlow's first graphs."""
    return _top_k(xp, input, k, int32)


def _scatter_last(dy: Any, input: object, indices: Any) -> Any:
    """Puts a gradient at `indices` of the last dimension of zeros like `input`."""
    shape = shape_tensor(input)
    size = shape[-1]
    if indices.dtype is not int32:
        indices = raw.Cast(x=indices, DstT=int32)
    rows = reshape(indices, raw.Pack(values=[-1, shape_tensor(indices)[-1]], axis=0))
    starts = raw.Range(start=0, limit=shape_tensor(rows)[0], delta=1) * size
    flat_positions = reshape(rows + raw.ExpandDims(input=starts, dim=-1), [-1, 1])
    count = raw.Prod(input=shape, reduction_indices=[0])
    flat_gradient = raw.ScatterNd(
        indices=flat_positions, updates=reshape(dy, [-1]), shape=raw.Pack(values=[count], axis=0)
    )
    return reshape(flat_gradient, shape)


@top_k_op.gradient
def top_k_gradient(dy: Tensor, d_indices: Tensor, input: Tensor, indices: Tensor) -> tuple[Tensor, None]:
    """Gives each of the largest elements its gradient."""
    return _scatter_last(dy, input, indices), None


@top_k_v1_op.gradient
def top_k_v1_gradient(dy: Tensor, d_indices: Tensor, input: Tensor, indices: Tensor) -> Tensor:
    """Gives each of the largest elements its gradient."""
    return _scatter_last(dy, input, indices)


@export("math.top_k", "nn.top_k")
def top_k(
    input: TensorLike, k: TensorLike = 1, sorted: bool = True, index_type: object = int32, name: str | None = None
) -> TopKV2:
    """Finds the `k` largest elements along the last dimension.

    >>> values, indices = tf.math.top_k([1, 9, 4, 9], k=3)
    >>> values.numpy(), indices.numpy()
    (array([9, 9, 4], dtype=int32), array([1, 3, 2], dtype=int32))

    Args:
      input: A real Tensor of at least one dimension.
      k: an integer scalar, at most the size of the last dimension.
      sorted: whether the largest must come first; they do in any case. TensorFlow's order without sorting is that of a
        heap; here and where XLA compiles TensorFlow's graph the argument changes nothing.
      index_type: int16, int32 or int64, the dtype of the indices.
      name: name of the operation.

    Returns: A named tuple of `values` and `indices`; of equal elements that with the lower index comes first. NaN
      is smaller than all numbers.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if `k` is negative or too large.
    """
    return TopKV2(*top_k_op(input, k, sorted=sorted, index_type=as_dtype(index_type), name=name))


# --- approximate top_k, n-th element -----------------------------------------------------------------------------


def _approx_shape(c: ShapeContext) -> list[TensorShape]:
    dims = with_rank_at_least(c.shape("input"), 1)
    if dims is None:
        return [UNKNOWN, UNKNOWN]
    axis, k = c.attr("reduction_dimension"), c.attr("k")
    if not -len(dims) <= axis < len(dims):
        raise ValueError(f"reduction_dimension {axis} is out of range for rank {len(dims)}")
    axis %= len(dims)
    if dims[axis] is not None and dims[axis] < k:
        raise ValueError(f"input must have last dimension >= k = {k} but was {dims[axis]}")
    return [TensorShape.of((*dims[:axis], k, *dims[axis + 1 :]))] * 2


@export("approx_top_k")
@op(
    "ApproxTopK",
    "input: T -> values: T, indices: int32",
    T=TypeSet((float16, bfloat16, float32)),
    shape=_approx_shape,
    batching=along_attr("reduction_dimension", "input"),
)
def approx_top_k(
    xp: Xp,
    input: Array,
    *,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
) -> tuple[Array, Array]:
    """Finds the `k` largest or smallest elements along a dimension; on a CPU exactly.

    >>> tf.math.approx_max_k([3.0, 1.0, 2.0], 2)[0].numpy()
    array([3., 2.], dtype=float32)

    Args:
      input: A float16, bfloat16 or float32 Tensor.
      k: how many.
      reduction_dimension: the dimension.
      recall_target: which share of the true elements must be found; all are.
      is_max_k: whether the largest are wanted.
      reduction_input_size_override: has no effect on exact results.
      aggregate_to_topk: has no effect on exact results.

    Returns: A list of the values and the int32 indices of the values.
    Raises: tf.errors.InvalidArgumentError: if `k` is too large.
    """
    moved_input = xp.moveaxis(input, reduction_dimension, -1)
    values, indices = _top_k(xp, moved_input if is_max_k else -moved_input, k, int32)
    back = [xp.moveaxis(t, -1, reduction_dimension) for t in (values if is_max_k else -values, indices)]
    return back[0], back[1]


@approx_top_k.gradient
def approx_top_k_gradient(
    dy: Tensor, d_indices: Tensor, input: Tensor, indices: Tensor, reduction_dimension: int
) -> Tensor:
    """Gives each of the selected elements its gradient."""
    size = input.shape.rank
    if reduction_dimension in (-1, None if size is None else size - 1):
        return _scatter_last(dy, input, indices)
    perm = _swap_with_last(reduction_dimension, raw.Rank(input=input) if size is None else size)
    moved_tensors = [raw.Transpose(x=t, perm=perm) for t in (dy, input, indices)]
    return raw.Transpose(x=_scatter_last(*moved_tensors), perm=perm)


def _swap_with_last(axis: int, rank: Any) -> Any:
    """Returns the permutation of dimensions that swaps one with the last; the rank may be a tensor."""
    if isinstance(rank, int):
        perm = list(range(rank))
        perm[axis], perm[-1] = perm[-1], perm[axis]
        return perm
    numbers = raw.Range(start=0, limit=rank, delta=1)
    axis, last = axis if axis >= 0 else rank + axis, rank - 1
    first = raw.SelectV2(condition=raw.Equal(x=numbers, y=axis), t=last, e=numbers)
    return raw.SelectV2(condition=raw.Equal(x=numbers, y=last), t=axis, e=first)


def _approx_k(
    is_max_k: bool, operand: TensorLike, k: int, axis: int, sizes: tuple[float, int, bool], name: str | None
) -> ApproxTopK:
    recall_target, reduction_input_size_override, aggregate_to_topk = sizes
    results = approx_top_k(
        operand,
        k=k,
        reduction_dimension=axis,
        recall_target=recall_target,
        is_max_k=is_max_k,
        reduction_input_size_override=reduction_input_size_override,
        aggregate_to_topk=aggregate_to_topk,
        name=name,
    )
    return ApproxTopK(*results)


@export("math.approx_max_k", "nn.approx_max_k")
def approx_max_k(
    operand: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Finds the `k` largest elements along a dimension; on a CPU exactly.

    >>> tf.math.approx_max_k([3.0, 1.0, 2.0], 2)[1].numpy()
    array([0, 2], dtype=int32)

    Args:
      operand: A float16, bfloat16 or float32 Tensor.
      k: how many.
      reduction_dimension: the dimension.
      recall_target: which share of the true elements must be found; all are.
      reduction_input_size_override: has no effect on exact results.
      aggregate_to_topk: has no effect on exact results.
      name: name of the operation.

    Returns: A named tuple of `values` and their int32 `indices`.
    """
    sizes = (recall_target, reduction_input_size_override, aggregate_to_topk)
    return _approx_k(True, operand, k, reduction_dimension, sizes, name)


@export("math.approx_min_k", "nn.approx_min_k")
def approx_min_k(
    operand: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Finds the `k` smallest elements along a dimension; on a CPU exactly.

    >>> tf.math.approx_min_k([3.0, 1.0, 2.0], 2)[0].numpy()
    array([1., 2.], dtype=float32)

    Args:
      operand: A float16, bfloat16 or float32 Tensor.
      k: how many.
      reduction_dimension: the dimension.
      recall_target: which share of the true elements must be found; all are.
      reduction_input_size_override: has no effect on exact results.
      aggregate_to_topk: has no effect on exact results.
      name: name of the operation.

    Returns: A named tuple of `values` and their int32 `indices`.
    """
    sizes = (recall_target, reduction_input_size_override, aggregate_to_topk)
    return _approx_k(False, operand, k, reduction_dimension, sizes, name)


def _nth_shape(c: ShapeContext) -> TensorShape:
    dims, n = with_rank_at_least(c.shape("input"), 1), c.value("n")
    if n is not None and int(n) < 0:
        raise ValueError(f"Dimension size, given by scalar input 1, must be non-negative but is {int(n)}")
    if dims is None:
        return UNKNOWN
    if n is not None and dims[-1] is not None and dims[-1] <= int(n):
        raise ValueError(f"Input must have last dimension > n = {int(n)} but is {dims[-1]}")
    return TensorShape.of(dims[:-1])


@op(
    "NthElement",
    "input: T, n: int32 -> values: T",
    T=REAL,
    shape=_nth_shape,
    constant_inputs=("n",),
    batching=leading("input"),
    library_bound=True,
)
def nth_element(xp: Xp, input: Array, n: Array, *, reverse: bool = False) -> Array:
    """Finds the element of rank `n` along the last dimension, from the smallest, or from the largest if `reverse`; NaN
    is last in either order.
    """
    at = int(n)
    if not input.ndim:
        raise invalid(f"Input must be >= 1-D, got shape {dims_text(input.shape)}")
    if at < 0:
        raise invalid(f"n must be non-negative, got {at}")
    if input.shape[-1] <= at:
        raise invalid(f"Input must have last dimension > n = {at}")
    if input.dtype.kind in "iu":
        return xp.sort(input, axis=-1)[..., -1 - at if reverse else at]
    rows = xp.astype(input, np.float32) if input.dtype.kind == "V" else input  # NumPy sorts NaN of its own types alone
    found = -xp.sort(-rows, axis=-1)[..., at] if reverse else xp.sort(rows, axis=-1)[..., at]
    return xp.astype(found, input.dtype)


@nth_element.gradient
def nth_element_gradient(dy: Tensor, input: Tensor, values: Tensor) -> tuple[Tensor, None]:
    """Shares the gradient equally among all elements that have the value."""
    hit = raw.Cast(x=raw.Equal(x=raw.ExpandDims(input=values, dim=-1), y=input), DstT=dy.dtype)
    count = raw.Sum(input=hit, reduction_indices=[-1], keep_dims=True)
    return hit / count * raw.ExpandDims(input=dy, dim=-1), None


# --- sort --------------------------------------------------------------------------------------------------------


@export("sort")
def sort(values: TensorLike, axis: TensorLike = -1, direction: str = "ASCENDING", name: str | None = None) -> Any:
    """Sorts a tensor along a dimension.

    >>> tf.sort([3, 1, 2], direction="DESCENDING").numpy()
    array([3, 2, 1], dtype=int32)

    Args:
      values: A real Tensor of at least one dimension.
      axis: the dimension, known while tracing.
      direction: "ASCENDING" or "DESCENDING".
      name: name of the operation.

    Returns: A Tensor of the same shape and dtype; NaN comes last in either direction.
    Raises: ValueError: if `direction` is another, or `axis` is not known while tracing.
    """
    with name_scope(name, "sort"):
        return _sort(values, axis, direction, wants_indices=False)


@export("argsort")
def argsort(
    values: TensorLike,
    axis: TensorLike = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Any:
    """Finds the positions that would sort a tensor along a dimension.

    >>> tf.argsort([30, 10, 20]).numpy()
    array([1, 2, 0], dtype=int32)

    Args:
      values: A real Tensor of at least one dimension.
      axis: the dimension, known while tracing.
      direction: "ASCENDING" or "DESCENDING".
      stable: whether equal elements must keep their order; equal elements do in any case.
      name: name of the operation.

    Returns: An int32 Tensor of the same shape; the positions of NaN come last in either direction.
    Raises: ValueError: if `direction` is another, or `axis` is not known while tracing.
    """
    with name_scope(name, "argsort"):
        return _sort(values, axis, direction, wants_indices=True)


def _sort(values: Any, axis: Any, direction: str, wants_indices: bool) -> Any:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={direction}"
        )
    at = static_value(convert_to_tensor(axis, name="axis"))
    if at is None:
        raise ValueError("tf.sort: `axis` must be known while tracing.")
    values = convert_to_tensor(values, name="values")
    if direction == "DESCENDING":
        return _descending(values, int(at), wants_indices)
    if values.dtype.is_unsigned:
        largest = int(values.dtype.max)
        ordered_rows = _descending(largest - values, int(at), wants_indices)
        return ordered_rows if wants_indices else largest - ordered_rows
    if values.dtype.is_integer:
        ordered_rows = _descending(-values - 1, int(at), wants_indices)
        return ordered_rows if wants_indices else -ordered_rows - 1
    ordered_rows = _descending(raw.Neg(x=values), int(at), wants_indices)
    return ordered_rows if wants_indices else -ordered_rows


def _descending(values: Any, axis: int, wants_indices: bool) -> Any:
    size = shape_tensor(values)[axis]
    perm = _swap_last(values, axis, rank(values))
    rows = values if perm is None else transpose(values, perm)
    ordered_rows = top_k_op(rows, size, index_type=int32)[1 if wants_indices else 0]
    return ordered_rows if perm is None else transpose(ordered_rows, perm)


def _swap_last(values: Any, axis: int, dynamic: Any) -> Any:
    """Returns the permutation that swaps a dimension with the last; None if the dimension is the last."""
    count = values.shape.rank
    if axis == -1 or count is not None and axis + 1 == count:
        return None
    if count is not None:
        perm = np.arange(count)
        perm[axis], perm[-1] = perm[-1], perm[axis]
        return convert_to_tensor(perm, name="transposition")
    at = axis if axis >= 0 else dynamic + axis
    identity = raw.Range(start=0, limit=dynamic, delta=1)
    axis_indices, swapped_axes = [[at], [dynamic - 1]], [dynamic - 1, at]
    return raw.TensorScatterUpdate(tensor=identity, indices=axis_indices, updates=swapped_axes)
