"""Reductions of segments whose rows are chosen by index: sum, mean, and sum over the square root of the count.

`tf.sparse.segment_sum(data, indices, segment_ids)` is `segment_sum` of the rows `data[indices]`, but does not make
those rows first. Embeddings of bags of words are computed with these ops.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import bfloat16, float16, float32, float64
from millrace._src.core.errors import invalid
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import trailing
from millrace._src.ops.math.element_types import INDEX, REAL
from millrace._src.ops.math.precision import in_single
from millrace._src.ops.math.sparse_segment_sums import rows_added_up, sum_chosen_rows
from millrace._src.ops.shape_rules import UNKNOWN
from millrace._src.util.export import export

_FLOAT = TypeSet([bfloat16, float16, float32, float64])
_SIGNATURE = "data: T, indices: Tidx, segment_ids: Tsegmentids -> output: T"
_COUNTED = "data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments -> output: T"
_GRADIENT = "grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32 -> output: T"


def check_segment_shapes(data: TensorShape, indices: TensorShape, ids: TensorShape) -> None:
    """Refuses indices and numbers of segments that are not vectors of one size."""
    if data.rank == 0:
        raise ShapeComplaint("Shape must be at least rank 1 but is rank 0", running="Shape must be at least rank 1")
    for name, shape in (("indices", indices), ("segment_ids", ids)):
        if shape.rank not in (None, 1):
            raise ShapeComplaint(
                f"Shape must be rank 1 but is rank {shape.rank}", running=f"{name} should be a vector."
            )
    if not indices.is_compatible_with(ids):
        sizes = indices.as_list()[0], ids.as_list()[0]
        raise ShapeComplaint(
            f"Dimension 0 in both shapes must be equal, but are {sizes[0]} and {sizes[1]}. "
            f"Shapes are [{sizes[0]}] and [{sizes[1]}].",
            running="segment_ids and indices should have same size.",
        )


def sparse_segment_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of an unknown number of rows like those of the data."""
    data = c.shape("data")
    check_segment_shapes(data, c.shape("indices"), c.shape("segment_ids"))
    return UNKNOWN if data.dim_sizes is None else TensorShape.of((None, *data.dim_sizes[1:]))


def counted_segment_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of `num_segments` rows like those of the data."""
    data, count = c.shape("data"), c.value("num_segments")
    check_segment_shapes(data, c.shape("indices"), c.shape("segment_ids"))
    if c.shape("num_segments").rank not in (None, 0):
        raise ValueError(f"Shape must be rank 0 but is rank {c.shape('num_segments').rank}")
    if count is not None and int(count) < 0:
        raise ShapeComplaint("Cannot specify a negative value for num_segments", running="segment ids must be >= 0")
    rows = None if count is None else int(count)
    return UNKNOWN if data.dim_sizes is None else TensorShape.of((rows, *data.dim_sizes[1:]))


def sparse_segment_gradient_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of `output_dim0` rows like those of the gradient."""
    grad, rows = c.shape("grad"), c.value("output_dim0")
    if grad.dim_sizes is None:
        return UNKNOWN
    return TensorShape.of((None if rows is None else int(rows), *grad.dim_sizes[1:]))


def _check_values(data: Array, indices: Array, ids: Array, rows: int) -> None:
    if data.ndim == 0 or indices.ndim != 1 or indices.shape != ids.shape:
        raise ValueError("shapes do not match")
    if not ids.size:
        return
    outside = (indices < 0) | (indices >= len(data))
    if outside.any():
        i = int(np.argmax(outside))
        raise invalid(f"Bad: indices[{i}] == {indices[i]} out of range [0, {len(data)})")
    if rows <= 0 and ids[-1] < 0:
        raise invalid("segment ids must be >= 0")
    if ids[0] < 0:
        raise invalid(
            f"Segment id {ids[0]} out of range [0, {rows}), possibly because 'segment_ids' input is not sorted."
        )
    if (ids[1:] < ids[:-1]).any():
        raise invalid("segment ids are not increasing")
    if ids[-1] >= rows:
        raise invalid("segment ids must be < num_segments")


def _scales(ids: Array, rows: int, power: float) -> Array:
    """Returns the divisor of each segment: the number of rows to a power; 1 for segments without rows."""
    counts = np.maximum(np.bincount(ids, minlength=rows), 1)
    return counts if power == 1 else counts.astype(np.float64) ** power


