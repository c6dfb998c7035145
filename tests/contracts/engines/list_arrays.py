"""Arrays that are Python lists: the elements in a flat list, with a shape and a dtype, and functions of them.

It computes with Python's numbers, rounded or wrapped to the dtype. Only the positions of elements are found with NumPy.
"""

from __future__ import annotations

import itertools
import math
import operator
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors

# --- arrays ----------------------------------------------------------------------------------------------------------

_PACKED = {"float16": "e", "float32": "f"}


def fit(item: Any, dtype: np.dtype[Any]) -> Any:
    """Rounds or wraps a Python number to what a dtype can hold."""
    kind = dtype.kind
    if kind == "b":
        return bool(item)
    if kind in "iu":
        bits = 8 * dtype.itemsize
        whole = int(item) & ((1 << bits) - 1)
        return whole - (1 << bits) if kind == "i" and whole >> (bits - 1) else whole
    if kind == "c":
        return complex(item)
    if kind != "f":
        raise errors.UnimplementedError(None, None, f"there is no arithmetic of {dtype}")
    number = float(item.real if isinstance(item, complex) else item)
    if dtype.name not in _PACKED or not math.isfinite(number):
        return number
    try:
        return struct.unpack(_PACKED[dtype.name], struct.pack(_PACKED[dtype.name], number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)


class ListArray:
    """An array: its elements in a flat list, the last axis first."""

    __slots__ = ("items", "shape", "dtype")
    __array_ufunc__ = None  # NumPy's arrays leave arithmetic with these arrays to these arrays

    def __init__(self, items: list[Any], shape: Sequence[int], dtype: Any) -> None:
        self.items, self.shape, self.dtype = items, tuple(shape), np.dtype(dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.items, self.dtype if dtype is None else dtype).reshape(self.shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return len(self.items)

    @property
    def T(self) -> ListArray:
        return transpose(self)

    def astype(self, dtype: Any, copy: bool = True) -> ListArray:
        dtype = np.dtype(dtype)
        return self if dtype == self.dtype else ListArray([fit(i, dtype) for i in self.items], self.shape, dtype)

    def reshape(self, *shape: Any) -> ListArray:
        dims = [int(n) for n in (shape[0] if len(shape) == 1 and np.ndim(shape[0]) else shape)]
        known = math.prod(n for n in dims if n >= 0)
        dims = [n if n >= 0 else len(self.items) // known for n in dims]
        if math.prod(dims) != len(self.items):
            raise ValueError(f"cannot reshape array of size {len(self.items)} into shape {tuple(dims)}")
        return ListArray(self.items, dims, self.dtype)

    def tolist(self) -> Any:
        return np.asarray(self).tolist()

    def transpose(self, *axes: Any) -> ListArray:
        return transpose(self, axes[0] if len(axes) == 1 else axes or None)

    def argmax(self) -> int:
        return self.items.index(max(self.items))

    def min(self) -> Any:
        return min(self.items)

    def max(self) -> Any:
        return max(self.items)

    def any(self) -> bool:
        return any(self.items)

    def all(self) -> bool:
        return all(self.items)

    def __len__(self) -> int:
        return self.shape[0]

    def __bool__(self) -> bool:
        (item,) = self.items
        return bool(item)

    def __int__(self) -> int:
        (item,) = self.items
        return int(item)

    __index__ = __int__

    def __float__(self) -> float:
        (item,) = self.items
        return float(item)

    def __getitem__(self, index: Any) -> ListArray:
        return rearranged(self, lambda positions: positions[_plain(index)])

    def __neg__(self) -> ListArray:
        return ListArray([fit(-i, self.dtype) for i in self.items], self.shape, self.dtype)

    def __invert__(self) -> ListArray:
        flip = operator.not_ if self.dtype.kind == "b" else operator.invert
        return ListArray([flip(i) for i in self.items], self.shape, self.dtype)


def _plain(index: Any) -> Any:
    if isinstance(index, tuple):
        return tuple(map(_plain, index))
    return np.asarray(index) if isinstance(index, ListArray) else index


def listed(value: Any, like: ListArray | None = None) -> ListArray:
    """Converts a NumPy array, or a Python number of the dtype of another array."""
    if isinstance(value, ListArray):
        return value
    dtype = None
    if like is not None and isinstance(value, (bool, int, float, complex)):
        dtype = np.result_type(like.dtype, value)  # NumPy's own rule for Python's numbers
    array = np.asarray(value, dtype)
    return ListArray(array.reshape(-1).tolist(), array.shape, array.dtype)


def rearranged(x: ListArray, move: Callable[[Any], Any]) -> ListArray:
    """Moves elements as `move` moves their positions in the flat list, which NumPy knows how to do."""
    positions = move(np.arange(x.size).reshape(x.shape))
    return ListArray([x.items[i] for i in np.ravel(positions)], np.shape(positions), x.dtype)


def transpose(x: ListArray, axes: Sequence[int] | None = None) -> ListArray:
    """Exchanges axes; by default it reverses them."""
    return rearranged(x, lambda positions: np.transpose(positions, axes))


def broadcast_to(x: Any, shape: Any) -> ListArray:
    """Repeats an array along new axes and axes of size 1."""
    x = listed(x)
    return x if tuple(shape) == x.shape else rearranged(x, lambda positions: np.broadcast_to(positions, tuple(shape)))


# --- functions of elements -------------------------------------------------------------------------------------------


def ieee(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a function of Python numbers the infinities and NaNs of floating point."""

    def run(*items: Any) -> Any:
        try:
            return function(*items)
        except ZeroDivisionError:
            return math.copysign(math.inf, items[0]) if items[0] and items[0] == items[0] else math.nan
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return run


def unary(function: Callable[[Any], Any], dtype: Any = None) -> Callable[[Any], ListArray]:
    """Makes a function of arrays of one of numbers."""
    checked = ieee(function)

    def run(x: Any) -> ListArray:
        x = listed(x)
        kind = x.dtype if dtype is None else np.dtype(dtype)
        return ListArray([fit(checked(i), kind) for i in x.items], x.shape, kind)

    return run


def binary(function: Callable[[Any, Any], Any], dtype: Any = None) -> Callable[[Any, Any], ListArray]:
    """Makes a function of two arrays, which broadcast, of one of numbers."""
    checked = ieee(function)

    def run(x: Any, y: Any) -> ListArray:
        x, y = listed(x, y if isinstance(y, ListArray) else None), listed(y, x if isinstance(x, ListArray) else None)
        shape = np.broadcast_shapes(x.shape, y.shape)
        kind = np.result_type(x.dtype, y.dtype) if dtype is None else np.dtype(dtype)
        items = zip(broadcast_to(x, shape).items, broadcast_to(y, shape).items, strict=True)
        return ListArray([fit(checked(a, b), kind) for a, b in items], shape, kind)

    return run


def larger(a: Any, b: Any) -> Any:
    return a if a != a or a > b else b


def smaller(a: Any, b: Any) -> Any:
    return a if a != a or a < b else b


def reduction(function: Callable[[Any, Any], Any], start: Any = None) -> Callable[..., ListArray]:
    """Makes a reduction along axes of a function of two numbers."""

    def run(x: ListArray, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> ListArray:
        axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
        axes = [a % x.ndim for a in axes]
        kept = [a for a in range(x.ndim) if a not in axes]
        rows = transpose(x, [*kept, *axes]) if axes else x
        size = math.prod(x.shape[a] for a in axes)
        kind = np.dtype(dtype) if dtype is not None else x.dtype
        groups = [rows.items[i : i + size] for i in range(0, len(rows.items), size)] if size else []
        count = math.prod(x.shape[a] for a in kept)
        groups = groups or [[]] * count
        items = [itertools.accumulate(g, function, **({} if start is None else {"initial": start})) for g in groups]
        shape = [1 if a in axes else n for a, n in enumerate(x.shape)] if keepdims else [x.shape[a] for a in kept]
        return ListArray([fit(_last(group), kind) for group in items], shape, kind)

    return run


def _last(items: Iterator[Any]) -> Any:
    *_, last = items
    return last


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "true_divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
    "maximum": larger,
    "minimum": smaller,
    "arctan2": math.atan2,
}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "logical_and": lambda a, b: a and b,
    "logical_or": lambda a, b: a or b,
}
_UNARY: dict[str, Callable[[Any], Any]] = {
    "abs": abs,
    "negative": operator.neg,
    "square": lambda a: a * a,
    "reciprocal": lambda a: 1 / a,
    "conj": lambda a: a.conjugate(),
    "sign": lambda a: (a > 0) - (a < 0) if a == a else a,
    "floor": lambda a: math.floor(a) if math.isfinite(a) else a,
    "ceil": lambda a: math.ceil(a) if math.isfinite(a) else a,
    "rint": lambda a: round(a) if math.isfinite(a) else a,
    **{name: getattr(math, name) for name in ("exp", "expm1", "log", "log1p", "sqrt", "sin", "cos", "tan", "tanh")},
    **{name: getattr(math, name) for name in ("sinh", "cosh")},
}
_OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}

FUNCTIONS: dict[str, Callable[..., ListArray]] = {
    **{name: unary(function) for name, function in _UNARY.items()},
    **{name: unary(getattr(math, name), bool) for name in ("isnan", "isinf", "isfinite")},
    **{name: binary(function) for name, function in _BINARY.items()},
    **{name: binary(function, bool) for name, function in _COMPARISONS.items()},
    "logical_not": unary(operator.not_, bool),
    "sum": reduction(operator.add, 0),
    "prod": reduction(operator.mul, 1),
    "max": reduction(larger),
    "min": reduction(smaller),
    "any": reduction(lambda a, b: a or b, False),
    "all": reduction(lambda a, b: a and b, True),
    "transpose": transpose,
    "broadcast_to": broadcast_to,
}
"""The functions of the array namespace that the tables above make."""


def _method(function: Callable[[Any, Any], ListArray], *, reflected: bool = False) -> Any:
    return lambda self, other: function(other, self) if reflected else function(self, other)


for _sign, _name in _OPERATORS.items():
    setattr(ListArray, f"__{_sign}__", _method(FUNCTIONS[_name]))
    setattr(ListArray, f"__r{_sign}__", _method(FUNCTIONS[_name], reflected=True))
for _name, _function in {"and": operator.and_, "or": operator.or_, "xor": operator.xor}.items():
    setattr(ListArray, f"__{_name}__", _method(binary(_function)))
