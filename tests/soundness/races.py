"""The compiler's thread races calls, threads, forks, interrupts, exceptions, gradient tapes and changes of variables.

    python -m tests.soundness.races --minutes 60

Threads call functions that change engines all the time and compare each result with one that is computed by NumPy
alone. Now and then all threads rest, and the process forks: the child goes through all scenarios once. Other processes
end, or are interrupted by Ctrl-C, while their compiler works. The program ends with an error after a wrong result,
where nothing goes on for a minute, where a process dies of a signal, and where tiers, threads or memory have leaked.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import itertools
import logging
import os
import random
import statistics
import sys
import threading
import time
import traceback
import warnings
from collections import Counter

os.environ.update(MILLRACE_TIER="auto", MILLRACE_TIER_WAIT="0", MILLRACE_TIER_THRESHOLD="0")
os.environ.setdefault("MILLRACE_COMPILE_CACHE", "0")

from millrace._src.engines.background_compiler import compiler
from millrace._src.engines.tier_selection import ShapeSpecialization
from millrace._src.engines.tier_settings import TierChoice, settings
from tests.soundness import race_processes
from tests.soundness.race_processes import STILL
from tests.soundness.race_scenarios import SCENARIOS, fresh

_MAX_GROWTH = 0.1
"""How much larger the process may be in the last third of a race than in the second third."""
_MIN_GROWTH = 60
"""Megabytes that count as no growth: what the allocator keeps differs from time to time."""


class Race:
    """Threads that go through scenarios until the time is over.

    Args:
      seconds: how long.
      thread_count: how many threads.
      seed: decides the scenarios, not their order in time.
    """

    def __init__(self, seconds: float, thread_count: int, seed: int) -> None:
        self.end = time.monotonic() + seconds
        self.seed = seed
        self.thread_count = thread_count
        self.counts: Counter[str] = Counter()
        self.failures: list[str] = []
        self.may_go = threading.Event()
        self.resting = threading.Semaphore(0)
        self.megabytes: list[float] = []

    def run(self) -> None:
        """Runs the race."""
        self.may_go.set()
        threads = [threading.Thread(target=self._work, args=(self.seed + i,)) for i in range(self.thread_count)]
        for thread in threads:
            thread.start()
        rng = random.Random(self.seed)
        while time.monotonic() < self.end and not self.failures:
            faulthandler.dump_traceback_later(STILL * 3, exit=True)
            time.sleep(rng.uniform(0.1, 0.5))
            settings.choice = rng.choice([TierChoice.ALTERNATE, TierChoice.FASTEST])
            try:
                self._do_something(rng)
            except BaseException:
                self.failures.append(traceback.format_exc())
            self.megabytes.append(_megabytes())
        for thread in threads:
            thread.join(STILL)
            if thread.is_alive():
                faulthandler.dump_traceback(all_threads=True)
                self.failures.append("a thread hangs")
        faulthandler.cancel_dump_traceback_later()

    def _do_something(self, rng: random.Random) -> None:
        """Forks, or runs another process."""
        kind = rng.choices(["fork", "end", "interrupt"], [6, 3, 1])[0]
        if kind == "fork":
            self._rest_and_fork(rng)
        elif kind == "end":
            race_processes.end(rng)
        else:
            race_processes.interrupt(rng)
        self.counts[kind] += 1

    def _rest_and_fork(self, rng: random.Random) -> None:
        """Forks while the compiler's thread works, and no other: a user's threads are the user's to bring in order."""
        self.may_go.clear()
        for _ in range(self.thread_count):
            self.resting.acquire()
        try:
            if rng.random() < 0.5:
                fresh(rng)()  # gives the compiler work
            rng.choice([race_processes.fork, race_processes.fork_by_multiprocessing])(rng.randint(0, 1000))
        finally:
            self.may_go.set()

    def _work(self, seed: int) -> None:
        rng = random.Random(seed)
        while time.monotonic() < self.end and not self.failures:
            if not self.may_go.is_set():
                self.resting.release()
                self.may_go.wait()
            make = rng.choice(SCENARIOS)
            try:
                make(rng)()
                self.counts[make.__name__] += 1
            except BaseException:
                self.failures.append(f"{make.__name__}: {traceback.format_exc()}")
        for _ in itertools.repeat(None, 1000):  # a thread that waits for a rest need not wait for this thread
            self.resting.release()


def _megabytes() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def growth_of(megabytes: list[float]) -> str | None:
    """Returns what is wrong with the sizes of a process in the order of time, if anything is: it grows."""
    third = len(megabytes) // 3
    if third < 20:
        return None  # nothing to see in some seconds
    before, after = statistics.median(megabytes[third : 2 * third]), statistics.median(megabytes[2 * third :])
    if after - before <= max(_MIN_GROWTH, _MAX_GROWTH * before):
        return None
    return f"the process has grown from {before:.0f} to {after:.0f} MB"


def leaks() -> list[str]:
    """Returns what has not gone away after a race."""
    compiler.wait()
    for thread in threading.enumerate():
        if thread.name == "millrace-compiler":
            thread.join(STILL)
    gc.collect()
    found = []
    cases = sum(isinstance(thing, ShapeSpecialization) for thing in gc.get_objects())
    if cases > 400:  # of functions that all threads share
        found.append(f"{cases} cases are alive")
    if any(thread.name == "millrace-compiler" for thread in threading.enumerate()):
        found.append("the compiler's thread has not ended")
    return found


def main() -> int:
    """Runs a race as the command line says; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=0.1)
    parser.add_argument("--threads", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    logging.getLogger("tensorflow").setLevel(logging.ERROR)  # functions are traced again and again
    warnings.simplefilter("ignore")  # JAX and Python warn of forks in a process with threads
    faulthandler.enable()
    race = Race(options.minutes * 60, options.threads, options.seed)
    race.run()
    failures = [*race.failures, *leaks(), *filter(None, [growth_of(race.megabytes)])]
    sizes = [f"{size:.0f}" for size in race.megabytes[:: max(len(race.megabytes) // 12, 1)]]
    print(f"{options.minutes:.1f} minutes, {' '.join(sizes)} MB:", dict(race.counts))
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
