"""What is known of variables at each statement: which may still be read, and which are definitely assigned.

Both analyses follow the structure of code without jumps (`break_continue_return` has removed the jumps). A block is a
sequence, a branch joins two paths, and a loop is repeated until nothing changes. Names that nested functions capture
may be read at any time.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from millrace._src.autograph.transform.evaluation_order import definite_writes, find_exposed_reads, writes_where
from millrace._src.autograph.transform.variable_scopes import names_of

_Set = frozenset[str]


class Liveness:
    """The variables whose values may be read after each statement, and at the head of each loop.

    Attributes:
      after: By the id of a statement, the names that may be read once the statement is done.
      entering: By the id of a statement, the names that may be read when the statement starts, in any iteration of the
        loops around the statement.
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
            return branches - _definite_writes(node.test) | find_exposed_reads(node.test)
        if isinstance(node, ast.While):
            head = live | find_exposed_reads(node.test)
            return self._repeat(node, head, always, _Set())
        if isinstance(node, ast.For):
            extra = names_of(getattr(node, "extra_test", None)).used
            written = _Set(names_of(node.target).written)
            return self._repeat(node, live | extra, always, written) | find_exposed_reads(node.iter)
        if isinstance(node, (ast.Try, ast.TryStar)):
            return self._try(node, live, always)
        if isinstance(node, ast.With):
            return self._block(node.body, live, always) | names_of(node.items).used
        return (live - _definite_writes(node)) | find_exposed_reads(node)

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


def _definite_writes(node: ast.AST) -> set[str]:
    """Returns the names that a simple statement or expression always assigns."""
    return definite_writes(node, lambda name, written: None)


_EVERYTHING = None  # after a `raise`: no path arrives here, so every claim holds
_Assigned = _Set | None


def _meet(a: _Assigned, b: _Assigned) -> _Assigned:
    return b if a is _EVERYTHING else a if b is _EVERYTHING else a & b


class DefiniteAssignment:
    """The variables that have a value on every path to a statement.

    Attributes:
      before: By the id of a statement, the names that are definitely assigned when the statement starts; None where no
        path leads.
      doubtful: The variables that some statement reads, or a nested function captures, where they may have no value.
        Variables that are deleted while a nested function has them are doubtful too.

    If `mark`, the `Name` nodes of doubtful reads get the mark `is_doubtful`.
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

    def _block(self, statements: Sequence[ast.stmt], assigned: _Assigned) -> _Assigned:
        for statement in statements:
            self.before[id(statement)] = assigned
            assigned = self._statement(statement, assigned)
        return assigned

    def _statement(self, node: Any, assigned: _Assigned) -> _Assigned:
        if isinstance(node, ast.If):
            assigned = self._expression(node.test, assigned)
            branches = ((node.body, True), (node.orelse, False))
            return _meet(*[self._block(block, _where(assigned, node.test, outcome)) for block, outcome in branches])
        if isinstance(node, ast.While):
            assigned = self._expression(node.test, _drop_deleted(assigned, node.body))
            ends = isinstance(node.test, ast.Constant) and bool(node.test.value)
            finished = _EVERYTHING if ends else _where(assigned, node.test, False)
            return self._loop(node, _where(assigned, node.test, True), finished)
        if isinstance(node, ast.For):
            assigned = _drop_deleted(self._expression(node.iter, assigned), node.body)
            self._expression(getattr(node, "extra_test", None), assigned)
            inside = assigned if assigned is None else assigned | names_of(node.target).written
            self._expression(node.target, inside)
            return self._loop(node, inside, assigned)
        if isinstance(node, (ast.Try, ast.TryStar)):
            return self._try(node, assigned)
        if isinstance(node, ast.With):
            for item in node.items:
                assigned = self._expression(item, assigned)
            self._block(node.body, assigned)
            return assigned  # the context manager may have suppressed an exception
        if isinstance(node, ast.Break) and self._breaks:
            self._breaks[-1].append(assigned)
        if isinstance(node, (ast.Raise, ast.Return, ast.Break, ast.Continue)):
            self._expression(node, assigned)
            return _EVERYTHING
        if isinstance(node, ast.Delete):
            assigned = self._expression(node, assigned)
            self._deleted |= names_of(node).written
            return assigned if assigned is None else assigned - names_of(node).written
        return self._expression(node, assigned)

    def _loop(self, node: Any, inside: _Assigned, finished: _Assigned) -> _Assigned:
        """Returns the names assigned after a loop, whether control left by the loop's `else` or by a `break`."""
        self._breaks.append([])
        self._block(node.body, inside)
        breaks = self._breaks.pop()
        assigned = self._block(node.orelse, finished)
        for left in breaks:
            assigned = _meet(assigned, left)
        return assigned

    def _try(self, node: Any, assigned: _Assigned) -> _Assigned:
        at_end = self._block(node.orelse, self._block(node.body, assigned))
        for handler in node.handlers:
            start = assigned if assigned is None or not handler.name else assigned | {handler.name}
            end = self._block(handler.body, start)
            at_end = _meet(at_end, end if end is None or not handler.name else end - {handler.name})
        self._block(node.finalbody, assigned)
        extra = _find_assigned(node.finalbody)
        return at_end if at_end is None else at_end | extra

    def _expression(self, node: ast.AST | None, assigned: _Assigned) -> _Assigned:
        """Notes doubtful reads; returns the names assigned after a simple statement or expression."""
        if node is None or assigned is None:
            return assigned

        def read(name: ast.Name, written: set[str]) -> None:
            self._read(name, assigned | written)

        self.doubtful |= (names_of(node).captured & self.variables) - assigned
        return assigned | definite_writes(node, read)

    def _read(self, name: ast.Name, assigned: _Assigned) -> None:
        if assigned is not None and name.id in self.variables and name.id not in assigned:
            self.doubtful.add(name.id)
            if self.mark:
                name.is_doubtful = True  # type: ignore[attr-defined]  # a mark of ours


def _where(assigned: _Assigned, test: ast.expr, outcome: bool) -> _Assigned:
    """Returns the names assigned where a condition was true, or where the condition was false."""
    return assigned if assigned is None else assigned | writes_where(test, outcome)


def _drop_deleted(assigned: _Assigned, body: Sequence[ast.stmt]) -> _Assigned:
    """Returns the names assigned at the head of a loop whose body may delete variables."""
    if assigned is None:
        return assigned
    deleted = [node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Delete)]
    return assigned - names_of(deleted).written


_COMPOUND = (ast.If, ast.While, ast.For, ast.Try, ast.TryStar, ast.With)


def _find_assigned(statements: Sequence[ast.stmt]) -> set[str]:
    """Returns the names that the simple statements of a block definitely assign."""
    names: set[str] = set()
    for statement in statements:
        if not isinstance(statement, _COMPOUND):
            names |= _definite_writes(statement)
    return names
