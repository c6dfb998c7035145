"""Positions of the largest and smallest elements, and membership of a class in the best k.

The first of equal elements wins. NaN never wins while there is anything else, unlike in NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import executing_eagerly, name_scope
from millrace._src.core.dtypes import DType, int16, int32, int64, uint16
from millrace._src.core.dtypes import bool as bool_
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import flops
from millrace._src.ops.batching_rules import along, folding
from millrace._src.ops.math.broadcasting import int_vector, shape_text
from millrace._src.ops.math.element_types import INDEX, QUANTIZED, REAL
from millrace._src.ops.shape_rules import UNKNOWN
from millrace._src.util.export import export

_TYPES = REAL | QUANTIZED | TypeSet([bool_])
_AXIS = TypeSet([int16, int32, int64], default=int32)
_MAX_OUTPUT = TypeSet([int16, uint16, int32, int64], default=int64)
_MIN_OUTPUT = TypeSet([int32, int64], default=int64)
_INDICES = "indices are integers"
_MANY = 256
"""From so many vectors on all go along the axis together."""


def arg_reduction_shape(c: ShapeContext) -> TensorShape:
    """Returns the input's shape without the reduced axis."""
    shape, dimension = c.shape("input"), c.value("dimension")
    rank = shape.rank
    dimension_rank = c.shape("dimension").rank
    if dimension_rank not in (None, 0):
        raise ValueError(f"Shape must be rank 0 but is rank {dimension_rank}")
    if rank is None:
        return UNKNOWN
    if rank <= 1 and not executing_eagerly():
        return TensorShape.of(())
    if dimension is None:
        return TensorShape.of((None,) * (rank - 1))
    axis = int(dimension)
    if not -rank <= axis < rank:
        raise ShapeComplaint(
            f"Dimension ({axis}) must be in the range [{-rank}, {rank}), where {rank} is the number of dimensions in "
            "the input.",
            running=f"Expected dimension in the range [{-rank}, {rank}), but got {axis}",
        )
    dims = shape.dim_sizes or ()
    axis %= rank
    return TensorShape.of((*dims[:axis], *dims[axis + 1 :]))


def _axis_of(input: Array, dimension: Array) -> int:
    axis, rank = int(dimension), input.ndim
    if not -rank <= axis < rank:
        bounds = f"[{-rank if rank else 0}, {rank})"
        raise errors.InvalidArgumentError(None, None, f"Expected dimension in the range {bounds}, but got {axis}")
    if input.shape[axis] == 0:
        raise errors.InvalidArgumentError(
            None, None, f"Reduction axis {axis} is empty in shape {shape_text(input.shape)}"
        )
    return axis


@kernel_part
def _position(xp: Xp, x: Array, axis: int, *, largest: bool) -> Array:
    """Finds the first extreme along an axis; NaN is none."""
    if x.dtype.kind == "V":
        x = x.astype(np.float32)
    indices = _first_extreme(x, axis % x.ndim, largest=largest)
    if x.dtype.kind == "f" and np.isnan(np.take_along_axis(x, np.expand_dims(indices, axis), axis)).any():
        x = np.where(np.isnan(x), x.dtype.type(-np.inf if largest else np.inf), x)  # NumPy finds NaN first
        indices = _first_extreme(x, axis % x.ndim, largest=largest)
    return indices


@_position.kernel_for("xla")
def _xla_position(xp: Xp, x: Array, axis: int, *, largest: bool) -> Array:
    find = xp.argmax if largest else xp.argmin
    if x.dtype.kind not in "fV":
        return find(x, axis=axis)
    worst = -np.inf if largest else np.inf
    return find(xp.where(xp.isnan(x), x.dtype.type(worst), x), axis=axis)


def _first_extreme(x: Array, axis: int, *, largest: bool) -> Array:
    """Finds the first extreme along an axis, or the first NaN.

    Along another axis than the last, NumPy goes element by element; here all vectors go along the axis together.
    """
    count = x.shape[axis]
    if axis == x.ndim - 1 or x.size < _MANY * count or x.dtype.itemsize < 4:
        return x.argmax(axis) if largest else x.argmin(axis)
    slices = np.moveaxis(x, axis, 0)
    is_better, extreme = (np.greater, np.maximum) if largest else (np.less, np.minimum)
    best, indices = slices[0].copy(), np.zeros(slices.shape[1:], np.int64)
    for number in range(1, count):
        np.copyto(indices, number, where=is_better(slices[number], best))
        extreme(best, slices[number], out=best)
    if x.dtype.kind == "f" and np.isnan(best).any():
        return x.argmax(axis) if largest else x.argmin(axis)
    return indices


