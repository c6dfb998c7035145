"""All summaries of a graph as one, and what a graph knows of its summaries."""

from __future__ import annotations

import json
from typing import Any

from google.protobuf import json_format

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.core import context
from millrace._src.core.default_session import default_session
from millrace._src.graph.graph import Graph
from millrace._src.ops import raw
from millrace._src.proto import summary_pb2
from millrace._src.summary.recording import recording
from millrace._src.summary.writers import INIT_COLLECTION
from millrace._src.summary.writing import COLLECTION
from millrace._src.util.export import export


def _refuse_eager_mode() -> None:
    if context.executing_eagerly():
        raise RuntimeError(
            "Merging tf.summary.* ops is not compatible with eager execution. Use tf.contrib.summary instead."
        )


@export(v1=["summary.merge"])
def merge(inputs: object, collections: Any = None, name: str | None = None) -> Any:
    """Returns several summaries as one.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     both = [tf.compat.v1.summary.scalar(name, 1.0) for name in ("a", "b")]
    ...     text = session.run(tf.compat.v1.summary.merge(both))
    >>> [value.tag for value in tf.compat.v1.Summary.FromString(text).value]
    ['a', 'b']

    Args:
      inputs: a list of serialized summaries.
      collections: the collections of the graph that get the result; none for None.
      name: the name of the scope of the operation.

    Returns: A serialized `tf.compat.v1.Summary`, a string scalar.
    Raises: RuntimeError: in eager mode.
    """
    _refuse_eager_mode()
    with context.name_scope(name, "Merge"):
        if not isinstance(inputs, (list, tuple)):
            raise TypeError(f"Expected list for 'inputs' argument to 'merge_summary' Op, not {inputs!r}.")
        if not inputs:
            raise ValueError("List argument 'inputs' to 'MergeSummary' Op with length 0 shorter than minimum length 1.")
        merged = raw.MergeSummary(inputs=list(inputs), name=name)
    for key in collections or ():
        context.state.graph.add_to_collection(key, merged)
    return merged


@export(v1=["summary.merge_all"])
def merge_all(key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None) -> Any:
    """Returns all summaries of the default graph as one.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.summary.merge_all() is None
    True

    Args:
      key: the collection that holds the summaries.
      scope: the beginning of the names of the summaries to merge; None for all.
      name: the name of the scope of the operation.

    Returns: A serialized `tf.compat.v1.Summary`, a string scalar; None if there are no summaries.
    Raises: RuntimeError: in eager mode.
    """
    _refuse_eager_mode()
    summaries = get_default_graph().get_collection(key, scope)
    return merge(summaries, name=name) if summaries else None


@export(v1=["summary.get_summary_description"])
def get_summary_description(node_def: Any) -> Any:
    """Returns the description that a node of a `TensorSummary` holds.

    >>> node = tf.compat.v1.NodeDef(op="TensorSummary")
    >>> node.attr["description"].s = b'{"type_hint": "loss"}'
    >>> tf.compat.v1.summary.get_summary_description(node).type_hint
    'loss'

    Args: node_def: a `tf.compat.v1.NodeDef`.
    Returns: A `tf.compat.v1.summary.SummaryDescription`.
    Raises: ValueError: if the node is another op.
    """
    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    description = json.loads(node_def.attr["description"].s.decode() or "{}")
    return json_format.ParseDict(description, summary_pb2.SummaryDescription())


@export(v1=["summary.all_v2_summary_ops"])
def all_v2_summary_ops() -> Any:
    """Returns the operations of all summaries that `tf.summary` added to the default graph; None in eager mode.

    >>> tf.compat.v1.summary.all_v2_summary_ops()
    """
    return None if context.executing_eagerly() else get_default_graph().get_collection(COLLECTION)


@export(v1=["summary.initialize"])
def initialize(graph: Graph | None = None, session: Any = None) -> None:
    """Opens the files of the writers of `tf.summary` in a graph; does nothing in eager mode.

    >>> tf.compat.v1.summary.initialize()

    Args:
      graph: a graph to write to the writer in force; None for none.
      session: the session that opens the files; the default session if None.

    Raises:
      RuntimeError: if no writer is in force.
      ValueError: if there is no session, or `graph` is not a graph.
    """
    if context.executing_eagerly():
        return
    if recording.writer is None:
        raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
    session = default_session() if session is None else session
    if session is None:
        raise ValueError("Argument `session must be passed if no default session exists")
    session.run(get_default_graph().get_collection(INIT_COLLECTION))
    if graph is not None:
        if not isinstance(graph, Graph):
            raise ValueError(f"Argument 'graph_data' is not tf.Graph: {graph}")
        data = graph.as_graph_def(add_shapes=True).SerializeToString()
        written = raw.WriteGraphSummary(writer=recording.writer._resource, step=0, tensor=data)
        session.run(written)
