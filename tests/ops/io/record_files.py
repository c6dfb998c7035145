"""Record files made by hand, for the tests of readers and writers."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from millrace._src.util.crc32c import masked_crc32c

COMPRESS = {"": bytes, "ZLIB": zlib.compress, "GZIP": gzip.compress}


def framed(record: bytes) -> bytes:
    """A record with its length and checksums."""
    length = struct.pack("<Q", len(record))
    return b"".join(
        [length, struct.pack("<I", masked_crc32c(length)), record, struct.pack("<I", masked_crc32c(record))]
    )


def record_file(records: Iterable[bytes]) -> bytes:
    """The bytes of a TFRecord file."""
    return b"".join(map(framed, records))


def damaged(data: bytes, offset: int) -> bytes:
    """The data with one bit turned over."""
    return data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1 :]


def write(folder: Path, data: bytes, compression_type: str = "") -> str:
    """Writes a file and returns its name."""
    path = folder / "file"
    path.write_bytes(COMPRESS[compression_type](data))
    return str(path)


def read_all(reader: Any, max_records: int = 1000) -> list[bytes]:
    """The rest of the records of a reader."""
    records: list[bytes] = []
    while block := reader.read_block(max_records):
        assert len(block) <= max_records
        records += block
    return records


def read_until_error(reader: Any, error: type[Exception]) -> tuple[list[bytes], str]:
    """The records before the error, and the words of the error."""
    records: list[bytes] = []
    try:
        while block := reader.read_block(2):
            records += block
    except error as caught:
        return records, str(caught)
    raise AssertionError(f"no error; records: {records}")
