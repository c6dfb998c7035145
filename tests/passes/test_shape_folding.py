"""Shapes that are known are constants."""

from __future__ import annotations

import millrace as tf
from tests.passes.tracing import ROWS, VECTOR, optimized, types


def test_what_reads_known_shapes_is_a_constant() -> None:
    graph = optimized(lambda x: (tf.raw_ops.Shape(input=tf.exp(x)), tf.raw_ops.Rank(input=x)), VECTOR)
    assert not graph.nodes
    assert [value.constant.tolist() for value in graph.outputs] == [[3], 1]


def test_what_reads_an_unknown_shape_stays() -> None:
    assert types(optimized(lambda x: tf.raw_ops.Shape(input=tf.exp(x)), ROWS)) == ["Exp", "Shape"]
