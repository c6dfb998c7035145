"""Decimal numbers read from packed strings, eight digits of every string at a time.

Problem: to ask Python for the number in each string costs a hundred nanoseconds and more.

Idea: eight digits are the bytes of one 64-bit number, and three multiplications join them: pairs, fours, eight. A
decimal with a point is two such integers. It is exact where all digits together are below 2**53, for then the one
division by a power of ten rounds once. Other texts (exponents, white space, very many digits, "inf", mistakes) are told
apart, and left to the caller.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.ops.strings.packed import PackedStrings

_MAX_DIGITS = 16
_MAX_EXACT_DIGITS = 15
_POWERS = 10.0 ** np.arange(_MAX_DIGITS + 1)
_INTEGER_POWERS = 10 ** np.arange(_MAX_DIGITS + 1, dtype=np.int64)
_MINUS, _PLUS, _POINT = (np.uint8(ord(sign)) for sign in "-+.")


def read_integers(strings: PackedStrings, with_minus: bool = True) -> tuple[Array, Array]:
    """Reads integers: int64, and which of the strings are an optional sign and up to 16 digits.

    Args:
      strings: the strings.
      with_minus: whether a minus is a sign.
    """
    begins, is_negative = _signs(strings)
    numbers, is_simple = _read_unsigned(strings, begins, strings.sizes)
    is_simple &= strings.sizes > begins
    if not with_minus:
        is_simple &= ~is_negative
    return np.where(is_negative, -numbers, numbers), is_simple


def read_floats(strings: PackedStrings) -> tuple[Array, Array]:
    """Reads decimals: float64, and which strings are an optional sign and up to 15 digits with at most one point."""
    begins, is_negative = _signs(strings)
    points, has_point = _points(strings)
    whole, is_simple = _read_unsigned(strings, begins, points)
    fraction_begins = points + has_point
    fraction, is_fraction_simple = _read_unsigned(strings, fraction_begins, strings.sizes)
    digits_behind = strings.sizes - fraction_begins
    digits = digits_behind + points - begins
    is_simple &= is_fraction_simple & (digits >= 1) & (digits <= _MAX_EXACT_DIGITS)
    np.copyto(digits_behind, 0, where=~is_simple)
    numbers = (whole * _INTEGER_POWERS.take(digits_behind) + fraction) / _POWERS.take(digits_behind)
    np.negative(numbers, out=numbers, where=is_negative)
    return numbers, is_simple


def _signs(strings: PackedStrings) -> tuple[Array, Array]:
    """Returns where the digits of each string begin, and whether there is a minus before them."""
    first = strings.characters.take(strings.starts)
    is_negative = first == _MINUS
    has_sign = (is_negative | (first == _PLUS)) & (strings.sizes > 0)
    return has_sign.astype(np.int64), is_negative


def _points(strings: PackedStrings) -> tuple[Array, Array]:
    """Returns where the first point of each string is, or else the end of the string; and whether there is one."""
    found = np.flatnonzero(strings.characters == _POINT)
    points = strings.sizes.copy()
    if len(found) == len(strings) and (found >= strings.starts).all() and (found < strings.starts + points).all():
        return np.subtract(found, strings.starts, out=points), np.ones(len(points), np.int64)
    next_point = np.append(found, np.iinfo(np.int64).max)[np.searchsorted(found, strings.starts)]
    has_point = next_point < strings.starts + points
    np.subtract(next_point, strings.starts, out=points, where=has_point)
    return points, has_point.astype(np.int64)


def _read_unsigned(strings: PackedStrings, begins: Array, ends: Array) -> tuple[Array, Array]:
    """Reads the digits of parts of strings: int64, and which of the parts are up to 16 digits; no digits are 0."""
    counts = ends - begins
    is_simple = counts <= _MAX_DIGITS
    numbers, are_digits = _eight_digits(strings, ends - 8, np.minimum(counts, 8))
    is_simple &= are_digits
    longer = counts > 8
    if longer.any():
        upper_counts = np.where(is_simple & longer, counts - 8, 0)
        upper, are_digits = _eight_digits(strings, np.where(upper_counts > 0, ends - 16, 0), upper_counts)
        is_simple &= are_digits
        numbers += upper * 100_000_000
    return numbers, is_simple


def _eight_digits(strings: PackedStrings, offsets: Array, counts: Array) -> tuple[Array, Array]:
    """Reads the last `counts` of eight bytes: the number that they spell, int64, and whether all of them are digits."""
    value = strings.words_at(offsets)
    shift = ((8 - counts) << 3).view(np.uint64)
    np.bitwise_xor(value, 0x30303030_30303030, out=value)
    np.right_shift(value, shift, out=value)  # the bytes before the digits become zeros, which count for nothing
    np.left_shift(value, shift, out=value)
    are_digits = ((value + 0x76767676_76767676) | value) & 0x80808080_80808080 == 0
    for factor, width, mask in _JOINS:
        np.multiply(value, factor, out=value)
        np.right_shift(value, width, out=value)
        np.bitwise_and(value, mask, out=value)
    return value.view(np.int64), are_digits


_JOINS = (
    (10 * 2**8 + 1, 8, 0x00FF00FF_00FF00FF),
    (100 * 2**16 + 1, 16, 0x0000FFFF_0000FFFF),
    (10_000 * 2**32 + 1, 32, 0x00000000_FFFFFFFF),
)
"""How neighbours are joined: digits to numbers of two digits, these to numbers of four, these to one of eight."""
