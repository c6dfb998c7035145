"""A checkpoint of TensorFlow as a file of named arrays.

Tests: tests/interop/array_files/test_file_conversion.py
"""

from __future__ import annotations

from millrace._src.checkpoint.bundle.bundle_opening import open_checkpoint
from millrace._src.checkpoint.bundle.index_file import IndexFileEntry, key_text
from millrace._src.checkpoint.bundle.reader import BundleReader
from millrace._src.core.array_namespace import Array
from millrace._src.interop.array_files.array_file import ArrayFile, ArrayInfo


class CheckpointFile(ArrayFile):
    """A checkpoint that is open for reading, by its prefix."""

    def __init__(self, prefix: str) -> None:
        self.reader = open_checkpoint(prefix)
        self.arrays = {info.name: info for info in map(self._info, self.reader.entries())}

    def _info(self, entry: IndexFileEntry) -> ArrayInfo:
        return ArrayInfo(key_text(entry.key), entry.dtype, entry.shape, self._size(entry))

    def _size(self, entry: IndexFileEntry) -> int:
        if isinstance(self.reader, BundleReader):
            parts = [self.reader.entry(part) for part in entry.slice_keys()]
            return sum(part.size for part in parts) if parts else entry.size
        if entry.dtype.size:  # the first form does not state sizes
            return entry.element_count * entry.dtype.size
        return sum(map(len, self.reader.read(key_text(entry.key)).flat))

    def read(self, name: str) -> Array:
        return self.reader.read(name)

    def close(self) -> None:
        self.reader.close()
