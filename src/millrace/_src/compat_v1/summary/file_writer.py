"""`tf.compat.v1.summary.FileWriter`: a writer that is given summaries, graphs and other events as messages.

No thread runs: an event waits in memory until there are more than `max_queue`, or the first one has waited for
`flush_secs`. With a session, events go through operations of the session's graph, and the file is made where it runs.
"""

from __future__ import annotations

import time
import warnings
from typing import Any, Protocol

from google.protobuf.message import Message

from millrace._src.core import context
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import string
from millrace._src.graph.graph import Graph
from millrace._src.graph.op_def_proto import op_def_to_proto
from millrace._src.graph.opaque_ops import find_op
from millrace._src.graph.scopes import control_dependencies
from millrace._src.ops import raw
from millrace._src.ops.io.file_names import file_name
from millrace._src.ops.io.gfile import makedirs
from millrace._src.proto import event_pb2, graph_pb2, meta_graph_pb2, summary_pb2
from millrace._src.summary.event_file import EventFile, host_name
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger
from millrace._src.util.version import TENSORFLOW_VERSION, __version__

_CLOSED = (
    "Attempting to use a closed FileWriter. The operation will be a noop unless the FileWriter is explicitly reopened."
)
_NO_GRAPH = "The passed graph must be an instance of `Graph` or the deprecated `GraphDef`"


class EventWriter(Protocol):
    """Where the events of a `FileWriter` go."""

    def get_logdir(self) -> str:
        """Returns the folder."""

    def add_event(self, event: object) -> None:
        """Adds an event."""

    def flush(self) -> None:
        """Writes the events that wait."""

    def close(self) -> None:
        """Writes the events that wait and closes the file."""

    def reopen(self) -> None:
        """Begins another file."""


class _FileEvents:
    """Events that go to a file of this process."""

    def __init__(self, logdir: str, max_queue: int, flush_secs: float, suffix: str) -> None:
        self._logdir = logdir
        makedirs(logdir)
        self._file = EventFile(logdir, host_name, suffix, max_queue, int(flush_secs * 1000))

    def get_logdir(self) -> str:
        return self._logdir

    def add_event(self, event: Any) -> None:
        self._file.add(event.SerializeToString(), self._file.now())

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def reopen(self) -> None:
        """Does nothing: the next event begins another file."""


class _SessionEvents:
    """Events that go through operations of the graph of a session."""

    def __init__(self, session: Any, logdir: str, max_queue: int, flush_secs: float, suffix: str) -> None:
        self._session = session
        self._logdir = logdir
        millis = int(flush_secs * 1000)
        with session.graph.as_default(), context.name_scope("filewriter"):
            suffix_tensor = convert_to_tensor(suffix, string)
            self._writer = raw.SummaryWriter(shared_name=f"{logdir}{suffix}")
            self._open = raw.CreateSummaryFileWriter(
                writer=self._writer,
                logdir=logdir,
                max_queue=max_queue,
                flush_millis=millis,
                filename_suffix=suffix_tensor,
            )
            default = convert_to_tensor(b"", string)
            self._event = raw.PlaceholderWithDefault(input=default, shape=[])
            self._add = raw.ImportEvent(writer=self._writer, event=self._event)
            self._flush = raw.FlushSummaryWriter(writer=self._writer)
            with control_dependencies([raw.FlushSummaryWriter(writer=self._writer)]):
                self._close = raw.CloseSummaryWriter(writer=self._writer)
        session.run(self._open)

    def get_logdir(self) -> str:
        return self._logdir

    def add_event(self, event: Any) -> None:
        self._session.run(self._add, feed_dict={self._event: event.SerializeToString()})

    def flush(self) -> None:
        self._session.run(self._flush)

    def close(self) -> None:
        self._session.run(self._close)

    def reopen(self) -> None:
        self._session.run(self._open)


