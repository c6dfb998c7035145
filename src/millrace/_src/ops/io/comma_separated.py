"""Tables as text: `tf.io.decode_csv`.

TensorFlow's rules are those of RFC 4180, and its errors name the first bad field, record by record. `_read_records`
states these rules one record at a time. Most tables have no mistakes; `_read_columns` cuts all records of such a table
with one call and reads column by column. It leaves any other table to the rules.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import with_rank_at_most
from millrace._src.ops.io.quoted_text import unquote
from millrace._src.ops.strings.numbers import integer_reader, read_float
from millrace._src.ops.strings.text_bytes import attr_bytes
from millrace._src.ops.type_sets import TypeList, TypeSet
from millrace._src.util.export import export

_FIELD_TYPES = TypeSet((d.float32, d.float64, d.int32, d.int64, d.string))
_SPECIAL = (b'"', b"\r", b"\n")
_FEW = 64  # records that are counted faster one by one than with NumPy

Reader: TypeAlias = Callable[[bytes], Any]


class _Table:
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
        return [text for text in _SPECIAL[0 if self.use_quotes else 1 :] if text != self.delimiter]


# --- many plain records at once --------------------------------------------------------------------------------------


def _read_columns(records: list[bytes], table: _Table) -> list[Array] | None:
    """Reads a table without mistakes; None for other tables."""
    joined = b"\n".join(records)
    is_cut = b"" in records or joined.count(b"\n") != len(records) - 1
    if is_cut or table.delimiter in _SPECIAL or b"\r" in joined:
        return None
    quoted_texts = None
    if table.use_quotes and b'"' in joined:
        unquoted = unquote(joined, table.delimiter)
        if unquoted is None:
            return None
        joined, quoted_texts = unquoted
    count = _common_field_count(joined, table.delimiter, len(records))
    columns = range(len(table.dtypes)) if table.columns is None else table.columns
    if count is None or (count != len(columns) if table.columns is None else count <= columns[-1]):
        return None
    fields = joined.replace(b"\n", table.delimiter).split(table.delimiter)
    may_fool_python = b"_" in joined  # Python reads 1_000
    arrays = []
    for column, dtype, default in zip(columns, table.dtypes, table.defaults):
        texts = fields[column::count]
        if dtype is d.string:
            if quoted_texts is not None:
                texts = [text.translate(quoted_texts) for text in texts]
        elif may_fool_python and b"_" in b"".join(texts):
            return None
        array = _read_column(texts, dtype, default, table.na_value)
        if array is None:
            return None
        arrays.append(array)
    return arrays


def _common_field_count(joined: bytes, delimiter: bytes, record_count: int) -> int | None:
    """Returns how many fields each of the records has, or None if not all have as many."""
    if record_count < _FEW:
        (first_count, *other_counts) = [line.count(delimiter) for line in joined.split(b"\n")]
        return None if any(count != first_count for count in other_counts) else first_count + 1
    characters = np.frombuffer(joined, np.uint8)
    is_newline = characters == ord("\n")
    ends = is_newline[np.flatnonzero(is_newline | (characters == ord(delimiter)))]
    count, rest = divmod(len(ends) + 1, record_count)
    if rest or not ends[count - 1 :: count].all():
        return None
    return count


def _read_column(fields: list[bytes], dtype: DType, default: list[Any], na_value: bytes) -> Array | None:
    """Reads a column; None for one with a mistake, or with a number that only C can read."""
    if b"" in fields or (na_value and na_value in fields):
        if not default:
            return None
        absent_value = default[0] if dtype is d.string else str(default[0]).encode()
        fields = [absent_value if field in (b"", na_value) else field for field in fields]
    if dtype is d.string:
        return _column(fields, dtype)
    try:
        return _numbers(fields, dtype)
    except (ValueError, OverflowError):
        return None


def _numbers(fields: list[bytes], dtype: DType) -> Array:
    if dtype.is_integer:
        return np.fromiter(map(int, fields), dtype.np_dtype, len(fields))
    return _as_floats(np.fromiter(map(float, fields), np.float64, len(fields)), dtype)


def _as_floats(numbers: Array, dtype: DType) -> Array:
    if dtype is d.float64:
        return numbers
    with np.errstate(over="ignore"):
        return numbers.astype(dtype.np_dtype)


# --- the rules, record by record -------------------------------------------------------------------------------------


def _fail(text: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, text)


def _read_records(records: list[bytes], table: _Table) -> list[Array]:
    """Reads a table record by record.

    Raises: tf.errors.InvalidArgumentError: about the first mistake.
    """
    readers = [_reader(dtype) for dtype in table.dtypes]
    values: list[list[Any]] = [[] for _ in readers]
    for number, record in enumerate(records):
        fields = _fields(record, table)
        if len(fields) != len(readers):
            raise _fail(f"Expect {len(readers)} fields but have {len(fields)} in record {number}")
        for index, field in enumerate(fields):
            values[index].append(_value(field, index, number, readers[index], table))
    return [_column(column, dtype) for column, dtype in zip(values, table.dtypes)]


def _column(values: list[Any], dtype: DType) -> Array:
    if dtype is d.string:
        array = np.empty(len(values), object)
        array[:] = values
        return array
    if dtype.is_integer:
        return np.array(values, dtype.np_dtype)
    return _as_floats(np.array(values, np.float64), dtype)


def _reader(dtype: DType) -> Reader:
    if dtype is d.string:
        return bytes
    return integer_reader(dtype) if dtype.is_integer else read_float


def _value(field: bytes, index: int, number: int, read: Reader, table: _Table) -> Any:
    """Returns the value of a field."""
    if not field or field == table.na_value:
        if not table.defaults[index]:
            raise _fail(f"Field {index} is required but missing in record {number}!")
        return table.defaults[index][0]
    value = read(field)
    if value is None:
        shown_field = field.decode("utf-8", "surrogateescape")
        kind = runtime_name(table.dtypes[index])
        raise _fail(f"Field {index} in record {number} is not a valid {kind}: {shown_field}")
    return value


def _fields(record: bytes, table: _Table) -> list[bytes]:
    """Cuts a record into the fields that are read."""
    if not record:
        return []
    last_column = None if table.columns is None else table.columns[-1]
    fields: list[bytes] = []
    position = 0
    while position <= len(record) and (last_column is None or len(fields) <= last_column):
        is_quoted = table.use_quotes and record[position : position + 1] == b'"'
        field, position = (_quoted_field if is_quoted else _plain_field)(record, position, table)
        fields.append(field)
    if table.columns is None:
        return fields
    return [fields[column] for column in table.columns if column < len(fields)]


def _plain_field(record: bytes, start: int, table: _Table) -> tuple[bytes, int]:
    """Returns the field that begins at `start`, and where the next one begins."""
    end = record.find(table.delimiter, start)
    if end < 0:
        end = len(record)
    field = record[start:end]
    if any(text in field for text in table.special_texts):
        raise _fail("Unquoted fields cannot have quotes/CRLFs inside")
    return field, end + 1


def _quoted_field(record: bytes, start: int, table: _Table) -> tuple[bytes, int]:
    """Returns the field whose opening quote is at `start`, without quotes, and where the next one begins."""
    position = start + 1
    while (quote := record.find(b'"', position)) >= 0:
        follower = record[quote + 1 : quote + 2]
        if follower in (b"", table.delimiter):
            return record[start + 1 : quote].replace(b'""', b'"'), quote + 2
        if follower != b'"':
            raise _fail("Quote inside a string has to be escaped by another quote")
        position = quote + 2
    raise _fail("Quoted field has to end with quote followed by delim or end")


# --- the op ----------------------------------------------------------------------------------------------------------


def _csv_shape(c: ShapeContext) -> list[TensorShape]:
    for shape in c.shapes("record_defaults"):
        with_rank_at_most(shape, 1)
        if shape.rank == 1 and shape[0] is not None and shape[0] > 1:
            raise ValueError("Shape of a default must be a length-0 or length-1 vector, or a scalar.")
    return [c.shape("records")] * len(c.attr("OUT_TYPE"))


@op(
    "DecodeCSV",
    "records: string, record_defaults: OUT_TYPE -> output: OUT_TYPE",
    OUT_TYPE=TypeList(_FIELD_TYPES, minimum=1),
    shape=_csv_shape,
    host_only=True,
    not_differentiable="text has no gradient",
)
def decode_csv_op(
    xp: Xp,
    records: Array,
    record_defaults: Sequence[Array],
    *,
    OUT_TYPE: Sequence[DType],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] = (),
) -> list[Array]:
    """Reads the fields of records of comma-separated values, a tensor for each column."""
    _check_types(OUT_TYPE)
    delimiter = attr_bytes(field_delim)
    if len(delimiter) != 1:
        raise _fail("field_delim should be only 1 char")
    defaults = [_default(index, array) for index, array in enumerate(record_defaults)]
    columns = list(select_cols) or None
    table = _Table(OUT_TYPE, defaults, delimiter, use_quote_delim, attr_bytes(na_value), columns)
    texts = records.reshape(-1).tolist()
    arrays = _read_columns(texts, table) if texts else None
    if arrays is None:
        arrays = _read_records(texts, table)
    return [array.reshape(records.shape) for array in arrays]


def _check_types(dtypes: Sequence[DType]) -> None:
    if not dtypes:
        raise _fail("Length for attr 'OUT_TYPE' of 0 must be at least minimum 1")
    for dtype in dtypes:
        if dtype not in _FIELD_TYPES:
            names = ", ".join(map(runtime_name, _FIELD_TYPES))
            raise _fail(
                f"Value for attr 'OUT_TYPE' of {runtime_name(dtype)} is not in the list of allowed values: {names}"
            )


def _default(index: int, array: Array) -> list[Any]:
    if array.ndim > 1:
        raise _fail("Each record default should be at most rank 1")
    if array.size > 1:
        raise _fail(f"There should only be 1 default per field but field {index} has {array.size}")
    values: list[Any] = array.reshape(-1).tolist()
    return values


def _check_columns(select_cols: Sequence[int] | None, record_defaults: Sequence[Any]) -> None:
    if select_cols is None:
        return
    if any(first >= second for first, second in itertools.pairwise(select_cols)):
        raise ValueError("select_cols is not strictly increasing.")
    if len(select_cols) != len(record_defaults):
        raise ValueError("Length of select_cols and record_defaults do not match.")
    if select_cols[0] < 0:
        raise ValueError("select_cols contains negative values.")


@export("io.decode_csv", v1=[])
def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
    name: str | None = None,
) -> Any:
    """Reads records of comma-separated values.

    >>> ages, names = tf.io.decode_csv(["31,Ann", ",Bob"], [[0], tf.constant([], tf.string)])
    >>> ages.numpy(), names.numpy()
    (array([31,  0], dtype=int32), array([b'Ann', b'Bob'], dtype=object))

    Args:
      records: a string Tensor, a record in each element. Fields may stand in double quotes, where a doubled quote is
        one quote.
      record_defaults: for each column that is read a Tensor whose dtype is the column's (float32, float64, int32,
        int64 or string): the value of an empty field, or an empty vector if no field may be empty.
      field_delim: the character between fields.
      use_quote_delim: whether double quotes have a meaning.
      na_value: another text that stands for an empty field.
      select_cols: the indices of the columns to read, increasing; None for all.
      name: name of the operation in a graph.

    Returns: A list of Tensors of the shape of `records`, one for each column.
    Raises: tf.errors.InvalidArgumentError: if a record has a mistake; ValueError: if `select_cols` does not fit.
    """
    _check_columns(select_cols, record_defaults)
    return decode_csv_op(
        records,
        list(record_defaults),
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        select_cols=list(select_cols or ()),
        name=name,
    )


@export(v1=["io.decode_csv", "decode_csv"])
def decode_csv_v1(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
) -> Any:
    """Reads records of comma-separated values, with TensorFlow 1's order of arguments.

    >>> [column.numpy() for column in tf.compat.v1.decode_csv("1,2.5", [[0], [0.0]])]
    [np.int32(1), np.float32(2.5)]

    Args:
      records: a string Tensor, a record in each element.
      record_defaults: the dtype and default of each column; see `tf.io.decode_csv`.
      field_delim: the character between fields.
      use_quote_delim: whether double quotes have a meaning.
      name: name of the operation in a graph.
      na_value: another text that stands for an empty field.
      select_cols: the indices of the columns to read, increasing; None for all.

    Returns: A list of Tensors, one for each column.
    Raises: as `tf.io.decode_csv`.
    """
    return decode_csv(records, record_defaults, field_delim, use_quote_delim, na_value, select_cols, name)
