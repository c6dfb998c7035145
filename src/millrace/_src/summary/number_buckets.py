"""The histogram of a v1 summary: counts of numbers in buckets that grow by a tenth from one to the next.

All histograms share one list of limits, so that those of several steps can be laid over each other. A message leaves
out what says nothing: a run of empty buckets stands as one.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.proto import histogram_pb2

_SMALLEST = 1e-12
_LARGEST = 1e20
_GROWTH = 1.1


@functools.cache
def _limits() -> Any:
    """Returns the upper limits of all buckets, in order: a number is below the limit of its bucket."""
    positive = []
    limit = _SMALLEST
    while limit < _LARGEST:
        positive.append(limit)
        limit *= _GROWTH
    positive.append(sys.float_info.max)
    return np.array([*[-limit for limit in reversed(positive)], 0.0, *positive])


def histogram_of(values: Array, tag: str) -> histogram_pb2.HistogramProto:
    """Counts numbers.

    Args:
      values: real numbers, of any shape.
      tag: the name of the summary, for errors.

    Raises: InvalidArgumentError: if a number is infinite or no number.
    """
    numbers = values.reshape(-1).astype(np.float64)
    for is_bad, what in ((np.isnan, "Nan in summary histogram"), (np.isinf, "Infinity in Histogram")):
        if is_bad(numbers).any():
            raise errors.InvalidArgumentError(None, None, f"{what} for: {tag}")
    limits = _limits()
    buckets = np.minimum(np.searchsorted(limits, numbers, side="right"), len(limits) - 1)
    counts = np.bincount(buckets, minlength=len(limits))
    kept = np.append((counts[:-1] > 0) | (counts[1:] > 0), True)  # of a run of empty buckets the last
    return histogram_pb2.HistogramProto(
        min=numbers.min() if numbers.size else sys.float_info.max,
        max=numbers.max() if numbers.size else -sys.float_info.max,
        num=numbers.size,
        sum=_running_sum(numbers),
        sum_squares=_running_sum(numbers * numbers),
        bucket_limit=limits[kept].tolist(),
        bucket=counts[kept].tolist(),
    )


def _running_sum(numbers: Array) -> float:
    """Adds numbers one after the other, as TensorFlow does; NumPy's own sum rounds otherwise."""
    return float(np.cumsum(numbers)[-1]) if numbers.size else 0.0
