"""On how many threads a calculation of oneDNN runs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from millrace._src.util import thread_choice
from millrace._src.util.onednn import library, threads
from millrace._src.util.onednn.products import Product, multiplication
from millrace._src.util.onednn.threads import SharedCalculation
from millrace._src.util.thread_choice import ThreadChoice
from millrace._src.util.thread_pool import run_in_parallel, set_thread_count
from tests.util.onednn.team import on_threads


class Machine:
    """A machine on which a calculation takes a stated time for each number of threads."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, most: int = 4) -> None:
        self.now = 0.0
        self.counts: list[int] = []
        self.seconds: Callable[[int], float] = lambda count: 1e-3 / count
        choice = ThreadChoice(most)
        monkeypatch.setattr(threads, "_choice", lambda: choice)
        monkeypatch.setattr(threads.time, "perf_counter", lambda: self.now)
        monkeypatch.setattr(thread_choice, "at_most_free_cores", lambda count: count)
        monkeypatch.setattr(threads, "thread_count", lambda: most)
        self.calculation = SharedCalculation(self.variant(1), self.variant)

    def variant(self, count: int) -> Callable[..., None]:
        def calculate(*addresses: int) -> None:
            self.counts.append(count)
            self.now += self.seconds(count)

        return calculate

    def run(self, times: int) -> list[int]:
        self.counts = []
        for _ in range(times):
            self.calculation(1, 2, 3)
        return self.counts


def test_a_long_calculation_is_timed_alone_and_then_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Machine(monkeypatch).run(5) == [1, 1, 4, 4, 4]


def test_a_short_calculation_stays_on_its_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch)
    machine.seconds = lambda count: 20e-6
    assert machine.run(5) == [1] * 5


def test_a_fixed_choice_does_not_depend_on_times_that_were_measured_before(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch)
    machine.seconds = lambda count: 1e-5
    assert machine.run(3) == [1, 1, 1]
    monkeypatch.setattr(threads, "are_choices_fixed", lambda: True)
    assert machine.run(2) == [4, 4]


_MANY_PRODUCTS = """
import numpy as np
from millrace._src.util.autotuning import fix_choices
from millrace._src.util.onednn import convolution, threads
fix_choices(True)
shape = convolution.Convolution((8, 28, 28, 32), (3, 3, 32, 32), (28, 28), (1, 1), (1, 1), (1, 1), "float32")
images, filters = np.ones(shape.images, np.float32), np.ones(shape.filters, np.float32)
for kind in (convolution.forward, convolution.input_gradient):
    kind(shape)(images, filters)
convolution.filter_gradient(shape)(images, images)
print(threads.has_threads())
"""


@pytest.mark.parametrize("variable", ["OMP_THREAD_LIMIT=1", "OMP_DYNAMIC=true"])
def test_where_openmp_may_give_fewer_threads_nothing_waits_for_them(variable: str) -> None:
    if not threads.has_threads():
        pytest.skip("oneDNN with threads is not installed")
    environment = {**os.environ, **dict([variable.split("=")])}
    command = [sys.executable, "-c", _MANY_PRODUCTS]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert result.stdout.strip() == "False"


def test_threads_that_find_no_cores_are_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch)
    machine.seconds = lambda count: 1e-3 if count == 1 else 48e-3
    assert machine.run(6) == [1, 1, 4, 2, 1, 1]


def test_threads_that_have_gained_may_lose_a_core_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch)
    assert machine.run(40)[2:] == [4] * 38
    machine.seconds = lambda count: 6e-3
    machine.run(2)
    machine.seconds = lambda count: 1e-3 / count
    assert machine.run(10) == [4] * 10
    machine.seconds = lambda count: 1e-3 if count == 1 else 6e-3
    assert 1 in machine.run(20)


def test_a_calculation_that_cannot_be_shared_runs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch)
    machine.calculation = SharedCalculation(machine.variant(1), lambda count: None)
    assert machine.run(4) == [1] * 4


needs_library = pytest.mark.skipif(library.load() is None, reason="oneDNN is not installed")


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    key = Product(a.shape, b.shape, a.strides, b.strides)
    function = multiplication(key)
    assert function is not None
    result = np.full(key.result, np.nan, np.float32)
    function(a, b, result)
    return result


a = np.random.default_rng(0).normal(size=(300, 200)).astype(np.float32)
b = np.random.default_rng(1).normal(size=(200, 100)).astype(np.float32)


@needs_library
def test_products_inside_of_shared_work_are_right_and_stay_on_their_threads() -> None:
    results: dict[int, np.ndarray] = {}
    with on_threads(3):
        run_in_parallel(3, lambda number: results.__setitem__(number, multiply(a, b)))
    for result in results.values():
        np.testing.assert_allclose(result, a @ b, rtol=1e-4, atol=1e-4)


@needs_library
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
@pytest.mark.filterwarnings("ignore:.*fork.*")  # of Python and, where another test has used XLA, of JAX
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_forked_child_multiplies_without_the_threads_of_its_parent() -> None:
    with on_threads(2):
        multiply(a, b)
        child = os.fork()
        if not child:
            try:
                set_thread_count(2)
                os._exit(0 if np.allclose(multiply(a, b), a @ b, rtol=1e-4, atol=1e-4) else 1)
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0


@needs_library
def test_the_library_leaves_no_variable_for_child_processes() -> None:
    assert "GOMP_SPINCOUNT" not in os.environ
