"""A step: the part of a graph that one set of fetches needs, as a function from fed values to fetched values.

Problem: a session runs any part of its graph, with any tensors replaced by fed values, and a program asks for the same
few parts again and again.

Idea: the operations that the fetches need are carried over into the graph of a function, once. Fed tensors become the
function's inputs. The objects of the session (variables, queues, tables) are captured. Such a function runs on the
tiers like every other: it starts on NumPy and moves to XLA where that is faster.

Tests: tests/compat_v1/session/test_session.py, tests/compat_v1/session/test_partial_runs.py
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from millrace._src.compat_v1.session.resources import SessionResources
from millrace._src.compat_v1.subgraphs import Subgraph, find_needed_operations
from millrace._src.core import errors
from millrace._src.core.context import eager_mode, tapes_scope
from millrace._src.core.dtypes import runtime_name
from millrace._src.core.engine import Program, Run
from millrace._src.core.resources import VariableStorage
from millrace._src.core.tensor import EagerTensor, SymbolicTensor
from millrace._src.function.graph_function import GraphFunction
from millrace._src.graph.operation import Operation
from millrace._src.ops.random.seeds import streams_in
from millrace._src.ops.state import value_of
from millrace._src.util import text


class SessionStep:
    """The function of one set of fetches and fed tensors.

    Args:
      resources: the objects of the session.
      fetched: the tensors whose values are asked for.
      targets: the operations that run besides.
      fed: the tensors whose values come from outside.
      on_host: whether the host always runs the function; else the engine that measures fastest does.
      done: operations that have run already, in an earlier part of a run in parts.
    """

    def __init__(
        self,
        resources: SessionResources,
        fetched: Sequence[SymbolicTensor],
        targets: Sequence[Operation],
        fed: Sequence[SymbolicTensor],
        on_host: bool = False,
        done: Collection[Operation] = (),
    ) -> None:
        self._kept = fetched, targets, fed  # so that nothing else gets their identities
        fed_indices = {id(tensor): index for index, tensor in enumerate(fed)}
        self._indices = [fed_indices.get(id(tensor)) for tensor in fetched]
        fetched = [tensor for tensor in fetched if id(tensor) not in fed_indices]
        needed = find_needed_operations([*(t.op for t in fetched), *targets], fed)
        operations = [operation for operation in needed if operation not in done]
        _check_placeholders(operations)
        pure_targets = [op.outputs[0] for op in targets if op.outputs and not op.effects.must_run]
        part = Subgraph("session_step", fed, operations, functools.partial(_object_of, resources))
        self.graph = part.finish([*fetched, *pure_targets])
        self._count = len(fetched)
        self.function = GraphFunction(self.graph, "session_step", on_host=on_host)
        self._captured_arrays = [tensor._eager_array for tensor in self.graph.external_captures]  # type: ignore[attr-defined]  # eager handles
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
        return [arrays[index] if index is not None else next(computed_values) for index in self._indices]


def own_value(value: object) -> Any:
    """Returns a copy of a value, which no code outside of the session changes."""
    if type(value) is not np.ndarray:
        return value
    if value.ndim:
        return value.copy()
    content: Any = value[()]
    # `w:0` is the handle of a variable here, and the value of the reference variable in the program.
    return own_value(value_of(content)) if type(content) is VariableStorage else content


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


def _object_of(resources: SessionResources, operation: Operation) -> EagerTensor | None:
    """Returns the handle of the object of the session that an operation refers to; None for any other operation."""
    if not operation.op_def.traits.makes_shared_object:
        return None
    try:
        return resources.handle(operation, lambda: values_of_inputs(resources, operation))
    except errors.OpError as error:
        if error.failed_node is not None or error.op is not None:
            raise
        raise step_error(type(error), operation, error.complaint or error.message) from error


def values_of_inputs(resources: SessionResources, operation: Operation) -> list[Any]:
    """Returns the eager tensors from which an operation makes the object that a session keeps."""
    if not operation.inputs:
        return []
    arrays = SessionStep(resources, operation.inputs, (), (), on_host=True).run(())
    return [EagerTensor(np.asarray(array), t.dtype) for array, t in zip(arrays, operation.inputs, strict=True)]
