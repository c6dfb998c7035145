"""`tf.cond`, `tf.switch_case`: which branch runs, what it returns, its effects, gradients and refusals."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram


def value(x: Any) -> Any:
    return None if x is None else np.asarray(x).tolist()


def graph(f: Any, **kwargs: Any) -> Any:
    return tf.function(f, autograph=False, **kwargs)


MODES = [pytest.param(lambda f: f, id="eager"), pytest.param(graph, id="graph")]
both = pytest.mark.parametrize("mode", MODES)


@both
@pytest.mark.parametrize("x", [1.0, -1.0])
def test_the_branch_of_the_predicate_runs(mode: Any, x: float) -> None:
    f = mode(lambda x: tf.cond(x > 0.0, lambda: x * 2.0, lambda: x - 1.0))
    assert value(f(tf.constant(x))) == (2.0 if x > 0 else -2.0)


@both
def test_only_the_effects_of_the_branch_that_runs_happen(mode: Any) -> None:
    v = tf.Variable(0.0)

    def f(p):
        return tf.cond(p, lambda: v.assign_add(1.0).read_value(), lambda: v.assign_add(10.0).read_value())

    g = mode(f)
    assert [value(g(tf.constant(p))) for p in (True, False, True)] == [1.0, 11.0, 12.0]
    assert value(v) == 12.0


@both
def test_branches_return_nested_structures(mode: Any) -> None:
    f = mode(lambda p, x: tf.cond(p, lambda: {"a": x, "b": [x, (x,)]}, lambda: {"a": -x, "b": [x * 2.0, (x * 3.0,)]}))
    assert value(f(tf.constant(False), tf.constant(1.0))["b"][1][0]) == 3.0
    assert value(f(tf.constant(True), tf.constant(1.0))["a"]) == 1.0


@both
def test_nested_conditionals(mode: Any) -> None:
    def f(x):
        return tf.cond(
            x > 0,
            lambda: tf.cond(x > 10, lambda: x * 100, lambda: x),
            lambda: tf.cond(x < -10, lambda: -x, lambda: x * 0),
        )

    g = mode(f)
    assert [value(g(tf.constant(n))) for n in (20, 5, -20, -5)] == [2000, 5, 20, 0]


def test_branches_that_only_act_return_nothing() -> None:
    v = tf.Variable(1.0)

    @graph
    def f(p):
        tf.cond(p, lambda: v.assign(5.0).op, lambda: tf.no_op())
        return v.read_value()

    assert value(f(tf.constant(False))) == 1.0
    assert value(f(tf.constant(True))) == 5.0


def test_a_conditional_whose_result_is_unused_still_acts() -> None:
    v = tf.Variable(1.0)

    @graph
    def f(p):
        tf.cond(p, lambda: v.assign(5.0), lambda: v.assign(6.0))

    f(tf.constant(False))
    assert value(v) == 6.0


def test_a_failing_branch_that_is_not_taken_does_not_fail() -> None:
    f = graph(lambda i: tf.cond(i < 3, lambda: tf.gather([1, 2, 3], i), lambda: -1))
    assert value(f(tf.constant(7))) == -1
    assert value(f(tf.constant(2))) == 3


def test_shapes_of_the_branches_are_joined() -> None:
    shapes = []

    @graph
    def f(p):
        y = tf.cond(p, lambda: tf.zeros([2, 3]), lambda: tf.zeros([4, 3]))
        z = tf.cond(p, lambda: tf.zeros([2]), lambda: tf.zeros([2, 3]))
        shapes.extend([y.shape.as_list(), z.shape.rank])
        return y

    assert f(tf.constant(False)).shape == [4, 3]
    assert shapes == [[None, 3], None]


@pytest.mark.parametrize(
    ("true_fn", "false_fn", "kind"),
    [
        (lambda: tf.constant(1), lambda: tf.constant(1.0), TypeError),
        (lambda: (tf.constant(1),), lambda: tf.constant(1), TypeError),
        (lambda: tf.constant(1), lambda: None, (TypeError, ValueError)),
        (lambda: {"a": tf.constant(1)}, lambda: {"b": tf.constant(1)}, (TypeError, ValueError)),
    ],
    ids=["dtypes", "structures", "none", "keys"],
)
def test_branches_that_return_different_things_raise_in_a_graph(true_fn: Any, false_fn: Any, kind: Any) -> None:
    f = graph(lambda p: tf.cond(p, true_fn, false_fn))
    with pytest.raises(kind):
        f(tf.constant(True))


@pytest.mark.parametrize(
    ("true_fn", "false_fn"), [(None, lambda: 1), (lambda: 1, None), (1, lambda: 1), (lambda: 1, 2)]
)
def test_branches_that_are_no_functions_raise(true_fn: Any, false_fn: Any) -> None:
    with pytest.raises(TypeError):
        tf.cond(tf.constant(True), true_fn, false_fn)


def test_a_numeric_predicate_is_true_unless_zero() -> None:
    """TensorFlow's graphs refuse it; the op `If` is defined so."""
    f = graph(lambda x: tf.cond(x, lambda: 1, lambda: 2))
    assert value(f(tf.constant(3))) == 1
    assert value(f(tf.constant(0.0))) == 2


