"""Differences of graphs beyond TensorFlow's recorded answers (tests/oracle/programs/unit_tests.py)."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.graph.graph_comparison import attr_text

check = tf.test.assert_equal_graph_def


def test_nodes_are_matched_by_name() -> None:
    first, second = tf.compat.v1.GraphDef(), tf.compat.v1.GraphDef()
    for graph_def, names in ((first, "ab"), (second, "ba")):
        for name in names:
            graph_def.node.add(name=name, op="NoOp")
    check(first, second)
    second.node[0].op = "Other"
    with pytest.raises(AssertionError, match="Node named 'b' has op 'Other' that is not expected 'NoOp'"):
        check(first, second)


def test_tensors_that_differ_in_hidden_values_differ() -> None:
    graphs = []
    for last in (4.0, 5.0):
        with tf.Graph().as_default() as graph:
            tf.constant([1.0, 2.0, 3.0, last], name="x")
        graphs.append(graph.as_graph_def())
    with pytest.raises(AssertionError, match=r"values: 1 2 3\.\.\.> that does not match expected"):
        check(*graphs)
    check(graphs[0], graphs[0])


def test_a_value_that_is_not_set_has_a_text() -> None:
    assert attr_text(tf.compat.v1.AttrValue()) == "<Unknown AttrValue type>"
