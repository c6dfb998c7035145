"""`tf.summary.SummaryWriter`: where summaries go.

A writer holds the handle of a resource, which the ops of summaries take. In eager mode its file is open at once. In a
graph of TensorFlow 1 the file is opened by an operation, which `init` returns for a session to run.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32, string
from millrace._src.graph.func_graph import init_scope
from millrace._src.graph.scopes import control_dependencies, device
from millrace._src.state.resource import TrackableResource
from millrace._src.summary import writer_ops
from millrace._src.summary.recording import recording
from millrace._src.util.export import export

INIT_COLLECTION = "_SUMMARY_WRITER_V2"
"""The collection of a graph that holds the operations that open files."""
_CPU = "cpu:0"
_MAX_QUEUE = 10
_FLUSH_MILLIS = 2 * 60 * 1000
_SUFFIX = ".v2"


@export("summary.SummaryWriter", v1=[])
class SummaryWriter:
    """A writer of summaries; make one by `tf.summary.create_file_writer`.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> writer = tf.summary.create_file_writer(folder)
    >>> with writer.as_default():
    ...     for step in range(3):
    ...         _ = tf.summary.scalar("loss", 1.0 / (step + 1), step=step)
    >>> writer.close()
    >>> len(os.listdir(folder))
    1
    """

    def set_as_default(self, step: TensorLike | None = None) -> None:
        """Lets summaries of this thread go to the writer from now on.

        Args: step: the step of summaries that state none; None leaves the step as it is.
        Raises: RuntimeError: if the writer is closed.
        """
        recording.writer = self
        if step is not None:
            recording.step = step

    def as_default(self, step: TensorLike | None = None) -> contextlib.AbstractContextManager[Any]:
        """Returns a scope in which summaries of this thread go to the writer, and which flushes the writer at its end.

        Args: step: the step, within the scope, of summaries that state none; None leaves the step as it is.
        Raises: RuntimeError: if the writer is closed.
        """
        return _in_force(self, step)

    def init(self) -> Any:
        """Returns the operation that opens the file, in a graph; in eager mode there is nothing to do."""
        raise NotImplementedError()

    def flush(self) -> Any:
        """Writes the events that wait; returns the operation in a graph."""
        raise NotImplementedError()

    def close(self) -> Any:
        """Writes the events that wait and closes the writer; returns the operation in a graph."""
        raise NotImplementedError()


@contextlib.contextmanager
def _in_force(writer: SummaryWriter, step: object) -> Iterator[SummaryWriter]:
    """Lets summaries of this thread go to a writer, and flushes the writer at the end."""
    outer = recording.writer, recording.step
    recording.writer = writer
    if step is not None:
        recording.step = step
    try:
        yield writer
        writer.flush()
    finally:
        recording.writer, recording.step = outer


class _NoopSummaryWriter(SummaryWriter):
    """A writer of nothing: the writer in force stays in force."""

    def set_as_default(self, step: object = None) -> None:
        """Does nothing."""

    def as_default(self, step: object = None) -> contextlib.AbstractContextManager[Any]:
        """Returns a scope that changes nothing."""
        return contextlib.nullcontext()

    def init(self) -> None:
        """Does nothing."""

    def flush(self) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""


class _ResourceSummaryWriter(SummaryWriter):
    """A writer of event files.

    Args:
      create: makes the resource; returns its handle.
      open_file: opens the file of a handle; returns the operation in a graph.
    """

    def __init__(self, create: Callable[[], Any], open_file: Callable[[Any], Any]) -> None:
        self._resource = create()
        self._init_op = open_file(self._resource)
        self._closed = False
        if state.graph is not None:
            state.graph.add_to_collection(INIT_COLLECTION, self._init_op)

    def _refuse_closed(self) -> None:
        if state.graph is None and self._closed:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")

    def set_as_default(self, step: Any = None) -> None:
        """Lets summaries of this thread go to the writer from now on."""
        self._refuse_closed()
        super().set_as_default(step)

    def as_default(self, step: Any = None) -> contextlib.AbstractContextManager[Any]:
        """Returns a scope in which summaries of this thread go to the writer."""
        self._refuse_closed()
        return super().as_default(step)

    def init(self) -> Any:
        """Returns the operation that opens the file, in a graph."""
        self._refuse_closed()
        return self._init_op

    def flush(self) -> Any:
        """Writes the events that wait."""
        if state.graph is None and self._closed:
            return None
        with device(_CPU):
            return writer_ops.flush_summary_writer(self._resource)

    def close(self) -> Any:
        """Writes the events that wait and closes the file."""
        if state.graph is None and self._closed:
            return None
        flushed = self.flush()
        with control_dependencies([flushed] if flushed is not None else []), device(_CPU):
            closed = writer_ops.close_summary_writer(self._resource)
        if state.graph is None:
            self._closed = True
        return closed


class _TrackableResourceSummaryWriter(_ResourceSummaryWriter, TrackableResource):
    """A writer that a SavedModel makes again, so that functions of the model that write summaries can be saved."""

    def __init__(self, create: Callable[[], Any], open_file: Callable[[Any], Any]) -> None:
        TrackableResource.__init__(self, device="/CPU:0")
        self._create_function, self._open_function = create, open_file
        self._closed = False
        self._resource = self.resource_handle
        self._init_op = self._initialize()

    def _create_resource(self) -> Any:
        return self._create_function()

    def _initialize(self) -> Any:
        return self._open_function(self.resource_handle)

    def _destroy_resource(self) -> None:
        writer_ops.close_summary_writer(self.resource_handle)  # quiet where the file was never opened


@export("summary.create_noop_writer", v1=[])
def create_noop_writer() -> SummaryWriter:
    """Returns a writer that does nothing, for programs that need a writer.

    >>> with tf.summary.create_noop_writer().as_default():
    ...     tf.summary.scalar("loss", 1.0, step=1).numpy()
    np.False_
    """
    return _NoopSummaryWriter()


@export("summary.create_file_writer", v1=[])
def create_file_writer(
    logdir: Any,
    max_queue: object = None,
    flush_millis: object = None,
    filename_suffix: object = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: object = None,
) -> SummaryWriter:
    """Creates a writer of an event file, which TensorBoard reads.

    >>> import tempfile
    >>> writer = tf.summary.create_file_writer(tempfile.mkdtemp())
    >>> with writer.as_default(step=7):
    ...     tf.summary.scalar("accuracy", 0.9).numpy()
    np.True_
    >>> writer.close()

    Args:
      logdir: the folder of the file, a name or a path object; it is made if there is none.
      max_queue: how many events wait in memory at most; 10 for None.
      flush_millis: after how many milliseconds the next event lets all events be written; two minutes for None.
      filename_suffix: the end of the file's name; ".v2" for None.
      name: the name of the writer in a graph; writers of one name in a session are one writer.
      experimental_trackable: whether a SavedModel can hold the writer.
      experimental_mesh: a mesh of DTensor; only None is supported.

    Returns: A `SummaryWriter`.
    Raises:
      ValueError: if `logdir` is None.
      NotImplementedError: for a mesh.
      tf.errors.OpError: if the file cannot be made.
    """
    if logdir is None:
        raise ValueError("Argument `logdir` cannot be None")
    if experimental_mesh is not None:
        raise NotImplementedError("tf.summary.create_file_writer: `experimental_mesh` is not supported.")
    kind = _TrackableResourceSummaryWriter if experimental_trackable else _ResourceSummaryWriter
    with init_scope(), name_scope("create_file_writer"), device(_CPU):
        values = [
            convert_to_tensor(os.fspath(logdir) if isinstance(logdir, os.PathLike) else logdir, string),
            convert_to_tensor(_MAX_QUEUE if max_queue is None else max_queue, int32),
            convert_to_tensor(_FLUSH_MILLIS if flush_millis is None else flush_millis, int32),
            convert_to_tensor(_SUFFIX if filename_suffix is None else filename_suffix, string),
        ]
        shared_name = f"logdir:{logdir}" if name is None else name
        return kind(
            lambda: _new_resource("" if state.graph is None else shared_name),
            lambda handle: writer_ops.create_summary_file_writer(handle, *values),
        )


def _new_resource(shared_name: str) -> Any:
    return writer_ops.summary_writer(shared_name=shared_name)


@export("summary.flush", v1=[])
def flush(writer: object = None, name: str | None = None) -> Any:
    """Writes the events that wait in a writer.

    >>> tf.summary.flush()  # no writer is in force

    Args:
      writer: the writer; None for the one in force, if there is one.
      name: not used.

    Returns: None in eager mode; the operation in a graph.
    Raises: ValueError: if `writer` is not a writer.
    """
    del name
    chosen = recording.writer if writer is None else writer
    if chosen is None:
        return None
    if isinstance(chosen, SummaryWriter):
        return chosen.flush()
    raise ValueError(f"Invalid argument to flush(): {chosen!r}")
