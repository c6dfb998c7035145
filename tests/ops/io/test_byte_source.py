"""The bytes of files, plain and compressed."""

from __future__ import annotations

import gc
import gzip
import tracemalloc
from pathlib import Path

import pytest

import millrace as tf
from millrace._src.ops.io.byte_source import DEFAULT_BUFFER_SIZE, FileSource, open_source, positive_buffer_size
from tests.ops.io.record_files import write


@pytest.mark.parametrize("compression", ["", "ZLIB", "GZIP"])
@pytest.mark.parametrize("buffer_size", [1, 7, 1000])
def test_bytes_come_in_the_sizes_that_are_asked_for(tmp_path: Path, compression: str, buffer_size: int) -> None:
    name = write(tmp_path, bytes(range(100)), compression)
    source = open_source(name, compression, buffer_size, 3)
    assert [list(source.read(size)) for size in (2, 5, 0, 1000, 4)] == [
        [3, 4],
        [5, 6, 7, 8, 9],
        [],
        list(range(10, 100)),
        [],
    ]
    source.close()
    source.close()


@pytest.mark.parametrize("compression", ["", "GZIP"])
def test_a_position_after_the_end_has_no_bytes(tmp_path: Path, compression: str) -> None:
    assert open_source(write(tmp_path, b"abc", compression), compression, 10, 5).read(3) == b""


def test_the_size_of_a_file_is_known_in_the_middle_of_it(tmp_path: Path) -> None:
    source = FileSource(write(tmp_path, b"abcdef"), 2)
    assert (source.size, source.read(2)) == (6, b"cd")


def test_what_is_decompressed_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(gzip.compress(bytes(50_000_000)))
    tracemalloc.start()
    source = open_source(str(path), "GZIP", 1 << 20, 0)
    assert source.read(1000) == bytes(1000)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def test_a_source_that_is_let_go_closes_its_file(tmp_path: Path) -> None:
    source = FileSource(write(tmp_path, b"abc"))
    file = source._file
    del source
    gc.collect()
    assert file.closed


def test_buffer_sizes() -> None:
    assert positive_buffer_size(None) == positive_buffer_size(0) == DEFAULT_BUFFER_SIZE
    assert positive_buffer_size(5) == 5
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"^`buffer_size` must be >= 0 \(0 == default\)"):
        positive_buffer_size(-1)
