"""AutoGraph: Python control flow over tensors becomes graph control flow.

A function goes through `transform/`, as a syntax tree, once; the code that comes out calls `operators/` when it runs,
which decide between Python and the graph. Start with `api.py`.
"""
