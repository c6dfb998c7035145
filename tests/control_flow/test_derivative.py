"""The forward and backward functions of a call: built once for what is asked, and nothing leaves that is not needed."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.control_flow import derivative
from millrace._src.control_flow.derivative import Derivative, derivative_of
from millrace._src.function.graph_function import GraphFunction
from millrace._src.graph.func_graph import FuncGraph


def value(x: Any) -> Any:
    return None if x is None else np.asarray(x).tolist()


def function(f: Any, *specs: Any) -> GraphFunction:
    return tf.function(f, autograph=False).get_concrete_function(*specs).graph_function


def kept(found: Derivative) -> list[str]:
    """The ops whose results leave the forward pass beside the function's own."""
    return [t.op.type for t in found.forward.graph.outputs[found.base_count :]]


VECTOR = tf.TensorSpec([3], tf.float32)
MATRIX = tf.TensorSpec([3, 3], tf.float32)


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions that a derivative is built of, in order."""
    names: list[str] = []
    build_derivative = derivative.build_derivative

    def build(function: Any, **options: Any) -> Any:
        names.append(function.name)
        return build_derivative(function, **options)

    monkeypatch.setattr(derivative, "build_derivative", build)
    return names


def test_repeated_gradients_of_a_function_build_one_pair(built: list[str]) -> None:
    f = tf.function(lambda x, y: tf.tanh(x) * y, autograph=False)
    x, y = tf.Variable([1.0, 2.0]), tf.constant(2.0)
    for step in range(4):
        with tf.GradientTape() as tape:
            loss = f(x, y + float(step))
        tape.gradient(loss, x)
    assert len(built) == 1


def test_a_second_order_has_its_own_pair_and_is_built_once_too(built: list[str]) -> None:
    f = tf.function(lambda x: tf.tanh(x), autograph=False)
    x = tf.constant([0.5])
    counts = []
    for _ in range(3):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            first = inner.gradient(y, x)
        second = outer.gradient(first, x)
        counts.append(len(built))
    assert counts[0] == counts[1] == counts[2]
    t = np.tanh(0.5)
    np.testing.assert_allclose(value(second), [-2 * t * (1 - t * t)], rtol=1e-5)


def test_a_function_called_in_functions_builds_its_pair_once(built: list[str]) -> None:
    inner = tf.function(lambda x: tf.sin(x), autograph=False)
    outer = tf.function(lambda x: inner(x + 1.0) * inner(x * 2.0), autograph=False)
    x = tf.Variable(0.3)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = outer(x)
        tape.gradient(y, x)
    assert len(built) == len(set(built)) == 2


def test_what_only_an_unwatched_input_needs_is_not_kept() -> None:
    f = function(lambda x, w: tf.matmul(tf.exp(x), w), MATRIX, MATRIX)
    assert kept(derivative_of(f, closed=False, wanted=frozenset([1]))) == ["Exp"]
    by_x = derivative_of(f, closed=False, wanted=frozenset([0]))
    assert kept(by_x) == ["Exp"]  # exp's own gradient reads it
    assert [layout is None for layout in by_x.layout] == [False, True]
    linear = function(lambda x, w: tf.matmul(x, w) + tf.exp(x), MATRIX, MATRIX)
    assert kept(derivative_of(linear, closed=False, wanted=frozenset([1]))) == []


def test_a_value_that_no_needed_gradient_reads_is_not_kept() -> None:
    """The gradient rule of a product asks for both factors; the one that belongs to a constant factor is never used."""
    f = function(lambda x: tf.exp(tf.stop_gradient(x)) * x, VECTOR)
    assert kept(derivative_of(f, closed=False)) == ["Exp"]
    dead = function(lambda x: x * 3.0 + tf.stop_gradient(tf.exp(x)), VECTOR)
    assert kept(derivative_of(dead, closed=False)) == []


@pytest.mark.parametrize(
    ("again", "dtype"),
    [
        (lambda x: tf.cast(x, tf.float64), tf.float64),
        (lambda x: tf.reshape(x, [3, 1]), tf.float32),
        (lambda x: tf.expand_dims(tf.identity(x), 0), tf.float32),
        (lambda x: tf.squeeze(tf.cast(tf.reshape(x, [1, 3]), tf.float64)), tf.float64),
    ],
    ids=["cast", "reshape", "expand_dims", "squeeze of cast of reshape"],
)
def test_what_is_cheap_to_make_again_is_made_again(again: Any, dtype: Any) -> None:
    f = function(lambda x: again(x) * again(x), VECTOR)
    assert kept(derivative_of(f, closed=False)) == []
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            (y,) = f([x])
        first = tape.gradient(y, x)
    assert value(first) == [2.0, 4.0, 6.0]
    assert value(outer.gradient(first, x)) == [2.0, 2.0, 2.0]


def test_a_cast_of_a_computed_value_is_kept_rather_than_its_source() -> None:
    f = function(lambda x: tf.square(tf.cast(tf.exp(x) + 1.0, tf.float16)), VECTOR)
    assert "Cast" in kept(derivative_of(f, closed=False))


def test_the_tape_lets_go_what_the_backward_pass_does_not_need() -> None:
    f = tf.function(lambda x, w: tf.exp(x) * w, autograph=False)
    x, w = tf.constant(np.ones(300, np.float32)), tf.Variable(tf.ones([300]))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(f(x, w))
    seen = weakref.ref(x)
    del x
    gc.collect()
    assert seen() is None
    np.testing.assert_allclose(value(tape.gradient(y, w)), np.full(300, np.e), rtol=1e-6)


def test_two_tapes_that_watch_different_inputs() -> None:
    f = tf.function(lambda x, w: tf.sin(x) * w, autograph=False)
    x, w = tf.constant(0.5), tf.constant(2.0)
    with tf.GradientTape() as of_x, tf.GradientTape() as of_w:
        of_x.watch(x)
        of_w.watch(w)
        y = f(x, w)
    np.testing.assert_allclose(value(of_x.gradient(y, x)), 2 * np.cos(0.5), rtol=1e-6)
    np.testing.assert_allclose(value(of_w.gradient(y, w)), np.sin(0.5), rtol=1e-6)


def test_gradients_by_one_input_after_another_inside_a_graph() -> None:
    inner = tf.function(lambda x, w: tf.sin(x) * w, autograph=False)

    @tf.function(autograph=False)
    def f(x: Any, w: Any) -> Any:
        y = inner(x, w)
        (by_x,) = tf.gradients(y, x)
        (by_w,) = tf.gradients(y, w)
        return by_x, by_w, tf.gradients(by_x, w)[0], tf.gradients(by_w, x)[0]

    x, w = np.float32(0.5), np.float32(2.0)
    expected = [w * np.cos(x), np.sin(x), np.cos(x), np.cos(x)]
    np.testing.assert_allclose([value(r) for r in f(tf.constant(x), tf.constant(w))], expected, rtol=1e-5)


# --- how much work it is -----------------------------------------------------------------------------------------


class Counted(list[Any]):
    """A list of operations that counts how many of them are looked at."""

    visits = 0

    def __iter__(self) -> Any:
        for item in super().__iter__():
            Counted.visits += 1
            yield item

    def __reversed__(self) -> Any:
        for item in super().__reversed__():
            Counted.visits += 1
            yield item


def visits(build: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many operations are looked at while something is built."""
    get_operations = FuncGraph.get_operations
    monkeypatch.setattr(FuncGraph, "get_operations", lambda self: Counted(get_operations(self)))
    Counted.visits = 0
    build()
    monkeypatch.undo()
    return Counted.visits


