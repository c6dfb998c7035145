"""How a function graph becomes something that an op attribute can hold and call.

A graph read from a file holds bodies (`FuncGraph`); the ops that call the bodies want callable functions, which live
layers above. The layer that defines callable functions registers the constructor here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.op_registry import get_op
from millrace._src.graph.func_graph import FuncGraph

FunctionFactory = Callable[[FuncGraph, dict[str, Any]], Any]


class NamedBody:
    """A body with a name and attributes: all that engines and files need of a function, though nobody can call it."""

    __slots__ = ("attributes", "graph", "jit_compile", "name")

    def __init__(self, graph: FuncGraph, attributes: dict[str, Any]) -> None:
        self.graph = graph
        self.name = graph.name
        self.attributes = attributes
        self.jit_compile: bool | None = attributes.get("_XlaMustCompile")


class _Registered:
    factory: FunctionFactory = NamedBody


def set_function_factory(factory: FunctionFactory) -> None:
    """Registers `factory(body, attributes) -> function`; the function has `graph`, `name` and `attributes`."""
    _Registered.factory = staticmethod(factory)


def make_function(graph: FuncGraph, attributes: dict[str, Any]) -> Any:
    """Makes the function of a body: callable where the layer that knows how is there."""
    if _Registered.factory is NamedBody:
        try:
            get_op("PartitionedCall")  # its home registers the factory
        except KeyError:
            pass
    return _Registered.factory(graph, attributes)
