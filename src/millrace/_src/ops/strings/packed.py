"""Many strings as the bytes of one array, so that arithmetic on all of them is a few operations of NumPy.

Problem: the elements of a string tensor are Python objects. A loop over a hundred thousand of them costs ten times as
much as the work itself, if that is to hash them, to measure them or to read numbers.

Idea: the strings are joined once; then eight bytes of each string, from any position on, are one vector of 64-bit
numbers. A string tensor never changes, so its packed form is kept as long as the tensor lives: operations on the same
tensor do not join again.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Sequence

import numpy as np

from millrace._src.core.array_namespace import Array

PADDING = 16
"""How many bytes are before the first string and, at least, behind the last one: reading beyond an end is safe."""
_SHIFT_3, _BITS_3, _WIDTH = np.int64(3), np.int64(7), np.uint64(64)


class PackedStrings:
    """Strings in one array of bytes.

    Args:
      words: all bytes, as little-endian 64-bit numbers.
      starts: where each string begins, in bytes.
      sizes: how many bytes each string has.
    """

    __slots__ = ("sizes", "starts", "words")

    def __init__(self, words: Array, starts: Array, sizes: Array) -> None:
        self.words, self.starts, self.sizes = words, starts, sizes

    def __len__(self) -> int:
        return len(self.starts)

    def __iter__(self) -> Iterator[bytes]:
        """Yields the strings one by one."""
        characters = self.characters.data
        for start, size in zip(self.starts.tolist(), self.sizes.tolist(), strict=True):
            yield bytes(characters[start : start + size])

    @property
    def characters(self) -> Array:
        """The bytes of all strings, with others between, before and behind them."""
        return self.words.view(np.uint8)

    def select(self, chosen: Array | slice) -> PackedStrings:
        """Returns some of the strings."""
        return PackedStrings(self.words, self.starts[chosen], self.sizes[chosen])

    def words_at(self, offsets: Array | int) -> Array:
        """Returns the eight bytes of each string from `offsets` on: a vector of uint64, the first byte lowest.

        Bytes before the beginning and behind the end of a string are arbitrary; no offset may be below -16 or above the
        size of the string.
        """
        positions = self.starts + offsets
        index = positions >> _SHIFT_3
        shift = ((positions & _BITS_3) << _SHIFT_3).view(np.uint64)
        lower = self.words.take(index)
        np.right_shift(lower, shift, out=lower)
        np.add(index, 1, out=index)
        upper = self.words.take(index)
        np.left_shift(upper, np.subtract(_WIDTH, shift, out=shift), out=upper)  # a shift by 64 bits gives 0
        return np.bitwise_or(lower, upper, out=lower)

    def words_from(self, offsets: Array | int, count: int) -> list[Array]:
        """Returns `count` neighbouring words of each string, the first of them from `offsets` on: see `words_at`."""
        positions = self.starts + offsets
        shift = ((positions & _BITS_3) << _SHIFT_3).view(np.uint64)
        opposite_shift = _WIDTH - shift
        index = np.right_shift(positions, _SHIFT_3, out=positions)
        lower = self.words.take(index)
        found = []
        for _ in range(count):
            np.add(index, 1, out=index)
            upper = self.words.take(index)
            np.right_shift(lower, shift, out=lower)
            found.append(np.bitwise_or(lower, upper << opposite_shift, out=lower))
            lower = upper
        return found


def pad_words(text: bytes) -> Array:
    """Returns bytes as the words of `PackedStrings`: the first byte has the index `PADDING`."""
    size = len(text)
    words = np.empty((size + 2 * PADDING + 7) // 8, "<u8")
    characters = words.view(np.uint8)
    characters[:PADDING] = 0
    characters[PADDING : PADDING + size] = np.frombuffer(text, np.uint8)
    characters[PADDING + size :] = 0
    return words


def pack(texts: Sequence[bytes]) -> PackedStrings:
    """Packs strings."""
    joined = b"\n".join(texts)
    size = len(joined)
    words = pad_words(joined)
    characters = words.view(np.uint8)
    ends = np.empty(len(texts), np.int64)
    breaks = np.flatnonzero(characters[PADDING : PADDING + size] == ord("\n"))
    if len(breaks) == len(texts) - 1:  # looking for what was put between is faster than to ask each string's length
        ends[:-1], ends[-1] = breaks, size
    else:
        np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1, out=ends)
        ends -= 1
    starts = np.empty_like(ends)
    starts[:1], starts[1:] = 0, ends[:-1] + 1
    return PackedStrings(words, starts + PADDING, ends - starts)


def pack_rows(rows: Array) -> PackedStrings:
    """Packs the rows of a matrix of bytes, as strings of one length."""
    count, width = rows.shape
    words = np.zeros((rows.size + 2 * PADDING + 7) // 8, "<u8")
    words.view(np.uint8)[PADDING : PADDING + rows.size] = rows.reshape(-1)
    return PackedStrings(words, np.arange(count) * width + PADDING, np.full(count, width))


# --- packed forms of tensors ------------------------------------------------------------------------------------------

_FEW = 64
"""Up to so many strings a packed form is not worth keeping."""
_MAX_KEPT = 32

_kept: OrderedDict[int, tuple[weakref.ref[Array], PackedStrings]] = OrderedDict()
"""Packed forms by the identity of their arrays, the least recently used first."""
_kept_lock = threading.Lock()


def pack_strings(array: Array) -> PackedStrings:
    """Returns the strings of an array in C order, packed: again the same object, as long as the array is alive.

    The array must not be written into afterwards, as holds for the arrays of tensors.
    """
    if array.size <= _FEW:
        return pack(array.reshape(-1).tolist())
    with _kept_lock:
        kept = _kept.get(id(array))
        if kept is not None and kept[0]() is array:
            _kept.move_to_end(id(array))
            return kept[1]
    strings = pack(array.reshape(-1).tolist())
    with _kept_lock:
        _kept[id(array)] = weakref.ref(array, _forget), strings
        _kept.move_to_end(id(array))
        if len(_kept) > _MAX_KEPT:
            _kept.popitem(last=False)
    return strings


def _forget(reference: weakref.ref[Array]) -> None:
    """Drops the packed form of an array that is gone."""
    # Called while any other code runs, perhaps within the lock: `list` and `pop` of a dictionary are one step each.
    for identity, (kept_reference, _) in list(_kept.items()):
        if kept_reference is reference:
            _kept.pop(identity, None)
