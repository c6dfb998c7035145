"""The tape: the ops that ran on watched tensors, and the values that the gradients of the ops need.

A tape gives every tensor that it follows a number. For each op the tape remembers the numbers of the inputs and
outputs, and the values that the op's gradient names. The tape keeps nothing else alive: the gradient of `tanh` names
the output, so the input may be freed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.autodiff.gradient_plan import gather_values, gradient_plan
from millrace._src.autodiff.gradient_registry import operation_rule
from millrace._src.autodiff.op_recording import PackedEntry, is_trainable, recording_of
from millrace._src.core import context
from millrace._src.core.dispatch import BoundCall
from millrace._src.core.op_def import OpDef
from millrace._src.core.tensor import EagerTensor, next_tape_id, tape_id
from millrace._src.graph import rewriting


class TapeEntry:
    """One op on a tape."""

    __slots__ = ("op", "attrs", "input_ids", "output_ids", "output_specs", "saved", "backward", "scope")

    def __init__(
        self,
        op: OpDef,
        attrs: dict[str, Any],
        input_ids: Sequence[int],
        output_ids: Sequence[int],
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


class Tape:
    """A recorder of ops; `GradientTape` owns one."""

    is_forward = False
    """Whether the recorder computes tangents as the ops run."""

    def __init__(self, *, watch_accessed_variables: bool = True, persistent: bool = False) -> None:
        self.entries: list[TapeEntry | PackedEntry] = []
        self.watched: set[int] = set()
        """The numbers of the tensors that the tape follows, which are of trainable dtypes."""
        self.variables: dict[int, Any] = {}
        self.watch_accessed_variables = watch_accessed_variables
        self.persistent = persistent
        """Whether the tape may record its own gradient."""

    def watch(self, tensor: Any) -> None:
        """Follows a tensor from now on, if the tensor can have a gradient."""
        if is_trainable(tensor.dtype):
            self.watched.add(tape_id(tensor))

    def watches(self, number: int) -> bool:
        """Returns whether the tensor of this number is followed."""
        return number in self.watched

    def watch_variable(self, variable: Any) -> None:
        """Follows a variable through its handle."""
        self.variables[id(variable)] = variable
        self.watch(variable.handle)

    def variable_accessed(self, variable: Any) -> None:
        """Follows a trainable variable that is used."""
        if self.watch_accessed_variables and variable.trainable:
            self.watch_variable(variable)

    def variable_read(self, variable: Any, call: BoundCall, value: EagerTensor) -> None:
        """Notes that the value of a variable was read eagerly; `call` is the op call to which the read amounts."""
        handle = variable.handle
        number = handle._tape_id or tape_id(handle)
        if self.watch_accessed_variables and variable.trainable:
            self.variables[id(variable)] = variable
            self.watched.add(number)
        elif number not in self.watched:
            return
        recording = recording_of(call)
        if recording is not None:
            self.entries.append((recording, (number,), self._follow_all((value,)), (), ()))

    def record_call(self, call: BoundCall, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Notes an eager op call that was run, if an input is a watched tensor."""
        watched_numbers = self.watched
        ids = [t._tape_id for t in inputs]
        if watched_numbers.isdisjoint(ids):
            return
        recording = recording_of(call)
        if recording is None:
            return
        input_ids = [i if i in watched_numbers else 0 for i in ids]
        output_ids = self._follow_all(outputs) if recording.follows_all else self._follow(outputs)
        tensors = (*inputs, *outputs)
        values = recording.values(tensors, input_ids) if recording.value_positions else ()
        shapes = [tensors[p]._eager_array.shape for p in recording.shape_positions] if recording.shape_positions else ()
        self.entries.append((recording, input_ids, output_ids, values, shapes))

    def record(self, op: OpDef, inputs: Sequence[Any], outputs: Sequence[Any], attrs: dict[str, Any]) -> None:
        """Notes an op that was run, or became a node of a graph, if an input is a watched tensor."""
        watched_numbers = self.watched
        ids = [getattr(t, "_tape_id", 0) for t in inputs]
        if watched_numbers.isdisjoint(ids):
            return
        plan = gradient_plan(op)
        if plan is None and op.traits.not_differentiable is not None:
            return
        input_ids = tuple([i if i in watched_numbers else 0 for i in ids])
        output_ids = self._follow(outputs)
        if not any(output_ids):
            return
        entry = TapeEntry(op, attrs, input_ids, output_ids, tuple(outputs), {})
        rule = operation_rule(op, outputs[0], lambda: entry.input_ids)  # an operation may be given inputs later
        if rule is not None:
            entry.backward = rule
            self.entries.append(entry)
            rewriting.watch(outputs[0].op, self, entry)
            return
        saved_tensors = {} if plan is None else gather_values(op, plan.names, inputs, outputs, attrs)
        if plan is not None and plan.unread:
            plan.without_unread(saved_tensors, input_ids)
        self.entries.append(TapeEntry(op, attrs, input_ids, output_ids, output_specs(outputs), saved_tensors))

    def record_function(
        self,
        name: OpDef,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        backward: Callable[..., Any],
        *,
        takes_none: bool = False,
    ) -> None:
        """Notes a computation with its own backward function: `backward(*output_gradients) -> input gradients`.

        The function gets zeros for an output without a gradient, or None if `takes_none`.
        """
        ids = [getattr(t, "_tape_id", 0) for t in inputs]
        input_ids = tuple(i if i in self.watched else 0 for i in ids)
        if not any(input_ids):
            return
        specs = (None,) * len(outputs) if takes_none else output_specs(outputs)
        self.entries.append(TapeEntry(name, {}, input_ids, self._follow(outputs), specs, {}, backward))

    def operation_extended(
        self, entry: TapeEntry, inputs: Sequence[Any], outputs: Sequence[Any], *, follows: bool
    ) -> None:
        """Takes note of inputs and outputs that an operation was given after the tape recorded the operation.

        Args:
          entry: the tape's entry for the operation.
          inputs: the further inputs.
          outputs: the further outputs.
          follows: whether gradients flow through the further inputs and outputs.
        """
        input_numbers = [tape_id(t) if follows else 0 for t in inputs]
        entry.input_ids = (*entry.input_ids, *[number if number in self.watched else 0 for number in input_numbers])
        entry.output_ids = (*entry.output_ids, *(self._follow(outputs) if follows else (0,) * len(outputs)))
        entry.output_specs += tuple(outputs) if follows else (None,) * len(outputs)

    def _follow_all(self, outputs: Sequence[EagerTensor]) -> Sequence[int]:
        ids = []
        for tensor in outputs:
            number = tensor._tape_id
            if not number:
                number = tensor._tape_id = next_tape_id()
            ids.append(number)
        self.watched.update(ids)
        return ids

    def _follow(self, outputs: Sequence[Any]) -> tuple[int, ...]:
        ids = tuple([tape_id(t) if is_trainable(t.dtype) else 0 for t in outputs])
        self.watched.update(ids)
        self.watched.discard(0)
        return ids


