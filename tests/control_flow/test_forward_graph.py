"""The forward derivative of a graph: its inputs, its outputs, its effects."""

from __future__ import annotations

from typing import Any

import numpy as np

import millrace as tf
from millrace._src.control_flow.forward_graph import forward_graph, forward_mode_of


def traced(f: Any, *specs: Any) -> Any:
    return tf.function(f).get_concrete_function(*specs)


SCALAR = tf.TensorSpec([], tf.float32)


def test_tangents_follow_inputs_and_outputs() -> None:
    concrete = traced(lambda x, y: (x * y, y + 1.0), SCALAR, SCALAR)
    graph, has = forward_graph(concrete.graph, [True, False], [False, False], "derivative")
    assert has == [True, False]
    assert [len(graph.inputs), len(graph.outputs)] == [3, 3]


def test_wanted_tangents_are_zeros_where_there_are_none() -> None:
    concrete = traced(lambda x, y: (x * y, y + 1.0), SCALAR, SCALAR)
    graph, has = forward_graph(concrete.graph, [True, False], [True, True], "derivative")
    assert has == [True, True]
    assert graph.outputs[3].op.type == "ZerosLike"


def test_the_forward_derivative_of_a_function_is_built_once() -> None:
    concrete = traced(lambda x: x * x, SCALAR)
    first, _ = forward_mode_of(concrete.graph_function, (True,))
    second, _ = forward_mode_of(concrete.graph_function, (True,))
    assert first is second


def test_effects_keep_their_order() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f(x: Any) -> Any:
        before = v * x
        v.assign(10.0)
        after = v * x
        v.assign_add(1.0)
        return before + after

    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = f(x)
    assert (float(y), float(acc.jvp(y)), float(v)) == (22.0, 11.0, 11.0)


def test_the_tangent_of_a_variable_has_the_shape_of_its_value() -> None:
    v = tf.Variable([1.0, 2.0])
    concrete = traced(lambda x: x * v, SCALAR)
    graph, has = forward_graph(concrete.graph, [False, True], [False], "derivative")
    assert has == [True]
    assert (graph.inputs[2].shape, graph.inputs[2].dtype) == ([2], tf.float32)


def test_an_input_whose_name_only_a_scope_allows_gets_one_that_stands_alone() -> None:
    @tf.function
    def f(x: Any) -> Any:
        y = tf.clip_by_global_norm([x, x], 1.0)[0][0]  # the name of its operation ends with /_0
        return tf.while_loop(lambda i, z: i < 2, lambda i, z: (i + 1, z * y), (tf.constant(0), x))[1]

    x = tf.constant([0.3, 0.4])
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
        y = f(x)
    step = 1e-3
    numeric = (f(x + step) - f(x - step)) / (2 * step)
    np.testing.assert_allclose(acc.jvp(y), numeric, rtol=1e-3)
