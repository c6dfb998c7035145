"""What may be read later, and what is definitely assigned, at every statement."""

from __future__ import annotations

import ast
import textwrap
from typing import Any

import pytest

from millrace._src.autograph.transform.dataflow import DefiniteAssignment, Liveness
from millrace._src.autograph.transform.variable_scopes import names_of

_NONE: frozenset[str] = frozenset()


def _statements(source: str) -> list[ast.stmt]:
    return ast.parse(textwrap.dedent(source)).body


def _at(statements: list[ast.stmt], line: int) -> Any:
    """The statement that starts at a line."""
    found = [n for s in statements for n in ast.walk(s) if isinstance(n, ast.stmt) and n.lineno == line]
    return found[0]


@pytest.mark.parametrize(
    ("source", "line", "after"),
    [
        ("a = 1\nb = a\nc = b", 1, {"a"}),
        ("a = 1\na = 2\nb = a", 1, set()),
        ("a = 1\na += 1", 1, {"a"}),
        ("a = 1\nif p:\n    a = 2\nb = a", 1, {"a", "p"}),
        ("a = 1\nif p:\n    a = 2\nelse:\n    a = 3\nb = a", 1, {"p"}),
        ("if p:\n    a = 2\n    b = 3\nc = a", 2, {"a"}),
        ("while p:\n    b = a\n    a = 2", 3, {"a", "p"}),
        ("while p:\n    a = 2\n    b = a", 3, {"p"}),
        ("for i in x:\n    b = i\n    i = 3", 3, set()),
        ("for i in x:\n    t = s\n    s = i", 3, {"s"}),
        ("for i in x:\n    a = i\nb = a", 2, {"a"}),
        ("a = 1\nx[0] = 1\nb = a", 1, {"a", "x"}),
        ("a = 1\ndef f():\n    return a", 1, {"a"}),
        ("a = 1\ntry:\n    a = f()\nexcept E:\n    b = a", 1, {"a", "f", "E"}),
        ("try:\n    a = 1\n    a = 2\nexcept E:\n    b = a", 2, {"a", "E"}),
        ("a = 1\ntry:\n    pass\nfinally:\n    b = a", 1, {"a"}),
        ("with m as a:\n    b = a\nc = b", 2, {"b"}),
        ("a = 1\ndel a\nb = c", 1, {"c"}),
        ("a = [b for b in c]\nd = b", 1, {"b"}),
        ("a = 1\nb = (a := 2)\nc = a", 1, set()),
    ],
)
def test_a_value_is_live_if_a_path_reads_it(source: str, line: int, after: set[str]) -> None:
    statements = _statements(source)
    liveness = Liveness(statements, _NONE, _NONE)
    assert liveness.after[id(_at(statements, line))] == after


def test_names_that_are_captured_are_always_live() -> None:
    statements = _statements("a = 1\na = 2")
    assert Liveness(statements, _NONE, frozenset({"a"})).after[id(statements[0])] == {"a"}


def test_names_that_are_live_at_the_end_are_live_until_they_are_written() -> None:
    statements = _statements("b = 1\na = 2\nc = 3")
    liveness = Liveness(statements, frozenset({"a"}), _NONE)
    assert [sorted(liveness.after[id(s)]) for s in statements] == [[], ["a"], ["a"]]
    assert liveness.at_start == set()


def test_what_an_iteration_reads_first_enters_the_loop() -> None:
    statements = _statements("while p:\n    s = s + t\n    t = 1\n    u = s")
    body: Any = statements[0]
    assert Liveness(statements, _NONE, _NONE).entering[id(body.body[0])] == {"p", "s", "t"}


@pytest.mark.parametrize(
    ("source", "line", "certain"),
    [
        ("a = 1\nb = 2", 2, {"a"}),
        ("if p:\n    a = 1\nb = 2", 3, set()),
        ("if p:\n    a = 1\nelse:\n    a = 2\nb = 2", 5, {"a"}),
        ("if p:\n    a = 1\nelse:\n    raise E\nb = 2", 5, {"a"}),
        ("while p:\n    a = 1\nb = 2", 3, set()),
        ("for a in x:\n    b = a\nc = 2", 2, {"a"}),
        ("for a in x:\n    b = a\nc = 2", 3, set()),
        ("a = 1\ndel a\nb = 2", 3, set()),
        ("with m as a:\n    b = 1\nc = 2", 2, {"a"}),
        ("with m as a:\n    b = 1\nc = 2", 3, {"a"}),
        ("try:\n    a = 1\nexcept E:\n    pass\nb = 2", 5, set()),
        ("try:\n    a = 1\nexcept E as e:\n    a = 2\nb = 2", 5, {"a"}),
        ("try:\n    a = 1\nexcept E as e:\n    a = 2\nb = 2", 4, {"e"}),
        ("try:\n    pass\nfinally:\n    a = 1\nb = 2", 5, {"a"}),
        ("import a.b, c as d\nb = 2", 2, {"a", "d"}),
        ("a: int\nb = 2", 2, set()),
        ("a: int = 1\nb = 2", 2, {"a"}),
        ("def a(): pass\nb = 2", 2, {"a"}),
        ("if p and (a := 1):\n    b = 2", 2, {"a"}),
        ("if p or (a := 1):\n    b = 2", 2, set()),
    ],
)
def test_a_variable_has_a_value_if_every_path_gives_it_one(source: str, line: int, certain: set[str]) -> None:
    statements = _statements(source)
    variables = frozenset(names_of(statements).written)
    known = DefiniteAssignment(statements, _NONE, variables, mark=False).before[id(_at(statements, line))]
    assert known == certain


def _doubtful(source: str, assigned: frozenset[str] = _NONE) -> list[tuple[str, int]]:
    statements = _statements(source)
    DefiniteAssignment(statements, assigned, frozenset(names_of(statements).written))
    marked = [n for s in statements for n in ast.walk(s) if getattr(n, "is_doubtful", False)]
    return sorted((n.id, n.lineno) for n in marked if isinstance(n, ast.Name))


def test_reads_that_may_find_nothing_are_marked() -> None:
    source = """\
        if p:
            a = 1
        b = a
        for i in x:
            c = i
        d = c + i + b
        e += d
    """
    assert _doubtful(source) == [("a", 3), ("c", 6), ("e", 7), ("i", 6)]


def test_reads_of_names_from_outside_and_of_given_names_are_not_marked() -> None:
    assert _doubtful("b = a + len\nc = d\nd = 1", frozenset({"d"})) == []


def test_nothing_is_marked_where_no_path_leads() -> None:
    assert _doubtful("raise E\nb = c\nc = 1") == []
