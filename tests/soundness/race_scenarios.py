"""What the threads of a race do: each scenario makes some calls and compares their results with NumPy's."""

from __future__ import annotations

import gc
import random
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

import millrace as tf
from millrace._src.engines.background_compiler import compiler
from millrace._src.engines.tier_settings import settings


def _close(result: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(result), expected, rtol=2e-5, atol=1e-5)


def fresh(rng: random.Random) -> Callable[[], None]:
    """A function of its own, which is soon dropped."""
    factor, x = rng.random(), np.linspace(-1, 1, rng.randint(1, 50), dtype=np.float32)
    f = tf.function(lambda t: tf.tanh(t) * factor + 1.0)

    def run() -> None:
        for _ in range(6):
            _close(f(tf.constant(x)), np.tanh(x) * factor + 1)

    return run


_shared = tf.function(
    lambda t: tf.reduce_sum(tf.exp(-t * t) * 2.0, axis=-1), input_signature=[tf.TensorSpec([None, None])]
)


def _shapes(rng: random.Random) -> Callable[[], None]:
    """Many shapes through one function that all threads share."""
    x = np.full((rng.randint(1, 12), rng.randint(1, 9)), rng.random(), np.float32)

    def run() -> None:
        for _ in range(3):
            _close(_shared(tf.constant(x)), (np.exp(-x * x) * 2).sum(axis=-1))

    return run


def _variables(rng: random.Random) -> Callable[[], None]:
    """A variable that each call changes, between assignments in eager mode."""
    v = tf.Variable(np.zeros(4, np.float32))

    @tf.function
    def step(x: Any) -> Any:
        v.assign_add(x * 2.0)
        return v + 1.0

    def run() -> None:
        expected = np.zeros(4, np.float32)
        for i in range(12):
            x = np.full(4, i, np.float32)
            expected = expected + x * 2
            _close(step(tf.constant(x)), expected + 1)
            if rng.random() < 0.2:
                expected = np.full(4, rng.random(), np.float32)
                v.assign(expected)
            if rng.random() < 0.2:
                _close(v.numpy(), expected)

    return run


_counter, _counter_lock = tf.Variable(0.0), threading.Lock()


@tf.function
def _count(x: Any) -> Any:
    return _counter.assign_add(x).read_value()


def _shared_variable(rng: random.Random) -> Callable[[], None]:
    """One variable and one function for all threads, under the user's own lock."""

    def run() -> None:
        for _ in range(5):
            with _counter_lock:
                before = float(_counter)
                _close(_count(tf.constant(1.0)), before + 1)

    return run


def _tapes(rng: random.Random) -> Callable[[], None]:
    """Forward and backward functions, which change engines on their own."""
    w = tf.Variable(np.eye(3, dtype=np.float32) * (1 + rng.random()))
    f = tf.function(lambda x: tf.reduce_sum(tf.tanh(x @ w) ** 2))
    x = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)

    def run() -> None:
        y = np.tanh(x @ w.numpy())
        expected = x.T @ (2 * y * (1 - y * y))
        for _ in range(8):
            with tf.GradientTape() as tape:
                value = f(tf.constant(x))
            _close(tape.gradient(value, w), expected)

    return run


def _branches(rng: random.Random) -> Callable[[], None]:
    """A branch that does not run leaves stand-ins for the gradient."""
    f = tf.function(lambda x, flag: tf.cond(flag, lambda: tf.reduce_sum(tf.tanh(x) ** 2), lambda: tf.reduce_sum(x * 3)))
    x = np.linspace(-1, 1, 5, dtype=np.float32)

    def run() -> None:
        for i in range(8):
            t = tf.constant(x)
            with tf.GradientTape() as tape:
                tape.watch(t)
                value = f(t, tf.constant(bool(i % 2)))
            expected = 2 * np.tanh(x) * (1 - np.tanh(x) ** 2) if i % 2 else np.full(5, 3.0)
            _close(tape.gradient(value, t), expected)

    return run


