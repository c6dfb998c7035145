"""`tf.train.Coordinator`: threads that stop together, and the error that `join` raises."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

import pytest

import millrace as tf

Coordinator, LooperThread = tf.train.Coordinator, tf.compat.v1.train.LooperThread


def _exception_info() -> Any:
    try:
        raise ValueError("info")
    except ValueError:
        return sys.exc_info()


@pytest.fixture
def sleepy() -> Any:
    """A thread that does not end before the test."""
    end = threading.Event()
    thread = threading.Thread(target=end.wait, daemon=True, name="sleepy")
    thread.start()
    yield thread
    end.set()


def test_a_stop_is_requested_once_and_taken_back() -> None:
    coordinator = Coordinator()
    assert not coordinator.should_stop() and not coordinator.joined and not coordinator.wait_for_stop(0.01)
    coordinator.request_stop()
    assert coordinator.should_stop() and coordinator.wait_for_stop(1)
    coordinator.join()
    assert coordinator.joined
    coordinator.request_stop()
    with pytest.raises(ValueError, match="too late"):
        coordinator.request_stop(ValueError("too late"))
    coordinator.clear_stop()
    assert not coordinator.should_stop() and not coordinator.joined


def test_threads_stop_together() -> None:
    coordinator, rounds = Coordinator(), list[int]()

    def work(number: int) -> None:
        while not coordinator.should_stop():
            rounds.append(number)
            if len(rounds) > 20:
                coordinator.request_stop()
            time.sleep(0.001)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    coordinator.join(threads)
    assert not any(thread.is_alive() for thread in threads)


@pytest.mark.parametrize("give", [lambda: ValueError("info"), _exception_info])
def test_join_raises_the_first_error(give: Any) -> None:
    coordinator = Coordinator()
    coordinator.request_stop(give())
    coordinator.request_stop(KeyError("later"))
    with pytest.raises(ValueError, match="info"):
        coordinator.raise_requested_exception()
    with pytest.raises(ValueError, match="info"):
        coordinator.join([])


def test_the_end_of_data_is_no_error() -> None:
    coordinator = Coordinator()
    coordinator.request_stop(tf.errors.OutOfRangeError(None, None, "end"))
    coordinator.raise_requested_exception()
    coordinator.join([])
    coordinator = Coordinator([KeyError])
    with coordinator.stop_on_exception():
        raise KeyError("k")
    coordinator.join([])


def test_an_exception_in_the_context_is_a_request_to_stop() -> None:
    coordinator = Coordinator()
    with coordinator.stop_on_exception():
        raise RuntimeError("in the thread")
    with pytest.raises(RuntimeError, match="in the thread"):
        coordinator.join([])


@pytest.mark.parametrize("wrong", ["text", (1, 2, 3)])
def test_a_stop_is_requested_for_an_error_only(wrong: Any) -> None:
    with pytest.raises(TypeError, match="must be an exception"):
        Coordinator().request_stop(wrong)


def test_threads_that_do_not_end_are_an_error(sleepy: Any) -> None:
    coordinator = Coordinator()
    coordinator.register_thread(sleepy)
    coordinator.request_stop()
    with pytest.raises(RuntimeError, match="Coordinator stopped with threads still running: sleepy"):
        coordinator.join(stop_grace_period_secs=0.05)
    coordinator.join([sleepy], stop_grace_period_secs=0.05, ignore_live_threads=True)
    coordinator = Coordinator()
    coordinator.request_stop(ValueError("first"))
    with pytest.raises(ValueError, match="first"):
        coordinator.join([sleepy], stop_grace_period_secs=0.05)


def test_a_looper_runs_until_the_stop() -> None:
    coordinator, calls = Coordinator(), list[Any]()

    def work(a: int, b: int = 0) -> None:
        calls.append((a, b))
        if len(calls) == 3:
            raise ValueError("three")

    LooperThread.loop(coordinator, 0.001, work, args=(1,), kwargs={"b": 2})
    with pytest.raises(ValueError, match="three"):
        coordinator.join()
    assert calls == [(1, 2)] * 3


def test_a_subclass_of_looper_says_what_a_round_is() -> None:
    steps = list[str]()

    class Steps(LooperThread):  # type: ignore[misc]  # of a lazily imported class
        def start_loop(self) -> None:
            steps.append("start")

        def run_loop(self) -> None:
            steps.append("round")
            coordinator.request_stop()

        def stop_loop(self) -> None:
            steps.append("stop")

    coordinator = Coordinator()
    thread = Steps(coordinator, None)
    thread.start()
    coordinator.join()
    assert steps == ["start", "round", "stop"] and thread.daemon
    idle = LooperThread(coordinator, None)
    idle.run()


def test_a_looper_has_a_coordinator() -> None:
    with pytest.raises(ValueError, match="'coord' argument must be a Coordinator: 3"):
        LooperThread(3, 1)
    with pytest.raises(ValueError, match="require that you also pass 'target'"):
        LooperThread(Coordinator(), 1, args=(1,))