@export(v1=["summary.FileWriter"])
class FileWriter:
    """A writer of event files, which is given summaries as messages; `tf.summary.create_file_writer` is its successor.

    >>> import tempfile
    >>> with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
    ...     loss = tf.compat.v1.summary.scalar("loss", tf.constant(0.5))
    ...     with tf.compat.v1.summary.FileWriter(tempfile.mkdtemp(), graph) as writer:
    ...         writer.add_summary(session.run(loss), global_step=1)

    Args:
      logdir: the folder of the file, which is made if there is none.
      graph: a graph to write first; None for none.
      max_queue: how many events wait in memory at most.
      flush_secs: after how many seconds the next event lets all events be written.
      graph_def: a graph as a message, instead of `graph`; deprecated.
      filename_suffix: the end of the file's name; nothing for None.
      session: a session through which events are written; None for none.

    Raises:
      RuntimeError: in eager mode.
      ValueError: if both `graph` and `graph_def` are given.
      tf.errors.OpError: if the folder cannot be made.
    """

    def __init__(
        self,
        logdir: object,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: object = None,
    ) -> None:
        if context.executing_eagerly():
            raise RuntimeError(
                "v1.summary.FileWriter is not compatible with eager execution. Use `tf.summary.create_file_writer`,"
                "or a `with v1.Graph().as_default():` context"
            )
        name, suffix = file_name(logdir), filename_suffix or ""
        self.event_writer: EventWriter
        if session is None:
            self.event_writer = _FileEvents(name, max_queue, flush_secs, suffix)
        else:
            self.event_writer = _SessionEvents(session, name, max_queue, flush_secs, suffix or ".v2")
        self._is_closed = False
        self._run_tags: set[str] = set()
        self._described_tags: set[str] = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)
            message = graph.as_graph_def(add_shapes=True) if graph is not None else graph_def
            self.add_meta_graph(_meta_graph(message))

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, unused_type: object, unused_value: object, unused_traceback: object) -> None:
        self.close()

    def get_logdir(self) -> str:
        """Returns the folder of the file."""
        return self.event_writer.get_logdir()

    def add_summary(self, summary: Any, global_step: object = None) -> None:
        """Adds a summary.

        Args:
          summary: a `tf.compat.v1.Summary`, serialized or not.
          global_step: the step; None for none.

        Raises: DecodeError: if a serialized summary is damaged.
        """
        if isinstance(summary, Message) and not isinstance(summary, summary_pb2.Summary):
            summary = summary.SerializeToString()  # of TensorBoard's own class
        message = summary_pb2.Summary.FromString(summary) if isinstance(summary, bytes) else summary
        event = event_pb2.Event(
            summary=summary_pb2.Summary(value=[self._drop_repeated_metadata(v) for v in message.value])
        )
        self._add(event, global_step)

    def _drop_repeated_metadata(self, value: Any) -> Any:
        """Returns the value of a summary, without its metadata if earlier values of the tag had metadata."""
        if not value.HasField("metadata"):
            return value
        if value.tag not in self._described_tags:
            self._described_tags.add(value.tag)
            return value
        bare = summary_pb2.Summary.Value()
        bare.CopyFrom(value)
        bare.ClearField("metadata")
        return bare

    def add_graph(self, graph: object, global_step: object = None, graph_def: object = None) -> None:
        """Adds a graph.

        Args:
          graph: a `tf.Graph`.
          global_step: the step; None for none.
          graph_def: a `tf.compat.v1.GraphDef` instead of `graph`; deprecated.

        Raises: ValueError: if both are given; TypeError: if the graph is something else.
        """
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        if isinstance(graph, Graph):
            message = graph.as_graph_def(add_shapes=True)
        elif isinstance(graph, graph_pb2.GraphDef) or isinstance(graph_def, graph_pb2.GraphDef):
            get_logger().warning(
                "Passing a `GraphDef` to the SummaryWriter is deprecated. Pass a `Graph` object instead, such as "
                "`sess.graph`."
            )
            message = graph if graph is not None else graph_def
        else:
            raise TypeError(_NO_GRAPH)
        self._add(event_pb2.Event(graph_def=message.SerializeToString()), global_step)

    def add_meta_graph(self, meta_graph_def: object, global_step: object = None) -> None:
        """Adds a graph with what belongs to it.

        Args:
          meta_graph_def: a `tf.compat.v1.MetaGraphDef`.
          global_step: the step; None for none.

        Raises: TypeError: if `meta_graph_def` is something else.
        """
        if not isinstance(meta_graph_def, meta_graph_pb2.MetaGraphDef):
            raise TypeError(f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}")
        self._add(event_pb2.Event(meta_graph_def=meta_graph_def.SerializeToString()), global_step)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: object = None) -> None:
        """Adds what a session noted of a run: times, memory, graphs.

        Args:
          run_metadata: a `tf.compat.v1.RunMetadata`.
          tag: the name of the run, given once.
          global_step: the step; None for none.

        Raises: ValueError: if the tag was given before.
        """
        if tag in self._run_tags:
            raise ValueError("The provided tag was already used for this event type")
        self._run_tags.add(tag)
        tagged = event_pb2.TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._add(event_pb2.Event(tagged_run_metadata=tagged), global_step)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Adds that a session started or stopped.

        Args:
          session_log: a `tf.compat.v1.SessionLog`.
          global_step: the step; None for none.
        """
        self._add(event_pb2.Event(session_log=session_log), global_step)

    def _add(self, event: Any, global_step: Any) -> None:
        event.wall_time = time.time()
        if global_step is not None:
            event.step = int(global_step)
        self.add_event(event)

    def add_event(self, event: object) -> None:
        """Adds an event as it is.

        Args: event: a `tf.compat.v1.Event`.
        Raises: TypeError: if `event` is something else.
        """
        if not isinstance(event, event_pb2.Event):
            raise TypeError(f"{type(event)} is not a valid proto: an Event is expected.")
        if self._warn_if_closed():
            self.event_writer.add_event(event)

    def flush(self) -> None:
        """Writes the events that wait."""
        if self._warn_if_closed():
            self.event_writer.flush()

    def close(self) -> None:
        """Writes the events that wait and closes the file."""
        if not self._is_closed:
            self.event_writer.flush()
            self.event_writer.close()
            self._is_closed = True

    def reopen(self) -> None:
        """Lets a closed writer begin another file; does nothing with an open one."""
        if self._is_closed:
            self.event_writer.reopen()
            self._is_closed = False

    def _warn_if_closed(self) -> bool:
        """Returns whether the writer is open; warns if not."""
        if self._is_closed:
            warnings.warn(_CLOSED, stacklevel=3)
        return not self._is_closed


def _meta_graph(graph_def: Any) -> Any:
    """Returns a graph as a message with the declarations of its ops."""
    bodies = [graph_def.node, *(function.node_def for function in graph_def.library.function)]
    names = sorted({node.op for nodes in bodies for node in nodes})
    functions = {function.signature.name for function in graph_def.library.function}
    meta_graph = meta_graph_pb2.MetaGraphDef(graph_def=graph_def)
    facts = meta_graph.meta_info_def
    facts.stripped_op_list.op.extend(op_def_to_proto(find_op(name)) for name in names if name not in functions)
    facts.tensorflow_version = TENSORFLOW_VERSION
    facts.tensorflow_git_version = f"millrace {__version__}"
    return meta_graph


@export(v1=["summary.FileWriterCache"])
class FileWriterCache:
    """The writers of folders, one for each.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.Graph().as_default():
    ...     writer = tf.compat.v1.summary.FileWriterCache.get(folder)
    ...     writer is tf.compat.v1.summary.FileWriterCache.get(folder)
    True
    >>> tf.compat.v1.summary.FileWriterCache.clear()
    """

    _cache: dict[str, FileWriter] = {}

    @staticmethod
    def clear() -> None:
        """Writes what waits in all writers, and forgets the writers."""
        for writer in FileWriterCache._cache.values():
            writer.close()
        FileWriterCache._cache.clear()

    @staticmethod
    def get(logdir: str) -> FileWriter:
        """Returns the writer of a folder.

        Args: logdir: the folder.
        """
        if logdir not in FileWriterCache._cache:
            FileWriterCache._cache[logdir] = FileWriter(logdir, graph=context.current_graph())
        return FileWriterCache._cache[logdir]
