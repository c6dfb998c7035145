"""The reads and assignments of a simple statement or expression, in the order in which they happen.

`(u := a) + u` reads `u` after it has a value; `a or (u := b)` may not assign `u` at all.

Tests: tests/autograph/test_corpus.py
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from millrace._src.autograph.transform.added_nodes import PythonExpression
from millrace._src.autograph.transform.variable_scopes import COMPREHENSIONS, FUNCTIONS, names_of

OnRead = Callable[[ast.Name, set[str]], None]


def definite_writes(node: ast.AST | None, on_read: OnRead) -> set[str]:
    """Returns the names that are definitely assigned once `node` is done.

    Args:
      node: A statement without blocks, or an expression.
      on_read: Told each name that is read, and the names that were definitely assigned before the read, in `node`.
    """
    walk = _EvaluationWalk(on_read)
    if node is not None:
        walk.visit(node)
    return walk.written


def find_exposed_reads(node: ast.AST | None) -> set[str]:
    """Returns the names whose values from before `node` may be read in `node`."""
    reads: set[str] = set()

    def note(name: ast.Name, written: set[str]) -> None:
        if name.id not in written:
            reads.add(name.id)

    definite_writes(node, note)
    return reads | (names_of(node).captured if node is not None else set())


def writes_where(node: ast.expr, outcome: bool) -> set[str]:
    """Returns the names with a value where a condition was true, or false: `w` after `if a and (w := b):`."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return writes_where(node.operand, not outcome)
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) == outcome:
        return set().union(*(writes_where(value, outcome) for value in node.values))
    if isinstance(node, ast.Compare) and outcome:
        return set().union(*(definite_writes(part, _ignore) for part in (node.left, *node.comparators)))
    return definite_writes(node, _ignore)


def _ignore(name: ast.Name, written: set[str]) -> None:
    """Ignores a read."""


class _EvaluationWalk:
    """Visits nodes in the order of their evaluation."""

    def __init__(self, on_read: OnRead) -> None:
        self.on_read = on_read
        self.written: set[str] = set()

    def visit(self, node: Any) -> None:
        visit = getattr(self, f"_{type(node).__name__.lower()}", None)
        if visit is not None:
            visit(node)
        elif isinstance(node, COMPREHENSIONS):
            self._comprehension(node)
        elif not isinstance(node, FUNCTIONS):
            self._all(ast.iter_child_nodes(node))

    def _all(self, nodes: Iterable[Any]) -> None:
        for node in nodes:
            self.visit(node)

    def _perhaps(self, nodes: Iterable[Any]) -> None:
        """Visits nodes that may not be evaluated: what such nodes assign is not certain."""
        before = set(self.written)
        self._all(nodes)
        self.written = before

    def _name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.on_read(node, self.written)
        elif isinstance(node.ctx, ast.Store):
            self.written.add(node.id)

    def _namedexpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self.visit(node.target)

    def _pythonexpression(self, node: PythonExpression) -> None:
        written = names_of(node).written
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id not in written:
                self.on_read(part, self.written)
        self.written |= written

    def _boolop(self, node: ast.BoolOp) -> None:
        self.visit(node.values[0])
        self._perhaps(node.values[1:])

    def _ifexp(self, node: ast.IfExp) -> None:
        self.visit(node.test)
        self._perhaps([node.body])
        self._perhaps([node.orelse])

    def _compare(self, node: ast.Compare) -> None:
        self._all([node.left, node.comparators[0]])
        self._perhaps(node.comparators[1:])

    def _dict(self, node: ast.Dict) -> None:
        for key, value in zip(node.keys, node.values):
            self._all([value] if key is None else [key, value])

    def _comprehension(self, node: Any) -> None:
        self.visit(node.generators[0].iter)
        own = {name for generator in node.generators for name in names_of(generator.target).written}
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id not in own:
                self.on_read(part, self.written)

    # --- statements ------------------------------------------------------------------------------------------------

    def _assign(self, node: ast.Assign) -> None:
        self._all([node.value, *node.targets])

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._all([node.value, node.target])

    def _augassign(self, node: ast.AugAssign) -> None:
        target: Any = node.target
        if isinstance(target, ast.Name):
            self.on_read(target, self.written)
        self._all([node.value, target])

    def _functiondef(self, node: Any) -> None:
        self._all([*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)])
        self.written.add(node.name)

    _asyncfunctiondef = _functiondef

    def _lambda(self, node: ast.Lambda) -> None:
        self._all([*node.args.defaults, *filter(None, node.args.kw_defaults)])

    def _classdef(self, node: ast.ClassDef) -> None:
        self._all([*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)])
        for name in names_of(node.body).read:
            self.on_read(ast.Name(name, ast.Load()), self.written)
        self.written.add(node.name)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.written |= names_of(node).written

    _importfrom = _import
