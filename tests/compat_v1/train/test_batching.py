"""Batches by queues; their answers are compared in the oracle topic `v1_input_queues`."""

from __future__ import annotations

from typing import Any

import pytest

import millrace.compat.v1 as tf


@pytest.mark.parametrize(
    ("keep_input", "message"),
    [
        (lambda: tf.placeholder(tf.bool), "must be known at graph construction"),
        (lambda: tf.constant([True]), "cannot be a vector when `enqueue_many=False`"),
        (lambda: tf.constant([[True]]), "must be 0 or 1 dimensions"),
    ],
)
def test_what_cannot_say_which_elements_are_kept(keep_input: Any, message: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        tf.train.maybe_batch([tf.constant(1)], keep_input(), 2)


def test_elements_that_are_never_kept() -> None:
    with tf.Graph().as_default() as graph:
        tf.train.maybe_batch([tf.constant(1)], False, 2)
        (runner,) = graph.get_collection("queue_runners")
        assert [op.type for op in runner.enqueue_ops] == ["NoOp"]
