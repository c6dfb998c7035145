"""Deferred captures of a `FuncGraph` of its own; those of a `tf.function` are in `tests/function/test_captures.py`."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf


def _graph() -> Any:
    return tf.__internal__.FuncGraph("f")


def test_a_deferred_capture_is_a_placeholder_of_the_graph() -> None:
    graph = _graph()
    value = graph.capture_call_time_value(lambda: tf.constant(1.0), tf.TensorSpec([], name="given"))
    other = graph.capture_call_time_value(lambda: tf.constant(1), tf.TensorSpec(None, tf.int32))
    assert (value.op.type, value.name, value.shape, other.name) == ("Placeholder", "given:0", [], "Placeholder:0")
    assert value.op.get_attr("_user_specified_name") == b"given"
    assert [value, other] == graph.deferred_internal_captures
    assert graph.inputs == graph.captures == graph.external_captures == graph.internal_captures == []


def test_the_closure_is_asked_at_each_call() -> None:
    graph, values = _graph(), [1.0, 2.0]
    graph.capture_call_time_value(lambda: tf.constant(values.pop(0)), tf.TensorSpec([]))
    (closure,) = graph.deferred_external_captures
    assert [float(closure()[0]) for _ in range(2)] == [1.0, 2.0]


def test_captures_with_one_key_are_one() -> None:
    graph = _graph()
    a, b = (graph.capture_call_time_value(lambda: 1, tf.TensorSpec([2]), key="k") for _ in range(2))
    assert a is b and len(graph.deferred_external_captures) == 1


def test_structures_composites_and_constants() -> None:
    graph = _graph()
    spec = {"a": (tf.TensorSpec([2]), 3), "b": tf.RaggedTensorSpec([None, None], tf.int32), "c": None}
    ragged = tf.ragged.constant([[1], [2, 3]])
    value = graph.capture_call_time_value(lambda: {"a": ([1.0, 2.0], 3), "b": ragged, "c": None}, spec)
    assert value["a"][1] == 3 and value["c"] is None
    assert isinstance(value["b"], tf.RaggedTensor) and value["b"].values.op.type == "Placeholder"
    graph = _graph()
    graph.capture_call_time_value(lambda: ragged, spec["b"])
    flat_values, row_splits = graph.deferred_external_captures[0]()
    assert flat_values.numpy().tolist() == [1, 2, 3] and row_splits.numpy().tolist() == [0, 1, 3]


def test_a_placeholder_may_be_given() -> None:
    graph = _graph()
    with graph.as_default():
        placeholder = tf.compat.v1.placeholder(tf.float32, [])
    assert graph.capture_call_time_value(lambda: 1.0, tf.TensorSpec([]), placeholder=placeholder) is placeholder


def test_a_value_that_does_not_fit_the_spec_is_refused() -> None:
    graph = _graph()
    graph.capture_call_time_value(lambda: tf.constant(1.0), tf.TensorSpec([2]))
    with pytest.raises(TypeError, match=r"Can not cast"):
        graph.deferred_external_captures[0]()


def test_a_traced_function_lists_its_deferred_captures() -> None:
    @tf.function
    def f() -> Any:
        return tf.compat.v1.get_default_graph().capture_call_time_value(lambda: tf.constant(4.0), tf.TensorSpec([]))

    graph: Any = f.get_concrete_function().graph
    assert [float(closure()[0]) for closure in graph.deferred_external_captures] == [4.0]
    assert [value.op.type for value in graph.deferred_internal_captures] == ["Placeholder"]
