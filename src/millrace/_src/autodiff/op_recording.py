"""What a tape notes of an eager op call, worked out once for all calls with the same dtypes and attributes.

A tape records thousands of calls a second. So a `Recording` keeps the facts that a call shares with like calls: which
inputs can have a gradient, which values the gradient names, and whether it reads the values or only their shapes. The
call itself is noted as a tuple, a `PackedEntry`, which a sweep unpacks when the sweep comes to the call.

Tests: tests/autodiff/test_backprop.py, tests/autodiff/test_tape.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from millrace._src.autodiff.gradient_plan import gradient_plan, stand_in, stand_in_of
from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.dispatch import BoundCall
from millrace._src.core.dtypes import ALL_DTYPES, DType
from millrace._src.core.op_signature import argument_indices
from millrace._src.core.shapes import TensorShape

PackedEntry: TypeAlias = "tuple[Recording, Sequence[int], Sequence[int], Sequence[Any], Sequence[tuple[int, ...]]]"
"""A call on a tape: its recording, the numbers of its inputs and outputs (0: not followed), values and shapes."""

_TRAINABLE = frozenset(
    dtype
    for plain in ALL_DTYPES
    for dtype in (plain, plain._as_ref)
    if dtype.is_floating or dtype.is_complex or dtype.is_handle
)


def is_trainable(dtype: DTypeLike) -> bool:
    """Returns whether gradients flow through tensors of a dtype."""
    return dtype in _TRAINABLE


class Recording:
    """Records the calls of one op with the same dtypes and attributes.

    The tensors of a call are numbered: its flat inputs first, then its flat outputs.
    """

    __slots__ = (
        "call",
        "plan",
        "follows",
        "follows_all",
        "value_positions",
        "shape_positions",
        "constant_positions",
        "may_compile",
        "_attrs",
        "_saved_positions",
        "_readers",
        "_dtypes",
    )

    def __init__(self, call: BoundCall) -> None:
        op, attrs = call.op, call.attrs
        self.call = call
        self.plan = plan = gradient_plan(op)
        self.follows = tuple(dtype in _TRAINABLE for dtype in call.output_dtypes)
        """For each flat output whether a gradient can flow into it."""
        self.follows_all = all(self.follows)
        self._dtypes = (*call.dtypes, *call.output_dtypes)
        arguments = [
            *argument_indices(op.signature.outputs, attrs, len(call.dtypes)),
            *argument_indices(op.signature.inputs, attrs),
        ]
        at = {arg.name: where if arg.is_list else where.start for arg, where in arguments}  # an input hides an output
        names = plan.names if plan is not None else ()
        self._attrs = {name: attrs[name] for name in names if name in attrs}
        self._saved_positions = {name: at[name] for name in names if name not in attrs}
        self._readers = self._position_readers(at)
        unread = {p for p, readers in self._readers.items() if not readers}
        saved_positions = dict.fromkeys(p for position in self._saved_positions.values() for p in _all(position))
        self.value_positions = tuple(p for p in saved_positions if p not in unread)
        """The tensors whose values the gradient reads."""
        outputs = range(len(call.dtypes), len(self._dtypes)) if len(call.output_dtypes) > 1 else ()
        self.shape_positions = tuple(dict.fromkeys([*(p for p in saved_positions if p in unread), *outputs]))
        """The tensors of which the gradient takes only the shape, or zeros of that shape."""
        constants = {
            p for name in op.traits.constant_inputs for p in _all(at[name]) if not is_trainable(self._dtypes[p])
        }
        self.constant_positions = tuple(i for i, p in enumerate(self.value_positions) if p in constants)
        """The positions of the values that say axes or shapes: rules read such values while they build nodes."""
        kinds = {self._dtypes[p].np_dtype.kind for p in saved_positions}
        self.may_compile = "O" not in kinds and not (plan is not None and plan.runs_python)
        """Whether the gradient is a function of arrays alone."""

    def _position_readers(self, at: Mapping[str, Any]) -> dict[int, frozenset[int]]:
        """Returns, for each tensor that only the gradients of some inputs read, the positions of those inputs."""
        if self.plan is None:
            return {}
        arguments = [at[name] for name in self.call.op.signature.input_names]
        return {
            position: frozenset(p for reader in readers for p in _all(arguments[reader]))
            for name, readers in self.plan.unread
            for position in _all(at[name])
            if self._dtypes[position].np_dtype.kind != "O"
        }

    def constants(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Returns the values that say axes and shapes, as bytes, which can be part of a key."""
        return tuple([values[i]._eager_array.tobytes() for i in self.constant_positions])

    def values(self, tensors: Sequence[Any], input_ids: Sequence[int]) -> Sequence[Any]:
        """Returns the tensors of a call that a tape keeps: those that the gradients of the followed inputs read."""
        values = [tensors[p] for p in self.value_positions]
        if self._readers and 0 in input_ids:
            followed = {position for position, number in enumerate(input_ids) if number}
            for index, position in enumerate(self.value_positions):
                readers = self._readers.get(position)
                if readers is not None and readers.isdisjoint(followed):
                    values[index] = stand_in(values[index])
        return values

    def shape_stand_ins(self, shapes: Sequence[tuple[int, ...]]) -> list[Any]:
        """Makes tensors of these shapes, in the order of `shape_positions`, that hold a single element."""
        return [self._stand_in(p, s) for p, s in zip(self.shape_positions, shapes, strict=True)]

    def shape_dtypes(self) -> list[DType]:
        """Returns the dtypes of the tensors whose shapes are kept."""
        return [self._dtypes[p] for p in self.shape_positions]

    def _stand_in(self, position: int, shape: tuple[int, ...]) -> Any:
        return stand_in_of(shape, self._dtypes[position])

    def gather_saved(self, values: Sequence[Any], stand_ins: Sequence[Any]) -> dict[str, Any]:
        """Returns the values that the gradient asks for, by name."""
        stand_in_of = dict(zip(self.shape_positions, stand_ins, strict=True))
        stand_in_of.update(zip(self.value_positions, values, strict=True))  # an output may be there twice
        values_by_name = dict(self._attrs)
        for name, position in self._saved_positions.items():
            values_by_name[name] = (
                stand_in_of[position] if isinstance(position, int) else [stand_in_of[p] for p in position]
            )
        return values_by_name

    def output_specs(self, shapes: Sequence[tuple[int, ...]]) -> tuple[Any, ...]:
        """Returns the shapes and dtypes from which zeros are made for outputs; none for a single output."""
        if len(self.follows) == 1:
            return (None,)
        shape_of = dict(zip(self.shape_positions, shapes, strict=True))
        first_output = len(self.call.dtypes)
        return tuple((TensorShape.of(shape_of[p]), self._dtypes[p]) for p in range(first_output, len(self._dtypes)))


_rules = object()
"""Stands for the gradients that ops have now; another object once one has changed."""


def recording_of(call: BoundCall) -> Recording | None:
    """Returns the recording of a call, or None if no gradient flows through the call; computed once for a call."""
    rules, recording = call.recording
    if rules is _rules:
        return recording
    recording = Recording(call)
    stops = recording.plan is None and call.op.traits.not_differentiable is not None
    if stops or not any(recording.follows):
        recording = None
    call.recording = _rules, recording
    return recording


def forget_rules() -> None:
    """Makes all recordings invalid; to be called when the gradient of an op has changed."""
    global _rules
    gradient_plan.cache_clear()
    _rules = object()


def _all(position: Any) -> Sequence[int]:
    return (position,) if type(position) is int else position