def _reduce(data: Array, indices: Array, ids: Array, count: Array | None, power: float) -> Array:
    """Sums the chosen rows of each segment and divides by the number of rows to a power."""
    if count is not None and (count.ndim or count < 0):
        raise ValueError("wrong num_segments")
    rows = int(count) if count is not None else (int(ids[-1]) + 1 if ids.ndim == 1 and ids.size else 0)
    _check_values(data, indices, ids, rows)
    total = sum_chosen_rows(data, indices, ids, rows)
    if power:
        total /= _scales(ids, rows, power).reshape(-1, *[1] * (data.ndim - 1)).astype(data.dtype)
    return total


def _spread(grad: Array, indices: Array, ids: Array, output_dim0: Array, power: float) -> Array:
    """Differentiates `_reduce`: adds each segment's gradient, scaled, to the rows of the segment."""
    rows = int(output_dim0)
    check_gradient_values(grad, indices, ids, rows)
    return rows_added_up(scale_gradient(grad, ids, power), indices, ids, rows)


def check_gradient_values(grad: Array, indices: Array, ids: Array, rows: int) -> None:
    """Refuses indices of rows and numbers of segments that do not exist."""
    for index in (indices.max(initial=0), indices.min(initial=0)):
        if indices.size and not 0 <= index < rows:
            raise invalid(f"Index {index} out of range [0, {rows}).")
    if ids.size and (ids.max() >= len(grad) or ids.min() < 0):
        raise invalid(f"Segment id {ids.max()} out of range [0, {len(grad)}).")


def scale_gradient(grad: Array, ids: Array, power: float) -> Array:
    """Divides the gradient of each segment by the number of its rows to a power."""
    if not power:
        return grad
    return grad / _scales(ids, len(grad), power).reshape(-1, *[1] * (grad.ndim - 1)).astype(grad.dtype)


def _grad_gradient(name: str) -> Any:
    """Makes the gradient of the gradient of a reduction: the reduction itself, because the gradient is linear."""

    def gradient(doutput: Tensor, grad: Tensor, indices: Tensor, segment_ids: Tensor) -> tuple[Any, None, None, None]:
        rows = raw.Shape(input=grad)[0]
        reduce = getattr(raw, name)
        return reduce(data=doutput, indices=indices, segment_ids=segment_ids, num_segments=rows), None, None, None

    return gradient


@op(
    "SparseSegmentSum",
    _SIGNATURE,
    T=REAL,
    Tidx=INDEX,
    Tsegmentids=INDEX,
    shape=sparse_segment_shape,
    host_only=True,
    batching=trailing("data"),
)
def sparse_segment_sum_op(
    xp: Xp, data: Array, indices: Array, segment_ids: Array, *, sparse_gradient: bool = False
) -> Array:
    """Sums the rows `data[indices]` of each segment; the op behind `tf.sparse.segment_sum`.

    >>> data = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    >>> tf.raw_ops.SparseSegmentSum(data=data, indices=[0, 2], segment_ids=[0, 0]).numpy()
    array([[6., 8.]], dtype=float32)
    """
    return in_single(xp, lambda x: _reduce(x, indices, segment_ids, None, 0), data)


@op(
    "SparseSegmentSumWithNumSegments",
    _COUNTED,
    T=REAL,
    Tidx=INDEX,
    Tnumsegments=INDEX,
    Tsegmentids=INDEX,
    shape=counted_segment_shape,
    host_only=True,
    batching=trailing("data"),
)
def sparse_segment_sum_with_num_segments(
    xp: Xp, data: Array, indices: Array, segment_ids: Array, num_segments: Array, *, sparse_gradient: bool = False
) -> Array:
    """Sums the rows `data[indices]` of each of `num_segments` segments.

    >>> data = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    >>> tf.raw_ops.SparseSegmentSumWithNumSegments(
    ...     data=data, indices=[0], segment_ids=[1], num_segments=2
    ... ).numpy()
    array([[0., 0.],
           [1., 2.]], dtype=float32)
    """
    return in_single(xp, lambda x: _reduce(x, indices, segment_ids, num_segments, 0), data)


