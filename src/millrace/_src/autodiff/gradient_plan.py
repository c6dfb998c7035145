"""The values that the gradient of an op asks for, by the names of the gradient's parameters.

A gradient function takes the output gradients first, then by name the inputs, outputs and attributes that it uses. The
plan reads these names once per op; `gather_values` picks the named values out of a call.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from types import FunctionType
from typing import Any

import numpy as np

from millrace._src.core.dtypes import DType
from millrace._src.core.indexed_slices import IndexedSlices, dense
from millrace._src.core.op_def import OpDef
from millrace._src.core.op_registry import LateRule
from millrace._src.core.op_signature import Arg, argument_indices
from millrace._src.core.tensor import EagerTensor


class GradientPlan:
    """The values that the gradient of one op asks for, read off the gradient's parameters once."""

    __slots__ = (
        "function",
        "accepts_slices",
        "output_count",
        "names",
        "unread",
        "takes_none",
        "runs_python",
        "is_plain",
        "positions",
    )

    def __init__(self, op: OpDef) -> None:
        assert op.rules.gradient is not None
        self.function = op.rules.gradient
        parameters = list(inspect.signature(op.rules.gradient).parameters.values())
        self.accepts_slices = op.rules.accepts_slices
        self.output_count = len(op.signature.outputs)
        self.names = tuple(p.name for p in parameters[self.output_count :])
        self.unread = _unread(op)
        """Names of values that only some gradients read, each with the positions of the inputs of those gradients."""
        self.takes_none = tuple(arg.name in op.rules.accepts_none for arg in op.signature.outputs)
        """For each output, whether the rule takes None for a missing gradient; other rules get zeros."""
        self.runs_python = getattr(op.rules.gradient, "runs_python", False)
        """Whether the gradient is the user's own Python code."""
        self.is_plain = op.has_single_output and not op.has_list_arguments
        """Whether the op takes and returns single tensors, one of them the result."""
        self.positions = self._positions(op) if self.is_plain else ()

    def as_accepted(self, output_gradients: Sequence[Any]) -> Sequence[Any]:
        """Returns the gradients of the outputs as the rule takes them: sparse gradients as tensors if it must be so."""
        if self.accepts_slices or not any(isinstance(g, IndexedSlices) for g in output_gradients):
            return output_gradients
        return list(map(dense, output_gradients))

    def without_unread(self, saved: dict[str, Any], wanted: Sequence[int]) -> None:
        """Replaces by stand-ins the values that no gradient of a `wanted` input reads; 0 means not wanted."""
        for name, readers in self.unread:
            if not any(wanted[position] for position in readers):
                value = saved[name]
                saved[name] = [stand_in(v) for v in value] if type(value) is list else stand_in(value)

    def _positions(self, op: OpDef) -> tuple[tuple[str, int], ...]:
        """Returns the position of each named value: the number of an input, -1 for the output, -2 for an attribute."""
        inputs, outputs = op.signature.input_names, [arg.name for arg in op.signature.outputs]
        return tuple(
            (name, inputs.index(name) if name in inputs else -1 if name in outputs else -2) for name in self.names
        )

    def gather_saved(self, inputs: Sequence[Any], output: object, attrs: dict[str, Any]) -> dict[str, Any]:
        """Returns the values that the gradient of a plain op asks for."""
        return {
            name: inputs[position] if position >= 0 else output if position == -1 else attrs.get(name)
            for name, position in self.positions
        }


def _unread(op: OpDef) -> tuple[tuple[str, tuple[int, ...]], ...]:
    declared_reads: dict[str, tuple[str, ...]] = getattr(op.rules.gradient, "values_for", {})
    positions = {name: position for position, name in enumerate(op.signature.input_names)}
    return tuple((name, tuple(positions[reader] for reader in readers)) for name, readers in declared_reads.items())


def stand_in(value: object) -> Any:
    """Returns a tensor of the shape and dtype of an eager tensor that holds one element; other values unchanged."""
    if type(value) is not EagerTensor or value.dtype.np_dtype.kind == "O":
        return value
    return stand_in_of(value._eager_array.shape, value.dtype)


@functools.lru_cache(maxsize=1024)
def stand_in_of(shape: tuple[int, ...], dtype: DType) -> EagerTensor:
    """Makes a tensor that holds one element, NaN, so that a rule that reads the tensor by mistake shows at once."""
    content = np.nan if dtype.is_floating or dtype.is_complex else 0
    return EagerTensor(np.broadcast_to(np.array(content, dtype.np_dtype), shape), dtype)


@functools.cache  # finite: one entry an op
def gradient_plan(op: OpDef) -> GradientPlan | None:
    """Returns the plan of an op's gradient, or None if the op has no gradient."""
    if isinstance(op.rules.gradient, LateRule):
        op.rules.gradient.load()  # a plan looks at the parameters of the rule itself
    return None if op.rules.gradient is None else GradientPlan(op)


def compute_gradient(gradient: object) -> Any:
    """Returns the gradient that a rule gives for an input; calls a function that computes a gradient on demand."""
    return gradient() if type(gradient) is FunctionType else gradient


def gather_values(
    op: OpDef, names: Sequence[str], inputs: Sequence[Any], outputs: Sequence[Any], attrs: dict[str, Any]
) -> dict[str, Any]:
    """Returns the inputs, outputs and attributes that a gradient asks for by name."""
    signature = op.signature
    values: dict[str, Any] = {}
    for name in names:
        if name in attrs:
            values[name] = attrs[name]
            continue
        value = _argument(signature.inputs, name, inputs, attrs)
        values[name] = _argument(signature.outputs, name, outputs, attrs) if value is None else value
    return values


def _argument(args: Sequence[Arg], name: str, tensors: Sequence[Any], attrs: dict[str, Any]) -> Any:
    for arg, at in argument_indices(args, attrs):
        if arg.name == name:
            return list(tensors[at.start : at.stop]) if arg.is_list else tensors[at.start]
    return None
