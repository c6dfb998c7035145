"""The ops of comma-separated files: blocks, mistakes at their records, positions."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, drained, elements, outcomes

CsvDataset = tf.data.experimental.CsvDataset
COLUMNS = [tf.int32, tf.float32, tf.string]


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def written(text: bytes, name: str = "a.csv") -> str:
        (tmp_path / name).write_bytes(text)
        return str(tmp_path / name)

    return written


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_records_end_with_lines(write: Any, end: bytes) -> None:
    path = write(end.join([b"1,2.5,a", b"2,3,b"]))
    assert elements(CsvDataset(path, COLUMNS)) == [(1, 2.5, b"a"), (2, 3.0, b"b")]


def test_a_quoted_field_may_hold_anything(write: Any) -> None:
    path = write(b'1,2.5,"a,\r\n""b"""\r\n2,3,"c"\r\n')
    assert elements(CsvDataset(path, COLUMNS)) == [(1, 2.5, b'a,\r\n"b"'), (2, 3.0, b"c")]
    assert elements(CsvDataset(write(b'1,2,"a"\n'), COLUMNS, use_quote_delim=False)) == [(1, 2.0, b'"a"')]


@pytest.mark.parametrize("text", [b'1,2.5,"a\r\nb"\r\n2,3,"c"\r\n' * 50, b"1,2.5,a\r\n2,3,c\r\n" * 50])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_pieces_of_all_sizes_give_the_same_records(write: Any, text: bytes, size: int) -> None:
    path = write(text)
    expected = [list(row) for row in elements(CsvDataset(path, COLUMNS))]
    assert len(expected) == 100
    assert drained(CsvDataset(path, COLUMNS, buffer_size=size), [1, 7, 30]) == expected


def test_an_empty_field_has_the_default_of_its_column(write: Any) -> None:
    path = write(b"1,,a\n,NA,\n")
    assert elements(CsvDataset(path, [[7], [0.5], ["z"]], na_value="NA")) == [(1, 0.5, b"a"), (7, 0.5, b"z")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"x,3,b", "Field 0 in record is not a valid int32: x"),
        (b"3,b", "Field 1 in record is not a valid float: b"),
        (b"3,4", "Expect 3 fields but have 2 in record"),
        (b"3,4,5,6", "Expect 3 fields but have more in record"),
        (b"", "Field 0 is required but missing in record!"),
        (b",,", "Field 0 is required but missing in record!"),
        (b'3,4,a"b', "Unquoted fields cannot have quotes"),
        (b'3,4,"a"b', "Quote inside a string has to be escaped by another quote"),
    ],
)
def test_a_mistake_belongs_to_its_record(write: Any, text: bytes, message: str) -> None:
    path = write(b"1,2.5,a\n" + text + b"\n4,5,c\n")
    dataset = CsvDataset(path, COLUMNS)
    assert outcomes(dataset) == [(1, 2.5, b"a"), "InvalidArgumentError", (4, 5.0, b"c")]
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        next(iter(dataset.skip(1)))
    assert error.value.message.startswith(message)


def test_a_quote_without_end_is_told_at_the_end_of_the_file(write: Any) -> None:
    dataset = CsvDataset(write(b'1,2.5,"ab\n4,5,c\n'), COLUMNS)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Reached end of file without closing quoted field"):
        next(iter(dataset))
    assert outcomes(dataset) == ["InvalidArgumentError"]


