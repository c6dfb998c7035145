"""Lists of arrays on the host, which tensors of dtype `variant` hold inside loops.

A list never changes: every write makes a new list. A loop that writes n elements must not copy n arrays n times, so
versions share one dict from index to array. The newest version owns the dict; a version that is written keeps only the
difference to its successor. A version that was overtaken long ago and is read again gets a copy.

A list that nothing else holds, as inside of a loop that a program contains, is *owned* (see `instructions`): `put`,
`append`, `take` and `cut` change such a list in place.

An element may be unset. An unset element reads as zeros of the shape of the other elements.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import ListHandle, Referent
from millrace._src.core.resources import resource_of
from millrace._src.core.shapes import TensorShape
from millrace._src.core.variant_values import VariantValue
from millrace._src.util.text import shape_brackets

_LOCK = threading.Lock()
_MAX_WALK_LENGTH = 8
"""The most steps that a read walks from an overtaken version; a read that needs more copies the dict."""

_MAX_CUT = 8
"""The most elements by which a list gets shorter step by step; a list that loses more is copied."""

_UNKNOWN = TensorShape(None)


class _ListVersion:
    """One state of a dict from index to array: the dict itself, or one difference to a newer version."""

    __slots__ = ("items", "index", "value", "newer")

    def __init__(self, items: dict[int, Any] | None) -> None:
        self.items = items
        self.index = -1
        self.value: Any = None
        self.newer: _ListVersion | None = None

    def get(self, index: int) -> Any:
        """Returns the array at an index, None if the element is unset."""
        items = self.items
        if items is not None:
            item = items.get(index)
            if self.items is items:  # no newer version has written meanwhile
                return item
        with _LOCK:
            version = self
            for _ in range(_MAX_WALK_LENGTH):
                if version.items is not None:
                    return version.items.get(index)
                if version.index == index:
                    return version.value
                assert version.newer is not None
                version = version.newer
            return self._own().get(index)

    def set(self, index: int, value: object) -> _ListVersion:
        """Makes the version in which `value` stands at `index`; None for an unset element."""
        with _LOCK:
            items = self._own()
            successor = _ListVersion(items)
            self.items, self.index, self.value, self.newer = None, index, items.get(index), successor
            if value is None:
                items.pop(index, None)
            else:
                items[index] = value
            return successor

    def count(self) -> int:
        """Counts the arrays that are set."""
        with _LOCK:
            return len(self._own())

    def all(self) -> dict[int, Any]:
        """Returns a dict of the arrays that are set, which callers must not change or keep beyond the next write."""
        with _LOCK:
            return dict(self._own())

    def _own(self) -> dict[int, Any]:
        if self.items is not None:
            return self.items
        path = []
        version = self
        while version.items is None:
            path.append(version)
            assert version.newer is not None
            version = version.newer
        items = dict(version.items)
        for older in reversed(path):
            if older.value is None:
                items.pop(older.index, None)
            else:
                items[older.index] = older.value
        self.items, self.value, self.newer = items, None, None
        return items


class TensorList(VariantValue, Referent):
    """A list of arrays of one dtype.

    Args:
      dtype: the dtype of the elements.
      element: what is known of the shape of every element.
      length: the number of elements.
      capacity: how many elements the list may grow to; -1 for any number.
    """

    __slots__ = ("dtype", "element", "length", "capacity", "_version", "_fitting")

    def __init__(self, dtype: DType, element: TensorShape, length: int = 0, capacity: int = -1) -> None:
        self.dtype = dtype
        self.element = element
        self.length = length
        self.capacity = capacity
        self._version = _ListVersion({})
        """Elements from `length` on are never set."""
        self._fitting: Any = None
        """The shape of the last element that was found to fit."""

    def __len__(self) -> int:
        return self.length

    def __repr__(self) -> str:
        return "<TensorList>"

    def _with(self, version: _ListVersion, length: int) -> TensorList:
        copy = TensorList.__new__(TensorList)
        copy.dtype, copy.element, copy.capacity = self.dtype, self.element, self.capacity
        copy.length, copy._version, copy._fitting = length, version, self._fitting
        return copy

    @property
    def handle_type(self) -> ListHandle:
        """The type of the list."""
        return ListHandle(self.dtype, self.element)

    def size(self) -> Array:
        """Returns the number of elements as an int32 scalar."""
        return np.asarray(self.length, np.int32)

    def shape_vector(self) -> Array:
        """Returns the declared shape of the elements as a vector, -1 for what is unknown."""
        return vector_of(self.element)

    def items(self) -> list[Any]:
        """Returns the arrays in order, None for an unset element."""
        all_items = self._version.all()
        return [all_items.get(i) for i in range(self.length)]

    # --- elements ------------------------------------------------------------------------------------------------

    def check_dtype(self, dtype: DType) -> None:
        """Refuses an op for elements of another dtype.

        Raises: InvalidArgumentError: if `dtype` is not the dtype of the elements.
        """
        if dtype is not self.dtype:
            raise invalid(
                f"Invalid data types; op elements {runtime_name(dtype)} but list elements {runtime_name(self.dtype)}"
            )

    def set(self, index: object, item: Array, *, resize: bool = False) -> TensorList:
        """Returns the list with `item` at an index."""
        index, length = self._index_and_length(index, item, resize)
        return self._with(self._version.set(index, item), length)

    def _index_and_length(self, index: Any, item: Array, resize: bool) -> tuple[int, int]:
        """Returns the index of an element that is to be set, and the length of the list afterwards."""
        index, length = int(index), self.length
        if resize and index >= length:
            length = index + 1
        if not 0 <= index < length:
            raise invalid(f"Trying to modify element {index} in a list with {length} elements.")
        if shape_of(item) != self._fitting:
            if not self.element.is_compatible_with(shape_of(item)):
                raise invalid(
                    "Tried to set a tensor with incompatible shape at a list index. Item element shape: "
                    f"{shape_brackets(shape_of(item))} list shape: {shape_brackets(self.element)}"
                )
            self._fitting = shape_of(item)
        return index, length

    def get(self, index: Any, shape: Array) -> Array:
        """Returns the element at an index; zeros if the element is unset and a shape is known."""
        index = int(index)
        if not 0 <= index < self.length:
            raise invalid(f"Trying to access element {index} in a list with {self.length} elements.")
        item = self._version.get(index)
        if item is not None:
            found: Array = item
            return found
        known_shape = self._merge_shapes(shape, self.items())
        if not known_shape.is_fully_defined():
            raise invalid(
                "Trying to read an uninitialized tensor but element_shape is not fully defined: "
                f"{shape_brackets(known_shape)} and no list element is set."
            )
        return self._zeros(known_shape)

    def push(self, item: Array) -> TensorList:
        """Returns the list with one more element."""
        self._check_push(item)
        return self._with(self._version.set(self.length, item), self.length + 1)

    def _check_push(self, item: Array) -> None:
        if shape_of(item) != self._fitting and not self.element.is_compatible_with(shape_of(item)):
            raise invalid(
                "Tried to append a tensor with incompatible shape to a list. Op element shape: "
                f"{shape_brackets(shape_of(item))} list shape: {shape_brackets(self.element)}"
            )
        if 0 <= self.capacity <= self.length:
            raise invalid(
                f"Tried to push item into a full list list size: {self.length} max_num_elements: {self.capacity}"
            )
        self._fitting = shape_of(item)

    def pop(self, shape: Array) -> tuple[TensorList, Array]:
        """Returns the list without its last element, and the element."""
        item = self._last(shape)
        return self._with(self._version.set(self.length - 1, None), self.length - 1), item

    def _last(self, shape: Array) -> Array:
        """Returns the last element."""
        if not self.length:
            raise invalid("Trying to pop from an empty list.")
        item = self._version.get(self.length - 1)
        if item is not None:
            return item
        known_shape = shape_from(shape)
        if not known_shape.is_fully_defined():
            shape_text = shape_brackets(known_shape)
            raise invalid(f"Trying to read an uninitialized tensor but element_shape is not fully defined.{shape_text}")
        return self._zeros(known_shape)

    def resize(self, size: object) -> TensorList:
        """Returns the list cut off or extended by unset elements."""
        size = _validate_size(size)
        version = self._version
        if self.length - size > _MAX_CUT:
            version = _ListVersion({i: a for i, a in version.all().items() if i < size})
        else:
            for index in range(size, self.length):
                version = version.set(index, None)
        return self._with(version, size)

    # --- in place ------------------------------------------------------------------------------------------------

    def put(self, index: object, item: Array, *, resize: bool) -> None:
        """Sets an element of an owned list, as `set` does."""
        index, self.length = self._index_and_length(index, item, resize)
        self._owned[index] = item

    def append(self, item: Array) -> None:
        """Adds an element to an owned list, as `push` does."""
        if shape_of(item) != self._fitting or self.length == self.capacity:
            self._check_push(item)
        self._owned[self.length] = item
        self.length += 1

    def take(self, shape: Array) -> Array:
        """Removes the last element of an owned list, as `pop` does; returns the element."""
        item = self._owned.pop(self.length - 1, None)
        if item is None:
            item = self._last(shape)
        self.length -= 1
        return item

    def cut(self, size: object) -> None:
        """Cuts off or extends an owned list, as `resize` does."""
        size = _validate_size(size)
        for index in range(size, self.length):
            self._owned.pop(index, None)
        self.length = size

    @property
    def _owned(self) -> dict[int, Any]:
        items = self._version.items
        assert items is not None, "a list that has newer versions is not owned"
        return items

    # --- all elements --------------------------------------------------------------------------------------------

    def stack(self, shape: Array, count: int) -> Array:
        """Stacks the elements along a new first axis; `count` is the declared number of elements, or -1."""
        if count not in (-1, self.length):
            raise invalid(
                f"Operation expected a list with {count} elements but got a list with {self.length} elements."
            )
        items = self.items()
        known_shape = self._merge_shapes(shape, items)
        if not known_shape.is_fully_defined():
            what = (
                "Tried to stack elements of an empty list with"
                if not items
                else ("Tried to stack list which only contains uninitialized tensors and has a")
            )
            raise invalid(f"{what} non-fully-defined element_shape: {shape_brackets(known_shape)}")
        return self._stack(items, known_shape)

    def gather(self, indices: Array, shape: Array) -> Array:
        """Stacks the elements at `indices` along a new first axis."""
        positions = [int(i) for i in np.asarray(indices).reshape(-1)]
        is_declared = merge(shape_from(shape), self.element).is_fully_defined()
        for index in positions:
            if not 0 <= index < self.length:
                raise invalid(
                    f"Index {index} out o range; list only has {self.length} elements."
                    if is_declared
                    else f"Trying to gather element {index} in a list with {self.length} elements."
                )
        items = self.items()
        rows = [items[i] for i in positions]
        known_shape = self._merge_shapes(shape, items)
        if not known_shape.is_fully_defined():
            what = (
                "Tried to gather uninitialized tensors from a list"
                if positions
                else ("Tried to gather elements from an empty list")
            )
            raise invalid(f"{what} with non-fully-defined element_shape: {shape_brackets(known_shape)}")
        return self._stack(rows, known_shape)

    def scatter(self, tensor: Array, indices: Array) -> TensorList:
        """Returns the list with the rows of `tensor` at `indices`; the list grows to hold the largest index."""
        positions = [int(i) for i in np.asarray(indices).reshape(-1)]
        if len(positions) != tensor.shape[0]:
            raise invalid(f"Expected len(indices) == tensor.shape[0], but saw: {len(positions)} vs. {tensor.shape[0]}")
        if any(i < 0 for i in positions):
            raise invalid("Indices in TensorListScatter must all be non-negative.")
        result = self
        for index, row in zip(positions, tensor, strict=True):
            result = result._with(result._version.set(index, np.asarray(row)), max(result.length, index + 1))
        return result

    def concat(self, shape: Array, leading: Array) -> tuple[Array, Array]:
        """Joins the elements along their first axis, and returns the length of each."""
        given_shape = shape_from(shape)
        items = self.items()
        row_shape = merge(_without_first(given_shape), _without_first(self.element))
        for index, item in enumerate(items):
            if item is None:
                continue
            if not item.ndim:
                raise invalid(f"Concat saw a scalar shape at index {index} but requires at least vectors.")
            row_shape = merge(row_shape, TensorShape(item.shape[1:]))
            if given_shape.rank and given_shape[0] is not None and given_shape[0] != item.shape[0]:
                raise invalid(
                    "First entry of element_shape input does not match the first dim of list element at index: "
                    f"{index} Expected: {given_shape[0]} Actual: {item.shape[0]}"
                )
        if not row_shape.is_fully_defined():
            raise invalid(
                "All except the first dimension must be fully defined when concating an empty tensor list. "
                f"element_shape: {shape_brackets(given_shape)}"
                if not items
                else "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim is "
                f"not fully defined: {shape_brackets(row_shape)}"
            )
        lengths = self._lengths(items, given_shape, leading)
        parts = [
            self._zeros(TensorShape([n, *row_shape.as_list()])) if item is None else item
            for item, n in zip(items, lengths, strict=True)
        ]
        empty_rows = _fill(self.dtype, [0, *row_shape.as_list()])
        return np.concatenate(parts) if parts else empty_rows, np.array(lengths, np.int64)

    def _lengths(self, items: Sequence[Any], given: TensorShape, leading: Array) -> list[int]:
        declared_lengths = [int(n) for n in np.asarray(leading).reshape(-1)]
        first = given[0] if given.rank else None
        if first is None and self.element.rank:
            first = self.element[0]
        if first is None and not declared_lengths:
            first = next((len(item) for item in items if item is not None), None)
        lengths = []
        for index, item in enumerate(items):
            if item is not None:
                lengths.append(len(item))
            elif first is not None:
                lengths.append(first)
            elif index < len(declared_lengths):
                lengths.append(declared_lengths[index])
            else:
                raise invalid(
                    f"List contains uninitialized tensor at index {index} but leading_dims has only "
                    f"{len(declared_lengths)} elements."
                )
        return lengths

    # --- lists ---------------------------------------------------------------------------------------------------

    def extend(self, items: Iterable[Any]) -> TensorList:
        """Returns the list with further elements at its end."""
        return self._of([*self.items(), *items])

    def zeros_like(self) -> TensorList:
        """Makes a list of zeros for the elements that are set."""
        return self._of([None if item is None else _zeros(self.dtype, item) for item in self.items()])

    def __add__(self, other: TensorList) -> TensorList:
        """Adds the elements of two lists; an unset element is zero."""
        if self.dtype is not other.dtype:
            raise invalid(
                "Trying to add two lists of tensors of different dtypes. One is "
                f"{runtime_name(self.dtype)} and the other is {runtime_name(other.dtype)}"
            )
        if self.length != other.length:
            raise invalid(
                "Trying to add two lists of tensors with different lengths. One is "
                f"{self.length} and the other is {other.length}"
            )
        few, many = sorted((self, other), key=lambda one: one._version.count())
        result = many._with(many._version, many.length)
        result.element = merge(self.element, other.element)
        for index, item in few._version.all().items():
            if item is not None and index < few.length:
                own_item = result._version.get(index)
                total = item if own_item is None else np.asarray(own_item + item)
                result = result._with(result._version.set(index, total), result.length)
        return result

    def _of(self, items: Sequence[Any]) -> TensorList:
        result = TensorList(self.dtype, self.element, len(items), self.capacity)
        result._version = _ListVersion({i: item for i, item in enumerate(items) if item is not None})
        return result

    # --- shapes --------------------------------------------------------------------------------------------------

    def _merge_shapes(self, shape: Array, items: Iterable[Any]) -> TensorShape:
        """Returns the shape of every element, merged from the shapes of the op, of the list and of the elements."""
        known_shape = merge(shape_from(shape), self.element)
        for one in dict.fromkeys(shape_of(item) for item in items if item is not None):
            known_shape = merge(known_shape, TensorShape(one))
        return known_shape

    def _zeros(self, shape: TensorShape) -> Array:
        return _fill(self.dtype, shape.as_list())

    def _stack(self, items: Sequence[Any], shape: TensorShape) -> Array:
        dims: list[Any] = shape.as_list()
        result = _fill(self.dtype, [len(items), *dims])
        for index, item in enumerate(items):
            if item is not None:
                item = box(item)  # a program passes lists of lists as they are
                result[index] = item if item.ndim else item[()]
        return result


def own(handle: object) -> Any:
    """Copies a list or array for a loop alone; `put`, `append`, `take` and `cut` may change the copy of a list."""
    value: Any = handle[()] if isinstance(handle, np.ndarray) and not handle.ndim else handle
    if not isinstance(value, TensorList):
        return np.array(handle)
    return box(value._with(_ListVersion(value._version.all()), value.length))


def from_rows(tensor: Array, shape: TensorShape, dtype: DType) -> TensorList:
    """Makes a list of the rows of an array."""
    result = TensorList(dtype, shape, len(tensor))
    result._version = _ListVersion(
        {i: np.asarray(row) if dtype.np_dtype.kind != "O" else box(row) for i, row in enumerate(tensor)}
    )
    return result


def from_items(items: Sequence[Array], shape: TensorShape, dtype: DType) -> TensorList:
    """Makes a list of arrays."""
    return TensorList(dtype, shape)._of(items)


def box(item: object) -> Array:
    """Returns a string or handle as a 0-d array, and an array unchanged."""
    if isinstance(item, np.ndarray):
        return item
    box = np.empty((), dtype=object)
    box[()] = item
    return box


def _validate_size(size: Any) -> int:
    """Returns the size that a list is to have."""
    size = int(size)
    if size < 0:
        raise invalid(f"TensorListSlice expects size to be non-negative. Got: {size}")
    return size


def _fill(dtype: DType, shape: Sequence[Any]) -> Array:
    if dtype.np_dtype.kind != "O":
        return np.zeros(shape, dtype.np_dtype)
    result = np.empty(shape, dtype=object)
    result.fill(b"")
    return result


def _zeros(dtype: DType, item: Array) -> Array:
    if dtype.name == "variant":
        return box(resource_of(item).zeros_like())
    return _fill(dtype, item.shape)


def shape_of(item: object) -> tuple[int, ...]:
    """Returns the shape of an element."""
    return getattr(item, "shape", ())


def shape_from(vector: object) -> TensorShape:
    """Reads a shape from a vector of integers, -1 for unknown dimensions, or from the scalar -1 for an unknown rank."""
    if isinstance(vector, TensorShape):
        return vector
    array = np.asarray(vector)
    if not array.ndim:
        return _UNKNOWN
    return TensorShape([None if n < 0 else int(n) for n in array])


def vector_of(shape: TensorShape) -> Array:
    """Returns a shape as `shape_from` reads shapes."""
    return np.array(-1 if shape.rank is None else [-1 if n is None else n for n in shape.as_list()], np.int64)


def merge(a: TensorShape, b: TensorShape) -> TensorShape:
    """Returns the shape that two shapes describe together.

    Raises: InvalidArgumentError: if the shapes contradict each other.
    """
    if a.rank is not None and b.rank is not None and a.rank != b.rank:
        raise invalid(f"PartialTensorShape: Incompatible ranks during merge: {a.rank} vs. {b.rank}")
    if not a.is_compatible_with(b):
        raise invalid(
            f"PartialTensorShape: Incompatible shapes during merge: {shape_brackets(a)} vs. {shape_brackets(b)}"
        )
    return a.merge_with(b)


def _without_first(shape: TensorShape) -> TensorShape:
    if shape.rank == 0:
        raise invalid("Concat requires elements to be at least vectors, found scalars instead.")
    return shape if shape.rank is None else shape[1:]
