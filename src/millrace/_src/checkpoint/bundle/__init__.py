"""Checkpoint files without objects: named tensors, or slices of tensors, in TensorFlow's formats."""