def chain(x: Any, length: int) -> Any:
    y = x
    for _ in range(length // 2):
        y = (y + x) * x
    return y


def test_building_a_gradient_looks_at_each_operation_a_fixed_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(length: int) -> Any:
        return lambda: tf.function(
            lambda x: tf.gradients(chain(x, length), x)[0], autograph=False
        ).get_concrete_function(VECTOR)

    per_operation = [visits(build(n), monkeypatch) / n for n in (100, 400, 1600)]
    assert per_operation[0] > 1
    assert max(per_operation) < 1.1 * min(per_operation)


@pytest.mark.parametrize("closed", [False, True])
def test_building_a_derivative_looks_at_each_operation_a_fixed_number_of_times(
    closed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(length: int) -> Any:
        f = function(lambda x: chain(x, length), VECTOR)
        return lambda: derivative_of(f, closed=closed)

    per_operation = [visits(build(n), monkeypatch) / n for n in (100, 400, 1600)]
    assert per_operation[0] > 1
    assert max(per_operation) < 1.1 * min(per_operation)


def test_the_gradient_of_a_sum_of_many_terms_has_as_many_operations_as_terms() -> None:
    def size(n: int) -> int:
        f = tf.function(lambda x: tf.gradients([x * float(i) for i in range(n)], x)[0], autograph=False)
        return len(f.get_concrete_function(VECTOR).graph.get_operations())

    sizes = [size(n) for n in (50, 100, 200)]
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])


