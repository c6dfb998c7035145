"""Builtin functions that look at the frame they are called from.

    locals()  ->  ag__.local_variables(('x', lambda: x), ('y', lambda: y))
    eval(s)   ->  eval(s, globals(), ag__.local_variables(...))

Converted code has variables of its own, and parts of a function become functions, so a frame does not show what the
user's code would show. The variables are named instead. Like Python's own, the dictionary is a copy.
"""

from __future__ import annotations

import ast
from typing import Any

from millrace._src.autograph.transform.added_nodes import CodeConverter
from millrace._src.autograph.transform.scopes import FunctionScope, function_scope
from millrace._src.autograph.transform.templates import expression, place

_SHOWING = ("locals", "vars", "dir")
_RUNNING = ("eval", "exec")


class FrameFunctions(CodeConverter):
    """The converter."""

    def __init__(self) -> None:
        self._scopes: list[FunctionScope] = []

    def visit_FunctionDef(self, node: Any) -> Any:
        """A definition or lambda has variables of its own."""
        self._scopes.append(function_scope(node))
        node = super().visit_FunctionDef(node)
        self._scopes.pop()
        return node

    visit_Lambda = visit_FunctionDef

    def _comprehension(self, node: Any) -> Any:
        """A frame of its own, but for what it iterates over."""
        node.generators[0].iter = self.visit(node.generators[0].iter)
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call by one of the names, unless it is a variable here."""
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if not self._scopes or name in self._scopes[-1].locals or node.keywords:
            return node
        if name in _SHOWING and not node.args:
            source = "sorted(variables)" if name == "dir" else "variables"
            return place([expression(source, variables=self._variables())], node)[0]
        if name in _RUNNING and len(node.args) == 1:
            everywhere = expression("globals()")
            node.args += place([everywhere, self._variables()], node)
        return node

    def _variables(self) -> ast.expr:
        scope = self._scopes[-1]
        others = sorted((scope.locals | scope.nonlocals) - {*scope.parameters})
        pairs = [
            expression("(text, lambda: name)", text=ast.Constant(name), name=name)
            for name in [*scope.parameters, *others]
        ]
        call = expression("ag__.local_variables()")
        call.args = pairs  # type: ignore[attr-defined]  # a call
        return call


__all__ = ["FrameFunctions"]
