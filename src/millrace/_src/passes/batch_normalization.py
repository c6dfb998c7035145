"""Makes one node of a batch normalization, and one node of its gradients.

Keras and `tf.nn.batch_normalization` with `tf.nn.moments` write a normalization with elementary ops, which go to memory
a dozen times; a kernel for the whole reads an array twice and writes once. All of these values are polynomials
(`channel_algebra`), so that they are recognized in whatever order they are computed, gradients by a tape included:

    (x - mean(x)) * scale / sqrt(variance(x) + epsilon) + offset
        ->    fused_batch_norm_v3(x, scale, offset), with the mean and the variance where others read them
    the gradients of x, scale and offset    ->    fused_batch_norm_grad_v3(dy, x, scale, mean, variance)

Results differ by rounding: at most 1e-5 of the largest value of a channel. The channels stand last, in float32 arrays
of four or five axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from millrace._src.core.dtypes import float32
from millrace._src.core.shapes import TensorShape
from millrace._src.passes.channel_algebra import Polynomial, Symbols
from millrace._src.passes.constant_folding import constant
from millrace._src.passes.insertions import Insertions
from millrace._src.passes.normalization_search import (
    FoundGradient,
    FoundNormalization,
    NormalizationSearch,
    arithmetic_nodes,
    make_node,
)
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value

_FORMATS = {4: "NHWC", 5: "NDHWC"}
_Y, _MEAN, _VARIANCE = 0, 3, 4
"""The outputs of the fused op that are read here: the result, and the moments as the gradient wants them."""


def run(graph: OptimizedGraph) -> OptimizedGraph:
    """Returns the graph with batch normalizations and their gradients as single nodes."""
    for node in graph.nodes:
        for inner in node.graphs if node.holds_functions else ():
            run(inner)
    shapes = _shapes_of_totals(graph)
    if shapes:
        insertions = Insertions(graph)
        by_channels = arithmetic_nodes(graph, {dims[-1] for dims in shapes})
        for dims in shapes:
            _BatchNormalizationSearch(by_channels[dims[-1]], insertions, Symbols(dims)).run()
        insertions.apply()
    return graph


def _shapes_of_totals(graph: OptimizedGraph) -> list[tuple[int | None, ...]]:
    """Returns the shapes of arrays of which a graph takes at least two totals: a mean and a variance."""
    counts: dict[tuple[int | None, ...], int] = {}
    for node in graph.nodes:
        if node.op_def.traits.total is not None:
            dims = node.inputs[0].shape.dim_sizes
            if dims is not None and len(dims) in _FORMATS and (dims[-1] or 0) > 1 and Symbols(dims).is_total(node):
                counts[dims] = counts.get(dims, 0) + 1
    return [dims for dims, count in counts.items() if count > 1]


class _BatchNormalizationSearch(NormalizationSearch[Symbols]):
    """Finds batch normalizations: the moments are those of each channel."""

    def _arrays_to_hide(self) -> Iterator[Value]:
        """Yields the arrays that are summed and also read elsewhere."""
        summed = {node.inputs[0] for node in self._nodes if self._symbols.is_total(node)}
        for node in self._nodes:
            if node.op_def.traits.formula is not None:
                yield from summed.intersection(node.inputs)

    def _is_factor(self, value: Value) -> bool:
        return value.shape.rank == 1

    # --- formulas ------------------------------------------------------------------------------------------------

    def _mean(self, x: Value) -> Polynomial:
        count = self._symbols.count(x)
        return self._symbols.sum_of(self._symbols.value(x), count) / count

    def _variance(self, x: Value) -> Polynomial:
        symbol, count, mean = self._symbols.value(x), self._symbols.count(x), self._mean(x)
        return self._symbols.sum_of(symbol * symbol, count) / count - mean * mean

    def _scale_gradient(self, normalization: FoundNormalization, dy: Value) -> Polynomial:
        """Returns S[(x - mean) dy] / root."""
        s, x = self._symbols, normalization.x
        count, gradient = s.count(x), s.value(dy)
        product = s.sum_of(s.value(x) * gradient, count) - self._mean(x) * s.sum_of(gradient, count)
        return product * self._root(normalization)

    def _array_gradient(self, normalization: FoundNormalization, dy: Value) -> Polynomial:
        """Returns (dy - mean(dy) - (x - mean) / root * mean(gradient of the scale)) * scale / root."""
        s, x = self._symbols, normalization.x
        count, gradient = s.count(x), s.value(dy)
        normal = (s.value(x) - self._mean(x)) * self._root(normalization)
        along = normal * self._scale_gradient(normalization, dy) / count
        return (gradient - s.sum_of(gradient, count) / count - along) * self._gain(normalization)

    # --- rewriting -----------------------------------------------------------------------------------------------

    def _fuse(self, found: FoundNormalization) -> Node:
        vector = (self._symbols.channels,)
        scale = constant(np.ones(vector, np.float32), float32) if found.scale is None else found.scale
        offset = constant(np.zeros(vector, np.float32), float32) if found.offset is None else found.offset
        empty = constant(np.zeros(0, np.float32), float32)
        attrs = {**self._attrs(found), "exponential_avg_factor": 1.0}
        shapes = [found.x.shape, *[TensorShape(vector)] * 4, TensorShape([])]
        node = make_node("FusedBatchNormV3", attrs, (found.x, scale, offset, empty, empty), shapes, found.y)
        replaced = {found.y: node.outputs[_Y]}
        for value in self._vectors_equal_to(self._mean(found.x)):
            replaced[value] = node.outputs[_MEAN]
        for value in self._vectors_equal_to(self._variance(found.x)):
            replaced[value] = node.outputs[_VARIANCE]
        self._insertions.add(node, replaced)
        return node

    def _fuse_gradient(self, gradient: FoundGradient, forward: Node) -> Node:
        found, dy, dx, added = gradient
        moments = (forward.outputs[_MEAN], forward.outputs[_VARIANCE], forward.outputs[-1])
        vector, empty = TensorShape([self._symbols.channels]), TensorShape([0])
        shapes = [found.x.shape, vector, vector, empty, empty]
        inputs = (dy, found.x, forward.inputs[1], *moments)
        node = make_node("FusedBatchNormGradV3", self._attrs(found), inputs, shapes, dx)
        replaced = {} if added else {dx: node.outputs[0]}
        for value in self._vectors_equal_to(self._scale_gradient(found, dy)):
            replaced[value] = node.outputs[1]
        total = self._symbols.sum_of(self._symbols.value(dy), self._symbols.count(found.x))
        for value in self._vectors_equal_to(total):
            replaced[value] = node.outputs[2]
        self._insertions.add(node, replaced)
        return node

    def _attrs(self, found: FoundNormalization) -> dict[str, Any]:
        data_format = _FORMATS[len(self._symbols.dims)]
        types = {"T": float32, "U": float32}
        return {**types, "epsilon": found.epsilon, "data_format": data_format, "is_training": True}

    def _vectors_equal_to(self, polynomial: Polynomial) -> list[Value]:
        """Returns the vectors of one axis that are a polynomial."""
        return [value for value in self._equal_to(polynomial) if value.shape.rank == 1]
