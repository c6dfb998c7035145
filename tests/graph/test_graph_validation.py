"""What makes a graph illegal: each rule is broken once."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.graph_validation import IllegalGraphError, check


def graph_of_a_sum() -> tuple[FuncGraph, Any]:
    graph = FuncGraph("f")
    with graph.as_default():
        x = graph.add_placeholder(tf.float32, [2], "x")
        graph.inputs.append(x)
        graph.outputs = [x + x]
    return graph, graph.outputs[0].op


def test_a_traced_graph_is_legal() -> None:
    check(graph_of_a_sum()[0])


def test_a_result_of_another_graph_is_illegal() -> None:
    graph, _ = graph_of_a_sum()
    other, _ = graph_of_a_sum()
    graph.outputs = other.outputs
    with pytest.raises(IllegalGraphError, match="is an input or output and belongs to another graph"):
        check(graph)


def test_an_input_of_another_graph_is_illegal() -> None:
    graph, addition = graph_of_a_sum()
    other, _ = graph_of_a_sum()
    addition.inputs = (other.inputs[0], other.inputs[0])
    with pytest.raises(IllegalGraphError, match=r"reads .* of another graph"):
        check(graph)


def test_dtypes_that_differ_from_the_declared_ones_are_illegal_and_all_faults_are_listed() -> None:
    graph, addition = graph_of_a_sum()
    addition.attrs["T"] = tf.int32
    with pytest.raises(IllegalGraphError) as caught:
        check(graph)
    lines = str(caught.value).splitlines()
    assert len(lines) == 2 and "inputs are" in lines[0] and "outputs are" in lines[1]


def test_faults_inside_of_a_function_are_found() -> None:
    inner = tf.function(lambda x: x * 2.0, autograph=False).get_concrete_function(tf.TensorSpec([2]))
    graph = FuncGraph("outer")
    with graph.as_default():
        graph.outputs = [inner(tf.constant([1.0, 2.0]))]
    check(graph)
    multiplication = inner.graph.outputs[0].op
    multiplication.attrs["T"] = tf.int32
    with pytest.raises(IllegalGraphError, match="declared as"):
        check(graph)
