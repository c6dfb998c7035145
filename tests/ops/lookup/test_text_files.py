"""Tables filled from text files: columns, lines, numbers of lines, and files that are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import millrace as tf

raw = tf.raw_ops


def _entries(
    path: Path, text: bytes, keys: Any = (tf.string, -2), values: Any = (tf.int64, -1), **attrs: Any
) -> list[Any]:
    """Returns the entries, by key, of a table that is filled from a file with a text."""
    file = path / "entries.txt"
    file.write_bytes(text)
    handle = raw.AnonymousHashTable(key_dtype=keys[0], value_dtype=values[0])
    raw.InitializeTableFromTextFileV2(
        table_handle=handle, filename=str(file), key_index=keys[1], value_index=values[1], **attrs
    )
    exported = raw.LookupTableExportV2(table_handle=handle, Tkeys=keys[0], Tvalues=values[0])
    return sorted(zip(*(part.numpy().tolist() for part in exported), strict=True))


@pytest.mark.parametrize("text", [b"a\nb\nc\n", b"a\nb\nc", b"a\r\nb\r\nc", b"a\r\nb\r\nc\r\n"])
def test_lines_end_with_every_line_ending(tmp_path: Path, text: bytes) -> None:
    assert _entries(tmp_path, text) == [(b"a", 0), (b"b", 1), (b"c", 2)]


FIELDS = [
    (b"a\t1\nb\t2", (tf.string, 0), (tf.int64, 1), {}, [(b"a", 1), (b"b", 2)]),
    (b"a 1\nb 2", (tf.string, 0), (tf.int32, 1), {"delimiter": " "}, [(b"a", 1), (b"b", 2)]),
    (b"a\t 1 \nb\t2", (tf.string, 0), (tf.int64, 1), {}, [(b"a", 1), (b"b", 2)]),
    (b"a\t1.5\nb\t2", (tf.string, 0), (tf.float32, 1), {}, [(b"a", 1.5), (b"b", 2.0)]),
    (b"a\t1.5\nb\t2", (tf.string, 0), (tf.float64, 1), {}, [(b"a", 1.5), (b"b", 2.0)]),
    (b"a\nb", (tf.int64, -1), (tf.string, -2), {}, [(0, b"a"), (1, b"b")]),
    (b"5\n6", (tf.int64, -2), (tf.int64, -1), {}, [(5, 0), (6, 1)]),
    (b"a\nb\nc", (tf.string, -2), (tf.int64, -1), {"vocab_size": 2}, [(b"a", 0), (b"b", 1)]),
    (b"a\nb", (tf.string, -2), (tf.int64, -1), {"offset": 5}, [(b"a", 5), (b"b", 6)]),
    (b"a\tb\tc\nd\te\tf", (tf.string, 2), (tf.string, 1), {}, [(b"c", b"b"), (b"f", b"e")]),
]


@pytest.mark.parametrize(("text", "keys", "values", "attrs", "expected"), FIELDS)
def test_columns_lines_and_numbers_of_lines(
    tmp_path: Path, text: bytes, keys: Any, values: Any, attrs: Any, expected: Any
) -> None:
    assert _entries(tmp_path, text, keys, values, **attrs) == expected


COLUMNS = ((tf.string, 0), (tf.int64, 1))
WRONG = [
    (b"a\n\nc", (), {}, r"Invalid content in .*: empty line found at position 3\."),
    (b"a\tx\nb\t2", COLUMNS, {}, r"Field x in line 0 is not a valid int64\."),
    (b"a\t\nb\t2", COLUMNS, {}, r"Field  in line 0 is not a valid int64\."),
    (b"a\t1\nb", COLUMNS, {}, r"line 1 \(b\) : expected at least 2 got 1"),
    (b"a\t1.5x", ((tf.string, 0), (tf.float32, 1)), {}, r"Field 1.5x in line 0 is not a valid float\."),
    (b"a\ttrue", ((tf.string, 0), (tf.bool, 1)), {}, r"Data type bool not supported\."),
    (b"a", (), {"delimiter": ", "}, "delimiter should be only 1 char"),
    (b"a", (), {"delimiter": ""}, "delimiter should be only 1 char"),
    (b"a\nb", (), {"vocab_size": 20}, "expected 20 but got 2"),
    (b"a", (), {"vocab_size": -7}, "Value for attr 'vocab_size' of -7 must be at least minimum -1"),
    (b"a", ((tf.string, -5), (tf.int64, 0)), {}, "Value for attr 'key_index' of -5 must be at least minimum -2"),
]


@pytest.mark.parametrize(("text", "fields", "attrs", "message"), WRONG)
def test_files_that_fill_no_table(tmp_path: Path, text: bytes, fields: Any, attrs: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        _entries(tmp_path, text, *fields, **attrs)


def test_a_key_on_two_lines_is_refused(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.FailedPreconditionError, match="Key a has 0 and trying to add value 1"):
        _entries(tmp_path, b"a\na")


def test_an_empty_file_is_out_of_range(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.OutOfRangeError, match="Read less bytes than requested"):
        _entries(tmp_path, b"")


def test_a_file_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    handle = raw.AnonymousHashTable(key_dtype=tf.string, value_dtype=tf.int64)
    arguments: dict[str, Any] = {"table_handle": handle, "key_index": -2, "value_index": -1}
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        raw.InitializeTableFromTextFileV2(filename=str(tmp_path / "none"), **arguments)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"filename should be a single string, but got \[2\]"):
        raw.InitializeTableFromTextFileV2(filename=["a", "b"], **arguments)
