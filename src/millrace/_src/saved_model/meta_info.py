"""What a `MetaGraphDef` says of itself: who wrote it, and with which ops."""

from __future__ import annotations

from millrace._src.graph.used_ops import declarations_of
from millrace._src.proto.meta_graph_pb2 import MetaGraphDef
from millrace._src.util.version import TENSORFLOW_VERSION, __version__


def state_meta_info(meta_graph: MetaGraphDef, strips_defaults: bool) -> None:
    """States the writer, and the ops of the graph unless the message lists ops already.

    Args:
      meta_graph: the message, whose graph is complete.
      strips_defaults: whether attributes that have their default were left out.
    """
    info = meta_graph.meta_info_def
    info.tensorflow_version = TENSORFLOW_VERSION
    info.tensorflow_git_version = f"millrace {__version__}"
    info.stripped_default_attrs = strips_defaults
    if not info.stripped_op_list.op:
        info.stripped_op_list.op.extend(declarations_of(meta_graph.graph_def))
