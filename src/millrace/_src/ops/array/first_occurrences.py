"""Where each distinct element of a vector occurs first, with NumPy.

Integers that lie close together have a slot each in a table: written from the last to the first, the first position
stays. Other numbers are sorted together with their positions (see `row_order`): of equal numbers the first position
comes first. Anything else goes through a dictionary.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.ops.array.row_order import order_keys, ranks_of

_WIDE = 8
"""How many slots of the table there are at most for each element."""


def first_positions(x: Array) -> tuple[Array, Array]:
    """Finds the first position of each distinct element of a vector, in order, and for each element the number of its
    distinct element. Each NaN counts as distinct.
    """
    kind = x.dtype.kind
    if kind == "b":
        x = x.view(np.int8)
    if not x.size or kind not in "biufV":
        return _by_dictionary(x) if kind == "O" else _by_comparison(x)
    if kind in "biu":
        low, high = int(x.min()), int(x.max())
        if high - low < _WIDE * x.size + 64:
            return _by_table(x, low, high)
        keys = order_keys(x)
    else:
        if np.isnan(x).any():
            return _by_comparison(x)
        keys = order_keys(x)
    return _by_comparison(x) if keys.dtype.itemsize == 8 else _by_order(keys)


def _by_table(x: Array, low: int, high: int) -> tuple[Array, Array]:
    """Notes the first position of each integer in a table of all integers from `low` to `high`."""
    slots = (x.astype(np.int64) if x.dtype.itemsize < 8 else x - x.dtype.type(low)).view(np.int64)
    if x.dtype.itemsize < 8:
        slots -= low
    table = np.full(high - low + 1, -1)
    table[slots[::-1]] = np.arange(x.size - 1, -1, -1)  # NumPy writes in order: the first element comes last
    first = table[table >= 0]
    first.sort()
    table[slots[first]] = np.arange(first.size)
    return first, table.take(slots)


def _by_order(keys: Array) -> tuple[Array, Array]:
    """Sorts keys with their positions; `keys` are equal where elements are."""
    ranks = ranks_of(keys, np.arange(keys.size))
    ranks.sort()
    positions = ranks & 0xFFFFFFFF
    ranks >>= 32
    starts = np.concatenate([[True], ranks[1:] != ranks[:-1]])
    first_sorted = positions[starts]
    is_first = np.zeros(keys.size, bool)
    is_first[first_sorted] = True
    numbers = np.cumsum(is_first)  # the number of distinct elements up to each position
    which = np.empty(keys.size, np.int64)
    which[positions] = (numbers[first_sorted] - 1)[np.cumsum(starts) - 1]
    return np.flatnonzero(is_first), which


def _by_comparison(x: Array) -> tuple[Array, Array]:
    """Sorts elements that have no keys of 32 bits, and NaNs, which are distinct."""
    sortable = x.astype(np.float32) if x.dtype.kind == "V" else x  # NumPy cannot sort types that are not its own
    _, first, inverse = np.unique(sortable, return_index=True, return_inverse=True, equal_nan=False)
    order = np.argsort(first)
    numbers = np.empty_like(order)
    numbers[order] = np.arange(order.size)
    return first[order], numbers[inverse.reshape(-1)]


def _by_dictionary(x: Array) -> tuple[Array, Array]:
    """Looks elements up that are objects, which have no order for NumPy."""
    elements = x.tolist()
    numbers = {element: number for number, element in enumerate(dict.fromkeys(elements))}
    which = np.fromiter(map(numbers.__getitem__, elements), np.int64, len(elements))
    first = np.empty(len(numbers), np.int64)
    first[which[::-1]] = np.arange(len(elements) - 1, -1, -1)
    return first, which
