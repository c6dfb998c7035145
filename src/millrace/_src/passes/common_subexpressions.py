"""Computes once what is computed twice: the same op with the same attributes on the same values.

A gradient repeats much of what stands forwards: shapes, casts, transposed matrices. What reads a variable is the same
until something writes. Random numbers differ each time, and so do lists, which programs change in place.

    a = exp(x); b = exp(x)    ->    a = b = exp(x)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from millrace._src.core.op_def import Effects
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value
from millrace._src.passes.rewrite import Rule, rewrite

_MOST_BYTES = 128
"""Constants up to this size are told by what is in them, larger ones by which they are."""


def run(graph: OptimizedGraph) -> OptimizedGraph:
    """Returns the graph without nodes that repeat an earlier one."""
    return rewrite(graph, lambda _: _remembering())


def _remembering() -> Rule:
    computed: dict[Hashable, Node] = {}
    read: dict[Hashable, Node] = {}
    """What was read since the last write."""

    def replaced(node: Node) -> Sequence[Value] | None:
        if node.effects.must_run:
            read.clear()
        known = {Effects.NONE: computed, Effects.READS: read}.get(node.effects)
        key = None if known is None else _key(node)
        if known is None or key is None:
            return None
        first = known.setdefault(key, node)
        if first is node:
            return None
        first.must_run |= node.must_run
        return first.outputs

    return replaced


def _key(node: Node) -> Hashable | None:
    """Returns what two nodes have in common if they compute the same; None for one that is not like any other."""
    if not node.inputs or node.holds_functions or node.added:
        return None
    if any(value.dtype.name in ("variant", "resource") for value in node.outputs):
        return None
    attrs = [(name, _same_attribute(value)) for name, value in node.attrs.items() if not name.startswith("_")]
    key = (node.op_def, *[_same_value(value) for value in node.inputs], *attrs)
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _same_attribute(value: Any) -> Any:
    """Returns an attribute in a form that tells 0.0 from -0.0 and is equal for two NaNs."""
    return value.hex() if type(value) is float else value


def _same_value(value: Value) -> Hashable:
    array = value.constant
    if array is None or array.nbytes > _MOST_BYTES or array.dtype.kind == "O":
        return value
    return value.dtype, array.shape, array.tobytes()
