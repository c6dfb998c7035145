"""A sample called: its op, its flat tensors, and the same call with other tensors."""

from __future__ import annotations

from typing import Any

import millrace as tf
from millrace._src.core import context
from millrace._src.core.dispatch import BoundCall
from millrace._src.core.op_def import OpDef
from millrace._src.core.op_registry import get_op
from tests.contracts.sample import Sample


def call(sample: Sample) -> tuple[OpDef, list[Any], dict[str, Any], list[Any]]:
    """The op, its flat input tensors, complete attributes, and the results of an eager call."""
    op = get_op(sample.op)
    recorded: list[Any] = []

    class Recorder:
        watched = frozenset()

        def record(self, op: OpDef, inputs: Any, outputs: Any, attrs: dict[str, Any]) -> None:
            recorded.append((list(inputs), list(outputs), attrs))

        def record_call(self, call: BoundCall, inputs: Any, outputs: Any) -> None:
            self.record(call.op, inputs, outputs, call.attrs)

    with context.tapes_scope((Recorder(),)):
        getattr(tf.raw_ops, sample.op)(
            **dict(zip(op.signature.input_names, sample.inputs, strict=True)), **sample.attrs
        )
    inputs, outputs, attrs = next(r for r in recorded if len(recorded) == 1 or r[1])
    return op, inputs, attrs, outputs


def call_with(sample: Sample, flat: list[Any], attrs: dict[str, Any]) -> list[Any]:
    """The flat results of the sample's op on other tensors, with the sample's attributes."""
    arguments = regroup(get_op(sample.op), flat, attrs)
    results: list[Any] = tf.nest.flatten(getattr(tf.raw_ops, sample.op)(**arguments, **sample.attrs))
    return results


def constants(op: OpDef, attrs: dict[str, Any]) -> list[bool]:
    """For each flat input, whether it must be known when XLA compiles."""
    flags: list[bool] = []
    for arg in op.signature.inputs:
        size = 1
        if arg.is_list:
            size = len(attrs[arg.type_list_attr]) if arg.type_list_attr else attrs[arg.number_attr]
        flags += [arg.name in op.traits.constant_inputs] * size
    return flags


def regroup(op: OpDef, flat: list[Any], attrs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by name, from its flat tensors."""
    grouped: dict[str, Any] = {}
    remaining = list(flat)
    for arg in op.signature.inputs:
        if arg.is_list:
            size = len(attrs[arg.type_list_attr]) if arg.type_list_attr else attrs[arg.number_attr]
            grouped[arg.name], remaining = remaining[:size], remaining[size:]
        else:
            grouped[arg.name] = remaining.pop(0)
    return grouped
