"""`tf.summary.histogram`: how the numbers of a tensor are distributed, at a step.

A histogram is a matrix with a row for each bucket: its left and right end, and how many numbers are in it. Buckets are
of one width between the smallest and the largest number.
"""

from __future__ import annotations

from typing import Any

from millrace._src.control_flow.cond import cond
from millrace._src.core.context import name_scope
from millrace._src.core.dtypes import float64, int32
from millrace._src.ops import raw
from millrace._src.ops.array.concat import concat, stack
from millrace._src.ops.array.filling import fill, ones_like, zeros
from millrace._src.ops.array.identity import stop_gradient
from millrace._src.ops.array.ranges import linspace
from millrace._src.ops.array.reshaping import reshape
from millrace._src.ops.array.shape_ops import size as size_of
from millrace._src.ops.array.transposing import transpose
from millrace._src.ops.debug.static_checks import assert_scalar, assert_type
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.reduce import reduce_max, reduce_min
from millrace._src.summary.plugins import HISTOGRAMS, metadata_of
from millrace._src.summary.recording import summary_scope
from millrace._src.summary.writing import write
from millrace._src.util.export import export

_DEFAULT_BUCKETS = 30


@export("summary.histogram", v1=[])
def histogram(name: Any, data: Any, step: Any = None, buckets: Any = None, description: str | None = None) -> Any:
    """Writes a histogram of the numbers of a tensor, which TensorBoard shows step behind step.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=0):
    ...     tf.summary.histogram("weights", tf.random.normal([1000]), buckets=20).numpy()
    np.True_

    Args:
      name: the name of the summary; its tag is the name below the name scope in force.
      data: real numbers, of any shape.
      step: the step, as in `tf.summary.scalar`.
      buckets: how many buckets, a scalar of int32; 30 for None. Where all numbers are equal, all are in the last one.
      description: what the numbers are about, in Markdown.

    Returns: A scalar bool Tensor: whether the summary was written.
    Raises: ValueError: if there is no step; TypeError: if `buckets` is not an integer.
    """
    data = stop_gradient(data)
    with summary_scope(name, "histogram_summary", values=[data, buckets, step]) as (tag, _):
        return write(tag, lambda: count_buckets(data, buckets), step, metadata_of(HISTOGRAMS, description))


def count_buckets(data: Any, bucket_count: Any = None) -> Any:
    """Returns the histogram of the numbers of a tensor: a float64 matrix `[buckets, 3]`."""
    with name_scope("buckets"):
        bucket_count = _DEFAULT_BUCKETS if bucket_count is None else bucket_count
        assert_scalar(bucket_count)
        assert_type(bucket_count, int32)
        count = raw.Maximum(x=0, y=bucket_count)
        numbers = cast(reshape(data, [-1]), float64)
        size = size_of(numbers)
        is_empty = raw.LogicalOr(x=raw.Equal(x=size, y=0), y=raw.LessEqual(x=count, y=0))
        return cond(is_empty, lambda: zeros([count, 3], float64), lambda: _of_some(numbers, size, count))


def _of_some(numbers: Any, size: object, count: object) -> Any:
    """Returns the histogram of numbers, of which there are some."""
    lowest, highest = reduce_min(numbers), reduce_max(numbers)
    width = raw.Sub(x=highest, y=lowest)
    return cond(
        raw.Equal(x=width, y=0.0),
        lambda: _of_equal(highest, size, count),
        lambda: _of_different(numbers, lowest, highest, width, count),
    )


def _of_equal(number: Any, size: object, count: Any) -> Any:
    """Returns the histogram of numbers that are equal: buckets without width, all numbers in the last."""
    edges = fill([count], number)
    counts = concat([fill([count], 0)[:-1], [size]], 0)[:count]
    return transpose(stack([edges, edges, cast(counts, float64)]))


def _of_different(numbers: Any, lowest: Any, highest: Any, width: Any, count: Any) -> Any:
    """Returns the histogram of numbers that are not all equal; the largest number is in the last bucket."""
    bucket_width = raw.RealDiv(x=width, y=cast(count, float64))
    offsets = raw.Sub(x=numbers, y=lowest)
    buckets = cast(raw.Floor(x=raw.RealDiv(x=offsets, y=bucket_width)), int32)
    buckets = raw.Minimum(x=buckets, y=count - 1)
    counts = raw.UnsortedSegmentSum(data=ones_like(numbers), segment_ids=buckets, num_segments=count)
    edges = linspace(lowest, highest, count + 1)
    edges = concat([edges[:-1], [highest]], 0)
    return transpose(stack([edges[:-1], edges[1:], counts]))
