"""Queues and stacks of tensors (`queues.py`, `stacks.py`), and the ops on them (`queue_ops.py`)."""
