"""The columns of files of comma-separated values: their names, and the dtypes that their first rows suggest."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core.dtypes import DType, float32, float64, int32, int64, string
from millrace._src.ops.io.table_reader import TableRecordReader

_ROWS_AT_ONCE = 256
_ORDER = (int32, int64, float32, float64, string)
"""The dtypes of columns; each takes in what those before it can hold, or nearly so."""


@dataclass(frozen=True)
class CsvFormat:
    """How the fields of files are to be read.

    Attributes:
      delimiter: the character between fields.
      use_quotes: whether double quotes have a meaning.
      na_value: a text that means an empty field.
      has_header: whether the first record of each file has the names of the columns.
      compression: "", "ZLIB" or "GZIP".
      encoding: the encoding of the files.
    """

    delimiter: str
    use_quotes: bool
    na_value: str
    has_header: bool
    compression: str
    encoding: str

    def rows(self, path: str) -> Iterator[list[str]]:
        """Returns the fields of each record of a file, also of the header."""
        records = (record.decode(self.encoding) for record in self._records(path))
        for record in records:
            if self.use_quotes:
                yield from csv.reader([record], delimiter=self.delimiter)
            else:
                yield from csv.reader([record], delimiter=self.delimiter, quoting=csv.QUOTE_NONE)

    def _records(self, path: str) -> Iterator[bytes]:
        delimiter = self.delimiter.encode()
        reader = TableRecordReader(
            path.encode(), delimiter=delimiter, use_quotes=self.use_quotes, compression_type=self.compression
        )
        try:
            while records := reader.read_block(_ROWS_AT_ONCE):
                yield from records
        finally:
            reader.close()


def column_names(paths: Sequence[str], form: CsvFormat) -> list[str]:
    """Returns the names in the headers of all files.

    Raises: ValueError: if there is a file without header, or with other names.
    """
    names: list[str] | None = None
    for path in paths:
        header = next(form.rows(path), None)
        if header is None:
            raise ValueError(f"Failed when reading the header line of {path}. Is it an empty file?")
        if names is not None and header != names:
            raise ValueError(
                f"All input CSV files should have the same column names in the header row. File {path} has different "
                "column names."
            )
        names = header
    return names or []


def column_positions(names: Sequence[str], select_columns: Sequence[Any] | None) -> list[int] | None:
    """Returns the positions of chosen columns, in order; None for all columns.

    Args:
      names: the names of all columns.
      select_columns: names or positions; None for all columns.

    Raises: ValueError: if there is no such column, or a column twice.
    """
    if select_columns is None:
        return None
    positions = [_position(names, column) for column in select_columns]
    twice = {column for column in positions if positions.count(column) > 1}
    if twice:
        raise ValueError(f"The `select_columns` argument contains duplicate columns: {twice}.")
    return sorted(positions)


def _position(names: Sequence[str], column: Any) -> int:
    """Returns the position of a column that is given by name or position."""
    if isinstance(column, str):
        if column not in names:
            raise ValueError(
                f"Column {column} specified in `select_columns` must be of one of the columns: {list(names)}."
            )
        return names.index(column)
    if not 0 <= column < len(names):
        raise ValueError(
            f"Column index {column} specified in `select_columns` should be > 0  and <= {len(names)}, which is the "
            "number of columns."
        )
    return int(column)


def column_defaults(
    paths: Sequence[str], form: CsvFormat, width: int, columns: Sequence[int] | None, most: int | None
) -> list[Any]:
    """Returns a default for each column, of the dtype that the first rows suggest.

    Args:
      paths: the names of the files.
      form: how the fields are to be read.
      width: how many fields each row has.
      columns: the positions of the columns; None for all.
      most: how many rows are looked at; None for all.

    Raises: ValueError: if a row has another number of fields.
    """
    positions = range(width) if columns is None else columns
    ranks = [-1] * len(positions)
    for number, row in itertools.islice(_number_rows(paths, form), most):
        if len(row) != width:
            raise ValueError(
                f"Problem inferring types: CSV row {number} has {len(row)} number of fields. Expected: {width}."
            )
        ranks = [max(rank, _rank(row[position], form)) for rank, position in zip(ranks, positions, strict=True)]
    return [_zero(string if rank < 0 else _ORDER[rank]) for rank in ranks]


def _number_rows(paths: Sequence[str], form: CsvFormat) -> Iterator[tuple[int, list[str]]]:
    """Returns the rows below the headers, and their numbers in their files, from 1."""
    for path in paths:
        rows = enumerate(form.rows(path), 1)
        yield from itertools.islice(rows, int(form.has_header), None)


def _rank(text: str, form: CsvFormat) -> int:
    """Returns the index in the order of the first dtype that can hold a field; -1 for an empty field."""
    if text in ("", form.na_value):
        return -1
    return next(rank for rank, dtype in enumerate(_ORDER) if _holds(dtype, text))


def _holds(dtype: DType, text: str) -> bool:
    """Returns whether a dtype can hold the value of a text; floats that are not finite are left to strings."""
    if dtype is string:
        return True
    try:
        value = int(text) if dtype.is_integer else float(text)
    except ValueError:
        return False
    limits: Any = np.iinfo(dtype.np_dtype) if dtype.is_integer else np.finfo(dtype.np_dtype)
    return type(value)(limits.min) <= value <= type(value)(limits.max)


def _zero(dtype: DType) -> Any:
    """Returns the default of a column of a dtype, as a vector of one element."""
    return np.array([b""], object) if dtype is string else np.zeros(1, dtype.np_dtype)
