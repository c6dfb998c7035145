"""The layer below tensors: nests, exports, registries, text."""
