"""Pieces of syntax trees written as Python text.

`template("x = ag__.ld(x)", x="total")` gives the statement with `total` in place of `x`. A node in place of a name puts
in an expression; a list of statements goes where the name stands alone on its line. Nodes made from a template have no
positions; `locate` gives such nodes the position of the user's code that they represent.
"""

from __future__ import annotations

import ast
import functools
import textwrap
from collections.abc import Sequence
from typing import Any, TypeVar

_Node = TypeVar("_Node", bound=ast.AST)


def copy_tree(node: object) -> Any:
    """Copies a tree deeply, with the positions of its nodes and what converters have noted on the nodes."""
    if isinstance(node, list):
        return [copy_tree(item) for item in node]
    if not isinstance(node, ast.AST):
        return node
    new = node.__class__.__new__(node.__class__)
    for name, value in vars(node).items():
        setattr(new, name, copy_tree(value) if isinstance(value, (ast.AST, list)) else value)
    return new


def template(source: str, /, **parts: object) -> list[ast.stmt]:
    """Builds the statements of `source` with names replaced.

    Args:
      source: Python statements; may be indented.
      **parts: By name: another name, an expression, or statements for a line that is just the name.
    """
    body: list[ast.stmt] = []
    for statement in _parse(source):
        statements = _Fill(parts).visit(copy_tree(statement))
        body += statements if isinstance(statements, list) else [statements]
    return body


def expression(source: str, /, **parts: object) -> ast.expr:
    """Builds the one expression of `source` with names replaced."""
    (statement,) = template(source, **parts)
    assert isinstance(statement, ast.Expr)
    return statement.value


@functools.cache  # finite: the templates of this package
def _parse(source: str) -> list[ast.stmt]:
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
    """Copies an expression that is read, assigned or deleted."""
    new: Any = copy_tree(node)
    if isinstance(new, (ast.Name, ast.Attribute, ast.Subscript, ast.Starred, ast.List, ast.Tuple)):
        new.ctx = context
    if isinstance(new, (ast.List, ast.Tuple)):
        new.elts = [with_context(item, context) for item in new.elts]
    elif isinstance(new, ast.Starred):
        new.value = with_context(new.value, context)
    return new


_POSITION = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def locate(nodes: Sequence[_Node], at: ast.AST) -> list[_Node]:
    """Gives nodes that have no position the position of `at`; if `at` has none yet either, all get theirs together,
    later.

    A position of several lines is reduced to its start: Python takes the last line of a call for the call's position.
    """
    where = _location_of(at)
    if where is not None:
        for node in nodes:
            _set_location(node, where)
    return list(nodes)


def _location_of(node: ast.AST) -> dict[str, Any] | None:
    own = vars(node)
    if "lineno" not in own:
        return None
    line, column = own["lineno"], own["col_offset"]
    if own.get("end_lineno") == line:
        return {name: own[name] for name in _POSITION}
    return dict(zip(_POSITION, (line, column, line, column + 1)))


def header(node: Any) -> Any:
    """Returns the part of a statement that an error in the statement points to: the condition of an `if`."""
    for name in ("test", "iter", "subject"):
        if hasattr(node, name):
            return getattr(node, name)
    return node.items[0].context_expr if getattr(node, "items", None) else node


def _set_location(node: Any, where: dict[str, Any]) -> None:
    if "lineno" in node._attributes:
        own = _location_of(node)
        if own is None:
            vars(node).update(where)
        elif hasattr(node, "scope"):  # a finished block: all nodes in the block have their positions already
            return
        else:
            where = own
    for child in ast.iter_child_nodes(node):
        _set_location(child, where)


def tuple_of(names: Sequence[str | ast.expr]) -> ast.Tuple:
    """Builds a tuple of names or expressions that are read."""
    elements = [ast.Name(n, ast.Load()) if isinstance(n, str) else with_context(n, ast.Load()) for n in names]
    return ast.Tuple(elements, ast.Load())
