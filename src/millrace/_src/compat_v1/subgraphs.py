"""Parts of a graph as functions: the operations that some results need, carried over into the graph of a function.

Tensors that are fed become inputs. What an operation refers to that lives outside of the graph (a variable of a
session, a captured tensor) is captured. An operation of the new graph has the name of the old one, so that errors name
the latter. It also has its attributes, the very same dictionary: a random operation goes on in its stream in whatever
function it runs.

Tests: tests/compat_v1/session/test_session.py, tests/compat_v1/session/test_partial_runs.py
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from millrace._src.core.context import eager_mode, tapes_scope
from millrace._src.core.tensor import EagerTensor, SymbolicTensor
from millrace._src.graph import rewriting
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.operation import Operation
from millrace._src.graph.traversal import topological_order

Key = tuple[int, int]


def find_needed_operations(roots: Iterable[Operation], fed: Collection[SymbolicTensor]) -> list[Operation]:
    """Returns the operations on which others depend, but for those behind fed tensors, in an order they can run in.

    The order is that of the graph as far as dependencies leave it open.
    """
    fed_keys = {_key(tensor) for tensor in fed}
    needed: dict[Operation, None] = {}
    waiting = [op for op in roots if not (op.outputs and all(_key(t) in fed_keys for t in op.outputs))]
    while waiting:
        operation = waiting.pop()
        if operation not in needed:
            needed[operation] = None
            waiting += [tensor.op for tensor in operation.inputs if _key(tensor) not in fed_keys]
            waiting += operation._control_inputs
    if not needed:
        return []
    graph = next(iter(needed)).graph
    return topological_order([operation for operation in graph.get_operations() if operation in needed])


class Subgraph:
    """The graph of a function in the making.

    Args:
      name: its name.
      fed: the tensors that are its inputs.
      operations: the operations that it needs, in an order they can run in.
      outside: from an operation to its eager tensor outside of graphs; None for most operations.
      input_names: the names of the inputs; numbers if None.
    """

    def __init__(
        self,
        name: str,
        fed: Sequence[SymbolicTensor],
        operations: Sequence[Operation],
        outside: Callable[[Operation], EagerTensor | None],
        input_names: Sequence[str] | None = None,
    ) -> None:
        self._outside = outside
        self._known: dict[Key, Any] = {}
        self._new: dict[Operation, Operation] = {}
        # Shapes hold in the part as in the graph, unless a value that a shape was computed from is replaced.
        self._keeps_shapes = all(tensor.op.op_def.traits.is_placeholder for tensor in fed)
        names = [f"fed_{index}" for index in range(len(fed))] if input_names is None else input_names
        with eager_mode(), tapes_scope(()):
            self._graph = FuncGraph(name)
            with self._graph.as_default():
                for tensor, input_name in zip(fed, names, strict=True):
                    self._feed(tensor, input_name)
                for operation in operations:
                    self._carry_over(operation)

    def finish(self, outputs: Sequence[SymbolicTensor]) -> FuncGraph:
        """Returns the graph, with its outputs declared."""
        graph = self._graph
        graph.outputs = [self._known[_key(tensor)] for tensor in outputs]
        graph.control_outputs = [op for op in graph.get_operations() if op.effects.must_run]
        return graph

    def _feed(self, tensor: SymbolicTensor, name: str) -> None:
        placeholder = self._graph.placeholder_like(tensor, tensor.shape, name)
        self._graph.inputs.append(placeholder)
        self._known[_key(tensor)] = placeholder

    def _carry_over(self, operation: Operation) -> None:
        stand_in = self._outside(operation)
        if stand_in is not None:
            self._known[id(operation), 0] = self._graph.capture(stand_in)
            return
        inputs = [self._known[_key(tensor)] for tensor in operation.inputs]
        controls = [self._new[control] for control in operation._control_inputs if control in self._new]
        shapes = [tensor.shape for tensor in operation.outputs] if self._keeps_shapes else None
        new = self._graph.add_operation(
            operation.op_def, inputs, operation.attrs, operation.name, shapes=shapes, control_inputs=controls
        )
        rewriting.carry_over(operation, new)
        if operation.static_values and not operation.inputs:
            new.note_values(operation.static_values)
        self._new[operation] = new
        for index, (old_tensor, new_tensor) in enumerate(zip(operation.outputs, new.outputs, strict=True)):
            if old_tensor.dtype.is_handle and new_tensor.handle_type is None:
                new_tensor.handle_type = old_tensor.handle_type
            # A fed output of an operation that runs for its other outputs stays fed.
            self._known.setdefault((id(operation), index), new_tensor)


def _key(tensor: SymbolicTensor) -> Key:
    return id(tensor.op), tensor.value_index
