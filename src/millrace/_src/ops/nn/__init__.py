"""Ops of `tf.nn`. Start with `activations.py`; convolutions are `convolution.py` (functions) and `convolution_ops.py`
(ops).
"""
