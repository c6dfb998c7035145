"""Arrays written on a command line: `[[1, 2], [3, 4]]`, `np.ones((1, 224, 224, 3))`, `-np.arange(6).reshape(2, 3) / 2`.

Problem: such a text must not be able to do anything but make an array: command lines are pasted from elsewhere.

Idea: the text is parsed as Python and never run as Python. A walk over the syntax tree knows literals, arithmetic, and
a short list of NumPy's functions, constants and methods; any other word is refused by name.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from millrace._src.command_line.failures import CommandError

_DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
_NUMPY: dict[str, Any] = {
    **{name: getattr(np, name) for name in _DTYPES},
    **{name: getattr(np, name) for name in ("inf", "nan", "pi", "e", "newaxis")},
    **{name: getattr(np, name) for name in ("array", "asarray", "zeros", "ones", "full", "eye", "identity")},
    **{name: getattr(np, name) for name in ("arange", "linspace", "reshape", "transpose", "expand_dims", "tile")},
    **{f"random.{name}": getattr(np.random, name) for name in ("rand", "randn", "random", "uniform", "normal")},
    **{f"random.{name}": getattr(np.random, name) for name in ("randint", "random_sample")},
    "bfloat16": ml_dtypes.bfloat16,
}
_WORDS = {"True": True, "False": False, "None": None, "float": float, "int": int, "bool": bool, "str": str}
_METHODS = frozenset({"astype", "reshape", "transpose", "flatten", "ravel", "squeeze"})
_MODULES = ("np", "numpy")

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}


def evaluate(text: str) -> Any:
    """Returns the value of an expression: what a literal says, or an array.

    >>> from millrace._src.command_line.input_expressions import evaluate
    >>> evaluate("np.ones(2) * 3"), evaluate("[1, 'a']")
    (array([3., 3.]), [1, 'a'])

    Raises: CommandError: if the text is not an expression, or says anything but numbers, texts and arrays.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise CommandError(f'Expression "{text}" is not a valid python literal.') from None
    try:
        return _Evaluation(text).value(tree.body)
    except CommandError:
        raise
    except (TypeError, ValueError, ArithmeticError, MemoryError, RecursionError) as error:
        raise CommandError(f'Expression "{text}" has no value: {error}') from None


class _Evaluation:
    """A walk over one expression."""

    def __init__(self, text: str) -> None:
        self._text = text

    def value(self, node: ast.expr) -> Any:
        """Returns the value of a part of the expression."""
        match node:
            case ast.Constant(value) if value is not Ellipsis:
                return value
            case ast.List(items):
                return [self.value(item) for item in items]
            case ast.Tuple(items):
                return tuple(self.value(item) for item in items)
            case ast.Dict(keys, values) if None not in keys:
                return {self.value(key): self.value(value) for key, value in zip(keys, values, strict=True) if key}
            case ast.UnaryOp(op, operand) if type(op) in _UNARY:
                return _UNARY[type(op)](self._number(operand))
            case ast.BinOp(left, op, right) if type(op) in _BINARY:
                return _BINARY[type(op)](self._number(left), self._number(right))
            case ast.Name(name) if name in _WORDS:
                return _WORDS[name]
            case ast.Attribute():
                return self._evaluate_name(node)
            case ast.Call():
                return self._evaluate_call(node)
        return self._refuse(node)

    def _number(self, node: ast.expr) -> Any:
        value = self.value(node)
        return value if isinstance(value, (int, float, complex, np.ndarray, np.generic)) else self._refuse(node)

    def _evaluate_name(self, node: ast.Attribute) -> Any:
        module, _, name = ast.unparse(node).partition(".")
        return _NUMPY[name] if module in _MODULES and name in _NUMPY else self._refuse(node)

    def _evaluate_call(self, node: ast.Call) -> Any:
        arguments = [self.value(argument) for argument in node.args]
        keywords = {keyword.arg: self.value(keyword.value) for keyword in node.keywords if keyword.arg}
        if len(keywords) != len(node.keywords):
            self._refuse(node)
        match node.func:
            case ast.Attribute(value=ast.Call() | ast.BinOp() | ast.UnaryOp() as owner, attr=method) if (
                method in _METHODS
            ):
                array = self.value(owner)
                return getattr(array, method)(*arguments, **keywords) if _is_array(array) else self._refuse(node)
            case ast.Attribute() as function:
                return self._evaluate_name(function)(*arguments, **keywords)
        return self._refuse(node)

    def _refuse(self, node: ast.expr) -> Any:
        known = "numbers, texts, lists, arithmetic and np." + ", np.".join(sorted(_NUMPY))
        part = ast.unparse(node)
        raise CommandError(f'Expression "{self._text}" is refused because of "{part}". It may have {known}.')


def _is_array(value: object) -> bool:
    return isinstance(value, (np.ndarray, np.generic))
