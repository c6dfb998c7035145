"""Summaries: a scalar written from Python, by calls of a function, and by a loop in a function; a histogram."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, is_millrace

TURNS = 100_000
CALLS = 1_000
ROWS = (
    Row("summary_scalars", "tf.summary.scalar, 1,000 in eager mode", "ms", reach=0.0, beyond="tensorflow"),
    Row("summary_calls", "tf.summary.scalar in a function, 1,000 calls", "ms", reach=0.0, beyond="tensorflow"),
    Row("summary_loop", "tf.summary.scalar in a loop of a function", "us", reach=0.0, beyond="tensorflow", per=TURNS),
    Row("summary_histogram", "tf.summary.histogram of 100,000 numbers", "ms", reach=0.0, beyond="tensorflow"),
)


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    if not is_millrace(tf) and importlib.util.find_spec("tensorboard") is None:
        return {}  # TensorFlow's own tf.summary.scalar is in that package
    writer = tf.summary.create_file_writer(tempfile.mkdtemp())
    number, step = tf.constant(0.5), tf.constant(1, tf.int64)
    numbers = tf.random.stateless_normal([100_000], seed=[1, 2])

    def eager() -> None:
        with writer.as_default():
            for count in range(CALLS):
                tf.summary.scalar("loss", 0.5, step=count)

    @tf.function
    def one(x: Any, step: Any) -> None:
        tf.summary.scalar("loss", x, step=step)

    def calls() -> None:
        with writer.as_default():
            for _ in range(CALLS):
                one(number, step)

    @tf.function
    def loop(turns: Any) -> None:
        with writer.as_default():
            for turn in tf.range(turns):
                tf.summary.scalar("loss", tf.cast(turn, tf.float32), step=turn)

    def histogram() -> None:
        with writer.as_default():
            tf.summary.histogram("weights", numbers, step=1)

    turns = tf.constant(TURNS, tf.int64)
    return {
        "summary_scalars": eager,
        "summary_calls": calls,
        "summary_loop": lambda: loop(turns),
        "summary_histogram": histogram,
    }
