"""Ops on the layout of tensors: creation, shape, indexing, joining. Start with `reshaping.py`, then `slicing.py`."""
