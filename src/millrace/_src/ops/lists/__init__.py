"""Ops on lists of tensors, of which `tf.TensorArray` and the gradients of loops are made. Start with `elements.py`."""
