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

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.dtypes import float32
from millrace._src.core.op_def import Effects
from millrace._src.core.op_registry import get_op
from millrace._src.core.shapes import TensorShape
from millrace._src.passes.channel_algebra import Polynomial, Symbols, symbols_of
from millrace._src.passes.constant_folding import constant
from millrace._src.passes.insertions import Insertions
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value

_ROUNDING = 1e-6
"""How far a coefficient may be from 1."""
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
        by_channels = _arithmetic_nodes(graph, {dims[-1] for dims in shapes})
        for dims in shapes:
            _Recognition(by_channels[dims[-1]], insertions, dims).run()
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


def _arithmetic_nodes(graph: OptimizedGraph, channels: set[int | None]) -> dict[int | None, list[Node]]:
    """Returns the nodes whose results have polynomials, in run order, by the size of the last axis."""
    nodes: dict[int | None, list[Node]] = {size: [] for size in channels}
    for node in graph.nodes:
        traits = node.op_def.traits
        if traits.formula is not None or traits.total is not None or traits.element_order.keeps_elements:
            dims = node.outputs[0].shape.dim_sizes
            if dims and dims[-1] in nodes:
                nodes[dims[-1]].append(node)
    return nodes


class _Normalization(NamedTuple):
    """A batch normalization that was recognized.

    Args:
      y: the result.
      x: the array that is normalized.
      scale: the vector that multiplies, or None.
      offset: the vector that is added, or None.
      root: the number of the symbol that is the square root of the variance and epsilon.
      epsilon: what is added to the variance.
    """

    y: Value
    x: Value
    scale: Value | None
    offset: Value | None
    root: int
    epsilon: float


class _Gradient(NamedTuple):
    """The gradient of a batch normalization that was recognized.

    Args:
      of: the normalization.
      dy: the gradient of the result.
      dx: the gradient of the array, with other arrays added to it.
      added: these other arrays.
    """

    of: _Normalization
    dy: Value
    dx: Value
    added: tuple[Value, ...]


