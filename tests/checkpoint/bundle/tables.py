"""Tables and indexes made by hand, also such as no writer makes."""

from __future__ import annotations

from collections.abc import Sequence

from millrace._src.checkpoint.bundle.table_format import MAGIC, UNCOMPRESSED, block_checksum
from millrace._src.ops.io.wire_format import varint


def block(entries: Sequence[tuple[bytes, bytes]]) -> bytes:
    """Returns a block in which each key stands in full, once."""
    body = b"".join(b"\0" + varint(len(key)) + varint(len(value)) + key + value for key, value in entries)
    return body + bytes(4) + b"\1\0\0\0"


def stored(content: bytes, compression: int = UNCOMPRESSED) -> bytes:
    """Returns a block with its trailer."""
    return content + bytes([compression]) + block_checksum(content, compression).to_bytes(4, "little")


def table(
    entries: Sequence[tuple[bytes, bytes]], content: bytes | None = None, compression: int = UNCOMPRESSED
) -> bytes:
    """Returns a table of one block: of entries, or of any content."""
    content = block(entries) if content is None else content
    return closed(stored(content, compression), [(b"~", varint(0) + varint(len(content)))])


def closed(blocks: bytes, handles: Sequence[tuple[bytes, bytes]]) -> bytes:
    """Returns a table: blocks, then an index block of handles, and the footer."""
    index = block(handles)
    empty = stored(block([]))
    footer = varint(len(blocks)) + varint(len(empty) - 5) + varint(len(blocks) + len(empty)) + varint(len(index))
    return blocks + empty + stored(index) + footer.ljust(40, b"\0") + MAGIC
