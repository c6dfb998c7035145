"""Files for tests of what reads and writes files."""

from __future__ import annotations

from io import RawIOBase


class SlowFile(RawIOBase):
    """A file that takes three bytes at a time."""

    def __init__(self) -> None:
        self.taken = bytearray()

    def write(self, data: bytes) -> int:  # type: ignore[override]  # any buffer
        self.taken += data[:3]
        return len(data[:3])