@op(
    "ArgMax",
    "input: T, dimension: Tidx -> output: output_type",
    T=_TYPES,
    Tidx=_AXIS,
    output_type=_MAX_OUTPUT,
    shape=arg_reduction_shape,
    constant_inputs=("dimension",),
    not_differentiable=_INDICES,
    batching=along("dimension", "input"),
    exact_on_rows=True,
    flops=flops.reduction,
)
def argmax_op(xp: Xp, input: Array, dimension: Array, *, output_type: DType) -> Array:
    """Finds the index of the largest element along an axis; the op behind `tf.argmax`.

    >>> tf.raw_ops.ArgMax(input=[2, 20, 30], dimension=0).numpy()
    np.int64(2)
    """
    return xp.astype(_position(xp, input, _axis_of(input, dimension), largest=True), output_type.np_dtype)


@op(
    "ArgMin",
    "input: T, dimension: Tidx -> output: output_type",
    T=_TYPES,
    Tidx=INDEX,
    output_type=_MIN_OUTPUT,
    shape=arg_reduction_shape,
    constant_inputs=("dimension",),
    not_differentiable=_INDICES,
    batching=along("dimension", "input"),
    exact_on_rows=True,
    flops=flops.reduction,
)
def argmin_op(xp: Xp, input: Array, dimension: Array, *, output_type: DType) -> Array:
    """Finds the index of the smallest element along an axis; the op behind `tf.argmin`.

    >>> tf.raw_ops.ArgMin(input=[20, 2, 30], dimension=0).numpy()
    np.int64(1)
    """
    return xp.astype(_position(xp, input, _axis_of(input, dimension), largest=False), output_type.np_dtype)


def _scalar_axis(axis: object) -> Any:
    if axis is None or type(axis) is int:
        return int_vector(axis or 0) if executing_eagerly() else axis or 0
    if isinstance(axis, (list, tuple)):
        raise TypeError("axis must be int or Tensor with integer datatype")
    return axis


@export("math.argmax", "argmax", v1=[])
def argmax(
    input: TensorLike,
    axis: TensorLike | None = None,
    output_type: DType = int64,
    name: str | None = None,
) -> Tensor:
    """Finds the index of the largest element along an axis; the first index if several elements are equal.

    >>> tf.math.argmax([2, 20, 30, 3, 6]).numpy()
    np.int64(2)

    Args:
      input: A `Tensor` of real numbers or booleans.
      axis: The axis to search, 0 by default; negative ones count from the end.
      output_type: int64, int32, int16 or uint16.
      name: A name for the operation (optional).

    Returns: A `Tensor` of dtype `output_type` and the shape of `input` without `axis`. NaN is never the largest.
    Raises: InvalidArgumentError: if the axis is empty or (ValueError in a graph) out of range.
    """
    return argmax_op(input, _scalar_axis(axis), output_type=output_type, name=name)


@export("math.argmin", "argmin", v1=[])
def argmin(
    input: TensorLike,
    axis: TensorLike | None = None,
    output_type: DType = int64,
    name: str | None = None,
) -> Tensor:
    """Finds the index of the smallest element along an axis; the first index if several elements are equal.

    >>> tf.math.argmin([[1, 5, 5], [0, -1, 2]], axis=1).numpy()
    array([0, 1])

    Args:
      input: A `Tensor` of real numbers or booleans.
      axis: The axis to search, 0 by default; negative ones count from the end.
      output_type: int64 or int32.
      name: A name for the operation (optional).

    Returns: A `Tensor` of dtype `output_type` and the shape of `input` without `axis`. NaN is never the smallest.
    Raises: InvalidArgumentError: if the axis is empty or (ValueError in a graph) out of range.
    """
    return argmin_op(input, _scalar_axis(axis), output_type=output_type, name=name)


