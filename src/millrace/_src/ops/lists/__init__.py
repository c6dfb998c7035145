"""Ops on lists of tensors: what `tf.TensorArray` and the gradients of loops are made of."""
