"""Python's operators on variables: the variable is read first, then the tensor's operator applies.

TensorFlow reads a variable on the left of an operator before it enters the operator's
name scope, so the read is named `ReadVariableOp` and not `add/ReadVariableOp`.

Tests: tests/state/test_variable.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.context import in_plain_graph
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.identity_comparison import requested
from millrace._src.core.operators import Operators, compares_by_identity


def _reading(method: Callable[..., Any]) -> Callable[..., Any]:
    """Makes an operator that applies to the variable's value."""

    def operator(self: Any, *operands: object) -> Any:
        return method(self._read(), *operands)

    return operator


class VariableOperators(Operators):
    """The operators of `Operators`, applied to the value of a variable."""

    __add__, __radd__ = _reading(Operators.__add__), _reading(Operators.__radd__)
    __sub__, __rsub__ = _reading(Operators.__sub__), _reading(Operators.__rsub__)
    __mul__, __rmul__ = _reading(Operators.__mul__), _reading(Operators.__rmul__)
    __truediv__, __rtruediv__ = _reading(Operators.__truediv__), _reading(Operators.__rtruediv__)
    __floordiv__, __rfloordiv__ = _reading(Operators.__floordiv__), _reading(Operators.__rfloordiv__)
    __mod__, __rmod__ = _reading(Operators.__mod__), _reading(Operators.__rmod__)
    __pow__, __rpow__ = _reading(Operators.__pow__), _reading(Operators.__rpow__)
    __matmul__, __rmatmul__ = _reading(Operators.__matmul__), _reading(Operators.__rmatmul__)
    __and__, __rand__ = _reading(Operators.__and__), _reading(Operators.__rand__)
    __or__, __ror__ = _reading(Operators.__or__), _reading(Operators.__ror__)
    __xor__, __rxor__ = _reading(Operators.__xor__), _reading(Operators.__rxor__)
    __lt__, __le__ = _reading(Operators.__lt__), _reading(Operators.__le__)
    __gt__, __ge__ = _reading(Operators.__gt__), _reading(Operators.__ge__)

    def __eq__(self, other: Any) -> Any:
        if compares_by_identity(self):
            return self is other
        return self._read() == (other if other is not None else convert_to_tensor(other))

    def __ne__(self, other: Any) -> Any:
        if compares_by_identity(self):
            return self is not other
        return self._read() != (other if other is not None else convert_to_tensor(other))

    def __hash__(self) -> int:
        if in_plain_graph() or requested.identity:
            return id(self)
        raise TypeError(f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})")

    def _read(self) -> Any:
        raise NotImplementedError

    __neg__, __abs__, __invert__ = (
        _reading(Operators.__neg__),
        _reading(Operators.__abs__),
        _reading(Operators.__invert__),
    )
