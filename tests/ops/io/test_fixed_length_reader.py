"""`FixedLengthReader`: records between header and footer, sizes that do not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.io.fixed_length_reader import FixedLengthReader
from tests.ops.io.record_files import read_all, read_until_error, write

_e = tf.errors


@pytest.mark.parametrize("compression", ["", "ZLIB", "GZIP"])
@pytest.mark.parametrize("buffer_size", [None, 1, 3])
@pytest.mark.parametrize(
    ("data", "sizes", "records"),
    [
        (b"HHaabbccF", (2, 2, 1), [b"aa", b"bb", b"cc"]),
        (b"HHF", (2, 2, 1), []),
        (b"", (2,), []),
        (b"ab\0\0", (1,), [b"a", b"b", b"\0", b"\0"]),
        (b"abcd", (4,), [b"abcd"]),
    ],
)
def test_records(
    tmp_path: Path, data: bytes, sizes: Any, records: list[bytes], compression: str, buffer_size: int | None
) -> None:
    name = write(tmp_path, data, compression)
    options = {"compression_type": compression, "buffer_size": buffer_size}
    with FixedLengthReader(name, *sizes, **options) as reader:
        assert read_all(reader, 2) == records
        assert reader.read_block(1) == []
    reader = FixedLengthReader(name, *sizes, **options)
    for index in range(len(records) + 1):
        assert read_all(FixedLengthReader(name, *sizes, **options, position=reader.position)) == records[index:]
        reader.read_block(1)


@pytest.mark.parametrize(("data", "sizes", "body"), [(b"HHaabbcF", (2, 2, 1), 5), (b"HHaabbcFF", (2, 2, 2), 5)])
def test_bodies_that_do_not_fit(tmp_path: Path, data: bytes, sizes: Any, body: int) -> None:
    name = write(tmp_path, data)
    words = (
        f'Excluding the header (2 bytes) and footer ({sizes[2]} bytes), input file "{name}" has body length {body} '
        "bytes, which is not an exact multiple of the record length (2 bytes)."
    )
    with pytest.raises(_e.InvalidArgumentError) as caught:
        FixedLengthReader(name, *sizes)
    assert str(caught.value) == words
    write(tmp_path, data, "GZIP")
    found = read_until_error(FixedLengthReader(name, *sizes, compression_type="GZIP"), _e.DataLossError)
    assert found == ([b"aa", b"bb"], words)


def test_compressed_files_without_their_footer(tmp_path: Path) -> None:
    name = write(tmp_path, b"HHaabbcc", "ZLIB")
    records, words = read_until_error(FixedLengthReader(name, 2, 2, 1, "ZLIB"), _e.DataLossError)
    assert records == [b"aa", b"bb"]
    assert "has body length 5 bytes" in words


@pytest.mark.parametrize(("data", "footer_bytes"), [(b"H", 1), (b"HH", 1), (b"H", 0)])
def test_files_shorter_than_header_and_footer(tmp_path: Path, data: bytes, footer_bytes: int) -> None:
    for compression, words in (("", "Read less bytes than requested"), ("ZLIB", "EOF reached")):
        name = write(tmp_path, data, compression)
        with pytest.raises(_e.InternalError) as caught:
            read_all(FixedLengthReader(name, 2, 2, footer_bytes, compression))
        assert str(caught.value).startswith(words)


def test_refusals(tmp_path: Path) -> None:
    name = write(tmp_path, b"junkjunk")
    for arguments, words in (
        ((0,), "`record_bytes` must be > 0"),
        ((-1,), "`record_bytes` must be > 0"),
        ((2, -1), "`header_bytes` must be >= 0"),
        ((2, 0, -1), "`footer_bytes` must be >= 0"),
        ((2, 0, 0, "LZ4"), "Unsupported compression_type"),
        ((2, 0, 0, "", -1), "`buffer_size` must be >= 0"),
    ):
        with pytest.raises(_e.InvalidArgumentError) as caught:
            FixedLengthReader(name, *arguments)
        assert str(caught.value).startswith(words)
    with pytest.raises(_e.NotFoundError, match="No such file or directory"):
        FixedLengthReader(tmp_path / "no", 2)
    words = read_until_error(FixedLengthReader(name, 2, 0, 0, "GZIP"), _e.DataLossError)[1]
    assert words.startswith("inflate() failed")
