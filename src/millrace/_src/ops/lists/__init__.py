"""Ops on lists of tensors, of which `tf.TensorArray` and the gradients of loops are made.

Start with `element_access.py`.
"""
