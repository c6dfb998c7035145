"""Estimates the memory that a trace holds, well enough to bound a cache.

Tests: tests/function/test_concrete_function.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.tensor import EagerTensor

_BYTES_PER_OPERATION = 1500
"""A measured average of an operation, its output tensors, names and attributes."""


def graph_bytes(graph: Any) -> int:
    """Estimates the memory of a graph: its operations and its constants."""
    operations = graph.get_operations()
    constants = sum(
        operation.attrs["value"].nbytes
        for operation in operations
        if operation.op_def.attr_kinds.get("value") == "tensor"
    )
    captured_bytes = sum(tensor._eager_array.nbytes for tensor, _ in graph.captures if isinstance(tensor, EagerTensor))
    return len(operations) * _BYTES_PER_OPERATION + int(constants) + int(captured_bytes)
