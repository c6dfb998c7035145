"""Computes ahead the nodes that read only shapes (`tf.shape`, `tf.rank`, `tf.zeros_like`), where the shapes are known.

Most nodes of a gradient that are not arithmetic read shapes: the sizes to sum over, the zeros and ones to start from.
Some results are known although sizes are not: which axes a broadcasting op has repeated, where the unknown sizes of its
operands are equal (`equal_sizes`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from millrace._src.core.dtypes import DType
from millrace._src.passes.abstract_arrays import known_forms
from millrace._src.passes.constant_folding import compute_on_host, constant
from millrace._src.passes.equal_sizes import EqualSizes, Size, shape_source
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value
from millrace._src.passes.rewrite import Rewriting, Rule


def _fold(node: Node) -> Sequence[Value] | None:
    if not node.op_def.traits.reads_only_shapes:
        return None
    forms = [form for form in known_forms(node) if form is not None]
    return compute_on_host(node, forms) if len(forms) == len(node.inputs) else None


class _EqualSizeFolding:
    """Computes what depends on unknown sizes only in so far as these are equal."""

    def __init__(self) -> None:
        self._sizes = EqualSizes()
        self._shapes: dict[tuple[tuple[Size, ...], DType], Value] = {}
        """The first vector with some sizes and dtype."""

    def rule(self, node: Node) -> Sequence[Value] | None:
        """Returns what the node computes, where an earlier value or a constant is the same."""
        self._sizes.note(node)
        return _fold(node) or self._axes(node) or self._operand(node) or self._shape(node)

    def _axes(self, node: Node) -> Sequence[Value] | None:
        """Computes results that depend on sizes some of which are unknown, but equal."""
        compute = node.op_def.traits.results_of_sizes
        if compute is None:
            return None
        arrays = [shape_source(value) for value in node.inputs]
        sizes = [None if array is None else self._sizes.sizes_of(array) for array in arrays]
        results = None if None in sizes else compute(*sizes)
        if results is None:
            return None
        pairs = zip(results, node.outputs, strict=True)
        return [constant(np.array(numbers, output.dtype.np_dtype), output.dtype) for numbers, output in pairs]

    def _operand(self, node: Node) -> Sequence[Value] | None:
        """Rewrites reshape(x, shape(y)) -> x, where x and y have equal sizes."""
        traits = node.op_def.traits
        if traits.shape_argument is None or not traits.element_order.keeps_elements:
            return None
        like = shape_source(node.inputs[traits.shape_argument])
        sizes = None if like is None else self._sizes.sizes_of(like)
        return [node.inputs[0]] if sizes is not None and sizes == self._sizes.sizes_of(node.inputs[0]) else None

    def _shape(self, node: Node) -> Sequence[Value] | None:
        """Rewrites shape(y) -> shape(x), where x came first and has the same sizes."""
        if not node.op_def.traits.is_shape:
            return None
        sizes = self._sizes.sizes_of(node.inputs[0])
        if sizes is None:
            return None
        first = self._shapes.setdefault((sizes, node.outputs[0].dtype), node.outputs[0])
        return None if first is node.outputs[0] else [first]


def _make_rule(graph: OptimizedGraph) -> Rule:
    depends_on_sizes = any(node.op_def.traits.results_of_sizes is not None for node in graph.nodes)
    return _EqualSizeFolding().rule if depends_on_sizes else _fold


REWRITING = Rewriting(_make_rule)