def test_none_is_returned_where_both_branches_return_it() -> None:
    @graph
    def f(p, x):
        a, b = tf.cond(p, lambda: (x, None), lambda: (x + 1.0, None))
        assert b is None
        return a

    assert value(f(tf.constant(False), tf.constant(1.0))) == 2.0


# --- gradients -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [2.0, -2.0])
@both
def test_the_gradient_is_that_of_the_branch_that_ran(mode: Any, x: float) -> None:
    f = mode(lambda x: tf.cond(x > 0.0, lambda: x * x * x, lambda: tf.exp(x)))
    t = tf.constant(x, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(t)
        y = f(t)
    np.testing.assert_allclose(value(tape.gradient(y, t)), 12.0 if x > 0 else np.exp(-2.0))


@pytest.mark.parametrize("x", [2.0, -2.0])
@pytest.mark.parametrize("persistent", [False, True])
def test_second_derivatives_through_a_conditional(x: float, persistent: bool) -> None:
    f = graph(lambda x: tf.cond(x > 0.0, lambda: x * x * x, lambda: tf.sin(2.0 * x)))
    t = tf.constant(x, tf.float64)
    if persistent:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(t)
            first = tape.gradient(f(t), t)
        second = tape.gradient(first, t)
    else:
        with tf.GradientTape() as outer:
            outer.watch(t)
            with tf.GradientTape() as inner:
                inner.watch(t)
                y = f(t)
            first = inner.gradient(y, t)
        second = outer.gradient(first, t)
    np.testing.assert_allclose(value(second), 12.0 if x > 0 else 4 * np.sin(4.0))


def test_second_derivatives_inside_a_function() -> None:
    @graph
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.cond(x > 0.0, lambda: x**3.0, lambda: x * 5.0)
            first = inner.gradient(y, x)
        return first, outer.gradient(first, x)

    assert [value(g) for g in f(tf.constant(2.0))] == [12.0, 12.0]
    assert [value(g) for g in f(tf.constant(-2.0))] == [5.0, 0.0]


def test_a_variable_used_in_one_branch_only_has_zeros_from_the_other() -> None:
    v = tf.Variable([1.0, 2.0])
    f = graph(lambda p, x: tf.cond(p, lambda: tf.reduce_sum(v * x), lambda: x * 3.0))
    for p, expected in ((True, [2.0, 2.0]), (False, [0.0, 0.0])):
        with tf.GradientTape() as tape:
            y = f(tf.constant(p), tf.constant(2.0))
        assert value(tf.convert_to_tensor(tape.gradient(y, v))) == expected


def test_a_sparse_gradient_comes_out_of_a_branch() -> None:
    v = tf.Variable([[1.0], [2.0], [3.0]])
    f = graph(lambda p: tf.cond(p, lambda: tf.reduce_sum(tf.gather(v, [1, 1])), lambda: tf.reduce_sum(v)))
    for p, expected in ((True, [[0.0], [2.0], [0.0]]), (False, [[1.0]] * 3)):
        with tf.GradientTape() as tape:
            y = f(tf.constant(p))
        assert value(tf.convert_to_tensor(tape.gradient(y, v))) == expected


def test_a_branch_that_returns_an_integer_beside_a_float_is_differentiable() -> None:
    @graph
    def f(p, x):
        y, _ = tf.cond(p, lambda: (x * x, 1), lambda: (x, 2))
        return y

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(tf.constant(True), x)
    assert value(tape.gradient(y, x)) == 6.0


def test_a_gradient_is_taken_twice_from_the_same_conditional() -> None:
    @graph
    def f(x):
        y = tf.cond(x > 0.0, lambda: tf.exp(x) * x, lambda: x)
        return tf.gradients(y, x)[0], tf.gradients(2.0 * y, x)[0]

    a, b = f(tf.constant(1.0))
    np.testing.assert_allclose([value(a), value(b)], [2 * np.e, 4 * np.e], rtol=1e-6)


def test_a_function_called_in_a_branch_is_differentiated() -> None:
    inner = graph(lambda x: tf.sin(x) * x)
    f = graph(lambda x: tf.cond(x > 0.0, lambda: inner(x), lambda: x))
    x = tf.constant(0.5, tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        first = tape.gradient(f(x), x)
    np.testing.assert_allclose(value(first), np.sin(0.5) + 0.5 * np.cos(0.5))
    np.testing.assert_allclose(value(tape.gradient(first, x)), 2 * np.cos(0.5) - 0.5 * np.sin(0.5))


def test_a_tape_inside_a_branch() -> None:
    c = tf.constant(3.0)

    def branch(x):
        with tf.GradientTape() as tape:
            tape.watch([x, c])
            y = x * x * c
        return tape.gradient(y, [x, c])

    f = graph(lambda x: tf.cond(x > 0.0, lambda: branch(x), lambda: [x, x]))
    assert [value(g) for g in f(tf.constant(2.0))] == [12.0, 4.0]


# --- switch_case and case --------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize(("index", "expected"), [(0, 10), (1, 21), (2, 32), (7, 32), (-1, 32)])
def test_switch_case_runs_the_branch_of_its_index_or_the_last(mode: Any, index: int, expected: int) -> None:
    f = mode(lambda i, x: tf.switch_case(i, [lambda: x, lambda: x + 11, lambda: x + 22]))
    assert value(f(tf.constant(index), tf.constant(10))) == expected


@both
def test_switch_case_with_a_default_and_a_dict(mode: Any) -> None:
    branches = {1: lambda: tf.constant(1), 0: lambda: tf.constant(0)}
    f = mode(lambda i: tf.switch_case(i, branches, default=lambda: tf.constant(-9)))
    assert [value(f(tf.constant(i))) for i in (0, 1, 2, -3)] == [0, 1, -9, -9]


@pytest.mark.parametrize(
    ("branches", "kind"),
    [
        (3, TypeError),
        ([1, 2], TypeError),
        ({0: lambda: 1, 2: lambda: 2}, ValueError),
        ({"a": lambda: 1}, TypeError),
    ],
    ids=["number", "no functions", "gap", "strings"],
)
def test_malformed_branches_raise(branches: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        tf.switch_case(tf.constant(0), branches)


@pytest.mark.parametrize("index", [1.0, 1, True])
def test_an_index_that_is_no_integer_tensor_raises(index: Any) -> None:
    with pytest.raises(TypeError):
        tf.switch_case(index, [lambda: 1, lambda: 2])
    with pytest.raises(TypeError):
        tf.switch_case(tf.constant(1.0), [lambda: 1, lambda: 2])


@pytest.mark.parametrize(("index", "expected"), [(0, 6.0), (1, 1.0), (2, 0.0)])
def test_the_gradient_of_switch_case(index: int, expected: float) -> None:
    f = graph(lambda i, x: tf.switch_case(i, [lambda: x * x, lambda: x, lambda: tf.constant(1.0)]))
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(tf.constant(index), x)
    assert value(tape.gradient(y, x)) == expected


@pytest.mark.xla
def test_conditionals_compile_and_differentiate_under_xla() -> None:
    v = tf.Variable([1.0, 2.0])

    @graph
    def plain(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.reduce_sum(v * x * x), lambda: tf.reduce_sum(x) * v[0])
        v.assign_add([1.0, 1.0])
        return tape.gradient(y, [x, v])

    compiled = tf.function(plain, jit_compile=True, autograph=False)
    for x in ([1.0, 3.0], [-1.0, -3.0]):
        v.assign([1.0, 2.0])
        expected = [value(tf.convert_to_tensor(g)) for g in plain(tf.constant(x))]
        v.assign([1.0, 2.0])
        assert [value(tf.convert_to_tensor(g)) for g in compiled(tf.constant(x))] == expected
        assert value(v) == [2.0, 3.0]


_RUNS = tf.Variable(0.0)


def _counted(x: Any) -> Any:
    """A value whose computation has an effect, which makes the op around it one with effects."""
    with tf.control_dependencies([_RUNS.assign_add(1.0)]):
        return tf.identity(x)


def _either(x: Any, *, counted: bool, sign: float) -> Any:
    return tf.cond(
        tf.reduce_sum(x) * sign > 0,
        lambda: _counted(x * x) if counted else x * x,
        lambda: (tf.sin(x) * x)[::-1],
    )


def _one_of(x: Any, *, counted: bool, index: int) -> Any:
    branches = [lambda: x * x, lambda: _counted(tf.exp(x)) if counted else tf.exp(x), lambda: x[::-1] * x]
    return tf.switch_case(tf.constant(index) + tf.cast(x[0] * 0.0, tf.int32), branches)


# XLA compiles no assignment in a branch that is differentiated.
GRADIENT_PROGRAMS = [
    *(
        GradientProgram(op, partial(_either, counted=counted, sign=sign), [np.array([0.7, 1.3])], traced=True)
        for op, counted in (("StatelessIf", False), ("If", True))
        for sign in (1.0, -1.0)
    ),
    *(
        GradientProgram(op, partial(_one_of, counted=counted, index=i), [np.array([0.7, 1.3])], traced=True)
        for op, counted in (("StatelessCase", False), ("Case", True))
        for i in (0, 1, 2)
    ),
]


def slices(width: str, shape_width: str | None = None, scale: float = 1.0) -> tf.IndexedSlices:
    shape = None if shape_width is None else tf.constant([3, 2], shape_width)
    return tf.IndexedSlices(tf.ones([1, 2]) * scale, tf.constant([1], width), shape)


@pytest.mark.parametrize(("first", "second"), [("int32", "int64"), ("int64", "int32")])
def test_indices_of_slices_are_widened_where_another_branch_is_wide(first: str, second: str) -> None:
    @tf.function
    def f(p: tf.Tensor) -> Any:
        return tf.cond(p, lambda: (1, slices(first, "int32")), lambda: (2, slices(second, "int32", 2.0)))

    for p, scale in ((True, 1.0), (False, 2.0)):
        _, found = f(tf.constant(p))
        assert found.indices.dtype == tf.int64
        assert found.dense_shape.dtype == tf.int32
        assert tf.convert_to_tensor(found).numpy().tolist() == [[0, 0], [scale, scale], [0, 0]]


def test_slices_widened_in_a_branch_are_differentiated() -> None:
    x = tf.Variable([3.0, 4.0])

    @tf.function
    def f(p: tf.Tensor) -> Any:
        def branch(width: str, scale: float) -> Any:
            return lambda: tf.IndexedSlices(x[None] * scale, tf.constant([1], width), tf.constant([3, 2]))

        found = tf.cond(p, branch("int32", 2.0), branch("int64", 5.0))
        return tf.reduce_sum(found.values), found.indices

    for p, scale in ((True, 2.0), (False, 5.0)):
        with tf.GradientTape() as tape:
            total, indices = f(tf.constant(p))
        assert indices.numpy().tolist() == [1]
        assert tape.gradient(total, x).numpy().tolist() == [scale, scale]


def test_slices_beside_a_tensor_are_refused() -> None:
    f = tf.function(lambda p: tf.cond(p, lambda: slices("int32"), lambda: tf.ones([3, 2])))
    with pytest.raises(TypeError, match=r"Cannot reconcile tf.cond 0-th outputs"):
        f(tf.constant(True))


def test_slices_of_three_branches_have_one_width() -> None:
    branches = [lambda: slices("int32"), lambda: slices("int64"), lambda: slices("int32", scale=3.0)]
    found = tf.function(lambda i: tf.switch_case(i, branches))(tf.constant(2))
    assert found.indices.dtype == tf.int64
    assert found.values.numpy().tolist() == [[3.0, 3.0]]
    assert isinstance(tf.switch_case(tf.constant(0), branches), tf.IndexedSlices)


def test_an_eager_switch_gives_what_the_branch_returns() -> None:
    for value in (7, "seven", (1, [2.0]), None, object):
        assert tf.switch_case(tf.constant(1), [lambda: 0, lambda value=value: value]) is value


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "graph"])
@pytest.mark.parametrize(
    ("branches", "error", "message"),
    [
        ({0: 5}, TypeError, "fn for key 0 must be callable."),
        ([(0, 5)], TypeError, "fn for key 0 must be callable."),
        ({"a": 3}, TypeError, "key must be a Python `int`, got <class 'str'>"),
        ({0: len, "a": len}, TypeError, "key must be a Python `int`, got <class 'str'>"),
        ([5], TypeError, "Each entry in 'branch_fns' must be a 2-tuple. Received 5."),
        ([(0,)], TypeError, "Each entry in 'branch_fns' must be a 2-tuple. Received (0,)."),
        ([len, (1, len)], TypeError, f"Each entry in 'branch_fns' must be a 2-tuple. Received {len}."),
        (3, TypeError, "'branch_fns' must be a list, tuple, or dict. Received 3"),
        ((), ValueError, "Must provide at least one item in 'branch_fns'"),
    ],
)
def test_what_is_no_list_of_branches_is_refused(branches: Any, error: type[Exception], message: str, wrap: Any) -> None:
    with pytest.raises(error, match=f"{re.escape(message)}$"):
        wrap(lambda: tf.switch_case(tf.constant(0), branches))()
