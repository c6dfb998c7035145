"""Running a plain graph from a test.

A test that is written for graphs builds one under `tf.Graph().as_default()` and asks for values: `self.evaluate(y)`,
`session.run(y, {x: 3})`. The part of the graph that the values need is imported into a function, and the function is
called. The function's inputs are what the test feeds, and the variables and iterators of the graph, which a session
keeps from one run to the next. All of `tf.compat.v1.Session` is more than that: it is not built yet.
"""

from __future__ import annotations

import weakref
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from millrace._src.core.context import eager_mode
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.execute import execute
from millrace._src.core.tensor import Tensor
from millrace._src.function.decorator import function
from millrace._src.graph.graph import Graph
from millrace._src.graph.import_graph_def import import_graph_def
from millrace._src.graph.operation import Operation
from millrace._src.util import nest


class GraphSession:
    """Runs a graph, and keeps its variables and iterators.

    Args: graph: The graph; nodes that are added to it later run too.
    """

    _known: weakref.WeakKeyDictionary[Graph, GraphSession] = weakref.WeakKeyDictionary()

    def __init__(self, graph: Graph) -> None:
        self._graph = weakref.ref(graph)
        self._handles: dict[str, Tensor] = {}
        """The handles of variables and iterators, by their shared name, or that of the operation in the graph."""

    @classmethod
    def of(cls, graph: Graph) -> GraphSession:
        """Returns the one session of a graph, as long as the graph lives."""
        if graph not in cls._known:
            cls._known[graph] = cls(graph)
        return cls._known[graph]

    @property
    def graph(self) -> Graph:
        """Returns the graph."""
        graph = self._graph()
        if graph is None:
            raise RuntimeError("The Session graph is gone: nothing holds the tf.Graph any more.")
        return graph

    def run(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """Computes tensors of the graph, and runs operations.

        Args:
          fetches: Tensors, operations, or their names, in a nested structure.
          feed_dict: Values by the tensor of the graph that they stand for.

        Returns: The structure with arrays for tensors and None for operations.
        Raises:
          ValueError: if a name is not in the graph.
          TypeError: if something else is fetched.
        """
        elements = [self._element(leaf) for leaf in nest.flatten(fetches)]
        feeds = [(self._element(key), value) for key, value in (feed_dict or {}).items()]
        with eager_mode():
            fed = {tensor.name: convert_to_tensor(value, dtype=tensor.dtype) for tensor, value in feeds}
        operations = _needed_operations(elements, fed)
        handles = {
            f"{name}:0": self._handle(operation)
            for name, operation in operations.items()
            if operation.op_def.traits.makes_shared_object
        }
        graph_def = self.graph.as_graph_def()
        kept = [node for node in graph_def.node if node.name in operations]
        for node in kept:
            node.attr.pop("_class", None)  # which may name an operation that is left out
        del graph_def.node[:]
        graph_def.node.extend(kept)
        names = [element.name for element in elements]

        def replay(inputs: dict[str, Tensor]) -> Any:
            found = import_graph_def(graph_def, {**handles, **inputs}, return_elements=names, name="replay")
            return [item if isinstance(item, Tensor) else None for item in found]

        with eager_mode():
            results = function(replay, autograph=False).get_concrete_function(fed)(fed)
        values = [None if value is None else _as_numpy(value) for value in results]
        return nest.pack_sequence_as(fetches, values)

    def _element(self, item: Any) -> Any:
        """Returns the tensor or operation that is fetched or fed."""
        if isinstance(item, str):
            return self.graph.as_graph_element(item)
        if isinstance(item, (Tensor, Operation)):
            return self.graph.as_graph_element(item)
        as_element = getattr(item, "_as_graph_element", None)
        if as_element is None:
            raise TypeError(f"Argument `fetch` = {item!r} has invalid type {type(item).__name__!r}. Cannot fetch it.")
        return as_element()

    def _handle(self, operation: Operation) -> Tensor:
        """Returns the handle of a variable, or of an iterator, that lives as long as the session."""
        name = operation.attrs.get("shared_name") or operation.name
        if name not in self._handles:
            attrs = {key: value for key, value in operation.attrs.items() if key in operation.op_def.attr_kinds}
            inputs = self.run(list(operation.inputs))
            with eager_mode():
                self._handles[name] = execute(operation.op_def, inputs, attrs)
        return self._handles[name]


def _needed_operations(elements: list[Any], fed: Collection[str]) -> dict[str, Operation]:
    """Returns the operations that the elements need, by name; those behind a fed tensor are not needed."""
    needed: dict[str, Operation] = {}
    pending: list[Operation] = [_operation(element) for element in elements if element.name not in fed]
    while pending:
        operation = pending.pop()
        if operation.name not in needed:
            needed[operation.name] = operation
            pending += [_operation(tensor) for tensor in operation.inputs if tensor.name not in fed]
            pending += operation.control_inputs
    return needed


def _operation(element: Any) -> Operation:
    operation: Operation = element if isinstance(element, Operation) else element.op
    return operation


def _as_numpy(value: Tensor) -> Any:
    array = np.asarray(value)
    return array[()] if array.ndim == 0 else array
