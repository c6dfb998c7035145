"""Python's operators on ragged tensors: each calls the public function, whose overload treats ragged values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.dtypes import bool_
from millrace._src.ops.math.binary import add, multiply, subtract
from millrace._src.ops.math.bitwise import bitwise_and, bitwise_or, bitwise_xor, invert
from millrace._src.ops.math.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from millrace._src.ops.math.division import floordiv, floormod, truediv
from millrace._src.ops.math.logical import logical_and, logical_not, logical_or, logical_xor
from millrace._src.ops.math.power import pow_
from millrace._src.ops.math.unary import abs_, negative

Method = Callable[[Any, Any], Any]


def _operator(function: Callable[..., Any]) -> tuple[Method, Method]:
    """Makes the method and the reflected method of a binary operator."""

    def forward(self: Any, other: Any) -> Any:
        return function(self, other)

    def backward(self: Any, other: Any) -> Any:
        return function(other, self)

    return forward, backward


def _logical_operator(logical: Callable[..., Any], bitwise: Callable[..., Any]) -> tuple[Method, Method]:
    """Makes the methods of an operator that is logical on booleans and bitwise on integers."""

    def forward(self: Any, other: Any) -> Any:
        return (logical if self.dtype is bool_ else bitwise)(self, other)

    def backward(self: Any, other: Any) -> Any:
        return (logical if self.dtype is bool_ else bitwise)(other, self)

    return forward, backward


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
    __and__, __rand__ = _logical_operator(logical_and, bitwise_and)
    __or__, __ror__ = _logical_operator(logical_or, bitwise_or)
    __xor__, __rxor__ = _logical_operator(logical_xor, bitwise_xor)
    __lt__, __gt__ = _operator(less)[0], _operator(greater)[0]
    __le__, __ge__ = _operator(less_equal)[0], _operator(greater_equal)[0]

    def __eq__(self, other: object) -> Any:
        return False if other is None else equal(self, other)

    def __ne__(self, other: object) -> Any:
        return True if other is None else not_equal(self, other)

    def __abs__(self) -> Any:
        return abs_(self)

    def __neg__(self) -> Any:
        return negative(self)

    def __invert__(self) -> Any:
        return logical_not(self) if self.dtype is bool_ else invert(self)
