"""Reading a `MetaGraphDef` into the current graph: its nodes, and its collections.

Variables, queue runners and whatever else is an object in a collection come back as objects; see `collection_defs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError

from millrace._src.compat_v1.saved_model.collection_defs import read_collection
from millrace._src.compat_v1.saved_model.meta_graphs import UNBOUND_INPUTS
from millrace._src.graph.import_graph_def import import_graph_def
from millrace._src.graph.scopes import get_default_graph
from millrace._src.ops.io import gfile
from millrace._src.ops.io.file_names import file_name
from millrace._src.ops.io.file_systems import content_of
from millrace._src.proto import meta_graph_pb2


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
                "Graph contains unbound inputs. Must provide these inputs through input_map. Unbound inputs: "
                f"{', '.join(missing)}."
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
        for key in sorted(meta_graph.collection_def):
            if key != UNBOUND_INPUTS:
                read_collection(graph, key, meta_graph.collection_def[key], scope)
    return scope, found
