"""Plain graphs run for tests: values, feeds, variables from one run to the next."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.testing.graph_session import GraphSession


@pytest.fixture
def graph() -> Any:
    return tf.Graph()


def test_a_tensor_of_a_graph_has_its_value(graph: Any) -> None:
    with graph.as_default():
        x = tf.constant([1.0, 2.0])
        y = x * 3.0
    session = GraphSession(graph)
    assert session.run(y).tolist() == [3.0, 6.0]
    assert session.run({"a": [x, y.name], "b": (y.op,)})["b"] == (None,)
    assert type(session.run("Const:0")[0]) is np.float32


def test_a_fed_tensor_has_the_fed_value(graph: Any) -> None:
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        y = x * 2.0
        z = y + 1.0
    session = GraphSession(graph)
    with graph.as_default():  # outside of its graph, a tensor is no key
        assert session.run(z, {x: [1.0, 2.0]}).tolist() == [3.0, 5.0]
        assert session.run([z, y], {y: [10.0]})[1].tolist() == [10.0]
    assert session.run([x, z], {"x:0": [1.0]})[0].tolist() == [1.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(z)


def test_a_variable_keeps_its_value_from_run_to_run(graph: Any) -> None:
    with graph.as_default():
        v = tf.Variable(1.0)
        add = v.assign_add(2.0)
    session = GraphSession(graph)
    with pytest.raises(tf.errors.FailedPreconditionError):
        session.run(v)
    session.run(v.initializer)
    assert [float(session.run(add)) for _ in range(2)] == [3.0, 5.0]
    assert float(session.run(v)) == 5.0
    other = GraphSession(graph)
    other.run(v.initializer)
    assert (float(other.run(v)), float(session.run(v))) == (1.0, 5.0)


def test_control_inputs_run_and_other_operations_do_not(graph: Any) -> None:
    with graph.as_default():
        v, w = tf.Variable(0), tf.Variable(0)
        bump_v, bump_w = v.assign_add(1), w.assign_add(1)
        with tf.control_dependencies([bump_v]):
            y = tf.constant(7)
    session = GraphSession(graph)
    session.run([v.initializer, w.initializer])
    assert (session.run(y), session.run(v), session.run(w)) == (7, 1, 0)
    assert bump_w is not None


def test_functions_of_a_graph_run(graph: Any) -> None:
    @tf.function
    def collatz(n: Any) -> Any:
        steps = 0
        while n > 1:
            n = tf.where(n % 2 == 0, n // 2, 3 * n + 1)
            steps += 1
        return steps

    with graph.as_default():
        y = collatz(tf.constant(6))
    assert GraphSession(graph).run(y) == 8


def test_what_is_no_element_is_refused(graph: Any) -> None:
    session = GraphSession(graph)
    with graph.as_default():
        tf.constant(1, name="x")
    with tf.Graph().as_default():
        other = tf.constant(1)
    with pytest.raises(KeyError, match="nothing"):
        session.run("nothing:0")
    with pytest.raises(ValueError, match="is not an element of this graph"):
        session.run(other)
    with pytest.raises(TypeError, match="has invalid type 'float'"):
        session.run(1.5)


def test_a_session_does_not_keep_its_graph() -> None:
    graph = tf.Graph()
    with graph.as_default():
        y = tf.constant(1) + 1
    session = GraphSession.of(graph)
    assert session is GraphSession.of(graph) and session.run(y) == 2
    known = weakref.ref(graph)
    del graph, y
    gc.collect()
    assert known() is None
    with pytest.raises(RuntimeError, match="graph is gone"):
        session.run("x:0")
