"""Values of a thread that scopes of a layer set."""

from __future__ import annotations

import threading

import pytest

from millrace._src.core.scoped_values import ScopedValue


def test_a_scope_sets_the_value_and_takes_it_back() -> None:
    scoped = ScopedValue(1)
    with scoped.set_to(2) as value:
        assert value == scoped.value == 2
        with scoped.set_to(3):
            assert scoped.value == 3
        assert scoped.value == 2
    assert scoped.value == 1


def test_an_error_ends_the_scope() -> None:
    scoped = ScopedValue("outer")
    with pytest.raises(KeyError), scoped.set_to("inner"):
        raise KeyError
    assert scoped.value == "outer"


def test_each_thread_begins_with_the_default() -> None:
    scoped = ScopedValue(0)
    seen: list[int] = []
    with scoped.set_to(1):
        thread = threading.Thread(target=lambda: seen.append(scoped.value))
        thread.start()
        thread.join()
    assert seen == [0]
