"""`tf.autodiff.ForwardAccumulator`: what real TensorFlow 2.21 gives; derivatives that agree with tapes and numbers."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import millrace as tf

Accumulator = tf.autodiff.ForwardAccumulator


def value(x: Any) -> Any:
    return None if x is None else np.asarray(x).tolist()


def jvp(f: Callable[[Any], Any], x: Any, v: Any) -> Any:
    with Accumulator(x, v) as acc:
        y = f(x)
    return acc.jvp(y)


X = tf.constant(3.0)
ONE = tf.constant(1.0)

# --- primals and tangents --------------------------------------------------------------------------------------------


def test_a_tangent_is_the_derivative_along_a_direction() -> None:
    assert value(jvp(lambda x: x * x * x, X, tf.constant(2.0))) == 54.0


def test_structures_of_primals_tangents_and_results_are_kept() -> None:
    a, b = tf.constant(2.0), tf.constant([1.0, 3.0])
    with Accumulator({"a": a, "b": [b]}, {"a": tf.constant(1.0), "b": [tf.constant([0.0, 1.0])]}) as acc:
        y = {"product": a * b, "sum": (a + 1.0,)}
    found = acc.jvp(y)
    assert value(found["product"]) == [1.0, 5.0]
    assert value(found["sum"][0]) == 1.0
    assert value(acc.jvp({"a": a})["a"]) == 1.0
    assert acc.jvp([]) == []


def test_python_numbers_serve_as_tangents() -> None:
    assert value(jvp(lambda x: x * x, X, 1)) == 6.0


def test_a_primal_has_its_tangent_before_anything_ran() -> None:
    assert value(Accumulator(X, ONE).jvp(X)) == 1.0


def test_a_primal_that_occurs_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="was specified as a primal multiple times"):
        Accumulator([X, X], [ONE, ONE])


def test_structures_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="The two structures don't have the same nested structure"):
        Accumulator([X], [ONE, ONE])
    with pytest.raises(TypeError, match="The two structures don't have the same nested structure"):
        Accumulator([X], (ONE,))


def test_a_tangent_of_another_dtype_is_refused() -> None:
    with pytest.raises(ValueError, match="Tensor conversion requested dtype float32 for Tensor with dtype float64"):
        Accumulator(X, tf.constant(1.0, tf.float64))


def test_a_tangent_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="must have the shape of its primal"):
        Accumulator(X, tf.constant([1.0, 2.0]))


def test_a_primal_that_is_no_tensor_is_refused() -> None:
    with pytest.raises(AttributeError, match="'float' object has no attribute 'dtype'"):
        Accumulator(3.0, 1.0)


def test_an_integer_primal_is_warned_of_and_passes_no_tangent_on(caplog: pytest.LogCaptureFixture) -> None:
    i = tf.constant(3)
    logger = tf.get_logger()
    logger.addHandler(caplog.handler)
    try:
        with Accumulator(i, tf.constant(1)) as acc:
            y, z = i * i, tf.cast(i, tf.float32) * 2.0
    finally:
        logger.removeHandler(caplog.handler)
    assert "The dtype of the watched primal must be floating" in caplog.text
    assert value(acc.jvp(i)) == 1
    assert acc.jvp([y, z]) == [None, None]


def test_a_complex_primal_gives_complex_tangents() -> None:
    c = tf.constant(1.0 + 2.0j)
    with Accumulator(c, tf.constant(1.0 + 0.0j)) as acc:
        square, real, modulus, conjugate = c * c, tf.math.real(c), tf.abs(c), tf.math.conj(c)
    assert value(acc.jvp(square)) == 2.0 + 4.0j
    assert value(acc.jvp(real)) == 1.0
    np.testing.assert_allclose(value(acc.jvp(modulus)), 1 / np.sqrt(5))
    assert value(acc.jvp(conjugate)) == 1.0


def test_a_variable_carries_its_tangent_through_assignments() -> None:
    w = tf.Variable(2.0)
    with Accumulator(w, 1.0) as acc:
        before, read = w * w, w.read_value()
        w.assign(5.0)
        after = w * w
    assert [value(acc.jvp(t)) for t in (before, read, after, w)] == [4.0, 1.0, 10.0, 1.0]


def test_what_is_assigned_to_a_variable_leaves_no_tangent_in_it() -> None:
    w = tf.Variable(0.0)
    with Accumulator(X, ONE) as acc:
        w.assign(X * X)
        y = w * w
    assert acc.jvp([y, w]) == [None, None]
    assert value(acc.jvp(w, unconnected_gradients=tf.UnconnectedGradients.ZERO)) == 0.0


def test_slices_of_a_gradient_keep_their_form() -> None:
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with Accumulator(table, tf.ones([3, 2])) as acc:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, [0, 2, 2]) ** 3)
        gradient = tape.gradient(y, table)
    found = acc.jvp(gradient)
    assert isinstance(found, tf.IndexedSlices)
    assert value(found.indices) == [0, 2, 2]
    assert value(found.values) == [[6.0, 12.0], [30.0, 36.0], [30.0, 36.0]]


# --- results ---------------------------------------------------------------------------------------------------------


def test_an_unconnected_result_has_no_tangent_or_zeros() -> None:
    acc = Accumulator(X, ONE)
    others = [tf.constant(1.0), tf.constant([2, 3])]
    assert acc.jvp(others) == [None, None]
    zeros = acc.jvp(others, unconnected_gradients="zero")
    assert [value(z) for z in zeros] == [0.0, [0, 0]]
    assert [z.dtype for z in zeros] == [tf.float32, tf.int32]


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="'foo' is not a valid UnconnectedGradients"):
        Accumulator(X, ONE).jvp(X, unconnected_gradients="foo")


@pytest.mark.parametrize("thing", [None, 1.0, "a"])
def test_the_tangent_of_what_is_no_tensor_is_refused(thing: Any) -> None:
    with pytest.raises(AttributeError, match="object has no attribute '_id'"):
        Accumulator(X, ONE).jvp(thing)


def test_ops_without_a_derivative_end_the_tangents() -> None:
    with Accumulator(X, tf.constant(5.0)) as acc:
        y = tf.stop_gradient(X) * X
        ends = [tf.round(X), tf.sign(X), tf.shape(X), tf.cast(X, tf.int32), tf.zeros_like(X), tf.argmax([X, X])]
    assert value(acc.jvp(y)) == 15.0
    assert acc.jvp(ends) == [None] * len(ends)


# --- the scope -------------------------------------------------------------------------------------------------------


def test_an_accumulator_may_be_entered_again_and_goes_on() -> None:
    acc = Accumulator(X, ONE)
    with acc:
        y = X * X
    with acc:
        z = X * y
    assert [value(t) for t in acc.jvp([y, z])] == [6.0, 27.0]


def test_entering_twice_at_a_time_is_refused() -> None:
    acc = Accumulator(X, ONE)
    with acc, pytest.raises(ValueError, match="Accumulator is already recording"):
        acc.__enter__()


def test_leaving_without_entering_is_refused_or_nothing() -> None:
    acc = Accumulator(X, ONE)
    acc.__exit__(None, None, None)
    with pytest.raises(ValueError, match="Accumulator is not recording"):
        acc._pop_accumulator()


def test_pushing_and_popping_is_the_scope_by_hand() -> None:
    acc = Accumulator(X, ONE)
    acc._push_accumulator()
    y = X * X
    acc._pop_accumulator()
    assert [value(t) for t in acc.jvp([y, y * y])] == [6.0, None]


def test_watching_adds_primals_as_it_goes() -> None:
    with Accumulator(X, ONE) as acc:
        y = tf.constant(4.0)
        acc._watch(y, tf.constant(10.0))
        z = X * y
    assert value(acc.jvp(z)) == 34.0


def test_tangents_go_with_their_tensors() -> None:
    with Accumulator(X, ONE) as acc:
        y = X * X
        tangent = weakref.ref(acc.jvp(y))
        z = y * y
        del y
        gc.collect()
        assert tangent() is None
    assert value(acc.jvp(z)) == 108.0


# --- order -----------------------------------------------------------------------------------------------------------


def test_an_outer_accumulator_sees_the_tangents_of_an_inner_one_and_not_the_other_way_round() -> None:
    with Accumulator(X, ONE) as outer:
        with Accumulator(X, tf.constant(2.0)) as inner:
            y = X * X * X
    assert value(outer.jvp(inner.jvp(y))) == 36.0
    assert inner.jvp(outer.jvp(y)) is None


def test_an_inner_tape_does_not_see_the_tangents_of_an_outer_accumulator() -> None:
    with Accumulator(X, ONE) as acc:
        with tf.GradientTape() as tape:
            tape.watch(X)
            d = acc.jvp(X * X * X)
        assert tape.gradient(d, X) is None


def test_a_tangent_of_an_intermediate_value_counts_from_there() -> None:
    with Accumulator(X, ONE) as outer:
        y = X * X
        with Accumulator(y, ONE) as inner:
            z = y * y
    assert value(inner.jvp(z)) == 18.0
    assert value(outer.jvp(inner.jvp(z))) == 12.0


def test_the_second_tangent_of_a_linear_function_is_zeros_and_of_another_value_nothing() -> None:
    other = tf.constant(2.0)
    for f in (lambda x: 2.0 * tf.reshape(x, [1]) + 1.0, tf.function(lambda x: tf.reshape(x, [1]) * 2.0)):
        with Accumulator(X, ONE) as outer:
            with Accumulator([X, other], [ONE, ONE]) as inner:
                y, z = f(X), other * 2.0
        assert value(outer.jvp(inner.jvp(y))) == [0.0]
        assert outer.jvp(inner.jvp(z)) is None


def test_five_accumulators_give_the_fifth_derivative() -> None:
    def derivative(order: int, x: Any) -> Any:
        if not order:
            return x**6.0
        with Accumulator(x, tf.ones_like(x)) as acc:
            y = derivative(order - 1, x)
        return acc.jvp(y)

    assert value(derivative(5, tf.constant(2.0, tf.float64))) == 720.0 * 2.0
    assert value(tf.function(lambda x: derivative(5, x))(tf.constant(2.0, tf.float64))) == 720.0 * 2.0


# --- functions, custom gradients, Python -----------------------------------------------------------------------------


def test_an_accumulator_around_the_call_of_a_function() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return x * x, tf.constant(2.0), 3, None

    with Accumulator(X, tf.constant(5.0)) as acc:
        y = f(X)
    assert [value(t) for t in acc.jvp(list(y[:2]))] == [30.0, None]


def test_inside_of_a_function_an_outer_accumulator_knows_nothing() -> None:
    holder: list[Any] = []
    f = tf.function(lambda x: holder[0].jvp(x * x))
    with Accumulator(X, ONE) as acc:
        holder.append(acc)
        assert f(X) is None


def test_a_function_with_an_effect_has_it_once() -> None:
    count = tf.Variable(0.0)

    @tf.function
    def f(x: Any) -> Any:
        count.assign_add(1.0)
        return x * x * count

    with Accumulator(X, ONE) as acc:
        y = f(X)
    assert (value(count), value(acc.jvp(y))) == (1.0, 6.0)


def test_a_function_reads_variables_that_have_tangents() -> None:
    w = tf.Variable([1.0, 2.0])
    f = tf.function(lambda x: x * w * w)
    with Accumulator([X, w], [ONE, tf.constant([1.0, 0.0])]) as acc:
        y = f(X)
    assert value(acc.jvp(y)) == [7.0, 4.0]


@pytest.mark.xla
def test_a_loop_of_unknown_length_is_compiled_with_its_tangents() -> None:
    def power(x: Any) -> Any:
        return tf.while_loop(lambda y: y < 100.0, lambda y: [y * x], [x])[0]

    around = tf.function(power, jit_compile=True)
    inside = tf.function(lambda x, v: jvp(power, x, v), jit_compile=True)
    assert value(jvp(around, X, tf.constant(5.0))) == 2025.0
    assert value(inside(X, tf.constant(5.0))) == 2025.0


def test_a_python_function_as_op_is_differentiated_by_its_tape() -> None:
    def f(x: Any) -> Any:
        return tf.py_function(lambda t: t * t * t, [x], tf.float32)

    for g in (f, tf.function(f)):
        assert value(jvp(g, X, ONE)) == 27.0
        with Accumulator(X, ONE) as acc:
            with tf.GradientTape() as tape:
                tape.watch(X)
                y = g(X)
            gradient = tape.gradient(y, X)
        assert value(acc.jvp(gradient)) == 18.0


def test_a_numpy_function_ends_the_tangents() -> None:
    assert jvp(lambda x: tf.numpy_function(lambda t: t * t, [x], tf.float32), X, ONE) is None


@tf.custom_gradient
def twice(x: Any) -> Any:
    return x * 2.0, lambda dy: dy * 10.0 * x


def test_a_call_of_a_function_with_a_custom_gradient_follows_that_gradient() -> None:
    assert value(jvp(tf.function(twice), X, tf.constant(5.0))) == 150.0


def test_a_custom_gradient_that_an_accumulator_sees_run_is_not_asked_as_in_tensorflow() -> None:
    assert value(jvp(twice, X, tf.constant(5.0))) == 10.0
    assert value(tf.function(lambda x: jvp(twice, x, tf.constant(5.0)))(X)) == 10.0


def test_a_custom_gradient_counts_where_the_function_itself_has_none() -> None:
    through = tf.grad_pass_through(tf.round)
    assert value(jvp(through, X, tf.constant(5.0))) == 5.0
    assert value(jvp(tf.function(lambda x: through(x)), X, tf.constant(5.0))) == 5.0

    @tf.custom_gradient
    def sine(x: Any) -> Any:
        return tf.constant(np.sin(x.numpy())), lambda dy: dy * tf.cos(x)

    with Accumulator(X, ONE) as outer:
        with Accumulator(X, ONE) as inner:
            y = sine(X)
        first = inner.jvp(y)
    np.testing.assert_allclose([first, outer.jvp(first)], [np.cos(3.0), -np.sin(3.0)], rtol=1e-6)


def test_a_recomputed_function_has_tangents_of_any_order() -> None:
    cube = tf.recompute_grad(lambda x: x * x * x)
    assert value(jvp(cube, X, ONE)) == 27.0
    with Accumulator(X, ONE) as acc:
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = cube(X)
        gradient = tape.gradient(y, X)
    assert value(acc.jvp(gradient)) == 18.0


# --- random programs -------------------------------------------------------------------------------------------------

UNARY = (tf.sin, tf.tanh, tf.exp, tf.sigmoid, tf.nn.softmax, tf.cumsum, tf.square, tf.math.softplus, lambda x: x[::-1])
UNARY += (lambda x: tf.reshape(tf.matmul(tf.reshape(x, [2, 2]), tf.reshape(x, [2, 2]), transpose_b=True), [4]),)
UNARY += (lambda x: tf.gather(x, [3, 0, 0, 2]), lambda x: tf.concat([x[1:], x[:1]], 0), lambda x: x / (2.0 + x * x))
UNARY += (lambda x: tf.where(x > 0.3, x * x, tf.cos(x)), lambda x: x - tf.reduce_mean(x), lambda x: tf.sort(x))
BINARY = (tf.add, tf.multiply, tf.subtract, tf.maximum, lambda a, b: a / (3.0 + b * b), tf.math.atan2)
BINARY += (lambda a, b: tf.linalg.matvec(tf.tensordot(a, b, 0), a) / 4.0, lambda a, b: tf.stack([a, b])[1])


def branch(x: Any, y: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) > 1.0, lambda: x * y, lambda: tf.sin(x) + y)


def loop(x: Any, y: Any) -> Any:
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, tf.tanh(a * y) + x], [0, x], maximum_iterations=4)[1]


def mapped(x: Any, y: Any) -> Any:
    return tf.map_fn(lambda pair: pair[0] * tf.sin(pair[1]), (x, y), fn_output_signature=tf.float64)


def scanned(x: Any, y: Any) -> Any:
    return tf.scan(lambda c, t: tf.sin(c) * t, x) + y


STEPS = (*[lambda x, y, f=f: f(x) for f in UNARY], *BINARY, branch, loop, mapped, scanned)
programs = st.lists(
    st.tuples(st.integers(0, len(STEPS) - 1), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6
)
vectors = st.lists(st.integers(-15, 15), min_size=4, max_size=4, unique=True).map(
    lambda v: np.array(v) / 11.0 + np.array([0.013, 0.027, -0.011, 0.005])
)


def made(steps: list[tuple[int, int, int]]) -> Callable[[Any], Any]:
    """The program as a function from a vector to a vector: each step takes two of the values there are."""

    def run(x: Any) -> Any:
        values = [x, x * 0.5]
        for step, first, second in steps:
            values.append(STEPS[step](values[first % len(values)], values[second % len(values)]))
        return values[-1]

    return run


@hypothesis.settings(max_examples=60, deadline=None)
@hypothesis.given(programs, vectors, vectors)
def test_tangents_of_random_programs_agree_with_tapes_and_numbers(steps: Any, x0: Any, v0: Any) -> None:
    f, x, v = made(steps), tf.constant(x0), tf.constant(v0)
    weights = tf.constant([1.0, -2.0, 0.5, 3.0], tf.float64)
    found = jvp(f, x, v).numpy()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(f(x) * weights)
    gradient = tf.convert_to_tensor(tape.gradient(y, x)).numpy()
    np.testing.assert_allclose(found @ weights.numpy(), gradient @ v0, rtol=1e-9, atol=1e-12)
    numeric = (f(tf.constant(x0 + 1e-6 * v0)).numpy() - f(tf.constant(x0 - 1e-6 * v0)).numpy()) / 2e-6
    hypothesis.assume(np.abs(numeric - found).max() < 0.1 * (1 + np.abs(found).max()) or is_smooth(f, x0, v0))
    np.testing.assert_allclose(numeric, found, rtol=1e-4, atol=1e-5)


def is_smooth(f: Callable[[Any], Any], x0: Any, v0: Any) -> bool:
    """Whether no kink (a maximum, a sort, a branch) lies within the step: one-sided differences agree."""
    here, ahead, behind = (f(tf.constant(x0 + s * 1e-6 * v0)).numpy() for s in (0, 1, -1))
    return bool(np.allclose(ahead - here, here - behind, rtol=1e-3, atol=1e-9))


@hypothesis.settings(max_examples=15, deadline=None)
@hypothesis.given(programs, vectors, vectors)
@pytest.mark.parametrize("jit_compile", [None, pytest.param(True, marks=pytest.mark.xla)])
def test_random_programs_as_graphs_give_the_eager_tangents(jit_compile: Any, steps: Any, x0: Any, v0: Any) -> None:
    f, x, v = made(steps), tf.constant(x0), tf.constant(v0)
    expected = jvp(f, x, v).numpy()
    inside = tf.function(lambda x, v: jvp(f, x, v), jit_compile=jit_compile)(x, v)
    around = jvp(tf.function(f, jit_compile=jit_compile), x, v)
    np.testing.assert_allclose(inside.numpy(), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(around.numpy(), expected, rtol=1e-9, atol=1e-12)


@hypothesis.settings(max_examples=15, deadline=None)
@hypothesis.given(programs, vectors, vectors)
@pytest.mark.parametrize("as_function", [False, True])
def test_hessian_vector_products_of_random_programs_agree(as_function: bool, steps: Any, x0: Any, v0: Any) -> None:
    program = made(steps)

    def f(x: Any) -> Any:
        return tf.reduce_sum(program(x) ** 2)

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tf.convert_to_tensor(tape.gradient(y, x))

    def reverse_over_reverse(x: Any, v: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(gradient(x) * v)
        return tf.convert_to_tensor(tape.gradient(y, x, unconnected_gradients="zero"))

    def forward_over_reverse(x: Any, v: Any) -> Any:
        with Accumulator(x, v) as acc:
            g = gradient(x)
        return acc.jvp(g, unconnected_gradients="zero")

    def reverse_over_forward(x: Any, v: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = jvp(f, x, v)
        return tf.convert_to_tensor(tape.gradient(y, x, unconnected_gradients="zero"))

    def forward_over_forward(x: Any, v: Any) -> Any:
        return jvp(lambda x: jvp(f, x, v), x, v)

    x, v = tf.constant(x0), tf.constant(v0)
    expected = reverse_over_reverse(x, v).numpy()
    for product in (forward_over_reverse, reverse_over_forward):
        call = tf.function(product) if as_function else product
        np.testing.assert_allclose(call(x, v).numpy(), expected, rtol=1e-7, atol=1e-9)
    call = tf.function(forward_over_forward) if as_function else forward_over_forward
    found = call(x, v)
    np.testing.assert_allclose(0.0 if found is None else found.numpy(), expected @ v0, rtol=1e-7, atol=1e-9)
