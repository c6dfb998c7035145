"""The largest elements of rows, in order, with NumPy.

NumPy sorts vectors of integers with the wide registers of the processor, but neither positions nor stably. So
each element becomes one integer: the bits above say where the element stands in the order, the bits below its position.
Sorting these integers sorts elements and positions at once, and equal elements keep their order. Of few large elements
among many, most others are left out before: what is smaller than the `k`-th largest of some groups' maxima is none of
the `k` largest. NaN is smaller than all numbers, and so comes last in sorts of either direction.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array

_BLOCK = 1 << 15
"""Elements that are sorted at once: their integers fit the cache."""
_SMALL = 1 << 13
"""Elements up to which all are sorted, however few are wanted."""
_TINY = 1 << 10
"""Elements up to which NumPy's stable sort is quickest."""
_FEW = 16
"""How many times `k` elements a row has at least, for most of the elements to be left out."""
_NAN_ABOVE = {"float16": 0x7C00, "bfloat16": 0x7F80, "float32": 0x7F800000, "float64": 0x7FF0000000000000}
"""The bits of infinity: the bits of a NaN without the sign are above."""
_SIGNED = {1: np.dtype(np.int8), 2: np.dtype(np.int16), 4: np.dtype(np.int32), 8: np.dtype(np.int64)}


def order_keys(x: Array) -> Array:
    """Returns signed integers of the width of `x` in the order of the elements: NaN is smallest, both zeros are equal.

    Args: x: an array of real numbers.
    Returns: An array of the same shape; `x` itself if it holds signed integers.
    """
    kind = x.dtype.kind
    if kind == "i":
        return x
    bits = x.view(_SIGNED[x.dtype.itemsize])
    if kind == "u":
        return bits ^ np.iinfo(bits.dtype).min
    largest = bits.dtype.type(np.iinfo(bits.dtype).max)
    sign = bits >> (8 * bits.dtype.itemsize - 1)  # -1 or 0
    keys = bits & largest
    is_nan = keys > _NAN_ABOVE[x.dtype.name]
    keys ^= sign
    keys -= sign  # -0.0 is 0
    if is_nan.any():
        keys[is_nan] = ~largest
    return keys


def largest_of_rows(x: Array, k: int, index_dtype: object) -> tuple[Array, Array]:
    """Finds the `k` largest elements along the last dimension, the largest first, and their positions.

    Args:
      x: an array of real numbers with at least one dimension.
      k: how many elements, at most the size of the last dimension.
      index_dtype: the dtype of the positions.

    Returns: The elements and their positions, both of shape `[..., k]`. NaN is smallest; equals keep their order.
    """
    size = x.shape[-1]
    shape = (*x.shape[:-1], k)
    if 0 in shape:
        return np.empty(shape, x.dtype), np.empty(shape, index_dtype)
    if x.ndim == 1 and size <= _TINY:
        positions = _tiny_order(x)[:k]
        return x[positions], positions.astype(index_dtype)
    rows = x.reshape(-1, size)
    if k * _FEW <= size or x.size <= _BLOCK:
        values, positions = _largest(rows, k)
    else:
        step = max(1, _BLOCK // size)
        parts = [_largest(rows[start : start + step], k) for start in range(0, len(rows), step)]
        values, positions = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return values.reshape(shape), positions.reshape(shape).astype(index_dtype)


def _largest(rows: Array, k: int) -> tuple[Array, Array]:
    """Finds the `k` largest elements of each row and their positions."""
    count, size = rows.shape
    positions = _positions(rows, k)
    if count == 1:
        return rows[0][positions], positions
    return rows.reshape(-1).take(positions + np.arange(0, rows.size, size)[:, None], mode="clip"), positions


def _tiny_order(rows: Array) -> Array:
    """Orders so few elements that each call of NumPy costs more than the sorting does."""
    if rows.dtype.kind == "V":  # NumPy puts NaN at the end only for its own types
        rows = rows.astype(np.float32)
    if rows.dtype.kind == "f":
        return (-rows).argsort(axis=-1, kind="stable")
    backwards = rows[..., ::-1].argsort(axis=-1, kind="stable")
    order: Array = (rows.shape[-1] - 1) - backwards[..., ::-1]
    return order


def _positions(rows: Array, k: int) -> Array:
    """Finds the positions of the `k` largest elements of each row."""
    size = rows.shape[1]
    if rows.size <= _TINY:
        return _tiny_order(rows)[:, :k]
    if k * _FEW <= size and rows.size > _SMALL:
        found_positions = _positions_among_few(rows, k)
        if found_positions is not None:
            return found_positions
    keys = ~order_keys(rows)
    if keys.dtype.itemsize == 8:
        return _stable_order(keys)[:, :k]
    ranks = ranks_of(keys, np.arange(size))
    if k < size:
        ranks.partition(k - 1, axis=-1)
        ranks = ranks[:, :k]
    ranks.sort(axis=-1)
    return ranks & 0xFFFFFFFF


def ranks_of(keys: Array, positions: Array) -> Array:
    """Returns integers that hold the key above and the position below: sorting them sorts both."""
    ranks = keys.astype(np.int64)
    ranks <<= 32
    ranks |= positions
    return ranks


def _stable_order(keys: Array) -> Array:
    """Returns the positions that sort each row of keys of 64 bits, which leave no room for positions."""
    order = keys.argsort(axis=-1)
    ordered_keys = np.take_along_axis(keys, order, -1)
    if (ordered_keys[:, 1:] == ordered_keys[:, :-1]).any():
        order = keys.argsort(axis=-1, stable=True)
    return order


def _positions_among_few(rows: Array, k: int) -> Array | None:
    """Finds the positions of the `k` largest elements among those that are large; None if too many are."""
    count, size = rows.shape
    comparable = order_keys(rows) if rows.dtype.itemsize == 2 else rows  # NumPy compares small floats one by one
    bound = _lower_bounds(comparable, k)
    if bound is None:
        return None
    positions = np.flatnonzero(~(comparable < bound))
    if positions.size > rows.size // 4:
        return None
    starts = positions.searchsorted(np.arange(count + 1) * size)
    width = int(np.diff(starts).max())
    if width * 2 > size:
        return None
    numbers = positions // size
    columns = np.arange(positions.size) - starts[numbers]
    positions_in_row = positions - numbers * size
    keys = ~order_keys(rows.reshape(-1)[positions])
    if keys.dtype.itemsize == 8:
        wide_keys, table = np.full((count, width), np.iinfo(np.int64).max), np.zeros((count, width), np.int64)
        wide_keys[numbers, columns], table[numbers, columns] = keys, positions_in_row
        return np.take_along_axis(table, wide_keys.argsort(axis=-1, stable=True)[:, :k], -1)
    table = np.full((count, width), np.iinfo(np.int64).max)
    table[numbers, columns] = ranks_of(keys, positions_in_row)
    table.sort(axis=-1)
    return table[:, :k] & 0xFFFFFFFF


def _lower_bounds(rows: Array, k: int) -> Array | None:
    """Returns, as a column, a number for each row that at least `k` elements of the row reach; None if there is NaN."""
    maxima = rows
    while maxima.shape[1] >= 8 * k + 64:
        half = maxima.shape[1] // 2
        maxima = np.maximum(maxima[:, :half], maxima[:, half : 2 * half])
    if maxima.dtype.kind == "f" and np.isnan(maxima).any():
        return None
    at = maxima.shape[1] - k
    return np.partition(maxima, at, axis=-1)[:, at : at + 1]
