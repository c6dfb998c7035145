"""How a function graph becomes something that an op attribute can hold and call.

A graph read from a file holds bodies (`FuncGraph`). The ops that call the bodies want callable functions, whose class
is defined in a higher layer. That layer registers the class's constructor here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from millrace._src.core.op_registry import get_op
from millrace._src.graph.func_graph import FuncGraph

FunctionFactory = Callable[[FuncGraph, dict[str, Any]], Any]


_OF_DATASET = "_tf_data_function"


def jit_compile_of(attributes: Mapping[str, Any]) -> bool | None:
    """Returns a function's `jit_compile` from its attributes on the wire; functions of datasets are never compiled."""
    return False if attributes.get(_OF_DATASET) else attributes.get("_XlaMustCompile")


def compile_attributes(jit_compile: bool | None, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the attributes that stand on the wire for a function's `jit_compile`, beside its other attributes."""
    if jit_compile is None or attributes.get(_OF_DATASET):
        return {}
    return {"_XlaMustCompile": True, "_noinline": True} if jit_compile else {"_XlaMustCompile": False}


def must_compile(function: Any) -> bool:
    """Returns whether every call of a function goes through XLA, wherever the call stands; a bare body says nothing."""
    return getattr(function, "jit_compile", None) is True


def must_interpret(function: Any) -> bool:
    """Returns whether no compiler may run a function, wherever the function is called."""
    return getattr(function, "jit_compile", None) is False


def body_of(function: Any) -> Any:
    """Returns the body of a function attribute: of a callable function or a `NamedBody`, or the bare body itself."""
    return getattr(function, "graph", function)


class NamedBody:
    """A body with a name and attributes: what engines and files need of a function; a `NamedBody` cannot be called."""

    __slots__ = ("attributes", "graph", "jit_compile", "name")

    def __init__(self, graph: FuncGraph, attributes: dict[str, Any]) -> None:
        self.graph = graph
        self.name = graph.name
        self.attributes = attributes
        self.jit_compile = jit_compile_of(attributes)


class _Registered:
    factory: FunctionFactory = NamedBody


def set_function_factory(factory: FunctionFactory) -> None:
    """Registers `factory(body, attributes) -> function`; the function has `graph`, `name` and `attributes`."""
    _Registered.factory = staticmethod(factory)


def make_function(graph: FuncGraph, attributes: dict[str, Any]) -> Any:
    """Makes the function of a body: callable if the layer of callable functions is loaded, else a `NamedBody`."""
    if _Registered.factory is NamedBody:
        try:
            get_op("PartitionedCall")  # its home registers the factory
        except KeyError:
            pass
    return _Registered.factory(graph, attributes)
