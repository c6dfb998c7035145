"""Runs one model in one process, on one framework, and prints what its user felt as a line of JSON.

Times count from before the model is built, after the imports. Millrace compiles in the background and then finds out
which engine is faster; the steady step is measured when that is over. What a framework prints goes to stderr.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.models.table import BY_NAME
from benchmarks.worker import MAX_SETTLING, MODULES, compiles, pin_to, take_stdout, waiting

FIRST_STEPS = 30
QUIET = {"millrace": (3.0, 5)}
"""Framework -> the seconds and the number of steps without a compiler at work after which it has settled."""
UNDECIDED_SHARE = 0.1
"""The share of the time since the start that functions may have taken whose engine can still change."""
MAX_STEADY, MIN_STEADY, MIN_STEPS = 8.0, 1.0, 60
"""The steady steps end after the most seconds, or before that after the least seconds and the least steps."""


class Steps:
    """The steps of a model, made one by one.

    Args:
      build: builds the model and returns what one step does.
      wait: waits for the result of a step.
      clock: returns the time in seconds.
    """

    def __init__(self, build: Callable[[], Any], wait: Callable[[Any], Any], clock: Callable[[], float]) -> None:
        self.wait, self.clock = wait, clock
        self.started, self.start = time.perf_counter(), clock()
        self.busy_until = 0.0
        """Wall seconds from the start to the last step that found a compiler at work."""
        self.step = build()

    def make(self) -> float:
        """Makes a step; returns its seconds."""
        before = self.clock()
        self.wait(self.step())
        seconds = self.clock() - before
        if compiles():
            self.busy_until = self.wall()
        return seconds

    def wall(self) -> float:
        """Returns the wall seconds since the start."""
        return time.perf_counter() - self.started

    def until(self, count: int) -> float:
        """Makes steps; returns the seconds since the start."""
        for _ in range(count):
            self.make()
        return self.clock() - self.start

    def settle(self, seconds: float, count: int) -> bool:
        """Makes steps until engines are chosen, and no compiler was at work for so long, and so many steps.

        Returns: whether that came.
        """
        begun, quiet = self.wall(), 0
        while self.wall() - begun < MAX_SETTLING:
            is_quiet = quiet >= count and self.wall() - self.busy_until >= seconds
            if is_quiet and seconds_undecided() <= UNDECIDED_SHARE * self.wall():
                return True
            before = self.busy_until
            self.make()
            quiet = quiet + 1 if self.busy_until == before else 0
        return False

    def steady(self) -> tuple[float, float]:
        """Returns the median of the last third of many steps, and the share of a core that the process had."""
        seconds: list[float] = []
        begun, processor = time.perf_counter(), time.process_time()
        while (wall := time.perf_counter() - begun) < MAX_STEADY:
            if len(seconds) >= MIN_STEPS and wall >= MIN_STEADY:
                break
            seconds.append(self.make())
        return last_third(seconds), (time.process_time() - processor) / max(time.perf_counter() - begun, 1e-9)


def seconds_undecided() -> float:
    """Returns the seconds in functions of Millrace that may still move to another engine; 0 without Millrace."""
    programs = sys.modules.get("millrace._src.engines.tiered_program")
    if programs is None:
        return 0.0
    found = [each for program in list(programs.tiered_programs) for each in program.specializations()]
    return sum(each.budget.spent for each in found if each.chosen is None)


def last_third(seconds: list[float]) -> float:
    """Returns the median of the last third of the steps, of one step at least."""
    return statistics.median(seconds[-max(1, len(seconds) // 3) :])


def measure(build: Callable[[], Any], framework: str, wait: Callable[[Any], Any], clock: str) -> dict[str, float]:
    """Returns the figures of a model, by their names in `benchmarks.models.table.FIGURES`, and the share of a core."""
    gc.collect()
    steps = Steps(build, wait, getattr(time, clock))
    first = steps.until(1)
    thirty = steps.until(FIRST_STEPS - 1)
    is_settled = steps.settle(*QUIET.get(framework, (0.0, 0)))
    settled = steps.busy_until
    steady, share = steps.steady()
    return {
        "first": first,
        "thirty": thirty,
        "steady": 1e3 * steady,
        "settle": settled,
        "memory": peak_megabytes(),
        "share": share,
        "is_settled": is_settled,
    }


def peak_megabytes() -> float:
    """Returns the largest resident size that this process had."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def import_framework(name: str) -> Any:
    """Imports a framework, and makes it what `import tensorflow` and `import keras` mean in this process."""
    os.environ["KERAS_BACKEND"] = "tensorflow" if name == "millrace" else name
    module = importlib.import_module(MODULES[name])
    if name == "millrace":
        module.install_as_tensorflow()
    return module


def main() -> None:
    """Prints the figures, or `missing` if the framework cannot be imported, or `error`."""
    framework, name, clock, core = sys.argv[1:]
    pin_to(core)
    answers = take_stdout()
    answer: dict[str, Any]
    try:
        module = import_framework(framework)
        answer = {"version": module.__version__}
        build = BY_NAME[name].builder()
        importlib.import_module("keras").utils.set_random_seed(0)
    except Exception as error:
        answer = {"missing": f"{type(error).__name__}: {error}"}
    else:
        try:
            answer |= measure(build, framework, waiting(framework, module), clock)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
