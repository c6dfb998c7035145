"""The readable form of graphs."""

from __future__ import annotations

import numpy as np

import millrace as tf
from millrace._src.core.op_registry import get_op
from millrace._src.graph.attr_value import FunctionName
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.pretty_print import graph_text, operation_text


def test_line_shows_name_op_inputs_and_results() -> None:
    graph = tf.Graph()
    with graph.as_default():
        tf.split(tf.constant([1.0, 2.0], name="x"), 2)
    lines = [" ".join(line.split()) for line in graph_text(graph, sources=False).splitlines()]
    assert lines == [
        "x = Const([1.0, 2.0]) (2,) float32",
        "split/split_dim = Const(0) () int32",
        "split = Split(split/split_dim, x, num_split=2) (1,) float32, (1,) float32",
    ]


def test_line_shows_what_is_not_default() -> None:
    with tf.Graph().as_default():
        x = tf.constant([[1.0]], name="x")
        plain, transposed = tf.matmul(x, x), tf.matmul(x, x, transpose_a=True)
    assert "transpose" not in operation_text(plain.op)
    assert "MatMul(x, x, transpose_a=True)" in operation_text(transposed.op)


def test_line_shows_control_inputs_device_and_source() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.constant(1.0, name="x")
        with graph.control_dependencies([x]), graph.device("/cpu:0"):
            y = tf.constant(2.0, name="y")
    line = operation_text(y.op)
    assert "after(x)" in line and "on /device:CPU:0" in line
    assert "# test_pretty_print.py:" in line
    assert "#" not in operation_text(y.op, sources=False)


def test_large_constants_and_long_texts_are_cut() -> None:
    with tf.Graph().as_default():
        many = tf.constant(np.arange(100, dtype=np.int32))
        long = tf.constant("a" * 200)
    assert "Const([0, 1, 2, 3, 4, 5, ...])" in operation_text(many.op)
    assert len(operation_text(long.op, sources=False)) < 100


def test_unknown_shapes_show_as_such() -> None:
    graph = FuncGraph("f")
    with graph.as_default():
        graph.add_placeholder(tf.float32, None, "a")
        graph.add_placeholder(tf.float32, [None, 3], "b")
    text = graph_text(graph)
    assert "(...) float32" in text and "(?, 3) float32" in text


def _call(target: tf.Graph, function: object, name: str) -> None:
    attrs = {"f": function, "Tin": (), "Tout": (), "config": "", "config_proto": "", "executor_type": ""}
    target.add_operation(get_op("PartitionedCall"), [], attrs, name, shapes=[])


def test_functions_are_indented_and_shown_once() -> None:
    inner, graph = FuncGraph("inner"), tf.Graph()
    with inner.as_default():
        inner.outputs.append(tf.constant(1.0, name="c"))
    with graph.as_default():
        _call(graph, inner, "first")
        _call(graph, inner, "second")
    lines = graph_text(graph, sources=False).splitlines()
    assert lines[1].strip() == "f: inner() -> c"
    assert lines[2].startswith("    c = Const(1.0)")
    assert lines[-1].strip() == "(shown above)"


def test_function_known_by_name_only() -> None:
    graph = tf.Graph()
    _call(graph, FunctionName("elsewhere"), "call")
    assert "f: elsewhere (not in this graph)" in graph_text(graph)
