"""`tf.compat.v1.metrics`: numbers over all batches seen, kept in local variables of the graph.

A metric is a pair: the value so far, and an update that takes a batch into account and gives the new value.
Start with `means.py`; what metrics share is in `streaming.py`.
"""
