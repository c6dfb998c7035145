"""Processes of a race: forks that go through all scenarios, programs that end, or are interrupted, in the middle."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import random
import select
import signal
import subprocess
import sys
import time
import traceback

from tests.soundness.race_scenarios import SCENARIOS

STILL = 60
"""Seconds without progress that count as a deadlock."""
_SWALLOWED = 5
"""Seconds after which Ctrl-C comes again: Python drops what is raised in a garbage collection."""


def _child(seed: int) -> int:
    """Goes through all scenarios in a forked child; returns the exit status."""
    faulthandler.register(signal.SIGALRM, chain=True)  # tells where, and then the signal ends the process
    signal.alarm(STILL)
    try:
        for make in SCENARIOS:
            make(random.Random(seed))()
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def fork(seed: int) -> None:
    """Forks; the child goes through all scenarios, and leaves by `os._exit`, as `os.fork` programs do."""
    child = os.fork()
    if child == 0:
        os._exit(_child(seed))
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status):
        raise AssertionError(f"a forked child ended with {os.waitstatus_to_exitcode(status)}")


def fork_by_multiprocessing(seed: int) -> None:
    """Lets `multiprocessing` fork; the child goes through all scenarios, and ends as interpreters do."""
    process = multiprocessing.get_context("fork").Process(target=_exit_with, args=(seed,))
    process.start()
    process.join(2 * STILL)
    if process.exitcode:
        raise AssertionError(f"a child of multiprocessing ended with {process.exitcode}")
    if process.is_alive():
        process.kill()
        raise AssertionError("a child of multiprocessing hangs")


def _exit_with(seed: int) -> None:
    sys.exit(_child(seed))


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


def end(rng: random.Random) -> None:
    """Runs a process that ends while its compiler works."""
    ending, seconds = rng.choice(list(_STATUSES)), rng.uniform(0, 1.5)
    interrupts = [seconds] if ending == "interrupt" else []
    status, said = _run([sys.executable, "-c", _ENDING, str(seconds), ending], interrupts)
    if status not in _STATUSES[ending]:
        raise AssertionError(f"a process that ends by {ending!r} ended with {status}:\n{said[-2000:]}")


_INTERRUPTED = """
import faulthandler, os, signal, sys, threading
os.environ.update(MILLRACE_TIER="auto", MILLRACE_TIER_WAIT="0", MILLRACE_TIER_THRESHOLD="0")
faulthandler.enable()
import numpy as np
import millrace as tf
from millrace._src.util.thread_pool import run_in_parallel, set_thread_count
set_thread_count(2)
first, second = tf.Variable(np.zeros(8, np.float32)), tf.Variable(np.zeros(8, np.float32))

def step(x):
    first.assign_add(tf.tanh(x) * 0.0 + 1.0)
    second.assign_add(tf.tanh(x) * 0.0 + 1.0)
    return tf.reduce_sum(first) * 0.0 + tf.reduce_sum(x)

steps = [tf.function(step), tf.function(step, jit_compile=True)]
x = tf.constant(np.arange(8, dtype=np.float32))

def look():
    a, b = first.numpy(), second.numpy()
    assert (a == a[0]).all() and (b == b[0]).all() and 0 <= a[0] - b[0] <= 1, (a, b)
    second.assign(first)

caught = 0
while caught < int(sys.argv[1]):
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print("ready", flush=True)
        while True:
            for f in steps:
                assert float(f(x)) == 28.0
            run_in_parallel(4, lambda _: None)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        caught += 1
    look()
    for f in steps:
        threads = [threading.Thread(target=f, args=(x,)) for _ in range(2)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    look()
"""


def interrupt(rng: random.Random) -> None:
    """Runs a process that is interrupted some times and goes on; its variables must be those of whole steps."""
    pauses = [rng.uniform(0.0, 0.3) for _ in range(8)]
    status, said = _run([sys.executable, "-c", _INTERRUPTED, str(len(pauses))], pauses)
    if status:
        raise AssertionError(f"a process that is interrupted ended with {status}:\n{said[-3000:]}")


def _run(command: list[str], pauses: list[float]) -> tuple[int, str]:
    """Runs a process that prints a line when it is ready for Ctrl-C; returns its exit status and its errors.

    Args:
      command: the command.
      pauses: how long after each line Ctrl-C comes.
    """
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for index, pause in enumerate(pauses):
            for _ in range(STILL // _SWALLOWED if index else 0):
                if select.select([process.stdout], [], [], _SWALLOWED)[0]:
                    break
                process.send_signal(signal.SIGINT)
            process.stdout.readline()
            time.sleep(pause)
            process.send_signal(signal.SIGINT)
        for _ in range(STILL // _SWALLOWED):
            try:
                _, said = process.communicate(timeout=_SWALLOWED)
                break
            except subprocess.TimeoutExpired:
                if pauses:
                    process.send_signal(signal.SIGINT)
        else:
            process.send_signal(signal.SIGABRT)  # faulthandler tells where
            _, said = process.communicate()
            raise AssertionError(f"a process hangs: {command[-1]}\n{said[-6000:]}")
    return process.returncode, said
