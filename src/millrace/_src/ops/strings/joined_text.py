"""Many strings as one long text, so that work on a hundred thousand short strings is a few calls on one long text.

Python's `bytes.split` on one long text makes parts several times faster than a loop over strings. `JoinedText` keeps
where each string ends; a count of marked bytes up to these bytes says how many parts belong to each string. A few
strings are split one by one: a pipeline splits one text an element.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array

SPACES = b" \t\n\v\f\r"
"""The bytes that are white space."""
_FEW = 64
"""So many strings are split one by one."""
_TO_BLANKS = bytes.maketrans(SPACES, b" " * len(SPACES))


class JoinedText(NamedTuple):
    """Strings in a row, each followed by one separator byte."""

    text: bytes
    ends: Array
    """The positions of the bytes that separate the strings."""

    def count_marks(self, marks: Array) -> Array:
        """Returns how many bytes of each string are marked; the byte behind the string counts as one of its bytes."""
        dtype = np.int32 if len(marks) < 2**31 else np.int64  # four times as fast where it is enough
        totals = np.cumsum(marks, dtype=dtype)[self.ends]
        return np.diff(totals, prepend=totals.dtype.type(0)).astype(np.int64)

    def bytes_in(self, kinds: bytes) -> Array:
        """Marks the bytes that are among `kinds`."""
        characters = np.frombuffer(self.text, np.uint8)
        if len(kinds) == 1:
            return characters == kinds[0]
        is_kind = np.zeros(256, np.bool_)
        is_kind[list(kinds)] = True
        return np.take(is_kind, characters)


def join_text(strings: Sequence[bytes], separator: bytes) -> JoinedText:
    """Joins strings to one text in which the byte `separator` follows each string."""
    text = separator.join([*strings, b""])
    if text.count(separator) == len(strings):  # looking for the separator is faster than to ask each string's length
        return JoinedText(text, np.flatnonzero(np.frombuffer(text, np.uint8) == separator[0]))
    return JoinedText(text, np.cumsum(lengths_of(strings) + 1) - 1)


def lengths_of(strings: Sequence[bytes]) -> Array:
    """Returns the lengths of strings."""
    return np.fromiter(map(len, strings), np.int64, len(strings))


Parts = tuple[Sequence[bytes], Array]
"""The parts of all strings one after the other, and the number of parts of each string."""


def split_at_space(strings: Sequence[bytes]) -> Parts:
    """Splits strings at runs of white space; white space at either end of a string makes no part."""
    if len(strings) <= _FEW:
        return _in_a_row([string.split() for string in strings])
    joined_text = join_text(strings, b"\n")
    characters = np.frombuffer(joined_text.text, np.uint8)
    is_gap = (characters == ord(" ")) | (characters - np.uint8(ord("\t")) <= ord("\r") - ord("\t"))
    counts = _count_runs(joined_text, is_gap)
    if np.count_nonzero(is_gap) == counts.sum():  # no run of several: one byte to split at is faster to look for
        parts = joined_text.text.translate(_TO_BLANKS).split(b" ")
        del parts[-1]  # behind the separator of the last string
        return parts, counts
    return joined_text.text.split(), counts


def _count_runs(joined_text: JoinedText, is_gap: Array) -> Array:
    """Returns how many runs of bytes outside of gaps each string has."""
    begins_run = ~is_gap
    begins_run[1:] &= is_gap[:-1]
    return joined_text.count_marks(begins_run)


def split_at_any(strings: Sequence[bytes], delimiters: bytes, skip_empty: bool) -> Parts:
    """Splits strings at each byte that is among `delimiters`; an empty string has one empty part, unless left out."""
    mark = delimiters[:1]
    joined_text = join_text(strings, mark)
    is_mark, text = joined_text.bytes_in(delimiters), joined_text.text
    if len(delimiters) > 1:
        text = text.translate(bytes.maketrans(delimiters, mark * len(delimiters)))
    parts = text.split(mark)
    if skip_empty:
        return list(filter(None, parts)), _count_runs(joined_text, is_mark)
    del parts[-1]  # behind the separator of the last string
    return parts, joined_text.count_marks(is_mark)


def split_at(strings: Sequence[bytes], separator: bytes) -> Parts:
    """Splits strings at each occurrence of `separator`, which may be longer than a byte."""
    if len(strings) <= _FEW:
        return split_each(strings, separator, -1)
    if len(separator) == 1:
        return split_at_any(strings, separator, skip_empty=False)
    if _overlaps_itself(separator):  # an occurrence could reach from a string into what joins it to the next string
        return split_each(strings, separator, -1)
    counts = np.fromiter(map(bytes.count, strings, itertools.repeat(separator)), np.int64, len(strings)) + 1
    return separator.join(strings).split(separator) if strings else [], counts


def _overlaps_itself(separator: bytes) -> bool:
    """Returns whether a beginning of `separator` is also an end of it."""
    return any(separator.startswith(separator[i:]) for i in range(1, len(separator)))


def split_each(strings: Sequence[bytes], separator: bytes, maxsplit: int) -> Parts:
    """Splits strings at most `maxsplit` times, one string at a time."""
    return _in_a_row([string.split(separator, maxsplit) for string in strings])


def split_each_at_space(strings: Sequence[bytes], maxsplit: int) -> Parts:
    """Splits strings at runs of white space, at most `maxsplit` times; what is left of a string is a part.

    TensorFlow adds what is left as soon as it has split `maxsplit` times, even where nothing is left.
    """
    rows = [string.split(None, maxsplit) for string in strings]
    for row in rows:
        if len(row) == maxsplit:
            row.append(b"")
    return _in_a_row(rows)


def _in_a_row(rows: Sequence[list[bytes]]) -> Parts:
    return list(itertools.chain.from_iterable(rows)), np.fromiter(map(len, rows), np.int64, len(rows))
