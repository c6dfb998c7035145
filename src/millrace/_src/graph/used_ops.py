"""The ops that a `GraphDef` uses, as files declare them: their signatures as the writer knew them.

Tests: tests/saved_model/test_meta_info.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.graph.op_def_proto import op_def_to_proto
from millrace._src.graph.opaque_ops import find_op


def declarations_of(graph_def: Any) -> list[Any]:
    """Returns the `OpDef` messages of the ops of a graph and of its functions, by name.

    Args: graph_def: a `GraphDef` message.
    Raises: tf.errors.NotFoundError: if an op is unknown.
    """
    names = {node.op for node in graph_def.node}
    for function in graph_def.library.function:
        names.update(node.op for node in function.node_def)
    names -= {function.signature.name for function in graph_def.library.function}
    return [op_def_to_proto(find_op(name)) for name in sorted(names)]
