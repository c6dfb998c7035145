"""Reading a whole table of comma-separated values column by column.

All records are cut at once: NumPy finds the delimiters. A column of plain numbers is read from the characters
themselves; for other columns the fields are made as `bytes` and read one by one. A table with a mistake is left to the
rules, which know how to report it.

Tests: tests/ops/io/test_comma_separated.py
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType
from millrace._src.ops.io.quoted_text import unquote
from millrace._src.ops.io.table_records import SPECIAL, Table, as_floats, column_of
from millrace._src.ops.strings.numbers import read_float
from millrace._src.ops.strings.packed import PADDING, PackedStrings, pad_words
from millrace._src.ops.strings.packed_numbers import read_floats, read_integers

_FEW = 64  # records that are cut faster one by one than with NumPy


def read_columns(records: list[bytes], table: Table) -> list[Array] | None:
    """Reads a table without mistakes; None for other tables."""
    joined = b"\n".join(records)
    is_cut = b"" in records or joined.count(b"\n") != len(records) - 1
    if is_cut or table.delimiter in SPECIAL or b"\r" in joined:
        return None
    put_back = None
    if table.use_quotes and b'"' in joined:
        unquoted = unquote(joined, table.delimiter)
        if unquoted is None:
            return None
        joined, put_back = unquoted
    cut = (_FewRecords if len(records) < _FEW else _ManyRecords)(joined, table.delimiter, len(records))
    columns = range(len(table.dtypes)) if table.columns is None else table.columns
    count = cut.field_count
    if count is None or (count != len(columns) if table.columns is None else count <= columns[-1]):
        return None
    arrays = []
    for column, dtype, default in zip(columns, table.dtypes, table.defaults):
        array = _read_column(cut, column, dtype, default, table.na_value, put_back)
        if array is None:
            return None
        arrays.append(array)
    return arrays


class _FewRecords:
    """Lines that are cut into fields one by one.

    Attributes:
      field_count: how many fields each line has; None if not all have as many.
    """

    def __init__(self, text: bytes, delimiter: bytes, record_count: int) -> None:
        self._text, self._delimiter = text, delimiter
        self.field_count = self._common_field_count(record_count)

    def _common_field_count(self, record_count: int) -> int | None:
        first_count, *other_counts = [line.count(self._delimiter) for line in self._text.split(b"\n")]
        return None if any(count != first_count for count in other_counts) else first_count + 1

    def numbers(self, column: int, is_integer: bool) -> Array | None:
        """Returns a column of plain numbers as int64 or float64; None for one that has to be read as text."""
        return None

    def texts(self, column: int) -> list[bytes]:
        """Returns the fields of a column."""
        return self._fields[column :: self.field_count]

    @functools.cached_property
    def _fields(self) -> list[bytes]:
        return self._text.replace(b"\n", self._delimiter).split(self._delimiter)


class _ManyRecords(_FewRecords):
    """Lines that NumPy cuts into fields."""

    _has_made_texts = False

    def _common_field_count(self, record_count: int) -> int | None:
        self._words = pad_words(self._text)
        characters = self._words.view(np.uint8)[PADDING : PADDING + len(self._text)]
        is_newline = characters == ord("\n")
        ends = np.flatnonzero(is_newline | (characters == ord(self._delimiter)))
        count, rest = divmod(len(ends) + 1, record_count)
        if rest or not is_newline[ends[count - 1 :: count]].all():
            return None
        self._ends = np.append(ends, len(characters)).reshape(record_count, count)
        self._starts = np.append(0, ends + 1).reshape(record_count, count)
        return count

    def texts(self, column: int) -> list[bytes]:
        if self._has_made_texts:
            return super().texts(column)  # all columns at once: for a second column this is faster
        self._has_made_texts = True
        bounds = zip(self._starts[:, column].tolist(), self._ends[:, column].tolist())
        return [self._text[start:end] for start, end in bounds]

    def numbers(self, column: int, is_integer: bool) -> Array | None:
        starts = self._starts[:, column]
        fields = PackedStrings(self._words, starts + PADDING, self._ends[:, column] - starts)
        numbers, is_simple = read_integers(fields) if is_integer else read_floats(fields)
        return numbers if is_simple.all() else None


def _read_column(
    cut: _FewRecords, column: int, dtype: DType, default: list[Any], na_value: bytes, put_back: bytes | None
) -> Array | None:
    """Reads a column; None for one with a mistake, or with a number that only C can read."""
    if dtype is d.string:
        texts = cut.texts(column)
        if put_back is not None:
            texts = [text.translate(put_back) for text in texts]
        filled_texts = _fill(texts, default, na_value)
        return None if filled_texts is None else column_of(filled_texts, dtype)
    if read_float(na_value) is None:  # a number may represent an empty field
        numbers = cut.numbers(column, dtype.is_integer)
        if numbers is not None:
            return _narrow(numbers, dtype)
    filled_texts = _fill(cut.texts(column), [str(value).encode() for value in default], na_value)
    if filled_texts is None or b"_" in b"".join(filled_texts):  # Python reads 1_000
        return None
    return _read_texts(filled_texts, dtype)


def _fill(texts: list[bytes], default: list[bytes], na_value: bytes) -> list[bytes] | None:
    """Returns the fields with the default instead of empty ones; None if there is no default for them."""
    if b"" not in texts and not (na_value and na_value in texts):
        return texts
    if not default:
        return None
    return [default[0] if text in (b"", na_value) else text for text in texts]


def _narrow(numbers: Array, dtype: DType) -> Array | None:
    """Returns numbers in the dtype of a column; None for integers out of range."""
    if not dtype.is_integer:
        return as_floats(numbers, dtype)
    if numbers.max() > dtype.max or numbers.min() < dtype.min:
        return None
    return numbers.astype(dtype.np_dtype)


def _read_texts(texts: list[bytes], dtype: DType) -> Array | None:
    """Reads numbers as Python does; None where Python reads none."""
    try:
        if dtype.is_integer:
            return np.fromiter(map(int, texts), dtype.np_dtype, len(texts))
        return as_floats(np.fromiter(map(float, texts), np.float64, len(texts)), dtype)
    except (ValueError, OverflowError):
        return None
