"""The choice among several autotuner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from millrace._src.util import autotuning as module
from millrace._src.util.autotuning import Autotuner, fix_choices


class Machine:
    """Kernels whose calls take as long as the test says.

    Args:
      seconds: how long one call takes, by the name of the way; "plain" is the first way.
    """

    def __init__(self, **seconds: float) -> None:
        self.seconds = seconds
        self.now = 0.0
        self.made: list[str] = []
        self.taken: list[str] = []
        self.autotuner = Autotuner({name: self._maker(name) for name in seconds}, first="plain", clock=lambda: self.now)

    def _maker(self, name: str) -> Any:
        def make(shape: str) -> Any:
            self.made.append(name)

            def work(value: int) -> int:
                self.now += self.seconds[name]
                self.taken.append(name)
                return value + 1

            return None if shape == "odd" and name != "plain" else work

        return make

    def run(self, count: int, shape: str = "even") -> list[str]:
        """Does the work some times; returns the autotuner that it took."""
        self.taken.clear()
        assert [self.autotuner(shape, n) for n in range(count)] == [n + 1 for n in range(count)]
        return list(self.taken)


@pytest.fixture(autouse=True)
def measured() -> Iterator[None]:
    yield
    fix_choices(False)


def test_the_fastest_way_is_kept() -> None:
    machine = Machine(fast=0.001, plain=0.002, slow=0.003)
    machine.run(100)
    assert machine.autotuner.winner("even") == "fast"
    assert set(machine.run(10)) == {"fast"}


def test_the_first_way_stays_where_it_is_the_fastest() -> None:
    machine = Machine(other=0.002, plain=0.001)
    machine.run(100)
    assert machine.autotuner.winner("even") == "plain"


def test_another_way_is_prepared_when_the_work_has_taken_as_long() -> None:
    machine = Machine(other=0.001, plain=module._PREPARATION / 4)
    assert machine.run(4) == ["plain"] * 4
    assert machine.made == ["plain", "other"]
    short = Machine(other=0.001, plain=module._PREPARATION / 4)
    short.run(3)
    assert short.made == ["plain"]


def test_a_way_that_cannot_do_the_work_is_left_out() -> None:
    machine = Machine(fast=0.001, plain=0.01)
    machine.run(2, "odd")
    assert machine.autotuner.winner("odd") == "plain"


def test_each_shape_has_its_own_choice() -> None:
    machine = Machine(fast=0.001, plain=0.01)
    machine.run(100)
    machine.run(100, "odd")
    assert [machine.autotuner.winner(shape) for shape in ("even", "odd", "none")] == ["fast", "plain", None]


def test_a_pinned_way_is_taken_where_it_is_possible_and_all_is_forgotten_afterwards() -> None:
    machine = Machine(fast=0.001, slow=1.0, plain=0.01)
    with machine.autotuner.pin("slow"):
        assert machine.run(3) == ["slow"] * 3
        assert machine.run(3, "odd") == ["plain"] * 3
    assert machine.autotuner.winner("even") is None
    assert machine.run(1) == ["plain"]


def test_a_fixed_choice_does_not_ask_the_clock() -> None:
    machine = Machine(preferred=1.0, plain=0.01)
    machine.run(100)
    assert machine.autotuner.winner("even") == "plain"
    fix_choices(True)
    assert machine.run(2) == ["preferred"] * 2
    assert machine.run(2, "odd") == ["plain"] * 2
    fix_choices(True)
    assert machine.autotuner.winner("even") == "preferred"
    fix_choices(False)
    assert machine.autotuner.winner("even") is None


def test_the_choices_of_many_shapes_are_forgotten() -> None:
    machine = Machine(other=0.001, plain=0.01)
    for number in range(3 * module._MAX_SHAPES):
        machine.run(1, f"{number}")
    assert len(machine.autotuner._works) <= module._MAX_SHAPES


def test_an_error_is_the_callers() -> None:
    autotuner = Autotuner({"plain": lambda shape: lambda value: 1 // value}, first="plain")
    with pytest.raises(ZeroDivisionError):
        autotuner("shape", 0)
    assert autotuner("shape", 1) == 1
