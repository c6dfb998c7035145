"""`RecordReader`: records, positions, damaged files."""

from __future__ import annotations

import gzip
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.ops.io.record_reader import RecordReader
from millrace._src.util.crc32c import masked_crc32c
from tests.ops.io.record_files import damaged, framed, read_all, read_until_error, record_file, write

_RECORDS = [bytes([65 + i]) * 10 for i in range(5)]
_FILE = record_file(_RECORDS)
_SIZE = 26
_IS_LOSS = tf.errors.DataLossError


@pytest.mark.parametrize("compression", ["", "ZLIB", "GZIP"])
@pytest.mark.parametrize("buffer_size", [None, 0, 1, 7, 30, 100_000, -1])
def test_records_come_in_order(tmp_path: Path, compression: str, buffer_size: int | None) -> None:
    records = [b"", b"a", b"bb" * 40, b"", b"c" * 300, *_RECORDS, b"z" * 5000]
    name = write(tmp_path, record_file(records), compression)
    with RecordReader(name, compression, buffer_size) as reader:
        assert read_all(reader, 3) == records
        assert reader.read_block(3) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.binary(max_size=50)), st.sampled_from(["", "ZLIB", "GZIP"]), st.integers(1, 200), st.integers(1, 5))
def test_a_reader_goes_on_at_every_position(
    tmp_path: Path, records: list[bytes], compression: str, buffer_size: int, step: int
) -> None:
    name = write(tmp_path, record_file(records), compression)
    reader, seen = RecordReader(name, compression, buffer_size), []
    while True:
        later = RecordReader(name, compression, buffer_size, reader.position)
        assert seen + read_all(later) == records
        later.close()
        block = reader.read_block(step)
        if not block:
            break
        seen += block
    assert reader.position == len(record_file(records))
    reader.close()


def test_names_may_be_paths_and_urls(tmp_path: Path) -> None:
    name = write(tmp_path, _FILE)
    for path in (Path(name), name.encode(), f"file://{name}"):
        assert read_all(RecordReader(path)) == _RECORDS


def test_a_file_cut_in_a_header_ends_there(tmp_path: Path) -> None:
    for compression in ("", "GZIP"):
        for extra in (1, 8, 11):
            name = write(tmp_path, _FILE[: _SIZE + extra], compression)
            assert read_all(RecordReader(name, compression)) == _RECORDS[:1]


@pytest.mark.parametrize("extra", [12, 13, 22, 25])
@pytest.mark.parametrize("buffer_size", [None, 20])
def test_a_file_cut_in_a_record_is_an_error(tmp_path: Path, extra: int, buffer_size: int | None) -> None:
    for compression, reason in (("", "Read less bytes than requested"), ("GZIP", "EOF reached")):
        name = write(tmp_path, _FILE[: _SIZE + extra], compression)
        reader = RecordReader(name, compression, buffer_size)
        records, words = read_until_error(reader, _IS_LOSS)
        assert records == _RECORDS[:1]
        assert words == f"truncated record at 26' failed with {reason} [file: {name}]"
        assert reader.position == 26


@pytest.mark.parametrize(("offset", "reported"), [(52, 52), (61, 52), (65, 64), (77, 64)])
@pytest.mark.parametrize("buffer_size", [None, 20])
@pytest.mark.parametrize("compression", ["", "ZLIB"])
def test_good_records_come_before_the_error_of_a_bad_one(
    tmp_path: Path, offset: int, reported: int, buffer_size: int | None, compression: str
) -> None:
    name = write(tmp_path, damaged(_FILE, offset), compression)
    reader = RecordReader(name, compression, buffer_size)
    for _ in range(2):  # a reader that failed fails again
        records, words = read_until_error(reader, _IS_LOSS)
        assert words == f"corrupted record at {reported} [file: {name}]"
        assert reader.position == 52
    assert records == []
    assert read_until_error(RecordReader(name, compression, buffer_size), _IS_LOSS)[0] == _RECORDS[:2]


