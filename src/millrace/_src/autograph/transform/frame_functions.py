"""Builtin functions that look at the frame they are called from.

    locals()  ->  ag__.local_variables(('x', lambda: x), ('y', lambda: y))   if `locals` is the builtin function
    eval(s)   ->  eval(s, globals(), ag__.local_variables(...))                  likewise

Converted code has variables of its own, and parts of a function become functions, so a frame does not show what the
user's code would show. The variables are named instead. Like Python's own, the dictionary is a copy.
"""

from __future__ import annotations

import ast
from typing import Any

from millrace._src.autograph.transform.added_nodes import CodeConverter
from millrace._src.autograph.transform.syntax_templates import copy_tree, expression, locate
from millrace._src.autograph.transform.variable_scopes import FunctionScope, function_scope

_SHOWING = ("locals", "vars", "dir")
_RUNNING = ("eval", "exec")


class FrameFunctions(CodeConverter):
    """Replaces calls of builtin functions that look at their caller's frame."""

    def __init__(self) -> None:
        self._scopes: list[FunctionScope] = []
        self._names: list[list[str]] = []
        """The variables of each function around the current node, in the order in which Python has them."""

    def visit_FunctionDef(self, node: object) -> Any:
        """Rewrites a definition or lambda with its own variables in scope."""
        scope = function_scope(node)
        self._scopes.append(scope)
        self._names.append(_in_order(node, scope))
        node = super().visit_FunctionDef(node)
        self._scopes.pop()
        self._names.pop()
        return node

    visit_Lambda = visit_FunctionDef

    def _comprehension(self, node: Any) -> Any:
        """Rewrites what a comprehension iterates over; the rest runs in a frame of the comprehension's own."""
        node.generators[0].iter = self.visit(node.generators[0].iter)
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Rewrites a call of `locals`, `vars`, `dir`, `eval` or `exec` by name.

        The rewritten call asks at run time whether the name means the builtin function.
        """
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if not self._scopes or name in self._scopes[-1].locals or node.keywords:
            return node
        variables = self._variables()
        if name in _SHOWING and not node.args:
            new = expression("sorted(variables)" if name == "dir" else "variables", variables=variables)
        elif name in _RUNNING and len(node.args) == 1:
            new = copy_tree(node)
            new.args += [expression("globals()"), variables]
        else:
            return node
        choice = expression("new if name is ag__.frame_functions[text] else old", new=new, old=node)
        choice.test.left = ast.Name(name, ast.Load())  # type: ignore[attr-defined]  # the comparison
        choice.test.comparators[0].slice = ast.Constant(name)  # type: ignore[attr-defined]  # the same
        return locate([choice], node)[0]

    def _variables(self) -> ast.expr:
        call = expression("ag__.local_variables()")
        call.args = [  # type: ignore[attr-defined]  # a call
            expression("(text, lambda: name)", text=ast.Constant(name), name=name) for name in self._names[-1]
        ]
        return call


def _in_order(node: Any, scope: FunctionScope) -> list[str]:
    """Returns the variables of a function: parameters, then others by the position of their first assignment."""
    first: dict[str, tuple[int, int]] = {}
    for part in ast.walk(node):
        name = getattr(part, "id", None) or getattr(part, "name", None)
        if isinstance(name, str) and not isinstance(getattr(part, "ctx", None), ast.Load):
            location_of = getattr(part, "lineno", 0), getattr(part, "col_offset", 0)
            first[name] = min(first.get(name, location_of), location_of)
    others = (scope.locals | scope.nonlocals) - {*scope.parameters}
    return [*scope.parameters, *sorted(others, key=lambda name: (first.get(name, (0, 0)), name))]


__all__ = ["FrameFunctions"]
