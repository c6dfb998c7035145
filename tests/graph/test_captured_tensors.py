"""Tensors of outer contexts become tensors of a graph; a tensor of the graph stays."""

from __future__ import annotations

import millrace as tf
from millrace._src.graph.captured_tensors import capture_here, capture_into
from millrace._src.graph.func_graph import FuncGraph


def test_a_tensor_of_the_graph_itself_stays() -> None:
    graph = FuncGraph("own")
    with graph.as_default():
        x = graph.add_placeholder(tf.float32, [], "x")
        assert capture_into(graph, x) is x
        assert capture_here(x) is x
    assert not graph.captures


def test_an_outer_tensor_is_captured_once() -> None:
    outer, inner = FuncGraph("outer"), FuncGraph("inner")
    with outer.as_default():
        x = outer.add_placeholder(tf.float32, [2], "x")
    inner.outer_graph = outer
    with inner.as_default():
        captured = capture_into(inner, x)
        assert captured.graph is inner
        assert capture_here(x) is captured
    assert [outside for outside, _ in inner.captures] == [x]


def test_an_eager_tensor_is_captured_too() -> None:
    graph = FuncGraph("own")
    x = tf.zeros([100_000])
    with graph.as_default():
        captured = capture_here(x)
    assert captured.graph is graph
    assert captured.op.type == "Placeholder" and graph.external_captures[0] is x
