"""The form of a graph: a key that is equal for graphs that compute the same thing in the same way.

Problem: some functions are traced at every call, because their Python code must run, and the trace mostly is the graph
of the call before. Rewriting and compiling that graph takes much longer than tracing it.

Idea: what a program depends on is written down as a tuple of plain values: for each operation its op, name, inputs,
attributes, shapes, and the location in the user's program that errors name. Two graphs of the same form can share a
program. Graphs with effects have no form, for a second graph has its own random streams and its own counters; neither
have graphs that hold large constants or other graphs, which would take longer to write down than to compile.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from millrace._src.core.op_def import Effects
from millrace._src.core.source_trace import SourceFrame

if TYPE_CHECKING:
    from millrace._src.graph.operation import Operation

_LARGEST_CONSTANT = 4096
"""Bytes."""


class Form:
    """A form; it is looked up several times in a call, and its many parts are hashed once.

    Args: parts: plain values.

    Raises: TypeError: if a part cannot be hashed.
    """

    __slots__ = ("_parts", "_hash")

    def __init__(self, *parts: Hashable) -> None:
        self._parts = parts
        self._hash = hash(parts)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Form) and self._parts == other._parts


def form_of(graph: Any, outputs: Sequence[Any]) -> Form | None:
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
    try:
        return Form(tuple(parts), captures, tuple([(numbers[id(t.op)], t.value_index) for t in outputs]))
    except TypeError:  # an attribute that is not a plain value
        return None


_MAX_POSITIONS = 4096
_positions: dict[tuple[int, int], tuple[CodeType, tuple[int, int | None]]] = {}
"""For the id of a code object and an instruction: the code, which keeps the id, and the position in the source."""


def _position_of(code: CodeType, instruction: int) -> tuple[int, int | None]:
    """Returns line and column of an instruction; a call has another offset once Python has specialized the code."""
    found = _positions.get((id(code), instruction))
    if found is None:
        if len(_positions) >= _MAX_POSITIONS:
            _positions.clear()
        frame = SourceFrame(code, instruction)
        found = _positions[id(code), instruction] = code, (frame.line, frame.column())
    return found[1]


def _part(operation: Operation, numbers: dict[int, int]) -> Hashable | None:
    """Returns the part of a form that one operation decides, or None if there is no form."""
    op = operation.op_def
    is_pure = op.traits.is_placeholder or operation.effects in (Effects.NONE, Effects.READS)
    if not is_pure or op.holds_graphs or not op.traits.cacheable:
        return None
    attrs = []
    for value in operation.attrs.values():
        if isinstance(value, np.ndarray):
            if value.dtype.kind == "O" or value.nbytes > _LARGEST_CONSTANT:
                return None
            value = value.dtype, value.shape, value.tobytes()
        attrs.append(value)
    made_at = operation.made_at
    return (
        op,
        operation.name,
        tuple([(numbers[id(t.op)], t.value_index) for t in operation.inputs]),
        tuple(operation.attrs),
        tuple(attrs),
        tuple([(t.dtype, t.shape, t.handle_type) for t in operation.outputs]),
        tuple([numbers[id(other)] for other in operation.control_inputs]),
        operation.device,
        operation.gradient_override,
        made_at and (id(made_at[0]), _position_of(*made_at)),  # the program keeps the code object alive
    )