class _Recognition:
    """Goes through nodes, and finds the normalizations of arrays of one shape.

    Args:
      nodes: the nodes whose results have polynomials.
      insertions: takes the nodes that are made.
      dims: the shape of the arrays.
    """

    def __init__(self, nodes: Sequence[Node], insertions: Insertions, dims: tuple[int | None, ...]) -> None:
        self._nodes = nodes
        self._insertions = insertions
        self._symbols = Symbols(dims)
        self._polynomials: dict[Value, Polynomial] = {}
        """The polynomials of arrays and vectors that nodes compute, in run order."""
        self._found: list[_Normalization] = []
        self._fused: dict[Value, Node] = {}
        """The node of a normalization by the result of the normalization."""

    def run(self) -> None:
        """Plans the nodes of all normalizations and gradients."""
        self._hide_summed_arrays()
        gradients: list[_Gradient] = []
        for node in self._nodes:
            value = node.outputs[0]
            polynomial = self._definition(value)
            if polynomial is not None and self._symbols.is_array_shaped(value):
                self._found += self._normalizations(value, polynomial)
                found = next(self._gradients_of_any(value, polynomial), None)
                if found is not None:
                    gradients.append(found)
                    self._symbols.hide(value)
        whole = self._without_parts()
        for normalization in whole:
            self._fuse(normalization)
        for gradient in gradients:
            if gradient.of in whole:
                self._fuse_gradient(gradient)

    def _hide_summed_arrays(self) -> None:
        """Makes symbols of the arrays that are summed and also read elsewhere: what is normalized, and `dy`."""
        summed = {node.inputs[0] for node in self._nodes if self._symbols.is_total(node)}
        for node in self._nodes:
            if node.op_def.traits.formula is not None:
                for value in summed.intersection(node.inputs):
                    self._symbols.hide(value)

    def _definition(self, value: Value) -> Polynomial | None:
        """Returns the polynomial of an array or vector, and notes it; None if there is none."""
        if not (self._symbols.is_array_shaped(value) or self._symbols.is_vector(value)):
            return None
        polynomial = self._symbols.definition(value)
        if polynomial is not None:
            self._polynomials[value] = polynomial
        return polynomial

    def _without_parts(self) -> list[_Normalization]:
        """Returns the normalizations that are no steps of others: `(x - mean) / root` is one where a scale follows."""
        steps = {(n.x, n.root, value) for n in self._found if n.y.node is not None for value in n.y.node.inputs}
        return [n for n in self._found if (n.x, n.root, n.y) not in steps]

    # --- formulas ------------------------------------------------------------------------------------------------

    def _mean(self, x: Value) -> Polynomial:
        count = self._symbols.count(x)
        return self._symbols.sum_of(self._symbols.value(x), count) / count

    def _variance(self, x: Value) -> Polynomial:
        symbol, count, mean = self._symbols.value(x), self._symbols.count(x), self._mean(x)
        return self._symbols.sum_of(symbol * symbol, count) / count - mean * mean

    def _root(self, normalization: _Normalization) -> Polynomial:
        return Polynomial({((normalization.root, -1),): 1.0}, self._symbols)

    def _gain(self, normalization: _Normalization) -> Polynomial:
        root = self._root(normalization)
        return root if normalization.scale is None else root * self._symbols.value(normalization.scale)

    def _scale_gradient(self, normalization: _Normalization, dy: Value) -> Polynomial:
        """Returns S[(x - mean) dy] / root."""
        s, x = self._symbols, normalization.x
        count, gradient = s.count(x), s.value(dy)
        product = s.sum_of(s.value(x) * gradient, count) - self._mean(x) * s.sum_of(gradient, count)
        return product * self._root(normalization)

    def _array_gradient(self, normalization: _Normalization, dy: Value) -> Polynomial:
        """Returns (dy - mean(dy) - (x - mean) / root * mean(gradient of the scale)) * scale / root."""
        s, x = self._symbols, normalization.x
        count, gradient = s.count(x), s.value(dy)
        normal = (s.value(x) - self._mean(x)) * self._root(normalization)
        along = normal * self._scale_gradient(normalization, dy) / count
        return (gradient - s.sum_of(gradient, count) / count - along) * self._gain(normalization)

    # --- recognition ---------------------------------------------------------------------------------------------

    def _normalizations(self, y: Value, polynomial: Polynomial) -> Iterator[_Normalization]:
        """Yields the normalization that a value is the result of, if it is one."""
        s = self._symbols
        leading = [(m, f) for m, f in polynomial.terms.items() if any(s.is_array(symbol) for symbol, _ in m)]
        if len(leading) != 1 or abs(leading[0][1] - 1) > _ROUNDING:
            return
        factors = dict(leading[0][0])
        root = next((symbol for symbol in factors if s.radicand(symbol) is not None), None)
        x = next(symbol for symbol in factors if s.is_array(symbol))
        if root is None or factors.pop(root) != -1 or factors.pop(x) != 1 or len(factors) > 1:
            return
        epsilon = self._epsilon(root, s.meaning(x))
        scale = self._vector(factors)
        if epsilon is None or (factors and scale is None):
            return
        found = _Normalization(y, s.meaning(x), scale, None, root, epsilon)
        rest = polynomial - (s.value(found.x) - self._mean(found.x)) * self._gain(found)
        if not rest.terms:
            yield found
        elif len(rest.terms) == 1:
            ((monomial, factor),) = rest.terms.items()
            offset = self._vector(dict(monomial))
            if offset is not None and abs(factor - 1) < _ROUNDING:
                yield found._replace(offset=offset)

    def _epsilon(self, root: int, x: Value) -> float | None:
        """Returns what is added to the variance of `x` under a root; None if something else stands there."""
        radicand = self._symbols.radicand(root)
        rest = None if radicand is None else radicand - self._variance(x)
        return None if rest is None or rest.terms.keys() != {()} or rest.terms[()] < 0 else rest.terms[()]

    def _vector(self, factors: dict[int, int]) -> Value | None:
        """Returns the value that is the only factor of a product, if that is a vector as the fused op takes one."""
        if len(factors) != 1:
            return None
        ((symbol, exponent),) = factors.items()
        value = self._symbols.meaning(symbol)
        return value if exponent == 1 and isinstance(value, Value) and value.shape.rank == 1 else None

    def _gradients_of_any(self, dx: Value, polynomial: Polynomial) -> Iterator[_Gradient]:
        """Yields the gradients that a value is; of a normalization before those of its steps."""
        for normalization in reversed(self._found):
            yield from self._gradients(normalization, dx, polynomial)

    def _gradients(self, normalization: _Normalization, dx: Value, polynomial: Polynomial) -> Iterator[_Gradient]:
        """Yields the gradient with respect to `x` that a value is, perhaps with other arrays added to it."""
        s = self._symbols
        if len(polynomial.terms) < 6 or normalization.root not in symbols_of(polynomial):
            return
        arrays = [symbol for symbol in symbols_of(polynomial) if s.is_array(symbol)]
        for dy in [s.meaning(symbol) for symbol in arrays if s.meaning(symbol) is not normalization.x]:
            if not (s.value(dy) * self._gain(normalization)).terms.keys() <= polynomial.terms.keys():
                continue
            rest = polynomial - self._array_gradient(normalization, dy)
            added = [symbol for symbol in arrays if ((symbol, 1),) in rest.terms]
            if len(added) == len(rest.terms) and all(abs(f - 1) < _ROUNDING for f in rest.terms.values()):
                yield _Gradient(normalization, dy, dx, tuple([s.meaning(symbol) for symbol in added]))

    # --- rewriting -----------------------------------------------------------------------------------------------

    def _fuse(self, found: _Normalization) -> None:
        """Puts the node of a normalization into the graph."""
        vector = (self._symbols.channels,)
        scale = constant(np.ones(vector, np.float32), float32) if found.scale is None else found.scale
        offset = constant(np.zeros(vector, np.float32), float32) if found.offset is None else found.offset
        empty = constant(np.zeros(0, np.float32), float32)
        attrs = {**self._attrs(found), "exponential_avg_factor": 1.0}
        shapes = [found.x.shape, *[TensorShape(vector)] * 4, TensorShape([])]
        node = _node("FusedBatchNormV3", attrs, (found.x, scale, offset, empty, empty), shapes, found.y)
        replaced = {found.y: node.outputs[_Y]}
        for value in self._equal_to(self._mean(found.x)):
            replaced[value] = node.outputs[_MEAN]
        for value in self._equal_to(self._variance(found.x)):
            replaced[value] = node.outputs[_VARIANCE]
        self._insertions.add(node, replaced)
        self._fused[found.y] = node

    def _fuse_gradient(self, gradient: _Gradient) -> None:
        """Puts the node of a normalization's gradients into the graph."""
        found, dy, dx, added = gradient
        forward = self._fused[found.y]
        moments = (forward.outputs[_MEAN], forward.outputs[_VARIANCE], forward.outputs[-1])
        vector, empty = TensorShape([self._symbols.channels]), TensorShape([0])
        shapes = [found.x.shape, vector, vector, empty, empty]
        inputs = (dy, found.x, forward.inputs[1], *moments)
        node = _node("FusedBatchNormGradV3", self._attrs(found), inputs, shapes, dx)
        replaced = {} if added else {dx: node.outputs[0]}
        for value in self._equal_to(self._scale_gradient(found, dy)):
            replaced[value] = node.outputs[1]
        total = self._symbols.sum_of(self._symbols.value(dy), self._symbols.count(found.x))
        for value in self._equal_to(total):
            replaced[value] = node.outputs[2]
        self._insertions.add(node, replaced)
        if added:
            attrs = {"T": float32, "N": 1 + len(added)}
            total_node = _node("AddN", attrs, (*added, node.outputs[0]), [dx.shape], dx)
            self._insertions.add(total_node, {dx: total_node.outputs[0]})

    def _attrs(self, found: _Normalization) -> dict[str, Any]:
        data_format = _FORMATS[len(self._symbols.dims)]
        types = {"T": float32, "U": float32}
        return {**types, "epsilon": found.epsilon, "data_format": data_format, "is_training": True}

    def _equal_to(self, polynomial: Polynomial) -> list[Value]:
        """Returns the vectors of one axis that are a polynomial."""
        return [v for v, known in self._polynomials.items() if v.shape.rank == 1 and known.equals(polynomial)]


def _node(
    name: str, attrs: dict[str, Any], inputs: tuple[Value, ...], shapes: Sequence[TensorShape], instead_of: Value
) -> Node:
    """Makes a node of an op that only computes, for the operation that computed a value."""
    assert instead_of.node is not None
    node = Node(get_op(name), attrs, inputs, Effects.NONE, instead_of.node.origin, False)
    node.outputs = tuple([Value(float32, shape, node, index) for index, shape in enumerate(shapes)])
    return node
