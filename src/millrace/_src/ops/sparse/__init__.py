"""Sparse tensors: `tf.SparseTensor` and the ops of `tf.sparse`.

Kernels compare indices as single numbers (`coordinates.py`); public functions with sparse arguments arrive at
`overloads.py`. Start with `sparse_tensor.py: SparseTensor`.
"""
