"""How a function graph becomes something that an op attribute can hold and call.

A graph read from a file holds bodies (`FuncGraph`); the ops that call them want callable functions, which live layers
above. The layer that defines them registers its constructor here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.op_def import get_op
from millrace._src.graph.func_graph import FuncGraph

FunctionFactory = Callable[[FuncGraph, dict[str, Any]], Any]


class _Registered:
    factory: FunctionFactory | None = None


def set_function_factory(factory: FunctionFactory) -> None:
    """Registers `factory(body, attributes) -> function`; the function has `graph`, `name` and `attributes`."""
    _Registered.factory = factory


def make_function(graph: FuncGraph, attributes: dict[str, Any]) -> Any:
    """The callable function of a body; the bare body where no layer knows how to call one."""
    if _Registered.factory is None:
        try:
            get_op("PartitionedCall")  # its home registers the factory
        except KeyError:
            pass
    return graph if _Registered.factory is None else _Registered.factory(graph, attributes)