def _errors(rng: random.Random) -> Callable[[], None]:
    """Calls that fail, between calls that do not."""
    f = tf.function(lambda x, n: tf.reduce_sum(tf.tanh(x)) + tf.cast(tf.constant(12) // n, tf.float32))
    x = np.ones(8, np.float32)

    def run() -> None:
        for i in range(8):
            if i % 3:
                _close(f(tf.constant(x), tf.constant(i)), np.tanh(x).sum() + 12 // i)
            else:
                try:
                    f(tf.constant(x), tf.constant(0))
                except tf.errors.InvalidArgumentError:
                    continue
                raise AssertionError("a division by zero was not refused")

    return run


def _compiled(rng: random.Random) -> Callable[[], None]:
    """`jit_compile=True`: an index out of range is moved into the range, whatever engine runs the call."""
    f = tf.function(lambda x, i: tf.gather(x, i) * 2.0, jit_compile=True)
    x = np.arange(4, dtype=np.float32) + rng.random()

    def run() -> None:
        for i in (0, 3, 1) if settings.is_fork else (0, 3, 9, 1, 7):  # in a fork NumPy runs, and refuses, all
            _close(f(tf.constant(x), tf.constant([i])), x[[min(i, 3)]] * 2)

    return run


def _draws(rng: random.Random) -> Callable[[], None]:
    """Random bits are those of the seed."""
    f = tf.function(lambda seed: tf.random.stateless_uniform([5], seed) * 1.0)
    seed = [rng.randint(0, 1000), 7]
    expected = tf.random.stateless_uniform([5], seed).numpy()

    def run() -> None:
        for _ in range(6):
            np.testing.assert_array_equal(f(tf.constant(seed)), expected)

    return run


def _loops(rng: random.Random) -> Callable[[], None]:
    """A loop, which XLA runs much faster."""

    @tf.function
    def f(n: Any) -> Any:
        total = tf.constant(0.0)
        for i in tf.range(n):
            total += tf.cast(i, tf.float32)
        return total

    def run() -> None:
        for n in (10, 50, 10):
            _close(f(tf.constant(n)), n * (n - 1) / 2)

    return run


def _retraces(rng: random.Random) -> Callable[[], None]:
    """A function that all threads share is traced again and again: for dtypes, numbers of Python, structures."""

    def run() -> None:
        for _ in range(4):
            factor, dtype = rng.randrange(8), rng.choice(["float32", "float64", "int32"])
            x = np.arange(rng.randint(1, 4)).astype(dtype)
            _close(_scaled({"x": tf.constant(x)}, factor), x * factor + 1)

    return run


@tf.function(reduce_retracing=True)
def _scaled(arguments: Any, factor: int) -> Any:
    return arguments["x"] * factor + 1


def _dropped(rng: random.Random) -> Callable[[], None]:
    """Functions and variables that are dropped while they are compiled, with all that belongs to them."""

    def use() -> weakref.ref[Any]:
        v = tf.Variable(np.ones(3, np.float32))
        f = tf.function(lambda x: tf.reduce_sum(tf.sin(x) * v))
        for _ in range(rng.randint(1, 4)):
            _close(f(tf.constant([0.5, 0.25, 1.0])), np.sin([0.5, 0.25, 1.0]).sum())
        return weakref.ref(v)

    def run() -> None:
        alive = use()
        gc.collect()
        if not settings.is_fork and rng.random() < 0.1:
            compiler.wait()
            gc.collect()
            assert alive() is None, "a variable is kept alive by the function that used it"

    return run


def _elements(rng: random.Random) -> Callable[[], None]:
    """A dataset whose elements come from several threads and are taken by a function."""
    offset = rng.randint(0, 9)
    total = tf.function(lambda x: tf.reduce_sum(tf.cast(x, tf.float32) * 2.0))
    elements = tf.data.Dataset.range(12).map(lambda x: x * x + offset, num_parallel_calls=2).batch(4)

    def run() -> None:
        wanted = (np.arange(12) ** 2 + offset).reshape(3, 4).sum(axis=1) * 2
        for element, sum_of_element in zip(elements, wanted, strict=True):
            _close(total(element), sum_of_element)

    return run


_table = tf.Variable(np.arange(12, dtype=np.float32).reshape(4, 3))


def _lookups(rng: random.Random) -> Callable[[], None]:
    """Checks that only the host makes, beside work that a compiler does: an index may be out of range."""

    @tf.function
    def f(rows: Any) -> Any:
        return tf.reduce_sum(tf.tanh(tf.gather(_table, rows)) ** 2, axis=-1)

    def run() -> None:
        table = np.arange(12, dtype=np.float32).reshape(4, 3)
        for i in range(6):
            if i % 3 == 2:
                try:
                    f(tf.constant([4, 0]))
                except tf.errors.InvalidArgumentError:
                    continue
                raise AssertionError("an index out of range was not refused")
            rows = [rng.randrange(4), 3]
            _close(f(tf.constant(rows)), (np.tanh(table[rows]) ** 2).sum(axis=-1))

    return run


SCENARIOS = (
    fresh, _shapes, _variables, _shared_variable, _tapes, _branches, _errors, _compiled, _draws, _loops, _retraces,
    _dropped, _elements, _lookups,
)  # fmt: skip
"""Each takes a source of random numbers and returns a function that goes through the scenario once."""
