"""Values that may be stand-ins: of a branch that did not run, for the gradient of the branch.

A compiling engine compiles all branches and gives a stand-in the shape of the value; the NumPy engine cannot. So one
engine has to run the function that returns a stand-in and the function that reads it.
"""

from __future__ import annotations

from millrace._src.passes.optimized_graph import Value


def may_be_stand_in(value: Value) -> bool:
    """Returns whether a value is a stand-in, or a result of a choice or a loop that may be one."""
    node = value.node
    if node is None:
        return False
    if node.op_def.traits.is_stand_in:
        return True
    bodies = [graph for graph in node.graphs if len(graph.outputs) == len(node.outputs)]
    return any(may_be_stand_in(graph.outputs[value.value_index]) for graph in bodies)
