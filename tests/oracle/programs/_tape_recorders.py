"""The ways to differentiate: tapes of all settings, orders and surroundings, accumulators, and `tf.gradients`.

A *recorder* takes `tf`, a function from a value to a number, a function that lists the sources in a value, and the
value. It returns the gradients. `answer` puts a recorder on one *side* of a binding: "outside" is around the binding,
"inside" is in the function to which the value comes, "between" is in a function that passes the value on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle.programs._tape_bindings import BINDINGS, is_true
from tests.oracle.programs._tape_kinds import KINDS

Recorder = Callable[[Any, Callable[[Any], Any], Callable[[Any], Any], Any], Any]


def _taped(tf, h, sources, value):
    with tf.GradientTape() as tape:
        tape.watch(sources(value))
        y = h(value)
    return tape.gradient(y, sources(value))


def _unwatched(tf, h, sources, value):
    with tf.GradientTape() as tape:
        y = h(value)
    return tape.gradient(y, sources(value))


def _only_watched(tf, h, sources, value):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(sources(value))
        y = h(value)
    return tape.gradient(y, sources(value))


def _not_watching(tf, h, sources, value):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = h(value)
    return tape.gradient(y, sources(value))


def _zeros(tf, h, sources, value):
    free = tf.Variable(5.0) if tf.executing_eagerly() else tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(free)
        y = h(value)
    return tape.gradient(y, [sources(value), free], unconnected_gradients="zero")


def _persistent(tf, h, sources, value):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sources(value))
        y = h(value)
        z = y * y
    return [tape.gradient(y, sources(value)), tape.gradient(z, sources(value))]


def _second(tf, h, sources, value):
    with tf.GradientTape() as outer:
        outer.watch(sources(value))
        with tf.GradientTape() as inner:
            inner.watch(sources(value))
            y = h(value)
        first = inner.gradient(y, sources(value))
    return outer.gradient(first, sources(value))


def _jacobian(tf, h, sources, value):
    with tf.GradientTape() as tape:
        tape.watch(sources(value))
        y = h(value) * tf.constant([1.0, 2.0])
    return tape.jacobian(y, sources(value))


def _forward(tf, h, sources, value):
    primals = tf.nest.flatten(sources(value))
    with tf.autodiff.ForwardAccumulator(primals, [tf.ones_like(p) for p in primals]) as accumulator:
        y = h(value)
    return accumulator.jvp(y)


def _forward_over_back(tf, h, sources, value):
    primals = tf.nest.flatten(sources(value))
    with tf.autodiff.ForwardAccumulator(primals, [tf.ones_like(p) for p in primals]) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(sources(value))
            y = h(value)
        gradient = tape.gradient(y, sources(value))
    return accumulator.jvp(gradient)


def _gradients(tf, h, sources, value):
    return tf.gradients(h(value), sources(value))


def _in_cond(tf, h, sources, value):
    return tf.cond(
        is_true(tf), lambda: _taped(tf, h, sources, value), lambda: _taped(tf, lambda v: h(v) * 2.0, sources, value)
    )


def _in_while(tf, h, sources, value):
    def body(i, last):
        return i + 1, _taped(tf, h, sources, value)

    return tf.while_loop(lambda i, _: i < 2, body, [0, _taped(tf, h, sources, value)])[1]


def _around_cond(tf, h, sources, value):
    return _taped(tf, lambda v: tf.cond(is_true(tf), lambda: h(v), lambda: h(v) * 2.0), sources, value)


def _around_while(tf, h, sources, value):
    def looped(v):
        return tf.while_loop(lambda i, _: i < 2, lambda i, a: (i + 1, a + h(v)), [0, h(v)])[1]

    return _taped(tf, looped, sources, value)


def _around_map(tf, h, sources, value):
    return _taped(tf, lambda v: tf.map_fn(lambda x: x * h(v), tf.constant([1.0, 2.0]))[1], sources, value)


def _in_function(tf, h, sources, value):
    return tf.function(lambda: _taped(tf, h, sources, value))()


def _in_function_of_it(tf, h, sources, value):
    return tf.function(lambda v: _taped(tf, h, sources, v))(value)


def _around_function(tf, h, sources, value):
    return _taped(tf, tf.function(h), sources, value)


def _around_compiled(tf, h, sources, value):
    return _taped(tf, tf.function(h, jit_compile=True), sources, value)


def _custom(tf, h, sources, value):
    @tf.custom_gradient
    def scaled(y):
        return y * 1.0, lambda dy: dy * 10.0

    return _taped(tf, lambda v: scaled(h(v)), sources, value)


def _custom_of_variables(tf, h, sources, value):
    @tf.custom_gradient
    def scaled(x):
        y = h(value) * x

        def grad(dy, variables=None):
            return dy * 7.0, [dy * 11.0 for _ in variables or ()]

        return y, grad

    return _taped(tf, lambda v: scaled(tf.constant(1.0)), sources, value)


def _recomputed(tf, h, sources, value):
    return _taped(tf, lambda v: tf.recompute_grad(h)(v), sources, value)


def _watched_variables(tf, h, sources, value):
    with tf.GradientTape() as tape:
        y = h(value)
    return tape.gradient(y, list(tape.watched_variables()))


def _stopped(tf, h, sources, value):
    with tf.GradientTape() as tape:
        tape.watch(sources(value))
        with tape.stop_recording():
            y = h(value)
        y = y + h(value)
    return tape.gradient(y, sources(value))


def _py_inside(tf, h, sources, value):
    return _taped(tf, lambda v: tf.py_function(lambda: h(v), [], tf.float32), sources, value)


RECORDERS: dict[str, Recorder] = {
    "tape": _taped,
    "unwatched": _unwatched,
    "only_watched": _only_watched,
    "not_watching": _not_watching,
    "zeros": _zeros,
    "persistent": _persistent,
    "second": _second,
    "jacobian": _jacobian,
    "forward": _forward,
    "forward_over_back": _forward_over_back,
    "gradients": _gradients,
    "in_cond": _in_cond,
    "in_while": _in_while,
    "around_cond": _around_cond,
    "around_while": _around_while,
    "around_map": _around_map,
    "in_function": _in_function,
    "in_function_of_it": _in_function_of_it,
    "around_function": _around_function,
    "around_compiled": _around_compiled,
    "custom": _custom,
    "custom_of_variables": _custom_of_variables,
    "recomputed": _recomputed,
    "watched_variables": _watched_variables,
    "stopped": _stopped,
    "py_inside": _py_inside,
}

SIDES = ("inside", "outside", "between")


def answer(tf: Any, side: str, recorder: str, binding: str, kind: str) -> Any:
    """Returns the gradients of one cell of the table, or the class of the exception."""
    leaf, wrap, number, sources = KINDS[kind]
    record = RECORDERS[recorder]
    start, other = leaf(tf, 3.0), wrap(tf, leaf(tf, 5.0))

    def listed(value):
        return sources(tf, value)

    def inside(value):
        return record(tf, lambda v: number(tf, v), listed, value)

    try:
        if side == "inside":
            value = wrap(tf, start)
            return BINDINGS[binding](tf, inside, value, other)(value)

        def passed_on(x):
            value = wrap(tf, x)
            return BINDINGS[binding](tf, lambda v: number(tf, v), value, other)(value)

        def outside(x):
            return record(tf, passed_on, lambda y: y.w if kind == "module" else y, x)

        return outside(start) if side == "outside" else tf.function(outside)(start)
    except Exception as error:
        return {"raises": type(error).__name__}
