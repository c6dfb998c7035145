"""Reductions of sorted segments of which the number is given.

XLA needs the number of segments, because the number fixes the size of the result. The ops compute what the ops for
unsorted segments do: there the order of the rows makes no difference.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.ops.array import index_batches
from millrace._src.ops.math.element_types import INDEX, INDEX_NO_DEFAULT, NUMBER, REAL
from millrace._src.ops.math.unsorted_segments import (
    refuse_segments_outside,
    unsorted_segment_max,
    unsorted_segment_max_gradient,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_prod_gradient,
    unsorted_segment_shape,
    unsorted_segment_sum,
    unsorted_segment_sum_gradient,
)

_SIGNATURE = "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T"
_COUNTED: dict[str, Any] = {
    "Tindices": INDEX_NO_DEFAULT,
    "Tnumsegments": INDEX,
    "checks": refuse_segments_outside,
    "shape": unsorted_segment_shape,
    "constant_inputs": ("num_segments",),
    "batching": index_batches.segments,
}


@op(
    "SegmentSumV2",
    _SIGNATURE,
    T=NUMBER,
    **_COUNTED,
)
def segment_sum_v2(xp: Xp, data: Array, segment_ids: Array, num_segments: Array) -> Array:
    """Sums the rows of each of `num_segments` sorted segments.

    >>> tf.raw_ops.SegmentSumV2(data=[1, 3, 4], segment_ids=[0, 0, 1], num_segments=2).numpy()
    array([4, 4], dtype=int32)
    """
    return unsorted_segment_sum.op_def.kernel(xp, data, segment_ids, num_segments)


segment_sum_v2.gradient(unsorted_segment_sum_gradient)


@op(
    "SegmentProdV2",
    _SIGNATURE,
    T=NUMBER,
    **_COUNTED,
)
def segment_prod_v2(xp: Xp, data: Array, segment_ids: Array, num_segments: Array) -> Array:
    """Multiplies the rows of each of `num_segments` sorted segments.

    >>> tf.raw_ops.SegmentProdV2(data=[1, 3, 4], segment_ids=[0, 0, 1], num_segments=2).numpy()
    array([3, 4], dtype=int32)
    """
    return unsorted_segment_prod.op_def.kernel(xp, data, segment_ids, num_segments)


segment_prod_v2.gradient(unsorted_segment_prod_gradient)


@op(
    "SegmentMaxV2",
    _SIGNATURE,
    T=REAL,
    **_COUNTED,
)
def segment_max_v2(xp: Xp, data: Array, segment_ids: Array, num_segments: Array) -> Array:
    """Computes the maximum of the rows of each of `num_segments` sorted segments.

    >>> tf.raw_ops.SegmentMaxV2(data=[1, 3, 4], segment_ids=[0, 0, 1], num_segments=2).numpy()
    array([3, 4], dtype=int32)
    """
    return unsorted_segment_max.op_def.kernel(xp, data, segment_ids, num_segments)


segment_max_v2.gradient(unsorted_segment_max_gradient)


@op(
    "SegmentMinV2",
    _SIGNATURE,
    T=REAL,
    **_COUNTED,
)
def segment_min_v2(xp: Xp, data: Array, segment_ids: Array, num_segments: Array) -> Array:
    """Computes the minimum of the rows of each of `num_segments` sorted segments.

    >>> tf.raw_ops.SegmentMinV2(data=[1, 3, 4], segment_ids=[0, 0, 1], num_segments=2).numpy()
    array([1, 4], dtype=int32)
    """
    return unsorted_segment_min.op_def.kernel(xp, data, segment_ids, num_segments)


segment_min_v2.gradient(unsorted_segment_max_gradient)
