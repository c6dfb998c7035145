"""How a function graph becomes something that an op attribute can hold and call.

A graph read from a file, and the graphs of branches and loops, are bodies (`FuncGraph`). The ops that call the bodies
want callable functions. Their class, `function/graph_function.py: GraphFunction`, stands in a higher layer and is found
by name, as ops are; the layers below know it as a `CallableFunction`.

Tests: tests/graph/test_function_def.py
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from millrace._src.core.op_registry import find_late_bound
from millrace._src.graph.func_graph import FuncGraph

_OF_DATASET = "_tf_data_function"


def is_of_dataset(attributes: Mapping[str, Any]) -> bool:
    """Returns whether a function is a dataset's, by its attributes: elements are made on the host."""
    return bool(attributes.get(_OF_DATASET))


def jit_compile_of(attributes: Mapping[str, Any]) -> bool | None:
    """Returns a function's `jit_compile` from its attributes on the wire."""
    return None if is_of_dataset(attributes) else attributes.get("_XlaMustCompile")


def compile_attributes(jit_compile: bool | None, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the attributes that stand on the wire for a function's `jit_compile`, beside its other attributes."""
    if jit_compile is None or is_of_dataset(attributes):
        return {}
    return {"_XlaMustCompile": True, "_noinline": True} if jit_compile else {"_XlaMustCompile": False}


def must_compile(function: object) -> bool:
    """Returns whether every call of a function runs compiled, wherever the call stands; a bare body says nothing."""
    return getattr(function, "jit_compile", None) is True


def body_of(function: object) -> Any:
    """Returns the body of a function attribute: of a callable function, or the bare body itself."""
    return getattr(function, "graph", function)


class CallableFunction(Protocol):
    """A finished graph that can be called: what the layers below `function` need of a function.

    Attributes:
      graph: the body; its inputs include the placeholders of its captures.
      name: the function's name in a GraphDef.
      jit_compile: True: always compiled; False or None: the tiers decide.
      attributes: further attributes of the function in a GraphDef.
      lock: held while something is derived from the function.
      derivatives: the pairs of forward and backward functions made so far; see `control_flow/derivative.py`.
      forward_modes: the forward derivatives made so far; see `control_flow/forward_graph.py`.
    """

    graph: FuncGraph
    name: str
    jit_compile: bool | None
    attributes: dict[str, Any]
    lock: Any
    derivatives: dict[tuple[Any, ...], Any]
    forward_modes: dict[tuple[Any, ...], tuple[Any, list[bool]]]

    def __call__(self, inputs: Sequence[Any]) -> list[Any]:
        """Calls the function with one flat tensor for each input of the graph; returns its flat outputs."""

    def call_unrecorded(self, inputs: Sequence[Any]) -> list[Any]:
        """Calls the function without telling the tapes and accumulators."""


def make_function(
    graph: FuncGraph,
    name: str | None = None,
    *,
    jit_compile: bool | None = None,
    attributes: dict[str, Any] | None = None,
) -> CallableFunction:
    """Makes the callable function of a finished graph, whose class is found by name in the layer of functions.

    Args:
      graph: the body.
      name: the function's name in a GraphDef; by default the graph's name.
      jit_compile: True: always compiled; False or None: the tiers decide.
      attributes: further attributes of the function in a GraphDef.
    """
    make: Callable[..., CallableFunction] = find_late_bound("graph_function")
    return make(graph, graph.name if name is None else name, jit_compile=jit_compile, attributes=attributes)
