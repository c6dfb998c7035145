"""Reading a `MetaGraphDef` into the current graph: its nodes, and its collections.

Variables, queue runners and whatever else is an object in a collection come back as objects; see `collection_defs`.

Tests: tests/compat_v1/saved_model/test_meta_graphs.py
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.saved_model.collection_defs import read_collection
from millrace._src.compat_v1.saved_model.meta_graphs import UNBOUND_INPUTS
from millrace._src.compat_v1.train.saver import Saver
from millrace._src.compat_v1.variables.collections import global_variables
from millrace._src.core.context import executing_eagerly
from millrace._src.graph.import_graph_def import import_graph_def
from millrace._src.ops.io import gfile
from millrace._src.ops.io.file_names import file_name
from millrace._src.ops.io.file_systems import content_of
from millrace._src.proto import meta_graph_pb2
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger


def read_meta_graph(source: Any) -> Any:
    """Returns the `MetaGraphDef` of a file, binary or text; a message is returned as it is.

    Raises:
      OSError: if there is no such file, or the file holds no `MetaGraphDef`.
      TypeError: if `source` is neither a message nor the name of a file.
    """
    if getattr(getattr(source, "DESCRIPTOR", None), "name", None) == "MetaGraphDef":
        own = meta_graph_pb2.MetaGraphDef()
        own.ParseFromString(source.SerializeToString())
        return own
    name = file_name(source)
    if not gfile.exists(name):
        raise OSError(f"File does not exist. Received: {name}.")
    content = content_of(name)
    message = meta_graph_pb2.MetaGraphDef()
    try:
        message.ParseFromString(content)
        return message
    except DecodeError:
        pass
    try:
        return text_format.Parse(content.decode(), meta_graph_pb2.MetaGraphDef())
    except (UnicodeDecodeError, text_format.ParseError) as error:
        raise OSError(f"Cannot parse file {name}: {error}.") from None


def import_nodes_and_collections(
    meta_graph: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    input_map: Mapping[str, Any] | None = None,
    return_elements: Any = None,
) -> tuple[str, Any]:
    """Adds the nodes and collections of a `MetaGraphDef` to the current graph.

    Args:
      meta_graph: the message.
      clear_devices: whether the devices of the nodes are forgotten.
      import_scope: the name scope of the nodes; None for their names as they are.
      input_map: from names of tensors of the message to tensors of the graph that replace them.
      return_elements: names of operations and tensors to return.

    Returns: The name scope, which is another where the graph has one of that name; and what was asked for.
    Raises: ValueError: if inputs are unbound that `input_map` does not name.
    """
    inputs = dict(input_map or {})
    graph = get_default_graph()
    if UNBOUND_INPUTS in meta_graph.collection_def:
        names = [value.decode() for value in meta_graph.collection_def[UNBOUND_INPUTS].bytes_list.value]
        missing = sorted(set(names) - {*inputs, *(f"{key}:0" for key in inputs)})
        if missing:
            raise ValueError(
                f"Graph contains unbound inputs: {', '.join(missing)}. Must provide these inputs through input_map."
            )
    if clear_devices:
        for node in meta_graph.graph_def.node:
            node.device = ""
    scope = "" if not import_scope else graph.unique_name(import_scope, mark_as_used=False)
    with graph.as_default():
        found = import_graph_def(
            meta_graph.graph_def,
            inputs,
            return_elements,
            name=scope,
            producer_op_list=meta_graph.meta_info_def.stripped_op_list,
        )
        known: dict[Any, Any] = {}
        for key in sorted(meta_graph.collection_def):
            if key != UNBOUND_INPUTS:
                read_collection(graph, key, meta_graph.collection_def[key], scope, known)
    return scope, found


@export(v1=["train.import_meta_graph"])
def import_meta_graph(
    meta_graph_or_file: object, clear_devices: bool = False, import_scope: str | None = None, **kwargs: Any
) -> Any:
    """Adds the nodes and collections of a `MetaGraphDef` to the default graph; returns its saver.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/model.ckpt"
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     v = tf.compat.v1.get_variable("v", initializer=[1.0, 2.0])
    ...     sess.run(v.initializer)
    ...     path = tf.compat.v1.train.Saver().save(sess, path)
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     saver = tf.compat.v1.train.import_meta_graph(path + ".meta")
    ...     saver.restore(sess, path)
    ...     sess.run("v/Read/ReadVariableOp:0")
    array([1., 2.], dtype=float32)

    Args:
      meta_graph_or_file: a `MetaGraphDef`, or the name of a file with one.
      clear_devices: whether the devices of the nodes are forgotten.
      import_scope: a name scope for the nodes; None for their names as they are.
      **kwargs: `input_map`, as `tf.import_graph_def` takes it.

    Returns: A `Saver`; None if the message has none, and the graph no variables.
    Raises:
      RuntimeError: in eager mode.
      OSError: if there is no such file, or it holds no `MetaGraphDef`.
      ValueError: if the nodes do not fit the graph.
    """
    if executing_eagerly():
        raise RuntimeError(
            "Exporting/importing meta graphs is not supported when eager execution is enabled. No graph exists when "
            "eager execution is enabled."
        )
    meta_graph = read_meta_graph(meta_graph_or_file)
    scope, _ = import_nodes_and_collections(meta_graph, clear_devices, import_scope, **kwargs)
    if meta_graph.HasField("saver_def"):
        return Saver.from_proto(meta_graph.saver_def, import_scope=scope or None)
    if global_variables(scope or None):
        return Saver()
    get_logger().info("Saver not created because there are no variables in the graph to restore")
    return None
