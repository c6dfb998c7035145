"""The thread that compiles."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from millrace._src.core.context import state
from millrace._src.engines.background_compiler import SWITCH_INTERVAL, BackgroundCompiler, CompilerStoppedError


def _steps(*works):
    def steps() -> Iterator[None]:
        for work in works:
            work()
            yield

    return steps


def _thread_has_gone(compiler):
    """Waits until the thread is gone: the last job has ended a moment before."""
    for thread in threading.enumerate():
        if thread.name == "millrace-compiler":
            thread.join(10)
    return not compiler.is_running


def test_jobs_are_carried_out_in_order_in_one_other_thread():
    compiler = BackgroundCompiler()
    seen = []
    jobs = [compiler.submit(_steps(lambda i=i: seen.append((i, threading.current_thread().name)))) for i in range(5)]
    for job in jobs:
        compiler.wait_for(job)
    assert seen == [(i, "millrace-compiler") for i in range(5)]
    assert all(job.is_done and job.error is None for job in jobs)


def test_the_thread_exists_only_while_there_is_work():
    compiler = BackgroundCompiler()
    gate = threading.Event()
    assert not compiler.is_running
    compiler.submit(_steps(gate.wait))
    assert compiler.is_running
    gate.set()
    compiler.wait()
    assert _thread_has_gone(compiler)
    compiler.wait_for(compiler.submit(_steps()))
    assert _thread_has_gone(compiler)


def test_an_error_ends_its_job_alone():
    compiler = BackgroundCompiler()
    seen = []

    def fail():
        raise KeyError("broken")

    first = compiler.submit(_steps(fail, lambda: seen.append("after")))
    second = compiler.submit(_steps(lambda: seen.append("second")))
    compiler.wait()
    assert isinstance(first.error, KeyError) and first.is_done
    assert second.error is None and seen == ["second"]


def test_a_job_that_wants_to_end_the_program_ends_itself():
    compiler = BackgroundCompiler()
    first = compiler.submit(_steps(lambda: sys.exit(3)))
    compiler.wait_for(compiler.submit(_steps()))
    assert isinstance(first.error, CompilerStoppedError) and "SystemExit(3)" in str(first.error)


def test_the_thread_does_not_wait_for_itself():
    compiler = BackgroundCompiler()
    inner = []

    def ask():
        job = compiler.submit(_steps())
        compiler.wait_for(job)
        inner.append(job.is_done)

    compiler.wait_for(compiler.submit(_steps(ask)))
    assert inner == [False]
    compiler.wait()


def test_a_job_binds_kernels_with_the_streams_of_whoever_asked():
    compiler = BackgroundCompiler()
    seen = []
    table = {}
    state.streams = table
    try:
        job = compiler.submit(_steps(lambda: seen.append(state.streams)))
    finally:
        state.streams = None
    other = compiler.submit(_steps(lambda: seen.append(state.streams)))
    compiler.wait_for(job)
    compiler.wait_for(other)
    assert seen[0] is table and seen[1] is None


def test_others_get_to_run_python_more_often_while_the_thread_works():
    compiler = BackgroundCompiler()
    before = sys.getswitchinterval()
    seen = []
    compiler.wait_for(compiler.submit(_steps(lambda: seen.append(sys.getswitchinterval()))))
    assert _thread_has_gone(compiler)
    assert seen == [pytest.approx(SWITCH_INTERVAL)]
    assert sys.getswitchinterval() == before


def test_a_setting_that_the_program_makes_meanwhile_stays():
    compiler = BackgroundCompiler()
    before = sys.getswitchinterval()
    try:
        compiler.wait_for(compiler.submit(_steps(lambda: sys.setswitchinterval(0.02))))
        assert _thread_has_gone(compiler)
        assert sys.getswitchinterval() == pytest.approx(0.02)
    finally:
        sys.setswitchinterval(before)


def test_where_no_thread_can_start_the_job_ends_with_that_error(monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    compiler = BackgroundCompiler()
    monkeypatch.setattr(threading.Thread, "start", refuse)
    job = compiler.submit(_steps())
    assert job.is_done and isinstance(job.error, CompilerStoppedError)
    monkeypatch.undo()
    compiler.wait_for(compiler.submit(_steps()))


def test_jobs_that_are_forgotten_have_ended():
    compiler = BackgroundCompiler()
    gate, has_begun = threading.Event(), threading.Event()
    running = compiler.submit(_steps(has_begun.set, gate.wait))
    waiting = compiler.submit(_steps())
    has_begun.wait()
    compiler.forget()
    assert all(isinstance(job.error, CompilerStoppedError) and job.is_done for job in (running, waiting))
    compiler.wait_for(waiting)
    gate.set()
    compiler.wait_for(compiler.submit(_steps()))


def test_the_thread_stops_between_two_steps_where_a_process_forks():
    compiler = BackgroundCompiler()
    seen, second = [], threading.Event()
    gate = threading.Event()
    job = compiler.submit(_steps(gate.wait, lambda: seen.append("second")))
    threading.Timer(0.05, gate.set).start()
    compiler.stop(10)
    assert seen == [] and not second.wait(0.05) and seen == []
    compiler.go_on()
    compiler.wait_for(job)
    assert seen == ["second"]


def test_a_fork_does_not_wait_for_a_long_step_for_ever():
    compiler = BackgroundCompiler()
    gate, has_begun = threading.Event(), threading.Event()
    job = compiler.submit(_steps(has_begun.set, gate.wait))
    has_begun.wait()
    compiler.stop(0.01)
    compiler.go_on()
    gate.set()
    compiler.wait_for(job)


def _run(program: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=environment, check=False
    )


_START = """
import threading, time
from millrace._src.engines.background_compiler import compiler
has_begun = threading.Event()
def steps():
    has_begun.set()
    time.sleep(0.05)
    yield
    print("a second step", flush=True)
    yield
compiler.submit(steps)
compiler.submit(steps)
has_begun.wait()
"""


@pytest.mark.parametrize("end", ["", "raise SystemExit(3)", "raise KeyboardInterrupt"])
def test_a_program_that_ends_waits_for_one_step_and_drops_the_rest(end):
    result = _run(_START + end)
    assert "a second step" not in result.stdout
    assert "Fatal" not in result.stderr and "Exception ignored" not in result.stderr
    assert result.returncode == {"": 0, "raise SystemExit(3)": 3}.get(end, result.returncode)


@pytest.mark.skipif(sys.platform == "win32", reason="needs os.fork")
def test_a_forked_child_can_compile_on_its_own_and_does_not_wait_for_its_parent():
    result = _run(
        _START
        + """
import os, warnings
from millrace._src.engines import tiers
warnings.simplefilter("ignore")
child = os.fork()
if child == 0:
    compiler.wait()
    done = []
    def own():
        done.append(1)
        yield
    compiler.wait_for(compiler.submit(own))
    os._exit(0 if done else 1)
_, status = os.waitpid(child, 0)
print("child", os.waitstatus_to_exitcode(status), flush=True)
compiler.wait()
"""
    )
    assert "child 0" in result.stdout, result.stderr
