"""Profiles: what it costs to start one, look at ops, and stop it; and the same ops without a profile."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

OPS = 1_000
PRODUCTS = 100
ROWS = (
    Row("profile_none", "eager a + b, 1,000 times, nothing watching", "us", per=OPS),
    Row("profile_eager", "eager a + b, 1,000 times in a profile, with starting and stopping", "us", per=OPS),
    Row("profile_function", "a function of 100 products, 100 calls in a profile", "ms"),
)


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    folder = tempfile.mkdtemp()
    a, b, m = tf.constant(1.0), tf.constant(2.0), tf.ones([10, 10])
    profiler = tf.profiler.experimental

    def eager() -> None:
        for _ in range(OPS):
            a + b

    @tf.function
    def products(x: Any) -> Any:
        for _ in range(PRODUCTS):
            x = tf.matmul(x, m)
        return x

    def profiled(work: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:
            profiler.start(folder)
            work()
            profiler.stop(save=False)

        return run

    def calls() -> None:
        for _ in range(100):
            products(m)

    return {"profile_none": eager, "profile_eager": profiled(eager), "profile_function": profiled(calls)}
