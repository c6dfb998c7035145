"""What the gradient of an op asks for, by the names of its parameters.

A gradient function takes the output gradients first, then by name the inputs, outputs and attributes it uses. The plan
reads these names once per op; `saved_values` picks what they stand for out of a call.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from typing import Any

from millrace._src.core.op_def import OpDef
from millrace._src.core.op_signature import Arg


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
