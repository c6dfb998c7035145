"""Columns of plain numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.ops.io.number_columns import WIDEST, decimal_column, integer_column


def _read(read: Any, fields: list[str]) -> Any:
    text = ",".join(fields).encode()
    ends = np.cumsum([len(field) + 1 for field in fields]) - 1
    starts = np.append(0, ends[:-1] + 1)
    return read(np.frombuffer(text + bytes(WIDEST), np.uint8), starts, ends)


@given(st.lists(st.integers(-(10**18) + 1, 10**18 - 1), min_size=1))
def test_integers(numbers: list[int]) -> None:
    assert _read(integer_column, [str(number) for number in numbers]).tolist() == numbers


@given(st.lists(st.decimals(-(10**6), 10**6, places=7), min_size=1), st.integers(0, 7))
def test_decimals_are_rounded_as_python_rounds_them(decimals: list[Any], places: int) -> None:
    fields = [f"{decimal:.{places}f}" for decimal in decimals]
    found = _read(decimal_column, fields)
    assert found.tobytes() == np.array([float(field) for field in fields]).tobytes()


@given(st.lists(st.from_regex(r"-?[0-9]{0,7}\.?[0-9]{0,8}", fullmatch=True), min_size=1))
def test_points_anywhere(fields: list[str]) -> None:
    if all(any(character.isdigit() for character in field) for field in fields):
        assert _read(decimal_column, fields).tolist() == [float(field) for field in fields]
    else:
        assert _read(decimal_column, fields) is None


@pytest.mark.parametrize("field", ["", "-", "+1", " 1", "1e5", "1_0", "--1", "1-", "nan", "0x1", "9" * 19])
def test_what_is_left_to_others(field: str) -> None:
    for read in (integer_column, decimal_column):
        assert _read(read, ["1", field, "22"]) is None


@pytest.mark.parametrize("field", [".", "-.", "1.2.3", "9007199254740993.0"])
def test_decimals_that_are_left_to_others(field: str) -> None:
    assert _read(decimal_column, [field, "1"]) is None


def test_integers_have_no_point() -> None:
    assert _read(integer_column, ["1.0"]) is None
