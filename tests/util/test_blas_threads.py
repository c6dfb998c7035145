"""How many threads a product of matrices gets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from millrace._src.util import blas_threads, thread_choice
from millrace._src.util.blas_threads import ProductThreads, large_product, products_in_parallel
from millrace._src.util.thread_pool import set_thread_count


@pytest.fixture(autouse=True)
def no_core_is_reserved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that an earlier test has left in the background takes no core."""
    monkeypatch.setattr(thread_choice, "at_most_free_cores", lambda threads: threads)


LARGE = 1 << 22
SMALL = 1 << 19


class Machine:
    """A machine whose products take a stated time for each number of threads."""

    def __init__(self, most: int = 4) -> None:
        self.now = 0.0
        self.count = most
        self.counts: list[int] = []
        self.seconds: Callable[[int], float] = lambda count: 1.0 / count
        self.threads = ProductThreads(most, lambda: self.count, self.set_count, lambda: self.now)

    def set_count(self, count: int) -> None:
        self.count = count

    def product(self) -> str:
        self.counts.append(self.count)
        self.now += self.seconds(self.count)
        return "product"

    def run_inside(self, work: int) -> None:
        """Runs two products while another is run."""
        for shapes in ("first", "second"):
            self.threads.run(self.product, work, shapes)

    def run(self, times: int, work: int = LARGE, shapes: str = "shapes") -> list[int]:
        """Returns the numbers of threads of some products."""
        self.counts, chosen = [], self.count
        for _ in range(times):
            assert self.threads.run(self.product, work, shapes) == "product"
            assert self.count == chosen  # as the program had it
        return self.counts


def test_a_small_product_runs_on_one_thread() -> None:
    assert Machine().run(3, SMALL) == [1, 1, 1]


def test_a_large_product_is_timed_alone_and_then_shared() -> None:
    machine = Machine()
    assert machine.run(3) == [1, 4, 4]
    assert machine.run(2, shapes="others") == [1, 4]


def test_threads_that_are_slower_are_halved() -> None:
    machine = Machine()
    machine.seconds = lambda count: 0.001 if count == 1 else 0.048
    assert machine.run(5) == [1, 4, 2, 1, 1]


def test_threads_that_wake_up_slowly_and_gain_later_are_kept() -> None:
    machine = Machine()
    times = iter([0.001, 0.002, 0.0015, *[0.0003] * 50, 0.0015, *[0.0003] * 9])
    machine.seconds = lambda count: next(times)
    assert machine.run(63) == [1] + [4] * 62


def test_threads_are_tried_again_after_pauses_that_grow() -> None:
    machine = Machine()
    machine.seconds = lambda count: 0.001 if count == 1 else 0.002
    machine.run(8)
    tries = []
    for _ in range(6):
        start = machine.now
        while machine.run(1) == [1]:
            machine.now += 0.1
        tries.append(machine.now - start)
        machine.run(3)
    assert tries == sorted(tries) and tries[-1] > 10
    machine.seconds = lambda count: 0.001 / count  # the neighbours are gone
    machine.now += 60
    machine.run(3)
    machine.now += 60
    assert machine.run(3) == [4, 4, 4]


def test_an_error_leaves_the_number_of_threads_as_it_was() -> None:
    machine = Machine()

    def fail() -> None:
        raise ValueError("no product")

    with pytest.raises(ValueError, match="no product"):
        machine.threads.run(fail, LARGE, "shapes")
    assert machine.count == 4


def test_the_number_that_the_program_chooses_later_is_the_most() -> None:
    machine = Machine()
    machine.run(2)
    machine.count = 2
    assert machine.run(2) == [2, 2]
    assert machine.run(2, shapes="others") == [1, 2]
    machine.count = 1
    assert machine.run(2) == [1, 1]
    machine.count = 4
    assert machine.run(2) == [4, 4]


def test_products_at_once_leave_the_number_that_the_program_chose() -> None:
    machine = Machine()
    machine.count = 3
    machine.threads.run(lambda: machine.run_inside(SMALL), SMALL, "outer")
    assert machine.count == 3


def test_the_times_of_many_shapes_are_forgotten() -> None:
    machine = Machine()
    for number in range(2000):
        machine.run(1, shapes=f"{number}")
    assert len(machine.threads._alone) <= blas_threads._MAX_SHAPES


@pytest.mark.parametrize(
    "shapes", [((2, 3), (3, 4)), ((300, 200), (200, 100)), ((8, 64, 64), (64, 64)), ((70, 7000), (7000,))]
)
def test_products_are_numpys(shapes: tuple[tuple[int, ...], tuple[int, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []
    monkeypatch.setattr(blas_threads, "_threads", lambda: ProductThreads(4, lambda: 4, counts.append))
    a, b = (np.random.default_rng(0).normal(size=shape) for shape in shapes)
    for _ in range(3):
        np.testing.assert_allclose(large_product(np.matmul, a, b), np.matmul(a, b), rtol=1e-12)
    output = np.empty_like(np.matmul(a, b))
    assert large_product(np.matmul, a, b, out=output) is output
    assert counts[-1:] in ([], [4])


def test_products_on_one_thread_change_the_setting_for_as_long_as_they_run() -> None:
    machine = Machine()
    with pytest.raises(KeyError), machine.threads.on_one_thread():
        assert machine.count == 1
        raise KeyError
    assert machine.count == 4


def test_products_of_parts_stay_on_the_thread_of_their_part(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine()
    monkeypatch.setattr(blas_threads, "_threads", lambda: machine.threads)
    large = np.ones((2000, 2000))  # of float64: no other library than BLAS is tried
    products: list[int] = []

    def product(a: object, b: object) -> None:
        products.append(machine.count)

    def work(index: int) -> None:
        for _ in range(2):
            large_product(product, large, large)

    set_thread_count(2)
    try:
        products_in_parallel(3, work)
    finally:
        set_thread_count(0)
    assert products == [1] * 6
    assert machine.count == 4
    products_in_parallel(1, work)  # one part may use all threads
    assert products[6:] == [1, 4]
