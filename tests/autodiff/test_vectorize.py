"""Vectorisation of whole functions; what each op does is the contract in `tests/contracts/test_every_batching.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf


def test_operands_of_different_rank_are_aligned_behind_the_batch() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    found = tf.vectorized_map(lambda e: e[0] * tf.ones([2, 2]) + e, x)
    assert found.numpy().tolist() == tf.map_fn(lambda e: e[0] * tf.ones([2, 2]) + e, x, tf.float32).numpy().tolist()


@pytest.mark.parametrize(
    "function",
    [
        lambda e: e[::-1] * e[1:2],
        lambda e: tf.slice(e, [1], [2]),
        lambda e: tf.tile(e, [2]),
        lambda e: tf.broadcast_to(e, [2, 3]),
        lambda e: tf.add_n([e, e * 2.0, tf.ones([3])]),
        lambda e: tf.cumsum(e, reverse=True),
        lambda e: tf.gather(e, [2, 0]),
        lambda e: tf.scatter_nd([[1], [1], [0]], e, [4]),
        lambda e: tf.math.unsorted_segment_sum(e, [1, 1, 0], 2),
        lambda e: tf.stack([e[None], e[None]]) @ tf.ones([3, 2]),
        lambda e: tf.function(lambda x: tf.sin(x) * x, autograph=False)(e),
        lambda e: e[tf.cast(e[0], tf.int32)],
        lambda e: tf.reshape(e, [-1, 1])[tf.cast(e[0], tf.int32), 0],
        lambda e: tf.slice(e, [tf.cast(e[0], tf.int32)], [1]),
        lambda e: tf.gather([[1.0, 2.0], [3.0, 4.0]], tf.cast(e[0], tf.int32), axis=1),
        lambda e: tf.einsum("i,j->ij", e, tf.ones([2])),
        lambda e: tf.stack(tf.unstack(e)[::-1]) + tf.concat(tf.split(e, [1, 2]), 0),
        lambda e: tf.math.segment_sum(e, [0, 0, 1]),
        lambda e: tf.linalg.inv(tf.linalg.diag(e) + 1.0),
        lambda e: tf.nn.conv2d(e[None, :, None, None], tf.reshape(e, [3, 1, 1, 1]), 1, "SAME"),
        lambda e: tf.recompute_grad(lambda x: tf.sin(x) * x)(e),
    ],
)
def test_these_need_no_loop(function: Any) -> None:
    rows = tf.constant([[1.0, 2.0, 3.0], [0.5, -1.0, 4.0]])
    found = tf.vectorized_map(function, rows, fallback_to_while_loop=False)
    for row, expected in zip(found, map(function, rows), strict=True):
        np.testing.assert_allclose(row, expected, rtol=1e-6)


def test_the_jacobian_of_a_network_needs_no_loop(caplog: pytest.LogCaptureFixture) -> None:
    def gradients(row: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(row)
            y = tf.nn.softmax(tf.tanh(row[None] @ tf.ones([3, 4]))[:, 1:] + tf.reduce_sum(row))
        return tape.gradient(y, row)

    rows = tf.constant([[1.0, 2.0, 3.0], [0.5, -1.0, 4.0]])
    found = tf.vectorized_map(gradients, rows, fallback_to_while_loop=False)
    np.testing.assert_allclose(found, tf.stack([gradients(r) for r in rows]), rtol=1e-5, atol=1e-7)
