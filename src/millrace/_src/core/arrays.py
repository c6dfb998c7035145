"""From Python and NumPy values to arrays, by TensorFlow's rules.

Problem: `tf.constant` has its own idea of what a value is. Python numbers are int32 (int64 when they do not fit) and
float32, NumPy values keep their dtype, a list takes the dtype of its *first* element and refuses what does not fit that
(`[1, True]` is fine, `[True, 1]` is not), and an explicit dtype widens or narrows those rules again.

Idea: scalars of Python's own types go straight to NumPy. Everything else that is no array becomes a shape and a flat
list of leaves; each leaf type belongs to one `_Category`, and two small tables say which categories may follow a first
one, and which a requested dtype accepts. Arrays are always fresh, C-contiguous copies: tensors own their buffers.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core import dtypes
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, from_np

_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1
_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1
_FLOAT32_MAX = float(np.finfo(np.float32).max)
_INT32, _INT64, _FLOAT32 = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float32)

_MIXED = "Can't convert Python sequence with mixed types to Tensor."
_RAGGED = "Can't convert non-rectangular Python sequence to Tensor."
_INT_RANGE = "Can't convert Python sequence with out-of-range integer to Tensor."
_FLOAT_RANGE = "Can't convert Python sequence with a value out of range for a double-precision float."
_NOT_UTF8 = "Error converting unicode string while converting Python sequence to Tensor."


def make_array(value: Any, dtype: DType | None = None) -> tuple[Array, DType]:
    """Converts a Python or NumPy value to a freshly owned, C-contiguous array and its dtype.

    >>> from millrace._src.core.arrays import make_array
    >>> make_array([1, 2.5])
    (array([1. , 2.5], dtype=float32), tf.float32)

    Args:
        value: a Python scalar, a nested sequence of them, a NumPy array or scalar, or an object with `__array__`.
            No tensors: `convert_to_tensor` packs those.
        dtype: the dtype of the result; None infers it.

    Raises:
        TypeError: the value has no form in `dtype`.
        ValueError: the value is malformed (ragged, mixed, out of range) or of a type that no tensor holds.
    """
    shortcut = _SHORTCUTS.get(type(value))
    if shortcut is not None:
        return shortcut(value, dtype)
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(value, dtype)
    if not isinstance(value, (list, tuple)) and _converts_itself(value):
        return _from_numpy(_own_array(value), dtype)
    return _from_sequence(value, dtype)


# --- Python scalars --------------------------------------------------------------------------------------------------


def _from_int(value: int, dtype: DType | None) -> tuple[Array, DType]:
    if _INT32_MIN <= value <= _INT32_MAX:
        if dtype is None or dtype is dtypes.int32:
            return np.array(value, _INT32), dtypes.int32
        if dtype is dtypes.int64 or (dtype.is_floating and dtype.size >= 4):
            return np.array(value, dtype.np_dtype), dtype
    return _from_sequence(value, dtype)


def _from_float(value: float, dtype: DType | None) -> tuple[Array, DType]:
    if (dtype is None or dtype is dtypes.float32) and -_FLOAT32_MAX <= value <= _FLOAT32_MAX:
        return np.array(value, _FLOAT32), dtypes.float32
    if dtype is dtypes.float64:
        return np.array(value, dtype.np_dtype), dtype
    return _from_sequence(value, dtype)


def _from_bool(value: bool, dtype: DType | None) -> tuple[Array, DType]:
    if dtype is None or dtype is dtypes.bool_:
        return np.array(value), dtypes.bool_
    return _from_sequence(value, dtype)


def _from_complex(value: complex, dtype: DType | None) -> tuple[Array, DType]:
    if dtype is None or dtype is dtypes.complex128:
        return np.array(value), dtypes.complex128
    return _from_sequence(value, dtype)


def _from_text(value: str | bytes, dtype: DType | None) -> tuple[Array, DType]:
    if dtype is None or dtype is dtypes.string:
        array = np.empty((), object)
        array[()] = _utf8(value)
        return array, dtypes.string
    return _from_sequence(value, dtype)


def _utf8(text: str | bytes) -> bytes:
    if isinstance(text, bytes):
        return bytes(text)  # drops subclasses such as np.bytes_
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(_NOT_UTF8) from error


# --- sequences and scalars, element by element -----------------------------------------------------------------------


class _Category(enum.Enum):
    """What a leaf is, whatever its exact type."""

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

# First leaf of a sequence -> what may follow it when no dtype is asked for.
_MAY_FOLLOW = {
    _C.INT: _REALS,
    _C.FLOAT: _REALS,
    _C.BOOL: _BOOLS,
    _C.NUMPY_BOOL: _BOOLS,
    _C.COMPLEX: _COMPLEXES,
    _C.TEXT: _TEXTS,
}

# dtype asked for -> what it accepts. TensorFlow converts to these directly; to the others it casts what it inferred,
# which is why they refuse a leading bool.
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
_C_NAMES = {dtypes.float16: "half", dtypes.float32: "float", dtypes.float64: "double"}


class _Leaves:
    """The elements of a value in C order, with their shape and categories."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.shape, first, self.leaves = _flatten(value)
        self.first = first
        self.categories = {_category(cls) for cls in set(map(type, self.leaves))}
        self.first_category = _category(type(first)) if self.leaves else _C.FLOAT

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
        if self.first_category is _C.INT:
            _check_leading_ints(self.leaves)
        if dtype is not None and (accepted is not None or not self._casts_to(dtype)):
            raise TypeError(f"Cannot convert {self.value!r} to EagerTensor of dtype {_C_NAMES.get(dtype, dtype.name)}")

    def _casts_to(self, dtype: DType) -> bool:
        category = self.first_category
        if category is _C.INT and _C.FLOAT in self.categories:
            category = _C.FLOAT
        castable = _CAST_FROM_FIRST.get(category)
        return castable is not None and castable(dtype)

    def inferred(self) -> DType:
        """The dtype of the leaves when none is asked for; int32 also for ints that need int64."""
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
    (np.timedelta64, _C.UNKNOWN),  # NumPy counts it among the integers
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


