"""How time and memory grow with the size of a program: nodes, traces, shapes, captured variables, the batch.

What is linear with a small factor on the desk is still usable at a hundred times the size; what is quadratic is not.
Each growth is measured at a few sizes, and a power of the size is fitted: 0 is constant, 1 linear, 2 quadratic. Run by
`python -m benchmarks growth`, in a process of its own on one core.
"""

from __future__ import annotations

import gc
import json
import math
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.rows import on_numpy

FITTED = 3
"""How many of the largest sizes a power is fitted to: at small sizes, what does not grow weighs most."""
_REPETITIONS = 5
_WARM_CALLS = 16
"""Calls before something that is called again and again is measured: Python specializes a function's instructions."""
_SHORTEST = 0.01
"""Seconds of calls that make a repetition."""


@dataclass
class Growth:
    """What was measured: at each size, seconds and bytes."""

    title: str
    sizes: list[int]
    seconds: list[float]
    bytes: list[int]


@dataclass(frozen=True)
class Subject:
    """Something that grows.

    Args:
      title: what the table says.
      sizes: the sizes.
      make: takes the module and a size; makes what has to be there before, returns what is measured.
      keeps: whether the memory is what a call leaves behind, kept by its result; else the most that it takes.
    """

    title: str
    sizes: Sequence[int]
    make: Callable[[Any, int], Callable[[], Any]]
    keeps: bool


def power(sizes: Sequence[int], values: Sequence[float]) -> float:
    """Returns the power of the size with which values grow, fitted to the largest sizes by least squares."""
    xs = [math.log(size) for size in sizes[-FITTED:]]
    ys = [math.log(max(value, 1e-12)) for value in values[-FITTED:]]
    x_mean, y_mean = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys)) / sum((x - x_mean) ** 2 for x in xs)


# --- what grows --------------------------------------------------------------------------------------------------


def _chain(length: int) -> Callable[[Any], Any]:
    def chain(x: Any) -> Any:
        y = x
        for _ in range(length // 2):
            y = (y + x) * 0.5
        return y

    return chain


def _trace(tf: Any, nodes: int) -> Callable[[], Any]:
    x = tf.constant(1.0)

    def trace() -> Any:
        function = tf.function(_chain(nodes), autograph=False)
        function(x)
        return function

    return trace


def _call(tf: Any, nodes: int) -> Callable[[], Any]:
    function, x = tf.function(_chain(nodes), autograph=False), tf.constant(1.0)
    return lambda: function(x)


def _gradient(tf: Any, nodes: int) -> Callable[[], Any]:
    x = tf.constant(1.0)

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = _chain(nodes)(x)
        return tape.gradient(y, x)

    return gradient


def _new_traces(tf: Any, count: int) -> Callable[[], Any]:
    x = tf.constant(1.0)

    def trace_all() -> Any:
        function = tf.function(lambda x, factor: x * factor, autograph=False)
        for factor in range(count):
            function(x, factor)
        return function

    return trace_all


def _among_traces(tf: Any, count: int) -> Callable[[], Any]:
    function, x = _new_traces(tf, count)(), tf.constant(1.0)
    return lambda: function(x, count // 2)


def _shapes(tf: Any, count: int, jit_compile: bool | None) -> Callable[[], Any]:
    w = tf.Variable(tf.ones([8, 8]))
    inputs = [tf.ones([size + 1, 8]) for size in range(count)]

    def first_pass() -> Any:
        function = tf.function(
            lambda x: tf.nn.relu(x @ w), input_signature=[tf.TensorSpec([None, 8])], jit_compile=jit_compile
        )
        for x in inputs:
            function(x)
        return function

    return first_pass


def _capture(tf: Any, count: int) -> Callable[[], Any]:
    variables = [tf.Variable(1.0) for _ in range(count)]

    def trace() -> Any:
        function = tf.function(lambda: tf.add_n([v.read_value() for v in variables]), autograph=False)
        function()
        return function

    return trace


def _captured_call(tf: Any, count: int) -> Callable[[], Any]:
    return _capture(tf, count)()  # type: ignore[no-any-return]  # a function


def _train_step(tf: Any, batch: int) -> Callable[[], Any]:
    w1, w2 = tf.Variable(0.01 * tf.ones([64, 256])), tf.Variable(0.01 * tf.ones([256, 8]))
    x = tf.ones([batch, 64])

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.nn.relu(x @ w1) @ w2) ** 2)
        for variable, gradient in zip((w1, w2), tape.gradient(loss, [w1, w2])):
            variable.assign_sub(0.1 * gradient)
        return loss

    function = tf.function(step, input_signature=[tf.TensorSpec([None, 64])])
    return on_numpy(tf, lambda: function(x))


SUBJECTS = (
    Subject("first call of a function of n operations", (250, 1_000, 4_000, 16_000), _trace, True),
    Subject("a call of a function of n operations", (250, 1_000, 4_000, 16_000), _call, False),
    Subject("eager tape of n operations, and its gradient", (250, 1_000, 4_000, 16_000), _gradient, False),
    Subject("n traces of a function", (16, 64, 256, 1_024), _new_traces, True),
    Subject("a call of a function with n traces", (16, 64, 256, 1_024), _among_traces, False),
    Subject("first pass of n shapes through [None, 8]", (16, 64, 256, 1_024), lambda tf, n: _shapes(tf, n, None), True),
    Subject("the same with jit_compile", (4, 8, 16, 32), lambda tf, n: _shapes(tf, n, True), True),
    Subject("first call of a function with n captured variables", (50, 200, 800, 3_200), _capture, True),
    Subject("a call of a function with n captured variables", (50, 200, 800, 3_200), _captured_call, False),
    Subject("training step of a batch of n rows", (256, 1_024, 4_096, 16_384), _train_step, False),
)


# --- measuring ---------------------------------------------------------------------------------------------------


def measure(tf: Any, subject: Subject) -> Growth:
    """Measures one subject at all its sizes; memory apart from time, because tracing allocations takes time."""
    growth = Growth(subject.title, list(subject.sizes), [], [])
    for size in subject.sizes:
        call = subject.make(tf, size)
        for _ in range(1 if subject.keeps else _WARM_CALLS):
            call()
        growth.seconds.append(_least_seconds(call))
        growth.bytes.append(_bytes(subject.make(tf, size), subject.keeps))
    return growth


def _least_seconds(call: Callable[[], Any]) -> float:
    count, least = 1, math.inf
    for _ in range(_REPETITIONS):
        gc.collect()
        start = time.process_time()
        for _ in range(count):
            call()
        seconds = time.process_time() - start
        least = min(least, seconds / count)
        if seconds > 1.0:
            break
        count = max(count, math.ceil(_SHORTEST / max(seconds / count, 1e-9)))
    return least


def _bytes(call: Callable[[], Any], keeps: bool) -> int:
    """Returns the bytes that a call's result keeps, or the most that the second call takes."""
    if not keeps:
        call()
    gc.collect()
    tracemalloc.start()
    kept = call()
    gc.collect()
    current, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del kept
    return current if keeps else peak


def main() -> None:
    """Prints a line of JSON for each subject."""
    import millrace as tf

    tf.get_logger().setLevel("ERROR")  # the retracing is on purpose
    for subject in SUBJECTS:
        try:
            print(json.dumps(asdict(measure(tf, subject))), flush=True)
        except tf.errors.OpError as error:
            print(f"{subject.title}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
