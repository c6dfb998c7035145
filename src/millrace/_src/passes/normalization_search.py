"""Finds normalizations and their gradients among polynomials, whichever axes are normalized.

Values are polynomials (`channel_algebra`), so that a normalization is recognized in whatever order its steps are
computed, gradients by a tape included. What differs, a subclass says: the formulas of the moments and the gradients,
and the nodes that compute what is found.

Tests: tests/passes/test_batch_normalization.py, tests/passes/test_layer_normalization.py
"""

from __future__ import annotations

import abc
from collections.abc import Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from millrace._src.core.dtypes import float32
from millrace._src.core.op_def import Effects
from millrace._src.core.op_registry import get_op
from millrace._src.core.shapes import TensorShape
from millrace._src.passes.channel_algebra import Polynomial, Symbols, symbols_of
from millrace._src.passes.insertions import Insertions
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value

_ROUNDING = 1e-6
"""How far a coefficient may be from 1."""
S = TypeVar("S", bound=Symbols)


def arithmetic_nodes(graph: OptimizedGraph, sizes: set[int | None]) -> dict[int | None, list[Node]]:
    """Returns the nodes whose results have polynomials, in run order, by the size of the last axis."""
    nodes: dict[int | None, list[Node]] = {size: [] for size in sizes}
    for node in graph.nodes:
        traits = node.op_def.traits
        if traits.formula is not None or traits.total is not None or traits.element_order.keeps_elements:
            dims = node.outputs[0].shape.dim_sizes
            if dims and dims[-1] in nodes:
                nodes[dims[-1]].append(node)
    return nodes


