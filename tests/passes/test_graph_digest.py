"""Digests of graphs: equal graphs are told as equal, others are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.passes.graph_digest import graph_digest
from tests.passes.tracing import VECTOR, optimized


def digest(function: Callable[..., Any], *specs: tf.TensorSpec) -> str | None:
    return graph_digest(optimized(function, *(specs or (VECTOR,))))


def test_equal_graphs_have_equal_digests_whatever_their_names() -> None:
    first = digest(lambda x: tf.tanh(x, name="a") * 2.0)
    second = digest(lambda y: tf.tanh(y, name="b") * 2.0)
    assert first == second and first is not None and len(first) == 40


@pytest.mark.parametrize(
    "other",
    [
        lambda x: tf.tanh(x) * 3.0,
        lambda x: tf.sin(x) * 2.0,
        lambda x: tf.tanh(x) * 2.0 + x,
        lambda x: (tf.tanh(x) * 2.0, x),
        lambda x: tf.tanh(x * 2.0),
        lambda x: tf.cast(tf.tanh(x) * 2.0, tf.float64),
    ],
)
def test_another_graph_has_another_digest(other: Callable[..., Any]) -> None:
    assert digest(other) not in (None, digest(lambda x: tf.tanh(x) * 2.0))


def test_shapes_and_dtypes_of_arguments_count() -> None:
    specs = [VECTOR, tf.TensorSpec([4], tf.float32), tf.TensorSpec([None], tf.float32), tf.TensorSpec([3], tf.float64)]
    assert len({digest(tf.tanh, spec) for spec in specs}) == 4


def test_bodies_of_loops_count() -> None:
    def loop(step: float) -> Callable[..., Any]:
        return lambda x: tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.tanh(x) + step), [0, x])[1]

    assert digest(loop(1.0)) == digest(loop(1.0)) != digest(loop(2.0))


def test_of_a_large_constant_the_shape_counts() -> None:
    a, b = np.full(5000, 2.0, np.float32), np.full(5000, 3.0, np.float32)
    large = tf.TensorSpec([5000], tf.float32)
    assert digest(lambda x: x * a, large) == digest(lambda x: x * b, large)


def test_a_graph_that_calls_python_has_no_digest() -> None:
    assert digest(lambda x: tf.numpy_function(np.tanh, [x], tf.float32)) is None
