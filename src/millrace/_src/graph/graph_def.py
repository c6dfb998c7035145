"""Graphs on the wire: `tf.Graph` as a `GraphDef`, and as a file.

A `GraphDef` holds the graph's nodes, the functions that the nodes call, and the versions of the program that wrote the
graph. Reading a `GraphDef` is `import_graph_def`; the version rules of both directions are here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from millrace._src.core.op_registry import late_bound
from millrace._src.graph.function_def import collect_functions, function_to_function_def
from millrace._src.graph.message_bytes import encode_message
from millrace._src.graph.node_def import NodeStyle, encode_node
from millrace._src.graph.operation import Operation
from millrace._src.proto import graph_pb2, node_def_pb2, versions_pb2
from millrace._src.util.export import export

if TYPE_CHECKING:
    from millrace._src.graph.graph import Graph

PRODUCER = 2474
"""The GraphDef version of TensorFlow 2.21, which the files written here follow."""
MIN_CONSUMER_OF_FUNCTIONS = 12
"""Readers older than this do not know functions."""


@late_bound("node_def")
def node_def_of(operation: Operation) -> node_def_pb2.NodeDef:
    """Returns the `NodeDef` of an operation."""
    return encode_node(operation)


@late_bound("graph_def")
def graph_to_graph_def(
    graph: Graph,
    from_version: int | None = None,
    add_shapes: bool = False,
    style: NodeStyle | None = None,
    functions: Iterable[Any] | None = None,
) -> graph_pb2.GraphDef:
    """Writes a graph as a `GraphDef`.

    Args:
      graph: a `Graph`; the placeholders of a `FuncGraph` are nodes like any other.
      from_version: only the operations added since the graph had this `version`.
      add_shapes: adds an `_output_shapes` attribute to each node, also in functions.
      style: how nodes are written; by default only as `add_shapes` says.
      functions: the functions to write; by default those that the graph holds or calls.

    Raises:
      TypeError: if a node has an attribute that cannot be written.
      ValueError: if a constant is 2 GB or larger.
    """
    style = NodeStyle(add_shapes) if style is None else style
    proto = graph_pb2.GraphDef()
    for operation in graph.get_operations()[from_version or 0 :]:
        proto.node.append(encode_node(operation, style=style))
    for function in collect_functions(graph).values() if functions is None else functions:
        proto.library.function.append(function_to_function_def(function, style=style))
    proto.versions.CopyFrom(versions_of(graph))
    if proto.library.function:
        proto.versions.min_consumer = max(proto.versions.min_consumer, MIN_CONSUMER_OF_FUNCTIONS)
    return proto


# --- versions ----------------------------------------------------------------------------------------------------


@late_bound("graph_def_versions")
def versions_of(graph: Graph) -> versions_pb2.VersionDef:
    """Returns the versions of a graph: this program's, lowered by the versions of imported graphs."""
    stored_versions = vars(graph).get("_versions")
    versions = versions_pb2.VersionDef()
    if stored_versions is None:
        versions.producer = PRODUCER
    else:
        versions.CopyFrom(stored_versions)
    return versions


def merge_versions(graph: Any, imported: Any) -> None:
    """Notes the versions of a `GraphDef` that is added to `graph`.

    Raises: as `check_versions`.
    """
    check_versions(imported)
    versions = versions_of(graph)
    versions.producer = min(versions.producer, imported.producer)
    versions.min_consumer = max(versions.min_consumer, imported.min_consumer)
    versions.bad_consumers.extend(sorted(set(imported.bad_consumers) - set(versions.bad_consumers)))
    graph._versions = versions


def check_versions(imported: Any) -> None:
    """Refuses a graph whose versions exclude this reader.

    Raises: ValueError: if `imported` asks for readers newer than TensorFlow 2.21, or refuses this reader.
    """
    if imported.min_consumer > PRODUCER:
        raise ValueError(
            f"GraphDef min consumer version {imported.min_consumer} above current version {PRODUCER} for TensorFlow "
            "2.21.0.  Please upgrade TensorFlow."
        )
    if PRODUCER in imported.bad_consumers:
        raise ValueError(
            f"GraphDef disallows consumer version {PRODUCER}.  Please upgrade TensorFlow: this version is likely buggy."
        )


# --- files -------------------------------------------------------------------------------------------------------


@export("io.write_graph", "compat.v1.train.write_graph")
def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Writes a graph to a file.

    >>> import pathlib, tempfile
    >>> g = tf.Graph()
    >>> with g.as_default():
    ...     c = tf.constant(1.0)
    >>> path = tf.io.write_graph(g, tempfile.mkdtemp(), "graph.pbtxt")
    >>> pathlib.Path(path).read_text().splitlines()[0]
    'node {'

    Args:
        graph_or_graph_def: a `tf.Graph` or a `GraphDef`.
        logdir: the folder; made if there is none.
        name: the file's name within the folder.
        as_text: whether to write protobuf's text form rather than its binary one.

    Returns:
        The path of the file.
    """
    is_graph = hasattr(graph_or_graph_def, "as_graph_def")
    proto = graph_or_graph_def.as_graph_def() if is_graph else graph_or_graph_def
    path = Path(os.fsdecode(logdir)) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    data = encode_message(proto, as_text)
    part = path.with_name(path.name + ".part")
    part.write_bytes(data)
    part.replace(path)
    return str(path)
