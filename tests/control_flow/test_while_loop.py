"""`tf.while_loop`: iterations, invariants, effects, gradients of every order, refusals."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.control_flow.while_loop import iteration_bound
from tests.contracts.sample import GradientProgram


def value(x: Any) -> Any:
    return None if x is None else np.asarray(x).tolist()


def graph(f: Any, **kwargs: Any) -> Any:
    return tf.function(f, autograph=False, **kwargs)


MODES = [pytest.param(lambda f: f, id="eager"), pytest.param(graph, id="graph")]
both = pytest.mark.parametrize("mode", MODES)


@both
@pytest.mark.parametrize("n", [0, 1, 5])
def test_the_body_runs_while_the_condition_holds(mode: Any, n: int) -> None:
    f = mode(lambda n: tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), (tf.constant(0), tf.constant(0))))
    assert [value(x) for x in f(tf.constant(n))] == [n, sum(range(n))]


@both
def test_the_result_has_the_structure_of_the_loop_variables(mode: Any) -> None:
    f = mode(
        lambda x: tf.while_loop(
            lambda i, d: i < 3,
            lambda i, d: [i + 1, {"a": d["a"] * 2.0, "b": (d["b"][0] + 1.0,)}],
            [0, {"a": x, "b": (x,)}],
        )
    )
    i, d = f(tf.constant(1.0))
    assert (value(i), value(d["a"]), value(d["b"][0])) == (3, 8.0, 4.0)


@both
def test_a_single_loop_variable_comes_back_in_a_list(mode: Any) -> None:
    f = mode(lambda: tf.while_loop(lambda i: i < 10, lambda i: [i * 2], [tf.constant(1)]))
    result = f()
    assert isinstance(result, (list, tuple))
    assert value(result[0]) == 16


@both
def test_maximum_iterations_bounds_the_loop(mode: Any) -> None:
    f = mode(lambda n: tf.while_loop(lambda i: True, lambda i: (i + 1,), (tf.constant(0),), maximum_iterations=n))
    if mode is not graph:
        assert value(f(4)[0]) == 4
    g = mode(lambda: tf.while_loop(lambda i: i < 100, lambda i: (i + 1,), (tf.constant(0),), maximum_iterations=7))
    assert value(g()[0]) == 7
    h = mode(lambda n: tf.while_loop(lambda i: i < 100, lambda i: (i + 1,), (tf.constant(0),), maximum_iterations=n))
    assert value(h(tf.constant(3))[0]) == 3


@both
def test_nested_loops(mode: Any) -> None:
    def body(i, s):
        _, t = tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + i * j), (0, s))
        return i + 1, t

    f = mode(lambda n: tf.while_loop(lambda i, s: i < n, body, (tf.constant(0), tf.constant(0)))[1])
    assert value(f(tf.constant(5))) == sum(i * j for i in range(5) for j in range(i))


@both
def test_variables_change_in_every_iteration(mode: Any) -> None:
    v = tf.Variable(1.0)

    def body(i):
        v.assign(v * 2.0)
        return (i + 1,)

    f = mode(lambda n: tf.while_loop(lambda i: i < n, body, (tf.constant(0),)))
    f(tf.constant(5))
    assert value(v) == 32.0


def test_a_loop_reads_a_variable_that_it_changes() -> None:
    v = tf.Variable(1.0)

    @graph
    def f():
        def body(x):
            v.assign_add(x)
            return (v.read_value(),)

        return tf.while_loop(lambda x: v < 20.0, body, (tf.constant(1.0),))[0], v.read_value()

    assert [value(x) for x in f()] == [32.0, 32.0]


def test_shape_invariants_allow_a_growing_tensor() -> None:
    @graph
    def f(n):
        return tf.while_loop(
            lambda i, x: i < n,
            lambda i, x: (i + 1, tf.concat([x, [i]], 0)),
            (tf.constant(0), tf.constant([], tf.int32)),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
        )[1]

    assert value(f(tf.constant(4))) == [0, 1, 2, 3]


def test_a_shape_that_changes_without_an_invariant_raises() -> None:
    f = graph(lambda x: tf.while_loop(lambda x: True, lambda x: (tf.concat([x, x], 0),), (x,), maximum_iterations=2))
    with pytest.raises(ValueError, match="shape"):
        f(tf.constant([1.0]))


def test_an_invariant_that_contradicts_the_first_value_raises() -> None:
    """TensorFlow lets it pass."""
    f = graph(
        lambda x: tf.while_loop(
            lambda x: True, lambda x: (x,), (x,), shape_invariants=(tf.TensorShape([5]),), maximum_iterations=2
        )
    )
    with pytest.raises(ValueError, match="shape invariant"):
        f(tf.constant([1.0]))


def test_a_dtype_that_changes_raises() -> None:
    f = graph(lambda x: tf.while_loop(lambda x: True, lambda x: (tf.cast(x, tf.int32),), (x,), maximum_iterations=2))
    with pytest.raises((TypeError, ValueError)):
        f(tf.constant(1.0))


@both
def test_a_structure_that_changes_raises(mode: Any) -> None:
    f = mode(lambda x: tf.while_loop(lambda x, y: True, lambda x, y: (x,), (x, x), maximum_iterations=2))
    with pytest.raises((TypeError, ValueError)):
        f(tf.constant(1.0))


@pytest.mark.parametrize(
    ("cond", "body", "loop_vars", "kind"),
    [
        (None, lambda x: x, [1], TypeError),
        (lambda x: True, 3, [1], TypeError),
        (lambda: True, lambda: (), [], ValueError),
    ],
)
def test_malformed_calls_raise(cond: Any, body: Any, loop_vars: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        tf.while_loop(cond, body, loop_vars)


def test_an_error_in_an_iteration_reaches_the_caller_and_leaves_the_variable_of_the_iterations_before() -> None:
    v = tf.Variable(0)

    @graph
    def f():
        def body(i):
            v.assign_add(1)
            return (i + tf.gather([1, 1, 1], i),)

        return tf.while_loop(lambda i: i < 10, body, (tf.constant(0),))

    with pytest.raises(tf.errors.InvalidArgumentError):
        f()
    assert value(v) in (3, 4)


# --- gradients -------------------------------------------------------------------------------------------------------


def power(x, n):
    """x ** (2 ** n) by squaring in a loop."""
    return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * y), (tf.constant(0), x))[1]


@both
@pytest.mark.parametrize("n", [0, 1, 3])
def test_the_gradient_goes_back_through_every_iteration(mode: Any, n: int) -> None:
    f = mode(power)
    x = tf.constant(1.1, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(n))
    np.testing.assert_allclose(value(tape.gradient(y, x)), 2**n * 1.1 ** (2**n - 1))


@pytest.mark.parametrize("mode", [pytest.param(lambda f: f, id="eager"), pytest.param(graph, id="graph")])
@pytest.mark.parametrize("persistent", [False, True])
def test_second_derivatives_through_a_loop(mode: Any, persistent: bool) -> None:
    f = mode(power)
    x = tf.constant(1.1, tf.float64)
    if persistent:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            first = tape.gradient(f(x, tf.constant(2)), x)
        second = tape.gradient(first, x)
    else:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x, tf.constant(2))
            first = inner.gradient(y, x)
        second = outer.gradient(first, x)
    np.testing.assert_allclose(value(first), 4 * 1.1**3)
    np.testing.assert_allclose(value(second), 12 * 1.1**2)


def test_second_derivatives_through_a_loop_inside_a_function() -> None:
    @graph
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = power(x, 2)
            first = inner.gradient(y, x)
        return first, outer.gradient(first, x)

    np.testing.assert_allclose([value(g) for g in f(tf.constant(1.1, tf.float64))], [4 * 1.1**3, 12 * 1.1**2])


def test_what_the_body_captures_collects_its_gradient() -> None:
    v = tf.Variable(2.0)

    @graph
    def f(x, w):
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * v + w), (tf.constant(0), x))[1]

    x, w = tf.constant(1.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = f(x, w)
    # y = x v^3 + w (v^2 + v + 1)
    assert [value(tf.convert_to_tensor(g)) for g in tape.gradient(y, [x, w, v])] == [8.0, 7.0, 3 * 4.0 + 5.0 * 5.0]


def test_a_gather_in_a_loop_has_a_gradient_for_its_variable() -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @graph
    def f(n):
        return tf.while_loop(
            lambda i, s: i < n, lambda i, s: (i + 1, s + tf.reduce_sum(tf.gather(v, i % 2))), (0, tf.constant(0.0))
        )[1]

    with tf.GradientTape() as tape:
        y = f(tf.constant(3))
    assert value(tf.convert_to_tensor(tape.gradient(y, v))) == [[2.0, 2.0], [1.0, 1.0]]


def test_the_gradient_of_a_conditional_in_a_loop() -> None:
    @graph
    def f(x):
        def body(i, y):
            return i + 1, tf.cond(i % 2 > 0, lambda: y * x, lambda: y + x)

        return tf.while_loop(lambda i, y: i < 4, body, (tf.constant(0), tf.constant(0.0)))[1]

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    # ((0 + x) x + x) x = x^3 + x^2
    assert value(y) == 36.0
    assert value(tape.gradient(y, x)) == 33.0


def test_the_gradient_of_nested_loops() -> None:
    @graph
    def f(x):
        def body(i, y):
            return i + 1, tf.while_loop(lambda j, z: j < 2, lambda j, z: (j + 1, z * x), (tf.constant(0), y))[1]

        return tf.while_loop(lambda i, y: i < 2, body, (tf.constant(0), tf.constant(1.0)))[1]

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert value(y) == 81.0
    assert value(tape.gradient(y, x)) == 108.0


def test_the_gradient_of_a_loop_variable_that_grows() -> None:
    @graph
    def f(x):
        return tf.reduce_sum(
            tf.while_loop(
                lambda i, y: i < 3,
                lambda i, y: (i + 1, tf.concat([y, y * x], 0)),
                (tf.constant(0), tf.ones([1])),
                shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
            )[1]
        )

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    # (1 + x)^3
    assert value(y) == 27.0
    assert value(tape.gradient(y, x)) == 27.0


def test_a_loop_that_is_differentiated_by_tf_gradients_twice() -> None:
    @graph
    def f(x):
        y = power(x, 2)
        return tf.gradients(y, x)[0], tf.gradients(3.0 * y, x)[0]

    assert [value(g) for g in f(tf.constant(2.0))] == [32.0, 96.0]


def test_an_integer_loop_variable_has_no_gradient() -> None:
    @graph
    def f(n, x):
        return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 2.0), (tf.constant(0), x))[1]

    x, n = tf.constant(1.0), tf.constant(3)
    with tf.GradientTape() as tape:
        tape.watch([x])
        y = f(n, x)
    assert value(tape.gradient(y, x)) == 8.0


@pytest.mark.xla
def test_loops_compile_and_change_variables_under_xla() -> None:
    v = tf.Variable(1.0)

    @graph
    def plain(n, x):
        def body(i, y):
            v.assign_add(y)
            return i + 1, y * x

        return tf.while_loop(lambda i, y: i < n, body, (tf.constant(0), tf.constant(1.0)))

    compiled = tf.function(plain, jit_compile=True, autograph=False)
    expected = [value(r) for r in plain(tf.constant(5), tf.constant(2.0))]
    assert value(v) == 32.0
    v.assign(1.0)
    assert [value(r) for r in compiled(tf.constant(5), tf.constant(2.0))] == expected
    assert value(v) == 32.0


@pytest.mark.xla
def test_the_gradient_of_a_loop_under_jit_compile_is_that_of_the_numpy_tier() -> None:
    @graph
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = power(x, 3)
        return tape.gradient(y, x)

    x = tf.constant(1.1)
    np.testing.assert_allclose(value(tf.function(f, jit_compile=True, autograph=False)(x)), value(f(x)), rtol=1e-5)


_RUNS = tf.Variable(0.0)


def _loop(x: Any, scale: Any, *, counted: bool) -> Any:
    def body(i: Any, y: Any) -> Any:
        effects = [_RUNS.assign_add(1.0)] if counted else []
        with tf.control_dependencies(effects):
            return i + 1, tf.sin(y) * scale

    return tf.while_loop(lambda i, y: i < 3, body, (tf.constant(0), x))[1]


GRADIENT_PROGRAMS = [
    GradientProgram(op, partial(_loop, counted=counted), [np.array([0.7, 1.3]), np.array(1.1)], traced=True)
    for op, counted in (("StatelessWhile", False), ("While", True))
]


@pytest.mark.parametrize("jit", [None, pytest.param(True, marks=pytest.mark.xla)])
@pytest.mark.parametrize("name", ["while_loop", "map_fn", "scan", "foldl", "foldr"])
def test_without_back_prop_no_gradient_flows_through_a_loop_of_a_graph(name: str, jit: bool | None) -> None:
    def result(x: Any) -> Any:
        if name == "while_loop":
            start = (0, x, tf.TensorArray(tf.float32, 2))
            _, y, t = tf.while_loop(
                lambda i, *_: i < 2, lambda i, y, t: (i + 1, y * x, t.write(i, y)), start, back_prop=False
            )
            return y * 2.0, t.stack()
        if name == "map_fn":
            return tf.map_fn(lambda e: e * e, x, back_prop=False)
        return getattr(tf, name)(lambda a, e: a * e, x, back_prop=False)

    @tf.function(jit_compile=jit)
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = result(x)
        return tape.gradient(y, x), y

    x = tf.constant([1.0, 2.0, 3.0])
    found, values = gradient(x)
    assert found is None
    for one, other in zip(tf.nest.flatten(values), tf.nest.flatten(result(x)), strict=True):
        np.testing.assert_allclose(one, other)


def _loops(graph: Any) -> list[Any]:
    return [op for op in graph.get_operations() if op.op_def.traits.control == "loop"]


def test_loop_says_what_bounds_it_whatever_its_nodes_are_called() -> None:
    f = tf.function(lambda: tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [0], maximum_iterations=7))
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(f.get_concrete_function().graph.as_graph_def(), name="x")
    (loop,) = _loops(graph)
    assert iteration_bound(loop).op.name == "x/while/maximum_iterations"


@pytest.mark.parametrize(
    ("body", "value", "slope"), [(lambda x, y: [x * y, y], 16.0, 32.0), (lambda x, y: [x + x, y], 16.0, 8.0)]
)
def test_loop_made_of_the_raw_op_is_differentiated_though_it_has_no_counter(
    body: Any, value: float, slope: float
) -> None:
    number = tf.TensorSpec([], tf.float32, name="loop_counter")
    functions = {
        name: tf.function(f, autograph=False).get_concrete_function(number, number)
        for name, f in {"cond": lambda x, y: x < 9.0, "body": body}.items()
    }
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [], name="x")
        tf.raw_ops.While(input=[x, x], name="power", **functions)

    @tf.function(autograph=False)
    def power(x: Any) -> Any:
        return tf.import_graph_def(graph.as_graph_def(), {"x:0": x}, ["power:0"], name="")[0]

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x)
    assert iteration_bound(_loops(power.get_concrete_function(x).graph)[0]) is None
    assert (y.numpy(), tape.gradient(y, x).numpy()) == (value, slope)


def test_components_of_composites_grow_without_invariants() -> None:
    @tf.function
    def grown() -> Any:
        ragged, single = tf.ragged.constant([[1], [2, 3]]), tf.SparseTensor([[1, 1]], [1.0], [3, 4])
        start = [0, ragged, tf.SparseTensor([[0, 0]], [1.0], [3, 4])]
        return tf.while_loop(
            lambda i, r, s: i < 2, lambda i, r, s: (i + 1, tf.concat([r, r], 1), tf.sparse.add(s, single)), start
        )

    _, ragged, total = grown()
    assert ragged.to_list() == [[1, 1, 1, 1], [2, 3, 2, 3, 2, 3, 2, 3]]
    assert total.values.numpy().tolist() == [1, 2]


@pytest.mark.parametrize("value", [1, 0.0, "yes"])
def test_a_condition_that_is_not_a_bool_is_an_invalid_argument(value: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Input 'input' passed .* expected bool"):
        tf.function(lambda: tf.while_loop(lambda i: value, lambda i: i + 1, [0]), autograph=False)()


@pytest.mark.parametrize("condition", [1, "a", 0.5])
def test_the_condition_of_a_limited_eager_loop_is_a_boolean_as_in_tensorflow(condition: Any) -> None:
    with pytest.raises(TypeError, match=r"Cannot convert .* to EagerTensor of dtype bool"):
        tf.while_loop(lambda i: condition, lambda i: [i + 1], [tf.constant(0)], maximum_iterations=3)


def test_the_condition_of_a_limited_eager_loop_may_be_a_python_bool() -> None:
    (i,) = tf.while_loop(lambda i: True, lambda i: [i + 1], [tf.constant(0)], maximum_iterations=3)
    assert i.numpy() == 3


def test_the_body_of_a_limited_eager_loop_returns_the_structure_of_the_variables() -> None:
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        tf.while_loop(lambda i: i < 9, lambda i: i + 1, [tf.constant(0)], maximum_iterations=3)


@pytest.mark.parametrize("is_function", [True, False])
@pytest.mark.parametrize(
    ("condition", "kind", "words"),
    [
        (lambda i: None, AssertionError, "cond_graph has 0 outputs; Expected: 1"),
        (lambda i: (i < 3, i < 4), AssertionError, "cond_graph has 2 outputs; Expected: 1"),
        (lambda i: tf.constant([True, False]), tf.errors.InvalidArgumentError, r"must be a scalar, but it has shape"),
        (lambda i: 1, tf.errors.InvalidArgumentError, "Input 'input' passed int32 expected bool"),
    ],
    ids=["None", "two booleans", "vector", "Python 1"],
)
def test_a_condition_that_is_not_one_boolean_is_refused_in_a_graph(
    is_function: bool, condition: Any, kind: type[Exception], words: str
) -> None:
    def loop() -> Any:
        return tf.while_loop(condition, lambda i: [i + 1], [tf.constant(0)])

    with pytest.raises(kind, match=words):
        if is_function:
            tf.function(loop, autograph=False)()
        else:
            with tf.Graph().as_default():
                loop()


def test_a_condition_may_be_one_boolean_in_a_structure() -> None:
    @tf.function(autograph=False)
    def count() -> Any:
        return tf.while_loop(lambda i: {"a": i < 3}, lambda i: [i + 1], [tf.constant(0)])

    assert int(count()[0]) == 3
