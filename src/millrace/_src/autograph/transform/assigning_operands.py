"""Operands that assign: `x = a or (y := b)` -> `t = a`; `if not t: t = (y := b)`; `x = t`.

In the compact form the operands of `and`, `or` and of conditional expressions become functions of their own, and an
assignment in an operand would stay inside that function. So an expression with such an operand becomes statements. An
operand assigns a variable by `:=`, or by a call of a nested function that assigns the variable.

Tests: tests/autograph/test_corpus.py
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.autograph.transform.break_continue_return import copy_fields
from millrace._src.autograph.transform.expressions import chain_comparison
from millrace._src.autograph.transform.function_code import FunctionCode
from millrace._src.autograph.transform.syntax_templates import copy_tree, locate
from millrace._src.autograph.transform.variable_scopes import COMPREHENSIONS, FUNCTIONS, names_of

_BLOCKS = ("body", "orelse", "finalbody", "partial")
_VALUES = {
    ast.Assign: "value",
    ast.AugAssign: "value",
    ast.AnnAssign: "value",
    ast.Return: "value",
    ast.Expr: "value",
    ast.For: "iter",
    ast.If: "test",
    ast.Assert: "test",
}


class AssigningOperands:
    """Rewrites the expressions of one function.

    Args: function: The function; gets the variables that hold the operands' values.
    """

    def __init__(self, function: FunctionCode) -> None:
        self.function = function

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrites the statements of a block, with new statements instead of expressions with assigning operands."""
        return [new for statement in statements for new in self._statement(statement)]

    def _statement(self, node: Any) -> list[ast.stmt]:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return [node]
        present = [name for name in _BLOCKS if isinstance(getattr(node, name, None), list)]
        blocks = {name: self.block(getattr(node, name)) for name in present}
        handlers = getattr(node, "handlers", None)
        if handlers:
            blocks["handlers"] = [copy_fields(handler, body=self.block(handler.body)) for handler in handlers]
        if hasattr(node, "loop"):
            (loop,) = self._statement(node.loop)
            blocks["loop"] = loop  # type: ignore[assignment]  # the loop of a `ResumedLoop`
        new = copy_fields(node, **blocks) if blocks else node
        field = _VALUES.get(type(node))
        value = getattr(node, field) if field is not None else None
        if field is None or value is None:
            return [new]
        before, value = self._value(value)
        return [*locate(before, value), copy_fields(new, **{field: value})] if before else [new]

    def _value(self, node: object) -> tuple[list[ast.stmt], ast.expr]:
        """Returns the statements that must run before an expression, and the expression that is left."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            before, operand = self._value(node.operand)
            return before, copy_fields(node, operand=operand)
        if isinstance(node, ast.Compare) and len(node.ops) > 1 and names_of(node.comparators[1:]).written:
            node = locate([chain_comparison(node, self.function.new_variable("ag_c"))], node)[0]
        if isinstance(node, ast.BoolOp) and names_of(node.values).written:
            return self._operands(node)
        if isinstance(node, ast.IfExp) and names_of([node.body, node.orelse]).written:
            return self._branches(node)
        return self._parts(node)

    def _parts(self, node: Any) -> tuple[list[ast.stmt], ast.expr]:
        """Rewrites an expression with an assigning operand somewhere inside; the order of evaluation stays."""
        slots = _slots(node)
        last = max((i for i, (value, _) in enumerate(slots) if _has_assigning_operand(value)), default=-1)
        if last < 0:
            return [], node
        node = copy_tree(node)
        statements: list[ast.stmt] = []
        for index, (value, put) in enumerate(_slots(node)[: last + 1]):
            before, value = self._value(value)
            statements += before
            if index < last and not isinstance(value, ast.Constant):
                variable = self.function.new_variable("ag_o")
                statements += self._hold(variable, value)
                value = locate([ast.Name(variable, ast.Load())], value)[0]
            put(value)
        return statements, node

    def _operands(self, node: ast.BoolOp) -> tuple[list[ast.stmt], ast.expr]:
        variable = self.function.new_variable("ag_o")
        first, *rest = node.values
        statements = self._hold(variable, first)
        block = statements
        for operand in rest:
            test: ast.expr = ast.Name(variable, ast.Load())
            if isinstance(node.op, ast.Or):
                test = ast.UnaryOp(ast.Not(), test)
            branch = ast.If(test, self._hold(variable, operand), [])
            block += locate([branch], operand)
            block = branch.body
        return statements, locate([ast.Name(variable, ast.Load())], node)[0]

    def _branches(self, node: ast.IfExp) -> tuple[list[ast.stmt], ast.expr]:
        variable = self.function.new_variable("ag_o")
        before, test = self._value(node.test)
        branch = ast.If(test, self._hold(variable, node.body), self._hold(variable, node.orelse))
        return [*before, *locate([branch], node)], locate([ast.Name(variable, ast.Load())], node)[0]

    def _hold(self, held: str, value: ast.expr) -> list[ast.stmt]:
        """Builds `held = value`."""
        before, value = self._value(value)
        return [*before, *locate([ast.Assign([ast.Name(held, ast.Store())], value)], value)]


_Slot = tuple[ast.expr, Callable[[ast.expr], None]]


def _slots(node: Any) -> list[_Slot]:
    """Returns the subexpressions of an expression, in the order of their evaluation, each with a function that
    replaces it.
    """
    if isinstance(node, (*FUNCTIONS, *COMPREHENSIONS)):
        return []
    slots: list[_Slot] = []
    if isinstance(node, ast.Dict):
        for index, key in enumerate(node.keys):
            slots += [] if key is None else [(key, _putter(node.keys, index))]
            slots.append((node.values[index], _putter(node.values, index)))
        return slots
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            slots += _slot(value, functools.partial(setattr, node, name))
        elif isinstance(value, list):
            for index, item in enumerate(value):
                slots += _slot(item, _putter(value, index))
    return slots


def _slot(value: Any, put: Callable[[Any], None]) -> list[_Slot]:
    """Returns a list of one slot, or of none; the slot of `*x` and of `name=x` is that of `x`."""
    if isinstance(value, (ast.Starred, ast.keyword)):
        return [(value.value, functools.partial(setattr, value, "value"))]
    is_read = isinstance(value, ast.expr) and not isinstance(getattr(value, "ctx", None), ast.Store)
    return [(value, put)] if is_read else []


def _putter(items: list[Any], index: int) -> Callable[[Any], None]:
    return functools.partial(items.__setitem__, index)


def _has_assigning_operand(node: ast.AST) -> bool:
    """Returns whether an expression has an `and`, `or` or `if` with an operand that assigns and may not run."""
    if isinstance(node, ast.BoolOp) and names_of(node.values).written:
        return True
    if isinstance(node, ast.IfExp) and names_of([node.body, node.orelse]).written:
        return True
    if isinstance(node, ast.Compare) and len(node.ops) > 1 and names_of(node.comparators[1:]).written:
        return True
    if isinstance(node, (*FUNCTIONS, *COMPREHENSIONS)):
        return False
    return any(_has_assigning_operand(child) for child in ast.iter_child_nodes(node))
