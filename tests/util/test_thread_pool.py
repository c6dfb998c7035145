"""Work in parts that threads share."""

from __future__ import annotations

import contextvars
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator

import numpy as np
import pytest

from millrace._src.util import thread_pool
from millrace._src.util.thread_pool import block_bounds, run_in_parallel, thread_count

THREADS = 3


@pytest.fixture(autouse=True)
def three_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(thread_pool, "at_most_free_cores", lambda threads: threads)  # of a compiler in the background
    thread_pool.set_thread_count(THREADS)
    yield
    thread_pool.set_thread_count(0)


def meeting() -> threading.Barrier:
    """Returns a barrier where as many threads wait for each other as share work."""
    return threading.Barrier(THREADS, timeout=60)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 100])
def test_every_part_is_carried_out_once(count: int) -> None:
    parts: list[int] = []
    run_in_parallel(count, parts.append)
    assert sorted(parts) == list(range(count))


def test_parts_run_at_once_on_the_caller_and_on_threads_of_the_pool() -> None:
    barrier, threads = meeting(), set()

    def work(_: int) -> None:
        barrier.wait()  # only if all parts run at once does anybody pass
        threads.add(threading.current_thread().name)

    run_in_parallel(THREADS, work)
    assert threading.current_thread().name in threads
    assert len(threads) == THREADS


def test_one_thread_carries_out_all_parts_in_order_and_starts_no_thread() -> None:
    thread_pool.set_thread_count(1)
    before, parts = threading.active_count(), []
    run_in_parallel(9, lambda index: parts.append((index, threading.current_thread())))
    assert parts == [(index, threading.current_thread()) for index in range(9)]
    assert threading.active_count() == before


def test_without_a_choice_there_is_a_thread_for_each_usable_core(monkeypatch: pytest.MonkeyPatch) -> None:
    thread_pool.set_thread_count(0)
    monkeypatch.setattr(thread_pool, "usable_cores", lambda: 5)
    assert thread_count() == 5


def test_a_call_from_inside_of_a_part_runs_where_it_is() -> None:
    barrier, results = meeting(), []

    def work(_: int) -> None:
        barrier.wait()
        here = threading.current_thread()
        assert thread_count() == 1
        assert thread_pool.is_inside()
        run_in_parallel(5, lambda _: results.append(threading.current_thread() is here))

    run_in_parallel(THREADS, work)
    assert results == [True] * 5 * THREADS
    assert not thread_pool.is_inside()


def test_the_error_of_the_lowest_part_is_raised() -> None:
    barrier = meeting()

    def work(index: int) -> None:
        barrier.wait()
        raise ValueError(f"part {index}")

    for _ in range(20):
        with pytest.raises(ValueError, match="part 0"):
            run_in_parallel(THREADS, work)
    run_in_parallel(9, lambda _: None)  # the pool works on


def test_no_part_begins_after_an_error() -> None:
    barrier, begun = meeting(), []

    def work(index: int) -> None:
        begun.append(index)
        barrier.wait()
        raise KeyError(index)

    with pytest.raises(KeyError):
        run_in_parallel(100, work)
    assert sorted(begun) == list(range(THREADS))


def test_parts_see_the_context_of_the_caller() -> None:
    variable, barrier, values = contextvars.ContextVar("variable", default=0), meeting(), []
    variable.set(7)

    def work(_: int) -> None:
        barrier.wait()
        values.append((variable.get(), np.geterr()["divide"]))
        np.divide(np.ones(3), np.zeros(3))  # warnings are errors in tests

    with np.errstate(divide="ignore"):
        run_in_parallel(THREADS, work)
    assert values == [(7, "ignore")] * THREADS


def test_threads_that_call_at_once_share_the_pool() -> None:
    totals = np.zeros(8, int)

    def call(row: int) -> None:
        parts: list[int] = []
        for _ in range(50):
            run_in_parallel(10, parts.append)
        totals[row] = sum(parts)

    callers = [threading.Thread(target=call, args=(row,)) for row in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert totals.tolist() == [50 * 45] * 8


def test_work_is_let_go_of_when_it_is_done() -> None:
    array = np.ones(9)
    alive = weakref.ref(array)
    run_in_parallel(THREADS, lambda index, array=array: array[index])
    del array
    assert alive() is None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*")  # of Python and, where another test has used XLA, of JAX
def test_a_forked_process_has_threads_of_its_own() -> None:
    barrier = meeting()
    run_in_parallel(THREADS, lambda _: barrier.wait())
    child = os.fork()
    if not child:
        try:
            signal.alarm(60)
            fresh = meeting()
            run_in_parallel(THREADS, lambda _: fresh.wait())
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signals to a thread")
def test_ctrl_c_is_raised_when_no_part_runs_any_more() -> None:
    barrier, release, running = meeting(), threading.Event(), []

    def work(_: int) -> None:
        barrier.wait()
        if threading.current_thread() is threading.main_thread():
            signal.raise_signal(signal.SIGINT)
        running.append(1)
        release.wait(0.1)
        running.pop()

    with pytest.raises(KeyboardInterrupt):
        run_in_parallel(THREADS, work)
    assert not running


_INTERRUPTED = """
import faulthandler, random, signal
from millrace._src.util import thread_pool
from millrace._src.util.thread_pool import run_in_parallel

faulthandler.dump_traceback_later(50, exit=True)  # a hang
thread_pool.set_thread_count(3)
signal.signal(signal.SIGALRM, signal.default_int_handler)
rng = random.Random(0)
run_in_parallel(6, lambda _: None)
for _ in range(4000):
    try:
        signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-6, 2e-4))
        while True:
            run_in_parallel(6, lambda _: None)
    except KeyboardInterrupt:
        pass
    parts = []
    run_in_parallel(6, parts.append)
    assert sorted(parts) == list(range(6))
    assert not thread_pool.is_inside()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signals to a thread")
def test_whenever_ctrl_c_comes_nobody_waits_forever() -> None:
    command = [sys.executable, "-c", _INTERRUPTED]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)
    assert result.returncode == 0, result.stderr[-3000:]


@pytest.mark.parametrize(
    ("size", "most", "threads", "bounds"),
    [
        (10, 4, 1, [0, 3, 6, 10]),
        (10, 100, 4, [0, 2, 5, 7, 10]),
        (2, 100, 4, [0, 1, 2]),
        (0, 4, 2, [0, 0]),
        (5, 5, 1, [0, 5]),
    ],
)
def test_blocks_are_small_and_enough(size: int, most: int, threads: int, bounds: list[int]) -> None:
    assert block_bounds(size, most, threads) == bounds


def test_where_no_thread_can_be_started_the_caller_does_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    thread_pool._pool.cache_clear()

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    parts: list[int] = []
    run_in_parallel(5, parts.append)
    assert sorted(parts) == list(range(5))
    thread_pool._pool.cache_clear()
