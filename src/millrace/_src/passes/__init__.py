"""The graph optimizer: from a `FuncGraph` to the `OptimizedGraph` that engines compile; one file for each pass.

`from_graph.py` copies the graph with called functions inlined; the passes of the table in `pipeline.py` improve the
copy; `optimized_graph_validation.py` says what a legal result is. A pass from node to node is rules behind the loop of
`rewrite.py`. Start with `pipeline.py: optimize`.
"""
