"""Expressions that earlier converters put into the tree for later ones, which write them in the inline or compact form.

`match_statements` and `unpacking` run before the function is split into those forms. What they add is one of the nodes
here; `expressions` turns each into Python.
"""

from __future__ import annotations

import ast
from typing import Any

from millrace._src.autograph.transform.scopes import is_generator


class PythonExpression(ast.expr):
    """An expression that Python evaluates as it stands: its `and` and `if` never meet a tensor.

    Variables that it assigns (by `:=`) are read only after that, in it or in later statements.

    Attributes:
      value: The expression.
      is_python: Whether it certainly gives a Python value.
    """

    _fields = ("value",)

    def __init__(self, value: ast.expr, is_python: bool) -> None:
        self.value = value
        self.is_python = is_python


class Unpacked(ast.expr):
    """A value that is unpacked, and may be a tensor.

    Attributes:
      value: The value.
      count: Into how many parts; None if any number will do.
    """

    _fields = ("value",)

    def __init__(self, value: ast.expr, count: int | None) -> None:
        self.value = value
        self.count = count


class CodeConverter(ast.NodeTransformer):
    """Rewrites a function and those nested in it; leaves what is not converted: generators, classes, coroutines."""

    def visit_FunctionDef(self, node: Any) -> Any:
        """A definition or lambda; one in the way of conversion stays."""
        return node if is_generator(node) else self.generic_visit(node)

    visit_Lambda = visit_FunctionDef

    def visit_ClassDef(self, node: Any) -> Any:
        """The code of a class is not converted; its methods are when they are called."""
        return node

    visit_AsyncFunctionDef = visit_ClassDef
