"""Python's operators on ragged tensors: each calls the public function, whose overload treats ragged values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.context import in_plain_graph
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.ops.math.binary import add, multiply, subtract
from millrace._src.ops.math.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from millrace._src.ops.math.division import floordiv, floormod, truediv
from millrace._src.ops.math.logical import logical_and, logical_not, logical_or, logical_xor
from millrace._src.ops.math.power import pow_
from millrace._src.ops.math.unary import abs_, negative

Method = Callable[[Any, Any], Any]


def _operator(function: Callable[..., Any]) -> tuple[Method, Method]:
    """Makes the method and the reflected method of a binary operator."""

    def forward(self: Any, other: object) -> Any:
        return function(self, other)

    def backward(self: Any, other: object) -> Any:
        return function(other, self)

    return forward, backward


def _compare(function: Callable[..., Any], x: Any, y: object, *, otherwise: bool) -> Any:
    """Compares element by element; values that cannot be compared so are unequal. In a plain v1 graph, by identity."""
    if y is None:
        return otherwise
    if in_plain_graph():
        return (x is y) is not otherwise
    try:
        return function(x, y)
    except (ValueError, TypeError, InvalidArgumentError):
        return otherwise


class RaggedOperators:  # noqa: PLW1641  (RaggedTensor decides how it hashes)
    """The operators of `tf.RaggedTensor`."""

    __slots__ = ()
    dtype: Any

    __add__, __radd__ = _operator(add)
    __sub__, __rsub__ = _operator(subtract)
    __mul__, __rmul__ = _operator(multiply)
    __truediv__, __rtruediv__ = _operator(truediv)
    __div__, __rdiv__ = __truediv__, __rtruediv__
    __floordiv__, __rfloordiv__ = _operator(floordiv)
    __mod__, __rmod__ = _operator(floormod)
    __pow__, __rpow__ = _operator(pow_)
    __and__, __rand__ = _operator(logical_and)
    __or__, __ror__ = _operator(logical_or)
    __xor__, __rxor__ = _operator(logical_xor)
    __lt__, __gt__ = _operator(less)[0], _operator(greater)[0]
    __le__, __ge__ = _operator(less_equal)[0], _operator(greater_equal)[0]

    def __eq__(self, other: object) -> Any:
        return _compare(equal, self, other, otherwise=False)

    def __ne__(self, other: object) -> Any:
        return _compare(not_equal, self, other, otherwise=True)

    def __abs__(self) -> Any:
        return abs_(self)

    def __neg__(self) -> Any:
        return negative(self)

    def __invert__(self) -> Any:
        return logical_not(self)
