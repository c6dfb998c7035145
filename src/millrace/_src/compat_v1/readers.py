"""TensorFlow 1's readers of files: `tf.compat.v1.TextLineReader` and its kin.

A reader takes file names out of a queue and gives records. Readers are for graphs that sessions run; `tf.data` does the
same, and more.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import state as context_state
from millrace._src.ops import raw
from millrace._src.ops.io.record_options import TFRecordOptions
from millrace._src.state.queues import QueueBase
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export(v1=["ReaderBase"])
@tensorflow_home("python.ops.io_ops")
class ReaderBase:
    """What all readers share.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     queue = tf.queue.FIFOQueue(2, [tf.string], shapes=[[]])
    ...     key, value = tf.compat.v1.IdentityReader().read(queue)
    ...     sess.run(queue.enqueue("some work"))
    ...     sess.run(value)
    b'some work'

    Args:
      reader_ref: the handle of the reader.
      supports_serialize: whether the state of the reader can be saved.

    Raises: RuntimeError: in eager mode.
    """

    def __init__(self, reader_ref: object, supports_serialize: bool = False) -> None:
        _refuse_eager()
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self) -> Any:
        """The handle of the reader."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Whether the state of the reader can be saved."""
        return self._supports_serialize

    def read(self, queue: object, name: str | None = None) -> Any:
        """Returns the next record of the files that a queue names.

        Args:
          queue: a queue of strings, or its handle.
          name: a name for the operation.

        Returns: A named tuple of `key` and `value`, scalars of string.
        """
        return raw.ReaderReadV2(reader_handle=self._reader_ref, queue_handle=_handle_of(queue), name=name)

    def read_up_to(self, queue: object, num_records: TensorLike, name: str | None = None) -> Any:
        """Returns the next records, fewer than `num_records` at the end of a file.

        Args:
          queue: a queue of strings, or its handle.
          num_records: the most records, a scalar of int64.
          name: a name for the operation.

        Returns: A named tuple of `keys` and `values`, vectors of string.
        """
        handles = {"reader_handle": self._reader_ref, "queue_handle": _handle_of(queue)}
        return raw.ReaderReadUpToV2(**handles, num_records=num_records, name=name)

    def num_records_produced(self, name: str | None = None) -> Any:
        """Counts the records that were read, a scalar of int64.

        Args: name: a name for the operation.
        """
        return raw.ReaderNumRecordsProducedV2(reader_handle=self._reader_ref, name=name)

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """Counts the files that were read to their end, a scalar of int64.

        Args: name: a name for the operation.
        """
        return raw.ReaderNumWorkUnitsCompletedV2(reader_handle=self._reader_ref, name=name)

    def serialize_state(self, name: str | None = None) -> Any:
        """Returns the state of the reader, a scalar of string.

        Args: name: a name for the operation.
        """
        return raw.ReaderSerializeStateV2(reader_handle=self._reader_ref, name=name)

    def restore_state(self, state: object, name: str | None = None) -> Any:
        """Returns the operation that lets the reader go back to a state.

        Args:
          state: what `serialize_state` gave.
          name: a name for the operation.
        """
        return raw.ReaderRestoreStateV2(reader_handle=self._reader_ref, state=state, name=name)

    def reset(self, name: str | None = None) -> Any:
        """Returns the operation that lets the reader begin anew.

        Args: name: a name for the operation.
        """
        return raw.ReaderResetV2(reader_handle=self._reader_ref, name=name)


def _handle_of(queue: object) -> Any:
    return queue.queue_ref if isinstance(queue, QueueBase) else queue


def _refuse_eager() -> None:
    if context_state.graph is None:
        raise RuntimeError(
            "Readers are not supported when eager execution is enabled. Instead, please use tf.data to get data into "
            "your model."
        )


@export(v1=["WholeFileReader"])
@tensorflow_home("python.ops.io_ops")
class WholeFileReader(ReaderBase):
    """A reader whose records are whole files: the key is the name, the value the content.

    Args: name: a name for the operation.
    """

    def __init__(self, name: str | None = None) -> None:
        _refuse_eager()
        super().__init__(raw.WholeFileReaderV2(name=name), supports_serialize=True)


@export(v1=["TextLineReader"])
@tensorflow_home("python.ops.io_ops")
class TextLineReader(ReaderBase):
    """A reader of the lines of text files, without their newlines.

    Args:
      skip_header_lines: how many lines at the front of each file are left out; None for 0.
      name: a name for the operation.
    """

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        _refuse_eager()
        super().__init__(raw.TextLineReaderV2(skip_header_lines=skip_header_lines or 0, name=name))


@export(v1=["FixedLengthRecordReader"])
@tensorflow_home("python.ops.io_ops")
class FixedLengthRecordReader(ReaderBase):
    """A reader of files that are a header, records of one length, and a footer.

    Args:
      record_bytes: the length of a record.
      header_bytes: the length of the header; None for 0.
      footer_bytes: the length of the footer; None for 0.
      hop_bytes: from the beginning of one record to that of the next; None or 0 for `record_bytes`.
      name: a name for the operation.
      encoding: "ZLIB" or "GZIP" for compressed files; None or "" for plain ones.
    """

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        _refuse_eager()
        reader = raw.FixedLengthRecordReaderV2(
            record_bytes=record_bytes,
            header_bytes=header_bytes or 0,
            footer_bytes=footer_bytes or 0,
            hop_bytes=hop_bytes or 0,
            encoding=encoding or "",
            name=name,
        )
        super().__init__(reader)


@export(v1=["TFRecordReader"])
@tensorflow_home("python.ops.io_ops")
class TFRecordReader(ReaderBase):
    """A reader of the records of TFRecord files.

    Args:
      name: a name for the operation.
      options: a `TFRecordOptions`, or None for files without compression.
    """

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        _refuse_eager()
        compression = TFRecordOptions.get_compression_type_string(options)
        super().__init__(raw.TFRecordReaderV2(compression_type=compression, name=name))


@export(v1=["IdentityReader"])
@tensorflow_home("python.ops.io_ops")
class IdentityReader(ReaderBase):
    """A reader whose records are the elements of the queue themselves, as key and as value.

    Args: name: a name for the operation.
    """

    def __init__(self, name: str | None = None) -> None:
        _refuse_eager()
        super().__init__(raw.IdentityReaderV2(name=name), supports_serialize=True)


@export(v1=["LMDBReader"])
@tensorflow_home("python.ops.io_ops")
class LMDBReader(ReaderBase):
    """A reader of LMDB databases, which TensorFlow 2.21 no longer has either.

    Args:
      name: a name for the operation.
      options: options of the reader.

    Raises: tf.errors.UnimplementedError: always; in TensorFlow, when the reader runs.
    """

    def __init__(self, name: str | None = None, options: object = None) -> None:
        _refuse_eager()
        del name, options
        raise errors.UnimplementedError(None, None, "LMDB support is removed from TensorFlow, and not in Millrace.")
