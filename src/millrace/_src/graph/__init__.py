"""Graphs as data: operations, functions, their text and their wire formats.

An op call in a graph adds an `Operation` (`operation.py`) to a `Graph` (`graph.py`) or to the `FuncGraph` of a
function's body (`func_graph.py`). A finished operation changes through `rewriting.py` alone. `graph_def.py` and
`function_def.py` write and read TensorFlow's messages; what comes from a file passes `node_checks.py` and
`op_policy.py` first. Start with `graph.py: Graph`.
"""
