"""The vocabulary: dtypes, shapes, tensors, OpDefs, and `execute`."""
