"""Reading files of records and of events as TensorFlow 1 does: by Python iterators.

Tests: tests/compat_v1/summary/test_file_writer.py
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from millrace._src.ops.io.record_options import TFRecordOptions
from millrace._src.ops.io.record_reader import RecordReader
from millrace._src.proto import event_pb2
from millrace._src.util.export import export

_ITERATOR_BLOCK = 1024


@export(v1=["io.tf_record_iterator", "python_io.tf_record_iterator"])
def tf_record_iterator(path: object, options: object = None) -> Iterator[bytes]:
    """Returns an iterator over the records of a TFRecord file, as `bytes`.

    Deprecated: `tf.data.TFRecordDataset` reads record files.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "one.tfrecord")
    >>> with tf.io.TFRecordWriter(path, "GZIP") as writer:
    ...     writer.write("record")
    >>> list(tf.compat.v1.io.tf_record_iterator(path, tf.io.TFRecordOptions("GZIP")))
    [b'record']

    Args:
      path: name of the file.
      options: a `TFRecordOptions`, or a compression type.

    Raises: tf.errors.OpError: if the file cannot be opened. The iterator raises `DataLossError` at a damaged record.
    """
    return _RecordIterator(RecordReader(path, TFRecordOptions.get_compression_type_string(options)))


class _RecordIterator:
    """The records of a reader, one by one; an error comes again each time it is asked for."""

    def __init__(self, reader: RecordReader) -> None:
        self._reader = reader
        self._records: Iterator[bytes] = iter(())

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        for record in self._records:
            return record
        block = self._reader.read_block(_ITERATOR_BLOCK)
        self._records = iter(block)
        return next(self._records)


@export(v1=["train.summary_iterator"])
def summary_iterator(path: object) -> Iterator[Any]:
    """Returns an iterator over the events of an event file.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> writer = tf.summary.create_file_writer(folder)
    >>> with writer.as_default(step=7):
    ...     _ = tf.summary.scalar("loss", 0.5)
    >>> (name,) = os.listdir(folder)
    >>> for event in tf.compat.v1.train.summary_iterator(os.path.join(folder, name)):
    ...     print(event.step, [value.tag for value in event.summary.value])
    0 []
    7 ['loss']

    Args: path: the name of the file.
    Returns: An iterator over `tf.compat.v1.Event`s.
    Raises: tf.errors.OpError: if the file cannot be read, when the first event is asked for.
    """
    for record in tf_record_iterator(path):
        yield event_pb2.Event.FromString(record)
