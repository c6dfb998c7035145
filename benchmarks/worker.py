"""Runs in the interpreter of one framework and times single repetitions, as it is asked to.

The runner asks all workers in turn, so that what disturbs the machine disturbs all frameworks alike. A request is a
line of JSON on stdin, the answer a line on the stream that was stdout when the process started; whatever a framework
prints goes to stderr.
"""

from __future__ import annotations

import gc
import importlib
import itertools
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

REPETITION = 0.05
"""Seconds that one repetition takes at least; a call that takes longer is a repetition by itself."""

MODULES = {"millrace": "millrace", "tensorflow": "tensorflow", "jax": "jax", "torch": "torch", "numpy": "numpy"}
FUNCTIONS = {"millrace": "tensorflow"}
"""Framework -> the function of a program that sets it up, where the two names differ."""


def _wait(framework: str, module: Any) -> Callable[[Any], Any]:
    """What waits for a result that may still be computed."""
    if framework == "jax":
        return module.block_until_ready  # type: ignore[no-any-return]  # a function
    if framework == "millrace":
        return lambda result: [part.numpy() for part in module.nest.flatten(result) if isinstance(part, module.Tensor)]
    return lambda result: None


class Worker:
    """The programs of one framework, set up on first use."""

    def __init__(self, framework: str) -> None:
        self.module: Any = importlib.import_module(MODULES[framework])
        self.function = FUNCTIONS.get(framework, framework)
        self.wait = _wait(framework, self.module)
        self.calls: dict[str, dict[str, Callable[[], Any]]] = {}
        self.counts: dict[str, int] = {}

    def measure(self, program: str, row: str) -> float | None:
        """The seconds of one call; None if the framework does not take part. The first time, it warms up."""
        if program not in self.calls:
            setup = getattr(importlib.import_module(f"benchmarks.programs.{program}"), self.function, None)
            self.calls[program] = setup(self.module) if setup else {}
        call = self.calls[program].get(row)
        if call is None:
            return None
        if row not in self.counts:
            self.counts[row] = self.warm_up(call)
        return self.repetition(call, self.counts[row])

    def warm_up(self, call: Callable[[], Any]) -> int:
        """Calls until the time is steady; returns how many calls make a repetition."""
        self.wait(call())
        count, seconds = 1, self.repetition(call, 1)
        while count * seconds < REPETITION:
            count = max(count + 1, min(10 * count, int(1.2 * REPETITION / max(seconds, 1e-9))))
            seconds = self.repetition(call, count)
        return count

    def repetition(self, call: Callable[[], Any], count: int) -> float:
        """The mean seconds of `count` calls, without garbage collection."""
        gc.collect()
        gc.disable()
        result = None
        for _ in range(count // 20):  # wakes threads and caches up
            result = call()
        self.wait(result)
        start = time.perf_counter()
        for _ in itertools.repeat(None, count):
            result = call()
        self.wait(result)
        seconds = time.perf_counter() - start
        gc.enable()
        return seconds / count


def main() -> None:
    """Answers requests until stdin ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        worker = Worker(sys.argv[1])
        hello: dict[str, Any] = {"version": worker.module.__version__, "python": sys.version.split()[0]}
    except Exception as error:
        hello = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(hello), file=answers, flush=True)
    for line in sys.stdin:
        answer: dict[str, Any]
        try:
            answer = {"seconds": worker.measure(*json.loads(line))}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
