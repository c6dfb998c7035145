"""Unpacking assignments, loops and calls, whose value may be a tensor.

Python cannot iterate over a tensor of a graph. So a node `Unpacked`, written `<unpacked v>` below, goes around each
value that is unpacked, and nested targets are unpacked one by one.

a, b = v            ->  a, b = <unpacked v>
a, (b, c) = v       ->  t, u = <unpacked v>; a = t; b, c = <unpacked u>
for a, b in v       ->  for t in v: a, b = <unpacked t>
f(*v)               ->  f(*<unpacked v>)

Tests: tests/autograph/test_corpus.py
"""

from __future__ import annotations

import ast
from typing import Any

from millrace._src.autograph.transform.added_nodes import CodeConverter, Unpacked
from millrace._src.autograph.transform.naming import Namer
from millrace._src.autograph.transform.syntax_templates import locate

_OPTIONS = "set_loop_options"


def is_unpacking(target: ast.AST) -> bool:
    """Returns whether a target unpacks a value into parts."""
    return isinstance(target, (ast.Tuple, ast.List))


def parts_of(target: Any) -> ast.expr:
    """Describes the parts that a target unpacks a value into: `a, (b, *c)` -> `(None, (None, 0))`."""
    kinds: list[ast.expr] = []
    for part in target.elts:
        starred = isinstance(part, ast.Starred)
        kinds.append(parts_of(part) if is_unpacking(part) else ast.Constant(0 if starred else None))
    return ast.Tuple(kinds, ast.Load())


def _is_nested(target: Any) -> bool:
    return any(
        is_unpacking(getattr(part, "value", part) if isinstance(part, ast.Starred) else part) for part in target.elts
    )


class Unpackings(CodeConverter):
    """Marks the values that are unpacked in a function.

    Args: namer: Gives names to variables that hold parts.
    """

    def __init__(self, namer: Namer) -> None:
        self.namer = namer

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        """Rewrites `a, b = v`, `a, b = c = v`."""
        self.generic_visit(node)
        if not any(is_unpacking(target) for target in node.targets):
            return [node]
        if len(node.targets) == 1:
            return locate(self._assign(node.targets[0], node.value), node)
        variable = self.namer.temporary("ag_value")
        new_statements: list[ast.stmt] = [ast.Assign([ast.Name(variable, ast.Store())], node.value)]
        for target in node.targets:
            new_statements += self._assign(target, ast.Name(variable, ast.Load()))
        return locate(new_statements, node)

    def _assign(self, target: Any, value: ast.expr) -> list[ast.stmt]:
        """Builds the statements that assign a value to one target."""
        if not is_unpacking(target):
            return [ast.Assign([target], value)]
        if not _is_nested(target):
            return [ast.Assign([target], _unpack(value, target))]
        names = [self.namer.temporary("ag_part") for _ in target.elts]
        parts: list[ast.expr] = []
        after: list[ast.stmt] = []
        for name, part in zip(names, target.elts, strict=True):
            store: ast.expr = ast.Name(name, ast.Store())
            starred = isinstance(part, ast.Starred)
            parts.append(ast.Starred(store, ast.Store()) if starred else store)
            after += self._assign(part.value if starred else part, ast.Name(name, ast.Load()))
        first = ast.Tuple(parts, ast.Store())
        return [ast.Assign([first], _unpack(value, first)), *after]

    def visit_For(self, node: ast.For) -> ast.For:
        """Rewrites `for a, b in v`."""
        self.generic_visit(node)
        if not is_unpacking(node.target):
            return node
        variable = self.namer.temporary("ag_element")
        assign = locate(self._assign(node.target, ast.Name(variable, ast.Load())), node.target)
        at = 1 if _is_options_call(node.body[0]) else 0
        node.body[at:at] = assign
        node.target = locate([ast.Name(variable, ast.Store())], node.target)[0]
        return node

    def visit_Starred(self, node: ast.Starred) -> ast.Starred:
        """Rewrites `f(*v)`, `[*v, 1]`."""
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = locate([Unpacked(node.value, None)], node.value)[0]
        return node


def _unpack(value: ast.expr, target: Any) -> ast.expr:
    """Returns the value of an assignment as an unpacked value; a tuple or list display of as many values stays."""
    is_starred = any(isinstance(part, ast.Starred) for part in target.elts)
    if isinstance(value, (ast.Tuple, ast.List)) and not any(isinstance(v, ast.Starred) for v in value.elts):
        return value
    return Unpacked(value, None if is_starred else len(target.elts))


def _is_options_call(node: ast.stmt) -> bool:
    function = node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    return getattr(function, "attr", getattr(function, "id", "")) == _OPTIONS
