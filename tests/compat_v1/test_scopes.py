"""Scopes with TensorFlow 1's arguments."""

from __future__ import annotations

import pytest

import millrace as tf

v1 = tf.compat.v1


def test_the_graph_of_the_values_is_entered() -> None:
    first, second = tf.Graph(), tf.Graph()
    with first.as_default():
        a = tf.constant(1)
    with second.as_default():
        with v1.name_scope(None, "scope", [a]):
            assert tf.constant(2).graph is first
        assert tf.constant(3).graph is second


def test_values_of_two_graphs_are_refused() -> None:
    with tf.Graph().as_default():
        a = tf.constant(1)
    with tf.Graph().as_default():
        b = tf.constant(1)
        with pytest.raises(ValueError, match="must be from the same graph as"), v1.name_scope(None, "scope", [a, b]):
            pass


def test_a_scope_can_be_entered_again() -> None:
    scope = v1.name_scope("scope")
    with tf.Graph().as_default():
        with scope as first:
            pass
        with scope as second:
            pass
    assert (first, second) == ("scope/", "scope_1/")


def test_a_container_is_shown_by_what_keeps_state_and_ends_with_its_scope() -> None:
    with tf.Graph().as_default() as graph:
        with v1.container("box"):
            inside, plain = v1.FIFOQueue(1, ["float32"]), tf.constant(1)
        outside = v1.FIFOQueue(1, ["float32"])
        assert inside.queue_ref.op.get_attr("container") == b"box"
        assert outside.queue_ref.op.get_attr("container") == b""
        assert "container" not in plain.op.node_def.attr
        with graph.container("own") as name:
            assert name == "own"