def _from_list(value: Sequence[Any], dtype: DType | None) -> tuple[Array, DType]:
    """A list or tuple; flat ones of one Python type, the usual case, need no look at each element."""
    if len(value) <= _SHORT:
        types = set(map(type, value))
        if types == _ONLY_INTS and (dtype is None or dtype is dtypes.int32 or dtype is dtypes.int64):
            if min(value) >= _INT32_MIN and max(value) <= _INT32_MAX:
                dtype = dtypes.int32 if dtype is None else dtype
                return np.array(value, dtype.np_dtype), dtype
        elif types == _ONLY_FLOATS and (dtype is None or dtype is dtypes.float32):
            # A NaN in front fails both comparisons and takes the long way; elsewhere min and max pass over it.
            if min(value) >= -_FLOAT32_MAX and max(value) <= _FLOAT32_MAX:
                return np.array(value, _FLOAT32), dtypes.float32
    return _from_sequence(value, dtype)


_SHORT = 64
_ONLY_INTS = {int}
_ONLY_FLOATS = {float}


def _from_sequence(value: Any, dtype: DType | None) -> tuple[Array, DType]:
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
    dtype = elements.inferred()
    if dtype is dtypes.int32:
        try:
            return np.array(elements.leaves, _INT32), dtype
        except OverflowError:
            return np.array(elements.leaves, _INT64), dtypes.int64
    if dtype.is_floating:
        return _floats_in_range(elements.leaves, dtype), dtype
    return _convert(elements, dtype), dtype


def _convert(elements: _Leaves, dtype: DType) -> Array:
    """The leaves, already checked, as a flat array of `dtype`."""
    leaves = elements.leaves
    if dtype is dtypes.string:
        return _objects([_utf8(leaf) for leaf in leaves])
    if dtype is dtypes.bool_:
        return np.array(leaves, np.bool_)
    if dtype.is_complex:
        return _narrow(np.array(leaves, np.complex128), dtype)
    if dtype.is_floating:
        if dtype.size == 1 and elements.inferred().is_integer:
            raise TypeError(
                f"Error while casting from dtype int64 to {dtype.name}. Cast int64 to {dtype.name} is not supported"
            )
        return _narrow(_doubles(leaves), dtype)
    return _ints(leaves, dtype.np_dtype)


def _ints(leaves: Sequence[Any], np_dtype: np.dtype[Any]) -> Array:
    """Ints as `np_dtype`; out of its range they wrap, but no further than from 64 bits."""
    try:
        return np.array(leaves, np_dtype) if np_dtype.isbuiltin == 1 else np.array(leaves, _INT64).astype(np_dtype)
    except OverflowError:
        pass
    try:
        return np.array(leaves, _INT64).astype(np_dtype)
    except OverflowError as error:
        raise ValueError(_INT_RANGE) from error


def _check_leading_ints(leaves: Sequence[Any]) -> None:
    """Ints in front of the first float must fit int64: they are met before it is known that floats are wanted."""
    for leaf in leaves:
        if _category(type(leaf)) is _C.FLOAT:
            return
        if not _INT64_MIN <= leaf <= _INT64_MAX:
            raise ValueError(_INT_RANGE)


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


def _objects(items: list[Any]) -> Array:
    array = np.empty(len(items), object)
    array[:] = items
    return array