def test_the_first_record_of_each_file_is_left_out_on_request(write: Any) -> None:
    files = [write(b"h\n1\n2", "a.csv"), write(b'"h\n2"\n3\n', "b.csv"), write(b"h", "c.csv")]
    assert elements(CsvDataset(files, [tf.int32], header=True)) == [(1,), (2,), (3,)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Can't read header of file"):
        next(iter(CsvDataset(write(b""), [tf.int32], header=True)))


def test_columns_may_be_selected_or_excluded(write: Any) -> None:
    path = write(b"1,2,a,4\n5,6,b,8\n")
    assert elements(CsvDataset(path, [tf.int32, tf.int64], select_cols=[0, 3])) == [(1, 4), (5, 8)]
    assert elements(CsvDataset(path, [tf.int32, tf.int64], exclude_cols=[1, 2])) == [(1, 4), (5, 8)]
    assert outcomes(CsvDataset(path, [tf.int32], exclude_cols=[1, 2])) == ["InvalidArgumentError"] * 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expect 3 fields but have 2 in record"):
        next(iter(CsvDataset(path, [tf.int32, tf.int64, tf.int64], exclude_cols=[1, 2])))


def test_a_compressed_file_is_read(write: Any) -> None:
    path = write(gzip.compress(b"1,2.5,a\n2,3,b\n"))
    assert elements(CsvDataset(path, COLUMNS, compression_type="GZIP")) == [(1, 2.5, b"a"), (2, 3.0, b"b")]


def test_a_file_that_cannot_be_read_is_one_error(write: Any) -> None:
    path = write(b"1\n2\n")
    assert outcomes(CsvDataset([path + "x", path], [tf.int32])) == ["NotFoundError", (1,), (2,)]


@pytest.mark.parametrize("text", [b"h\n1\nx\n3\n\n" + b"4\n" * 5, b'h\n"1"\n"x"\n3\n""\n4\n'])
def test_a_pass_is_restored_at_every_position(write: Any, text: bytes) -> None:
    files = [write(text, "a.csv"), write(b"h\n7\n8\n", "b.csv")]
    check_restores_everywhere(lambda: CsvDataset(files, [tf.int32], header=True, buffer_size=5))


def test_records_in_a_function_are_those_of_eager_mode(write: Any) -> None:
    path = write(b"1,2.5,a\n2,3,b\n")
    check_same_in_function(lambda: CsvDataset(path, COLUMNS), 2)


def test_the_older_ops_make_the_same_dataset(write: Any) -> None:
    inputs = {
        "filenames": tf.constant(write(b"1,2\n")),
        "compression_type": "",
        "buffer_size": tf.constant(100, tf.int64),
        "header": False,
        "field_delim": ",",
        "use_quote_delim": True,
        "na_value": "",
        "select_cols": np.empty(0, np.int64),
        "record_defaults": [tf.constant([], tf.int32)] * 2,
    }
    spec = (tf.TensorSpec([], tf.int32),) * 2
    for op in (tf.raw_ops.CSVDataset, tf.raw_ops.ExperimentalCSVDataset):
        handle = op(**inputs, output_shapes=[[], []])
        assert elements(tf.data.experimental.from_variant(handle, spec)) == [(1, 2)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"select_cols": [0], "exclude_cols": [1]}, "Either select_cols or exclude_cols should be empty"),
        ({"select_cols": [1, 0]}, "select_cols should be strictly increasing indices"),
        ({"select_cols": [-1]}, "select_cols should be non-negative indices"),
        ({"select_cols": [0, 1]}, "select_cols should match output size"),
        ({"exclude_cols": [2, 1]}, "exclude_cols should be strictly increasing indices"),
        ({"exclude_cols": [-1]}, "exclude_cols should be non-negative indices"),
        ({"field_delim": "ab"}, "field_delim should be only 1 char"),
        ({"compression_type": "foo"}, "Unsupported compression_type: foo."),
        ({"record_defaults": [[1, 2]]}, "There should only be 1 default per field but field 0 has 2"),
        ({"record_defaults": [[[1]]]}, "Each record default should be at most rank 1"),
        ({"filenames": [["a"]]}, "`filenames` must be a scalar or a vector."),
    ],
)
def test_what_does_not_fit_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        CsvDataset(**{"filenames": "a", "record_defaults": [tf.int32], **arguments})
    assert error.value.message.startswith(message)
