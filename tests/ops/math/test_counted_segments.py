"""Sorted segments of which the number is given."""

from __future__ import annotations

import numpy as np

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.samples import FLOATS, INTEGERS, numbers

IDS = np.int32([0, 0, 1, 2])
SAMPLES = [
    *(
        Sample(f"Segment{kind}V2", (numbers(d, (4, 2), 0.5), IDS, np.int32(3)), grad=d == "float64")
        for kind in ("Sum", "Prod", "Max", "Min")
        for d in (*FLOATS, *INTEGERS)
    ),
]


def test_the_number_of_segments_is_a_static_shape() -> None:
    with tf.Graph().as_default():
        data = tf.compat.v1.placeholder(tf.float32, [None, 5])
        assert tf.raw_ops.SegmentSumV2(data=data, segment_ids=[0, 1], num_segments=3).shape.as_list() == [3, 5]
