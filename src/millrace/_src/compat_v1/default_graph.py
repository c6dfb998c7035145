"""The default graph of `tf.compat.v1`: the graph that receives ops, at top level one for each thread.

Tests: tests/oracle/programs/v1_variables.py
"""

from __future__ import annotations

from millrace._src.core.context import base_graph, set_base_graph, state
from millrace._src.graph.graph import Graph
from millrace._src.graph.scopes import forget_top_level_graph, top_level_graph
from millrace._src.util.export import export


@export(v1=["get_default_graph"])
def get_default_graph() -> Graph:
    """Returns the graph that receives ops; at top level, the one of the thread, made on first use.

    >>> tf.compat.v1.get_default_graph() is tf.compat.v1.get_default_graph()
    True
    """
    if state.graph is not None:
        graph: Graph = state.graph
        return graph
    return top_level_graph()


@export(v1=["reset_default_graph"])
def reset_default_graph() -> None:
    """Lets the next op at top level begin a new default graph.

    >>> graph = tf.compat.v1.get_default_graph()
    >>> tf.compat.v1.reset_default_graph()
    >>> tf.compat.v1.get_default_graph() is graph
    False

    Raises: AssertionError: inside the scope of another graph.
    """
    if state.graph_stack:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit the nesting "
            "and create a new graph."
        )
    forget_top_level_graph()
    if base_graph() is not None:
        set_base_graph(top_level_graph)
