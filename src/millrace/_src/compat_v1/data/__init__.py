"""`tf.compat.v1.data`, where it differs from `tf.data`: datasets with older methods, iterators of graphs.

Start with `datasets.py` and `iterators.py`.
"""
