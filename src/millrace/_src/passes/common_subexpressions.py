"""Computes once what is computed twice: the same op with the same attributes on the same values.

A gradient repeats much of the forward pass: shapes, casts, transposed matrices. Two reads of a variable are the same
until a node writes. Random numbers differ each time, and so do lists, which programs change in place.

    a = exp(x); b = exp(x)    ->    a = b = exp(x)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from millrace._src.core.op_def import Effects
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value
from millrace._src.passes.rewrite import Rewriting, Rule

_MAX_BYTES = 128
"""The size up to which constants are compared by content; larger constants are compared by identity."""


def _remembering(graph: OptimizedGraph) -> Rule:
    computed: dict[Hashable, Node] = {}
    read: dict[Hashable, Node] = {}
    """The nodes that read since the last write, by key."""

    def replaced(node: Node) -> Sequence[Value] | None:
        if node.effects is Effects.NONE:
            known = computed
        elif node.effects is Effects.READS:
            known = read
        else:
            if node.must_run:
                read.clear()
            return None
        if not node.inputs or node.holds_functions:
            return None
        first = known.setdefault(_key(node), node)
        if first is node or not _is_same(first, node):
            return None
        first.must_run |= node.must_run
        return first.outputs

    return replaced


def _key(node: Node) -> Hashable:
    """Returns the key that nodes with the same result share: the op and the inputs."""
    for value in node.inputs:
        if value.constant is not None:
            return node.op_def, *map(_by_content, node.inputs)
    return node.op_def, *node.inputs


def _by_content(value: Value) -> Hashable:
    """Returns the content of a small constant as a key; any other value itself."""
    array = value.constant
    if array is None or array.nbytes > _MAX_BYTES or array.dtype.kind == "O":
        return value
    return value.dtype, array.shape, array.tobytes()


def _is_same(first: Node, second: Node) -> bool:
    """Returns whether two nodes of the same op and inputs compute the same result, which nothing changes in place."""
    if any(value.dtype.is_handle for value in first.outputs) or first.added or second.added:
        return False
    names = {name for name in (*first.attrs, *second.attrs) if not name.startswith("_")}
    return all(_is_equal(first.attrs.get(name), second.attrs.get(name)) for name in names)


def _is_equal(a: object, b: object) -> bool:
    """Returns whether two attributes are equal; 0.0 and -0.0 are not, and an array equals only itself."""
    if type(a) is float:
        return type(b) is float and a.hex() == b.hex()
    return a is b or not isinstance(a, np.ndarray) and bool(a == b)


REWRITING = Rewriting(_remembering)
