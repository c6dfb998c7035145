"""Pieces of syntax trees written as Python text.

`template("x = ag__.ld(x)", x="total")` gives the statement with the name put in; a node in place of a name puts in an
expression, and a list of statements goes where the name stands alone on its line. Nodes made this way have no
positions; `place` gives them those of the user's code that they stand for.
"""

from __future__ import annotations

import ast
import functools
import textwrap
from collections.abc import Sequence
from typing import Any, TypeVar

_Node = TypeVar("_Node", bound=ast.AST)


def copy_tree(node: Any) -> Any:
    """A deep copy of a tree, positions included; what converters have noted on its nodes goes along."""
    if isinstance(node, list):
        return [copy_tree(item) for item in node]
    if not isinstance(node, ast.AST):
        return node
    new = node.__class__.__new__(node.__class__)
    for name, value in vars(node).items():
        setattr(new, name, copy_tree(value) if isinstance(value, (ast.AST, list)) else value)
    return new


def template(source: str, /, **parts: Any) -> list[ast.stmt]:
    """The statements of `source` with names replaced.

    Args:
      source: Python statements; may be indented.
      **parts: By name: another name, an expression, or statements for a line that is just the name.
    """
    body: list[ast.stmt] = []
    for statement in _parsed(source):
        filled = _Fill(parts).visit(copy_tree(statement))
        body += filled if isinstance(filled, list) else [filled]
    return body


def expression(source: str, /, **parts: Any) -> ast.expr:
    """The one expression of `source` with names replaced."""
    (statement,) = template(source, **parts)
    assert isinstance(statement, ast.Expr)
    return statement.value


@functools.cache
def _parsed(source: str) -> list[ast.stmt]:
    statements = ast.parse(textwrap.dedent(source)).body
    for statement in statements:
        for node in ast.walk(statement):
            for attribute in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
                vars(node).pop(attribute, None)
    return statements


class _Fill(ast.NodeTransformer):
    def __init__(self, parts: dict[str, Any]) -> None:
        self.parts = parts

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.Name):
            part = self.parts.get(node.value.id)
            if isinstance(part, list):
                return part
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        part = self.parts.get(node.id)
        if isinstance(part, str):
            return ast.Name(part, node.ctx)
        if isinstance(part, ast.expr):
            return with_context(part, node.ctx)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.name = self.parts.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> Any:
        node.arg = self.parts.get(node.arg, node.arg)
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> Any:
        return node


def with_context(node: ast.expr, context: ast.expr_context) -> ast.expr:
    """A copy of an expression that is read, assigned or deleted."""
    new: Any = copy_tree(node)
    if isinstance(new, (ast.Name, ast.Attribute, ast.Subscript, ast.Starred, ast.List, ast.Tuple)):
        new.ctx = context
    if isinstance(new, (ast.List, ast.Tuple)):
        new.elts = [with_context(item, context) for item in new.elts]
    elif isinstance(new, ast.Starred):
        new.value = with_context(new.value, context)
    return new


def place(nodes: Sequence[_Node], at: ast.AST) -> list[_Node]:
    """Gives nodes that have no position the one of `at`."""
    where = {
        name: getattr(at, name, default)
        for name, default in (("lineno", 1), ("col_offset", 0), ("end_lineno", None), ("end_col_offset", None))
    }
    for node in nodes:
        _place(node, where)
    return list(nodes)


def header(node: ast.stmt) -> ast.AST:
    """The part of a statement that an error in it points to: the condition of an `if`, on one line.

    Python takes the last line of a call that spans several lines for its place.
    """
    part: Any = node
    for name in ("test", "iter", "subject"):
        part = getattr(node, name, part)
    if getattr(node, "items", None):
        part = node.items[0].context_expr  # type: ignore[attr-defined]  # a `with`
    if part.lineno == part.end_lineno or isinstance(node, (ast.Expr, ast.Assign, ast.AugAssign, ast.Return)):
        return part
    place_only: Any = ast.Pass()
    place_only.lineno = place_only.end_lineno = part.lineno
    place_only.col_offset, place_only.end_col_offset = part.col_offset, part.col_offset + 1
    return place_only


def _place(node: Any, where: dict[str, Any]) -> None:
    if "lineno" in node._attributes:
        own = vars(node)
        if "lineno" in own:
            where = {name: own.get(name) for name in where}
        else:
            own.update(where)
    for child in ast.iter_child_nodes(node):
        _place(child, where)


def tuple_of(names: Sequence[str | ast.expr]) -> ast.Tuple:
    """A tuple of names or expressions that are read."""
    elements = [ast.Name(n, ast.Load()) if isinstance(n, str) else with_context(n, ast.Load()) for n in names]
    return ast.Tuple(elements, ast.Load())
