"""The form of a graph: a key that is equal for graphs that compute the same thing in the same way.

Problem: some functions are traced at every call, because their Python code must run, and the trace mostly is the graph
of the call before. Rewriting and compiling that graph takes much longer than tracing it.

Idea: what a program depends on is written down as a tuple of plain values: for each operation its op, name, inputs,
attributes, shapes, and the place in the user's program that errors name. Two graphs of the same form can share a
program. Graphs with effects have no form, for a second graph has its own random streams and its own counters; neither
have graphs that hold large constants or other graphs, which would take longer to write down than to compile.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.op_def import Effects

_LARGEST_CONSTANT = 4096
"""Bytes."""


def form_of(graph: Any, outputs: Sequence[Any]) -> Hashable | None:
    """Returns the form of a graph, or None if it has none.

    Args:
      graph: the `FuncGraph`; its captures are told from its other placeholders.
      outputs: the tensors of the graph that a program would return.
    """
    numbers: dict[int, int] = {}
    parts: list[Hashable] = []
    for operation in graph.get_operations():
        numbers[id(operation)] = len(numbers)
        part = _part(operation, numbers)
        if part is None:
            return None
        parts.append(part)
    captures = tuple([numbers[id(inner.op)] for _, inner in graph.captures])
    return tuple(parts), captures, tuple([(numbers[id(t.op)], t.value_index) for t in outputs])


def _part(operation: Any, numbers: dict[int, int]) -> Hashable | None:
    """Returns the part of a form that one operation decides, or None if there is no form."""
    op = operation.op_def
    is_pure = op.traits.is_placeholder or operation.effects in (Effects.NONE, Effects.READS)
    if not is_pure or op.holds_graphs or not op.traits.cacheable:
        return None
    attrs = [_attribute(value) for value in operation.attrs.values()]
    source = operation.source
    part = (
        op,
        operation.name,
        tuple([(numbers[id(t.op)], t.value_index) for t in operation.inputs]),
        tuple(operation.attrs),
        tuple(attrs),
        tuple([(t.dtype, t.shape, t.handle_type) for t in operation.outputs]),
        tuple([numbers[id(other)] for other in operation.control_inputs]),
        operation.device,
        operation.gradient_override,
        source and (id(source.code), source.lasti),  # the program keeps the code object alive
    )
    try:
        hash(part)
    except TypeError:  # a large array, or an attribute that is no plain value
        return None
    return part


def _attribute(value: Any) -> Any:
    """Returns an attribute as a key: a small array as its bytes, anything else unchanged."""
    if isinstance(value, np.ndarray) and value.dtype.kind != "O" and value.nbytes <= _LARGEST_CONSTANT:
        return value.dtype, value.shape, value.tobytes()
    return value
