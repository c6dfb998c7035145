"""The rules of comma-separated values, record by record.

They are those of RFC 4180, in TensorFlow's form. The first mistake of a table is the one that is reported, so records
and fields are read in order.

Tests: tests/ops/io/test_comma_separated.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.errors import invalid
from millrace._src.ops.strings.numbers import integer_reader, read_float

SPECIAL = (b'"', b"\r", b"\n")
"""What a plain field does not hold, besides the delimiter."""

Reader: TypeAlias = Callable[[bytes], Any]


class Table:
    """What the attributes and defaults of one call say about a table.

    Attributes:
      dtypes: the dtype of each column that is read.
      defaults: the value of an empty field in each column; a list of none or one.
      columns: which columns are read, in order; None for all.
    """

    def __init__(
        self,
        dtypes: Sequence[DType],
        defaults: Sequence[list[Any]],
        delimiter: bytes,
        use_quotes: bool,
        na_value: bytes,
        columns: Sequence[int] | None,
    ) -> None:
        self.dtypes = dtypes
        self.defaults = defaults
        self.delimiter = delimiter
        self.use_quotes = use_quotes
        self.na_value = na_value
        self.columns = columns

    @property
    def special_texts(self) -> list[bytes]:
        """What a plain field does not hold."""
        return [text for text in SPECIAL[0 if self.use_quotes else 1 :] if text != self.delimiter]


def default_of(index: int, array: Array) -> list[Any]:
    """Returns the value of an empty field in a column; an empty list if there is none.

    Raises: tf.errors.InvalidArgumentError: if the array is not a scalar and no vector of at most one element.
    """
    if array.ndim > 1:
        raise invalid("Each record default should be at most rank 1")
    if array.size > 1:
        raise invalid(f"There should only be 1 default per field but field {index} has {array.size}")
    values: list[Any] = array.reshape(-1).tolist()
    return values


def field_count(record: bytes, table: Table) -> int:
    """Returns how many fields a record has."""
    return len(_fields(record, table)) if record else 1


def read_records(records: list[bytes], table: Table) -> list[Array]:
    """Reads a table record by record.

    Raises: tf.errors.InvalidArgumentError: about the first mistake.
    """
    readers = [_reader(dtype) for dtype in table.dtypes]
    values: list[list[Any]] = [[] for _ in readers]
    for number, record in enumerate(records):
        fields = _fields(record, table)
        if len(fields) != len(readers):
            raise invalid(f"Expect {len(readers)} fields but have {len(fields)} in record {number}")
        for index, field in enumerate(fields):
            values[index].append(_value(field, index, f"record {number}", readers[index], table))
    return [column_of(column, dtype) for column, dtype in zip(values, table.dtypes)]


def read_record(record: bytes, table: Table) -> list[Array]:
    """Reads one record of a file, by the rules for files: an empty line is a record with one empty field.

    Returns: An array of no dimensions for each column.
    Raises: tf.errors.InvalidArgumentError: about the first mistake.
    """
    fields = _fields(record, table) if record else [b""]
    expected = len(table.dtypes)
    parts = zip(fields, table.dtypes, strict=False)
    values = [_value(field, index, "record", _reader(dtype), table) for index, (field, dtype) in enumerate(parts)]
    if len(fields) != expected:
        raise invalid(f"Expect {expected} fields but have {_number_of(fields, expected)} in record")
    return [column_of([value], dtype)[0, ...] for value, dtype in zip(values, table.dtypes, strict=True)]


def _number_of(fields: Sequence[bytes], expected: int) -> str:
    return "more" if len(fields) > expected else str(len(fields))


def column_of(values: list[Any], dtype: DType) -> Array:
    """Makes the array of a column from its values."""
    if dtype is d.string:
        array = np.empty(len(values), object)
        array[:] = values
        return array
    if dtype.is_integer:
        return np.array(values, dtype.np_dtype)
    return as_floats(np.array(values, np.float64), dtype)


def as_floats(numbers: Array, dtype: DType) -> Array:
    """Rounds float64 to the dtype of a column; numbers that are too large become infinite."""
    if dtype is d.float64:
        return numbers
    with np.errstate(over="ignore"):
        return numbers.astype(dtype.np_dtype)


def _reader(dtype: DType) -> Reader:
    if dtype is d.string:
        return bytes
    return integer_reader(dtype) if dtype.is_integer else read_float


def _value(field: bytes, index: int, record: str, read: Reader, table: Table) -> Any:
    """Returns the value of a field; `record` names the record in messages."""
    if not field or field == table.na_value:
        if not table.defaults[index]:
            raise invalid(f"Field {index} is required but missing in {record}!")
        return table.defaults[index][0]
    value = read(field)
    if value is None:
        shown_field = field.decode("utf-8", "surrogateescape")
        kind = runtime_name(table.dtypes[index])
        raise invalid(f"Field {index} in {record} is not a valid {kind}: {shown_field}")
    return value


def _fields(record: bytes, table: Table) -> list[bytes]:
    """Cuts a record into the fields that are read."""
    if not record:
        return []
    last_column = None if table.columns is None else table.columns[-1]
    fields: list[bytes] = []
    position = 0
    while position <= len(record) and (last_column is None or len(fields) <= last_column):
        is_quoted = table.use_quotes and record[position : position + 1] == b'"'
        field, position = (_quote_field if is_quoted else _plain_field)(record, position, table)
        fields.append(field)
    if table.columns is None:
        return fields
    return [fields[column] for column in table.columns if column < len(fields)]


def _plain_field(record: bytes, start: int, table: Table) -> tuple[bytes, int]:
    """Returns the field that begins at `start`, and where the next one begins."""
    end = record.find(table.delimiter, start)
    if end < 0:
        end = len(record)
    field = record[start:end]
    if any(text in field for text in table.special_texts):
        raise invalid("Unquoted fields cannot have quotes/CRLFs inside")
    return field, end + 1


def _quote_field(record: bytes, start: int, table: Table) -> tuple[bytes, int]:
    """Returns the field whose opening quote is at `start`, without quotes, and where the next one begins."""
    position = start + 1
    while (quote := record.find(b'"', position)) >= 0:
        follower = record[quote + 1 : quote + 2]
        if follower in (b"", table.delimiter):
            return record[start + 1 : quote].replace(b'""', b'"'), quote + 2
        if follower != b'"':
            raise invalid("Quote inside a string has to be escaped by another quote")
        position = quote + 2
    raise invalid("Quoted field has to end with quote followed by delim or end")
