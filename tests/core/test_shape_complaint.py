"""A complaint has words for a graph that is built and for an op that runs; who raises it does not choose."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.core.shape_complaint import ShapeComplaint


def test_the_words_of_both_are_fields() -> None:
    complaint = ShapeComplaint("Shape must be rank 0", running="must be a scalar")
    assert (str(complaint), complaint.traced, complaint.running) == (
        "Shape must be rank 0",
        "Shape must be rank 0",
        "must be a scalar",
    )
    assert ShapeComplaint("the same").running == "the same"


@pytest.mark.parametrize(
    ("call", "traced", "running"),
    [
        (
            lambda: tf.matmul(tf.zeros([2, 3]), tf.zeros([4, 5])),
            "Dimensions must be equal, but are 3 and 4",
            "Matrix size-incompatible",
        ),
        (
            lambda: tf.ones([2]) + tf.ones([3]),
            "Dimensions must be equal, but are 2 and 3",
            r"Incompatible shapes: \[2\]",
        ),
        (
            lambda: tf.reduce_sum(tf.ones([2]), 3),
            "Invalid reduction dimension 3 for",
            r"Invalid reduction dimension \(3",
        ),
        (lambda: tf.range(3, 1, 1), "Requires start <= limit", "Requires start <= limit"),
        (lambda: tf.math.segment_sum(tf.ones([2]), [[0, 1]]), "Shape must be rank 1", "segment_ids should be a vector"),
        (lambda: tf.reverse(tf.ones([2]), [1]), r"'axis'\[0\] = 1 is out of valid range", r"'axis'\[0\] = 1 is out of"),
    ],
    ids=["matmul", "add", "reduce_sum", "range", "segment_sum", "reverse"],
)
def test_the_graph_and_the_running_op_take_their_own_words(call: Any, traced: str, running: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=running):
        call()
    with tf.Graph().as_default(), pytest.raises(ValueError, match=traced):
        call()
