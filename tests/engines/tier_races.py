"""The compiler's thread races calls, threads, forks, exceptions, gradient tapes and changes of variables.

    python -m tests.engines.tier_races --seconds 3600

Threads call functions that change engines all the time and compare each result with one that is computed by NumPy
alone. Now and then all threads rest, and the process forks: the child goes through all scenarios once. Other processes
end while their compiler works. The program ends with an error after a wrong result, where nothing goes on for a minute,
where a process dies of a signal, and where tiers, threads or memory have leaked.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

os.environ.update(MILLRACE_TIER="auto", MILLRACE_TIER_WAIT="0", MILLRACE_TIER_THRESHOLD="0")

import numpy as np

import millrace as tf
from millrace._src.engines.background_compiler import compiler
from millrace._src.engines.tier_cases import Case
from millrace._src.engines.tier_settings import Choice, settings

_STILL = 60
"""Seconds without progress that count as a deadlock."""
_MOST_GROWTH = 400
"""Megabytes that the process may grow after its first minute: executables that JAX keeps, and the allocator's share."""


def _close(result: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(result), expected, rtol=2e-5, atol=1e-5)


# --- scenarios: each makes some calls and compares their results ----------------------------------------------------


def _fresh(rng: random.Random) -> Callable[[], None]:
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
    """`jit_compile=True`: an index out of range is moved into the range, whoever runs the call."""
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


SCENARIOS = (
    _fresh, _shapes, _variables, _shared_variable, _tapes, _branches, _errors, _compiled, _draws, _loops
)  # fmt: skip


# --- processes -------------------------------------------------------------------------------------------------------


def _child(seed: int) -> int:
    """Goes through all scenarios in a forked child; returns the exit status."""
    signal.alarm(_STILL)
    try:
        for make in SCENARIOS:
            make(random.Random(seed))()
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _fork(seed: int) -> None:
    child = os.fork()
    if child == 0:
        os._exit(_child(seed))
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status):
        raise AssertionError(f"a forked child ended with {os.waitstatus_to_exitcode(status)}")


_ENDING = """
import os, sys, threading, time
os.environ.update(MILLRACE_TIER="auto", MILLRACE_TIER_WAIT="0", MILLRACE_TIER_THRESHOLD="0")
import millrace as tf
functions = [tf.function(lambda x, i=i: tf.tanh(x) * (1.0 + i)) for i in range(20)]
end = time.monotonic() + float(sys.argv[1])
print("started", flush=True)
while time.monotonic() < end or sys.argv[2] == "interrupt":
    for f in functions:
        f(tf.constant([1.0, 2.0]))
{"return": lambda: None, "exit": lambda: sys.exit(5), "raise": lambda: 1 / 0}[sys.argv[2]]()
"""
_STATUSES = {"return": (0,), "exit": (5,), "raise": (1,), "interrupt": (-signal.SIGINT, 1, 130)}


def _end(rng: random.Random) -> None:
    """Runs a process that ends while its compiler works."""
    way, seconds = rng.choice(list(_STATUSES)), rng.uniform(0, 1.5)
    command = [sys.executable, "-c", _ENDING, str(seconds), way]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        if way == "interrupt":
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
        try:
            _, said = process.communicate(timeout=_STILL)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"a process that ends by {way!r} hangs") from None
    if process.returncode not in _STATUSES[way]:
        raise AssertionError(f"a process that ends by {way!r} ended with {process.returncode}:\n{said[-2000:]}")


# --- the race --------------------------------------------------------------------------------------------------------


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

    def run(self) -> None:
        """Runs the race."""
        self.may_go.set()
        threads = [threading.Thread(target=self._work, args=(self.seed + i,)) for i in range(self.thread_count)]
        for thread in threads:
            thread.start()
        rng = random.Random(self.seed)
        while time.monotonic() < self.end and not self.failures:
            faulthandler.dump_traceback_later(_STILL * 3, exit=True)
            time.sleep(rng.uniform(0.1, 0.5))
            settings.choice = rng.choice([Choice.ALTERNATE, Choice.FASTEST])
            try:
                if rng.random() < 0.6:
                    self._rest_and_fork(rng)
                else:
                    _end(rng)
                    self.counts["ends"] += 1
            except BaseException:
                self.failures.append(traceback.format_exc())
        for thread in threads:
            thread.join(_STILL)
            if thread.is_alive():
                faulthandler.dump_traceback(all_threads=True)
                self.failures.append("a thread hangs")
        faulthandler.cancel_dump_traceback_later()

    def _rest_and_fork(self, rng: random.Random) -> None:
        """Forks while the compiler's thread works, and no other: a user's threads are the user's to bring in order."""
        self.may_go.clear()
        for _ in range(self.thread_count):
            self.resting.acquire()
        try:
            if rng.random() < 0.5:
                _fresh(rng)()  # gives the compiler work
            _fork(rng.randint(0, 1000))
            self.counts["forks"] += 1
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
        for _ in itertools.repeat(None, 1000):  # whoever waits for a rest need not wait for this thread
            self.resting.release()


def _megabytes() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def leaks(threads_before: int) -> list[str]:
    """Returns what has not gone away after a race."""
    compiler.wait()
    for thread in threading.enumerate():
        if thread.name == "millrace-compiler":
            thread.join(_STILL)
    gc.collect()
    found = []
    cases = sum(isinstance(thing, Case) for thing in gc.get_objects())
    if cases > 200:
        found.append(f"{cases} cases are alive")
    if threading.active_count() > threads_before:
        found.append(f"{threading.active_count()} threads are alive, {threads_before} were")
    return found


def main() -> int:
    """Runs a race as the command line says; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--threads", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # JAX and Python warn of forks in a process with threads
    faulthandler.enable()
    threads_before = threading.active_count()
    minutes = max(options.seconds / 60, 0.01)
    first = Race(min(60.0, options.seconds / 2), options.threads, options.seed)
    first.run()
    megabytes = _megabytes()
    race = Race(options.seconds - min(60.0, options.seconds / 2), options.threads, options.seed + 1)
    if not first.failures:
        race.run()
    growth = _megabytes() - megabytes
    failures = [*first.failures, *race.failures, *leaks(threads_before)]
    if growth > _MOST_GROWTH:
        failures.append(f"the process has grown by {growth:.0f} MB after its first minute")
    print(f"{minutes:.1f} minutes, {growth:.0f} MB more:", dict(first.counts + race.counts))
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
