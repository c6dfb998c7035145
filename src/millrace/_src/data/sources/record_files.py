"""Datasets over files of records: TFRecord files, lines of text, records of a fixed length.

A dataset op reads one or several files, one after the other, many records at a time; the readers are in `ops.io`. A
pass saves which file it is in and where.

Tests: tests/data/test_record_datasets.py
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import string
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.nodes import DATASET_OF_STRINGS, UNKNOWN, DatasetNode, PassContext
from millrace._src.ops.io.fixed_length_reader import FixedLengthReader
from millrace._src.ops.io.record_reader import RecordReader
from millrace._src.ops.io.text_line_reader import LineReader

_SHAPE = TensorShape([])


class RecordBlockReader(Protocol):
    """The records of one file, from a position on."""

    @property
    def position(self) -> int:
        """Where the next record begins."""

    def read_block(self, max_records: int) -> list[bytes]:
        """Returns the next records, at most so many; none at the end."""

    def close(self) -> None:
        """Closes the file."""


@dataclass(eq=False, repr=False)
class RecordFilesNode(DatasetNode):
    """The records of files, one file after the other.

    Attributes:
      files: the names of the files.
      open_file: `(name, position=...) -> Reader`.
      offsets: the position at which each file begins; empty: at the front.
    """

    files: Sequence[bytes]
    open_file: Callable[..., RecordBlockReader]
    offsets: Sequence[int]

    def cardinality(self) -> int:
        """Returns that the number is not known."""
        return UNKNOWN

    def cursor(self, context: PassContext) -> Cursor:
        """Starts at the first file."""
        return RecordFilesCursor(self)


class RecordFilesCursor(Cursor):
    """Reads blocks of records.

    A file that cannot be read raises its error once; the pass goes on with the next file.
    """

    __slots__ = ("_index", "_node", "_reader")

    def __init__(self, node: RecordFilesNode) -> None:
        self._node = node
        self._index = 0
        self._reader: RecordBlockReader | None = None

    def next_block(self, limit: int) -> Block | None:
        """Returns the next records of the current file; of the next file, where there are none."""
        while self._index < len(self._node.files):
            try:
                if self._reader is None:
                    offsets = self._node.offsets
                    self._reader = self._open(offsets[self._index] if offsets else 0)
                records = self._reader.read_block(limit)
            except Exception:
                self._next_file()
                raise
            if records:
                column = np.empty(len(records), dtype=object)
                column[:] = records
                return Block([column], len(records))
            self._next_file()
        return None

    def _open(self, position: int) -> RecordBlockReader:
        return self._node.open_file(self._node.files[self._index], position=position)

    def _next_file(self) -> None:
        self.close()
        self._index += 1

    def save(self) -> State:
        """Returns the number of the file, and the position in it; -1 if the file is not open."""
        return self._index, -1 if self._reader is None else self._reader.position

    def restore(self, state: State) -> None:
        """Opens the file at the position."""
        self._index, position = state
        if position >= 0:
            self._reader = self._open(position)

    def close(self) -> None:
        """Closes the file."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None


# --- ops ---------------------------------------------------------------------------------------------------------


def _node(
    filenames: Array, open_file: Callable[..., RecordBlockReader], offsets: Sequence[int] = ()
) -> RecordFilesNode:
    return RecordFilesNode((string,), (_SHAPE,), filenames.reshape(-1).tolist(), open_file, offsets)


def _text(scalar: Array) -> str:
    text: bytes = scalar[()]
    return text.decode()


@op(
    "TFRecordDataset",
    "filenames: string, compression_type: string, buffer_size: int64 -> handle: variant",
    capabilities=Capability.READS_FILES,
    file_inputs=("filenames",),
    **DATASET_OF_STRINGS,
)
def tf_record_dataset(
    xp: Xp, filenames: Array, compression_type: Array, buffer_size: Array, *, metadata: str = ""
) -> Any:
    """Makes a dataset of the records of TFRecord files."""
    options: dict[str, Any] = {"compression_type": _text(compression_type), "buffer_size": int(buffer_size)}
    return _node(filenames, functools.partial(RecordReader, **options))


@op(
    "TFRecordDatasetV2",
    "filenames: string, compression_type: string, buffer_size: int64, byte_offsets: int64 -> handle: variant",
    capabilities=Capability.READS_FILES,
    file_inputs=("filenames",),
    **DATASET_OF_STRINGS,
)
def tf_record_dataset_v2(
    xp: Xp,
    filenames: Array,
    compression_type: Array,
    buffer_size: Array,
    byte_offsets: Array,
    *,
    metadata: str = "",
) -> Any:
    """Makes a dataset of the records of TFRecord files, each read from an offset on."""
    options: dict[str, Any] = {"compression_type": _text(compression_type), "buffer_size": int(buffer_size)}
    return _node(filenames, functools.partial(RecordReader, **options), byte_offsets.reshape(-1).tolist())


@op(
    "TextLineDataset",
    "filenames: string, compression_type: string, buffer_size: int64 -> handle: variant",
    capabilities=Capability.READS_FILES,
    file_inputs=("filenames",),
    **DATASET_OF_STRINGS,
)
def text_line_dataset(
    xp: Xp, filenames: Array, compression_type: Array, buffer_size: Array, *, metadata: str = ""
) -> Any:
    """Makes a dataset of the lines of text files."""
    options: dict[str, Any] = {"compression_type": _text(compression_type), "buffer_size": int(buffer_size)}
    return _node(filenames, functools.partial(LineReader, **options))


@op(
    "FixedLengthRecordDatasetV2",
    "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, buffer_size: int64, "
    "compression_type: string -> handle: variant",
    capabilities=Capability.READS_FILES,
    file_inputs=("filenames",),
    **DATASET_OF_STRINGS,
)
def fixed_length_record_dataset_v2(
    xp: Xp,
    filenames: Array,
    header_bytes: Array,
    record_bytes: Array,
    footer_bytes: Array,
    buffer_size: Array,
    compression_type: Array,
    *,
    metadata: str = "",
) -> Any:
    """Makes a dataset of the records of files whose records have one length."""
    options: dict[str, Any] = {
        "record_bytes": int(record_bytes),
        "header_bytes": int(header_bytes),
        "footer_bytes": int(footer_bytes),
        "compression_type": _text(compression_type),
        "buffer_size": int(buffer_size),
    }
    return _node(filenames, functools.partial(FixedLengthReader, **options))


@op(
    "FixedLengthRecordDataset",
    "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, buffer_size: int64"
    " -> handle: variant",
    capabilities=Capability.READS_FILES,
    file_inputs=("filenames",),
    **DATASET_OF_STRINGS,
)
def fixed_length_record_dataset(
    xp: Xp,
    filenames: Array,
    header_bytes: Array,
    record_bytes: Array,
    footer_bytes: Array,
    buffer_size: Array,
    *,
    metadata: str = "",
) -> Any:
    """Makes a dataset of the records of files whose records have one length, without compression."""
    uncompressed = np.array(b"", dtype=object)
    return fixed_length_record_dataset_v2.op_def.kernel(
        xp, filenames, header_bytes, record_bytes, footer_bytes, buffer_size, uncompressed
    )
