"""Running iterators: how many elements they take at once, and what a fork leaves of them."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.data import iterator_resource
from tests.data.pipelines import rest, started


@pytest.mark.parametrize(("seconds", "most", "least"), [(0.0, 1024, 512), (0.02, 2, 1)])
def test_blocks_grow_until_the_consumer_has_to_wait(
    seconds: float, most: int, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]

    def clock() -> float:
        now[0] += seconds
        return now[0]

    monkeypatch.setattr(iterator_resource, "perf_counter", clock)
    running = started(tf.data.Dataset.range(5000))
    counts = []
    while running.next_row() is not None:
        counts.append(running.count)
        running.index = running.count
    assert least <= max(counts) <= most
    assert rest(running) == []


# --- forks -------------------------------------------------------------------------------------------------------

Dataset = tf.data.Dataset


def forks(test: Any) -> Any:
    """Marks a test that forks."""
    test = pytest.mark.filterwarnings("ignore:.*fork.*")(test)
    return pytest.mark.skipif(sys.platform == "win32", reason="there are no forks")(test)


def in_child(work: Callable[[], bool]) -> bool:
    """Returns what a function returns in a forked process, which has ten seconds."""
    child = os.fork()
    if not child:
        code = 1
        try:
            signal.alarm(10)
            code = 0 if work() else 2
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@forks
def test_an_iterator_that_a_thread_is_using_says_so_in_a_forked_process() -> None:
    begun, goes_on = threading.Event(), threading.Event()

    def wait(number: Any) -> Any:
        begun.set()
        goes_on.wait(20)
        return np.int64(number)

    dataset = Dataset.range(3).map(lambda x: tf.numpy_function(wait, [x], tf.int64))
    iterator = iter(dataset)
    taken: list[int] = []
    thread = threading.Thread(target=lambda: taken.extend(int(x) for x in iterator))
    thread.start()
    begun.wait(20)

    def child() -> bool:
        goes_on.set()
        try:
            next(iterator)
        except tf.errors.FailedPreconditionError as error:
            return "Make a new iterator" in error.message and [int(x) for x in dataset] == [0, 1, 2]
        return False

    assert in_child(child)
    goes_on.set()
    thread.join(20)
    assert taken == [0, 1, 2]


@forks
def test_an_idle_iterator_goes_on_in_both_processes() -> None:
    iterator = iter(Dataset.range(100).shuffle(10, seed=1).batch(4))
    first = next(iterator).numpy().tolist()
    assert in_child(lambda: len(list(iterator)) == 24)
    assert len(first) + sum(len(batch) for batch in iterator) == 100


def test_an_iterator_that_outlives_its_module_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = started(tf.data.Dataset.range(3))
    monkeypatch.setattr(iterator_resource, "sys", None)  # as Python leaves a module when the program ends
    begun.__del__()
