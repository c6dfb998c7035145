"""Zeros, and variables of zeros, stand in for values of known shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

import millrace as tf
from millrace._src.core.resources import resource_of
from millrace._src.passes.abstract_arrays import known_forms, stand_in
from millrace._src.passes.optimized_graph import Node
from millrace._src.passes.pipeline import optimize


def node_of(op: str, function: Any, *specs: Any) -> Node:
    graph = optimize(tf.function(function, autograph=False).get_concrete_function(*specs).graph)
    return next(node for node in graph.nodes if node.type == op)


def test_a_stand_in_takes_no_memory() -> None:
    array = stand_in([1000, 1000], np.float32)
    assert array.shape == (1000, 1000)
    assert array.dtype == np.float32
    assert array.strides == (0, 0)


def test_a_value_of_a_known_shape_has_a_form_and_one_of_an_unknown_shape_has_none() -> None:
    known, unknown = tf.TensorSpec([3], tf.float32), tf.TensorSpec([None], tf.float32)
    first, second = known_forms(node_of("AddV2", lambda x, y: x + y, known, unknown))
    assert first is not None
    assert first.shape == (3,)
    assert second is None


def test_a_constant_is_its_own_form() -> None:
    _, constant = known_forms(node_of("AddV2", lambda x: x + [1.0, 2.0], tf.TensorSpec([2], tf.float32)))
    assert np.asarray(constant).tolist() == [1.0, 2.0]


def test_a_new_variable_stands_in_for_one_of_a_known_shape() -> None:
    v = tf.Variable([1.0, 2.0])
    handle, _ = known_forms(node_of("AssignAddVariableOp", lambda x: v.assign_add(x), tf.TensorSpec([2], tf.float32)))
    assert resource_of(handle).value.tolist() == [0.0, 0.0]
    assert v.numpy().tolist() == [1.0, 2.0]


def test_a_variable_of_any_shape_has_no_form() -> None:
    v = tf.Variable([1.0, 2.0], shape=tf.TensorShape([None]))
    handle, _ = known_forms(node_of("AssignAddVariableOp", lambda x: v.assign_add(x), tf.TensorSpec([2], tf.float32)))
    assert handle is None