@op(
    "SparseSegmentSumGrad",
    _GRADIENT,
    T=_FLOAT,
    Tidx=INDEX,
    Tsegmentids=INDEX,
    shape=sparse_segment_gradient_shape,
    host_only=True,
    batching=trailing("grad"),
)
def sparse_segment_sum_grad(xp: Xp, grad: Array, indices: Array, segment_ids: Array, output_dim0: Array) -> Array:
    """Computes the gradient of `SparseSegmentSum` with respect to its data of `output_dim0` rows.

    >>> tf.raw_ops.SparseSegmentSumGrad(grad=[[1.0]], indices=[1], segment_ids=[0], output_dim0=2).numpy()
    array([[0.],
           [1.]], dtype=float32)
    """
    return in_single(xp, lambda x: _spread(x, indices, segment_ids, output_dim0, 0), grad)


sparse_segment_sum_grad.gradient(_grad_gradient("SparseSegmentSumWithNumSegments"))


def _data_gradient(
    kind: str, doutput: Tensor, data: Tensor, indices: Tensor, segment_ids: Tensor, sparse_gradient: bool
) -> tuple[Any, None, None]:
    rows = raw.Shape(input=data)[0]
    facts = {"grad": doutput, "indices": indices, "segment_ids": segment_ids}
    if not sparse_gradient:
        return getattr(raw, f"SparseSegment{kind}Grad")(**facts, output_dim0=rows), None, None
    values, distinct = getattr(raw, f"SparseSegment{kind}GradV2")(**facts, dense_output_dim0=rows)
    return IndexedSlices(values, distinct, raw.Shape(input=data)), None, None


@sparse_segment_sum_op.gradient
def sparse_segment_sum_gradient(
    doutput: Tensor, data: Tensor, indices: Tensor, segment_ids: Tensor, sparse_gradient: bool
) -> tuple[Any, ...]:
    return _data_gradient("Sum", doutput, data, indices, segment_ids, sparse_gradient)


@sparse_segment_sum_with_num_segments.gradient
def sparse_segment_sum_with_num_segments_gradient(
    doutput: Tensor, data: Tensor, indices: Tensor, segment_ids: Tensor, sparse_gradient: bool
) -> tuple[Any, ...]:
    return (*sparse_segment_sum_gradient(doutput, data, indices, segment_ids, sparse_gradient), None)


