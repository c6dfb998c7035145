"""Queues and stacks of tensors, and the ops on them."""
