"""Sums of gradients of slices: added in place where no code can see it, the same numbers everywhere."""

from __future__ import annotations

import os
import re
import time
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.context import eager_engine
from millrace._src.passes.pipeline import optimize

ROWS = tf.TensorSpec([5, 2], tf.float32)
X = np.arange(10.0, dtype=np.float32).reshape(5, 2)


def program(f: Any, *specs: Any) -> Any:
    graph = tf.function(f, autograph=False).get_concrete_function(*specs).graph
    return eager_engine().compile(optimize(graph))


def loop(n: Any, step: Any, *first: Any) -> Any:
    return tf.while_loop(lambda i, *_: i < n, lambda i, *v: (i + 1, *step(i, *v)), (0, *first))[1:]


def gradient(pick: Any, n: int = 4, **options: Any) -> Any:
    """The gradient of a loop that picks something of `x` in every iteration, eagerly and as a graph."""

    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loop(n, lambda i, y: (tf.sin(y) + tf.reduce_sum(pick(x, i)),), tf.constant(0.5))[0]
        return tape.gradient(y, x)

    return f, tf.function(f, autograph=False, **options)


PICKS = {
    "row": lambda x, i: x[i],
    "row from the end": lambda x, i: x[-1 - i] ** 2,
    "column": lambda x, i: x[:, i % 2] ** 2,
    "rows": lambda x, i: x[i : i + 2] ** 2,
    "every other row": lambda x, i: x[::2] * tf.cast(i, tf.float32),
    "element": lambda x, i: x[i, 1] ** 2,
    "with a new axis": lambda x, i: x[i, tf.newaxis, :],
    "gather": lambda x, i: tf.gather(x, i) ** 2,
    "gather of several": lambda x, i: tf.gather(x, [i, 0, i]) ** 2,
    "gather of columns": lambda x, i: tf.gather(x, [1, i % 2], axis=1) ** 2,
    "two rows": lambda x, i: x[i] * x[0],
    "row and all": lambda x, i: x[i] * x,
}


@pytest.mark.parametrize("pick", PICKS.values(), ids=PICKS)
@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.xla)])
def test_gradients_of_what_a_loop_picks_are_those_of_eager_mode(
    pick: Any, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "environ", os.environ.copy())  # importing jax writes into it
    if compiled and pick is PICKS["rows"]:
        pytest.skip("XLA must know where a slice ends")
    eager, graph = gradient(pick, jit_compile=compiled)
    found, expected = (tf.convert_to_tensor(f(tf.constant(X))).numpy() for f in (graph, eager))
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-5)


def test_a_loop_adds_to_its_own_array() -> None:
    source = program(gradient(PICKS["row"])[0], ROWS).source
    assert re.search(r"= p\d+\(s\d+, ", source)
    assert source.count("own(") == len(re.findall(r"own\(v\d+\)", source))


def test_unrolled_picks_are_added_in_place() -> None:
    def f(x: Any) -> Any:
        return tf.gradients(tf.add_n([tf.reduce_sum(x[i] ** 2) for i in range(5)]), x)[0]

    compiled = program(f, ROWS)
    assert len(re.findall(r"= p\d+\(", compiled.source)) == 3  # the first two make the array
    np.testing.assert_array_equal(compiled.run(X)[0], 2.0 * X)


def test_an_array_that_was_read_is_not_changed() -> None:
    """`total` and views of it are kept in a list, and come out as they were."""

    def slices(total: Any, i: Any) -> Any:
        return total + tf.raw_ops.StridedSliceGrad(shape=[5], begin=[i], end=[i + 1], strides=[1], dy=[1.0])

    def f() -> Any:
        seen = tf.TensorArray(tf.float32, 6)

        def step(i: Any, total: Any, seen: Any) -> Any:
            return slices(total, i), seen.write(i, tf.reshape(total, [5, 1]))

        total, seen = loop(5, step, tf.zeros([5]), seen)
        before = total
        after = slices(total, 0)
        return seen.write(5, tf.reshape(before, [5, 1])).stack()[:, :, 0], after

    expected = [r.numpy() for r in f()]
    for found, wanted in zip(tf.function(f, autograph=False)(), expected, strict=True):
        np.testing.assert_array_equal(found.numpy(), wanted)


def test_a_sum_that_repeats_along_an_axis_stays_one() -> None:
    def f(x: Any) -> Any:
        return x + tf.raw_ops.StridedSliceGrad(shape=[3, 2], begin=[1], end=[2], strides=[1], dy=[[1.0, 2.0]])

    compiled = program(f, tf.TensorSpec(None, tf.float32))
    for x in (np.float32([5.0, 6.0]), np.zeros((3, 2), np.float32), np.ones((4, 3, 2), np.float32)):
        np.testing.assert_array_equal(compiled.run(x)[0], x + np.float32([[0, 0], [1, 2], [0, 0]]))
        assert not np.shares_memory(compiled.run(x)[0], x)


def test_branches_that_add_to_the_array_of_a_loop() -> None:
    def f(x: Any) -> Any:
        def step(i: Any, y: Any) -> Any:
            return (tf.cond(i % 2 == 0, lambda: y * 0.5 + x[i], lambda: y - x[0] * x[i]),)

        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loop(4, step, tf.zeros([2]))[0]
        return tape.gradient(y, x)

    x = tf.constant(X)
    np.testing.assert_allclose(tf.function(f, autograph=False)(x).numpy(), f(x).numpy(), rtol=1e-6)


@pytest.mark.slow
def test_a_loop_over_rows_takes_linear_time_backwards() -> None:
    """Four times the rows take far less than sixteen times as long (each row is large)."""

    def seconds(n: int) -> float:
        f = gradient(PICKS["row"], n, jit_compile=False)[1]
        x = tf.zeros([n, 1000])
        f(x)
        start = time.perf_counter()
        f(x)
        return time.perf_counter() - start

    assert min(seconds(1600) for _ in range(2)) < 9 * min(seconds(400) for _ in range(3))
