"""Reading tables: keys, damage, and files made to do harm."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.checkpoint.bundle.ranged_file import RangedFile
from millrace._src.checkpoint.bundle.table_format import SNAPPY, UNCOMPRESSED
from millrace._src.checkpoint.bundle.table_reader import TableFileReader
from millrace._src.checkpoint.bundle.table_writer import TableWriter
from millrace._src.ops.io.wire_format import varint
from tests.checkpoint.bundle.tables import block, closed, stored, table
from tests.ops.array.answers import check_refusal

_IS_LOSS = tf.errors.DataLossError


def _reader(tmp_path: Path, content: bytes) -> TableFileReader:
    path = tmp_path / "table"
    path.write_bytes(content)
    return TableFileReader(RangedFile(str(path)))


def _written(entries: list[tuple[bytes, bytes]]) -> bytes:
    pieces: list[bytes] = []
    writer = TableWriter(pieces.append)
    for key, value in entries:
        writer.add(key, value)
    writer.finish()
    return b"".join(pieces)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(st.dictionaries(st.binary(max_size=12), st.binary(max_size=9000), max_size=90), st.binary(max_size=12))
def test_what_was_written_is_read(tmp_path: Path, contents: dict[bytes, bytes], other: bytes) -> None:
    entries = sorted(contents.items())
    reader = _reader(tmp_path, _written(entries))
    assert list(reader.items()) == entries
    for key in [*contents, other]:
        assert reader.get(key) == contents.get(key)
    reader.close()


def test_a_hundred_thousand_keys_are_found(tmp_path: Path) -> None:
    keys = [b"layer_%06d/kernel" % number for number in range(100_000)]
    reader = _reader(tmp_path, _written([(key, key[-9:]) for key in keys]))
    assert [key for key, _ in reader.items()] == keys
    for number in (0, 15, 16, 17, 4928, 50_000, 99_999):
        assert reader.get(keys[number]) == keys[number][-9:]
    assert [reader.get(key) for key in (b"", b"layer_", b"layer_000000/kernel0", b"m")] == [None] * 4


def test_compressed_blocks_are_read(tmp_path: Path) -> None:
    content = block([(b"a", b"1"), (b"b", b"2")])
    compressed = varint(len(content)) + bytes([len(content) - 1 << 2]) + content
    assert _reader(tmp_path, table([], compressed, SNAPPY)).get(b"b") == b"2"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "file is too short to be an sstable"),
        (bytes(47), "file is too short to be an sstable"),
        (bytes(48), "not an sstable (bad magic number)"),
        (table([(b"a", b"1")]) + b"x", "not an sstable (bad magic number)"),
        (table([(b"a", b"1")])[1:], "block checksum mismatch"),
        (table([], b"", UNCOMPRESSED), "bad block contents"),
        (table([], b"\xff\xff\xff\x7f"), "bad block contents"),
        (table([], b"\0\xff\xff\xff\xff\x0f\0ab" + bytes(4) + b"\1\0\0\0"), "bad entry in block"),
        (table([], b"\5\1\0a" + bytes(4) + b"\1\0\0\0"), "bad entry in block"),
        (table([], b"\0" + b"\xff" * 12 + bytes(4) + b"\1\0\0\0"), "bad number in block"),
        (table([], b"\0\1\0a" + b"\xff\xff\xff\xff" + b"\1\0\0\0"), "bad number in block"),
        (table([], b"abc", SNAPPY), "corrupted compressed block contents"),
        (table([], block([]), 7), "bad block type"),
        (closed(b"", [(b"~", varint(1 << 60) + varint(8))]), "Read less bytes than requested"),
        (closed(b"", [(b"~", varint(0) + varint(1 << 62))]), "Read less bytes than requested"),
        (closed(b"", [(b"~", b"\xff")]), "bad number in block"),
        (closed(b"", [(b"~", b"")]), "bad number in block"),
        (bytes(40) + table([])[-8:], "block checksum mismatch"),
        (b"\xff" * 40 + table([])[-8:], "bad number in block"),
    ],
)
def test_damaged_tables_are_refused(tmp_path: Path, content: bytes, words: str) -> None:
    check_refusal(lambda: _reader(tmp_path, content).get(b"a"), _IS_LOSS, words)


def test_two_handles_of_one_block_are_refused(tmp_path: Path) -> None:
    content = block([(b"a", b"1"), (b"b", b"2")])
    handle = varint(0) + varint(len(content))
    reader = _reader(tmp_path, closed(stored(content), [(b"b%d" % number, handle) for number in range(9)]))
    check_refusal(lambda: list(reader.items()), _IS_LOSS, "keys are not in order")


def test_an_index_that_leads_to_itself_gives_its_own_entries(tmp_path: Path) -> None:
    handle = varint(13) + varint(len(block([(b"~", bytes(2))])))
    reader = _reader(tmp_path, closed(b"", [(b"~", handle)]))
    assert list(reader.items()) == [(b"~", handle)]


def test_keys_that_grow_beyond_the_file_are_refused(tmp_path: Path) -> None:
    first = b"k" * 100_000
    entries = b"\0" + varint(len(first)) + b"\0" + first
    sizes = range(len(first), len(first) + 30_000)
    content = entries + b"".join(varint(size) + b"\1\0a" for size in sizes) + bytes(4) + b"\1\0\0\0"
    reader = _reader(tmp_path, table([], content))
    tracemalloc.start()
    try:
        check_refusal(lambda: [None for _ in reader.items()], _IS_LOSS, "keys take more memory than a file of this")
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_no_damage_does_anything_but_data_loss(tmp_path: Path) -> None:
    original = _written([(b"key%03d" % number, bytes([number])) for number in range(60)])
    source = random.Random(1)
    for _ in range(1500):
        content = bytearray(original)
        for _ in range(source.randint(1, 3)):
            content[source.randrange(len(content))] ^= 1 << source.randrange(8)
        if source.random() < 0.3:
            del content[source.randrange(len(content)) :]
        try:
            reader = _reader(tmp_path, bytes(content))
            for key, value in reader.items():
                assert reader.get(key) == value
        except _IS_LOSS:
            pass
