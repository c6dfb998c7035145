"""The gradient of a loop: what its forward pass keeps, every order on both engines, and where XLA has to leave it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf


def value(x: Any) -> Any:
    return None if x is None else np.asarray(x).tolist()


def loops(graph: Any) -> list[Any]:
    return [op for op in graph.get_operations() if op.type in ("While", "StatelessWhile")]


def lists_of(f: Any, *specs: Any) -> tuple[int, int]:
    """How many lists the first loop of a function fills with one element an iteration, and how many with one in all."""
    graph = tf.function(f, autograph=False).get_concrete_function(*specs).graph
    body = loops(graph)[0].attrs["body"].graph
    types = [t.op.type for t in body.outputs]
    return types.count("TensorListPushBack"), types.count("TensorListSetItem")


VECTOR = tf.TensorSpec([3], tf.float32)
MATRIX = tf.TensorSpec([3, 3], tf.float32)
SCALAR = tf.TensorSpec([], tf.float32)


def repeat(n: Any, body: Any, *variables: Any) -> Any:
    step = lambda i, *rest: (i + 1, *body(i, *rest))  # noqa: E731  (an argument)
    return tf.while_loop(lambda i, *_: i < n, step, (tf.constant(0), *variables))[1:]


# --- what is kept ----------------------------------------------------------------------------------------------------


def test_a_loop_keeps_one_list_for_each_value_that_its_gradient_reads() -> None:
    assert lists_of(lambda x: tf.gradients(repeat(5, lambda i, y: (tf.tanh(y),), x), x), VECTOR) == (1, 0)
    assert lists_of(lambda x: tf.gradients(repeat(5, lambda i, y: (y + y,), x), x), VECTOR) == (0, 0)
    assert lists_of(lambda x: tf.gradients(repeat(5, lambda i, y: (y * y,), x), x), VECTOR) == (1, 0)


def test_captures_and_constants_are_not_put_into_lists() -> None:
    f = lambda x, w: tf.gradients(repeat(5, lambda i, y: (y * w * 2.0,), x), x)  # noqa: E731  (a function of one line)
    assert lists_of(f, VECTOR, VECTOR) == (0, 0)


def test_a_value_made_of_captures_alone_is_kept_once() -> None:
    f = lambda x, w: tf.gradients(repeat(5, lambda i, y: (y * tf.exp(w),), x), x)  # noqa: E731  (a function of one line)
    assert lists_of(f, VECTOR, VECTOR) == (0, 1)


def test_what_only_an_unneeded_gradient_reads_is_not_kept() -> None:
    body = lambda w: lambda i, y: (tf.matmul(y, w),)  # noqa: E731  (a function of one line)
    by_x = lambda x, w: tf.gradients(repeat(5, body(w), x), x)  # noqa: E731  (a function of one line)
    by_w = lambda x, w: tf.gradients(repeat(5, body(w), x), w)  # noqa: E731  (a function of one line)
    assert lists_of(by_x, MATRIX, MATRIX) == (0, 0)
    assert lists_of(by_w, MATRIX, MATRIX) == (1, 0)


def test_a_variable_that_the_loop_leaves_alone_is_read_once_before_it() -> None:
    v = tf.Variable(tf.ones([3]))

    def f(x: Any) -> Any:
        return tf.gradients(repeat(5, lambda i, y: (y * v,), x), x)

    assert lists_of(f, VECTOR) == (0, 0)


def test_the_value_that_was_read_counts_even_if_the_variable_changes_before_the_gradient() -> None:
    v = tf.Variable(2.0)

    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            (y,) = repeat(3, lambda i, y: (y * v,), x)
        v.assign(100.0)
        return tape.gradient(y, x)

    assert value(f(tf.constant(1.0))) == 8.0


def test_a_variable_that_the_loop_changes_is_kept_for_each_iteration() -> None:
    v = tf.Variable(1.0)

    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        def body(i: Any, y: Any) -> Any:
            found = y * v
            v.assign_add(1.0)
            return (found,)

        (y,) = repeat(3, body, x)
        return y, tf.gradients(y, x)[0]

    assert [value(r) for r in f(tf.constant(2.0))] == [12.0, 6.0]


def test_a_loop_that_does_not_run_needs_no_value_of_its_body() -> None:
    """Nothing of the body is computed outside of it: it may not even be possible."""
    f = tf.function(
        lambda x, y: tf.gradients(repeat(tf.shape(x)[0], lambda i, z: (z * tf.exp(x[0]),), y), y)[0], autograph=False
    )
    spec = tf.TensorSpec([None], tf.float32)
    run = f.get_concrete_function(spec, SCALAR)
    assert value(run(tf.constant([]), tf.constant(3.0))) == 1.0
    np.testing.assert_allclose(value(run(tf.constant([0.5, 0.0]), tf.constant(3.0))), np.exp(1.0), rtol=1e-6)


def test_a_variable_of_the_loop_that_the_gradient_does_not_touch_is_not_carried_back() -> None:
    def f(x: Any, big: Any) -> Any:
        y, _ = repeat(5, lambda i, y, b: (tf.tanh(y), b * tf.reduce_sum(b)), x, big)
        return tf.gradients(y, x)[0]

    graph = tf.function(f, autograph=False).get_concrete_function(VECTOR, MATRIX).graph
    backward = loops(graph)[-1]
    assert all(t.shape.rank != 2 for t in backward.outputs)


def test_gradients_by_other_inputs_later_see_the_same_loop() -> None:
    @tf.function(autograph=False)
    def f(x: Any, w: Any) -> Any:
        (y,) = repeat(3, lambda i, y: (tf.sin(y) * w,), x)
        return tf.gradients(y, x)[0], tf.gradients(y, w)[0], tf.gradients(y, [x, w])

    by_x, by_w, both = f(tf.constant(0.4), tf.constant(1.3))
    np.testing.assert_allclose([value(by_x), value(by_w)], [value(b) for b in both], rtol=1e-6)
    step = 1e-3

    def plain(x: float, w: float) -> float:
        for _ in range(3):
            x = np.sin(x) * w
        return x

    np.testing.assert_allclose(value(by_x), (plain(0.4 + step, 1.3) - plain(0.4 - step, 1.3)) / (2 * step), rtol=1e-3)
    np.testing.assert_allclose(value(by_w), (plain(0.4, 1.3 + step) - plain(0.4, 1.3 - step)) / (2 * step), rtol=1e-3)


def test_values_that_were_kept_are_freed_after_the_gradient() -> None:
    seen: list[Any] = []

    def note(x: Any) -> Any:
        seen.append(weakref.ref(x.numpy()))
        return x.numpy() * 1.0

    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        def body(i: Any, y: Any) -> Any:
            middle = tf.stop_gradient(tf.ensure_shape(tf.py_function(note, [y], tf.float32), [3]))
            return (y * middle,)

        return tf.gradients(repeat(4, body, x), x)[0]

    f(tf.ones([3]))
    gc.collect()
    assert len(seen) == 4 and not [r for r in seen if r() is not None]


def test_the_gradient_of_a_growing_array_takes_a_fixed_number_of_steps_for_each_element(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from millrace._src.engines import tensor_lists as lists  # only this test counts what a version copies

    copied = 0
    own = lists._ListVersion._own

    def counted(self: Any) -> Any:
        nonlocal copied
        copied += 0 if self.items is not None else 1
        return own(self)

    monkeypatch.setattr(lists._ListVersion, "_own", counted)

    @tf.function(autograph=False)
    def f(x: Any, n: Any) -> Any:
        ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        (ta,) = repeat(n, lambda i, ta: (ta.write(i, x * 2.0),), ta)
        return tf.gradients(tf.reduce_sum(ta.stack()), x)[0]

    assert value(f(tf.constant(1.0), tf.constant(50))) == 100.0
    first, copied = copied, 0
    assert value(f(tf.constant(1.0), tf.constant(200))) == 400.0
    assert copied == first <= 5


# --- every order, on both engines -----------------------------------------------------------------------------------

FACTOR = np.float32(1.5)


def counted(x: Any) -> Any:
    return repeat(4, lambda i, y: (y * x,), x)[0]


def bounded(x: Any) -> Any:
    return tf.while_loop(lambda y: y < 20.0, lambda y: (y * x,), (x,), maximum_iterations=6)[0]


def nested(x: Any) -> Any:
    return repeat(3, lambda i, y: repeat(2, lambda j, z: (z * x + y,), y), x)[0]


def nested_three_deep(x: Any) -> Any:
    innermost = lambda y: lambda k, z: (tf.sin(z * x) + y,)  # noqa: E731  (a function of one line)
    inner = lambda j, y: repeat(2, innermost(y), y)  # noqa: E731  (a function of one line)
    return repeat(2, lambda i, y: repeat(2, inner, y), x)[0]


def filled_array(x: Any) -> Any:
    ta = tf.TensorArray(tf.float32, size=4)
    _, ta = repeat(4, lambda i, y, ta: (tf.sin(y * x), ta.write(i, y * y)), x, ta)
    return tf.reduce_sum(ta.stack())


def read_array(x: Any) -> Any:
    ta = tf.TensorArray(tf.float32, size=3).unstack(tf.stack([x, x * x, tf.sin(x)]))
    return repeat(3, lambda i, y: (y * ta.read(i) + x,), x)[0]


def branching(x: Any) -> Any:
    return repeat(4, lambda i, y: (tf.cond(i % 2 == 0, lambda: y * x, lambda: tf.sin(y)),), x)[0]


def invariant(x: Any) -> Any:
    return repeat(4, lambda i, y: (tf.tanh(y * tf.exp(x * 0.1) * FACTOR),), x)[0]


def leaving(x: Any) -> Any:
    """An AutoGraph loop with `break` and `continue`."""
    y = x
    for i in tf.range(6):
        if i == 1:
            continue
        if y > 10.0:
            break
        y = y * x + tf.cast(i, tf.float32)
    return y


def returning(x: Any) -> Any:
    for i in tf.range(5):
        x = x * tf.sin(x) + 1.0
        if i == 3:
            return x * x
    return x


FORMS = [counted, bounded, nested, filled_array, read_array, branching, invariant, leaving, returning]
JIT = [False, pytest.param(True, marks=pytest.mark.xla)]


def eager_derivatives(f: Callable[[Any], Any], x: float, order: int) -> list[float]:
    """The derivatives of the loop run in Python, on the eager tape."""
    f = f if f not in (leaving, returning) else {leaving: _leaving_in_python, returning: _returning_in_python}[f]
    at = tf.constant(x)

    def derivative(level: int) -> Any:
        if not level:
            return f(at)
        with tf.GradientTape() as tape:
            tape.watch(at)
            y = derivative(level - 1)
        return tape.gradient(y, at)

    return [float(derivative(level)) for level in range(order + 1)]


def _leaving_in_python(x: Any) -> Any:
    y = x
    for i in range(6):
        if i == 1:
            continue
        if float(y) > 10.0:
            break
        y = y * x + float(i)
    return y


def _returning_in_python(x: Any) -> Any:
    for i in range(5):
        x = x * tf.sin(x) + 1.0
        if i == 3:
            return x * x
    return x


@pytest.mark.parametrize("jit", JIT)
@pytest.mark.parametrize("form", FORMS, ids=lambda f: f.__name__)
def test_derivatives_up_to_the_third_order(form: Callable[[Any], Any], jit: bool) -> None:
    @tf.function(jit_compile=jit)
    def f(x: Any) -> Any:
        y = form(x)
        found = [y]
        for _ in range(3):
            (y,) = tf.gradients(y, x)
            found.append(y)
        return found

    concrete = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    found = [float(r) for r in concrete(tf.constant(1.3))]
    np.testing.assert_allclose(found, eager_derivatives(form, 1.3, 3), rtol=2e-4)
    assert concrete.tier.name == ("xla" if jit else "numpy"), concrete.tier.reason


@pytest.mark.parametrize("jit", JIT)
def test_derivatives_of_three_loops_inside_each_other(jit: bool) -> None:
    @tf.function(autograph=False, jit_compile=jit)
    def f(x: Any) -> Any:
        y = nested_three_deep(x)
        (first,) = tf.gradients(y, x)
        return y, first, tf.gradients(first, x)[0]

    concrete = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    found = [float(r) for r in concrete(tf.constant(0.7))]
    np.testing.assert_allclose(found, eager_derivatives(nested_three_deep, 0.7, 2), rtol=2e-4)
    assert concrete.tier.name == ("xla" if jit else "numpy"), concrete.tier.reason


@pytest.mark.parametrize("jit", JIT)
def test_lists_of_lists_between_two_compiled_functions_keep_their_dtype(jit: bool) -> None:
    @tf.function(autograph=False, jit_compile=jit)
    def f(x: Any) -> Any:
        return repeat(3, lambda i, y: repeat(i + 1, lambda j, z: (z * x,), y), x)[0]

    x = tf.constant(1e40, tf.float64)  # too large for float32
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert float(tape.gradient(y, x)) == pytest.approx(7e240, rel=1e-12)


@pytest.mark.parametrize("jit", JIT)
def test_gradients_by_variables_that_a_loop_reads(jit: bool) -> None:
    w, b = tf.Variable([[0.5, -0.3], [0.2, 0.8]]), tf.Variable([0.1, -0.2])

    @tf.function(jit_compile=jit)
    def step(x: Any) -> Any:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                state = tf.zeros([1, 2])
                for t in tf.range(4):
                    state = tf.tanh(tf.matmul(x[t], w) + tf.matmul(state, w) + b)
                loss = tf.reduce_sum(tf.square(state))
            first = tape.gradient(loss, [w, b])
        return loss, first, outer.gradient(first[0], w)

    x = tf.reshape(tf.linspace(-1.0, 1.0, 8), [4, 1, 2])
    concrete = step.get_concrete_function(x)
    found = concrete(x)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            state = tf.zeros([1, 2])
            for t in range(4):
                state = tf.tanh(tf.matmul(x[t], w) + tf.matmul(state, w) + b)
            loss = tf.reduce_sum(tf.square(state))
        first = tape.gradient(loss, [w, b])
    expected = loss, first, outer.gradient(first[0], w)
    for a, e in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        np.testing.assert_allclose(value(a), value(e), rtol=1e-4, atol=1e-6)
    assert concrete.tier.name == ("xla" if jit else "numpy"), concrete.tier.reason


@pytest.mark.xla
def test_a_loop_whose_number_of_iterations_only_the_program_knows_stays_on_the_numpy_tier_and_says_so() -> None:
    @tf.function(autograph=False, jit_compile=True)
    def f(x: Any) -> Any:
        y = tf.while_loop(lambda y: y < 20.0, lambda y: (y * x,), (x,))[0]
        return y, tf.gradients(y, x)[0]

    concrete = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    assert [value(r) for r in concrete(tf.constant(2.0))] == [32.0, 80.0]
    assert concrete.tier.name == "numpy"
    assert "XLA leaves the function to NumPy" in concrete.tier.reason
    assert "maximum_iteration" in concrete.tier.reason


@pytest.mark.xla
def test_the_forward_pass_of_such_a_loop_is_compiled() -> None:
    f = tf.function(
        lambda x: tf.while_loop(lambda y: y < 20.0, lambda y: (y * x,), (x,))[0], autograph=False, jit_compile=True
    )
    concrete = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    assert value(concrete(tf.constant(2.0))) == 32.0
    assert concrete.tier == ("xla", "jit_compile is True.")


@pytest.mark.xla
def test_the_functions_that_a_tape_had_made_say_where_they_run() -> None:
    f = tf.function(lambda x: counted(x), autograph=False, jit_compile=True)
    x = tf.constant(1.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_allclose(value(tape.gradient(y, x)), 5 * 1.5**4, rtol=1e-5)
    tiers = f.get_concrete_function(x).tiers()
    assert len(tiers) == 3
    assert {tier.name for tier in tiers.values()} == {"xla"}


@pytest.mark.xla
def test_a_loop_over_an_argument_is_compiled_for_each_of_its_values() -> None:
    @tf.function(autograph=False, jit_compile=True)
    def f(x: Any, n: Any) -> Any:
        return tf.gradients(repeat(n, lambda i, y: (y * x,), x)[0], x)[0]

    spec = tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.int32)
    concrete = f.get_concrete_function(*spec)
    assert [value(concrete(tf.constant(2.0), tf.constant(n))) for n in (0, 1, 2)] == [1.0, 4.0, 12.0]
    assert concrete.tier.name == "xla"


@pytest.mark.xla
def test_a_compiled_function_that_runs_on_the_numpy_tier_warns_of_no_division(recwarn: pytest.WarningsRecorder) -> None:
    @tf.function(jit_compile=True)
    def f(x: Any, n: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(n):
                if y > 1e9:
                    break
                y = tf.math.divide_no_nan(x, y * 0.0)
        return tape.gradient(y, x)

    assert value(f(tf.constant(1.0), tf.constant(2))) == 0.0
    assert not recwarn.list
