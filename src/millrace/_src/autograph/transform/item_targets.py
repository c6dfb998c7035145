"""Assignments that unpack into items: `x[i], y = v` -> `t, y = v; x[i] = t`.

A variable may hold a tensor, and the elements of a tensor cannot be assigned in place. An item of a variable is
therefore assigned by a statement of its own, which puts a changed copy of the tensor into the variable.

Tests: tests/autograph/test_corpus.py
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from millrace._src.autograph.transform.function_code import FunctionCode
from millrace._src.autograph.transform.syntax_templates import copy_tree, expression, locate


def find_stored_variable(node: Any, function: FunctionCode) -> str | None:
    """Returns the variable whose item a statement assigns (`x` in `x[i] = v`), if it is one of the function's own."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    target: Any = targets[0]
    return target.value.id if len(targets) == 1 and _is_own_item(target, function) else None


def _is_own_item(target: object, function: FunctionCode) -> bool:
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return False
    return target.value.id in function.scope.locals | function.scope.nonlocals


def without_annotation(node: ast.AnnAssign, convert: Callable[[ast.Assign], list[ast.stmt]]) -> list[ast.stmt]:
    """Converts `x: T = v` as `x = v`; drops `x: T`, which does nothing."""
    if node.value is None:
        return []
    return convert(locate([ast.Assign([node.target], node.value)], node)[0])


def key_expression(key: ast.expr) -> ast.expr:
    """Rewrites `i:j` to `ag__.key[i:j]`, which gives as a value what stands between brackets."""
    if any(isinstance(part, ast.Slice) for part in (key, *getattr(key, "elts", ()))):
        return locate([expression("ag__.key[part]", part=key)], key)[0]
    return key


def unpack_items(node: ast.Assign, function: FunctionCode) -> list[ast.Assign] | None:
    """Splits an assignment to several targets with items among them into statements; returns None if it has no such
    targets.
    """
    if len(node.targets) == 1 and not isinstance(node.targets[0], (ast.Tuple, ast.List)):
        return None
    items = _Items(function)
    targets = [items.visit(copy_tree(target)) for target in node.targets]
    if not items.stores:
        return None
    first = ast.Assign(targets, node.value)
    return locate([first, *items.stores], node)


class _Items(ast.NodeTransformer):
    """Replaces items by variables, and collects the assignments to the items."""

    def __init__(self, function: FunctionCode) -> None:
        self.function = function
        self.stores: list[ast.Assign] = []

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if not _is_own_item(node, self.function):
            return node
        variable = self.function.new_variable("ag_item")
        self.stores += locate([ast.Assign([node], ast.Name(variable, ast.Load()))], node)
        return locate([ast.Name(variable, ast.Store())], node)[0]
