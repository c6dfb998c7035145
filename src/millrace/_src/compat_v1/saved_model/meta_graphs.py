"""`MetaGraphDef`: a graph with its collections, its saver, and the ops that it uses.

`tf.compat.v1.train.export_meta_graph` writes one; savers write one beside each checkpoint, as `model.ckpt-10.meta`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.saved_model.collection_defs import is_in_scope, without_scope, write_collection
from millrace._src.core.context import executing_eagerly
from millrace._src.graph.graph import Graph
from millrace._src.graph.graph_def import graph_to_graph_def
from millrace._src.graph.node_def import NodeStyle
from millrace._src.ops.io.message_files import write_message
from millrace._src.proto import graph_pb2, meta_graph_pb2, saver_pb2
from millrace._src.saved_model.meta_info import state_meta_info
from millrace._src.util.export import export

UNBOUND_INPUTS = "unbound_inputs"
_UNBOUND = "$unbound_inputs_"


@export(v1=["train.export_meta_graph"])
def export_meta_graph(
    filename: object = None,
    meta_info_def: meta_graph_pb2.MetaGraphDef.MetaInfoDef | None = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Iterable[str] | None = None,
    as_text: bool = False,
    graph: Graph | None = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: object,
) -> Any:
    """Returns a graph as a `MetaGraphDef`, and writes it to a file if there is a name for one.

    >>> with tf.Graph().as_default():
    ...     y = tf.constant(2.0, name="y")
    ...     tf.compat.v1.add_to_collection("results", y)
    ...     meta_graph = tf.compat.v1.train.export_meta_graph()
    >>> list(meta_graph.collection_def["results"].node_list.value)
    ['y:0']

    Args:
      filename: the file; None for none.
      meta_info_def: a `MetaInfoDef` with facts to state.
      graph_def: a `GraphDef` instead of the graph's.
      saver_def: the `SaverDef` of the saver that reads the graph's checkpoints.
      collection_list: the names of the collections to write; None for all.
      as_text: whether the file is text.
      graph: the graph; the default graph if None.
      export_scope: the name scope to write; None for all of the graph. Inputs from elsewhere are named in the
        collection "unbound_inputs".
      clear_devices: whether devices are left out.
      clear_extraneous_savers: whether operations of savers other than that of `saver_def` are left out.
      strip_default_attrs: whether attributes that have their default are left out.
      save_debug_info: accepted for compatibility: where operations were made is not written.
      **kwargs: nothing: TensorFlow's signature ends so.

    Raises:
      TypeError: if an argument is of a wrong kind.
      RuntimeError: in eager mode without a graph.
    """
    del save_debug_info
    if kwargs:
        raise TypeError(f"export_meta_graph() got an unexpected keyword argument {next(iter(kwargs))!r}")
    if executing_eagerly() and graph is None and graph_def is None:
        raise RuntimeError(
            "Exporting/importing meta graphs is not supported when eager execution is enabled. No graph exists when "
            "eager execution is enabled."
        )
    for value, kind, name in (
        (graph_def, graph_pb2.GraphDef, "graph_def"),
        (saver_def, saver_pb2.SaverDef, "saver_def"),
    ):
        if value is not None and not isinstance(value, kind):
            raise TypeError(f"{name} must be of type {kind.__name__}. Received type: {type(value)}.")
    chosen = get_default_graph() if graph is None else graph
    if not isinstance(chosen, Graph):
        raise TypeError(f"graph must be of type Graph. Received type: {type(chosen)}.")
    meta_graph = meta_graph_pb2.MetaGraphDef()
    if graph_def is None:
        meta_graph.graph_def.CopyFrom(
            graph_to_graph_def(chosen, style=NodeStyle(add_shapes=True, strips_defaults=strip_default_attrs))
        )
    else:
        meta_graph.graph_def.CopyFrom(graph_def)
    if clear_extraneous_savers:
        _drop_savers(meta_graph.graph_def, saver_def)
    _keep_scope(meta_graph, export_scope)
    if clear_devices:
        for node in meta_graph.graph_def.node:
            node.device = ""
    if meta_info_def is not None:
        meta_graph.meta_info_def.CopyFrom(meta_info_def)
    state_meta_info(meta_graph, strip_default_attrs)
    if saver_def is not None:
        meta_graph.saver_def.CopyFrom(saver_def)
    keys = chosen.get_all_collection_keys() if collection_list is None else collection_list
    for key in keys:
        write_collection(meta_graph, key, chosen.get_collection(key), export_scope)
    if filename is not None:
        write_message(filename, meta_graph, as_text)
    return meta_graph


def _keep_scope(meta_graph: Any, scope: str | None) -> None:
    """Drops the nodes outside of a name scope; inputs that come from there are unbound."""
    if not scope:
        return
    graph_def = meta_graph.graph_def
    nodes = [node for node in graph_def.node if is_in_scope(node.name, scope)]
    unbound: dict[str, None] = {}
    for node in nodes:
        node.name = without_scope(node.name, scope)
        inputs = [text for text in node.input if not text.startswith("^") or is_in_scope(text[1:], scope)]
        for index, text in enumerate(inputs):
            mark = "^" if text.startswith("^") else ""
            name = text.removeprefix("^")
            if is_in_scope(name, scope):
                inputs[index] = mark + without_scope(name, scope)
            else:
                inputs[index] = _UNBOUND + name
                unbound[_UNBOUND + name] = None
        del node.input[:]
        node.input.extend(inputs)
        _cut_colocations(node, scope)
    kept = [type(node).FromString(node.SerializeToString()) for node in nodes]
    del graph_def.node[:]
    graph_def.node.extend(kept)
    if unbound:
        meta_graph.collection_def[UNBOUND_INPUTS].bytes_list.value.extend(name.encode() for name in sorted(unbound))


def _cut_colocations(node: Any, scope: str) -> None:
    if "_class" not in node.attr:
        return
    groups = [group.decode().removeprefix("loc:@") for group in node.attr["_class"].list.s]
    inside = [f"loc:@{without_scope(name, scope)}".encode() for name in groups if is_in_scope(name, scope)]
    if inside:
        del node.attr["_class"].list.s[:]
        node.attr["_class"].list.s.extend(inside)
    else:
        del node.attr["_class"]


_OPS_OF_SAVERS = frozenset(("Restore", "RestoreV2", "Save", "SaveSlices", "SaveV2"))


def _drop_savers(graph_def: Any, saver_def: Any) -> None:
    """Drops the operations of savers, but for those of one; a file knows them by their ops and by their scope."""
    kept_scope = saver_def.restore_op_name.rpartition("/")[0] if saver_def is not None else None
    scopes = {node.name.rpartition("/")[0] for node in graph_def.node if node.op in _OPS_OF_SAVERS}
    dropped = {scope for scope in scopes if scope and scope != kept_scope}
    nodes = [node for node in graph_def.node if not any(is_in_scope(node.name, scope) for scope in dropped)]
    kept = [type(node).FromString(node.SerializeToString()) for node in nodes]
    del graph_def.node[:]
    graph_def.node.extend(kept)
