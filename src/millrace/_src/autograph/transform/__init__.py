"""Python functions rewritten as syntax trees; knows nothing of tensors."""
