"""A step: the part of a graph that one set of fetches needs, as a function from fed values to fetched values.

Problem: a session runs any part of its graph, with any tensors replaced by fed values, and a program asks for the same
few parts again and again.

Idea: the operations that the fetches need are carried over into the graph of a function, once. Fed tensors become the
function's inputs. The objects of the session (variables, queues, tables) are captured. Such a function runs on the
tiers like every other: it starts on NumPy and moves to XLA where that is faster.

An operation of the step has the name of the operation of the session's graph, so that errors name the latter. It also
has its attributes, the very same dictionary: a random operation goes on in its stream in whatever step it runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from millrace._src.compat_v1.session.resources import SessionResources
from millrace._src.control_flow.call import GraphFunction
from millrace._src.core import errors
from millrace._src.core.context import eager_mode, tapes_scope
from millrace._src.core.dtypes import runtime_name
from millrace._src.core.engine import Program, Run
from millrace._src.core.tensor import EagerTensor, SymbolicTensor
from millrace._src.graph import rewriting
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.operation import Operation
from millrace._src.graph.traversal import topological_order
from millrace._src.ops.random.seeds import streams_in
from millrace._src.util import text

Key = tuple[int, int]


class Step:
    """The function of one set of fetches and fed tensors.

    Args:
      resources: the objects of the session.
      fetched: the tensors whose values are asked for.
      targets: the operations that run besides.
      fed: the tensors whose values come from outside.
      jit_compile: True for XLA, False for NumPy, None for the engine that measures fastest.
    """

    def __init__(
        self,
        resources: SessionResources,
        fetched: Sequence[SymbolicTensor],
        targets: Sequence[Operation],
        fed: Sequence[SymbolicTensor],
        jit_compile: bool | None = None,
    ) -> None:
        self._kept = fetched, targets, fed  # so that nothing else gets their identities
        fed_places = {id(tensor): place for place, tensor in enumerate(fed)}
        self._places = [fed_places.get(id(tensor)) for tensor in fetched]
        fetched = [tensor for tensor in fetched if id(tensor) not in fed_places]
        self._operations = needed_operations([*(t.op for t in fetched), *targets], fed)
        _check_placeholders(self._operations)
        pure_targets = [op.outputs[0] for op in targets if op.outputs and not op.effects.must_run]
        self.graph = _StepGraph(resources, fed, self._operations).finish([*fetched, *pure_targets])
        self._count = len(fetched)
        self.function = GraphFunction(self.graph, "session_step", jit_compile=jit_compile)
        self._captured_arrays = [tensor._value for tensor in self.graph.external_captures]  # type: ignore[attr-defined]  # eager handles
        self._run: Run
        with eager_mode(), tapes_scope(()), streams_in(resources.streams):
            program = self.function.program()
            if program.tiering is not None:
                program = program.tiering.hold(self)
        self.use(program)

    def use(self, program: Program) -> None:
        """Runs the step by a program from now on."""
        self._run = program.quiet_run()

    def run(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """Returns the arrays of the fetched tensors.

        Args: arrays: the arrays of the fed tensors.
        """
        return self._run(*arrays, *self._captured_arrays)[: self._count]

    def results(self, values: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
        """Returns the values of all tensors that were asked for, as the program gets them.

        Args:
          values: what `run` returned; the step lets go of them.
          arrays: the arrays of the fed tensors.
        """
        computed_values = iter(map(own_value, values))
        return [arrays[place] if place is not None else next(computed_values) for place in self._places]


def own_value(value: Any) -> Any:
    """Returns a value that nobody changes behind the program's back, nor the program behind the session's: a copy."""
    if type(value) is not np.ndarray:
        return value
    return value.copy() if value.ndim else value[()]


def needed_operations(roots: Iterable[Operation], fed: Collection[SymbolicTensor]) -> list[Operation]:
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


def _check_placeholders(operations: Iterable[Operation]) -> None:
    """Refuses placeholders without a fed value."""
    for operation in operations:
        if operation.op_def.traits.is_placeholder:
            shape = operation.attrs.get("shape")
            known = shape is not None and shape.rank is not None
            complaint = (
                f"You must feed a value for placeholder tensor '{operation.name}' with dtype "
                f"{runtime_name(operation.outputs[0].dtype)}"
                f"{f' and shape {text.shape_brackets(shape)}' if known else ''}"
            )
            raise step_error(errors.InvalidArgumentError, operation, complaint)


def step_error(kind: type[errors.OpError], operation: Operation, complaint: str) -> errors.OpError:
    """Returns the error of an operation of a graph, as a session raises it."""
    where = f" defined at (most recent call last):\n    {operation.source}" if operation.source is not None else ""
    message = (
        f"Graph execution error:\n\nDetected at node '{operation.name}'{where}\nNode: '{operation.name}'\n"
        f"{complaint}\n\t [[{{{{node {operation.name}}}}}]]"
    )
    error: errors.OpError = kind(operation.node_def, operation, message)  # type: ignore[call-arg]  # of a subclass
    return error


class _StepGraph:
    """The graph of a step in the making."""

    def __init__(
        self, resources: SessionResources, fed: Sequence[SymbolicTensor], operations: Sequence[Operation]
    ) -> None:
        self._resources = resources
        self._known: dict[Key, Any] = {}
        self._new: dict[Operation, Operation] = {}
        # Shapes hold in a step as in the graph, unless a value that a shape was computed from is replaced.
        self._keeps_shapes = all(tensor.op.op_def.traits.is_placeholder for tensor in fed)
        with eager_mode(), tapes_scope(()):
            self._graph = FuncGraph("session_step")
            with self._graph.as_default():
                for tensor in fed:
                    self._feed(tensor)
                for operation in operations:
                    self._carry_over(operation)

    def finish(self, outputs: Sequence[SymbolicTensor]) -> FuncGraph:
        """Returns the graph, with its outputs declared."""
        graph = self._graph
        graph.outputs = [self._known[_key(tensor)] for tensor in outputs]
        graph.control_outputs = [op for op in graph.get_operations() if op.effects.must_run]
        return graph

    def _feed(self, tensor: SymbolicTensor) -> None:
        graph = self._graph
        placeholder = graph.placeholder_like(tensor, tensor.shape, f"fed_{len(graph.inputs)}")
        graph.inputs.append(placeholder)
        self._known[_key(tensor)] = placeholder

    def _carry_over(self, operation: Operation) -> None:
        if operation.op_def.traits.makes_shared_object:
            handle = self._resources.handle(operation, lambda: values_of_inputs(self._resources, operation))
            self._known[id(operation), 0] = self._graph.capture(handle)
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


def values_of_inputs(resources: SessionResources, operation: Operation) -> list[Any]:
    """Returns the eager tensors from which an operation makes the object that a session keeps."""
    if not operation.inputs:
        return []
    arrays = Step(resources, operation.inputs, (), (), jit_compile=False).run(())
    return [EagerTensor(np.asarray(array), t.dtype) for array, t in zip(arrays, operation.inputs, strict=True)]


def _key(tensor: SymbolicTensor) -> Key:
    return id(tensor.op), tensor.value_index
