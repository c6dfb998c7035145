"""Polynomials of arrays, of vectors of features, and of what belongs to each row: what layer normalization is made of.

The arrays are `[..., features]`; a *row* is what the last axis holds. Beside the symbols of `channel_algebra`, a value
may be

- of features: the same for each row, `[features]` or `[1, ..., features]`;
- of rows: the same along each row, `[..., 1]`.

There are two kinds of sums: along a row, in which what belongs to rows is a factor, and over all rows, in which what
belongs to features is one.

Tests: tests/passes/test_layer_normalization.py
"""

from __future__ import annotations

import enum

from millrace._src.core.dtypes import float32
from millrace._src.core.op_algebra import Total
from millrace._src.passes.channel_algebra import NotPolynomialError, Polynomial, Symbols
from millrace._src.passes.equal_sizes import EqualSizes, Size
from millrace._src.passes.optimized_graph import Node, Value


class SumKind(enum.Enum):
    """Along which axes an array is summed."""

    ROW = "row"
    ALL_ROWS = "all rows"


class _Extent(enum.Enum):
    """Along which axes a value is the same."""

    ARRAY = "array"
    FEATURES = "features"
    ROWS = "rows"
    NUMBER = "number"


_KEPT_BY = {SumKind.ROW: _Extent.ROWS, SumKind.ALL_ROWS: _Extent.FEATURES}
"""A kind of sum -> the values that are factors of it, and what it is itself."""


class RowSymbols(Symbols):
    """The symbols of a graph and the polynomials of its values, for arrays whose rows are summed.

    Args:
      shape: the sizes of the arrays; the last one is the number of features, 2 at least.
      sizes: the sizes of the values of the graph, so that arrays of unknown but equal sizes are known.
    """

    def __init__(self, shape: tuple[Size, ...], sizes: EqualSizes) -> None:
        super().__init__(tuple(size if isinstance(size, int) else None for size in shape))
        self._shape = shape
        self._sizes = sizes

    @property
    def features(self) -> int:
        """The elements of a row."""
        return self.channels

    def is_usable(self) -> bool:
        """Returns whether shapes tell arrays, features and rows from each other."""
        leading = self._shape[:-1]
        return self.features > 1 and bool(leading) and any(size != 1 for size in leading)

    def count(self, array: Value) -> Polynomial:
        """Refuses to count rows: no formula of a layer normalization has their number.

        Raises: NotPolynomialError: always.
        """
        raise NotPolynomialError

    # --- sums ----------------------------------------------------------------------------------------------------

    def total(self, polynomial: Polynomial, kind: SumKind) -> Polynomial:
        """Returns the sum of an array.

        Raises: NotPolynomialError: if the number of rows would be a factor.
        """
        kept, result = _KEPT_BY[kind], Polynomial({}, self)
        for monomial, factor in polynomial.terms.items():
            summed = tuple([part for part in monomial if self._extent_of_symbol(part[0]) is not kept])
            others = tuple([part for part in monomial if self._extent_of_symbol(part[0]) is kept])
            if not summed and kind is SumKind.ALL_ROWS:
                raise NotPolynomialError
            sum_of_ones = Polynomial({(): float(self.features)}, self)
            result += (self._symbol((kind, summed)) if summed else sum_of_ones) * Polynomial({others: factor}, self)
        return result

    def kind_of(self, node: Node) -> SumKind | None:
        """Returns along which axes a node sums an array, or averages it; None if it does neither."""
        if node.op_def.traits.total is None or not self.is_array_shaped(node.inputs[0]):
            return None
        axes, rank = node.inputs[1].constant, len(self.dims)
        if axes is None:
            return None
        found = sorted(axis % rank for axis in axes.reshape(-1).tolist())
        if found == [rank - 1]:
            return SumKind.ROW
        return SumKind.ALL_ROWS if found == list(range(rank - 1)) else None

    def is_total(self, node: Node) -> bool:
        """Returns whether a node sums an array, or averages it, and keeps its result in a form that is known here."""
        return self.kind_of(node) is not None and self._extent(node.outputs[0]) in _KEPT_BY.values()

    def _total(self, node: Node) -> Polynomial:
        kind = self.kind_of(node)
        if kind is None or self._extent(node.outputs[0]) is not _KEPT_BY[kind]:
            raise NotPolynomialError
        total = self.total(self.polynomial(node.inputs[0]), kind)
        if node.op_def.traits.total is not Total.MEAN:
            return total
        if kind is not SumKind.ROW:
            raise NotPolynomialError
        return total / self.features

    # --- values --------------------------------------------------------------------------------------------------

    def _extent(self, value: Value) -> _Extent | None:
        """Returns along which axes a value is the same; None for another value."""
        sizes = self._sizes.sizes_of(value)
        if value.dtype is not float32 or sizes is None:
            return None
        if sizes == self._shape:
            return _Extent.ARRAY
        if sizes == (*self._shape[:-1], 1):
            return _Extent.ROWS
        if sizes and sizes[-1] == self.features and len(sizes) <= len(self._shape) and set(sizes[:-1]) <= {1}:
            return _Extent.FEATURES
        return _Extent.NUMBER if value.shape.num_elements() == 1 else None

    def is_array_shaped(self, value: Value) -> bool:
        """Returns whether a value has the shape of the arrays, in each call."""
        return self._extent(value) is _Extent.ARRAY

    def _extent_of_symbol(self, symbol: int) -> _Extent | None:
        """Returns along which axes a symbol is the same."""
        meaning = self.meaning(symbol)
        if isinstance(meaning, Value):
            return self._extent(meaning)
        kind, argument = meaning
        if isinstance(kind, SumKind):
            return _KEPT_BY[kind]
        parts = {self._extent_of_symbol(other) for monomial, _ in argument for other, _ in monomial}
        return parts.pop() if len(parts) == 1 else _Extent.ARRAY if parts else _Extent.NUMBER

    def is_vector(self, value: Value) -> bool:
        """Returns whether a value is one of features or of rows."""
        return self._extent(value) in (_Extent.FEATURES, _Extent.ROWS)

    def is_feature_vector(self, value: Value) -> bool:
        """Returns whether a value is a vector of features, with no other axis."""
        return self._extent(value) is _Extent.FEATURES and value.shape.rank == 1

    def _of_same_elements(self, node: Node) -> Polynomial:
        source = node.inputs[0]
        before, after = self._extent(source), self._extent(node.outputs[0])
        is_spread = before in (_Extent.FEATURES, _Extent.ROWS, _Extent.NUMBER) and after is _Extent.ARRAY
        if before is None or not (before is after or is_spread):
            raise NotPolynomialError
        if before is _Extent.ARRAY and not node.op_def.traits.returns_input:
            raise NotPolynomialError
        return self.polynomial(source)

    def source(self, value: Value) -> Value:
        """Returns the value that a value is, past ops that return their input."""
        while value.node is not None and value.node.op_def.traits.returns_input:
            value = value.node.inputs[0]
        return value
