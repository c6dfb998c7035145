"""The file of the graph that a `Saver` writes beside a checkpoint."""

from __future__ import annotations

from typing import Any

from google.protobuf import text_format

from millrace._src.core import context
from millrace._src.graph.scopes import get_default_graph
from millrace._src.ops.io.whole_writes import written_beside
from millrace._src.proto import meta_graph_pb2


def export_meta_graph(filename: str | None, saver_def: Any, as_text: bool, **unused: Any) -> Any:
    """Returns the default graph with a saver as a `MetaGraphDef`, and writes the message to a file."""
    if context.executing_eagerly():
        raise RuntimeError(
            "Exporting/importing meta graphs is not supported when eager execution is enabled. No graph exists when "
            "eager execution is enabled."
        )
    message = meta_graph_pb2.MetaGraphDef(graph_def=get_default_graph().as_graph_def(add_shapes=True))
    if saver_def is not None:
        message.saver_def.CopyFrom(saver_def)
    if filename is not None:
        with written_beside(filename) as file:
            file.write(text_format.MessageToString(message).encode() if as_text else message.SerializeToString())
    return message
