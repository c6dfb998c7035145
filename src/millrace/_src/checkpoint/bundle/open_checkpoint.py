"""What readers of checkpoints of both forms have in common.

Tests: tests/checkpoint/bundle/test_reader.py
"""

from __future__ import annotations

import abc
from types import TracebackType
from typing import Self

from millrace._src.checkpoint.bundle.index_file import IndexFileEntry, key_text


class OpenCheckpoint(abc.ABC):
    """A checkpoint that is open for reading; a context manager, which closes the files."""

    @abc.abstractmethod
    def close(self) -> None:
        """Closes the files."""

    @abc.abstractmethod
    def entries(self) -> list[IndexFileEntry]:
        """Returns what the checkpoint says of each tensor, in the order of the names' bytes.

        Raises: tf.errors.DataLossError: if the checkpoint is damaged.
        """

    def keys(self) -> list[str]:
        """Returns the names of the tensors, in the order of their bytes.

        Raises: tf.errors.DataLossError: if the checkpoint is damaged.
        """
        return [key_text(entry.key) for entry in self.entries()]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
