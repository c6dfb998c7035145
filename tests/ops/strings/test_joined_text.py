"""Many strings as one text: the same parts as string by string."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.ops.strings.joined_text import (
    Parts,
    join_text,
    lengths_of,
    split_at,
    split_at_any,
    split_at_space,
    split_each,
    split_each_at_space,
)

_STRINGS = st.lists(st.text(alphabet="ab ,\t\n\xa0", max_size=8).map(lambda text: text.encode("latin-1")), max_size=5)


def _rows(parts: Parts) -> list[list[bytes]]:
    values, counts = parts
    ends = np.cumsum(counts).tolist()
    assert sum(counts) == len(values)
    return [list(values[stop - count : stop]) for stop, count in zip(ends, counts.tolist(), strict=True)]


@given(_STRINGS)
def test_white_space_separates_as_in_python(strings: list[bytes]) -> None:
    for some in (strings, strings * 70):  # a few are split one by one
        assert _rows(split_at_space(some)) == [string.split() for string in some]


@given(_STRINGS, st.sampled_from([b",", b"a", b"ab", b"aa", b"aba", b"\n"]))
def test_a_separator_separates_as_in_python(strings: list[bytes], separator: bytes) -> None:
    for some in (strings, strings * 70):
        assert _rows(split_at(some, separator)) == [string.split(separator) for string in some]


def test_a_separator_that_overlaps_itself_is_not_found_between_strings() -> None:
    for times in (1, 70):
        assert _rows(split_at([b"xa", b"y"] * times, b"aa")) == [[b"xa"], [b"y"]] * times
        assert _rows(split_at([b"xab", b"b"] * times, b"abb")) == [[b"xab"], [b"b"]] * times


@given(_STRINGS, st.sampled_from([b",", b", ", b"ab\n"]), st.booleans())
def test_each_of_several_bytes_separates(strings: list[bytes], delimiters: bytes, skip_empty: bool) -> None:
    def naive(string: bytes) -> list[bytes]:
        for delimiter in delimiters:
            string = string.replace(bytes([delimiter]), delimiters[:1])
        return [part for part in string.split(delimiters[:1]) if part or not skip_empty]

    assert _rows(split_at_any(strings, delimiters, skip_empty)) == [naive(string) for string in strings]


@pytest.mark.parametrize("most", [1, 2])
def test_at_most_so_many_splits(most: int) -> None:
    strings = [b"a,b,c,d", b"", b"a"]
    assert _rows(split_each(strings, b",", most)) == [string.split(b",", most) for string in strings]


def test_what_is_left_after_the_last_split_is_a_part() -> None:
    assert _rows(split_each_at_space([b"a", b" a  b  ", b""], 1)) == [[b"a", b""], [b"a", b"b  "], []]


def test_marks_are_counted_per_string() -> None:
    joined = join_text([b"a,b", b"", b",,"], b",")
    assert joined.text == b"a,b,,,,,"
    assert joined.ends.tolist() == [3, 4, 7]
    assert joined.count_marks(joined.bytes_in(b",")).tolist() == [2, 1, 3]
    assert lengths_of([b"a,b", b""]).tolist() == [3, 0]
