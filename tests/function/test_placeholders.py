from __future__ import annotations

from typing import Any

import pytest

import millrace as tf


def _taped(v: Any) -> Any:
    with tf.GradientTape() as tape:
        y = v * v * v
    return tape.gradient(y, v)


def test_a_tape_in_a_function_knows_a_variable_that_is_an_argument() -> None:
    f = tf.function(_taped)
    v, w = tf.Variable(3.0), tf.Variable(2.0)
    assert float(f(v)) == 27.0
    assert float(f(w)) == 12.0 and f.experimental_get_tracing_count() == 1
    assert float(tf.function(lambda d: _taped(d["a"][0]))({"a": [v]})) == 27.0


def test_a_tape_in_a_function_tells_variables_apart_that_share_a_trace() -> None:
    @tf.function
    def f(a: Any, b: Any) -> Any:
        with tf.GradientTape() as tape:
            y = a * b * b
        return tape.gradient(y, [a, b])

    v, w = tf.Variable(3.0), tf.Variable(2.0)
    assert [float(g) for g in f(v, w)] == [4.0, 12.0]
    assert [float(g) for g in f(w, v)] == [9.0, 12.0] and f.experimental_get_tracing_count() == 1
    assert [float(g) for g in f(v, v)] == [27.0, 27.0] and f.experimental_get_tracing_count() == 2


def test_a_variable_that_is_argument_and_closure_has_one_gradient() -> None:
    v = tf.Variable(3.0)

    @tf.function
    def f(a: Any) -> Any:
        with tf.GradientTape() as tape:
            y = a * a * v
        return tape.gradient(y, [a, v])

    assert [float(g) for g in f(v)] == [27.0, 27.0]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_of_any_order_by_a_variable_argument(order: int) -> None:
    def nth(v: Any, n: int) -> Any:
        if n == 0:
            return v**4
        with tf.GradientTape() as tape:
            y = nth(v, n - 1)
        return tape.gradient(y, v)

    assert float(tf.function(lambda v: nth(v, order))(tf.Variable(2.0))) == [32.0, 48.0, 48.0][order - 1]


# --- variables of a spec ----------------------------------------------------------------------------------------------

SPEC = tf.type_spec_from_value(tf.Variable(1.0))


def test_a_concrete_function_of_a_variable_spec_gets_a_variable() -> None:
    seen: list[Any] = []

    @tf.function
    def f(d: Any) -> Any:
        seen.append(d["v"])
        d["v"].assign_add(d["x"])
        with tf.GradientTape() as tape:
            y = d["v"] ** 2
        return tape.gradient(y, d["v"])

    concrete = f.get_concrete_function({"v": SPEC, "x": tf.TensorSpec([])})
    v = tf.Variable(4.0)
    assert float(concrete({"v": v, "x": tf.constant(1.0)})) == 10.0 and float(v) == 5.0
    assert isinstance(seen[0], tf.Variable) and seen[0].trainable and seen[0].shape == [] and seen[0].dtype == "float32"
    assert concrete.variables == () and concrete.captured_inputs == []


def test_variables_of_two_specs_are_two() -> None:
    @tf.function
    def f(v: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            y = v * w * w
        return tape.gradient(y, [v, w])

    found = f.get_concrete_function(SPEC, SPEC)(tf.Variable(4.0), tf.Variable(3.0))
    assert [float(g) for g in found] == [9.0, 24.0]


def test_a_spec_of_any_rows_gives_a_variable_of_any_rows() -> None:
    spec = type(SPEC)([None, 2])
    concrete = tf.function(lambda v: tf.reduce_sum(v * v)).get_concrete_function(spec)
    assert float(concrete(tf.Variable([[1.0, 2.0]]))) == 5.0


# --- variables in extension types -------------------------------------------------------------------------------------


class Scaled(tf.experimental.ExtensionType):  # type: ignore[misc]  # tf is untyped here
    """A variable and a factor."""

    v: type(tf.Variable(1.0))  # type: ignore[valid-type]  # the class of variables has no public name
    factor: tf.Tensor


def _gradient(s: Any) -> Any:
    with tf.GradientTape() as tape:
        y = s.v * s.v * s.factor
    return tape.gradient(y, s.v)


def test_a_variable_in_an_extension_type_is_an_argument() -> None:
    f = tf.function(_gradient)
    assert float(f(Scaled(tf.Variable(3.0), 2.0))) == 12.0
    assert float(f(Scaled(tf.Variable(5.0), 1.0))) == 10.0 and f.experimental_get_tracing_count() == 1
    spec = tf.type_spec_from_value(Scaled(tf.Variable(3.0), 2.0))
    assert float(tf.function(_gradient).get_concrete_function(spec)(Scaled(tf.Variable(7.0), 1.0))) == 14.0


def test_a_tape_outside_sees_a_variable_in_an_extension_type() -> None:
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.function(lambda s: s.v * s.v * s.factor)(Scaled(v, 2.0))
    assert float(tape.gradient(y, v)) == 12.0


def test_one_variable_in_two_extension_types_is_one() -> None:
    @tf.function
    def f(s: Any, t: Any) -> Any:
        s.v.assign_add(1.0)
        return t.v * 2.0

    v, w = tf.Variable(1.0), tf.Variable(1.0)
    assert float(f(Scaled(v, 1.0), Scaled(v, 1.0))) == 4.0
    assert float(f(Scaled(v, 1.0), Scaled(w, 1.0))) == 2.0 and f.experimental_get_tracing_count() == 2
