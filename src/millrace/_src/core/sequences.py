"""Nested Python sequences and odd scalars as arrays, element by element, by TensorFlow's rules.

Problem: a list takes the dtype of its *first* element and refuses elements that do not fit that dtype (`[1, True]` is
fine, `[True, 1]` is not), and an explicit dtype widens or narrows those rules again.

Idea: a value becomes a shape and a flat list of leaves. Each leaf type belongs to one `_Category`; two small tables say
which categories may follow a first category, and which categories a requested dtype accepts. Accepted leaves are
converted in one go.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core import dtypes
from millrace._src.core.array_namespace import Array
from millrace._src.core.dimension import Dimension
from millrace._src.core.dtypes import DType

_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1
_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1
FLOAT32_MAX = float(np.finfo(np.float32).max)
_INT32, _INT64, _FLOAT32 = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float32)

_MIXED = "Can't convert Python sequence with mixed types to Tensor."
_RAGGED = "Can't convert non-rectangular Python sequence to Tensor."
_INT_RANGE = "Can't convert Python sequence with out-of-range integer to Tensor."
_FLOAT_RANGE = "Can't convert Python sequence with a value out of range for a double-precision float."
_NOT_UTF8 = "Error converting unicode string while converting Python sequence to Tensor."


class _Category(enum.Enum):
    """The kind of a leaf, whatever the leaf's exact type."""

    INT = enum.auto()
    FLOAT = enum.auto()
    BOOL = enum.auto()
    NUMPY_BOOL = enum.auto()
    COMPLEX = enum.auto()
    TEXT = enum.auto()
    UNKNOWN = enum.auto()


_C = _Category
_BOOLS = frozenset({_C.BOOL, _C.NUMPY_BOOL})
_INTS = frozenset({_C.INT, _C.BOOL})
_REALS = frozenset({_C.INT, _C.FLOAT, _C.BOOL})
_COMPLEXES = _REALS | {_C.COMPLEX}
_TEXTS = frozenset({_C.TEXT})

# First leaf of a sequence -> the leaves that may follow when no dtype is asked for.
_MAY_FOLLOW = {
    _C.INT: _REALS,
    _C.FLOAT: _REALS,
    _C.BOOL: _BOOLS,
    _C.NUMPY_BOOL: _BOOLS,
    _C.COMPLEX: _COMPLEXES,
    _C.TEXT: _TEXTS,
}

# dtype asked for -> the leaves that the dtype accepts. TensorFlow converts directly to the dtypes of this table. To any
# other dtype TensorFlow casts the inferred array, which is why other dtypes refuse a leading bool.
_ACCEPTS = {
    dtypes.int32: _INTS,
    dtypes.int64: _INTS,
    dtypes.uint64: _INTS,
    dtypes.float16: _REALS,
    dtypes.float32: _REALS,
    dtypes.float64: _REALS,
    dtypes.complex128: _COMPLEXES,
    dtypes.bool_: _BOOLS,
    dtypes.string: _TEXTS,
}
_CAST_FROM_FIRST = {
    _C.INT: lambda dtype: dtype.is_integer or dtype.is_quantized or dtype.is_floating or dtype.is_complex,
    _C.FLOAT: lambda dtype: dtype.is_floating or dtype.is_complex,
    _C.COMPLEX: lambda dtype: dtype.is_complex,
}


def _size(leaf: object) -> Any:
    """Returns the size of a known `Dimension`, another leaf as it is.

    Raises: ValueError: if the dimension is unknown.
    """
    if not isinstance(leaf, Dimension):
        return leaf
    if leaf.value is None:
        raise ValueError(f"Cannot convert unknown Dimension {leaf} to a Tensor.")
    return leaf.value


