"""The ops on TensorFlow 1's readers: making them, reading, their numbers and states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import ObjectHandle
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import Effects, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.io.readers import (
    FileReader,
    FixedRecords,
    Lines,
    Records,
    RecordSource,
    file_name_itself,
    reader_of,
    whole_file,
)
from millrace._src.ops.kept_objects import keep_by_node
from millrace._src.ops.queue.queues import queue_of
from millrace._src.ops.shape_rules import no_outputs, scalar


def _reader_handle(c: ShapeContext) -> ObjectHandle:
    return ObjectHandle("reader")


_MAKES: dict[str, Any] = {
    "shape": scalar,
    "handles": _reader_handle,
    "host_only": True,
    "makes_shared_object": True,
    "effects": Effects.RANDOM,
    "cacheable": False,
    "not_differentiable": "a reader is not a number",
    "not_batched": "it has no operands that could differ",
}
_CHANGES: dict[str, Any] = {
    "host_only": True,
    "refused_when_compiled": True,
    "effects": Effects.WRITES,
    "not_differentiable": "what is read from files is not followed",
    "not_batched": "rows would come in no particular order",
}
_READS: dict[str, Any] = {**_CHANGES, "effects": Effects.READS, "not_batched": "a reader is the same for all rows"}


def _reader(kind: str, open_file: Callable[[bytes], RecordSource], serializes: bool = False) -> Any:
    return FileReader(kind, open_file, serializes)


@keep_by_node
@op("WholeFileReaderV2", "-> reader_handle: resource", **_MAKES)
def whole_file_reader(xp: Xp, *, container: str = "", shared_name: str = "") -> Any:
    """Makes a reader of whole files: a record is the content of a file."""
    return _reader("WholeFileReader", whole_file, serializes=True)


@keep_by_node
@op("IdentityReaderV2", "-> reader_handle: resource", **_MAKES)
def identity_reader(xp: Xp, *, container: str = "", shared_name: str = "") -> Any:
    """Makes a reader of the queue's elements themselves."""
    return _reader("IdentityReader", file_name_itself, serializes=True)


@keep_by_node
@op("TextLineReaderV2", "-> reader_handle: resource", **_MAKES)
def text_line_reader(xp: Xp, *, skip_header_lines: int = 0, container: str = "", shared_name: str = "") -> Any:
    """Makes a reader of the lines of text files."""
    return _reader("TextLineReader", lambda name: Lines(name, skip_header_lines))


@keep_by_node
@op("TFRecordReaderV2", "-> reader_handle: resource", **_MAKES)
def tf_record_reader(xp: Xp, *, container: str = "", shared_name: str = "", compression_type: str = "") -> Any:
    """Makes a reader of the records of TFRecord files."""
    return _reader("TFRecordReader", lambda name: Records(name, compression_type))


@keep_by_node
@op("FixedLengthRecordReaderV2", "-> reader_handle: resource", **_MAKES)
def fixed_length_record_reader(
    xp: Xp,
    *,
    header_bytes: int = 0,
    record_bytes: int,
    footer_bytes: int = 0,
    hop_bytes: int = 0,
    container: str = "",
    shared_name: str = "",
    encoding: str = "",
) -> Any:
    """Makes a reader of files of fixed-length records."""
    sizes = {
        "header_bytes": header_bytes,
        "record_bytes": record_bytes,
        "footer_bytes": footer_bytes,
        "hop_bytes": hop_bytes,
    }
    for name, size in sizes.items():
        if size < 0:
            raise invalid(f"{name} must be >= 0 not {size}")
    if not record_bytes:
        raise invalid("record_bytes must be > 0 not 0")
    compression = encoding if encoding in ("ZLIB", "GZIP") else ""
    return _reader(
        "FixedLengthRecordReader",
        lambda name: FixedRecords(name, record_bytes, header_bytes, footer_bytes, hop_bytes, compression),
    )


# --- reading -------------------------------------------------------------------------------------------------------


def _two_scalars(c: ShapeContext) -> list[TensorShape]:
    return [TensorShape([]), TensorShape([])]


def _two_vectors(c: ShapeContext) -> list[TensorShape]:
    return [TensorShape([None]), TensorShape([None])]


@op(
    "ReaderReadV2",
    "reader_handle: resource, queue_handle: resource -> key: string, value: string",
    shape=_two_scalars,
    capabilities=Capability.READS_FILES,
    **_CHANGES,
)
def reader_read(xp: Xp, reader_handle: Array, queue_handle: Array) -> tuple[Array, Array]:
    """Reads the next record of the files that a queue names, waiting for a name."""
    key, value = reader_of(reader_handle).read(queue_of(queue_handle))
    return np.array(key, object), np.array(value, object)


@op(
    "ReaderReadUpToV2",
    "reader_handle: resource, queue_handle: resource, num_records: int64 -> keys: string, values: string",
    shape=_two_vectors,
    capabilities=Capability.READS_FILES,
    **_CHANGES,
)
def reader_read_up_to(xp: Xp, reader_handle: Array, queue_handle: Array, num_records: Array) -> list[Array]:
    """Reads records of one file, at most so many."""
    records = reader_of(reader_handle).read_up_to(queue_of(queue_handle), int(num_records))
    return [np.array([record[part] for record in records], object) for part in (0, 1)]


@op("ReaderNumRecordsProducedV2", "reader_handle: resource -> records_produced: int64", shape=scalar, **_READS)
def reader_num_records_produced(xp: Xp, reader_handle: Array) -> Array:
    """Returns how many records a reader gave."""
    return np.array(reader_of(reader_handle).num_records_produced, np.int64)


@op("ReaderNumWorkUnitsCompletedV2", "reader_handle: resource -> units_completed: int64", shape=scalar, **_READS)
def reader_num_work_units_completed(xp: Xp, reader_handle: Array) -> Array:
    """Returns how many files a reader came to the end of."""
    return np.array(reader_of(reader_handle).num_work_units_completed, np.int64)


@op("ReaderSerializeStateV2", "reader_handle: resource -> state: string", shape=scalar, **_READS)
def reader_serialize_state(xp: Xp, reader_handle: Array) -> Array:
    """Returns the state of a reader as bytes."""
    return np.array(reader_of(reader_handle).serialized_state(), object)


@op("ReaderRestoreStateV2", "reader_handle: resource, state: string ->", shape=no_outputs, **_CHANGES)
def reader_restore_state(xp: Xp, reader_handle: Array, state: Array) -> None:
    """Lets a reader go back to a state."""
    if state.ndim:
        raise invalid(f"Reader state must be scalar, but had shape: {list(state.shape)}")
    reader_of(reader_handle).restore_state(state.item())


@op("ReaderResetV2", "reader_handle: resource ->", shape=no_outputs, **_CHANGES)
def reader_reset(xp: Xp, reader_handle: Array) -> None:
    """Lets a reader begin anew."""
    reader_of(reader_handle).reset()
