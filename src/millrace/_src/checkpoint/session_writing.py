"""Checkpoints of objects in a graph of TensorFlow 1: a session has the values and writes them.

Problem: a program saves again and again, and each operation that is added to the graph stays there.

Idea: the operations that write are kept with the objects that they read. As long as the same objects lead to each
other under the same names, the operations are run again with another path.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from millrace._src.checkpoint.object_graph import ObjectGraphView, serialize_object_graph
from millrace._src.checkpoint.options import CheckpointOptions
from millrace._src.checkpoint.supplementary_graph import with_supplement
from millrace._src.checkpoint.value_writing import shards_to_write, write_in_graph
from millrace._src.core.context import in_plain_graph, state
from millrace._src.core.default_session import default_session
from millrace._src.core.dtypes import string
from millrace._src.ops import raw
from millrace._src.ops.io import gfile
from millrace._src.ops.io.file_names import directory_name
from millrace._src.util.logger import get_logger


@dataclass(frozen=True)
class _WriteOperations:
    """The operations that write some objects.

    Attributes:
      graph: the graph of the operations.
      nodes: the objects.
      edges: the names and numbers of the children of each object.
      options: what the operations depend on besides.
      prefix: takes what the names of the files begin with.
      written: has the prefix once the files are there.
    """

    graph: Any
    nodes: list[Any]
    edges: list[list[tuple[str, int]]]
    options: tuple[Any, ...]
    prefix: Any
    written: Any

    def writes(self, view: ObjectGraphView, options: CheckpointOptions) -> bool:
        """Returns whether the operations write the objects of a view."""
        nodes = view.nodes()
        return (
            self.graph is state.graph
            and self.options == _relevant(options)
            and len(nodes) == len(self.nodes)
            and all(one is other for one, other in zip(nodes, self.nodes, strict=True))
            and self.edges == _edges(view)
        )


def _edges(view: ObjectGraphView) -> list[list[tuple[str, int]]]:
    return [view.number_children(node_id) for node_id in range(len(view.nodes()))]


def _relevant(options: CheckpointOptions) -> tuple[Any, ...]:
    return options.experimental_io_device, options.experimental_sharding_callback


class SessionWriter:
    """Writes the objects below a root, with the values of a session."""

    def __init__(self) -> None:
        self._write_operations: _WriteOperations | None = None
        self._counting: tuple[Any, Any, Any] | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> SessionWriter:
        """Returns a writer without operations: the copy of a checkpoint has other variables."""
        return SessionWriter()

    def next_number(self, counter: Any, session: Any) -> int:
        """Adds one to a counter and returns it; a counter without a value in the session begins at its initial one."""
        if self._counting is None or self._counting[0] is not counter:
            self._counting = counter, counter.is_initialized(), counter.assign_add(1)
        _, is_initialized, increment = self._counting
        if not session.run(is_initialized):
            session.run(counter.initializer)
        return int(session.run(increment))

    def write(self, view: ObjectGraphView, prefix: str, options: CheckpointOptions, session: Any) -> str:
        """Writes a checkpoint, and returns what the names of its files begin with.

        Args:
          view: the objects.
          prefix: what the names of the files begin with.
          options: the options of the call.
          session: the session that has the values.

        Raises: tf.errors.FailedPreconditionError: if a variable has no value in the session.
        """
        if options.enable_async:
            get_logger().warning(
                "Saving async checkpoint in graph mode is currently not supported; switching to regular sync "
                "checkpoint instead."
            )
        if self._write_operations is None or not self._write_operations.writes(view, options):
            self._write_operations = _add_operations(view, options)
        operations = self._write_operations
        gfile.makedirs(directory_name(prefix) or ".")
        return str(session.run(operations.written, {operations.prefix: prefix}).decode())


def _add_operations(view: ObjectGraphView, options: CheckpointOptions) -> _WriteOperations:
    saved_graph = with_supplement(serialize_object_graph(view), view)
    prefix = raw.Placeholder(dtype=string, shape=[])
    written = write_in_graph(shards_to_write(saved_graph, options), prefix, options)
    return _WriteOperations(state.graph, list(view.nodes()), _edges(view), _relevant(options), prefix, written)


def session_for(session: object, prefix: object) -> Any:
    """Returns the session that has the values: the one that is given, or the default session.

    Raises: RuntimeError: if there is none.
    """
    chosen = default_session() if session is None else session
    if chosen is None:
        raise RuntimeError(
            f'Unable to save checkpoint to "{prefix}" in graph mode without a default session. Please use '
            "`with tf.Session():` to create a session."
        )
    return chosen


def evaluate(value: Any, session: Any = None) -> Any:
    """Returns the value of a tensor or variable of a plain graph in a session; of an eager one the value itself.

    Args:
      value: the tensor or variable.
      session: the session; None for the default session.

    Raises: ValueError: if there is no session.
    """
    return value.eval(session=session) if in_plain_graph() else value.numpy()
