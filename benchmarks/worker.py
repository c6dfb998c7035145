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
import threading
import time
from collections.abc import Callable
from typing import Any, TextIO

REPETITION = 0.05
"""Seconds that one repetition takes at least; a call that takes longer is a repetition by itself."""
SETTLING = {"millrace": {"default": (3.0, 50), "jit": (0.5, 3), "numpy": (3.0, 50), "": (3.0, 50)}}
"""Framework -> variant -> the seconds and the number of calls before a function is measured that may change its engine.

They count from when no compiler is at work in the background; then come the calls that find out which engine is faster.
"""
MAX_SETTLING = 60.0
COMPILER = "millrace-compiler"
"""The name of the thread that compiles."""

MODULES = {"millrace": "millrace", "tensorflow": "tensorflow", "jax": "jax", "torch": "torch", "numpy": "numpy"}
FUNCTIONS = {"millrace": "tensorflow"}
"""Framework -> the function of a program that sets it up, where the two names differ."""


def compiles() -> bool:
    """Returns whether a compiler is at work in the background of this process."""
    return any(thread.name == COMPILER for thread in threading.enumerate())


def pin_to(core: str) -> None:
    """Keeps this process on one core, where the system can; the empty string leaves it free."""
    if core and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(core)})


def take_stdout() -> TextIO:
    """Returns what writes to stdout, and sends to stderr what the rest of the process prints."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def waiting(framework: str, module: Any) -> Callable[[Any], Any]:
    """Returns what waits for a result that may still be computed."""
    if framework == "jax":
        return module.block_until_ready  # type: ignore[no-any-return]  # a function
    if framework == "millrace":
        return lambda result: [part.numpy() for part in module.nest.flatten(result) if isinstance(part, module.Tensor)]
    return lambda result: None


class Worker:
    """The programs of one framework, set up on first use.

    Args:
      framework: its name.
      clock: the function of `time` that measures.
    """

    def __init__(self, framework: str, clock: str) -> None:
        self.settling = SETTLING.get(framework, {})
        self.module: Any = importlib.import_module(MODULES[framework])
        self.function = FUNCTIONS.get(framework, framework)
        self.wait = waiting(framework, self.module)
        self.clock: Callable[[], float] = getattr(time, clock)
        self.calls: dict[str, dict[str, dict[str, Callable[[], Any]]]] = {}
        self.counts: dict[tuple[str, str], int] = {}

    def variants(self, program: str, row: str) -> dict[str, Callable[[], Any]]:
        """Returns the calls of a row by variant, none if the framework does not take part; sets up at first."""
        if program not in self.calls:
            setup = getattr(importlib.import_module(f"benchmarks.programs.{program}"), self.function, None)
            calls = setup(self.module) if setup else {}
            self.calls[program] = {key: call if isinstance(call, dict) else {"": call} for key, call in calls.items()}
        return self.calls[program].get(row, {})

    def measure(self, program: str, row: str, variant: str) -> dict[str, float]:
        """Returns the seconds of one call, and which share of a core the process had. The first time, it warms up."""
        call = self.variants(program, row)[variant]
        if (row, variant) not in self.counts:
            self.counts[row, variant] = self.warm_up(call, *self.settling.get(variant, (0.0, 0)))
        return self.repetition(call, self.counts[row, variant])

    def warm_up(self, call: Callable[[], Any], seconds_to_settle: float, calls_to_settle: int) -> int:
        """Calls until the time is steady; returns how many calls make a repetition."""
        self.wait(call())
        self.commit(call, seconds_to_settle, calls_to_settle)
        count, seconds = 1, self.repetition(call, 1)["seconds"]
        while count * seconds < REPETITION:
            count = max(count + 1, min(10 * count, int(1.2 * REPETITION / max(seconds, 1e-9))))
            seconds = self.repetition(call, count)["seconds"]
        return count

    def commit(self, call: Callable[[], Any], seconds: float, count: int) -> None:
        """Calls for so many seconds, and so often, after a compiler was last at work in the background."""
        start = since = time.perf_counter()
        calls = 0
        while (now := time.perf_counter()) - start < MAX_SETTLING and (now - since < seconds or calls < count):
            self.wait(call())
            calls += 1
            if compiles():
                since, calls = time.perf_counter(), 0

    def repetition(self, call: Callable[[], Any], count: int) -> dict[str, float]:
        """Times `count` calls, without garbage collection."""
        gc.collect()
        gc.disable()
        result = None
        for _ in range(count // 20):  # wakes threads and caches up
            result = call()
        self.wait(result)
        wall, processor, start = time.perf_counter(), time.process_time(), self.clock()
        for _ in itertools.repeat(None, count):
            result = call()
        self.wait(result)
        seconds = self.clock() - start
        share = (time.process_time() - processor) / max(time.perf_counter() - wall, 1e-9)
        gc.enable()
        return {"seconds": seconds / count, "share": share}


def main() -> None:
    """Answers requests until stdin ends."""
    framework, clock, core = sys.argv[1:]
    pin_to(core)
    answers = take_stdout()
    answer: dict[str, Any]
    try:
        worker = Worker(framework, clock)
        answer = {"version": worker.module.__version__, "python": sys.version.split()[0]}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"variants": list(worker.variants(*request))} if len(request) == 2 else worker.measure(*request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
