from __future__ import annotations

import functools
import gc
import inspect
import weakref
from typing import Any

import pytest

import millrace as tf


class Layer:
    """A class with traced methods of every kind."""

    def __init__(self, scale: float = 2.0) -> None:
        self.scale = scale
        self.traced: list[Any] = []

    @tf.function
    def call(self, x: Any, y: Any = 1) -> Any:
        """Scales."""
        self.traced.append(x)
        return x * self.scale * y

    @tf.function(input_signature=[tf.TensorSpec([])])
    def fixed(self, x: Any) -> Any:
        return x + self.scale

    @classmethod
    @tf.function
    def of_class(cls, x: Any) -> Any:
        return x + 1

    @staticmethod
    @tf.function
    def static(x: Any) -> Any:
        return x + 2

    @tf.function
    def __call__(self, x: Any) -> Any:
        return x * 10

    @property
    @tf.function
    def value(self) -> Any:
        return tf.constant(self.scale)


def test_methods_of_every_kind_are_called() -> None:
    layer = Layer()
    assert float(layer.call(tf.constant(3.0))) == 6.0
    assert float(Layer.call(layer, tf.constant(3.0))) == 6.0
    assert float(layer.fixed(1)) == 3.0
    assert int(layer.of_class(1)) == int(Layer.of_class(1)) == 2
    assert int(layer.static(1)) == int(Layer.static(1)) == 3
    assert int(layer(2)) == 20
    assert float(layer.value) == 2.0


def test_each_instance_has_its_traces() -> None:
    one, two = Layer(2.0), Layer(3.0)
    x = tf.constant(1.0)
    assert [float(layer.call(x)) for layer in (one, two, one, two)] == [2.0, 3.0, 2.0, 3.0]
    assert (len(one.traced), len(two.traced)) == (1, 1)
    assert one.call.experimental_get_tracing_count() == 1


def test_a_bound_method_is_the_same_object_each_time() -> None:
    layer = Layer()
    assert layer.call is layer.call
    assert layer.call is not Layer.call
    bound = layer.call
    bound.note = "kept"
    del bound
    gc.collect()
    assert layer.call.note == "kept"


def test_an_instance_is_not_kept_alive() -> None:
    layer = Layer()
    layer.call(tf.constant(1.0))
    graph = weakref.ref(layer.call.get_concrete_function(tf.constant(1.0)).graph)
    reference = weakref.ref(layer)
    del layer
    gc.collect()
    assert reference() is None and graph() is None
    assert not Layer.call._instances


def test_a_bound_method_keeps_its_instance_while_it_is_held() -> None:
    bound = Layer(5.0).call
    gc.collect()
    assert float(bound(tf.constant(1.0))) == 5.0
    assert float(Layer(7.0).call(tf.constant(1.0))) == 7.0


def test_the_signature_of_a_bound_method_has_no_self() -> None:
    layer = Layer()
    assert str(layer.call.function_type) == "(x, y=<captured_default_value>)"
    assert str(Layer.call.function_type) == "(self, x, y=<captured_default_value>)"
    assert list(inspect.signature(layer.call).parameters) == ["x", "y"]
    assert layer.call.__name__ == "call" and layer.call.__doc__ == "Scales."
    assert layer.call.python_function.__self__ is layer
    assert layer.call.__wrapped__.__func__ is Layer.call.python_function
    c = layer.fixed.get_concrete_function()
    assert c.structured_input_signature == ((tf.TensorSpec([], name="x"),), {})


def test_binding_errors_do_not_speak_of_self() -> None:
    with pytest.raises(TypeError, match=r"due to `missing a required argument: 'x'`.*for signature: \(x, y="):
        Layer().call()


def test_inheritance_and_super() -> None:
    class Child(Layer):
        @tf.function
        def call(self, x: Any, y: Any = 1) -> Any:
            return super().call(x, y) + 1.0

    child = Child(4.0)
    assert float(child.call(tf.constant(1.0))) == 5.0
    assert float(Layer.call(child, tf.constant(1.0))) == 4.0


def test_instances_need_not_be_hashable() -> None:
    class Bag(list[Any]):
        @tf.function
        def total(self, x: Any) -> Any:
            return x + len(self)

    assert int(Bag([1, 2]).total(1)) == 3


def test_instances_must_allow_weak_references() -> None:
    class Slotted:
        __slots__ = ()

        @tf.function
        def f(self) -> Any:
            return 1

    with pytest.raises(TypeError, match="cannot create weak reference to 'Slotted' object"):
        Slotted().f()


def test_partials_and_callable_objects() -> None:
    class Adder:
        def __call__(self, x: Any, y: Any = 1) -> Any:
            return x + y

        def method(self, x: Any) -> Any:
            return x + 2

    f = tf.function(functools.partial(lambda x, y, z=3: (x, y, z), 1, z=5))
    assert [int(t) for t in f(2)] == [1, 2, 5] and [int(t) for t in f(2, z=7)] == [1, 2, 7]
    assert f.name == "function" and not hasattr(f, "__name__")
    adder = Adder()
    assert int(tf.function(adder)(1)) == 2
    bound = tf.function(adder.method)
    assert int(bound(1)) == 3 and bound.__name__ == "method"


def test_a_partial_of_a_tensor_captures_it() -> None:
    f = tf.function(functools.partial(lambda x, y: x * y, tf.constant(5.0)))
    assert float(f(tf.constant(2.0))) == 10.0
    assert str(f.function_type) == "(y)"


def test_a_function_of_a_function() -> None:
    inner = tf.function(lambda x: x + 1)
    outer = tf.function(inner)
    assert outer is not inner and outer.python_function is inner and int(outer(1)) == 2


def test_decorated_methods_of_modules() -> None:
    class Module(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.v = tf.Variable(2.0)

        @tf.function
        def __call__(self, x: Any) -> Any:
            return self.v * x

    module = Module()
    assert float(module(3.0)) == 6.0
    assert [v.ref() for v in module.__call__.get_concrete_function(3.0).variables] == [module.v.ref()]
