"""Gradient rules by name: where they hold, what they see, what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.autodiff.gradient_registry import _RULES
from millrace._src.autodiff.op_recording import forget_rules
from millrace._src.core.op_registry import get_op


@pytest.fixture(autouse=True)
def rules_of_a_test() -> Any:
    """Rules that a test enters are gone after it."""
    before = dict(_RULES)
    yield
    _RULES.clear()
    _RULES.update(before)


def override(names: dict[str, str]) -> Any:
    return tf.compat.v1.get_default_graph().gradient_override_map(names)


def value(x: Any) -> Any:
    return None if x is None else np.asarray(x).tolist()


def squared(rule: str) -> Any:
    def f(x):
        with override({"Square": rule}):
            return tf.square(x)

    return f


@pytest.mark.parametrize("jit", [None, pytest.param(True, marks=pytest.mark.xla)])
def test_a_rule_holds_for_every_way_of_differentiating(jit: bool | None) -> None:
    tf.RegisterGradient("TimesTen")(lambda op, dy: dy * 10.0)
    f = squared("TimesTen")

    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x), tf.gradients(f(x), x)[0]

    x = tf.constant(3.0)
    assert [value(g) for g in tf.function(inside, jit_compile=jit)(x)] == [10.0, 10.0]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(f, jit_compile=jit)(x)
    assert (value(y), value(tape.gradient(y, x))) == (9.0, 10.0)


def test_the_gradient_of_another_op_may_be_borrowed() -> None:
    @tf.function
    def f(x):
        with override({"Sign": "Identity", "Round": "Square", "AddV2": "Mul"}):
            return tf.gradients(tf.sign(x), x)[0], tf.gradients(tf.round(x), x)[0], tf.gradients(x + 5.0, x)[0]

    assert [value(g) for g in f(tf.constant([0.5, -3.0]))] == [[1.0, 1.0], [1.0, -6.0], [5.0, 5.0]]


def test_a_rule_may_be_differentiated() -> None:
    tf.RegisterGradient("Quartic")(lambda op, dy: dy * op.inputs[0] ** 4.0)

    @tf.function
    def f(x):
        first = tf.gradients(squared("Quartic")(x), x)[0]
        return first, tf.gradients(first, x)[0]

    assert [value(g) for g in f(tf.constant(2.0))] == [16.0, 32.0]


def test_it_holds_in_loops_and_branches_that_enter_the_map_themselves() -> None:
    tf.RegisterGradient("TimesTen")(lambda op, dy: dy * 10.0)
    f = squared("TimesTen")

    @tf.function(autograph=False)
    def g(x):
        y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, f(y)), (0, x))[1]
        z = tf.cond(x > 0.0, lambda: f(x), lambda: x)
        return tf.gradients(y, x)[0], tf.gradients(z, x)[0]

    assert [value(d) for d in g(tf.constant(3.0))] == [100.0, 10.0]


def test_the_maps_of_graphs_inside_are_their_own() -> None:
    tf.RegisterGradient("TimesTen")(lambda op, dy: dy * 10.0)

    @tf.function(autograph=False)
    def g(x):
        with override({"Square": "TimesTen"}):
            return tf.gradients(tf.cond(x > 0.0, lambda: tf.square(x), lambda: x), x)[0]

    assert value(g(tf.constant(3.0))) == 6.0


def test_an_attribute_set_on_an_operation_counts() -> None:
    tf.RegisterGradient("TimesTen")(lambda op, dy: dy * 10.0)

    @tf.function
    def f(x):
        y, z = tf.square(x), tf.square(x)
        y.op._set_attr("_gradient_op_type", tf.compat.v1.AttrValue(s=b"TimesTen"))
        z.op._set_attr("_gradient_op_type", "TimesTen")
        return tf.gradients(y, x)[0], tf.gradients(z, x)[0]

    assert [value(g) for g in f(tf.constant(3.0))] == [10.0, 10.0]


def test_rules_survive_a_graph_def() -> None:
    tf.RegisterGradient("TimesTen")(lambda op, dy: dy * 10.0)
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [], name="x")
        with graph.gradient_override_map({"Square": "TimesTen"}):
            tf.square(x, name="y")
    definition = graph.as_graph_def()

    @tf.function
    def f(x):
        (y,) = tf.graph_util.import_graph_def(definition, input_map={"x": x}, return_elements=["y:0"])
        return tf.gradients(y, x)[0]

    assert value(f(tf.constant(3.0))) == 10.0


def test_numbers_that_a_rule_returns_become_tensors_and_shapes_are_checked() -> None:
    tf.RegisterGradient("Five")(lambda op, dy: 5.0)
    tf.RegisterGradient("Nothing")(lambda op, dy: None)
    tf.RegisterGradient("Long")(lambda op, dy: tf.ones([3]))
    tf.RegisterGradient("Pair")(lambda op, dy: (dy, dy))

    def gradient(rule: str, x: Any) -> Any:
        return tf.function(lambda x: tf.gradients(squared(rule)(x), x)[0], autograph=False)(x)

    assert value(gradient("Five", tf.constant(3.0))) == 5.0
    assert gradient("Nothing", tf.constant(3.0)) is None
    with pytest.raises(ValueError, match="Incompatible shapes between op input and calculated input gradient"):
        gradient("Long", tf.constant([1.0, 2.0]))
    with pytest.raises(ValueError, match=r"(?s)Num gradients 2 generated for op .*do not match num inputs 1"):
        gradient("Pair", tf.constant([1.0, 2.0]))


def test_no_gradient_cuts_the_path() -> None:
    tf.no_gradient("Cut")

    @tf.function
    def f(x):
        y = squared("Cut")(x)
        return tf.gradients(y, x)[0], tf.gradients(y * x, x)[0]

    assert [value(g) for g in f(tf.constant(3.0))] == [None, 9.0]


@pytest.fixture
def op_without_gradient() -> Any:
    """An op that has no gradient; what a test gives it is taken away again."""
    name = "Bitcast"
    op = get_op(name)
    if op.rules.gradient is not None or op.traits.not_differentiable is not None:
        pytest.skip(f"{name} has a gradient by now")
    yield name
    op.rules.gradient = None
    op.traits = replace(op.traits, not_differentiable=None)
    forget_rules()


def test_a_rule_entered_for_an_op_is_called_for_every_tape(op_without_gradient: str) -> None:
    seen = []

    @tf.RegisterGradient(op_without_gradient)
    def rule(op, dy):
        seen.append(op.type)

    for turn in range(20):
        with tf.GradientTape() as tape:
            x = tf.constant([1.0])
            tape.watch(x)
            y = tf.bitcast(tf.bitcast(x, tf.float16), tf.float32)
        assert tape.gradient(y, x) is None
        assert len(seen) == turn + 1


def test_an_op_without_a_gradient_gets_one(op_without_gradient: str) -> None:
    seen = []

    @tf.RegisterGradient(op_without_gradient)
    def rule(op, dy):
        seen.append((op.type, len(op.inputs), len(op.outputs), op.get_attr("type")))
        return tf.reduce_sum(tf.cast(dy, tf.float32), -1) * op.inputs[0]

    def f(x):
        return tf.bitcast(x, tf.bfloat16)[..., 0] * 3.0

    x = tf.constant([2.0, 4.0])
    for g in (f, tf.function(f)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = g(x)
        assert value(tape.gradient(y, x)) == [6.0, 12.0]
    assert set(seen) == {(op_without_gradient, 1, 1, tf.bfloat16)}


def test_an_op_can_be_said_to_have_no_gradient(op_without_gradient: str) -> None:
    x = tf.constant([2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.bitcast(x, tf.float32) * 2.0
    with pytest.raises(LookupError, match="gradient registry has no entry for: Bitcast"):
        tape.gradient(y, x)
    tf.no_gradient(op_without_gradient)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.bitcast(x, tf.float32) * x
    assert value(tape.gradient(y, x)) == [2.0]


@pytest.mark.parametrize("name", ["Square", "StopGradient", "PartitionedCall", "Mine"])
def test_a_taken_name_is_refused(name: str) -> None:
    if name == "Mine":
        tf.RegisterGradient(name)(lambda op, dy: dy)
    with pytest.raises(KeyError, match=f"Registering two gradient with name '{name}'"):
        tf.RegisterGradient(name)(lambda op, dy: dy)
    with pytest.raises(KeyError, match=f"Registering two gradient with name '{name}'"):
        tf.no_gradient(name)


def test_a_name_that_is_no_string_is_refused() -> None:
    for call in (tf.RegisterGradient, tf.no_gradient):
        with pytest.raises(TypeError, match="op_type must be a string"):
            call(5)
    graph = tf.Graph()
    for mapping in (["Square"], {"Square": 5}, {5: "Square"}):
        with (
            pytest.raises(TypeError, match="op_type_map must be a dictionary mapping strings to strings"),
            graph.gradient_override_map(mapping),
        ):
            pass


def test_an_unknown_rule_is_an_error_of_the_gradient() -> None:
    f = tf.function(lambda x: tf.gradients(squared("Nobody")(x), x), autograph=False)
    with pytest.raises(LookupError, match="'Nobody', which was not registered"):
        f(tf.constant(1.0))


def test_eager_operations_keep_their_gradient() -> None:
    x = tf.constant(3.0)
    with tf.Graph().as_default() as graph, graph.gradient_override_map({"Square": "Nobody"}):
        pass
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.square(x)
    assert value(tape.gradient(y, x)) == 6.0