def _flatten(value: Any) -> tuple[tuple[int, ...], Any, Sequence[Any]]:
    """The shape that the first elements announce, the first leaf with its NumPy type, and all leaves.

    Raises:
        ValueError: the value is not rectangular.
    """
    shape: list[int] = []
    first = value
    while _is_sequence(first):
        shape.append(len(first))
        if not shape[-1]:
            return tuple(shape), None, []
        first = first[0]
    if not shape:
        return (), value, [value]
    level = _items(value)
    for size in shape[1:]:
        level = _next_level(level, size)
    if isinstance(first, np.ndarray):  # a 0-d array
        first = first[()]
    if np.ndarray in set(map(type, level)):
        level = [item[()] if type(item) is np.ndarray and not item.ndim else item for item in level]
    return tuple(shape), first, level


def _next_level(rows: list[Any], size: int) -> list[Any]:
    """The elements of all `rows`, each of which must have `size` of them."""
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


def _is_sequence(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return True
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    cls = type(value)
    if _category(cls) is not _C.UNKNOWN or isinstance(value, (dict, np.generic)):
        return False
    names = {name for base in cls.__mro__ for name in ("__getitem__", "__len__", "keys") if name in base.__dict__}
    return names == {"__getitem__", "__len__"}


# --- NumPy -----------------------------------------------------------------------------------------------------------


def _converts_itself(value: Any) -> bool:
    return not isinstance(value, type) and (
        hasattr(value, "__array__")
        or hasattr(value, "__array_interface__")
        or hasattr(value, "__array_struct__")
        or (hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"))
    )


def _own_array(value: Any) -> Array:
    if hasattr(value, "__array__") or not hasattr(value, "__dlpack__"):
        return np.asarray(value)
    return np.from_dlpack(value)


def _from_numpy(value: Any, dtype: DType | None) -> tuple[Array, DType]:
    array = np.asarray(value)
    if dtype is None:
        try:
            inferred = from_np(array.dtype)
        except TypeError:
            raise _unsupported(_why_unsupported(value, array.dtype)) from None
        if inferred is not dtypes.string:
            return _stored(array, inferred), inferred
    elif dtype is not dtypes.string:
        return _cast(array, dtype), dtype
    if array.dtype.kind not in _TEXT_KINDS and array.size:
        raise _unsupported(f"Unsupported object type {type(array.reshape(-1)[0].item()).__name__}")
    return _text_array(array), dtypes.string


_TEXT_KINDS = "SUTO"


def _stored(array: Array, dtype: DType) -> Array:
    """A copy of an array of `dtype` in its storage type: native byte order, quantized values as plain integers."""
    if array.dtype is dtype.np_dtype:
        return array.copy()
    return np.array(array, array.dtype.newbyteorder("="), order="C").view(dtype.np_dtype)


def _cast(array: Array, dtype: DType) -> Array:
    """NumPy's own unsafe cast, without its warnings."""
    if dtype is dtypes.variant:
        raise TypeError(f"Invalid dtype argument value {dtype.enum}")
    if dtype is dtypes.resource:
        raise _unsupported("Unexpected numpy data type")
    if array.dtype.kind == "c" and not dtype.is_complex and not dtype.is_bool:
        array = array.real
    if array.dtype.fields is not None:
        array = array.view(from_np(array.dtype).np_dtype)
    if array.dtype is dtype.np_dtype:
        return array.copy()
    with np.errstate(all="ignore"):
        return np.array(array, dtype.np_dtype, order="C")


def _text_array(array: Array) -> Array:
    """An array of text or objects as an array of bytes."""
    encoded = _objects([_element_bytes(item) for item in array.reshape(-1).tolist()])
    return encoded.reshape(array.shape)


def _element_bytes(item: Any) -> bytes:
    if not isinstance(item, (str, bytes)):
        raise _unsupported(f"Unsupported object type {type(item).__name__}")
    try:
        return _utf8(item)
    except ValueError as error:
        raise _unsupported("Unable to convert element to UTF-8") from error


def _unsupported(why: str) -> ValueError:
    return ValueError(f"Failed to convert a NumPy array to a Tensor ({why}).")


def _why_unsupported(value: Any, np_dtype: np.dtype[Any]) -> str:
    if np_dtype.type is np.void:
        return "Unsupported numpy data type" if isinstance(value, np.ndarray) else "Unexpected numpy data type"
    return f"Unsupported numpy type: {_C_TYPE_NAMES.get(np_dtype.char, 'not a numpy type')}"


_C_TYPE_NAMES = {"M": "NPY_DATETIME", "m": "NPY_TIMEDELTA", "g": "NPY_LONGDOUBLE", "G": "NPY_CLONGDOUBLE"}

_SHORTCUTS: dict[type, Callable[[Any, DType | None], tuple[Array, DType]]] = {
    int: _from_int,
    float: _from_float,
    bool: _from_bool,
    complex: _from_complex,
    str: _from_text,
    bytes: _from_text,
    list: _from_list,
    tuple: _from_list,
    np.ndarray: _from_numpy,
}
"""By exact type: the way of the values that programs convert most."""
