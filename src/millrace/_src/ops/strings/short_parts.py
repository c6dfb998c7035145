"""Short parts of many strings, of which many are equal.

Problem: a string of Python costs 30 ns to make and as much to free. That is most of the time that it takes to cut a
hundred thousand strings.

Idea: parts of up to seven bytes and their lengths fit 64-bit numbers. Numbers are put into a table at slots that a
hash chooses; the last one at a slot stays there. The numbers that are found at their slot again share one Python
object, all others get their own.
"""

from __future__ import annotations

import itertools
import operator

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.ops.strings.packed import PackedStrings

MAX_LENGTH = 7
"""The most bytes of a part."""
MIN_STRINGS = 1 << 12
"""The strings from which on a table pays."""
_SAMPLE, _MAX_DISTINCT = 1 << 12, 1 << 11
"""How many parts are looked at first, and how many of those may differ."""
_TABLE_BITS = 16
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2 ** 64 over the golden ratio: the upper bits of products are well mixed
_SHIFT, _SIZE_SHIFT = np.uint64(64 - _TABLE_BITS), np.uint64(56)
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(MAX_LENGTH + 1)], np.uint64)
_SIZES = np.array([size << 56 for size in range(MAX_LENGTH + 1)], np.uint64)


def short_parts(strings: PackedStrings, begins: Array, sizes: Array) -> Array | None:
    """Cuts a part out of each string.

    Args:
      strings: the strings, at least one.
      begins: where the parts begin, in bytes.
      sizes: how many bytes the parts have.

    Returns: A vector of bytes objects; None where they had better be made one by one: parts are few, long or differ.
    """
    if len(strings) < MIN_STRINGS or sizes.max() > MAX_LENGTH:
        return None
    sample = slice(None, None, len(strings) // _SAMPLE)
    if np.unique(_keys(strings.select(sample), begins[sample], sizes[sample])).size > _MAX_DISTINCT:
        return None
    return _share(_keys(strings, begins, sizes))


def _keys(strings: PackedStrings, begins: Array, sizes: Array) -> Array:
    """Returns the numbers that represent parts."""
    keys = strings.words_at(begins)
    keys &= _MASKS.take(sizes)
    keys |= _SIZES.take(sizes)
    return keys


def _share(keys: Array) -> Array:
    """Makes the parts that numbers represent."""
    slots = np.right_shift(keys * _FACTOR, _SHIFT).view(np.int64)
    table = np.zeros(1 << _TABLE_BITS, np.uint64)
    is_used = np.zeros(1 << _TABLE_BITS, bool)
    table[slots], is_used[slots] = keys, True
    used_slots = np.flatnonzero(is_used)
    texts = np.empty(1 << _TABLE_BITS, object)
    texts[used_slots] = _texts(table[used_slots])
    parts: Array = texts.take(slots)
    others = np.flatnonzero(table.take(slots) != keys)
    parts[others] = _texts(keys[others])
    return parts


def _texts(keys: Array) -> Array:
    joined = keys.astype("<u8").tobytes()
    begins = range(0, len(joined), 8)
    ends = map(operator.add, begins, np.right_shift(keys, _SIZE_SHIFT).tolist())
    parts = map(operator.getitem, itertools.repeat(joined), map(slice, begins, ends))
    return np.fromiter(parts, object, len(keys))
