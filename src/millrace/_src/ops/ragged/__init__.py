"""Ragged tensors: `tf.RaggedTensor`, row partitions, ragged shapes, and what public functions do with them.

A ragged tensor is flat values and a partition (`row_partition.py`). A public function with ragged arguments arrives
at an overload here: rows gathered (`ragged_rows.py`), shapes broadcast (`broadcasting.py`), segments reduced
(`ragged_segments.py`). Start with `ragged_tensor.py: RaggedTensor`.
"""
