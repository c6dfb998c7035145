"""Errors of nodes: an error while a graph runs names the operation and the user's line that made the operation.

Tests: tests/engines/numpy/test_codegen.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core import errors
from millrace._src.core.dispatch import kernel_error
from millrace._src.passes.optimized_graph import Node


def node_failure(node: Node, inputs: Sequence[Any], error: Exception) -> Exception:
    """Returns the exception that a user sees when the kernel of a node fails.

    An exception that already names a node, inside of this node's graphs, is returned unchanged.

    Args:
      node: the node.
      inputs: the node's inputs, as tensors where there are values.
      error: the exception that the kernel raised.
    """
    if is_explained(error):
        return error
    failure: Any = kernel_error(node.op_def, inputs, node.attrs, error, is_flat=True)
    if isinstance(failure, errors.OpError):
        message = (
            failure.complaint if failure.complaint is not None and failure.failed_op == node.type else failure.message
        )
        failure = type(failure)(None, None, _graph_message(node, message))  # type: ignore[call-arg]  # of a subclass
        failure.failed_node, failure.node_complaint = node.name, message
    return mark_explained(failure)


def mark_explained(error: Exception) -> Exception:
    """Marks an exception as one that names its node, for the graphs around that node; returns the exception."""
    error._millrace_explained = True  # type: ignore[attr-defined]  # Python lets exceptions carry more
    return error


def is_explained(error: Exception) -> bool:
    """Returns whether an exception names its node."""
    return getattr(error, "_millrace_explained", False)


def _graph_message(node: Node, message: str) -> str:
    definition_text = f" defined at (most recent call last):\n  {node.source}\n" if node.source is not None else "\n"
    node_text = f"\n\t [[{{{{node {node.name}}}}}]]"
    return f"Graph execution error:\n\nDetected at node {node.name}{definition_text}{message}{node_text}"