def unpack_entry(entry: TapeEntry | PackedEntry) -> TapeEntry:
    """Returns an entry in the form of a sweep."""
    if isinstance(entry, TapeEntry):
        return entry
    recording, input_ids, output_ids, values, shapes = entry
    return TapeEntry(
        recording.call.op,
        recording.call.attrs,
        input_ids,
        output_ids,
        recording.output_specs(shapes),
        recording.gather_saved(values, recording.shape_stand_ins(shapes)),
    )


def output_specs(outputs: Sequence[Any]) -> tuple[Any, ...]:
    """Returns shapes and dtypes for zeros like the outputs; none for a single output, which always has a gradient."""
    if len(outputs) == 1:
        return (None,)
    return tuple((t.shape, t.dtype) if t.shape.is_fully_defined() else t for t in outputs)


class VariableWatcher:
    """A tape that records nothing, and notifies the outer tapes of the variables that are read."""

    is_forward = False
    persistent = False

    def __init__(self, tapes: Sequence[Any]) -> None:
        self.watched: frozenset[int] = frozenset()
        self._tapes = tapes

    def watches(self, number: int) -> bool:
        """Returns whether one of the outer tapes follows the tensor of this number."""
        return any(tape.watches(number) for tape in self._tapes)

    def record(self, *args: object, **options: object) -> None:
        """Ignores an op: the graph in which the op runs is recorded as a whole."""

    record_call = record_function = record

    def variable_read(self, variable: object, call: BoundCall, value: EagerTensor) -> None:
        """Passes on a read of a variable."""
        self.variable_accessed(variable)

    def variable_accessed(self, variable: object) -> None:
        """Passes on a read of a variable."""
        for tape in self._tapes:
            tape.variable_accessed(variable)


def push(tape: object) -> None:
    """Starts recording on a tape in this thread."""
    context.set_tapes((*context.state.tapes, tape))


def pop(tape: object) -> None:
    """Stops recording on a tape in this thread."""
    context.set_tapes(tuple(t for t in context.state.tapes if t is not tape))
