"""`Compressor`: zlib as options set it up. Compression types are tested with the writer."""

from __future__ import annotations

import zlib

import pytest

import millrace as tf
from millrace._src.ops.io.record_options import Compressor


def test_options_keep_what_they_are_given() -> None:
    assert vars(tf.io.TFRecordOptions("ZLIB", 1, 2, 3, 4, 5, 6, 7, 8)) == {
        "compression_type": "ZLIB",
        "flush_mode": 1,
        "input_buffer_size": 2,
        "output_buffer_size": 3,
        "window_bits": 4,
        "compression_level": 5,
        "compression_method": 6,
        "mem_level": 7,
        "compression_strategy": 8,
    }


def test_without_a_flush_mode_the_buffer_changes_nothing() -> None:
    for size in (None, 3):
        compressor = Compressor("ZLIB", tf.io.TFRecordOptions("ZLIB", input_buffer_size=size))
        assert compressor.compress(b"ab" * 50) + compressor.finish() == zlib.compress(b"ab" * 50)


def test_a_flush_mode_ends_a_block_after_each_buffer() -> None:
    options = tf.io.TFRecordOptions("ZLIB", flush_mode=zlib.Z_SYNC_FLUSH, input_buffer_size=40)
    compressor = Compressor("ZLIB", options)
    data = compressor.compress(b"ab" * 50)
    assert data.count(b"\0\0\xff\xff") == 3
    assert zlib.decompress(data + compressor.finish()) == b"ab" * 50


def test_a_flushed_stream_can_be_read_and_goes_on() -> None:
    compressor, decompressor = Compressor("GZIP", tf.io.TFRecordOptions()), zlib.decompressobj(31)
    assert decompressor.decompress(compressor.compress(b"one") + compressor.flush()) == b"one"
    assert decompressor.decompress(compressor.compress(b"two") + compressor.finish()) == b"two"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"compression_level": 10}, "zlib refuses these options"),
        ({"flush_mode": 4}, "flush_mode must be one of"),
        ({"input_buffer_size": -1}, "input_buffer_size must be >= 0"),
    ],
)
def test_what_zlib_does_not_have(options: dict[str, int], words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"^{words}"):
        Compressor("ZLIB", tf.io.TFRecordOptions("ZLIB", **options))
