"""Float operations by TensorFlow's count; recorded counts of whole programs are in the oracle's topic `v1_profiler`."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.flops import flops_of


def last_flops(make: Any, *shapes: Any) -> int:
    """The float operations of the last operation that a function adds to a graph."""
    graph = tf.Graph()
    with graph.as_default():
        make(*[tf.compat.v1.placeholder(tf.float32, shape) for shape in shapes])
    return flops_of(graph.get_operations()[-1])


@pytest.mark.parametrize(
    ("make", "shapes", "wanted"),
    [
        (tf.add, ([2, 3], [2, 3]), 6),
        (tf.math.rsqrt, ([2, 3],), 12),
        (tf.nn.relu, ([2, 3],), 0),
        (lambda x: tf.raw_ops.Sum(input=x, axis=[1]), ([2, 3],), 4),
        (lambda x: tf.raw_ops.Mean(input=x, axis=[1]), ([2, 3],), 6),
        (tf.matmul, ([2, 3], [3, 4]), 48),
        (lambda a, b: tf.matmul(a, b, transpose_a=True), ([3, 2], [3, 4]), 48),
        (lambda x, w: tf.nn.conv2d(x, w, 1, "VALID"), ([1, 5, 5, 2], [3, 3, 2, 4]), 2 * 18 * 36),
        (lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"), ([1, 4, 4, 3],), 4 * 12),
        (tf.nn.l2_loss, ([2, 3],), 17),
    ],
)
def test_an_operation_takes_as_many_as_tensorflow_counts(make: Any, shapes: Any, wanted: int) -> None:
    assert last_flops(make, *shapes) == wanted


def test_an_operation_without_results_takes_none() -> None:
    graph = tf.Graph()
    with graph.as_default():
        tf.no_op()
    assert flops_of(graph.get_operations()[-1]) == 0


def test_unknown_shapes_count_nothing() -> None:
    assert last_flops(tf.add, [None, 3], [None, 3]) == 0
