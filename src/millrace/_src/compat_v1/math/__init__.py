"""`tf.compat.v1.math`, where it differs from `tf.math`: older functions (`functions.py`), arguments
(`reductions.py`).
"""
