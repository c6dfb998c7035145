"""Rules of arithmetic: what becomes simpler, and what must not although it looks as if."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.passes.tracing import COUNT, ROWS, VECTOR, optimized, run, types

GONE: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "x * 1": (lambda x: x * 1.0, VECTOR),
    "1 * x": (lambda x: tf.constant(1.0) * x, ROWS),
    "x times ones of its shape": (lambda x: x * tf.constant([1.0, 1.0, 1.0]), VECTOR),
    "x / 1": (lambda x: x / 1.0, ROWS),
    "x - 0": (lambda x: x - 0.0, ROWS),
    "x + -0.0": (lambda x: x + -0.0, ROWS),
    "n + 0": (lambda n: n + 0, COUNT),
    "n // 1": (lambda n: n // 1, COUNT),
    "n ^ 0": (lambda n: tf.bitwise.bitwise_xor(n, 0), COUNT),
    "-(-x)": (lambda x: tf.negative(tf.negative(x)), ROWS),
    "cast to its dtype": (lambda x: tf.raw_ops.Cast(x=x, DstT=tf.float32), ROWS),
    "reshape to its shape": (lambda x: tf.raw_ops.Reshape(tensor=x, shape=[3]), VECTOR),
    "reshape and back": (lambda x: tf.reshape(tf.reshape(x, [3, 1]), [3]), VECTOR),
    "expand and squeeze": (lambda x: tf.squeeze(tf.expand_dims(x, 0), 0), VECTOR),
    "transpose twice": (lambda x: tf.transpose(tf.transpose(x)), ROWS),
    "transpose to the same order": (lambda x: tf.transpose(x, [0, 1]), ROWS),
    "tile once": (lambda x: tf.raw_ops.Tile(input=x, multiples=[1]), VECTOR),
    "maximum over no axes": (lambda x: tf.reduce_max(x, []), ROWS),
    "sum over no axes": (lambda x: tf.reduce_sum(x, []), ROWS),
    "sum of one": (lambda x: tf.raw_ops.AddN(inputs=[x]), ROWS),
}


@pytest.mark.parametrize(("function", "spec"), GONE.values(), ids=GONE)
def test_what_changes_nothing_is_gone(function: Callable[[Any], Any], spec: Any) -> None:
    graph = optimized(function, spec)
    assert graph.outputs == graph.inputs
    assert not graph.nodes


STAYS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "x + 0 makes 0.0 of -0.0": (lambda x: x + 0.0, ROWS),
    "x - -0.0 does so too": (lambda x: x - -0.0, ROWS),
    "x * 0 is not 0 for infinity": (lambda x: x * 0.0, ROWS),
    "ones may repeat x": (lambda x: x * tf.ones([2, 1, 3]), ROWS),
    "an unknown shape may not fit": (lambda x: x * tf.constant([1.0, 1.0, 1.0]), tf.TensorSpec(None, tf.float32)),
    "two orders may be ones of another rank": (
        lambda x: tf.transpose(tf.transpose(x, [1, 0]), [1, 0]),
        tf.TensorSpec(None, tf.float32),
    ),
    "an order may be one of another rank": (lambda x: tf.transpose(x, [0, 1]), tf.TensorSpec(None, tf.float32)),
    "a complex product with infinity": (lambda x: x * (1 + 0j), tf.TensorSpec([2], tf.complex64)),
}


@pytest.mark.parametrize(("function", "spec"), STAYS.values(), ids=STAYS)
def test_what_changes_something_stays(function: Callable[[Any], Any], spec: Any) -> None:
    assert len(optimized(function, spec).nodes) == 1


def test_a_sum_that_loses_its_dimensions_afterwards_never_has_them() -> None:
    def f(x: Any) -> Any:
        return tf.reshape(tf.reduce_sum(x, 0, keepdims=True), [3])

    (node,) = optimized(f, tf.TensorSpec([2, 3], tf.float32)).nodes
    assert (node.type, node.attrs["keep_dims"]) == ("Sum", False)
    assert run(optimized(f, tf.TensorSpec([2, 3], tf.float32)), np.float32([[1, 2, 3], [4, 5, 6]])) == [[5.0, 7.0, 9.0]]


def test_a_sum_that_is_read_with_its_dimensions_keeps_them() -> None:
    def f(x: Any) -> Any:
        kept = tf.reduce_sum(x, 0, keepdims=True)
        return tf.reshape(kept, [3]), kept

    assert types(optimized(f, tf.TensorSpec([2, 3], tf.float32))) == ["Sum", "Reshape"]


def test_two_orders_become_one() -> None:
    graph = optimized(
        lambda x: tf.transpose(tf.transpose(x, [1, 2, 0]), [1, 2, 0]), tf.TensorSpec([2, 3, 4], tf.float32)
    )
    (node,) = graph.nodes
    assert node.inputs[1].constant.tolist() == [2, 0, 1]
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    assert run(graph, x) == [x.transpose(1, 2, 0).transpose(1, 2, 0).tolist()]


def test_two_shapes_of_an_empty_array_become_one_although_a_dimension_is_large() -> None:
    def f(x: Any) -> Any:
        return tf.reshape(tf.reshape(x, tf.constant([0, 2**33], tf.int64)), tf.constant([2**34, 0], tf.int64))

    (node,) = optimized(f, tf.TensorSpec([0], tf.float32)).nodes
    assert node.inputs[1].constant.tolist() == [2**34, 0]
