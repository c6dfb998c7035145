"""Graphs of functions as TensorBoard draws them: arguments and results are nodes, and edges lead there."""

from __future__ import annotations

from typing import Any

import millrace as tf
from millrace._src.summary.run_metadata import body_of, run_metadata


@tf.function
def crossed(First: Any, b: Any) -> Any:
    with tf.name_scope("Scope"):
        parts = tf.split(First + b, 2)
    return parts[1], b, parts[0]


def test_every_edge_leads_to_a_node() -> None:
    body = body_of(crossed.get_concrete_function(tf.zeros([4]), tf.zeros([4])).graph)
    names = {node.name for node in body.node}
    sources = {name.lstrip("^").partition(":")[0] for node in body.node for name in node.input}
    assert sources <= names
    assert [node.name for node in body.node if node.op == "_Arg"] == ["first", "b"]
    results = [node for node in body.node if node.op == "_Retval"]
    assert [node.attr["index"].i for node in results] == [0, 1, 2]


def test_a_message_has_a_graph_for_each_function() -> None:
    graph = crossed.get_concrete_function(tf.zeros([4]), tf.zeros([4])).graph
    assert len(run_metadata([graph, graph]).function_graphs) == 2
    assert not run_metadata([]).function_graphs
