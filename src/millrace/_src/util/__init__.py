"""What knows nothing of tensors: nests, exports, registries, text."""