def in_top_k_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of a vector with one answer for each row of predictions."""
    predictions, targets = c.shape("predictions"), c.shape("targets")
    if predictions.rank not in (None, 2):
        if executing_eagerly():
            raise ValueError("predictions must be 2-dimensional")
        raise ValueError(f"Shape must be rank 2 but is rank {predictions.rank}")
    if targets.rank not in (None, 1):
        if executing_eagerly():
            raise ValueError("targets must be 1-dimensional")
        raise ValueError(f"Shape must be rank 1 but is rank {targets.rank}")
    rows = None if predictions.dim_sizes is None else predictions.dim_sizes[0]
    count = None if targets.dim_sizes is None else targets.dim_sizes[0]
    if rows is not None and count is not None and rows != count:
        if executing_eagerly():
            raise ValueError(f"First dimension of predictions {rows} must match length of targets {count}")
        raise ValueError(f"Dimensions must be equal, but are {rows} and {count}")
    return TensorShape.of((rows if count is None else count,))


_LARGE = 1 << 13
"""Predictions from which on rows that are decided are left out."""
_FIRST_COLUMNS = 32


def _in_top_k(xp: Xp, predictions: Array, targets: Array, k: Any) -> Array:
    if predictions.ndim != 2 or targets.ndim != 1 or predictions.shape[0] != targets.shape[0]:
        raise ValueError("shapes do not match")
    classes = predictions.shape[1]
    is_class = (targets >= 0) & (targets < classes)
    if classes == 0:
        return is_class
    scores = predictions[xp.arange(len(targets)), xp.where(is_class, targets, 0)][:, None]
    return is_class & _are_few_better(xp, predictions, scores, k)


@kernel_part
def _are_few_better(xp: Xp, predictions: Array, scores: Array, k: Any) -> Array:
    """Tells for which rows the score is finite, and fewer than `k` predictions are better, all of them finite.

    Most rows are decided after few columns: once `k` predictions are better, or NaN, the answer is no.
    """
    if predictions.size < _LARGE:
        return _are_few_in_whole_rows(xp, predictions, scores, k)
    rows = np.flatnonzero(np.isfinite(scores[:, 0]))
    counts = np.zeros(rows.size, np.int64)
    start, stop = 0, _FIRST_COLUMNS
    while rows.size and start < predictions.shape[1]:
        are_all = rows.size == len(predictions)
        part = predictions[:, start:stop] if are_all else predictions[rows, start:stop]
        limits = scores if are_all else scores[rows]
        counts += part.shape[1] - _count_true(part <= limits)
        rows, counts = rows[counts < k], counts[counts < k]
        start, stop = stop, 4 * stop
    result = np.zeros(len(predictions), bool)
    result[rows] = _are_few_in_whole_rows(np, predictions[rows], scores[rows], k)
    return result


@_are_few_better.kernel_for("xla")
def _are_few_in_whole_rows(xp: Any, predictions: Array, scores: Array, k: Any) -> Array:
    better_count = xp.sum(predictions > scores, axis=1, dtype=np.int64)
    is_finite = xp.isfinite(scores[:, 0]) & xp.isfinite(xp.max(predictions, axis=1))  # a NaN is the maximum of its row
    return is_finite & (better_count < k)


_BYTES = np.uint64(0x01010101_01010101)


def _count_true(mask: Array) -> Array:
    """Counts the true elements of rows: eight bytes at a time, where rows are short."""
    columns = mask.shape[1]
    if columns % 8 or not 0 < columns < 256 or not mask.flags.c_contiguous:
        return np.count_nonzero(mask, axis=1)
    words = mask.view(np.uint64)
    total = words[:, 0].copy()
    for index in range(1, columns // 8):
        total += words[:, index]
    total *= _BYTES  # the uppermost byte becomes the sum of all bytes
    total >>= np.uint64(56)
    return total.view(np.int64)


@op(
    "InTopKV2",
    "predictions: float, targets: T, k: T -> precision: bool",
    T=INDEX,
    shape=in_top_k_shape,
    not_differentiable="its result is boolean",
    batching=folding("predictions", "targets"),
)
def in_top_k_v2(xp: Xp, predictions: Array, targets: Array, k: Array) -> Array:
    """Returns whether each target class is among the best `k`; the op behind `tf.math.in_top_k`.

    >>> tf.raw_ops.InTopKV2(predictions=[[0.1, 0.9]], targets=[1], k=1).numpy()
    array([ True])
    """
    return _in_top_k(xp, predictions, targets, k)


@op(
    "InTopK",
    "predictions: float, targets: T -> precision: bool",
    T=INDEX,
    shape=in_top_k_shape,
    not_differentiable="its result is boolean",
    batching=folding("predictions", "targets"),
)
def in_top_k_v1(xp: Xp, predictions: Array, targets: Array, *, k: int) -> Array:
    """Returns whether each target class is among the best `k`, with `k` an attribute.

    >>> tf.raw_ops.InTopK(predictions=[[0.1, 0.9]], targets=[0], k=1).numpy()
    array([False])
    """
    return _in_top_k(xp, predictions, targets, k)


@export("math.in_top_k", "nn.in_top_k", v1=[])
def in_top_k(targets: TensorLike, predictions: TensorLike, k: TensorLike, name: str | None = None) -> Tensor:
    """Returns whether each target class is among the `k` classes of the highest predictions.

    >>> tf.math.in_top_k([1, 0], [[0.1, 0.9], [0.2, 0.8]], 1).numpy()
    array([ True, False])

    Args:
      targets: A vector of class indices, int32 or int64. An index out of range is never among the best.
      predictions: A float32 matrix: for each target, a score per class. Classes that tie at the limit all count.
      k: How many classes count, an integer.
      name: A name for the operation (optional).

    Returns: A vector of dtype bool. False where the target's prediction is not finite.
    """
    with name_scope(name, "in_top_k"):
        return in_top_k_v2(predictions, targets, k)
