"""Datasets that are made of tensors, files or Python code; one module for each source. Start with `ranges.py`."""
