"""`tf.compat.v1.train.summary_iterator`: the events of a file, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from millrace._src.ops.io.record_writer import tf_record_iterator
from millrace._src.proto import event_pb2
from millrace._src.util.export import export


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
