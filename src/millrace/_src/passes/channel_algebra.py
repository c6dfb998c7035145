"""Sums of products of arrays and of vectors of channels: what values of a graph are, rounding aside.

Problem: batch normalization and its gradients are a dozen nodes in orders that depend on who wrote them, on the
gradients of the ops and on the passes before. A pattern of nodes would fit one of these orders.

Idea: each value is written as a polynomial, by the formulas that the ops declare (`Traits.formula`). Two values with
the same polynomial are the same, whatever the nodes. The variables of a polynomial (its *symbols*) are

- arrays of one shape, `[..., channels]`, and vectors of channels;
- the sum over each channel of an array, or of a product of arrays;
- the number of elements of a channel, where the shape does not say it;
- the square root of a polynomial.

    mean(squared_difference(x, mean(x)))    ->    S[x x] / n - S[x] S[x] / n^2

Tests: tests/passes/test_batch_normalization.py
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypeAlias

from millrace._src.core.dtypes import float32
from millrace._src.core.op_algebra import Total
from millrace._src.passes.optimized_graph import Node, Value

Monomial: TypeAlias = "tuple[tuple[int, int], ...]"
"""The numbers of symbols, ascending, each with its exponent."""
_ONE: Monomial = ()
_MAX_TERMS = 48
_TOLERANCE = 1e-5
"""How far coefficients may differ, relatively: constants of graphs are float32."""


class NotPolynomialError(Exception):
    """A value that is not written as a polynomial."""


class Polynomial:
    """A sum of products of symbols.

    Args:
      terms: the coefficient of each product.
      symbols: the symbols, which have to be told of square roots.
    """

    __slots__ = ("terms", "symbols")

    def __init__(self, terms: dict[Monomial, float], symbols: Symbols) -> None:
        if len(terms) > _MAX_TERMS:
            raise NotPolynomialError
        self.terms = terms
        self.symbols = symbols

    def _lift(self, other: Polynomial | float) -> Polynomial:
        return other if isinstance(other, Polynomial) else Polynomial({_ONE: float(other)}, self.symbols)

    def __add__(self, other: Polynomial | float) -> Polynomial:
        terms = dict(self.terms)
        for monomial, factor in self._lift(other).terms.items():
            terms[monomial] = terms.get(monomial, 0.0) + factor
            if abs(terms[monomial]) <= _TOLERANCE * abs(factor):
                del terms[monomial]
        return Polynomial(terms, self.symbols)

    def __mul__(self, other: Polynomial | float) -> Polynomial:
        result = Polynomial({}, self.symbols)
        for a, x in self.terms.items():
            result += Polynomial({_times(a, b): x * y for b, y in self._lift(other).terms.items()}, self.symbols)
        return result

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Polynomial:
        return self * -1.0

    def __sub__(self, other: Polynomial | float) -> Polynomial:
        return self + self._lift(other) * -1.0

    def __rsub__(self, other: float) -> Polynomial:
        return self._lift(other) - self

    def _only_term(self) -> tuple[Monomial, float]:
        """Returns the only term of a polynomial that can be divided by.

        Raises: NotPolynomialError: if there are more terms, or none.
        """
        if len(self.terms) != 1:
            raise NotPolynomialError
        return next(iter(self.terms.items()))

    def __truediv__(self, other: Polynomial | float) -> Polynomial:
        monomial, factor = self._lift(other)._only_term()
        if factor == 0:
            raise NotPolynomialError
        return self * Polynomial({tuple([(s, -e) for s, e in monomial]): 1 / factor}, self.symbols)

    def __rtruediv__(self, other: float) -> Polynomial:
        return self._lift(other) / self

    def __floordiv__(self, other: Polynomial | float) -> Polynomial:
        """Divides a multiple of a count by a number that divides the multiple."""
        (monomial, factor), (one, divisor) = self._only_term(), self._lift(other)._only_term()
        if one != _ONE or not divisor or factor % divisor or any(not self.symbols.is_count(s) for s, _ in monomial):
            raise NotPolynomialError
        return self / divisor

    def __pow__(self, exponent: Polynomial | float) -> Polynomial:
        power = self._lift(exponent).terms.get(_ONE, 0.0) if self._lift(exponent).terms.keys() == {_ONE} else 0.0
        if abs(power) == 0.5:
            return self.symbols.root(self, 1 if power > 0 else -1)
        if power not in (1.0, 2.0, 3.0):
            raise NotPolynomialError
        return self if power == 1 else self * self ** (power - 1)

    def equals(self, other: Polynomial) -> bool:
        """Returns whether two polynomials have the same terms, but for small differences of coefficients."""
        return self.terms.keys() == other.terms.keys() and all(
            math.isclose(factor, other.terms[monomial], rel_tol=_TOLERANCE) for monomial, factor in self.terms.items()
        )


def _times(a: Monomial, b: Monomial) -> Monomial:
    exponents = dict(a)
    for symbol, exponent in b:
        exponents[symbol] = exponents.get(symbol, 0) + exponent
    return tuple(sorted((s, e) for s, e in exponents.items() if e))


class Symbols:
    """The symbols of a graph and the polynomials of its values.

    Args:
      dims: the shape of the arrays: known sizes, or None; the last one is the number of channels, which is known.
    """

    def __init__(self, dims: tuple[int | None, ...]) -> None:
        self.dims = dims
        self.channels: int = dims[-1] or 0
        self._numbers: dict[Any, int] = {}
        self._meanings: list[Any] = []
        self._known: dict[Value, Polynomial] = {}
        sizes = dims[:-1]
        self._count = math.prod(size or 0 for size in sizes) if None not in sizes else None

    # --- symbols -------------------------------------------------------------------------------------------------

    def _symbol(self, meaning: Any, exponent: int = 1) -> Polynomial:
        number = self._numbers.setdefault(meaning, len(self._meanings))
        if number == len(self._meanings):
            self._meanings.append(meaning)
        return Polynomial({((number, exponent),): 1.0}, self)

    def meaning(self, symbol: int) -> Any:
        """Returns the value that is a symbol; for other symbols something that is not a value."""
        return self._meanings[symbol]

    def is_count(self, symbol: int) -> bool:
        """Returns whether a symbol is the number of elements of a channel."""
        meaning = self._meanings[symbol]
        return isinstance(meaning, tuple) and meaning[0] == "count"

    def is_array(self, symbol: int) -> bool:
        """Returns whether a symbol is an array."""
        meaning = self._meanings[symbol]
        return isinstance(meaning, Value) and self.is_array_shaped(meaning)

    def root(self, radicand: Polynomial, exponent: int) -> Polynomial:
        """Returns the square root of a polynomial, or 1 / the square root."""
        return self._symbol(("root", frozenset(radicand.terms.items())), exponent)

    def radicand(self, symbol: int) -> Polynomial | None:
        """Returns the polynomial of which a symbol is the square root; None for another symbol."""
        meaning = self._meanings[symbol]
        is_root = isinstance(meaning, tuple) and meaning[0] == "root"
        return Polynomial(dict(meaning[1]), self) if is_root else None

    def value(self, value: Value) -> Polynomial:
        """Returns a value as a symbol, whatever it is made of."""
        return self._symbol(value)

    def hide(self, value: Value) -> None:
        """Makes a value a symbol for the readers that are not looked at yet."""
        self._known[value] = self.value(value)

    def definition(self, value: Value) -> Polynomial | None:
        """Returns the polynomial of a value by the node that computes it; None if there is none."""
        try:
            return self._of(value)
        except NotPolynomialError:
            return None

    def count(self, array: Value) -> Polynomial:
        """Returns the number of elements of a channel of an array."""
        if self._count is not None:
            return Polynomial({_ONE: float(self._count)}, self)
        return self._symbol(("count", self._find_size_source(array)))

    def sum_of(self, polynomial: Polynomial, count: Polynomial) -> Polynomial:
        """Returns the sum of an array over each channel, in which vectors occur `count` times."""
        total = Polynomial({}, self)
        for monomial, factor in polynomial.terms.items():
            arrays = tuple([part for part in monomial if self.is_array(part[0])])
            others = tuple([part for part in monomial if not self.is_array(part[0])])
            total += (self._symbol(("sum", arrays)) if arrays else count) * Polynomial({others: factor}, self)
        return total

    # --- values --------------------------------------------------------------------------------------------------

    def polynomial(self, value: Value) -> Polynomial:
        """Returns the polynomial of a value.

        Raises: NotPolynomialError: if the value is neither an array nor a vector of channels nor a single number.
        """
        known = self._known.get(value)
        if known is None:
            try:
                known = self._of(value)
            except NotPolynomialError:
                if not (self.is_vector(value) or self.is_array_shaped(value)):
                    raise
                known = self.value(value)
            self._known[value] = known
        return known

    def _of(self, value: Value) -> Polynomial:
        if value.constant is not None:
            return self._constant(value)
        node = value.node
        if node is None or not node.is_pure or node.added:
            raise NotPolynomialError
        traits = node.op_def.traits
        if traits.counts_elements and self.is_array_shaped(node.inputs[0]):
            return self.count(node.inputs[0]) * self.channels
        if traits.is_conversion and node.inputs[0].dtype.is_integer:
            return self.polynomial(node.inputs[0])
        if value.dtype.is_integer and traits.formula is not None:
            return self._by_formula(node)
        if not self._is_part(value):
            raise NotPolynomialError
        if traits.total is not None:
            return self._total(node)
        if traits.element_order.keeps_elements or traits.returns_input:
            return self._of_same_elements(node)
        return self._by_formula(node)

    def _by_formula(self, node: Node) -> Polynomial:
        formula = node.op_def.traits.formula
        if formula is None:
            raise NotPolynomialError
        result = formula(*[self.polynomial(value) for value in node.inputs])
        assert isinstance(result, Polynomial)
        return result

    def _constant(self, value: Value) -> Polynomial:
        array = value.constant
        if array.size != 1 or array.dtype.kind not in "fiu":
            raise NotPolynomialError
        number = float(array.item())
        if not math.isfinite(number):
            raise NotPolynomialError
        return Polynomial({_ONE: number} if number else {}, self)

    def _of_same_elements(self, node: Node) -> Polynomial:
        """Returns the polynomial of a value in another shape: of a vector that stands along other axes or repeats."""
        source = node.inputs[0]
        is_kept = node.op_def.traits.returns_input and self.is_array_shaped(source)
        if not (is_kept or self.is_vector(source) or source.shape.num_elements() == 1):
            raise NotPolynomialError
        return self.polynomial(source)

    def _total(self, node: Node) -> Polynomial:
        """Returns the sum or the mean of an array over each channel."""
        if not self.is_total(node):
            raise NotPolynomialError
        array = node.inputs[0]
        count = self.count(array)
        total = self.sum_of(self.polynomial(array), count)
        return total / count if node.op_def.traits.total is Total.MEAN else total

    def is_total(self, node: Node) -> bool:
        """Returns whether a node sums an array over each channel, or averages it."""
        if node.op_def.traits.total is None or not self.is_array_shaped(node.inputs[0]):
            return False
        axes, rank = node.inputs[1].constant, len(self.dims)
        return axes is not None and sorted(a % rank for a in axes.reshape(-1).tolist()) == list(range(rank - 1))

    def _find_size_source(self, value: Value) -> Value:
        """Returns the array that decides the unknown sizes of an array which elementary operations make."""
        node = value.node
        while node is not None and node.op_def.traits.formula is not None:
            value = next(filter(self.is_array_shaped, node.inputs), value)
            node = value.node if value not in node.outputs else None
        return value

    # --- shapes --------------------------------------------------------------------------------------------------

    def _is_part(self, value: Value) -> bool:
        is_number = value.shape.num_elements() == 1
        return value.dtype is float32 and (is_number or self.is_vector(value) or self.is_array_shaped(value))

    def is_array_shaped(self, value: Value) -> bool:
        """Returns whether a value has the shape of the arrays, as far as that is known."""
        return value.dtype is float32 and value.shape.dim_sizes == self.dims

    def is_vector(self, value: Value) -> bool:
        """Returns whether a value is a vector of channels, perhaps with axes of size 1 before."""
        sizes = value.shape.dim_sizes
        if value.dtype is not float32 or not sizes or len(sizes) > len(self.dims):
            return False
        return sizes[-1] == self.channels and set(sizes[:-1]) <= {1}


def symbols_of(polynomial: Polynomial) -> Iterable[int]:
    """Returns the symbols that occur in a polynomial, each once."""
    return dict.fromkeys(symbol for monomial in polynomial.terms for symbol, _ in monomial)
