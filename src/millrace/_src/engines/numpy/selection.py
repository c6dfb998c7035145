"""`where` by arithmetic on bits.

NumPy's `where` decides for each element; where no pattern lets the processor guess, a wrong guess costs more than all
of the rest. Without a decision, `where(c, x, y)` is `y + (x - y) * c`, exact for integers that wrap around, and so for
the bits of any numbers. A block of elements goes through the four steps in the cache.

One condition for all elements chooses an operand, not elements: a picture that is mirrored or not is copied at most.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array

_FEWEST = 1 << 14
"""Elements from which on the arithmetic is quicker."""
_BLOCK = 1 << 15
_FEWEST_OF_PICTURE = 1 << 10
_SHORT_ROW = 4
"""The length of the longest rows that are copied by columns."""
_INTEGERS: dict[int, np.dtype[Any]] = {size: np.dtype(f"i{size}") for size in (1, 2, 4, 8)}


def where(condition: Array, x: Array, y: Array) -> Array:
    """Takes elements of `x` where `condition` is true, else of `y`; all three broadcast, as in NumPy.

    The result may be an operand itself.
    """
    if condition.size == 1 and type(x) is type(y) is np.ndarray and x.dtype == y.dtype:
        return _choose_operand(condition, x, y)
    if condition.size < _FEWEST or not _are_bits(condition, x, y):
        return np.where(condition, x, y)
    shape = np.broadcast_shapes(condition.shape, x.shape, y.shape)
    if condition.shape != shape[len(shape) - condition.ndim :]:
        return np.where(condition, x, y)
    integer = _INTEGERS[x.dtype.itemsize]
    result = np.empty(shape, x.dtype)
    rows = result.view(integer).reshape(-1, condition.size)
    x_rows, y_rows = (_rows(array.view(integer), shape, rows.shape) for array in (x, y))
    flat_condition, has_zeros = condition.reshape(-1), y.size == 1 and not y_rows[0, 0]
    for start in range(0, condition.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        chosen = flat_condition[part].astype(integer)
        for row, x_row, y_row in zip(rows[:, part], x_rows[:, part], y_rows[:, part], strict=True):
            if has_zeros:
                np.multiply(x_row, chosen, out=row)
            else:
                np.subtract(x_row, y_row, out=row)
                row *= chosen
                row += y_row
    return result


def _choose_operand(condition: Array, x: Array, y: Array) -> Array:
    """Returns what `where` gives for a condition of one element."""
    array = x if condition.item() else y
    if x.shape != y.shape or condition.ndim > x.ndim:
        return copy_in_order(np.broadcast_to(array, np.broadcast_shapes(condition.shape, x.shape, y.shape)))
    return array if array.flags.c_contiguous else copy_in_order(array)


def copy_in_order(array: Array) -> Array:
    """Returns a copy in the order of the axes.

    NumPy copies a row of the last axis at a time. Where such rows are short, as the channels of a mirrored picture are,
    a copy for each element of a row takes a quarter of the time.
    """
    copy = np.empty(array.shape, array.dtype)
    if array.ndim < 2 or not 1 < array.shape[-1] <= _SHORT_ROW:
        copy[...] = array
    else:
        for index in range(array.shape[-1]):
            copy[..., index] = array[..., index]
    return copy


def flip(array: Array, axis: int | tuple[int, ...] | None = None) -> Array:
    """Reverses axes: a view, but for pictures whose columns are reversed, of which each later step would be slow."""
    flipped = np.flip(array, axis)
    if flipped.size >= _FEWEST_OF_PICTURE and flipped.ndim > 1 and 1 < flipped.shape[-1] <= _SHORT_ROW:
        if flipped.strides[-2] < 0 < flipped.strides[-1]:
            return copy_in_order(flipped)
    return flipped


def _are_bits(condition: Array, x: Array, y: Array) -> bool:
    """Returns whether the arrays share one dtype of numbers of at most 64 bits, and the condition is boolean."""
    if not (condition.dtype == bool and type(x) is type(y) is np.ndarray and x.dtype == y.dtype):
        return False
    return x.dtype.kind != "O" and x.dtype.itemsize in _INTEGERS


def _rows(bits: Array, shape: tuple[int, ...], rows: tuple[int, ...]) -> Array:
    """Returns an operand as a view of rows, one for each time that the condition is repeated."""
    if bits.size == 1:
        return np.broadcast_to(bits.reshape(()), rows)
    return np.broadcast_to(bits, shape).reshape(rows)
