"""`LineReader`: lines, carriage returns, positions."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.ops.io.text_line_reader import LineReader
from tests.ops.io.record_files import read_all, read_until_error, write


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"a\nb\nc", [b"a", b"b", b"c"]),
        (b"a\nb\n", [b"a", b"b"]),
        (b"a\r\nb\rc\r\n\r\n\n", [b"a", b"bc", b"", b""]),
        (b"a\rb\r\r\nz\r", [b"ab", b"z"]),
        (b"", []),
        (b"\n", [b""]),
        (b"a\0b\n\0", [b"a\0b", b"\0"]),
    ],
)
@pytest.mark.parametrize("compression", ["", "ZLIB", "GZIP"])
@pytest.mark.parametrize("buffer_size", [None, 1, 2])
def test_lines(tmp_path: Path, data: bytes, lines: list[bytes], compression: str, buffer_size: int | None) -> None:
    with LineReader(write(tmp_path, data, compression), compression, buffer_size) as reader:
        assert read_all(reader, 2) == lines
        assert reader.position == len(data)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text("ab\r\n").map(str.encode), st.sampled_from(["", "GZIP"]), st.integers(1, 9), st.integers(1, 3))
def test_a_reader_goes_on_at_every_position(
    tmp_path: Path, data: bytes, compression: str, buffer_size: int, step: int
) -> None:
    name = write(tmp_path, data, compression)
    lines = data.replace(b"\r", b"").split(b"\n")
    expected = lines if data and not data.endswith(b"\n") else lines[:-1]
    reader, seen = LineReader(name, compression, buffer_size), []
    while True:
        later = LineReader(name, compression, None, reader.position)
        assert seen + read_all(later) == expected
        later.close()
        block = reader.read_block(step)
        if not block:
            break
        seen += block
    reader.close()


def test_gzip_members_are_joined_and_a_cut_file_ends(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(b"a\nb") + gzip.compress(b"c\nd"))
    assert read_all(LineReader(path, "GZIP")) == [b"a", b"bc", b"d"]
    path.write_bytes(gzip.compress(b"a\nb\n")[:-4])
    assert read_all(LineReader(path, "GZIP")) == [b"a", b"b"]


def test_refusals(tmp_path: Path) -> None:
    e = tf.errors
    with pytest.raises(e.NotFoundError, match="no; No such file or directory"):
        LineReader(tmp_path / "no")
    with pytest.raises(e.InvalidArgumentError, match=r"^`buffer_size` must be >= 0"):
        LineReader(write(tmp_path, b"a"), buffer_size=-1)
    with pytest.raises(e.InvalidArgumentError, match=r"^Unsupported compression_type"):
        LineReader(write(tmp_path, b"a"), "LZ4")
    words = read_until_error(LineReader(write(tmp_path, b"hello"), "GZIP"), e.DataLossError)[1]
    assert words.startswith("inflate() failed with error -3: incorrect header check")
