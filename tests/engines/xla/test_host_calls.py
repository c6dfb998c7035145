"""Programs that call Python: none runs when the interpreter is gone."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jax")
pytestmark = pytest.mark.xla

import jax  # noqa: E402

from millrace._src.engines.xla.host_calls import Watch, Watched, allow_calls, may_call, note_call  # noqa: E402


def test_a_program_without_calls_is_not_watched() -> None:
    with allow_calls() as watched:
        assert may_call()
        assert watched(abs) is abs
        note_call()
        assert isinstance(watched(abs), Watched)
    assert not may_call()


def test_a_trace_inside_of_another_one_tells_for_itself() -> None:
    with allow_calls() as outer:
        with allow_calls() as inner:
            note_call()
            assert isinstance(inner(abs), Watched)
        assert may_call()
        assert outer(abs) is abs


def test_the_end_waits_for_programs_that_start_and_that_run() -> None:
    watch, entered, may_leave, events = Watch(), threading.Event(), threading.Event(), []

    def program(x: Any) -> Any:
        entered.set()
        may_leave.wait(60)
        events.append("started")
        return jax.jit(lambda x: x + 1)(x)

    def end() -> None:
        watch.end()
        events.append("ended")

    starter = threading.Thread(target=watch.run, args=(program, 1.0))
    starter.start()
    entered.wait(60)
    ender = threading.Thread(target=end)
    ender.start()
    may_leave.set()
    starter.join()
    ender.join()
    assert events == ["started", "ended"]


def test_after_the_end_the_main_thread_waits_for_its_results() -> None:
    watch = Watch()
    watch.end()
    assert float(watch.run(jax.jit(lambda x: x + 1), 1.0)) == 2.0


def test_results_that_are_there_are_not_kept() -> None:
    watch, program = Watch(), jax.jit(lambda x: [x, x + np.ones(100)])
    for _ in range(20):
        jax.block_until_ready(watch.run(program, 1.0))
    assert len(watch._results) == 1
    assert watch._results[0].size == 1  # the smaller result


def test_a_result_that_was_given_to_another_program_is_not_waited_for() -> None:
    watch = Watch()
    result = watch.run(jax.jit(lambda x: x + 1), np.ones(3, np.float32))
    result.delete()
    watch.end()


PROGRAM = """
import sys
import jax, jax.numpy as jnp
from millrace._src.engines.xla import ffi
from millrace._src.engines.xla.host_calls import Watched
from millrace._src.util.onednn.convolution import Convolution
if not ffi._is_usable():
    sys.exit(0)
shape = Convolution((32, 14, 14, 32), (5, 5, 32, 32), (14, 14), (1, 1), (1, 1), (2, 2), "float32")
form = ffi._convolution("forward", shape).form()
program = Watched(jax.jit(lambda x, w: form(form(form(x, w), w), w)))
x, w = jnp.ones(shape.images, "float32"), jnp.ones(shape.filters, "float32")
x = program(x, w)
def repeat(count):
    global x
    for _ in range(count):
        x = program(x, w)
"""


@pytest.mark.parametrize(
    "ending",
    [
        "repeat(5)",
        "import atexit; atexit.register(repeat, 2)",
    ],
    ids=["programs run", "a program starts at the end"],
)
def test_a_process_ends_well(ending: str) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM + ending], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Error" not in done.stderr
