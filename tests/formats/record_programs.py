"""The record files that are written by TensorFlow and here alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

COMPRESSIONS: dict[str, tuple[str, dict[str, int]]] = {
    "plain.tfrecord": ("", {}),
    "zlib.tfrecord": ("ZLIB", {}),
    "gzip.tfrecord": ("GZIP", {}),
    "level9.tfrecord": ("GZIP", {"compression_level": 9}),
    "flushed.tfrecord": ("ZLIB", {"flush_mode": 2, "input_buffer_size": 64}),
}
"""File name -> compression type, options."""


def records() -> list[bytes]:
    """Records of many lengths and of one length."""
    numbers = [str(number).encode() * (number % 5) for number in range(30)]
    return [b"", b"\0\xff" * 300, *numbers, *([b"same length!"] * 20), "é日本".encode()]


def write_files(tf: Any, folder: Path) -> None:
    """Writes a file for each compression."""
    for name, (compression, options) in COMPRESSIONS.items():
        with tf.io.TFRecordWriter(str(folder / name), tf.io.TFRecordOptions(compression, **options)) as writer:
            for record in records():
                writer.write(record)
