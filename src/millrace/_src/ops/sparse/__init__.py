"""Sparse tensors: `tf.SparseTensor` and the ops of `tf.sparse`. Not built yet: class and functions refuse in words."""
