"""Computes ahead what depends on constants alone.

The kernels are those that would run later, so the bits are the same. An error is left for the program to raise when it
gets there. What reads only the shape of an input (`tf.shape`, `tf.zeros_like`) is constant where that shape is known:
in a gradient most of what is not arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.context import eager_engine
from millrace._src.core.dispatch import flatten_result
from millrace._src.core.execute import _level
from millrace._src.core.shapes import TensorShape
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value
from millrace._src.passes.rewrite import rewrite

LARGEST = 1 << 16
"""How many elements a constant may have that was computed; larger ones are made again in every call."""


def run(graph: OptimizedGraph) -> OptimizedGraph:
    """Returns the graph with constants in place of nodes that compute them."""
    return rewrite(graph, _folded)


def may_be_computed_ahead(node: Node) -> bool:
    """Tells whether the inputs alone decide the result of a node, and arrays can hold that result."""
    if not node.is_pure or not node.inputs or node.holds_functions:
        return False
    return not any(value.dtype.name in ("variant", "resource") for value in node.outputs)


def _folded(node: Node) -> Sequence[Value] | None:
    arrays = _constants(node)
    if arrays is None or not may_be_computed_ahead(node) or not all(map(_is_small, node.outputs)):
        return None
    kernel = eager_engine().bind(node.op_def, tuple([value.dtype for value in node.inputs]), node.attrs)
    try:
        with np.errstate(all="ignore"):
            found = flatten_result(node.op_def, kernel(*arrays))
    except Exception:  # the program meets the same error where it belongs, and names it
        return None
    return [constant(array, value.dtype) for array, value in zip(found, node.outputs, strict=True)]


def constant(array: Any, dtype: Any) -> Value:
    """Returns a constant of its own memory."""
    array = _level(array, dtype) if type(array) is not np.ndarray else array
    array = array if array.flags.c_contiguous else np.array(array, order="C")
    return Value(dtype, TensorShape.of(array.shape), constant=array)


def _constants(node: Node) -> list[Any] | None:
    """Returns the inputs of a node as arrays; None if one is not known."""
    if node.op_def.traits.reads_only_shapes:
        return _stand_ins(node.inputs)
    arrays = []
    for value in node.inputs:
        if value.constant is None:
            return None
        arrays.append(value.constant)
    return arrays


def _stand_ins(values: Sequence[Value]) -> list[Any] | None:
    """Returns arrays of the shapes of some values, which take no memory; None if a shape is not known."""
    if not all(value.shape.is_fully_defined() for value in values):
        return None
    shapes = [tuple([dim or 0 for dim in value.shape]) for value in values]
    return [np.broadcast_to(np.zeros((), v.dtype.np_dtype), shape) for v, shape in zip(values, shapes, strict=True)]


def _is_small(value: Value) -> bool:
    size = value.shape.num_elements()
    return size is not None and size <= LARGEST
