"""What the table files of checkpoints look like: LevelDB's table format.

A table is a sorted list of keys and values, in blocks. Behind each block stand a byte for the compression and a
checksum. The index block has for each block a key that is not less than the keys of the block, and the handle of the
block: offset and size. The footer, the last 48 bytes, has the handles of the index block and of a block that is empty
here.

Tests: tests/checkpoint/bundle/test_table_reader.py
"""

from __future__ import annotations

from millrace._src.util.crc32c import masked_crc32c

FOOTER_SIZE = 48
MAGIC = bytes.fromhex("57fb808b247547db")
"""The last bytes of each table."""
TRAILER_SIZE = 5
"""The bytes behind a block: one for the compression, four for the checksum of block and compression."""
UNCOMPRESSED, SNAPPY = 0, 1


def block_checksum(block: bytes, compression: int) -> int:
    """Returns the checksum that stands behind a block."""
    return masked_crc32c(block + bytes((compression,)))