@export("sparse.segment_sum", v1=[])
def segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Sums the rows `data[indices]` of each segment.

    >>> tf.sparse.segment_sum([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 2], [0, 0]).numpy()
    array([[6., 8.]], dtype=float32)

    Args:
      data: A `Tensor` of real numbers with at least one axis.
      indices: A vector of the rows of `data` to take.
      segment_ids: A vector with a segment number for each index, sorted; numbers may repeat.
      num_segments: How many segments there are; by default the last number plus 1.
      name: A name for the operation (optional).
      sparse_gradient: Whether the gradient is a `tf.IndexedSlices` of the rows that occur.

    Returns: A `Tensor` with one row per segment; 0 for segments without rows.
    Raises: InvalidArgumentError: if an index is out of range or the numbers are negative, not sorted or too large.
    """
    if num_segments is None:
        return sparse_segment_sum_op(data, indices, segment_ids, sparse_gradient=sparse_gradient, name=name)
    return sparse_segment_sum_with_num_segments(
        data, indices, segment_ids, num_segments, sparse_gradient=sparse_gradient, name=name
    )


@op(
    "SparseSegmentMean",
    _SIGNATURE,
    T=_FLOAT,
    Tidx=INDEX,
    Tsegmentids=INDEX,
    shape=sparse_segment_shape,
    host_only=True,
    batching=trailing("data"),
)
def sparse_segment_mean_op(
    xp: Xp, data: Array, indices: Array, segment_ids: Array, *, sparse_gradient: bool = False
) -> Array:
    """Computes the mean of the rows `data[indices]` of each segment; the op behind `tf.sparse.segment_mean`.

    >>> data = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    >>> tf.raw_ops.SparseSegmentMean(data=data, indices=[0, 2], segment_ids=[0, 0]).numpy()
    array([[3., 4.]], dtype=float32)
    """
    return in_single(xp, lambda x: _reduce(x, indices, segment_ids, None, 1), data)


@op(
    "SparseSegmentMeanWithNumSegments",
    _COUNTED,
    T=_FLOAT,
    Tidx=INDEX,
    Tnumsegments=INDEX,
    Tsegmentids=INDEX,
    shape=counted_segment_shape,
    host_only=True,
    batching=trailing("data"),
)
def sparse_segment_mean_with_num_segments(
    xp: Xp, data: Array, indices: Array, segment_ids: Array, num_segments: Array, *, sparse_gradient: bool = False
) -> Array:
    """Computes the mean of the rows `data[indices]` of each of `num_segments` segments.

    >>> data = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    >>> tf.raw_ops.SparseSegmentMeanWithNumSegments(
    ...     data=data, indices=[0], segment_ids=[1], num_segments=2
    ... ).numpy()
    array([[0., 0.],
           [1., 2.]], dtype=float32)
    """
    return in_single(xp, lambda x: _reduce(x, indices, segment_ids, num_segments, 1), data)


@op(
    "SparseSegmentMeanGrad",
    _GRADIENT,
    T=_FLOAT,
    Tidx=INDEX,
    Tsegmentids=INDEX,
    shape=sparse_segment_gradient_shape,
    host_only=True,
    batching=trailing("grad"),
)
def sparse_segment_mean_grad(xp: Xp, grad: Array, indices: Array, segment_ids: Array, output_dim0: Array) -> Array:
    """Computes the gradient of `SparseSegmentMean` with respect to its data of `output_dim0` rows.

    >>> tf.raw_ops.SparseSegmentMeanGrad(grad=[[1.0]], indices=[1], segment_ids=[0], output_dim0=2).numpy()
    array([[0.],
           [1.]], dtype=float32)
    """
    return in_single(xp, lambda x: _spread(x, indices, segment_ids, output_dim0, 1), grad)


sparse_segment_mean_grad.gradient(_grad_gradient("SparseSegmentMeanWithNumSegments"))


@sparse_segment_mean_op.gradient
def sparse_segment_mean_gradient(
    doutput: Tensor, data: Tensor, indices: Tensor, segment_ids: Tensor, sparse_gradient: bool
) -> tuple[Any, ...]:
    return _data_gradient("Mean", doutput, data, indices, segment_ids, sparse_gradient)


@sparse_segment_mean_with_num_segments.gradient
def sparse_segment_mean_with_num_segments_gradient(
    doutput: Tensor, data: Tensor, indices: Tensor, segment_ids: Tensor, sparse_gradient: bool
) -> tuple[Any, ...]:
    return (*sparse_segment_mean_gradient(doutput, data, indices, segment_ids, sparse_gradient), None)


@export("sparse.segment_mean", v1=[])
def segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Computes the mean of the rows `data[indices]` of each segment.

    >>> tf.sparse.segment_mean([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 2], [0, 0]).numpy()
    array([[3., 4.]], dtype=float32)

    Args:
      data: A `Tensor` of floating point with at least one axis.
      indices: A vector of the rows of `data` to take.
      segment_ids: A vector with a segment number for each index, sorted; numbers may repeat.
      num_segments: How many segments there are; by default the last number plus 1.
      name: A name for the operation (optional).
      sparse_gradient: Whether the gradient is a `tf.IndexedSlices` of the rows that occur.

    Returns: A `Tensor` with one row per segment; 0 for segments without rows.
    Raises: InvalidArgumentError: if an index is out of range or the numbers are negative, not sorted or too large.
    """
    if num_segments is None:
        return sparse_segment_mean_op(data, indices, segment_ids, sparse_gradient=sparse_gradient, name=name)
    return sparse_segment_mean_with_num_segments(
        data, indices, segment_ids, num_segments, sparse_gradient=sparse_gradient, name=name
    )


@op(
    "SparseSegmentSqrtN",
    _SIGNATURE,
    T=_FLOAT,
    Tidx=INDEX,
    Tsegmentids=INDEX,
    shape=sparse_segment_shape,
    host_only=True,
    batching=trailing("data"),
)
def sparse_segment_sqrt_n_op(
    xp: Xp, data: Array, indices: Array, segment_ids: Array, *, sparse_gradient: bool = False
) -> Array:
    """Divides the sum of the rows `data[indices]` of each segment by the square root of their number.

    >>> data = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    >>> tf.raw_ops.SparseSegmentSqrtN(data=data, indices=[0, 2], segment_ids=[0, 0]).numpy()
    array([[4.2426..., 5.6568...]], dtype=float32)
    """
    return in_single(xp, lambda x: _reduce(x, indices, segment_ids, None, 0.5), data)


