"""Reading a column of plain numbers from text, all of its fields at once.

NumPy looks at the first characters of all fields, then at the second ones, and so on, and keeps the numbers read so
far. Only digits, a minus sign and a point are known here; a column with anything else is left to others. A decimal is
the whole number of its digits divided by a power of ten: both are exact in a float64 up to 2**53 and 10**22, so that
the one division rounds correctly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

WIDEST = 18
"""The most characters of a number that is read here, and so the characters that must follow the text."""

_MINUS, _POINT, _ZERO = ord("-"), ord("."), np.uint8(ord("0"))
_EXACT = 2**53
_POWERS = 10.0 ** np.arange(WIDEST + 1)


def integer_column(characters: Any, starts: Any, ends: Any) -> Any:
    """Reads integers.

    >>> import numpy as np
    >>> from millrace._src.ops.io.number_columns import WIDEST, integer_column
    >>> text = b"31,-7" + bytes(WIDEST)
    >>> integer_column(np.frombuffer(text, np.uint8), np.array([0, 3]), np.array([2, 5]))
    array([31, -7])

    Args:
      characters: the text, as bytes, and `WIDEST` more.
      starts: where each field begins.
      ends: where each field ends.

    Returns: An int64 array; None for fields that are not all digits, with a minus sign in front.
    """
    read = _read_digits(characters, starts, ends, has_points=False)
    return None if read is None else np.where(read[1], -read[0], read[0])


def decimal_column(characters: Any, starts: Any, ends: Any) -> Any:
    """Reads decimals.

    >>> import numpy as np
    >>> from millrace._src.ops.io.number_columns import WIDEST, decimal_column
    >>> text = b"3.25,-7" + bytes(WIDEST)
    >>> decimal_column(np.frombuffer(text, np.uint8), np.array([0, 5]), np.array([4, 7]))
    array([ 3.25, -7.  ])

    Returns: A float64 array; None for fields that are not all digits, with a minus sign in front and one point.
    """
    read = _read_digits(characters, starts, ends, has_points=True)
    if read is None or (read[0] > _EXACT).any():
        return None
    digits, is_negative, places = read
    numbers = digits / _POWERS[places]
    return np.where(is_negative, -numbers, numbers)


def _read_digits(characters: Any, starts: Any, ends: Any, has_points: bool) -> tuple[Any, Any, Any] | None:
    """Returns the digits of each field as a whole number, whether it is negative, and the digits after the point."""
    is_negative = characters[starts] == _MINUS
    first = starts + is_negative
    widths = ends - first
    widest, narrowest = int(widths.max()), int(widths.min())
    if widest > WIDEST or narrowest < 1:
        return None
    number, places = np.zeros(len(starts), np.int64), np.zeros(len(starts), np.int64)
    seen_points = np.zeros(len(starts), bool)
    for step in range(widest):
        character = characters[first + step]
        is_outside = step >= widths if step >= narrowest else False
        is_digit = (character - _ZERO <= 9) & ~np.asarray(is_outside)
        is_point = False
        if has_points:
            is_point = (character == _POINT) & ~(seen_points | is_outside)
            seen_points |= is_point
            places += seen_points & is_digit
        if not (is_digit | is_point | is_outside).all():
            return None
        number = np.where(is_digit, number * 10 + (character - _ZERO), number)
    if has_points and (widths == seen_points).any():  # a point alone
        return None
    return number, is_negative, places
