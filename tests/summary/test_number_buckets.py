"""The histograms of v1 summaries: each number is in the bucket between the limits around it."""

from __future__ import annotations

import bisect
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.summary.number_buckets import histogram_of

numbers = st.floats(allow_nan=False, allow_infinity=False, max_value=1e150, min_value=-1e150)


@given(st.lists(numbers, min_size=1, max_size=20))
def test_each_number_is_below_its_limit_and_not_below_the_one_before(values: list[float]) -> None:
    histogram = histogram_of(np.array(values), "h")
    limits: list[float] = list(histogram.bucket_limit)
    counts = [0.0] * len(limits)
    for value in values:
        counts[bisect.bisect_right(limits, value)] += 1
    assert list(histogram.bucket) == counts
    assert (histogram.min, histogram.max, histogram.num) == (min(values), max(values), len(values))


def test_no_numbers_have_one_empty_bucket() -> None:
    histogram = histogram_of(np.zeros((0, 3)), "h")
    assert (list(histogram.bucket), list(histogram.bucket_limit)) == ([0], [sys.float_info.max])


@pytest.mark.parametrize(("bad", "words"), [(np.nan, "Nan in summary histogram for: h"), (-np.inf, "Infinity in")])
def test_bad_numbers_are_refused(bad: Any, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        histogram_of(np.array([1.0, bad]), "h")
