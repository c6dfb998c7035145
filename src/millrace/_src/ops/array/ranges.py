"""Sequences of numbers: range, linspace, meshgrid, sequence_mask.

`range` computes its number of elements first, and refuses bounds that contradict the step. The other functions are made
of several ops, in the order of TensorFlow's graphs, so that gradients and node names are the same.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, bfloat16, float16, float32, float64, int32, int64, uint8
from millrace._src.core.dtypes import bool as bool_dtype
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import KnownValue, op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.concat import concat_op
from millrace._src.ops.array.filling import ones, zeros_like
from millrace._src.ops.array.reshaping import expand_dims_op, reshape
from millrace._src.ops.array.shape_checks import dims_text, known_int, require_scalar, vector
from millrace._src.ops.array.shape_ops import shape_tensor, size
from millrace._src.ops.array.slicing import slice_op
from millrace._src.ops.type_sets import FLOAT, INDEX, INTEGER
from millrace._src.util.export import export

_INDEX = INDEX.with_default(int32)
_RANGE = TypeSet((*FLOAT, *(d for d in INTEGER if d is not uint8)))
_HIERARCHY = (int32, int64, float16, bfloat16, float32, float64)
"""The dtypes of `tf.range` where the caller names none: the argument whose dtype stands last here decides."""


# --- range -------------------------------------------------------------------------------------------------------


_MAX = 2**63 - 1


def _range_size(start: Any, limit: Any, delta: Any) -> int:
    """Returns the number of elements; each step of the division is rounded to the dtype of the bounds.

    `range(0.1, 1.1, 0.1)` has 10 elements in float32: there the quotient is 10, in float64 it is greater.

    Args: start, limit, delta: integers, or scalars of one floating dtype.

    Raises: ShapeComplaint: if the bounds contradict the step, or no tensor is that long.
    """
    if delta == 0:
        raise ShapeComplaint("Requires delta != 0", running="Requires delta != 0: 0")
    if delta > 0 and not start <= limit:
        raise ShapeComplaint(f"Requires start <= limit when delta > 0: {_number(start)}/{_number(limit)}")
    if not delta > 0 and not start >= limit:
        raise ShapeComplaint(f"Requires start >= limit when delta < 0: {_number(start)}/{_number(limit)}")
    if isinstance(delta, int):
        steps = -(-(limit - start) // delta)
    else:
        with np.errstate(all="ignore"):
            quotient = float(np.abs((limit - start) / delta))
        steps = math.ceil(quotient) if math.isfinite(quotient) else _MAX + 1
    if steps > _MAX:
        raise ShapeComplaint(f"Requires ((limit - start) / delta) <= {_MAX}")
    return int(steps)


def _number(bound: Any) -> str:
    return f"{bound}" if isinstance(bound, int) else f"{float(bound):g}"


def _range_shape(c: ShapeContext) -> TensorShape:
    for name in ("start", "limit", "delta"):
        try:
            require_scalar(c.shape(name))
        except ValueError as error:
            raise ValueError(f"{error}\n\t for '{name}'") from None
    if c.dtype("start").is_integer:
        bounds: list[Any] = [known_int(c, name) for name in ("start", "limit", "delta")]
    else:
        bounds = [None if v is None else v[()] for v in (c.value(name) for name in ("start", "limit", "delta"))]
    return vector(None if None in bounds else _range_size(*bounds))


@op(
    "Range",
    "start: Tidx, limit: Tidx, delta: Tidx -> output: Tidx",
    Tidx=_RANGE.with_default(int32),
    shape=_range_shape,
    constant_inputs=("start", "limit", "delta"),
    not_differentiable="the elements are constants",
    not_batched="the number of elements differs from row to row",
    known_value=KnownValue.WHOLE,
)
def range_op(xp: Xp, start: Array, limit: Array, delta: Array) -> Array:
    """Makes the numbers `start, start + delta, ...` before `limit`."""
    first, last, step = (_bound_value(name, x) for name, x in (("start", start), ("limit", limit), ("delta", delta)))
    count = _range_size(first, last, step)
    dtype = start.dtype
    if dtype.kind in "iu":
        return np.arange(first, first + count * step, step, dtype=dtype) if count else np.zeros([0], dtype)
    return start.reshape(()) + np.arange(count).astype(dtype) * delta.reshape(())


def _bound_value(name: str, bound: Array) -> Any:
    """Returns a bound as a Python integer or NumPy scalar; as in TensorFlow, a vector of one element passes."""
    if bound.size != 1 or bound.ndim > 1:
        raise invalid(f"{name} must be a scalar, not shape {dims_text(bound.shape)}")
    return bound.item() if bound.dtype.kind in "iu" else bound.reshape(())[()]


@export("range")
def range_(
    start: TensorLike,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str = "range",
) -> Any:
    """Makes a sequence of numbers from `start` in steps of `delta` up to, but not including, `limit`.

    >>> tf.range(5).numpy()
    array([0, 1, 2, 3, 4], dtype=int32)
    >>> tf.range(3, 1, -0.5).numpy()
    array([3. , 2.5, 2. , 1.5], dtype=float32)

    Args:
      start: a scalar; if `limit` is None, `start` is the limit, and the sequence begins at 0.
      limit: a scalar.
      delta: a scalar, not 0.
      dtype: the dtype; None takes the one furthest on among int32, int64, float16, bfloat16, float32, float64.
      name: name of the operation.

    Returns: A vector.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if the step leads away from the limit.
    """
    if limit is None:
        start, limit = 0, start
    with name_scope(name, "Range") as scope:
        wanted_dtype = None if dtype is None else as_dtype(dtype)
        parts = [_convert_bound(v, wanted_dtype, n) for v, n in ((start, "start"), (limit, "limit"), (delta, "delta"))]
        if wanted_dtype is None:
            if any(p.dtype not in _HIERARCHY for p in parts):
                raise AssertionError(f"tf.range: without `dtype`, arguments must be of {[d.name for d in _HIERARCHY]}.")
            wanted_dtype = max((p.dtype for p in parts), key=_HIERARCHY.index)
        return range_op(
            *(p if p.dtype is wanted_dtype else raw.Cast(x=p, DstT=wanted_dtype) for p in parts), name=scope or name
        )


def _convert_bound(value: Any, dtype: DType | None, name: str) -> Any:
    return value if isinstance(value, Tensor) else convert_to_tensor(value, dtype=dtype, name=name)


# --- linspace ----------------------------------------------------------------------------------------------------


def _lin_space_shape(c: ShapeContext) -> TensorShape:
    for name in ("start", "stop", "num"):
        try:
            require_scalar(c.shape(name))
        except ValueError as error:
            raise ValueError(f"{error}\n\t for '{name}'") from None
    count = known_int(c, "num")
    if count is not None and count <= 0:
        raise ValueError(f"Requires num > 0: {count}")
    return vector(count)


@op(
    "LinSpace",
    "start: T, stop: T, num: Tidx -> output: T",
    T=TypeSet((*FLOAT,)),
    Tidx=_INDEX,
    shape=_lin_space_shape,
    constant_inputs=("num",),
    not_differentiable="TensorFlow defines none; tf.linspace is made of ops that have one",
    not_batched="the number of elements differs from row to row",
)
def lin_space_op(xp: Xp, start: Array, stop: Array, num: Array) -> Array:
    """Makes `num` evenly spaced numbers from `start` to `stop`, both included."""
    for name, value in (("start", start), ("stop", stop), ("num", num)):
        if value.ndim:
            raise invalid(f"{name} must be a scalar, not shape {dims_text(value.shape)}")
    count = int(num)
    if count <= 0:
        raise invalid(f"Requires num > 0: {count}")
    if count == 1:
        return xp.reshape(start, (1,))
    step = (stop - start) / xp.astype(xp.array(count - 1), start.dtype)
    inner_points = start + step * xp.astype(xp.arange(count - 1), start.dtype)
    return xp.concatenate([inner_points, xp.reshape(stop, (1,))])


@export("linspace", v1=["linspace", "lin_space"])
def linspace(start: Any, stop: Any, num: TensorLike, name: str | None = None, axis: int = 0) -> Any:
    """Makes evenly spaced numbers from `start` to `stop`, both included.

    >>> tf.linspace(10.0, 12.0, 3).numpy()
    array([10., 11., 12.], dtype=float32)
    >>> tf.linspace([0.0, 5.0], [10.0, 40.0], 3, axis=-1).numpy()
    array([[ 0. ,  5. , 10. ],
           [ 5. , 22.5, 40. ]], dtype=float32)

    Args:
      start: a Tensor; integers become float64 (integers of up to 16 bits float32).
      stop: a Tensor of the same dtype; `start` and `stop` broadcast.
      num: an integer scalar, how many numbers.
      name: name of the operation.
      axis: the dimension along which the numbers go.

    Returns: A Tensor of one dimension more than `start` and `stop`.
    Raises: TypeError: if `num` is not an integer.
    """
    with name_scope(name, "linspace"):
        start = convert_to_tensor(start, name="start")
        stop = convert_to_tensor(stop, name="stop", dtype=start.dtype)
        count = _count(num)
        if start.dtype.is_integer:
            wide = float32 if start.dtype.size <= 2 else float64
            start, stop = raw.Cast(x=start, DstT=wide), raw.Cast(x=stop, DstT=wide)
        raw.Cast(x=count, DstT=start.dtype)  # TensorFlow's graphs have this node; nothing reads the result
        sizes = raw.BroadcastArgs(s0=shape_tensor(start), s1=shape_tensor(stop))
        first = raw.BroadcastTo(input=start, shape=sizes)
        last = raw.BroadcastTo(input=stop, shape=sizes)
        return _interpolate(expand_dims_op(first, axis), expand_dims_op(last, axis), count, axis)


def _count(num: Any) -> Any:
    count = convert_to_tensor(num, name="num")
    if not count.dtype.is_integer:
        raise TypeError(
            f"Argument `tensor` (name: num) must be of type integer. Received `tensor` = {num} of dtype: {count.dtype}"
        )
    return raw.Cast(x=count, DstT=int32)


def _interpolate(first: Any, last: Any, count: Any, axis: int) -> Any:
    """Makes `count` points from `first` to `last`, op by op as TensorFlow's graphs; dimension `axis` of both has size
    1.
    """
    shape = shape_tensor(first)
    rank = shape_tensor(shape)[0]
    from_end = rank + axis
    at = raw.SelectV2(condition=axis >= 0, t=axis, e=from_end)
    inner_count = raw.Maximum(x=count - 2, y=0)
    steps = raw.Maximum(x=count - 1, y=1)
    delta = (last - first) / raw.Cast(x=steps, DstT=first.dtype)
    limit = raw.SelectV2(condition=count >= 0, t=steps, e=-1)
    positions = raw.Cast(x=range_(1, limit, dtype=int64), DstT=first.dtype)
    is_axis = raw.Equal(x=at, y=range_(0, rank))
    along = raw.SelectV2(condition=is_axis, t=inner_count, e=1)  # the shape that broadcasts along `axis`
    inner_points = first + delta * reshape(positions, along)
    all_points = concat_op([first, inner_points, last], at, name="concat")
    return slice_op(all_points, zeros_like(shape), _resize(shape, at, count))


def _resize(shape: Any, at: Any, size: Any) -> Any:
    """Replaces the size of dimension `at` in a shape."""
    return concat_op([shape[0:at], reshape(size, [1]), shape[at + 1 :]], 0, name="concat")


# --- meshgrid ----------------------------------------------------------------------------------------------------


@export("meshgrid")
def meshgrid(*args: Any, **kwargs: Any) -> list[Any]:
    """Makes the coordinates of a grid from the coordinates along each axis.

    >>> x, y = tf.meshgrid([1, 2, 3], [4, 5])
    >>> x.numpy()
    array([[1, 2, 3],
           [1, 2, 3]], dtype=int32)
    >>> y.numpy()
    array([[4, 4, 4],
           [5, 5, 5]], dtype=int32)

    Args:
      *args: Tensors, the points on each axis; what is not a vector is flattened.
      **kwargs: `indexing`, "xy" (the first axis runs along the second dimension; the default) or "ij"; and `name`.

    Returns: A list with one Tensor an argument, all of the shape of the grid.
    Raises:
      TypeError: for another keyword.
      ValueError: if `indexing` is another.
    """
    indexing, name = kwargs.pop("indexing", "xy"), kwargs.pop("name", "meshgrid")
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    with name_scope(name, "meshgrid"):
        count = len(args)
        axes = [reshape(x, [-1 if i == at else 1 for i in range(count)]) for at, x in enumerate(args)]
        sizes = [size(x) for x in (convert_to_tensor(a) for a in args)]
        if indexing == "xy" and count > 1:
            sizes[0], sizes[1] = sizes[1], sizes[0]
            axes[0] = reshape(axes[0], [1, -1] + [1] * (count - 2))
            axes[1] = reshape(axes[1], [-1, 1] + [1] * (count - 2))
        if not axes:
            return []
        if axes[0].dtype is bool_dtype:
            return [raw.BroadcastTo(input=x, shape=raw.Pack(values=sizes, axis=0)) for x in axes]
        grid = ones(sizes, axes[0].dtype)
        return [x * grid for x in axes]


# --- sequence_mask -----------------------------------------------------------------------------------------------


@export("sequence_mask")
def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = bool_dtype, name: str | None = None) -> Any:
    """Makes a mask that marks the first `lengths[...]` elements of each row.

    >>> tf.sequence_mask([1, 3, 2], 4, tf.int32).numpy()
    array([[1, 0, 0, 0],
           [1, 1, 1, 0],
           [1, 1, 0, 0]], dtype=int32)

    Args:
      lengths: A numeric Tensor of any shape.
      maxlen: a scalar, the size of the last dimension; None takes the largest length.
      dtype: the dtype of the mask.
      name: name of the operation.

    Returns: A Tensor of shape `lengths.shape + [maxlen]`.
    Raises: ValueError: if `maxlen` is not a scalar.
    """
    with name_scope(name, "SequenceMask"):
        lengths = convert_to_tensor(lengths)
        if maxlen is None:
            everything = (
                np.arange(lengths.shape.rank, dtype=np.int32)
                if lengths.shape.rank is not None
                else range_(raw.Rank(input=lengths))
            )
            limit = raw.Max(input=lengths, reduction_indices=convert_to_tensor(everything))
            limit = raw.Maximum(x=convert_to_tensor(0, dtype=limit.dtype), y=limit)
        else:
            limit = convert_to_tensor(maxlen)
        if limit.shape.rank not in (0, None):
            raise ValueError(
                "Argument `maxlen` must be scalar for sequence_mask, "
                f"received `maxlen` = {limit if maxlen is None else maxlen} "
                f"with shape '{limit.shape}' instead"
            )
        zero, one = (convert_to_tensor(n, dtype=limit.dtype) for n in (0, 1))
        columns = range_op(zero, limit, one)
        ends = raw.Cast(x=expand_dims_op(lengths, -1), DstT=limit.dtype)
        mask = raw.Less(x=columns, y=ends)
        wanted_dtype = as_dtype(dtype)
        return mask if wanted_dtype is bool_dtype else raw.Cast(x=mask, DstT=wanted_dtype)
