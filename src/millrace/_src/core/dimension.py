"""`tf.compat.v1.Dimension`: one dimension of a shape as an object, known or not.

`shape[i]` is an int, or None for an unknown size; in TensorFlow 1 it is a `Dimension`. `shape.dims` has them in both.
Arithmetic with an unknown dimension gives an unknown dimension; a comparison with an unknown dimension gives None.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from millrace._src.core.argument_types import TensorLike

Arithmetic = Callable[[int, int], int]


class Dimension:
    """A dimension, known or not.

    >>> d = tf.compat.v1.Dimension(3)
    >>> d + 2, d * None, d == 3, d < tf.compat.v1.Dimension(None)
    (Dimension(5), Dimension(None), True, None)

    Args: value: An integer that is not negative, an object with `__index__`, another dimension, or None.
    Raises:
      TypeError: if `value` is anything else.
      ValueError: if `value` is negative.
    """

    __slots__ = ("_value",)
    __hash__ = None  # type: ignore[assignment]  # an unknown dimension is equal to nothing, not to itself either

    def __init__(self, value: object) -> None:
        self._value: int | None = known_size(value)

    @property
    def value(self) -> int | None:
        """Returns the number, None if the dimension is unknown."""
        return self._value

    def is_compatible_with(self, other: TensorLike) -> bool:
        """Returns whether two dimensions may be the same: both are equal, or one dimension is unknown."""
        theirs = Dimension(other).value
        return self._value is None or theirs is None or self._value == theirs

    def assert_is_compatible_with(self, other: Any) -> None:
        """Refuses a dimension that cannot be the same as this dimension.

        Raises: ValueError: if both are known and differ.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {Dimension(other)} are not compatible")

    def merge_with(self, other: object) -> Dimension:
        """Returns the known one of two dimensions.

        Raises: ValueError: if both are known and differ.
        """
        self.assert_is_compatible_with(other)
        return Dimension(other if self._value is None else self._value)

    def _with(self, other: Any, function: Arithmetic, turned: bool = False) -> Any:
        """Returns a dimension computed from two dimensions, unknown if one of the two is unknown."""
        try:
            first, second = self._value, Dimension(other).value
        except TypeError:
            return NotImplemented
        if first is None or second is None:
            return Dimension(None)
        return Dimension(function(second, first) if turned else function(first, second))

    def __add__(self, other: TensorLike) -> Any:
        return self._with(other, operator.add)

    def __sub__(self, other: TensorLike) -> Any:
        return self._with(other, operator.sub)

    def __mul__(self, other: TensorLike) -> Any:
        return self._with(other, operator.mul)

    def __floordiv__(self, other: TensorLike) -> Any:
        return self._with(other, operator.floordiv)

    def __mod__(self, other: TensorLike) -> Any:
        return self._with(other, operator.mod)

    def __radd__(self, other: TensorLike) -> Any:
        return self._with(other, operator.add, turned=True)

    def __rsub__(self, other: TensorLike) -> Any:
        return self._with(other, operator.sub, turned=True)

    def __rmul__(self, other: TensorLike) -> Any:
        return self._with(other, operator.mul, turned=True)

    def __rfloordiv__(self, other: TensorLike) -> Any:
        return self._with(other, operator.floordiv, turned=True)

    def __rmod__(self, other: TensorLike) -> Any:
        return self._with(other, operator.mod, turned=True)

    def __div__(self, other: TensorLike) -> Any:
        """Divides and rounds down: the `/` of Python 2, which old programs call by its name."""
        return self // other

    def __truediv__(self, other: TensorLike) -> Any:
        raise TypeError(
            f"unsupported operand type(s) for /: 'Dimension' and '{type(other).__name__}', please use // instead"
        )

    def __rtruediv__(self, other: TensorLike) -> Any:
        raise TypeError(
            f"unsupported operand type(s) for /: '{type(other).__name__}' and 'Dimension', please use // instead"
        )

    def _compare(self, other: object, function: Callable[[int, int], bool]) -> Any:
        """Returns the result of comparing two dimensions, None if one of the two is unknown."""
        theirs = Dimension(other).value
        return None if self._value is None or theirs is None else function(self._value, theirs)

    def __eq__(self, other: object) -> Any:
        try:
            return self._compare(other, operator.eq)
        except (TypeError, ValueError):
            return NotImplemented

    def __ne__(self, other: object) -> Any:
        try:
            return self._compare(other, operator.ne)
        except (TypeError, ValueError):
            return NotImplemented

    def __lt__(self, other: TensorLike) -> Any:
        return self._compare(other, operator.lt)

    def __le__(self, other: TensorLike) -> Any:
        return self._compare(other, operator.le)

    def __gt__(self, other: TensorLike) -> Any:
        return self._compare(other, operator.gt)

    def __ge__(self, other: TensorLike) -> Any:
        return self._compare(other, operator.ge)

    def __int__(self) -> int:
        if self._value is None:
            raise TypeError("The dimension is unknown: it has no integer.")
        return self._value

    def __index__(self) -> int:
        return int(self)

    def __float__(self) -> float:
        return float(int(self))

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Dimension({self._value!r})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __reduce__(self) -> Any:
        return Dimension, (self._value,)


def known_size(value: Any) -> int | None:
    """Returns the size that a value gives for a dimension, None if the dimension is unknown.

    Raises:
      TypeError: if the value is not an integer, None or dimension.
      ValueError: if it is negative.
    """
    if value is None:
        return None
    if isinstance(value, Dimension):
        return value.value
    try:
        size = int(operator.index(value))
    except TypeError as error:
        if hasattr(value, "__index__") and getattr(value, "ndim", None):  # NumPy has the clearer error
            raise
        raise TypeError(
            "Dimension value must be integer or None or have an __index__ method, "
            f"got value '{value!r}' with type '{type(value)!r}'"
        ) from error
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size
