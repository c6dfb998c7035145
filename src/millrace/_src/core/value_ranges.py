"""What is known of integers, of vectors of integers and of lists, while indices are proven to be in range.

An integer may be known as a range: its bounds are numbers, or a size that is unknown yet plus a number. Sums wrap
around at the limits of their dtype, so nothing is known of a sum that might.

Ops declare two rules on such facts: `value_range`, what is known of the outputs, and `in_range`, whether the op
certainly refuses none of its indices. The rules stand in `value_ranges.py` of the op's folder; `passes/value_ranges.py`
walks graphs with the rules.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from millrace._src.core.dtypes import DType
from millrace._src.core.shapes import TensorShape


class Size(NamedTuple):
    """An integer: what `base` represents, plus `offset`; the offset alone without a base."""

    base: Hashable
    offset: int

    def plus(self, number: int) -> Size:
        """Returns a size that is larger by a number."""
        return Size(self.base, self.offset + number)

    def is_below(self, other: Size | None) -> bool:
        """Returns whether the size is less than another one, for certain."""
        return other is not None and self.base == other.base and self.offset < other.offset


@dataclass(frozen=True, slots=True)
class ValueRange:
    """What is known of an integer, or of the only element of a vector.

    Attributes:
      least: no value is less.
      most: no value is greater; None for an unknown bound.
      exact: the value itself, where that is known.
    """

    least: int
    most: Size | None = None
    exact: Size | None = None


@dataclass(frozen=True, slots=True)
class Numbers:
    """What is known of a vector of integers: each of them; None for one of which nothing is known."""

    each: tuple[ValueRange | None, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """What is known of a list.

    Attributes:
      length: the number of items; None if unknown.
      item: what holds for each item; None if nothing does.
      is_new: whether no item was ever put in.
    """

    length: Size | None
    item: ValueRange | None = None
    is_new: bool = False

    def with_item(self, item: object) -> Items:
        """Returns what is known once an item is among the others."""
        number = item if isinstance(item, ValueRange) else None
        return replace(self, item=number if self.is_new else join(self.item, number), is_new=False)


Fact: TypeAlias = ValueRange | Numbers | Items

SMALLEST = -(2**63)


class RangeContext(Protocol):
    """What a rule may ask about the node that it judges; inputs by their number, lists of inputs flattened."""

    @property
    def attrs(self) -> Mapping[str, Any]:
        """The attributes of the op."""

    @property
    def input_count(self) -> int:
        """The number of inputs."""

    def shape(self, index: int) -> TensorShape:
        """Returns the static shape of an input."""

    def constant(self, index: int) -> Any:
        """Returns the array that an input always is; None for another input."""

    def fact(self, index: int) -> Fact | None:
        """Returns what is known of an input."""

    def number(self, index: int) -> ValueRange | None:
        """Returns what is known of an input that is an integer; None also for another input."""

    def items(self, index: int) -> Items | None:
        """Returns what is known of an input that is a list; None also for another input."""

    def size(self, index: int, axis: int) -> Size | None:
        """Returns the size of an axis of an input; None for an axis that does not exist."""


def constant_fact(array: Any) -> Fact | None:
    """Returns what is known of a constant: an integer, or a vector of integers; None for another array."""
    if array.dtype.kind not in "iu" or array.ndim > 1:
        return None
    if array.size == 1:
        return exactly(Size(None, int(array.reshape(-1)[0])))
    return Numbers(tuple([exactly(Size(None, number)) for number in array.tolist()]))


def join(one: ValueRange | None, other: ValueRange | None) -> ValueRange | None:
    """Returns what holds for the numbers of both ranges."""
    if one is None or other is None:
        return None
    highest = [r.most or r.exact for r in (one, other)]
    known = [most for most in highest if most is not None]
    comparable = len(known) == 2 and known[0].base == known[1].base
    return ValueRange(min(one.least, other.least), max(known, key=lambda most: most.offset) if comparable else None)


def shift(known: ValueRange, number: int) -> ValueRange:
    """Returns what is known of a number plus another one."""
    least = known.least + number if known.least > SMALLEST else SMALLEST
    return ValueRange(least, known.most and known.most.plus(number), known.exact and known.exact.plus(number))


_MAX_ADDED = 1 << 16
"""What may be added to the size of an array: no array has so many elements that a sum with the size wraps around."""


def safe_sum(known: ValueRange, number: int, dtype: DType) -> ValueRange | None:
    """Returns what is known of a number of some dtype plus another one; None if the sum may wrap around."""
    limits = np.iinfo(dtype.np_dtype)
    if number < 0:
        return shift(known, number) if known.least + number >= limits.min else None
    highest = known.most or known.exact
    if highest is None:
        return shift(known, number) if not number else None
    if highest.base is None:
        fits = highest.offset + number <= limits.max
    elif isinstance(highest.base, tuple):
        fits = dtype.size >= LARGE_ENOUGH and highest.offset + number <= _MAX_ADDED
    else:
        fits = highest.offset + number <= 0  # at most the value that `base` represents
    return shift(known, number) if fits else None


LARGE_ENOUGH = 4
"""The bytes of integers that hold the size of any array."""


def can_hold(dtype: DType, known: ValueRange, source: DType) -> bool:
    """Returns whether a dtype holds a number of another dtype."""
    limits, source_limits = np.iinfo(dtype.np_dtype), np.iinfo(source.np_dtype)
    if limits.min <= source_limits.min and source_limits.max <= limits.max:
        return True
    highest = known.most or known.exact
    return highest is not None and highest.base is None and limits.min <= known.least and highest.offset <= limits.max


def vector(numbers: Sequence[ValueRange | None]) -> ValueRange | Numbers | None:
    """Returns what is known of a vector, given what is known of each number."""
    return numbers[0] if len(numbers) == 1 else Numbers(tuple(numbers))


def elements(known: Fact | None) -> tuple[ValueRange | None, ...]:
    """Returns what is known of each number of a vector; nothing where the vector itself is unknown."""
    return known.each if isinstance(known, Numbers) else (known,) if isinstance(known, ValueRange) else ()


def exactly(size: Size) -> ValueRange:
    """Returns the fact of an integer that is known."""
    return ValueRange(size.offset if size.base is None else 0, size, size)
