"""The ops that return v1 summaries; what TensorFlow answers is in the oracle's programs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample

_TEXTS = np.array(["a", "b"], object)
_PICTURES = np.linspace(-1, 1, 24).reshape(2, 2, 2, 3)

SAMPLES = [
    Sample("ScalarSummary", [np.array("a", object), np.float32(1.5)]),
    Sample("ScalarSummary", [_TEXTS, np.array([1, 2], np.int64)]),
    Sample("HistogramSummary", [np.array("a", object), np.array([1.0, 2.0], np.float32)]),
    Sample("HistogramSummary", [np.array("a", object), np.zeros((0, 2))]),
    Sample("ImageSummary", [np.array("a", object), _PICTURES.astype(np.float32)], {"max_images": 1}),
    Sample("ImageSummary", [np.array("a", object), np.zeros((0, 2, 2, 1), np.uint8)]),
    Sample("AudioSummaryV2", [np.array("a", object), np.zeros((2, 3, 1), np.float32), np.float32(8000)]),
    Sample("TensorSummaryV2", [np.array("a", object), _TEXTS, np.array(b"", object)]),
    Sample("TensorSummaryV2", [np.array("a", object), np.zeros((2, 0)), np.array(b"", object)]),
    Sample("MergeSummary", [[np.array(b"", object), np.array(b"", object)]]),
]


def _summary(tensor: Any) -> Any:
    return tf.compat.v1.Summary.FromString(tensor.numpy())


def test_a_histogram_counts_all_numbers_and_leaves_out_runs_of_empty_buckets() -> None:
    numbers = np.concatenate([np.full(3, -5.0), np.zeros(2), np.linspace(1, 2, 10)]).astype(np.float32)
    histogram = _summary(tf.raw_ops.HistogramSummary(tag="h", values=numbers)).value[0].histo
    assert sum(histogram.bucket) == histogram.num == 15
    empty = [count == 0 for count in histogram.bucket]
    assert not any(first and second for first, second in itertools.pairwise(empty))
    assert list(histogram.bucket_limit) == sorted(histogram.bucket_limit)


def test_bad_pixels_are_red() -> None:
    picture = np.array([[np.nan, 0, 0], [0.5, 0.5, 1.0]], np.float32).reshape(1, 1, 2, 3)
    summary = _summary(tf.raw_ops.ImageSummary(tag="i", tensor=picture))
    pixels = tf.io.decode_png(summary.value[0].image.encoded_image_string).numpy()
    assert pixels.tolist() == [[[255, 0, 0], [127, 127, 255]]]


def test_merged_summaries_keep_their_order_and_refuse_a_tag_twice() -> None:
    first, second = (tf.raw_ops.ScalarSummary(tags=tag, values=1.0) for tag in ("a", "b"))
    merged = _summary(tf.raw_ops.MergeSummary(inputs=[second, first]))
    assert [value.tag for value in merged.value] == ["b", "a"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Duplicate tag a found in summary inputs"):
        tf.raw_ops.MergeSummary(inputs=[first, first])
