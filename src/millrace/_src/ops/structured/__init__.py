"""Structured tensors: dictionaries of tensors that share their outer dimensions."""
