"""`FuncGraph`: captures by value and by placeholder, scope checks, nested functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.context import outermost_context
from millrace._src.graph.func_graph import FuncGraph


def test_a_small_eager_tensor_becomes_one_constant_however_often_it_is_used() -> None:
    c = tf.constant([1.0, 2.0])
    g = FuncGraph("f")
    with g.as_default():
        first, second = tf.convert_to_tensor(c), tf.convert_to_tensor(c)
        c * c
    assert first is second
    assert first.op.type == "Const"
    assert g.captures == []
    assert [op.type for op in g.get_operations()] == ["Const", "Mul"]


def test_a_large_eager_tensor_a_resource_and_an_outer_tensor_become_inputs() -> None:
    big, v = tf.zeros([129]), tf.Variable(1.0)
    outer = FuncGraph("outer")
    with outer.as_default():
        x = tf.constant(1.0) * 2.0
        inner = FuncGraph("inner")
        with inner.as_default():
            tf.reduce_sum(big) + v + x
    assert [t.op.type for t in inner.inputs] == ["Placeholder"] * 3
    assert inner.external_captures[0] is big
    assert [t.dtype for t in inner.internal_captures] == [tf.float32, tf.resource, tf.float32]
    assert inner.inputs == inner.internal_captures or len(inner.inputs) == 3
    assert any(t is x for t in inner.external_captures)


def test_a_tensor_of_a_graph_that_does_not_enclose_this_one_is_refused() -> None:
    one, other = FuncGraph("one"), FuncGraph("other")
    with one.as_default():
        x = tf.constant(1.0) * 2.0
    with other.as_default(), pytest.raises(TypeError, match="out of scope") as caught:
        x + 1.0
    assert __file__ in str(caught.value)


def test_captures_go_through_every_level() -> None:
    v = tf.Variable(2.0)
    big = tf.ones([200])
    deep = tf.function(lambda x: tf.reduce_sum(big) * v + x, autograph=False)
    middle = tf.function(lambda x: deep(x) * 2.0, autograph=False)
    outer = tf.function(lambda x: middle(x), autograph=False)
    assert float(outer(tf.constant(1.0))) == 802.0
    v.assign(3.0)
    assert float(outer(tf.constant(1.0))) == 1202.0
    assert any(t is v.handle for t in outer.get_concrete_function(tf.constant(1.0)).graph.external_captures)


def test_a_captured_array_is_not_changed_by_the_user() -> None:
    a = np.ones([200], np.float32)
    t = tf.constant(a)
    f = tf.function(lambda: tf.reduce_sum(t), autograph=False)
    a[:] = 5
    assert float(f()) == 200.0


def test_variables_used_are_listed_once_in_order_also_for_outer_functions() -> None:
    v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w", trainable=False)
    inner = tf.function(lambda: w + v + w, autograph=False)
    concrete = tf.function(lambda: inner() * v, autograph=False).get_concrete_function()
    assert sorted(x.name for x in concrete.graph.variables) == ["v:0", "w:0"]
    assert [x.name for x in concrete.graph.trainable_variables] == ["v:0"]


def test_the_outermost_context_is_not_a_function() -> None:
    assert outermost_context() is None
    with tf.Graph().as_default() as g, FuncGraph("f").as_default(), FuncGraph("g").as_default():
        assert outermost_context() is g
    with FuncGraph("f").as_default():
        assert outermost_context() is None


def test_repr_and_name() -> None:
    g = FuncGraph("body")
    assert repr(g).startswith("FuncGraph(name=body, id=")
    assert g.building_function


def test_a_placeholder_has_the_name_and_shape_asked_for() -> None:
    g = FuncGraph("f")
    p: Any = g.add_placeholder(tf.float32, [None, 3], "x")
    assert (p.name, p.shape.as_list(), p.op.type) == ("x:0", [None, 3], "Placeholder")
    assert g.add_placeholder(tf.float32, [], "x").name == "x_1:0"
    assert g.inputs == []
