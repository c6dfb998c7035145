"""The garbage collector, stopped in scopes that may overlap, and left alone where the program stopped it."""

from __future__ import annotations

import gc

from millrace._src.util.collector import without_collector


def test_the_collector_goes_on_after_the_last_scope() -> None:
    assert gc.isenabled()
    first, second = without_collector(), without_collector()
    with first:
        assert not gc.isenabled()
        second.__enter__()
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_a_collector_that_the_program_stopped_stays_stopped() -> None:
    gc.disable()
    try:
        with without_collector():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
