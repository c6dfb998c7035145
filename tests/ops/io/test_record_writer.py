"""`TFRecordWriter` and `tf_record_iterator`."""

from __future__ import annotations

import gc
import gzip
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.ops.io.record_writer import frame_records
from tests.ops.io.record_files import damaged, framed, record_file, write

_e = tf.errors
_iterate = tf.compat.v1.io.tf_record_iterator


@given(st.lists(st.binary(max_size=30)))
def test_records_framed_together_are_those_framed_alone(records: list[bytes]) -> None:
    assert frame_records(records) == record_file(records)


@given(st.lists(st.binary(min_size=3, max_size=3)))
def test_records_of_one_length_framed_together(records: list[bytes]) -> None:
    assert frame_records(records) == record_file(records)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.binary(max_size=3000)), st.sampled_from([None, "", "ZLIB", "GZIP"]))
def test_what_is_written_is_read(tmp_path: Path, records: list[bytes], compression: Any) -> None:
    path = str(tmp_path / "file")
    with tf.io.TFRecordWriter(path, compression) as writer:
        for record in records:
            writer.write(record)
    options = tf.io.TFRecordOptions(compression)
    assert list(_iterate(path, options)) == records
    assert list(_iterate(path, compression)) == records


def test_many_records_pass_through_the_buffer(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    records = [b"x" * (index % 7) for index in range(40_000)]
    with tf.io.TFRecordWriter(path) as writer:
        for record in records:
            writer.write(record)
    assert Path(path).read_bytes() == record_file(records)


def test_bytes_are_those_of_zlib(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for options, decompress in ((tf.io.TFRecordOptions("GZIP"), gzip.decompress), ("ZLIB", zlib.decompress)):
        with tf.io.TFRecordWriter(str(path), options) as writer:
            writer.write(b"ab" * 50)
        assert decompress(path.read_bytes()) == framed(b"ab" * 50)
    assert path.read_bytes() == zlib.compress(framed(b"ab" * 50))


@pytest.mark.parametrize(
    "options",
    [
        *({"compression_level": level} for level in (-1, 0, 1, 9)),
        *({"window_bits": bits} for bits in (9, 15, 31)),
        {"mem_level": 1},
        *({"compression_strategy": strategy} for strategy in (2, 3, 4)),
        {"compression_method": 8},
        *({"flush_mode": mode, "input_buffer_size": 40} for mode in (0, 1, 2, 3, 5)),
        {"input_buffer_size": 0, "output_buffer_size": 10},
    ],
)
def test_options_of_zlib(tmp_path: Path, options: dict[str, int]) -> None:
    path = tmp_path / "file"
    records = [b"ab" * 50, b"cd" * 50]
    with tf.io.TFRecordWriter(str(path), tf.io.TFRecordOptions("ZLIB", **options)) as writer:
        for record in records:
            writer.write(record)
    compression = "GZIP" if options.get("window_bits") == 31 else "ZLIB"
    assert list(_iterate(str(path), compression)) == records


@pytest.mark.parametrize(
    "options",
    [
        *({"compression_level": 10}, {"window_bits": 5}, {"mem_level": 10}, {"compression_strategy": 9}),
        *({"compression_method": 7}, {"flush_mode": 4}, {"flush_mode": 9}, {"input_buffer_size": -1}),
        {"output_buffer_size": -1},
    ],
)
def test_options_that_zlib_does_not_have(tmp_path: Path, options: dict[str, int]) -> None:
    with pytest.raises(_e.InvalidArgumentError):
        tf.io.TFRecordWriter(str(tmp_path / "file"), tf.io.TFRecordOptions("ZLIB", **options))


def test_compression_types_are_names_numbers_or_options() -> None:
    options, kinds = tf.io.TFRecordOptions, tf.compat.v1.io.TFRecordCompressionType
    assert (kinds.NONE, kinds.ZLIB, kinds.GZIP) == (0, 1, 2)
    name = options.get_compression_type_string
    assert [name(x) for x in (None, "", "GZIP", 1, kinds.GZIP, options(), options("GZIP"), options(1))] == [
        *("", "", "GZIP", "ZLIB", "GZIP", "", "GZIP", "ZLIB")
    ]
    assert options.compression_type_map == {0: "", 1: "ZLIB", 2: "GZIP"}
    for bad in ("LZ4", "gzip", 7):
        with pytest.raises(ValueError, match=f'^Not a valid compression_type: "{bad}"'):
            options(bad)
        with pytest.raises(ValueError, match="Not a valid compression_type"):
            tf.io.TFRecordWriter("unused", bad)


@pytest.mark.parametrize("record", ["é", b"\xc3\xa9", bytearray(b"\xc3\xa9"), np.bytes_(b"\xc3\xa9")])
def test_a_record_is_text_or_bytes(tmp_path: Path, record: Any) -> None:
    path = str(tmp_path / "file")
    with tf.io.TFRecordWriter(path) as writer:
        assert writer.write(record) is None
    assert list(_iterate(path)) == [b"\xc3\xa9"]


@pytest.mark.parametrize("record", [3, None, [b"a"], memoryview(b"a"), tf.constant("a")])
def test_nothing_else_is_a_record(tmp_path: Path, record: Any) -> None:
    with tf.io.TFRecordWriter(str(tmp_path / "file")) as writer, pytest.raises(TypeError):
        writer.write(record)


def test_a_message_that_is_not_serialized_is_refused_with_what_to_call(tmp_path: Path) -> None:
    with tf.io.TFRecordWriter(str(tmp_path / "file")) as writer:
        with pytest.raises(TypeError, match=r"takes bytes: pass Example\.SerializeToString\(\)$"):
            writer.write(tf.train.Example())


def test_flush_shows_the_records_so_far(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for compression in ("", "ZLIB", "GZIP"):
        writer = tf.io.TFRecordWriter(str(path), compression)
        assert path.stat().st_size == 0
        writer.write(b"first")
        writer.flush()
        assert list(_iterate(str(path), compression)) == [b"first"]
        writer.write(b"second")
        writer.close()
        assert list(_iterate(str(path), compression)) == [b"first", b"second"]


def test_a_writer_that_is_let_go_closes_its_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    writer = tf.io.TFRecordWriter(str(path))
    writer.write(b"kept")
    del writer
    gc.collect()
    assert list(_iterate(str(path))) == [b"kept"]


def test_a_closed_writer_refuses(tmp_path: Path) -> None:
    writer = tf.io.TFRecordWriter(str(tmp_path / "file"))
    writer.close()
    writer.close()
    for call in (lambda: writer.write(b"a"), writer.flush):
        with pytest.raises(_e.FailedPreconditionError, match=r"^Writer is closed\.$"):
            call()


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    for path, error, words in (
        (f"{tmp_path}/no/file", _e.NotFoundError, f"{tmp_path}/no/file; No such file or directory"),
        (str(tmp_path), _e.FailedPreconditionError, f"{tmp_path}; Is a directory"),
        ("nope://a/b", _e.UnimplementedError, "File system scheme 'nope' not implemented (file: 'nope://a/b')"),
        ("", _e.NotFoundError, "; No such file or directory"),
        (3, TypeError, "Expected binary or unicode string, got 3"),
        (tmp_path, TypeError, "Expected binary or unicode string, got "),
    ):
        with pytest.raises(error) as caught:
            tf.io.TFRecordWriter(path)
        assert str(caught.value).startswith(words)
    with tf.io.TFRecordWriter(f"file://{tmp_path}/file") as writer:
        writer.write(b"a")
    assert os.path.getsize(tmp_path / "file") == 17


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full disk")
def test_a_full_disk_is_an_error() -> None:
    writer = tf.io.TFRecordWriter("/dev/full")
    writer.write(b"a")
    with pytest.raises(_e.ResourceExhaustedError, match=r"^/dev/full; No space left on device"):
        writer.close()
    writer.close()


def test_the_iterator_fails_again_at_a_damaged_record(tmp_path: Path) -> None:
    name = write(tmp_path, damaged(record_file([b"a" * 10] * 3), 38))
    iterator = _iterate(name)
    assert iter(iterator) is iterator
    assert next(iterator) == b"a" * 10
    for _ in range(2):
        with pytest.raises(_e.DataLossError, match=r"^corrupted record at 38"):
            next(iterator)


def test_the_iterator_opens_the_file_at_once(tmp_path: Path) -> None:
    with pytest.raises(_e.NotFoundError):
        _iterate(str(tmp_path / "no"))
