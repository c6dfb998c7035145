"""Datasets that are made of tensors, files or Python code; a module for each source. Start with `range_dataset.py`."""