class FoundNormalization(NamedTuple):
    """A normalization that was recognized.

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


class FoundGradient(NamedTuple):
    """The gradient of a normalization that was recognized.

    Args:
      of: the normalization.
      dy: the gradient of the result.
      dx: the gradient of the array, with other arrays added to it.
      added: these other arrays.
    """

    of: FoundNormalization
    dy: Value
    dx: Value
    added: tuple[Value, ...]


class NormalizationSearch(abc.ABC, Generic[S]):
    """Goes through nodes, and finds the normalizations of arrays of one shape.

    Args:
      nodes: the nodes whose results have polynomials.
      insertions: takes the nodes that are made.
      symbols: the symbols of arrays of one shape.
    """

    def __init__(self, nodes: Sequence[Node], insertions: Insertions, symbols: S) -> None:
        self._nodes = nodes
        self._insertions = insertions
        self._symbols = symbols
        self._polynomials: dict[Value, Polynomial] = {}
        """The polynomials of arrays and vectors that nodes compute, in run order."""
        self._found: list[FoundNormalization] = []
        self._fused: dict[Value, Node] = {}
        """The node of a normalization by the result of the normalization."""

    def run(self) -> None:
        """Plans the nodes of all normalizations and gradients."""
        for value in self._arrays_to_hide():
            self._symbols.hide(value)
        gradients: list[FoundGradient] = []
        for node in self._nodes:
            value = node.outputs[0]
            polynomial = self._definition(value)
            if polynomial is not None and self._symbols.is_array_shaped(value):
                self._found += self._normalizations(value, polynomial)
                found = next(self._gradients_of_any(value, polynomial), None)
                if found is not None:
                    gradients.append(found)
                    self._symbols.hide(value)
        with_gradients = {gradient.of.y for gradient in gradients}
        whole = [found for found in self._without_parts() if found.y in with_gradients or self._is_worth_it(found)]
        for normalization in whole:
            self._fused[normalization.y] = self._fuse(normalization)
        for gradient in gradients:
            if gradient.of in whole:
                self._plan_gradient(gradient)

    def _definition(self, value: Value) -> Polynomial | None:
        """Returns the polynomial of an array or vector, and notes it; None if there is none."""
        if not (self._symbols.is_array_shaped(value) or self._symbols.is_vector(value)):
            return None
        polynomial = self._symbols.definition(value)
        if polynomial is not None:
            self._polynomials[value] = polynomial
        return polynomial

    def _without_parts(self) -> list[FoundNormalization]:
        """Returns the normalizations that are no steps of others: `(x - mean) / root` is one where a scale follows."""
        steps = {(n.x, n.root, value) for n in self._found if n.y.node is not None for value in n.y.node.inputs}
        return [n for n in self._found if (n.x, n.root, n.y) not in steps]

    # --- what a kind of normalization says ------------------------------------------------------------------------

    @abc.abstractmethod
    def _arrays_to_hide(self) -> Iterator[Value]:
        """Yields the arrays that are symbols, whatever they are made of: what is normalized, and `dy`."""

    @abc.abstractmethod
    def _mean(self, x: Value) -> Polynomial:
        """Returns the mean of an array."""

    @abc.abstractmethod
    def _variance(self, x: Value) -> Polynomial:
        """Returns the variance of an array."""

    @abc.abstractmethod
    def _array_gradient(self, normalization: FoundNormalization, dy: Value) -> Polynomial:
        """Returns the gradient with respect to the array that was normalized."""

    @abc.abstractmethod
    def _is_factor(self, value: Value) -> bool:
        """Returns whether a value can be the scale or the offset of a node."""

    def _is_worth_it(self, found: FoundNormalization) -> bool:
        """Returns whether a node for a normalization without gradients saves more than it costs."""
        return True

    @abc.abstractmethod
    def _fuse(self, found: FoundNormalization) -> Node:
        """Puts the node of a normalization into the graph; returns it."""

    @abc.abstractmethod
    def _fuse_gradient(self, gradient: FoundGradient, forward: Node) -> Node:
        """Puts the node of a normalization's gradients into the graph; the first output is that of the array."""

    # --- formulas ------------------------------------------------------------------------------------------------

    def _root(self, normalization: FoundNormalization) -> Polynomial:
        return Polynomial({((normalization.root, -1),): 1.0}, self._symbols)

    def _gain(self, normalization: FoundNormalization) -> Polynomial:
        root = self._root(normalization)
        return root if normalization.scale is None else root * self._symbols.value(normalization.scale)

    # --- recognition ---------------------------------------------------------------------------------------------

    def _normalizations(self, y: Value, polynomial: Polynomial) -> Iterator[FoundNormalization]:
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
        found = FoundNormalization(y, s.meaning(x), scale, None, root, epsilon)
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
        return value if exponent == 1 and isinstance(value, Value) and self._is_factor(value) else None

    def _gradients_of_any(self, dx: Value, polynomial: Polynomial) -> Iterator[FoundGradient]:
        """Yields the gradients that a value is; of a normalization before those of its steps."""
        for normalization in reversed(self._found):
            yield from self._gradients(normalization, dx, polynomial)

    def _gradients(
        self, normalization: FoundNormalization, dx: Value, polynomial: Polynomial
    ) -> Iterator[FoundGradient]:
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
                yield FoundGradient(normalization, dy, dx, tuple([s.meaning(symbol) for symbol in added]))

    # --- rewriting -----------------------------------------------------------------------------------------------

    def _plan_gradient(self, gradient: FoundGradient) -> None:
        node = self._fuse_gradient(gradient, self._fused[gradient.of.y])
        dx, added = gradient.dx, gradient.added
        if added:
            attrs = {"T": float32, "N": 1 + len(added)}
            total = make_node("AddN", attrs, (*added, node.outputs[0]), [dx.shape], dx)
            self._insertions.add(total, {dx: total.outputs[0]})

    def _equal_to(self, polynomial: Polynomial) -> list[Value]:
        """Returns the values that are a polynomial."""
        return [value for value, known in self._polynomials.items() if known.equals(polynomial)]


def make_node(
    name: str, attrs: dict[str, Any], inputs: tuple[Value, ...], shapes: Sequence[TensorShape], instead_of: Value
) -> Node:
    """Makes a node of an op that only computes, for the operation that computed a value."""
    assert instead_of.node is not None
    node = Node(get_op(name), attrs, inputs, Effects.NONE, instead_of.node.origin, False)
    node.outputs = tuple([Value(float32, shape, node, index) for index, shape in enumerate(shapes)])
    return node
