"""`tf.compat.v1.profiler`: parameters, float operations, times and memory of the operations of a graph.

`costs.py` finds the costs of each operation, `profiler.py` shows them.
"""
