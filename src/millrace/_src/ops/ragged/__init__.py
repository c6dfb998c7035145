"""Ragged tensors: `tf.RaggedTensor` and the ops of `tf.ragged`. Not built yet: the class refuses in words."""
