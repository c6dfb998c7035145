"""Tables filled from text files: one entry a line.

A key or a value is a column of the line, the whole line, or the number of the line.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, float32, float64, int32, int64, runtime_name, string
from millrace._src.core.errors import invalid
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import Effects, op
from millrace._src.ops.io.file_names import file_name
from millrace._src.ops.io.file_systems import content_of
from millrace._src.ops.lookup.tables import table_of
from millrace._src.ops.shape_rules import no_outputs
from millrace._src.ops.strings.numbers import integer_reader, read_float
from millrace._src.util.text import shape_brackets

WHOLE_LINE = -2
LINE_NUMBER = -1
_SMALLEST = {"key_index": WHOLE_LINE, "value_index": WHOLE_LINE, "vocab_size": -1}
"""The smallest values of attributes."""
_READERS: dict[DType, Any] = {
    int32: integer_reader(int32),
    int64: integer_reader(int64),
    float32: read_float,
    float64: read_float,
    string: lambda text: text,
}
"""The functions that read a field of a dtype; None for a text that is no such value."""


class _Lines(NamedTuple):
    """The lines of a file.

    Attributes:
      path: the file, for messages.
      texts: the lines without their ends.
      delimiter: the character between columns.
    """

    path: str
    texts: list[bytes]
    delimiter: bytes


def _lines(path: str, delimiter: str, count: int) -> _Lines:
    """Reads the lines of a file, or its first `count` lines unless that is -1.

    Raises:
      OutOfRangeError: if the file is empty.
      InvalidArgumentError: if a line is empty, or there are not so many lines.
    """
    if len(delimiter) != 1:
        raise invalid("delimiter should be only 1 char")
    content = content_of(path)
    if not content:
        raise errors.OutOfRangeError(None, None, "Read less bytes than requested")
    texts = [text.removesuffix(b"\r") for text in content.removesuffix(b"\n").split(b"\n")]
    if count >= 0:
        if len(texts) < count:
            raise invalid(f"Invalid vocab_size in {path}: expected {count} but got {len(texts)}")
        texts = texts[:count]
    if b"" in texts:
        position = sum(len(text) + 1 for text in texts[: texts.index(b"")]) + 1
        raise invalid(f"Invalid content in {path}: empty line found at position {position}.")
    return _Lines(path, texts, delimiter.encode())


def _column(lines: _Lines, index: int, dtype: DType, offset: int, width: int) -> Array:
    """Reads one value of each line.

    Args:
      lines: the lines.
      index: the number of the column, `WHOLE_LINE` or `LINE_NUMBER`.
      dtype: the dtype of the values.
      offset: what is added to the number of a line.
      width: how many columns each line has at least.

    Raises: InvalidArgumentError: if a line has too few columns, or a text is not a value of the dtype.
    """
    if index == LINE_NUMBER:
        return np.arange(offset, offset + len(lines.texts))
    texts = lines.texts if index == WHOLE_LINE else _fields(lines, index, width)
    if dtype is string:
        array = np.empty(len(texts), object)
        array[:] = texts
        return array
    reader = _READERS.get(dtype)
    if reader is None:
        raise invalid(f"Data type {runtime_name(dtype)} not supported.")
    values = list(map(reader, texts))
    if None in values:
        line = values.index(None)
        raise invalid(f"Field {_format(texts[line])} in line {line} is not a valid {runtime_name(dtype)}.")
    return np.array(values, dtype.np_dtype)


def _fields(lines: _Lines, index: int, width: int) -> list[bytes]:
    """Returns one column of all lines.

    Raises: InvalidArgumentError: if a line has too few columns.
    """
    rows = [text.split(lines.delimiter) for text in lines.texts]
    for number, row in enumerate(rows):
        if len(row) < width:
            line = f"line {number} ({_format(lines.texts[number])})"
            raise invalid(
                f"Invalid number of columns in {lines.path} {line} : expected at least {width} got {len(row)}"
            )
    return [row[index] for row in rows]


def _format(text: bytes) -> str:
    return text.decode(errors="backslashreplace")


@op(
    "InitializeTableFromTextFileV2",
    "table_handle: resource, filename: string ->",
    capabilities=Capability.READS_FILES,
    file_inputs=("filename",),
    shape=no_outputs,
    host_only=True,
    effects=Effects.WRITES,
    not_differentiable="it changes a table",
    not_batched="rows would change one table in no particular order",
)
def initialize_from_text_file(
    xp: Xp,
    table_handle: Array,
    filename: Array,
    *,
    key_index: int,
    value_index: int,
    vocab_size: int = -1,
    delimiter: str = "\t",
    offset: int = 0,
) -> None:
    """Fills a table from a text file, one entry a line."""
    for name, value in (("key_index", key_index), ("value_index", value_index), ("vocab_size", vocab_size)):
        if value < _SMALLEST[name]:
            raise invalid(f"Value for attr '{name}' of {value} must be at least minimum {_SMALLEST[name]}")
    if filename.size != 1:
        raise invalid(f"filename should be a single string, but got {shape_brackets(filename.shape)}")
    table = table_of(table_handle)
    lines = _lines(file_name(filename.item()), delimiter, vocab_size)
    width = max(key_index, value_index) + 1
    keys = _column(lines, key_index, table.key_dtype, offset, width)
    table.initialize(keys, _column(lines, value_index, table.value_dtype, offset, width))
