"""The tape: which ops ran on watched tensors, and what their gradients will need.

A tape gives every tensor it follows a number and remembers, per op, the numbers
of its inputs and outputs and those values that the op's gradient names. It keeps
nothing else alive: the gradient of `tanh` names its output, so the input may go.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.core import context
from millrace._src.core.op_def import OpDef
from millrace._src.core.op_signature import Arg
from millrace._src.core.tensor import SymbolicTensor, tape_id


class GradientPlan:
    """What the gradient of one op asks for, read off its parameters once."""

    __slots__ = ("function", "output_count", "names")

    def __init__(self, op: OpDef) -> None:
        assert op.gradient is not None
        self.function = op.gradient
        parameters = list(inspect.signature(op.gradient).parameters.values())
        self.output_count = len(op.signature.outputs)
        self.names = tuple(p.name for p in parameters[self.output_count :])


@functools.cache
def gradient_plan(op: OpDef) -> GradientPlan | None:
    """The plan of an op's gradient, or None if it has none."""
    return None if op.gradient is None else GradientPlan(op)


class Entry:
    """One op on a tape."""

    __slots__ = ("op", "attrs", "input_ids", "output_ids", "output_specs", "saved", "backward", "scope")

    def __init__(
        self,
        op: OpDef,
        attrs: dict[str, Any],
        input_ids: tuple[int, ...],
        output_ids: tuple[int, ...],
        output_specs: tuple[Any, ...],
        saved: dict[str, Any],
        backward: Callable[..., Any] | None = None,
        scope: str | None = None,
    ) -> None:
        self.op = op
        self.attrs = attrs
        self.input_ids = input_ids
        self.output_ids = output_ids
        self.output_specs = output_specs
        self.saved = saved
        self.backward = backward
        self.scope = scope
        """The name scope of the gradient's nodes in a graph."""


def is_trainable(dtype: Any) -> bool:
    """Whether gradients flow through tensors of a dtype."""
    return dtype.is_floating or dtype.is_complex or dtype.name in ("resource", "variant")


class Tape:
    """A recorder of ops; `GradientTape` owns one."""

    def __init__(self, *, watch_accessed_variables: bool = True, persistent: bool = False) -> None:
        self.entries: list[Entry] = []
        self.watched: set[int] = set()
        self.variables: dict[int, Any] = {}
        self.watch_accessed_variables = watch_accessed_variables
        self.persistent = persistent
        """Whether the tape may record its own gradient."""

    def watch(self, tensor: Any) -> None:
        """Follows a tensor from now on."""
        self.watched.add(tape_id(tensor))

    def watch_variable(self, variable: Any) -> None:
        """Follows a variable through its handle."""
        self.variables[id(variable)] = variable
        self.watch(variable.handle)

    def variable_accessed(self, variable: Any) -> None:
        """Called when a variable is read."""
        if self.watch_accessed_variables and variable.trainable:
            self.watch_variable(variable)

    def record(self, op: OpDef, inputs: Sequence[Any], outputs: Sequence[Any], attrs: dict[str, Any]) -> None:
        """Notes an op that was carried out, if it touches a watched tensor."""
        watched = self.watched
        ids = [getattr(t, "_tape_id", 0) for t in inputs]
        if watched.isdisjoint(ids):
            return
        plan = gradient_plan(op)
        if plan is None and op.not_differentiable is not None:
            return
        input_ids = tuple(i if i in watched and is_trainable(t.dtype) else 0 for i, t in zip(ids, inputs, strict=True))
        if not any(input_ids):
            return
        output_ids = self._follow(outputs)
        if not any(output_ids):
            return
        rule = operation_rule(op, outputs[0])
        if rule is not None:
            entry = Entry(op, attrs, input_ids, output_ids, tuple(outputs), {}, rule)
            self.entries.append(entry)
            outputs[0].op.recordings.append((self, entry))
            return
        saved = {} if plan is None else saved_values(op, plan.names, inputs, outputs, attrs)
        self.entries.append(Entry(op, attrs, input_ids, output_ids, _specs(outputs), saved))

    def record_function(
        self, name: OpDef, inputs: Sequence[Any], outputs: Sequence[Any], backward: Callable[..., Any]
    ) -> None:
        """Notes a computation with its own backward function: `backward(*output_gradients) -> input gradients`."""
        ids = [getattr(t, "_tape_id", 0) for t in inputs]
        input_ids = tuple(i if i in self.watched else 0 for i in ids)
        if not any(input_ids):
            return
        self.entries.append(Entry(name, {}, input_ids, self._follow(outputs), _specs(outputs), {}, backward))

    def follow_added_outputs(self, entry: Entry, outputs: Sequence[Any]) -> None:
        """Takes note of outputs that an operation was given after it was recorded."""
        entry.output_ids += self._follow(outputs)
        entry.output_specs += tuple(outputs)

    def _follow(self, outputs: Sequence[Any]) -> tuple[int, ...]:
        ids = tuple(tape_id(t) if is_trainable(t.dtype) else 0 for t in outputs)
        self.watched.update(ids)
        self.watched.discard(0)
        return ids


def operation_rule(op: OpDef, output: Any) -> Callable[..., Any] | None:
    """How one particular operation of a graph is differentiated, where that is not its op's gradient.

    An op that holds graphs changes the operation itself; `tf.custom_gradient` gives an operation a rule of its own.
    """
    if not isinstance(output, SymbolicTensor):
        return None
    operation = output.op
    rule = operation.gradient_override or op.operation_gradient
    return None if rule is None else lambda *dys: rule(operation, dys)


def _specs(outputs: Sequence[Any]) -> tuple[Any, ...]:
    """What is needed to make zeros like an output: nothing for a lone output, whose gradient always exists."""
    if len(outputs) == 1:
        return (None,)
    return tuple((t.shape, t.dtype) if t.shape.is_fully_defined() else t for t in outputs)


def saved_values(
    op: OpDef, names: Sequence[str], inputs: Sequence[Any], outputs: Sequence[Any], attrs: dict[str, Any]
) -> dict[str, Any]:
    """The inputs, outputs and attributes that a gradient asks for by name."""
    signature = op.signature
    saved: dict[str, Any] = {}
    for name in names:
        if name in attrs:
            saved[name] = attrs[name]
            continue
        found = _argument(signature.inputs, name, inputs, attrs)
        saved[name] = _argument(signature.outputs, name, outputs, attrs) if found is None else found
    return saved


def _argument(args: Sequence[Arg], name: str, tensors: Sequence[Any], attrs: dict[str, Any]) -> Any:
    start = 0
    for arg in args:
        size = 1
        if arg.is_list:
            size = len(attrs[arg.type_list_attr]) if arg.type_list_attr else attrs[arg.number_attr or ""]
        if arg.name == name:
            return list(tensors[start : start + size]) if arg.is_list else tensors[start]
        start += size
    return None


def push(tape: Any) -> None:
    """Starts recording on a tape in this thread."""
    context.set_tapes((*context.state.tapes, tape))


def pop(tape: Any) -> None:
    """Stops recording on a tape in this thread."""
    context.set_tapes(tuple(t for t in context.state.tapes if t is not tape))
