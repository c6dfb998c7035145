"""Gradients of sums of chosen rows that hold only the rows that were chosen.

The gradient of a table of embeddings has a row for each word of the language, and all but the few words of a batch are
zero. These ops give the rows that occur, and their numbers: the two parts of a `tf.IndexedSlices`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import bfloat16, float16, float32, float64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.element_types import INDEX
from millrace._src.ops.math.precision import in_single
from millrace._src.ops.math.sparse_segment_sums import distinct_rows, rows_added_up
from millrace._src.ops.math.sparse_segments import check_gradient_values, check_segment_shapes, scale_gradient
from millrace._src.ops.shape_rules import UNKNOWN

_SIGNATURE = (
    "grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32 -> "
    "output: T, sorted_unique_indices: Tidx"
)
_FACTS: dict[str, Any] = {
    "T": TypeSet([bfloat16, float16, float32, float64]),
    "Tidx": INDEX,
    "Tsegmentids": INDEX,
    "host_only": True,
    "not_batched": "the rows that occur differ from row to row",
}


def _shapes(c: ShapeContext) -> Sequence[TensorShape]:
    grad = c.shape("grad")
    check_segment_shapes(grad, c.shape("indices"), c.shape("segment_ids"))
    rows = UNKNOWN if grad.dim_sizes is None else TensorShape.of((None, *grad.dim_sizes[1:]))
    return rows, TensorShape.of((None,))


def _gather(
    xp: Xp, grad: Array, indices: Array, ids: Array, dense_output_dim0: Array, power: float
) -> tuple[Array, Array]:
    """Adds up the scaled gradients of the segments of each row that occurs; returns the sums and the rows."""
    if indices.ndim != 1 or indices.shape != ids.shape:
        raise ValueError("shapes do not match")
    rows = int(dense_output_dim0)
    if ids.size and ids.max() >= len(grad):
        raise invalid("Invalid number of segments")
    check_gradient_values(grad, indices, ids, rows)
    distinct, numbers = distinct_rows(indices, rows)
    sums = in_single(xp, lambda g: rows_added_up(scale_gradient(g, ids, power), numbers, ids, len(distinct)), grad)
    return sums, distinct


@op("SparseSegmentSumGradV2", _SIGNATURE, shape=_shapes, **_FACTS)
def sparse_segment_sum_grad_v2(
    xp: Xp, grad: Array, indices: Array, segment_ids: Array, dense_output_dim0: Array
) -> tuple[Array, Array]:
    """Computes the gradient of `SparseSegmentSum` for the rows that occur, and the rows' numbers.

    >>> tf.raw_ops.SparseSegmentSumGradV2(
    ...     grad=[[1.0], [2.0]], indices=[7, 3, 7], segment_ids=[0, 0, 1], dense_output_dim0=9
    ... ).output.numpy()
    array([[1.],
           [3.]], dtype=float32)
    """
    return _gather(xp, grad, indices, segment_ids, dense_output_dim0, 0)


@op("SparseSegmentMeanGradV2", _SIGNATURE, shape=_shapes, **_FACTS)
def sparse_segment_mean_grad_v2(
    xp: Xp, grad: Array, indices: Array, segment_ids: Array, dense_output_dim0: Array
) -> tuple[Array, Array]:
    """Computes the gradient of `SparseSegmentMean` for the rows that occur, and the rows' numbers."""
    return _gather(xp, grad, indices, segment_ids, dense_output_dim0, 1)


@op("SparseSegmentSqrtNGradV2", _SIGNATURE, shape=_shapes, **_FACTS)
def sparse_segment_sqrt_n_grad_v2(
    xp: Xp, grad: Array, indices: Array, segment_ids: Array, dense_output_dim0: Array
) -> tuple[Array, Array]:
    """Computes the gradient of `SparseSegmentSqrtN` for the rows that occur, and the rows' numbers."""
    return _gather(xp, grad, indices, segment_ids, dense_output_dim0, 0.5)


def _declare_gradient(function: Any, kind: str) -> None:
    """Declares the gradient of a gradient, which is linear: the reduction of the rows' gradients."""

    @function.gradient  # type: ignore[untyped-decorator]  # `function` may be any of the three
    def gradient(
        doutput: Tensor,
        dsorted_unique_indices: Any,
        grad: Tensor,
        indices: Tensor,
        segment_ids: Tensor,
        sorted_unique_indices: Tensor,
    ) -> tuple[Tensor, None, None, None]:
        numbers = raw.LowerBound(sorted_inputs=[sorted_unique_indices], values=[indices], out_type="int32")[0]
        reduce = getattr(raw, f"SparseSegment{kind}WithNumSegments")
        segments = raw.Shape(input=grad)[0]
        return reduce(data=doutput, indices=numbers, segment_ids=segment_ids, num_segments=segments), None, None, None


_declare_gradient(sparse_segment_sum_grad_v2, "Sum")
_declare_gradient(sparse_segment_mean_grad_v2, "Mean")
_declare_gradient(sparse_segment_sqrt_n_grad_v2, "SqrtN")
