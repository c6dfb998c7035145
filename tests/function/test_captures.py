from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import millrace as tf
from millrace._src.core.context import current_graph


def test_a_deferred_capture_is_asked_for_at_each_call() -> None:
    class Box:
        value = tf.constant(1.0)

    @tf.function
    def f(x: Any) -> Any:
        return x + current_graph().capture_call_time_value(lambda: Box.value, tf.TensorSpec([]))

    assert float(f(tf.constant(1.0))) == 2.0
    Box.value = tf.constant(5.0)
    assert float(f(tf.constant(1.0))) == 6.0 and f.experimental_get_tracing_count() == 1
    Box.value = tf.constant([5.0])
    with pytest.raises(TypeError, match=r"Expect type TensorSpec.* from the captured closure, but got TensorSpec"):
        f(tf.constant(1.0))


def test_a_deferred_capture_of_a_called_function_is_asked_for_at_each_call_of_the_caller() -> None:
    class Box:
        value = tf.constant(1.0)

    @tf.function
    def inner(x: Any) -> Any:
        return x + current_graph().capture_call_time_value(lambda: Box.value, tf.TensorSpec([]))

    @tf.function
    def outer(x: Any) -> Any:
        return tf.cond(x > 0.0, lambda: 10.0 * inner(x), lambda: inner(x)) + inner(x)

    assert float(outer(tf.constant(1.0))) == 22.0
    Box.value = tf.constant(2.0)
    assert float(outer(tf.constant(1.0))) == 33.0 and outer.experimental_get_tracing_count() == 1


def test_a_saved_model_holds_the_default_value_of_a_deferred_capture(tmp_path: Any) -> None:
    class Model(tf.Module):
        default: Any = tf.constant(3.0)

        @tf.function(input_signature=[])
        def value(self) -> Any:
            capture = current_graph().capture_call_time_value
            return 2.0 * capture(lambda: tf.constant(1.0), tf.TensorSpec([]), default_value=self.default)

    tf.saved_model.save(Model(), str(tmp_path / "with"))
    assert float(tf.saved_model.load(str(tmp_path / "with")).value()) == 6.0
    model = Model()
    model.default = None
    with pytest.raises(KeyError, match="cannot hold the closure of a deferred capture"):
        tf.saved_model.save(model, str(tmp_path / "without"))


def test_deferred_captures_with_one_key_are_one() -> None:
    calls = []

    def closure() -> Any:
        calls.append(1)
        return [tf.constant(2.0), tf.constant(3.0)]

    @tf.function
    def f() -> Any:
        spec = [tf.TensorSpec([]), tf.TensorSpec([])]
        a = current_graph().capture_call_time_value(closure, spec, key="k")
        b = current_graph().capture_call_time_value(closure, spec, key="k")
        return a[0] * b[1]

    assert float(f()) == 6.0 and len(calls) == 1


def test_a_captured_variable_is_not_kept_alive_but_its_storage_is() -> None:
    box = [tf.Variable(7.0)]
    f = tf.function(lambda: box[0] + 1.0)
    assert float(f()) == 8.0
    reference = weakref.ref(box[0])
    box.clear()
    gc.collect()
    assert reference() is None and float(f()) == 8.0


def test_an_argument_is_not_kept_alive() -> None:
    class Thing:
        pass

    thing = Thing()
    f = tf.function(lambda x: 1)
    f(thing)
    f(thing)
    reference = weakref.ref(thing)
    del thing
    gc.collect()
    assert reference() is None


def test_a_tensor_is_captured_once() -> None:
    k = tf.constant([1.0, 2.0])
    c = tf.function(lambda: k * k + k).get_concrete_function()
    assert [t is k for t in c.captured_inputs] == [True]


def test_an_outer_function_knows_the_variables_of_the_functions_it_calls() -> None:
    v = tf.Variable(1.0)
    inner = tf.function(lambda: v + 1.0)
    inner()
    c = tf.function(lambda: inner()).get_concrete_function()
    assert [x.ref() for x in c.trainable_variables] == [v.ref()]
    with tf.GradientTape() as tape:
        y = c()
    assert float(tape.gradient(y, v)) == 1.0
