"""Tensors of outer contexts as tensors of a graph: a tensor of the graph itself stays, any other one is captured."""

from __future__ import annotations

from typing import Any

from millrace._src.core.context import state


def capture_into(graph: Any, tensor: object, name: str | None = None) -> Any:
    """Returns the tensor of a graph that represents a tensor; `name` is for the placeholder of a new capture."""
    return tensor if getattr(tensor, "graph", None) is graph else graph.capture(tensor, name)


def capture_here(tensor: object) -> Any:
    """Returns the tensor of the current graph that represents a tensor."""
    return capture_into(state.graph, tensor)