@pytest.mark.parametrize("kind", ["loop", "branch"])
def test_threads_may_differentiate_a_function_at_once(kind: str) -> None:
    def loop(x: Any) -> Any:
        y = x
        for _ in tf.range(5):
            y = tf.sin(y) * x
        return y

    def branch(x: Any) -> Any:
        return tf.sin(x) * x if x > 0.0 else x

    x = tf.constant(1.5)

    def second(f: Any) -> float:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            first = inner.gradient(y, x)
        return float(outer.gradient(first, x))

    python = {"loop": loop, "branch": branch}[kind]
    expected = second(tf.function(python))
    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        for _ in range(4):
            f = tf.function(python)
            f(x)
            start = threading.Barrier(4)
            with ThreadPoolExecutor(4) as pool:
                found = list(pool.map(lambda _: (start.wait(), second(f))[1], range(4)))  # noqa: B023  (of this turn)
            assert found == [expected] * 4
            assert second(f) == expected
    finally:
        sys.setswitchinterval(switching)


ZERO = tf.constant(0.0)
CLOSURES = {
    "branch": (lambda t: tf.cond(ZERO < 1.0, lambda: t * 2.0, lambda: ZERO), 2.0),
    "loop": (lambda t: tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + t), (0, ZERO))[1], 3.0),
    "function": (lambda t: tf.function(lambda: t * 4.0)(), 4.0),
    "loop in a branch": (lambda t: tf.cond(ZERO < 1.0, lambda: CLOSURES["loop"][0](t), lambda: ZERO), 3.0),
    "branch in a loop": (
        lambda t: tf.while_loop(
            lambda i, s: i < 3, lambda i, s: (i + 1, s + tf.cond(i > 0, lambda: t, lambda: ZERO)), (0, ZERO)
        )[1],
        2.0,
    ),
}


@pytest.mark.parametrize("when", ["before", "after"], ids="watched {} it is traced".format)
@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.xla)])
@pytest.mark.parametrize("kind", CLOSURES)
def test_an_eager_tensor_that_the_inside_of_a_function_closes_over_has_a_gradient(
    kind: str, jit: bool, when: str
) -> None:
    body, factor = CLOSURES[kind]
    x = tf.constant(0.5)
    traced = tf.function(lambda: body(x), autograph=False, jit_compile=jit)
    if when == "after":
        traced()
    with tf.GradientTape() as tape:
        tape.watch(x)
        inner = tf.sin(x)
        y = traced() * tf.function(lambda: body(inner), autograph=False, jit_compile=jit)()
    expected = factor * factor * (np.sin(0.5) + 0.5 * np.cos(0.5))
    assert float(tape.gradient(y, x)) == pytest.approx(expected, rel=1e-5)
