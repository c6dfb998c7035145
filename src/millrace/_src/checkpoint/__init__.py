"""Checkpoints: the values of variables in TensorFlow's files, and the objects they belong to.

Saving: objects are numbered (`object_graph.py`), their tensors found (`saved_attributes.py`) and written
(`value_writing.py`). Restoring: objects and saved ones are walked side by side, then all values are checked, then all
are given (`restore.py`); `report.py` says what became of each. Start with `checkpoint.py: Checkpoint`.
"""
