"""Replaying operations on other tensors, as nodes and at once."""

from __future__ import annotations

from typing import Any

import millrace as tf
from millrace._src.core.tensor import tape_id
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.replay import replay


def key(tensor: Any) -> tuple[int, int]:
    return id(tensor.op), tensor.value_index


def traced() -> tuple[FuncGraph, Any, Any]:
    graph = FuncGraph("body")
    with graph.as_default():
        x = graph.add_placeholder(tf.float32, [4], "x")
        first, second = tf.split(x * 2.0, 2)
        y = tf.concat([second, first], 0)
    return graph, x, y


def test_operations_run_at_once_on_eager_tensors() -> None:
    graph, x, y = traced()
    known = {key(x): tf.constant([1.0, 2.0, 3.0, 4.0])}
    for operation in graph.get_operations()[1:]:
        assert replay(operation, known) is None
    assert known[key(y)].numpy().tolist() == [6.0, 8.0, 2.0, 4.0]


def test_operations_become_nodes_of_the_graph_being_built() -> None:
    graph, x, y = traced()
    other = FuncGraph("other")
    with other.as_default():
        known = {key(x): other.add_placeholder(tf.float32, [None], "z")}
        replayed = [replay(operation, known) for operation in graph.get_operations()[1:]]
    types = [operation.type for operation in replayed if operation is not None]
    assert types == ["Mul", "Split", "ConcatV2"]
    assert known[key(y)].graph is other
    assert known[key(y)].shape == [4]


def test_a_gradient_of_its_own_goes_along() -> None:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x + 1.0, lambda dy: dy * 7.0

    graph = FuncGraph("body")
    with graph.as_default():
        x = graph.add_placeholder(tf.float32, [], "x")
        y = f(x)
    other = FuncGraph("other")
    with other.as_default():
        z = other.add_placeholder(tf.float32, [], "z")
        known = {key(x): z}
        for operation in graph.get_operations():
            if operation is not x.op:
                replay(operation, known)
        assert known[key(y)].op.gradient_override is y.op.gradient_override


def test_a_name_that_only_a_scope_allows_gets_one_that_stands_alone() -> None:
    graph = FuncGraph("body")
    with graph.as_default():
        x = graph.add_placeholder(tf.float32, [], "x")
        with tf.name_scope("scope"):
            y = tf.identity(x, name="_0")
    other = FuncGraph("other")
    with other.as_default():
        known = {key(x): other.add_placeholder(tf.float32, [], "z")}
        replay(y.op, known)
        gradient = tf.gradients(known[key(y)], known[key(x)])[0]
    assert (y.op.name, known[key(y)].op.name) == ("scope/_0", "0")
    assert gradient is not None


def test_tapes_know_replayed_tensors_under_the_old_numbers_if_asked() -> None:
    graph, x, y = traced()
    other = FuncGraph("other")
    with other.as_default():
        known = {key(x): other.add_placeholder(tf.float32, [4], "z")}
        for operation in graph.get_operations()[1:]:
            replay(operation, known, same_numbers=True)
    assert tape_id(known[key(y)]) == tape_id(y)
