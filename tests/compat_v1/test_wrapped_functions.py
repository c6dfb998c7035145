"""Code of TensorFlow 1 as functions: variables that stay, effects that results need, functions of other tensors."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.function.variable_lifting import UnliftableError

v1 = tf.compat.v1


def _linear(x: Any) -> Any:
    w = v1.get_variable("w", [2], initializer=v1.ones_initializer())
    b = v1.Variable(3.0, name="b", trainable=False)
    return {"y": tf.identity(x * w, name="y"), "z": b + 1.0}


@pytest.fixture
def wrapped() -> Any:
    return v1.wrap_function(_linear, [tf.TensorSpec([None, 2], tf.float32, name="x")])


def test_variables_stay_with_the_function(wrapped: Any) -> None:
    assert [variable.name for variable in wrapped.variables] == ["w:0", "b:0"]
    assert [variable.name for variable in wrapped.trainable_variables] == ["w:0"]
    assert wrapped(tf.ones([1, 2]))["y"].numpy().tolist() == [[1.0, 1.0]]
    wrapped.variables[0].assign([5.0, 6.0])
    assert wrapped(tf.ones([1, 2]))["y"].numpy().tolist() == [[5.0, 6.0]]
    again = v1.wrap_function(_linear, [tf.TensorSpec([None, 2], tf.float32)], name="again")
    assert again(tf.ones([1, 2]))["y"].numpy().tolist() == [[1.0, 1.0]] and b"wrapped_function_again" in again.name


def test_other_tensors_become_functions(wrapped: Any) -> None:
    y = wrapped.prune("x:0", "y:0")
    assert y(tf.ones([1, 2])).numpy().tolist() == [[1.0, 1.0]]
    both = wrapped.prune([wrapped.graph.get_tensor_by_name("y:0")], {"again": "y:0", "run": wrapped.outputs[0].op})
    result = both(tf.constant([[7.0, 8.0]]))
    assert result["again"].numpy().tolist() == [[7.0, 8.0]] and result["run"] is None
    assert y.prune(y.inputs[0], y.outputs[0])(tf.zeros([1, 2])).numpy().tolist() == [[0.0, 0.0]]


def test_gradients_flow_to_variables_and_arguments(wrapped: Any) -> None:
    x = tf.constant([[2.0, 3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(wrapped(x)["y"])
    dw, dx = tape.gradient(loss, [wrapped.variables[0], x])
    assert dw.numpy().tolist() == [2.0, 3.0] and dx.numpy().tolist() == [[1.0, 1.0]]


def test_only_effects_that_results_need_happen() -> None:
    def build() -> Any:
        x = v1.placeholder(tf.float32, [], name="x")
        v = v1.get_variable("v", [], initializer=v1.zeros_initializer())
        add = v1.assign_add(v, x)
        with tf.control_dependencies([add]):
            tf.identity(v.read_value(), name="after")
        return v.read_value()

    wrapped = v1.wrap_function(build, [])
    assert float(wrapped()) == 0.0
    after = wrapped.prune("x:0", "after:0")
    assert [float(after(tf.constant(2.0))) for _ in range(2)] == [2.0, 4.0] and float(wrapped()) == 4.0
    assert wrapped.prune("x:0", wrapped.graph.get_operation_by_name("AssignAddVariableOp"))(tf.constant(1.0)) is None
    assert float(wrapped()) == 5.0


def test_what_cannot_be_pruned_or_called_is_refused(wrapped: Any) -> None:
    with pytest.raises(UnliftableError, match=r"y \(Identity\) <- mul \(Mul\) <- x \(Placeholder\)"):
        wrapped.prune([], "y:0")
    with pytest.raises(KeyError, match="no:0"):
        wrapped.prune("no:0", "y:0")
    with pytest.raises(KeyError, match="no:0"):
        wrapped.prune("x:0", "no:0")
    with pytest.raises(NotImplementedError, match="Keyword arguments are not supported"):
        wrapped(x=tf.ones([1, 2]))
    with pytest.raises(TypeError):
        wrapped()


def test_structures_and_nothing() -> None:
    spec = tf.TensorSpec([], tf.float32)
    total, first = v1.wrap_function(lambda a, b: (a + b, a), [spec, spec])(1.0, 2.0)
    assert (float(total), float(first)) == (3.0, 1.0)
    assert v1.wrap_function(lambda a: None, [spec])(1.0) is None
    assert float(v1.wrap_function(lambda d: d["a"] + 1.0, [{"a": spec}])({"a": tf.constant(1.0)})) == 2.0


def test_a_graph_def_becomes_a_function() -> None:
    with tf.Graph().as_default() as graph:
        tf.multiply(v1.placeholder(tf.float32, [], name="a"), 3.0, name="b")
    imported = v1.wrap_function(lambda: tf.import_graph_def(graph.as_graph_def(), name=""), [])
    assert float(imported.prune("a:0", "b:0")(tf.constant(5.0))) == 15.0
