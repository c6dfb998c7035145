"""Expressions that earlier converters put into the tree for later ones.

`match_statements` and `unpacking` run before the function is written in its inline or compact form. The two forms test
and unpack values differently. So both converters add one of the nodes of this module, which `expressions` turns into
Python once the form is known.

Tests: tests/autograph/test_corpus.py
"""

from __future__ import annotations

import ast
from typing import Any

from millrace._src.autograph.transform.variable_scopes import is_generator


class PythonExpression(ast.expr):
    """An expression that Python evaluates as it stands: its `and` and `if` never meet a tensor.

    A variable that the expression assigns (by `:=`) is read only after the assignment, in the expression or in later
    statements.

    Attributes:
      value: The expression.
      is_python: Whether the expression is known to give a Python value.
    """

    _fields = ("value",)

    def __init__(self, value: ast.expr, is_python: bool) -> None:
        self.value = value
        self.is_python = is_python


class Unpacked(ast.expr):
    """A value that is unpacked, and may be a tensor.

    Attributes:
      value: The value.
      count: The number of parts; None if any number will do.
    """

    _fields = ("value",)

    def __init__(self, value: ast.expr, count: int | None) -> None:
        self.value = value
        self.count = count


class CodeConverter(ast.NodeTransformer):
    """Rewrites a function and the functions nested in it; leaves generators, classes and coroutines alone."""

    def visit_FunctionDef(self, node: Any) -> Any:
        """Rewrites a definition or lambda; returns a generator unchanged."""
        return node if is_generator(node) else self.generic_visit(node)

    visit_Lambda = visit_FunctionDef

    def visit_ClassDef(self, node: object) -> Any:
        """Returns a class unchanged: its methods are converted when they are called."""
        return node

    visit_AsyncFunctionDef = visit_ClassDef
