"""Ops of `tf.math`. Start with `unary.py`; reductions are in `reductions.py`, products in `matmul.py`."""
