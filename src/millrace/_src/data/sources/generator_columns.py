"""Columns into which the elements of a Python generator are written as these are yielded.

Problem: a generator may write each element over the last one, so that elements that wait for others have to be copied,
and are copied again when a block is made of them.

Idea: where elements are plain (numbers of one type, texts, arrays of one shape and dtype), the kind of each leaf is
that of the first element, and an element is copied once, to its row of the block. An element of another kind ends the
block; the caller converts that one by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.aligned_memory import empty_array
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import string
from millrace._src.core.sequences import object_array, utf8_bytes
from millrace._src.core.specs import TensorSpec
from millrace._src.core.type_specs import TypeSpec
from millrace._src.data.blocks import Block
from millrace._src.data.structure import ElementStructure
from millrace._src.util import nest

_MAX_BYTES = 1 << 26
"""The size of the arrays of one leaf in a block: the number of elements is not known."""

_Put = Callable[[int, Any], bool]
"""Stores a leaf at an index; returns False if the leaf is of another kind than the first one."""


class PlainElements:
    """Plain elements that a generator yields, block after block.

    Args:
      structure: the structure of an element.

    Attributes:
      count: how many elements the block has.
      odd: an element of another kind that came behind these; else nothing.
    """

    def __init__(self, structure: ElementStructure) -> None:
        self.count = 0
        self.odd: list[Any] = []
        self._structure = structure
        self._leaves_of = _reader_of(structure.spec)
        self._kinds: list[Any] = []  # of the leaves for which the makers are
        self._makers: list[Callable[[int], _Column] | None] = []
        self._columns: list[_Column] = []
        self._room = 0

    def take(self, limit: int, elements: Iterator[Any]) -> bool:
        """Begins a block and takes up to `limit` elements; returns whether there are no more elements."""
        self.count, self.odd = 0, []
        put: _Put | None = None
        for element in elements:
            index = self.count
            put = put or self._put_for(element, limit)
            if not put(index, element):
                self.odd.append(element)
                return False
            self.count = index + 1
            if self.count == self._room:
                return False
        return True

    def _put_for(self, first: object, limit: int) -> _Put:
        """Makes columns for elements like the first one; returns a function that puts an element into these."""
        leaves_of = self._leaves_of
        puts = self._puts_for(leaves_of(first), limit)
        if isinstance(self._structure.spec, TypeSpec) and puts:
            return puts[0]

        def put(index: int, element: object) -> bool:
            leaves = leaves_of(element)
            if leaves is None or not puts:
                return False
            for put_leaf, leaf in zip(puts, leaves, strict=True):  # noqa: SIM110  twice as fast as `all` of a generator
                if not put_leaf(index, leaf):
                    return False
            return True

        return put

    def _puts_for(self, leaves: Sequence[Any] | None, limit: int) -> list[_Put]:
        """Makes columns for the kinds of the first element's leaves; returns nothing if these are not plain."""
        if leaves is None:
            return []
        kinds = [(leaf.shape, leaf.dtype) if type(leaf) is np.ndarray else type(leaf) for leaf in leaves]
        if kinds != self._kinds:
            self._kinds, self._makers = kinds, list(map(_maker_for, kinds, self._structure.tensor_specs))
        largest = max([leaf.nbytes for leaf in leaves if type(leaf) is np.ndarray], default=0)
        self._room = min(limit, max(_MAX_BYTES // max(largest, 1), 1))
        self._columns = [make(self._room) for make in self._makers if make]
        return [column.put for column in self._columns] if all(self._makers) else []

    def block(self) -> Block | None:
        """Returns the elements as a block; None if there are none, or the numbers have no common dtype."""
        arrays = [column.array(self.count) for column in self._columns] if self.count else []
        known = [array for array in arrays if array is not None]
        return Block(known, self.count) if known and len(known) == len(arrays) else None

    def elements(self) -> list[Any]:
        """Returns the elements in the form in which the generator has yielded these."""
        leaves = [column.values(self.count) for column in self._columns] if self.count else []
        return [_element(self._structure.spec, own) for own in zip(*leaves, strict=True)]


def _reader_of(spec: Any) -> Callable[[Any], Sequence[Any] | None]:
    """Returns a function from an element to its leaves; to None if it is not plain, or of another structure.

    Plain are leaves that are tensors, and tuples and dictionaries of such leaves.
    """
    if any(not isinstance(leaf, TensorSpec) for leaf in nest.flatten(spec)):
        return lambda element: None
    if isinstance(spec, TypeSpec):
        return lambda element: (element,)
    kind, size = type(spec), len(spec)
    if kind not in (tuple, dict) or not size or any(not isinstance(leaf, TypeSpec) for leaf in nest.children(spec)):
        return lambda element: None
    if kind is tuple:
        return lambda element: element if type(element) is tuple and len(element) == size else None
    (first, *others) = sorted(spec)
    values_of = itemgetter(first, *others) if others else lambda element: (element[first],)

    def leaves_of(element: object) -> Sequence[Any] | None:
        if type(element) is dict and len(element) == size:
            try:
                return values_of(element)
            except KeyError:
                pass
        return None

    return leaves_of


def _element(spec: object, leaves: Sequence[Any]) -> Any:
    """Returns the element that has these leaves."""
    if isinstance(spec, TypeSpec):
        return leaves[0]
    return dict(zip(sorted(spec), leaves, strict=True)) if type(spec) is dict else tuple(leaves)


# --- columns -----------------------------------------------------------------------------------------------------


class _Column(NamedTuple):
    """One leaf of all elements; functions over one memory, since each element calls one."""

    put: _Put
    array: Callable[[int], Array | None]
    """Returns so many leaves as an array of the spec's dtype; None if they have no common dtype."""
    values: Callable[[int], list[Any]]
    """Returns so many leaves one by one."""


def _maker_for(kind: Any, spec: Any) -> Callable[[int], _Column] | None:
    """Returns a function that makes a column with some room; None if the leaves are not plain, or do not fit the spec.

    Args:
      kind: the shape and dtype of leaves that are arrays, else their type.
      spec: the spec of the leaves.
    """
    is_array = type(kind) is tuple
    if not spec.shape.is_compatible_with(kind[0] if is_array else ()):
        return None
    if is_array:
        shape, dtype = kind
        return None if dtype.hasobject or spec.dtype is string else partial(_column_of_arrays, shape, dtype, spec)
    if spec.dtype is string:
        is_plain = kind in (str, bytes)
    else:
        is_plain = kind in (int, float, bool) or issubclass(kind, np.number)
    return partial(_column_of_values, kind, spec) if is_plain else None


def _column_of_arrays(shape: tuple[int, ...], dtype: np.dtype[Any], spec: Any, room: int) -> _Column:
    column = empty_array((room, *shape), dtype)

    def put(index: int, value: object) -> bool:
        if type(value) is np.ndarray and value.shape == shape and (value.dtype is dtype or value.dtype == dtype):
            column[index] = value
            return True
        return False

    return _Column(
        put,
        lambda count: column[:count].astype(spec.dtype.np_dtype, copy=False),
        lambda count: [column[index, ...] for index in range(count)],
    )


def _column_of_values(kind: type, spec: Any, room: int) -> _Column:
    column: list[Any] = []

    def put(index: int, value: object) -> bool:
        if type(value) is not kind:
            return False
        column.append(value)
        return True

    def array(count: int) -> Array | None:
        if spec.dtype is string:
            return object_array([utf8_bytes(value) for value in column[:count]])
        values = np.array(column[:count])
        return None if values.dtype.hasobject else values.astype(spec.dtype.np_dtype, copy=False)

    return _Column(put, array, lambda count: column[:count])
