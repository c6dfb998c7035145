"""What is known of variables at each statement: which may still be read, and which certainly have a value.

Both analyses follow the structure of code without jumps (`early_exits` has removed them): a block is a sequence, a
branch joins two paths, a loop is repeated until nothing changes. Names that nested functions capture may be read at any
time.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from millrace._src.autograph.transform.evaluation_order import certain_writes, exposed_reads, writes_where
from millrace._src.autograph.transform.scopes import names_of

_Set = frozenset[str]


class Liveness:
    """The variables whose values may be read after each statement, and at the head of each loop.

    Attributes:
      after: By the id of a statement, the names that may be read once it is done.
      entering: By the id of a statement, the names that may be read when it starts, or a loop starts an iteration.
    """

    def __init__(self, statements: Sequence[ast.stmt], live_at_end: _Set, always: _Set) -> None:
        self.after: dict[int, _Set] = {}
        self.entering: dict[int, _Set] = {}
        self.at_start = self._block(statements, live_at_end | always, always)

    def _block(self, statements: Sequence[ast.stmt], live: _Set, always: _Set) -> _Set:
        for statement in reversed(statements):
            self.after[id(statement)] = live
            live = self._statement(statement, live, always) | always
            self.entering[id(statement)] = live
        return live

    def _statement(self, node: Any, live: _Set, always: _Set) -> _Set:
        if isinstance(node, ast.If):
            branches = self._block(node.body, live, always) | self._block(node.orelse, live, always)
            return branches - _certain_writes(node.test) | exposed_reads(node.test)
        if isinstance(node, ast.While):
            head = live | exposed_reads(node.test)
            return self._repeat(node, head, always, _Set())
        if isinstance(node, ast.For):
            extra = names_of(getattr(node, "extra_test", None)).used
            written = _Set(names_of(node.target).written)
            return self._repeat(node, live | extra, always, written) | exposed_reads(node.iter)
        if isinstance(node, (ast.Try, ast.TryStar)):
            return self._try(node, live, always)
        if isinstance(node, ast.With):
            return self._block(node.body, live, always) | names_of(node.items).used
        return (live - _certain_writes(node)) | exposed_reads(node)

    def _repeat(self, node: Any, head: _Set, always: _Set, target: _Set) -> _Set:
        while True:
            again = head | (self._block(node.body, head, always) - target)
            if again == head:
                return head
            head = again

    def _try(self, node: Any, live: _Set, always: _Set) -> _Set:
        final = self._block(node.finalbody, live, always)
        handlers: _Set = _Set()
        for handler in node.handlers:
            inside = self._block(handler.body, final, always) - ({handler.name} if handler.name else set())
            handlers |= inside | names_of(handler.type).used
        interrupted = always | handlers | final
        return self._block(node.body, self._block(node.orelse, final, always), interrupted)


def _certain_writes(node: ast.AST) -> set[str]:
    """The names that a simple statement or expression always assigns."""
    return certain_writes(node, lambda name, written: None)


_EVERYTHING = None  # after a `raise`: no path arrives here, so every claim holds
_Assigned = _Set | None


def _meet(a: _Assigned, b: _Assigned) -> _Assigned:
    return b if a is _EVERYTHING else a if b is _EVERYTHING else a & b


class DefiniteAssignment:
    """The variables that have a value on every path to a place.

    Attributes:
      before: By the id of a statement, the names that certainly have a value when it starts; None where no path leads.
      doubtful: The variables that some statement reads, or a nested function captures, where they may have no value,
        and those that are deleted while a nested function has them.

    If `mark`, the `Name` nodes of such reads get the mark `is_doubtful`.
    """

    def __init__(self, statements: Sequence[ast.stmt], assigned: _Set, variables: _Set, mark: bool = True) -> None:
        self.mark = mark
        self.before: dict[int, _Assigned] = {}
        self.doubtful: set[str] = set()
        self.variables = variables
        self._breaks: list[list[_Assigned]] = []
        self._deleted: set[str] = set()
        self.at_end = self._block(statements, assigned)
        self.doubtful |= self._deleted & names_of(statements).captured

    def _block(self, statements: Sequence[ast.stmt], known: _Assigned) -> _Assigned:
        for statement in statements:
            self.before[id(statement)] = known
            known = self._statement(statement, known)
        return known

    def _statement(self, node: Any, known: _Assigned) -> _Assigned:
        if isinstance(node, ast.If):
            known = self._expression(node.test, known)
            branches = ((node.body, True), (node.orelse, False))
            return _meet(*[self._block(block, _where(known, node.test, outcome)) for block, outcome in branches])
        if isinstance(node, ast.While):
            known = self._expression(node.test, _without_deleted(known, node.body))
            ends = isinstance(node.test, ast.Constant) and bool(node.test.value)
            finished = _EVERYTHING if ends else _where(known, node.test, False)
            return self._loop(node, _where(known, node.test, True), finished)
        if isinstance(node, ast.For):
            known = _without_deleted(self._expression(node.iter, known), node.body)
            self._expression(getattr(node, "extra_test", None), known)
            inside = known if known is None else known | names_of(node.target).written
            self._expression(node.target, inside)
            return self._loop(node, inside, known)
        if isinstance(node, (ast.Try, ast.TryStar)):
            return self._try(node, known)
        if isinstance(node, ast.With):
            for item in node.items:
                known = self._expression(item, known)
            self._block(node.body, known)
            return known  # the context manager may have suppressed an exception
        if isinstance(node, ast.Break) and self._breaks:
            self._breaks[-1].append(known)
        if isinstance(node, (ast.Raise, ast.Return, ast.Break, ast.Continue)):
            self._expression(node, known)
            return _EVERYTHING
        if isinstance(node, ast.Delete):
            known = self._expression(node, known)
            self._deleted |= names_of(node).written
            return known if known is None else known - names_of(node).written
        return self._expression(node, known)

    def _loop(self, node: Any, inside: _Assigned, finished: _Assigned) -> _Assigned:
        """What is known after a loop: by way of its `else`, and of each `break`."""
        self._breaks.append([])
        self._block(node.body, inside)
        breaks = self._breaks.pop()
        known = self._block(node.orelse, finished)
        for left in breaks:
            known = _meet(known, left)
        return known

    def _try(self, node: Any, known: _Assigned) -> _Assigned:
        done = self._block(node.orelse, self._block(node.body, known))
        for handler in node.handlers:
            start = known if known is None or not handler.name else known | {handler.name}
            end = self._block(handler.body, start)
            done = _meet(done, end if end is None or not handler.name else end - {handler.name})
        self._block(node.finalbody, known)
        extra = _assigned_by(node.finalbody)
        return done if done is None else done | extra

    def _expression(self, node: ast.AST | None, known: _Assigned) -> _Assigned:
        """Notes doubtful reads; returns what is assigned after a simple statement or expression."""
        if node is None or known is None:
            return known

        def read(name: ast.Name, written: set[str]) -> None:
            self._read(name, known | written)

        self.doubtful |= (names_of(node).captured & self.variables) - known
        return known | certain_writes(node, read)

    def _read(self, name: ast.Name, known: _Assigned) -> None:
        if known is not None and name.id in self.variables and name.id not in known:
            self.doubtful.add(name.id)
            if self.mark:
                name.is_doubtful = True  # type: ignore[attr-defined]  # a mark of ours


def _where(known: _Assigned, test: ast.expr, outcome: bool) -> _Assigned:
    """What is known where a condition was true, or false."""
    return known if known is None else known | writes_where(test, outcome)


def _without_deleted(known: _Assigned, body: Sequence[ast.stmt]) -> _Assigned:
    """What is known at the head of a loop whose body may delete variables."""
    if known is None:
        return known
    deleted = [node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Delete)]
    return known - names_of(deleted).written


_COMPOUND = (ast.If, ast.While, ast.For, ast.Try, ast.TryStar, ast.With)


def _assigned_by(statements: Sequence[ast.stmt]) -> set[str]:
    """The names that the simple statements of a block certainly assign."""
    found: set[str] = set()
    for statement in statements:
        if not isinstance(statement, _COMPOUND):
            found |= _certain_writes(statement)
    return found
