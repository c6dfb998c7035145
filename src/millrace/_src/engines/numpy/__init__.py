"""The NumPy engine: a graph as one generated straight-line Python function over NumPy kernels.

Nodes become instructions (`instructions.py`), instructions become the text of a function (`codegen.py`). Element-wise
chains go block by block (`fusion.py`, `cache_blocking.py`). Start with `codegen.py`.
"""
