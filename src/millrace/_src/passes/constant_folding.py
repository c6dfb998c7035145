"""Computes ahead the nodes that depend on constants alone.

The kernels are those that would run later, so the bits are the same. A node whose kernel fails is left alone, and the
program raises the error when the program comes to the node.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.context import eager_engine
from millrace._src.core.dispatch import flatten_result
from millrace._src.core.dtypes import DType
from millrace._src.core.execute import scalar_array
from millrace._src.core.op_def import Effects
from millrace._src.core.shapes import TensorShape
from millrace._src.passes.optimized_graph import Node, Value
from millrace._src.passes.rewrite import Rewriting

LARGEST = 1 << 16
"""The most elements of a constant that is computed ahead; larger results are computed in every call."""


def may_be_computed_ahead(node: Node) -> bool:
    """Returns whether the inputs alone decide the result of a node, and arrays can hold that result."""
    reads_a_shape = node.effects is Effects.READS and node.op_def.traits.reads_only_shapes
    if not (node.is_pure or reads_a_shape) or not node.inputs or node.holds_functions:
        return False
    return not any(value.dtype.is_handle for value in node.outputs)


def compute_on_host(node: Node, arrays: Sequence[Any]) -> Sequence[Value] | None:
    """Returns the results of a node on some arrays; None if that is large, fails or must happen in the program."""
    if not may_be_computed_ahead(node) or not all(map(_is_small, node.outputs)):
        return None
    kernel = eager_engine().bind(node.op_def, tuple([value.dtype for value in node.inputs]), node.attrs)
    try:
        with np.errstate(all="ignore"):
            results = flatten_result(node.op_def, kernel(*arrays))
    except Exception:  # the program meets the same error instead, and names the node
        return None
    return [constant(result, value.dtype) for result, value in zip(results, node.outputs, strict=True)]


def constant(array: Any, dtype: DType) -> Value:
    """Returns an array as a constant, which has memory of its own."""
    array = array if type(array) is np.ndarray else scalar_array(array, dtype)
    array = array if array.flags.c_contiguous else np.array(array, order="C")
    return Value(dtype, TensorShape.of(array.shape), constant=array)


def _fold(node: Node) -> Sequence[Value] | None:
    arrays = []
    for value in node.inputs:
        if value.constant is None:
            return None
        arrays.append(value.constant)
    return compute_on_host(node, arrays)


def _is_small(value: Value) -> bool:
    size = value.shape.num_elements()
    return size is not None and size <= LARGEST


REWRITING = Rewriting(lambda _: _fold)
