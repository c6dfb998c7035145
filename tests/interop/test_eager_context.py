"""`tensorflow.python.eager.context` as libraries call it: the question has an answer, the rest has nothing to do."""

from __future__ import annotations

import millrace as tf
from millrace._src.interop import eager_context


def test_the_context_says_whether_ops_compute_at_once() -> None:
    assert eager_context.context().executing_eagerly()
    with tf.Graph().as_default():
        assert not eager_context.context().executing_eagerly()


def test_the_context_is_one_object() -> None:
    assert eager_context.context() is eager_context.context()


def test_waiting_and_freeing_change_no_result() -> None:
    x = tf.constant([1.0, 2.0]) * 2.0
    eager_context.context().sync_executors()
    eager_context.context().clear_kernel_cache()
    eager_context.async_wait()
    eager_context.async_clear_error()
    assert (x * 2.0).numpy().tolist() == [4.0, 8.0]
