"""Sums of small arrays of floats, by BLAS.

Problem: `numpy.add.reduce` takes most of a microsecond to begin, and another one for every fifty rows of a matrix. A
training step has many such sums: of losses, of the gradients of biases.

Idea: a product with a vector of ones takes a third of that. BLAS adds a hundred numbers as exactly as NumPy does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from millrace._src.core.array_namespace import Array

_MAX = 4096
"""The most elements of a matrix; engines have kernels of their own for larger ones."""
_MAX_LENGTH = 128
"""The most numbers that are added to one sum."""
_EVERY_AXIS = tuple([tuple(range(rank)) for rank in range(65)])
"""All axes of an array, by its rank; NumPy's arrays have at most 64 dimensions."""
_FIRST, _LAST = ((0,), (-2,)), ((1,), (-1,))
"""The axes of a matrix."""

Sum: TypeAlias = Callable[[Array, tuple[int, ...], bool], Array]
"""Sums an array over some axes, which perhaps stay with size 1: `sum_over(x, axes, keep_dims)`."""


class _Ones(dict[int, Array]):
    """The vectors of ones of a dtype, by their length; made on first use."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype

    def __missing__(self, length: int) -> Array:
        vector = self[length] = np.ones(length, self._dtype)
        return vector


def by_products(dtype: np.dtype[Any], sum_over: Sum) -> Sum:
    """Returns a function that sums small arrays by products with ones, and leaves other sums to `sum_over`.

    Args:
      dtype: the dtype of all arrays: floating point, or complex, which always goes to `sum_over`: a product with a
        complex one makes NaN of an infinite part's partner.
      sum_over: sums arrays.
    """
    if dtype.kind == "c":
        return sum_over
    ones = _Ones(dtype)

    def sum_by_product(x: Array, axes: tuple[int, ...], keep_dims: bool) -> Array:
        if x.size <= _MAX_LENGTH and axes == _EVERY_AXIS[x.ndim] and not keep_dims:
            return np.asarray(x.ravel().dot(ones[x.size]))
        if x.ndim == 2 and len(axes) == 1 and x.size <= _MAX:
            rows, columns = x.shape
            if axes in _LAST and columns <= _MAX_LENGTH:
                total = x.dot(ones[columns])
                return total.reshape(rows, 1) if keep_dims else total
            if axes in _FIRST and rows <= _MAX_LENGTH:
                total = ones[rows].dot(x)
                return total.reshape(1, columns) if keep_dims else total
        return sum_over(x, axes, keep_dims)

    return sum_by_product