def test_damage_among_records_of_many_lengths(tmp_path: Path) -> None:
    records = [b"x" * length for length in range(50)]
    offset = len(record_file(records[:30]))
    name = write(tmp_path, damaged(record_file(records), offset + 20))
    found, words = read_until_error(RecordReader(name), _IS_LOSS)
    assert found == records[:30]
    assert words.startswith(f"corrupted record at {offset + 12}")


def test_what_is_no_record_file_is_refused(tmp_path: Path) -> None:
    name = write(tmp_path, b"hello world, this is not a record file")
    words = read_until_error(RecordReader(name), _IS_LOSS)[1]
    assert words.startswith("corrupted record at 0 (Is this even a TFRecord file?)")
    for compression in ("ZLIB", "GZIP"):
        words = read_until_error(RecordReader(name, compression), _IS_LOSS)[1]
        assert words.startswith("inflate() failed with error -3: incorrect header check")


def test_lengths_that_no_file_has(tmp_path: Path) -> None:
    for length, words in (
        (1 << 33, "truncated record at 130' failed with Read less bytes than requested"),
        ((1 << 64) - 1, "record size too large"),
    ):
        header = struct.pack("<Q", length)
        name = write(tmp_path, _FILE + header + struct.pack("<I", masked_crc32c(header)) + b"abc")
        records, found_words = read_until_error(RecordReader(name), _IS_LOSS)
        assert records == _RECORDS
        assert found_words.startswith(words)


def test_empty_files_have_no_records(tmp_path: Path) -> None:
    for compression in ("", "ZLIB", "GZIP"):
        (tmp_path / "empty").write_bytes(b"")
        assert read_all(RecordReader(tmp_path / "empty", compression)) == []
        assert read_all(RecordReader(write(tmp_path, b"", compression), compression)) == []


def test_gzip_files_may_have_many_members(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(_FILE) + gzip.compress(_FILE))
    assert read_all(RecordReader(path, "GZIP")) == _RECORDS * 2
    path.write_bytes(zlib.compress(_FILE) + zlib.compress(_FILE))
    assert read_all(RecordReader(path, "ZLIB")) == _RECORDS


def test_good_members_come_before_bad_ones(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(_FILE) + b"junkjunk")
    records, words = read_until_error(RecordReader(path, "GZIP"), _IS_LOSS)
    assert records == _RECORDS
    assert words.startswith("inflate() failed with error -3: incorrect header check")


def test_a_compressed_file_that_is_cut_off_gives_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(_FILE)[:-4])
    assert read_all(RecordReader(path, "GZIP")) == _RECORDS
    path.write_bytes(zlib.compress(_FILE)[:-8])
    records, words = read_until_error(RecordReader(path, "ZLIB"), _IS_LOSS)
    assert records == _RECORDS[:4]
    assert words.startswith("truncated record at 104' failed with EOF reached")


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    e = tf.errors
    for path, error, words in (
        (f"{tmp_path}/no", e.NotFoundError, f"{tmp_path}/no; No such file or directory"),
        ("", e.NotFoundError, "; No such file or directory"),
        (str(tmp_path), e.FailedPreconditionError, f"{tmp_path}; Is a directory"),
        ("nope://a/b", e.UnimplementedError, "File system scheme 'nope' not implemented (file: 'nope://a/b')"),
    ):
        for compression in ("", "GZIP"):
            with pytest.raises(error) as caught:
                RecordReader(path, compression)
            assert str(caught.value) == words
    with pytest.raises(e.InvalidArgumentError, match="Unsupported compression_type"):
        RecordReader(write(tmp_path, _FILE), "LZ4")
    with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
        RecordReader(3)


def test_a_file_may_grow_while_it_is_read(tmp_path: Path) -> None:
    name = write(tmp_path, _FILE + framed(b"next")[:5])
    reader = RecordReader(name)
    assert read_all(reader) == _RECORDS
    with open(name, "ab") as file:
        file.write(framed(b"next")[5:])
    assert read_all(reader) == [b"next"]
