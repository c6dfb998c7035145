"""Makes one node of a layer normalization, and one node of its gradients.

Keras writes a layer normalization with elementary ops, which go to memory a dozen times; a kernel for the whole reads
an array once and writes once. The values are polynomials (`row_algebra`), so that the steps may come in any order:

    (x - mean(x)) * scale / sqrt(variance(x) + epsilon) + offset
        ->    layer_normalization(x, scale, offset)
    the gradients of x, scale and offset    ->    layer_normalization_grad(dy, x, scale, mean, variance)

Moments are those of the last axis, of float32 arrays. Results differ by rounding: at most 1e-5 of the largest value of
a row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from millrace._src.core.dtypes import float32
from millrace._src.core.shapes import TensorShape
from millrace._src.passes.channel_algebra import Polynomial
from millrace._src.passes.constant_folding import constant
from millrace._src.passes.equal_sizes import EqualSizes, Size
from millrace._src.passes.insertions import Insertions
from millrace._src.passes.normalization_search import (
    FoundGradient,
    FoundNormalization,
    NormalizationSearch,
    arithmetic_nodes,
    make_node,
)
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value
from millrace._src.passes.row_algebra import RowSymbols, SumKind

_FEWEST_TOTALS = 2
"""The totals of a normalization: a mean and a variance."""


def run(graph: OptimizedGraph) -> OptimizedGraph:
    """Returns the graph with layer normalizations and their gradients as single nodes."""
    for node in graph.nodes:
        for inner in node.graphs if node.holds_functions else ():
            run(inner)
    if sum(node.op_def.traits.total is not None for node in graph.nodes) < _FEWEST_TOTALS:
        return graph
    sizes = EqualSizes()
    for node in graph.nodes:
        sizes.note(node)
    shapes = _shapes_of_totals(graph, sizes)
    if shapes:
        insertions = Insertions(graph)
        readers = _readers(graph)
        nodes = arithmetic_nodes(graph, {size for shape in shapes for size in (shape.features, 1)})
        positions = {node: position for position, node in enumerate(graph.nodes)}
        for symbols in shapes:
            of_shape = sorted(nodes[symbols.features] + nodes[1], key=positions.__getitem__)
            _LayerNormalizationSearch(of_shape, insertions, symbols, readers).run()
        insertions.apply()
    return graph


def _shapes_of_totals(graph: OptimizedGraph, sizes: EqualSizes) -> list[RowSymbols]:
    """Returns the symbols of each shape of which a graph takes two totals along rows at least."""
    counts: Counter[tuple[Size, ...]] = Counter()
    found: dict[tuple[Size, ...], RowSymbols] = {}
    for node in graph.nodes:
        shape = sizes.sizes_of(node.inputs[0]) if node.op_def.traits.total is not None else None
        if shape and isinstance(shape[-1], int):
            symbols = found.setdefault(shape, RowSymbols(shape, sizes))
            counts[shape] += symbols.is_usable() and symbols.is_total(node) and symbols.kind_of(node) is SumKind.ROW
    return [found[shape] for shape, count in counts.items() if count >= _FEWEST_TOTALS]


def _readers(graph: OptimizedGraph) -> dict[Value, set[Node | None]]:
    """Returns the nodes that read each value; None is among them for an output of the graph."""
    readers: dict[Value, set[Node | None]] = {value: {None} for value in graph.outputs}
    for node in graph.nodes:
        for value in node.inputs:
            readers.setdefault(value, set()).add(node)
    return readers


class _LayerNormalizationSearch(NormalizationSearch[RowSymbols]):
    """Finds layer normalizations: the moments are those of each row.

    Args:
      nodes: the nodes whose results have polynomials.
      insertions: takes the nodes that are made.
      symbols: the symbols of arrays of one shape.
      readers: the nodes that read each value of the graph.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        insertions: Insertions,
        symbols: RowSymbols,
        readers: dict[Value, set[Node | None]],
    ) -> None:
        super().__init__(nodes, insertions, symbols)
        self._readers = readers

    def _arrays_to_hide(self) -> Iterator[Value]:
        """Yields the arrays that are summed along rows and read beside that sum or alone, or summed over all rows."""
        s = self._symbols
        totals = {node.outputs[0]: node for node in self._nodes if s.is_total(node)}
        along_rows = {node.inputs[0] for node in totals.values() if s.kind_of(node) is SumKind.ROW}
        over_rows = {node.inputs[0] for node in totals.values() if s.kind_of(node) is SumKind.ALL_ROWS}
        for node in self._nodes:
            if node.op_def.traits.formula is None:
                continue
            yield from map(s.source, over_rows.intersection(node.inputs))
            for value in along_rows.intersection(node.inputs):
                others = [s.source(other) for other in node.inputs if other is not value]
                if all(other in totals and totals[other].inputs[0] is value for other in others):
                    yield s.source(value)

    def _is_worth_it(self, found: FoundNormalization) -> bool:
        """Returns whether nothing else reads the steps: gradients that are not recognized would compute them again."""
        steps, values = set[Node | None](), [found.y]
        while values:
            node = values.pop().node
            if node is not None and node not in steps and any(value in self._polynomials for value in node.outputs):
                steps.add(node)
                values += [value for value in node.inputs if value is not found.x]
        inner = [value for node in steps if node is not None for value in node.outputs if value is not found.y]
        return all(self._readers.get(value, set()) <= steps for value in inner)

    def _is_factor(self, value: Value) -> bool:
        return self._symbols.is_feature_vector(value)

    # --- formulas ------------------------------------------------------------------------------------------------

    def _mean(self, x: Value) -> Polynomial:
        return self._symbols.total(self._symbols.value(x), SumKind.ROW) / self._symbols.features

    def _variance(self, x: Value) -> Polynomial:
        symbol, mean = self._symbols.value(x), self._mean(x)
        return self._symbols.total(symbol * symbol, SumKind.ROW) / self._symbols.features - mean * mean

    def _scale_gradient(self, normalization: FoundNormalization, dy: Value) -> Polynomial:
        """Returns the sum over all rows of dy (x - mean) / root."""
        s, x = self._symbols, normalization.x
        normal = (s.value(x) - self._mean(x)) * self._root(normalization)
        return s.total(s.value(dy) * normal, SumKind.ALL_ROWS)

    def _array_gradient(self, normalization: FoundNormalization, dy: Value) -> Polynomial:
        """Returns (g - mean(g) - normal * mean(g * normal)) / root, where g is dy * scale, normal (x - mean) / root."""
        s, x, scale = self._symbols, normalization.x, normalization.scale
        root = self._root(normalization)
        gradient = s.value(dy) if scale is None else s.value(dy) * s.value(scale)
        centered = s.value(x) - self._mean(x)
        along = s.total(gradient * centered, SumKind.ROW) * root / s.features
        return (gradient - s.total(gradient, SumKind.ROW) / s.features - centered * root * along) * root

    # --- rewriting -----------------------------------------------------------------------------------------------

    def _fuse(self, found: FoundNormalization) -> Node:
        size = (self._symbols.features,)
        scale = constant(np.ones(size, np.float32), float32) if found.scale is None else found.scale
        offset = constant(np.zeros(size, np.float32), float32) if found.offset is None else found.offset
        moments = TensorShape([*self._symbols.dims[:-1], 1])
        attrs = {"T": float32, "epsilon": found.epsilon}
        shapes = [found.x.shape, moments, moments]
        node = make_node("LayerNormalization", attrs, (found.x, scale, offset), shapes, found.y)
        self._insertions.add(node, {found.y: node.outputs[0]})
        return node

    def _fuse_gradient(self, gradient: FoundGradient, forward: Node) -> Node:
        found, dy, dx, added = gradient
        vector = TensorShape([self._symbols.features])
        inputs = (dy, found.x, forward.inputs[1], *forward.outputs[1:])
        attrs = {"T": float32, "epsilon": found.epsilon}
        node = make_node("LayerNormalizationGrad", attrs, inputs, [found.x.shape, vector, vector], dx)
        replaced = {} if added else {dx: node.outputs[0]}
        for value in self._vectors_equal_to(self._scale_gradient(found, dy)):
            replaced[value] = node.outputs[1]
        for value in self._vectors_equal_to(self._symbols.total(self._symbols.value(dy), SumKind.ALL_ROWS)):
            replaced[value] = node.outputs[2]
        self._insertions.add(node, replaced)
        return node

    def _vectors_equal_to(self, polynomial: Polynomial) -> list[Value]:
        """Returns the vectors of features that are a polynomial."""
        return [value for value in self._equal_to(polynomial) if self._symbols.is_feature_vector(value)]
