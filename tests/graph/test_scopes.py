"""Public scopes and questions: name scopes, devices, default graph, what is a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf


def test_a_name_scope_decorates_a_function() -> None:
    @tf.name_scope("layer")
    def make() -> Any:
        return tf.Variable(1.0, name="w").name

    assert make() == make() == "layer/w:0"


def test_names_and_scopes_in_a_function_and_a_graph() -> None:
    seen = []

    @tf.function(autograph=False)
    def f(x):
        with tf.name_scope("a") as scope:
            seen.append((scope, tf.get_current_name_scope(), tf.inside_function()))
            return x + 1.0

    f(tf.constant(1.0))
    assert seen == [("a/", "a", True)]
    assert not tf.inside_function()
    with tf.Graph().as_default():
        assert not tf.inside_function()
        with tf.name_scope("b"):
            assert tf.get_current_name_scope() == "b"


@pytest.mark.parametrize(
    ("thing", "expected"), [(1, False), (None, False), ([1.0], False), (np.ones(2), False), ("a", False)]
)
def test_python_values_are_no_tensors(thing: Any, expected: bool) -> None:
    assert tf.is_tensor(thing) is expected
    assert tf.is_symbolic_tensor(thing) is False


def test_tensors_variables_and_slices_are_tensors() -> None:
    v = tf.Variable(1.0)
    assert tf.is_tensor(tf.constant(1))
    assert tf.is_tensor(v)
    assert tf.is_tensor(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))
    with tf.Graph().as_default():
        x = tf.constant(1)
    assert tf.is_tensor(x)
    assert tf.is_symbolic_tensor(x)
    assert not tf.is_symbolic_tensor(tf.constant(1))
    assert not tf.is_symbolic_tensor(v)


def test_datasets_iterators_optionals_and_arrays_of_tensors_are_no_tensors() -> None:
    dataset = tf.data.Dataset.range(1)
    values = [dataset, iter(dataset), tf.experimental.Optional.from_value(1), tf.TensorArray(tf.float32, 1)]
    assert not any(map(tf.is_tensor, values))


def test_the_default_graph_is_the_one_being_built_or_one_for_the_process() -> None:
    get = tf.compat.v1.get_default_graph
    assert get() is get()
    with tf.Graph().as_default() as g:
        assert get() is g
    assert get() is not g


def test_device_scopes_nest_and_end() -> None:
    with tf.Graph().as_default():
        with tf.device("/CPU:0"):
            a = tf.constant(1)
            with tf.device(None):
                b = tf.constant(1)
        c = tf.constant(1)
    assert "CPU:0" in a.op.device
    assert (b.op.device, c.op.device) == ("", "")


def test_control_dependencies_in_a_function_order_a_read_after_a_print(capfd: Any) -> None:
    @tf.function(autograph=False)
    def f(x):
        with tf.control_dependencies([tf.print("first")]):
            y = tf.identity(x)
        tf.print("second", y)
        return y

    f(tf.constant(1))
    assert capfd.readouterr().err.split() == ["first", "second", "1"]
