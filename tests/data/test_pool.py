"""Tasks and the pool: no deadlock, no lost error, forks."""

from __future__ import annotations

import os
import sys
import threading
import time

import pytest

import millrace as tf
from millrace._src.data.pool import Task, TaskLanes


def test_a_task_that_has_not_begun_is_run_by_the_thread_that_needs_it() -> None:
    task = Task(threading.get_ident)
    assert not task.is_done
    assert task.result() == threading.get_ident() == task.result()
    assert task.is_done


def test_a_started_task_is_carried_out_by_another_thread() -> None:
    task = Task(threading.get_ident)
    task.start()
    while not task.is_done:
        time.sleep(0.001)
    assert task.result() != threading.get_ident()


def test_an_error_is_raised_where_the_result_is_needed() -> None:
    def fail() -> None:
        raise KeyError("no")

    for starts in (False, True):
        task = Task(fail)
        if starts:
            task.start()
        for _ in range(2):
            with pytest.raises(KeyError):
                task.result()


def test_a_task_that_runs_is_left_to_its_thread() -> None:
    begun, goes_on = threading.Event(), threading.Event()
    threads: list[int] = []

    def wait() -> None:
        threads.append(threading.get_ident())
        begun.set()
        goes_on.wait()

    running, idle = Task(wait), Task(lambda: threads.append(threading.get_ident()))
    running.start()
    begun.wait()
    running.run_if_idle()
    idle.run_if_idle()
    idle.run_if_idle()
    goes_on.set()
    running.result()
    assert len(threads) == 2
    assert idle.is_done
    assert threads[1] == threading.get_ident() != threads[0]


def test_a_cancelled_task_is_not_carried_out() -> None:
    calls: list[int] = []
    task = Task(lambda: calls.append(1))
    assert task.cancel()
    task.start()
    time.sleep(0.02)
    assert not calls


def test_a_running_task_cannot_be_cancelled() -> None:
    begun, goes_on = threading.Event(), threading.Event()

    def wait() -> int:
        begun.set()
        goes_on.wait()
        return 7

    task = Task(wait)
    task.start()
    begun.wait()
    assert not task.cancel()
    goes_on.set()
    assert task.result() == 7


def test_an_interrupted_call_is_made_again() -> None:
    calls: list[int] = []

    def interrupted_once() -> int:
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return len(calls)

    task = Task(interrupted_once)
    with pytest.raises(KeyboardInterrupt):
        task.result()
    assert task.result() == 2


def test_tasks_that_wait_for_tasks_do_not_fill_the_pool() -> None:
    def nested(depth: int) -> int:
        if not depth:
            return 1
        tasks = [Task(lambda: nested(depth - 1)) for _ in range(6)]
        for task in tasks:
            task.start()
        return sum(task.result() for task in tasks)

    assert nested(4) == 6**4


def test_lanes_run_all_tasks_in_so_many_threads_as_they_may() -> None:
    running: list[int] = []
    most: list[int] = []

    def wait() -> int:
        running.append(1)
        most.append(len(running))
        time.sleep(0.002)
        running.pop()
        return threading.get_ident()

    lanes = TaskLanes(3)
    tasks = [Task(wait) for _ in range(30)]
    for task in tasks:
        lanes.add(task)
    while not all(task.is_done for task in tasks):
        time.sleep(0.001)
    assert max(most) == 3
    assert threading.get_ident() not in {task.result() for task in tasks}


def test_cleared_lanes_begin_no_further_tasks() -> None:
    begun = threading.Event()
    goes_on = threading.Event()
    calls: list[int] = []
    lanes = TaskLanes(1)
    lanes.add(Task(lambda: (begun.set(), goes_on.wait())))
    lanes.add(Task(lambda: calls.append(1)))
    begun.wait()
    lanes.clear()
    goes_on.set()
    time.sleep(0.02)
    assert not calls
    again = Task(lambda: 7)
    lanes.add(again)
    assert again.result() == 7


@pytest.mark.skipif(sys.platform == "win32", reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*fork.*")
def test_a_forked_process_has_a_pool_of_its_own_and_is_told_of_calls_that_it_lost() -> None:
    goes_on = threading.Event()
    begun = threading.Event()
    lost = Task(lambda: (begun.set(), goes_on.wait()))
    lost.start()
    begun.wait()
    child = os.fork()
    if not child:
        code = 1
        try:
            task = Task(os.getpid)
            task.start()
            while not task.is_done:
                time.sleep(0.001)
            try:
                lost.result()
            except tf.errors.FailedPreconditionError as error:
                code = 0 if task.result() == os.getpid() and "Make a new iterator" in error.message else 2
        finally:
            os._exit(code)
    goes_on.set()
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
