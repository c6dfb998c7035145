"""Unique names; how scopes and operations use them is in `test_graph.py`."""

from __future__ import annotations

import pytest

from millrace._src.graph.graph_names import GraphNames, check_scope_name, is_valid_name


def test_a_taken_name_gets_the_next_free_number() -> None:
    names = GraphNames()
    assert [names.unique(name) for name in ("a", "A", "a_1", "a", "a")] == ["a", "A_1", "a_1_1", "a_2", "a_3"]


def test_a_name_that_is_looked_up_alone_stays_free() -> None:
    names = GraphNames()
    assert [names.unique("a", mark_as_used=False) for _ in range(2)] == ["a", "a"]
    names.unique("a")
    assert [names.unique("a", mark_as_used=False) for _ in range(2)] == ["a_1", "a_1"]


def test_a_reserved_name_is_taken() -> None:
    names = GraphNames()
    names.reserve("A")
    names.reserve("A")
    assert names.unique("a") == "a_1"


def test_names_of_operations_and_scopes_have_few_characters() -> None:
    assert is_valid_name("a/b.c>d-e")
    assert not is_valid_name("_a")
    check_scope_name("_a", is_root=False)
    with pytest.raises(ValueError, match="'_a' is not a valid root scope name"):
        check_scope_name("_a", is_root=True)