@op(
    "SparseSegmentSqrtNWithNumSegments",
    _COUNTED,
    T=_FLOAT,
    Tidx=INDEX,
    Tnumsegments=INDEX,
    Tsegmentids=INDEX,
    shape=counted_segment_shape,
    host_only=True,
    batching=trailing("data"),
)
def sparse_segment_sqrt_n_with_num_segments(
    xp: Xp, data: Array, indices: Array, segment_ids: Array, num_segments: Array, *, sparse_gradient: bool = False
) -> Array:
    """Divides the sum of the rows `data[indices]` of each of `num_segments` segments by the square root of their
    number.

    >>> data = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    >>> tf.raw_ops.SparseSegmentSqrtNWithNumSegments(
    ...     data=data, indices=[0], segment_ids=[1], num_segments=2
    ... ).numpy()
    array([[0., 0.],
           [1., 2.]], dtype=float32)
    """
    return in_single(xp, lambda x: _reduce(x, indices, segment_ids, num_segments, 0.5), data)


@op(
    "SparseSegmentSqrtNGrad",
    _GRADIENT,
    T=_FLOAT,
    Tidx=INDEX,
    Tsegmentids=INDEX,
    shape=sparse_segment_gradient_shape,
    host_only=True,
    batching=trailing("grad"),
)
def sparse_segment_sqrt_n_grad(xp: Xp, grad: Array, indices: Array, segment_ids: Array, output_dim0: Array) -> Array:
    """Computes the gradient of `SparseSegmentSqrtN` with respect to its data of `output_dim0` rows.

    >>> tf.raw_ops.SparseSegmentSqrtNGrad(grad=[[1.0]], indices=[1], segment_ids=[0], output_dim0=2).numpy()
    array([[0.],
           [1.]], dtype=float32)
    """
    return in_single(xp, lambda x: _spread(x, indices, segment_ids, output_dim0, 0.5), grad)


sparse_segment_sqrt_n_grad.gradient(_grad_gradient("SparseSegmentSqrtNWithNumSegments"))


@sparse_segment_sqrt_n_op.gradient
def sparse_segment_sqrt_n_gradient(
    doutput: Tensor, data: Tensor, indices: Tensor, segment_ids: Tensor, sparse_gradient: bool
) -> tuple[Any, ...]:
    return _data_gradient("SqrtN", doutput, data, indices, segment_ids, sparse_gradient)


@sparse_segment_sqrt_n_with_num_segments.gradient
def sparse_segment_sqrt_n_with_num_segments_gradient(
    doutput: Tensor, data: Tensor, indices: Tensor, segment_ids: Tensor, sparse_gradient: bool
) -> tuple[Any, ...]:
    return (*sparse_segment_sqrt_n_gradient(doutput, data, indices, segment_ids, sparse_gradient), None)


@export("sparse.segment_sqrt_n", v1=[])
def segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Divides the sum of the rows `data[indices]` of each segment by the square root of their number.

    >>> tf.sparse.segment_sqrt_n([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 2], [0, 0]).numpy()
    array([[4.2426..., 5.6568...]], dtype=float32)

    Args:
      data: A `Tensor` of floating point with at least one axis.
      indices: A vector of the rows of `data` to take.
      segment_ids: A vector with a segment number for each index, sorted; numbers may repeat.
      num_segments: How many segments there are; by default the last number plus 1.
      name: A name for the operation (optional).
      sparse_gradient: Whether the gradient is a `tf.IndexedSlices` of the rows that occur.

    Returns: A `Tensor` with one row per segment; 0 for segments without rows.
    Raises: InvalidArgumentError: if an index is out of range or the numbers are negative, not sorted or too large.
    """
    if num_segments is None:
        return sparse_segment_sqrt_n_op(data, indices, segment_ids, sparse_gradient=sparse_gradient, name=name)
    return sparse_segment_sqrt_n_with_num_segments(
        data, indices, segment_ids, num_segments, sparse_gradient=sparse_gradient, name=name
    )
