"""`tf.custom_gradient` and `tf.grad_pass_through`: eager, in functions, with variables, twice, refusals."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import millrace as tf


def value(x: Any) -> Any:
    return None if x is None else np.asarray(x).tolist()


def graph(f: Any) -> Any:
    return tf.function(f, autograph=False)


both = pytest.mark.parametrize("mode", [pytest.param(lambda f: f, id="eager"), pytest.param(graph, id="graph")])


@tf.custom_gradient
def tripled(x):
    """The identity with a gradient of three."""

    def grad(dy):
        return 3.0 * dy

    return x * 1.0, grad


@both
def test_the_given_gradient_is_used(mode: Any) -> None:
    f = mode(lambda x: tripled(x * x))
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert value(y) == 4.0
    assert value(tape.gradient(y, x)) == 12.0


def test_it_is_used_by_a_tape_and_by_tf_gradients_inside_a_function() -> None:
    @graph
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tripled(x) * x
        return tape.gradient(y, x), tf.gradients(tripled(x) * x, x)[0]

    assert [value(g) for g in f(tf.constant(2.0))] == [8.0, 8.0]


@both
def test_several_arguments_and_results(mode: Any) -> None:
    @tf.custom_gradient
    def f(a, b):
        def grad(dsum, dproduct):
            return dsum * 10.0 + dproduct * b, dsum * 100.0 + dproduct * a

        return (a + b, a * b), grad

    a, b = tf.constant(2.0), tf.constant(3.0)
    g = mode(lambda a, b: f(a, b))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        total, product = g(a, b)
    assert [value(x) for x in tape.gradient(total, [a, b])] == [10.0, 100.0]
    assert [value(x) for x in tape.gradient([total, product], [a, b])] == [13.0, 102.0]


@both
def test_variables_get_their_gradients_from_the_same_function(mode: Any) -> None:
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            return dy * v, [dy * x * 7.0 for _ in variables]

        return x * v, grad

    x = tf.constant(3.0)
    g = mode(lambda x: f(x))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = g(x)
    assert value(y) == 6.0
    assert [value(d) for d in tape.gradient(y, [x, v])] == [2.0, 21.0]


@both
@pytest.mark.parametrize("size", [1, 300])
def test_the_gradient_function_may_use_what_the_function_does_not(mode: Any, size: int) -> None:
    v, c = tf.Variable(5.0), tf.ones([size]) * 2.0

    @tf.custom_gradient
    def f(x):
        return x + 1.0, lambda dy: dy * v * tf.reduce_max(c)

    def loop(x):
        return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, f(y)), (tf.constant(0), x))[1]

    for g, expected in ((mode(lambda x: f(x)), 10.0), (mode(loop), 100.0)):
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = g(x)
        assert value(tape.gradient(y, x)) == expected
        v.assign(50.0)
        assert value(tape.gradient(y, x)) == expected * (10.0 if expected == 10.0 else 100.0)
        v.assign(5.0)


def test_variables_without_a_parameter_for_them_raise() -> None:
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        return x * v, lambda dy: dy

    x = tf.constant(1.0)
    with tf.GradientTape() as tape, pytest.raises(TypeError, match="must accept keyword argument 'variables'"):
        tape.watch(x)
        f(x)


def test_second_derivatives_go_through_the_gradient_function() -> None:
    @tf.custom_gradient
    def cube(x):
        return x**3.0, lambda dy: dy * 3.0 * x * x

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cube(x)
        first = inner.gradient(y, x)
    assert value(first) == 12.0
    assert value(outer.gradient(first, x)) == 12.0


@both
def test_it_works_in_a_branch_and_in_a_loop(mode: Any) -> None:
    def f(x):
        y = tf.cond(x > 0.0, lambda: tripled(x), lambda: x)
        return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, tripled(y) * 2.0), (tf.constant(0), y))[1]

    g = mode(f)
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = g(x)
    assert value(y) == 4.0
    assert value(tape.gradient(y, x)) == 108.0


def test_a_wrong_number_of_gradients_raises() -> None:
    @tf.custom_gradient
    def f(a, b):
        return a + b, lambda dy: dy

    a, b = tf.constant(1.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = f(a, b)
    with pytest.raises(ValueError):
        tape.gradient(y, a)


def test_none_as_a_gradient_cuts_the_path() -> None:
    @tf.custom_gradient
    def f(a, b):
        return a * b, lambda dy: (dy * b, None)

    a, b = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = f(a, b)
    assert [value(g) for g in tape.gradient(y, [a, b])] == [3.0, None]


def test_keyword_arguments_in_eager_mode_only() -> None:
    @tf.custom_gradient
    def f(x, scale=2.0):
        return x * scale, lambda dy: dy * 5.0

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, scale=3.0)
    assert (value(y), value(tape.gradient(y, x))) == (3.0, 5.0)
    with pytest.raises(ValueError, match="keywords arguments only when eager"):
        graph(lambda x: f(x, scale=3.0))(x)


def test_gradients_may_be_numbers_and_arrays() -> None:
    f = tf.custom_gradient(lambda a, b: (a * b, lambda dy: (5.0, np.float32(6.0))))
    a, b = tf.constant(1.0), tf.constant(2.0)
    for g in (f, graph(lambda a, b: f(a, b))):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            y = g(a, b) + a
        assert [value(d) for d in tape.gradient(y, [a, b])] == [6.0, 6.0]


def test_a_callable_object_may_be_decorated_and_used_in_a_graph() -> None:
    class Scale:
        by = 2.0

        def __call__(self, x):
            return x * self.by, lambda dy: dy * 10.0

    f = tf.custom_gradient(Scale())
    for g in (f, graph(lambda x: f(x))):
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = g(x)
        assert (value(y), value(tape.gradient(y, x))) == (6.0, 10.0)


@pytest.mark.xla
def test_a_gradient_function_in_a_branch_may_use_tensors_around_the_branch() -> None:
    v = tf.Variable(2.0)

    def f(x):
        scale = x * 3.0

        @tf.custom_gradient
        def g(y):
            return y * 1.0, lambda dy: dy * scale * v

        y = tf.cond(x > 0.0, lambda: g(x), lambda: x)
        y = tf.switch_case(tf.constant(1), [lambda: y, lambda: g(y)])
        return tf.while_loop(lambda i, y: i < 1, lambda i, y: (i + 1, g(y)), (tf.constant(0), y))[1]

    x = tf.constant(2.0)
    for g in (graph(f), graph(lambda x: graph(f)(x)), tf.function(f, jit_compile=True, autograph=False)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = g(x)
        assert value(tape.gradient(y, x)) == 12.0**3

    @graph
    def twice(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            first = inner.gradient(y, x)
        return first, outer.gradient(first, x)

    assert [value(g) for g in twice(x)] == [12.0**3, 3 * 12.0**2 * 6.0]


def test_variables_of_a_function_inside_are_variables_of_the_function() -> None:
    v = tf.Variable(2.0)
    inner = tf.function(lambda x: x * v)

    @tf.custom_gradient
    def f(x):
        return inner(x), lambda dy, variables=None: (dy, [dy * 7.0 for _ in variables])

    x = tf.constant(3.0)
    for g in (f, graph(lambda x: f(x))):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = g(x)
        assert [value(d) for d in tape.gradient(y, [x, v])] == [1.0, 7.0]


def test_an_argument_may_be_indexed_slices_and_a_result_becomes_dense() -> None:
    @tf.custom_gradient
    def f(slices):
        return slices, lambda dy: (tf.gather(dy, slices.indices) * 3.0, None, None)

    values = tf.constant([[1.0, 2.0]])
    for g in (lambda h: h, graph):
        with tf.GradientTape() as tape:
            tape.watch(values)
            y = g(lambda v: f(tf.IndexedSlices(v, tf.constant([1]), tf.constant([3, 2]))))(values)
        assert value(y) == [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
        assert value(tape.gradient(y, values)) == [[3.0, 3.0]]


def test_the_decorated_function_keeps_its_name_and_docstring() -> None:
    assert tripled.__name__ == "tripled"
    assert tripled.__doc__ == "The identity with a gradient of three."


def test_without_a_tape_the_gradient_function_is_never_called() -> None:
    @tf.custom_gradient
    def f(x):
        def grad(dy):
            raise AssertionError

        return x + 1.0, grad

    assert value(f(tf.constant(1.0))) == 2.0


def test_an_error_in_the_gradient_function_reaches_the_caller() -> None:
    @tf.custom_gradient
    def f(x):
        def grad(dy):
            raise KeyError("mine")

        return x + 1.0, grad

    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = f(x * 1.0)
    with pytest.raises(KeyError, match="mine"):
        tape.gradient(y, x)


@both
def test_grad_pass_through(mode: Any) -> None:
    f = mode(lambda x: tf.grad_pass_through(tf.round)(x * 2.0))
    x = tf.constant([1.3, 1.4])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert value(y) == [3.0, 3.0]
    assert value(tape.gradient(y, x)) == [2.0, 2.0]


def test_one_kind_of_decoration_around_another_keeps_both_rules() -> None:
    x = tf.constant(2.0)
    for f, expected in (
        (tf.grad_pass_through(tf.recompute_grad(lambda x: x * x)), 1.0),
        (tf.grad_pass_through(tripled), 1.0),
        (tf.recompute_grad(tripled), 3.0),
        (tf.recompute_grad(tf.function(lambda x: x * x)), 4.0),
        (tf.recompute_grad(tf.recompute_grad(lambda x: x * x)), 4.0),
    ):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert value(tape.gradient(y, x)) == expected


@both
def test_stop_gradient_and_recompute_do_not_change_values(mode: Any) -> None:
    f = mode(lambda x: tf.stop_gradient(x) * x)
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert (value(y), value(tape.gradient(y, x))) == (9.0, 3.0)


@pytest.mark.parametrize("reads", [False, True])
def test_a_variable_that_a_branch_reads_in_a_custom_gradient_has_its_gradient_once(reads: bool) -> None:
    w = tf.Variable([0.5, 0.6])

    @tf.custom_gradient
    def scaled(x: Any) -> Any:
        return x * w, lambda dy, variables: (dy * w, [dy * x for _ in variables])

    @tf.function
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.cond(x[0] > 0.0, lambda: scaled(x) * (w if reads else 1.0), lambda: x)
        return tape.gradient(y, w)

    x = tf.constant([0.3, 0.7])
    np.testing.assert_allclose(tf.convert_to_tensor(f(x)), 2 * x * w if reads else x, rtol=1e-6)


def test_an_argument_may_be_a_variable_that_casts_when_it_is_read() -> None:
    class Casting(tf.__internal__.types.Tensor):
        """A variable as Keras has one in mixed precision: what is read has no handle."""

        _should_act_as_resource_variable = True
        dtype, trainable = tf.float16, True

        def __init__(self) -> None:
            self.variable = tf.Variable([1.0, 2.0])

        @property
        def handle(self) -> Any:
            raise AttributeError("'EagerTensor' object has no attribute 'handle'")

        def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
            return tf.cast(self.variable, self.dtype)

    @tf.custom_gradient
    def scaled(x: Any, scale: Any) -> Any:
        return x * 2, lambda dy: (dy, dy * 3)

    scale = Casting()
    with tf.GradientTape() as tape:
        y = scaled(tf.constant([1.0, 1.0], tf.float16), scale)
    gradient = tape.gradient(y, scale.variable)
    assert gradient.dtype is tf.float32 and gradient.numpy().tolist() == [3.0, 3.0]


@pytest.mark.parametrize("decorate", [tf.custom_gradient, tf.recompute_grad, tf.grad_pass_through])
def test_inspect_reads_the_signature_of_the_decorated_function(decorate: Any) -> None:
    def scaled(x: Any, factor: float = 2.0) -> Any:
        return x * factor, lambda dy: (dy, None)

    decorated = decorate(scaled)
    assert inspect.signature(decorated) == inspect.signature(scaled)
    assert inspect.getfullargspec(decorated).args == ["x", "factor"]
    assert "args" in inspect.signature(type(decorated).__call__).parameters


def test_inspect_reads_the_signature_of_a_decorated_method_without_self() -> None:
    class Scale:
        @tf.custom_gradient
        def apply(self, x: Any) -> Any:
            return x, lambda dy: dy

    assert list(inspect.signature(Scale().apply).parameters) == ["x"]
