"""Ops on the layout of tensors: creation, shape, indexing, joining."""
