"""NumPy as the array namespace of kernels, with its differences to jax.numpy levelled.

Kernels reach every function of NumPy by the function's own name. Differences between NumPy and jax.numpy are settled
here, once: matmul and sums of small types keep their dtype, scatters return a new array, and special functions come
from SciPy on first use.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from millrace._src.core.argument_types import DTypeLike, ShapeLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.shapes import TensorShape
from millrace._src.engines import tensor_lists as lists
from millrace._src.engines.numpy.products import multiply, multiply_small_floats
from millrace._src.engines.numpy.scattering import scatter
from millrace._src.engines.numpy.selection import flip, where
from millrace._src.engines.numpy.sums import is_summed_in_blocks, sum_over
from millrace._src.engines.tensor_lists import TensorList
from millrace._src.util.half_floats import narrow, widen

_WIDENED = frozenset(
    "float16 bfloat16 float8_e5m2 float8_e4m3fn float8_e4m3fnuz float8_e4m3b11fnuz float8_e5m2fnuz".split()
)
"""Types whose products and sums are accumulated in float32."""


class NumpyNamespace:
    """The `xp` of the NumPy engine."""

    engine = "numpy"

    def __getattr__(self, name: str) -> Any:
        if name == "special":
            value: Any = importlib.import_module("scipy.special")  # SciPy is heavy, and few programs need it
        else:
            value = getattr(np, name)
        setattr(self, name, value)
        return value

    scatter = staticmethod(scatter)
    where = staticmethod(where)
    flip = staticmethod(flip)

    @staticmethod
    def astype(x: Array, dtype: DTypeLike) -> Array:
        """Converts `x` element-wise."""
        x = np.asarray(x)
        if x.dtype.char == "e" and dtype == np.float32:
            return widen(x)
        return narrow(x) if x.dtype.char == "f" and dtype == np.float16 else x.astype(dtype, copy=False)

    @staticmethod
    def cast(x: Array, dtype: Any) -> Array:
        """Converts `x` as `tf.cast` does, where negative numbers wrap around in an unsigned type."""
        return np.asarray(x).astype(dtype, copy=False)

    @staticmethod
    def are_known(*arrays: Array) -> bool:
        """Returns whether the values of all arrays are known: always, but while an engine compiles."""
        return True

    @staticmethod
    def add_at(total: Array, index: object, values: Array) -> Array:
        """Changes `total`: adds `values` at the positions `index`, no two of which are the same; returns `total`."""
        total[index] += values
        return total

    @staticmethod
    def bitcast(x: Array, dtype: Any) -> Array:
        """Reads the bytes of `x` as another dtype; the last axis grows or shrinks with the width."""
        x, dtype = np.array(x, order="C", copy=None), np.dtype(dtype)
        if x.dtype.itemsize == dtype.itemsize:
            return x.view(dtype)
        if x.dtype.itemsize > dtype.itemsize:
            return x.reshape(*x.shape, 1).view(dtype)
        return x.view(dtype).reshape(x.shape[:-1])

    @staticmethod
    def pad(
        x: Array, pad_width: Sequence[tuple[int, int]], mode: str = "constant", constant_values: object = 0
    ) -> Array:
        """Puts `pad_width[i]` more elements before and after `x` along axis `i`."""
        if mode != "constant":
            return np.pad(x, pad_width, mode)  # type: ignore[call-overload]  # NumPy's stubs list the modes
        shape, inner = _plan_padding(x.shape, tuple(map(tuple, pad_width)))
        is_zero = type(constant_values) is int and constant_values == 0
        result = np.zeros(shape, x.dtype) if is_zero else np.full(shape, constant_values, x.dtype)
        result[inner] = x  # much quicker than numpy.pad
        return result

    @staticmethod
    def take(x: Array, indices: Array, axis: int | None = None, mode: str = "raise") -> Array:
        """Takes the slices of `x` at `indices`, by the array's method: NumPy's function takes 0.5 us to find that."""
        return x.take(indices, axis=axis, mode=mode)

    @staticmethod
    def may_hold(condition: Array) -> bool:
        """Returns whether some element of `condition` is true."""
        return bool(condition.any())

    @staticmethod
    def matmul(a: Array, b: Array) -> Array:
        """Multiplies matrices and keeps the dtype; small floats accumulate in float32."""
        if a.dtype.itemsize <= 2 and a.dtype.name in _WIDENED:
            return multiply_small_floats(a, b)
        return multiply(a, b)

    @staticmethod
    def sum(x: Array, axis: Any = None, dtype: object = None, keepdims: bool = False) -> Array:
        """Sums elements and keeps the dtype; small floats accumulate in float32."""
        if dtype is None and x.dtype.itemsize <= 2 and x.dtype.name in _WIDENED:
            return NumpyNamespace.sum(NumpyNamespace.astype(x, np.float32), axis, None, keepdims).astype(x.dtype)
        if dtype is None and axis is not None and is_summed_in_blocks(x):
            axes = (int(axis),) if isinstance(axis, (int, np.integer)) else tuple(axis)
            return sum_over(x, axes, keepdims=keepdims)
        return _reduce(np.sum, x, axis, dtype, keepdims)

    @staticmethod
    def prod(x: Array, axis: Any = None, dtype: object = None, keepdims: bool = False) -> Array:
        """Multiplies elements and keeps the dtype; small floats accumulate in float32."""
        return _reduce(np.prod, x, axis, dtype, keepdims)

    @staticmethod
    def cumsum(x: Array, axis: int | None = None, dtype: Any = None) -> Array:
        """Computes cumulative sums and keeps the dtype."""
        return np.cumsum(x, axis=axis, dtype=dtype or x.dtype)

    @staticmethod
    def cumprod(x: Array, axis: int | None = None, dtype: Any = None) -> Array:
        """Computes cumulative products and keeps the dtype."""
        return np.cumprod(x, axis=axis, dtype=dtype or x.dtype)

    @staticmethod
    def reserve_list(dtype: DType, element_shape: object, length: Any, capacity: Any) -> TensorList:
        """Makes a list of unset elements that may grow to `capacity`, -1 for any number."""
        return TensorList(dtype, lists.shape_from(element_shape), int(length), int(capacity))

    @staticmethod
    def list_of_rows(dtype: DType, element_shape: ShapeLike, tensor: Array) -> TensorList:
        """Makes a list of the rows of an array."""
        return lists.from_rows(tensor, lists.shape_from(element_shape), dtype)

    @staticmethod
    def list_of_pieces(dtype: DType, element_shape: ShapeLike, pieces: Sequence[Array]) -> TensorList:
        """Makes a list of arrays."""
        return lists.from_items(pieces, lists.shape_from(element_shape), dtype)

    @staticmethod
    def declared_shape(vector: object) -> TensorShape:
        """Returns a shape given as a vector (or -1), as far as the value is known."""
        return lists.shape_from(vector)

    @staticmethod
    def cond(predicate: Array, then: Callable[..., Any], otherwise: Callable[..., Any], operands: Sequence[Any]) -> Any:
        """Calls one of two functions."""
        return then(*operands) if predicate else otherwise(*operands)

    @staticmethod
    def switch(index: Array, branches: Sequence[Callable[..., Any]], operands: Sequence[Any]) -> Any:
        """Calls one of several functions; an index out of range takes the last."""
        position = int(index)
        return branches[position if 0 <= position < len(branches) else -1](*operands)

    @staticmethod
    def while_loop(cond: Callable[..., Any], body: Callable[..., Any], state: Sequence[Any]) -> Any:
        """Repeats `body` while `cond` holds."""
        while cond(*state)[0]:
            state = body(*state)
        return state


@functools.lru_cache(maxsize=256)
def _plan_padding(
    shape: tuple[int, ...], pad_width: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, ...], tuple[slice, ...]]:
    """Returns the shape of a padded array, and the part of it that the array itself becomes."""
    sizes = list(zip(shape, pad_width, strict=True))
    return tuple([size + before + after for size, (before, after) in sizes]), tuple(
        [slice(before, before + size) for size, (before, _) in sizes]
    )


def _reduce(function: Callable[..., Any], x: Array, axis: Any, dtype: object, keepdims: bool) -> Array:
    if dtype is None and x.dtype.itemsize <= 2 and x.dtype.name in _WIDENED:
        wide_x = NumpyNamespace.astype(x, np.float32)
        return function(wide_x, axis=axis, keepdims=keepdims).astype(x.dtype)
    return function(x, axis=axis, dtype=dtype or x.dtype, keepdims=keepdims)


xp = cast(Xp, NumpyNamespace())  # `__getattr__` gives what the class does not define
