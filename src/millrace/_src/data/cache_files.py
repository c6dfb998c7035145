"""The files of a cache: the elements, a mark that they are all there, and a lock for the pass that writes.

`<name>.data-00000-of-00001` holds the elements as saved datasets do (`element_files`); `<name>.index`, which is written
last, says how many there are; `<name>_0.lockfile` exists while a pass writes. The names are TensorFlow's, the index is
Millrace's own.

Tests: tests/data/transforms/test_cache.py
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from millrace._src.core import errors
from millrace._src.core.dtypes import DType
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import State
from millrace._src.data.element_files import ElementFilesCursor, ElementWriter
from millrace._src.ops.io import gfile
from millrace._src.ops.io.file_names import file_errors
from millrace._src.ops.io.file_system import write_all
from millrace._src.ops.io.file_systems import content_of, file_system_of
from millrace._src.ops.io.whole_writes import atomic_write

_MARK = "Millrace cache"


class CacheFiles:
    """The files of one cache, as one pass uses them.

    Args:
      name: the beginning of the names of the files.
      dtypes: the dtypes of the tensors of an element.
    """

    def __init__(self, name: str, dtypes: Sequence[DType], shapes: Sequence[TensorShape]) -> None:
        self._dtypes, self._shapes = dtypes, shapes
        self._index = f"{name}.index"
        self._data = f"{name}.data-00000-of-00001"
        self._part = f"{name}_0.data-00000-of-00001.tempstate{os.getpid()}"
        self._lock = f"{name}_0.lockfile"
        self._writer: ElementWriter | None = None
        self._count = 0

    def exist(self) -> bool:
        """Returns whether all elements are in the files.

        Raises: tf.errors.DataLossError: if the files are not those of a cache of Millrace.
        """
        if not gfile.exists(self._index):
            return False
        if not content_of(self._index).startswith(_MARK.encode()):
            words = f"{self._index}; the cache was not written by Millrace. Delete it or choose another."
            raise errors.DataLossError(None, None, words)
        return True

    def reader(self) -> ElementFilesCursor:
        """Returns a cursor over the elements."""
        return ElementFilesCursor([self._data], self._dtypes, self._shapes)

    def begin(self) -> None:
        """Becomes the pass that writes.

        Raises: tf.errors.AlreadyExistsError: if another pass is writing.
        """
        file_system, path = file_system_of(self._lock)
        with file_errors(self._lock):
            try:
                with file_system.open(path, "x") as file:
                    write_all(file, f"Created at: {int(time.time())}".encode())
            except FileExistsError:
                raise self._lock_error() from None
        self._writer = ElementWriter(self._part, self._dtypes)

    def _lock_error(self) -> errors.AlreadyExistsError:
        contents = content_of(self._lock).decode(errors="replace")
        return errors.AlreadyExistsError(
            None,
            None,
            "There appears to be a concurrent caching iterator running - cache lockfile already exists "
            f"('{self._lock}'). If you are sure no other running TF computations are using this cache prefix, delete "
            f"the lockfile and re-initialize the iterator. Lockfile contents: {contents}",
        )

    @property
    def is_writing(self) -> bool:
        """Whether the files have been begun, and neither finished nor discarded."""
        return self._writer is not None

    def write(self, block: Block) -> None:
        """Writes elements."""
        assert self._writer is not None
        self._writer.write(block)
        self._count += block.count

    def list_written_elements(self) -> list[State]:
        """Returns the elements that have been written so far, as a state may hold them."""
        cursor = ElementFilesCursor([self._part if self.is_writing else self._data], self._dtypes, self._shapes)
        blocks = []
        while self._count and (block := cursor.next_block(self._count)) is not None:
            blocks.append(block.save())
        cursor.close()
        return blocks

    def finish(self) -> None:
        """Says that all elements are there."""
        assert self._writer is not None
        self._writer.close()
        self._writer = None
        gfile.rename(self._part, self._data, overwrite=True)
        with atomic_write(self._index) as file:
            file.write(f"{_MARK}: {self._count} elements\n".encode())
        gfile.remove(self._lock)

    def discard(self) -> None:
        """Removes what has been written."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
            for name in (self._part, self._lock):
                if gfile.exists(name):
                    gfile.remove(name)
