"""Structured tensors: dictionaries of tensors that share their outer dimensions. Start with `structured_tensor.py`."""