class _Leaves:
    """The elements of a value in C order, with the value's shape and the categories of elements."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.shape, self.first, self.leaves, types = _flatten(value)
        if Dimension in types:
            self.leaves = [_size(leaf) for leaf in self.leaves]
            self.first, types = self.leaves[0], set(map(type, self.leaves))
        self.categories = {_category(cls) for cls in types}
        self.first_category = _category(type(self.first)) if self.leaves else _C.FLOAT

    def check(self, dtype: DType | None) -> None:
        """Raises unless the leaves go together, and into `dtype`."""
        if self.first_category is _C.UNKNOWN:
            raise ValueError(
                f"Attempt to convert a value ({self.leaves[0]!r}) with an unsupported type "
                f"({type(self.leaves[0])!r}) to a Tensor."
            )
        accepted = _ACCEPTS.get(dtype) if dtype is not None else None
        if accepted is not None and self.categories <= accepted:
            return
        if not self.categories <= _MAY_FOLLOW[self.first_category]:
            raise ValueError(_MIXED)
        if self.first_category is _C.INT and (dtype is not None or _C.FLOAT in self.categories):
            self._check_leading_ints()
        if dtype is not None and (accepted is not None or not self._casts_to(dtype)):
            raise TypeError(f"Cannot convert {self.value!r} to EagerTensor of dtype {dtypes.runtime_name(dtype)}")

    def _check_leading_ints(self) -> None:
        """Refuses ints in front of the first float that do not fit int64: nothing yet says that floats follow."""
        leaves = self.leaves
        if _C.FLOAT in self.categories:
            leaves = list(itertools.takewhile(lambda leaf: _category(type(leaf)) is not _C.FLOAT, leaves))
        if min(leaves) < _INT64_MIN or max(leaves) > _INT64_MAX:
            raise ValueError(_INT_RANGE)

    def _casts_to(self, dtype: DType) -> bool:
        category = self.first_category
        if category is _C.INT and _C.FLOAT in self.categories:
            category = _C.FLOAT
        castable = _CAST_FROM_FIRST.get(category)
        return castable is not None and castable(dtype)

    def infer_dtype(self) -> DType:
        """Returns the dtype of the leaves when no caller asks for a dtype; int32 also for ints that need int64."""
        category = self.first_category
        if category is _C.INT:
            return dtypes.float32 if _C.FLOAT in self.categories else dtypes.int32
        if category is _C.FLOAT:
            return _FLOAT_OF_FIRST.get(type(self.first), dtypes.float32)
        return _INFERRED[category]


_FLOAT_OF_FIRST: dict[type, DType] = {np.float64: dtypes.float64, np.float16: dtypes.float16}
_INFERRED = {
    _C.BOOL: dtypes.bool_,
    _C.NUMPY_BOOL: dtypes.bool_,
    _C.COMPLEX: dtypes.complex128,
    _C.TEXT: dtypes.string,
}
_CATEGORY_OF_TYPE: dict[type, _Category] = {
    int: _C.INT,
    float: _C.FLOAT,
    bool: _C.BOOL,
    complex: _C.COMPLEX,
    str: _C.TEXT,
    bytes: _C.TEXT,
}
_CATEGORY_OF_BASE: tuple[tuple[Any, _Category], ...] = (
    (np.timedelta64, _C.UNKNOWN),  # NumPy counts timedelta64 among the integers
    (np.bool_, _C.NUMPY_BOOL),
    ((int, np.integer), _C.INT),
    ((float, np.floating), _C.FLOAT),
    ((complex, np.complexfloating), _C.COMPLEX),
    ((str, bytes), _C.TEXT),
)


def _category(cls: type) -> _Category:
    known = _CATEGORY_OF_TYPE.get(cls)
    if known is not None:
        return known
    return next((category for bases, category in _CATEGORY_OF_BASE if issubclass(cls, bases)), _C.UNKNOWN)


def array_of_list(value: Sequence[Any], dtype: DType | None) -> tuple[Array, DType]:
    """Converts as `array_of_sequence` does; a shorter way for short flat lists of ints or floats, the usual case."""
    if len(value) <= _SHORT:
        types = set(map(type, value))
        if types == _ONLY_INTS and (dtype is None or dtype is dtypes.int32 or dtype is dtypes.int64):
            if min(value) >= _INT32_MIN and max(value) <= _INT32_MAX:
                dtype = dtypes.int32 if dtype is None else dtype
                return np.array(value, dtype.np_dtype), dtype
        elif types == _ONLY_FLOATS and (dtype is None or dtype is dtypes.float32):
            # A NaN in front fails both comparisons and take the slow path; elsewhere min and max pass over it.
            if min(value) >= -FLOAT32_MAX and max(value) <= FLOAT32_MAX:
                return np.array(value, _FLOAT32), dtypes.float32
    return array_of_sequence(value, dtype)


_SHORT = 64
_ONLY_INTS = {int}
_ONLY_FLOATS = {float}
_ONLY_BYTES, _ONLY_STRINGS = {bytes}, {str}


def array_of_sequence(value: object, dtype: DType | None) -> tuple[Array, DType]:
    """Converts a nested sequence, or a single scalar, to an array and its dtype.

    >>> from millrace._src.core.sequences import array_of_sequence
    >>> array_of_sequence([[1, 2], [3, 4.5]], None)[0].tolist()
    [[1.0, 2.0], [3.0, 4.5]]

    Args:
        value: an object with length and items, nested to any depth, or a scalar of Python or NumPy.
        dtype: the dtype of the result; None infers the dtype from the first leaf.

    Raises:
        TypeError: if the leaves have no form in `dtype`.
        ValueError: if the value is ragged, mixed, out of range, or holds an object that no tensor holds.
    """
    elements = _Leaves(value)
    leaves = elements.leaves
    if not leaves:
        dtype = dtypes.float32 if dtype is None else dtype
        return np.empty(elements.shape, dtype.np_dtype), dtype
    elements.check(dtype)
    if dtype is None:
        flat, dtype = _infer(elements)
    else:
        flat = _convert(elements, dtype)
    return flat.reshape(elements.shape), dtype


def _infer(elements: _Leaves) -> tuple[Array, DType]:
    dtype = elements.infer_dtype()
    if dtype is dtypes.int32:
        try:
            return np.array(elements.leaves, _INT32), dtype
        except OverflowError:
            return _ints(elements.leaves, _INT64), dtypes.int64
    if dtype.is_floating:
        return _floats_in_range(elements.leaves, dtype), dtype
    return _convert(elements, dtype), dtype


def _convert(elements: _Leaves, dtype: DType) -> Array:
    """Converts the leaves, already checked, to a flat array of `dtype`."""
    leaves = elements.leaves
    if dtype is dtypes.string:
        return text_array(leaves)
    if dtype is dtypes.bool_:
        return np.array(leaves, np.bool_)
    if dtype.is_complex:
        return _narrow(np.array(leaves, np.complex128), dtype)
    if dtype.is_floating:
        if dtype.size == 1 and elements.infer_dtype().is_integer:
            raise TypeError(
                f"Error while casting from dtype int64 to {dtype.name}. Cast int64 to {dtype.name} is not supported"
            )
        return _narrow(_doubles(leaves), dtype)
    return _ints(leaves, dtype.np_dtype)


def _ints(leaves: Sequence[Any], np_dtype: np.dtype[Any]) -> Array:
    """Converts ints to `np_dtype`; out of range, ints wrap, but no further than from 64 bits."""
    try:
        return np.array(leaves, np_dtype) if np_dtype.isbuiltin == 1 else np.array(leaves, _INT64).astype(np_dtype)
    except OverflowError:
        pass
    try:
        return np.array(leaves, _INT64).astype(np_dtype)
    except OverflowError as error:
        raise ValueError(_INT_RANGE) from error


def _doubles(leaves: Sequence[Any]) -> Array:
    try:
        return np.array(leaves, np.float64)
    except OverflowError as error:  # an int beyond 1e308
        raise ValueError(_FLOAT_RANGE) from error


def _floats_in_range(leaves: Sequence[Any], dtype: DType) -> Array:
    wide = _doubles(leaves)
    if dtype is dtypes.float64:
        return wide
    try:
        with np.errstate(over="raise"):
            return wide.astype(dtype.np_dtype)
    except FloatingPointError as error:
        raise ValueError(_FLOAT_RANGE) from error


def _narrow(wide: Array, dtype: DType) -> Array:
    with np.errstate(all="ignore"):
        if dtype.is_floating and dtype.size < 4:
            wide = wide.astype(np.float32)  # TensorFlow rounds twice
        return wide.astype(dtype.np_dtype, copy=False)


def object_array(items: Sequence[Any]) -> Array:
    """Makes a vector of any objects, which NumPy would else take for more dimensions."""
    array = np.empty(len(items), object)
    array[:] = items
    return array


def _flatten(value: Any) -> tuple[tuple[int, ...], Any, list[Any], set[type]]:
    """Returns the shape of the first elements, the first leaf with its NumPy type, all leaves, and their types.

    Raises:
        ValueError: if the value is not rectangular.
    """
    shape: list[int] = []
    first_element = value
    while _is_sequence(first_element):
        shape.append(len(first_element))
        if not shape[-1]:
            return tuple(shape), None, [], set()
        first_element = first_element[0]
    if not shape:
        return (), value, [value], {type(value)}
    level = _items(value)
    for size in shape[1:]:
        level = _next_level(level, size)
    if isinstance(first_element, np.ndarray):  # a 0-d array
        first_element = first_element[()]
    types = set(map(type, level))
    if np.ndarray in types:
        level = [item[()] if type(item) is np.ndarray and not item.ndim else item for item in level]
        types = set(map(type, level))
    return tuple(shape), first_element, level, types


def _next_level(rows: list[Any], size: int) -> list[Any]:
    """Returns the elements of all `rows`, each of which must have `size` elements."""
    if not set(map(type, rows)) <= _LISTS:
        if not all(map(_is_sequence, rows)):
            raise ValueError(_RAGGED)
        rows = [_items(row) for row in rows]
    if set(map(len, rows)) != {size}:
        raise ValueError(_RAGGED)
    return list(itertools.chain.from_iterable(rows))


_LISTS = {list, tuple}


def _items(sequence: Any) -> list[Any]:
    if isinstance(sequence, list):
        return sequence
    if isinstance(sequence, np.ndarray) and sequence.dtype.kind in "biufcSU":
        items: list[Any] = sequence.tolist()
        return items
    return [sequence[index] for index in range(len(sequence))]


def _is_sequence(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return True
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    cls = type(value)
    if _category(cls) is not _C.UNKNOWN or isinstance(value, (dict, np.generic)):
        return False
    names = {name for base in cls.__mro__ for name in ("__getitem__", "__len__", "keys") if name in base.__dict__}
    return names == {"__getitem__", "__len__"}


def text_array(texts: Sequence[str | bytes]) -> Array:
    """Makes a vector of the bytes that a string tensor holds.

    Raises:
        ValueError: if a text has surrogates, which UTF-8 cannot encode.
    """
    types = set(map(type, texts))
    if types == _ONLY_BYTES:
        return object_array(texts)
    if types == _ONLY_STRINGS:
        try:
            return object_array(list(map(str.encode, texts)))  # type: ignore[arg-type]  # all are strings
        except UnicodeEncodeError as error:
            raise ValueError(_NOT_UTF8) from error
    return object_array([utf8_bytes(text) for text in texts])


def utf8_bytes(text: str | bytes) -> bytes:
    """Returns text as the bytes that a string tensor holds.

    Raises:
        ValueError: if the text has surrogates, which UTF-8 cannot encode.
    """
    if isinstance(text, bytes):
        return bytes(text)  # drops subclasses such as np.bytes_
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(_NOT_UTF8) from error
