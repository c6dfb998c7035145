"""The flag of invalid operations: set by what makes a NaN, and nothing else."""

from __future__ import annotations

import threading

import pytest

from millrace._src.util import invalid_operations
from millrace._src.util.invalid_operations import invalid_flag

needs_flag = pytest.mark.skipif(invalid_flag() is None, reason="this processor has no flag that can be relied on")
INFINITY = float("inf")


@needs_flag
def test_a_difference_of_infinities_sets_the_flag_until_it_is_cleared() -> None:
    flag = invalid_flag()
    assert flag is not None
    flag.clear()
    assert INFINITY + INFINITY == INFINITY
    assert not flag.is_set()
    assert INFINITY - INFINITY != 0
    assert flag.is_set()
    flag.clear()
    assert not flag.is_set()


@needs_flag
def test_each_thread_has_a_flag() -> None:
    flag = invalid_flag()
    assert flag is not None
    flag.clear()
    thread = threading.Thread(target=lambda: INFINITY - INFINITY)
    thread.start()
    thread.join()
    assert not flag.is_set()


def test_other_processors_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invalid_operations.platform, "machine", lambda: "riscv64")
    assert invalid_flag.__wrapped__() is None
