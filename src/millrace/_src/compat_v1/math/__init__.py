"""`tf.compat.v1.math`, where it differs from `tf.math`: older functions (`arithmetic.py`), arguments
(`reductions.py`).
"""
