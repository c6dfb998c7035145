"""Ragged tensors: `tf.RaggedTensor`, row partitions, ragged shapes, and what public functions do with them."""
