"""Random permutations as TensorFlow draws them, in array operations.

Problem: TensorFlow shuffles by Fisher and Yates's method: at step i, elements i and j(i) are swapped, j(i) >= i drawn
at random. Each exchange builds on those before it, which makes a slow loop.

Idea: the loop can be solved. Step i puts at index i the element that the previous step with the same partner, s < i
with j(s) = j(i), had at its own index s; or element j(i) itself if there was no such step. The element at index t when
its step comes is the one that the last s < t with j(s) = t had at index s. So both are chains of "previous step with
this partner": one sort finds the links, and doubling pointers follows all chains at once. NumPy solves some thousand
steps at a time, whose numbers stay in cache; XLA solves all at once.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.ops.random.philox import WORDS_PER_BLOCK, Stream, blocks

_SHIFT, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_STEPS_AT_ONCE = 49_152
_FEW = 128
"""Up to so many elements a loop over Python integers is faster than sorting."""


def permutation(xp: Xp, stream: Stream, size: int) -> Array:
    """Draws a random order of `range(size)`: int64 of shape (size,)."""
    return shuffle_vector(xp, stream, xp.arange(size, dtype=np.int64))


@kernel_part
def shuffle_vector(xp: Xp, stream: Stream, vector: Array) -> Array:
    """Puts the elements of a vector in random order."""
    size, result = len(vector), vector.copy()
    if size <= _FEW:
        return _exchange_one_by_one(result, _offsets(xp, stream, 0, size, size))
    for start in range(0, size, _STEPS_AT_ONCE):
        count = min(_STEPS_AT_ONCE, size - start)
        offsets = _offsets(xp, stream, start, count, size)
        _exchange(result[start:], np.add(offsets, np.arange(count), dtype=np.int64))
    return result


@shuffle_vector.kernel_for("xla")
def _shuffle_on_xla(xp: CompilingXp, stream: Stream, vector: Array) -> Array:
    size = vector.shape[0]
    partners = xp.arange(size) + xp.astype(_offsets(xp, stream, 0, size, size), np.int64)
    return xp.take(vector, _order(xp, partners), axis=0)


def _offsets(xp: Xp, stream: Stream, start: int, count: int, size: int) -> Array:
    """Draws how far away the elements are with which `count` elements, from `start` on, are swapped: uint32.

    That is a 32-bit word modulo the number of elements that are left.
    """
    words = blocks(xp, stream.skip(xp, start // WORDS_PER_BLOCK), -(-count // WORDS_PER_BLOCK))
    return words.reshape(-1)[:count] % xp.arange(size - start, size - start - count, -1, dtype=np.uint32)


# --- NumPy ------------------------------------------------------------------------------------------------------------


def _exchange_one_by_one(vector: Array, offsets: Array) -> Array:
    order = list(range(len(vector)))
    for index, offset in enumerate(offsets.tolist()):
        partner = index + offset
        order[index], order[partner] = order[partner], order[index]
    return vector[order]


def _exchange(rest: Array, partners: Array) -> None:
    """Swaps elements i and `partners[i]` of `rest`, for i = 0, 1, ..., in place."""
    count = len(partners)
    step, partner = _steps_by_partner(partners)
    is_joined = partner[1:] == partner[:-1]
    followers = np.flatnonzero(is_joined) + 1
    last = np.append(np.flatnonzero(~is_joined), count - 1)
    ends = _ends_of_chains_in_place(_sources(step, partner, last))

    before = rest[:count].copy()
    result = rest[partners]
    result[step[followers]] = before[ends[step[followers - 1]]]
    rest[partner[last]] = before[ends[step[last]]]
    rest[:count] = result


def _steps_by_partner(partners: Array) -> tuple[Array, Array]:
    """Returns the steps sorted by partner, then by time, and the partner of each."""
    # As one number each: sorting plain numbers is what NumPy and XLA do fastest.
    keys = partners.view(np.uint64) << _SHIFT
    np.bitwise_or(keys, np.arange(len(keys), dtype=np.uint64), out=keys)
    keys.sort()
    return (keys & _LOW).view(np.int64), (keys >> _SHIFT).view(np.int64)


def _sources(step: Array, partner: Array, last: Array) -> Array:
    """Returns for each index t the last step before t with partner t, or t itself.

    Args:
      step: the steps sorted by partner, then by time.
      partner: the partner of each.
      last: where in `step` the last one for each partner is.
    """
    sources = np.arange(len(step))
    last = last[: np.searchsorted(partner[last], len(step))]
    sources[partner[last]] = step[last]
    is_own = step[last] == partner[last]  # few: an element is its own partner, and so not the one before it
    for index in last[is_own].tolist():
        if index and partner[index - 1] == partner[index]:
            sources[partner[index]] = step[index - 1]
    return sources


def _ends_of_chains_in_place(sources: Array) -> Array:
    still_open = np.flatnonzero(sources != np.arange(len(sources)))
    while len(still_open):
        ends = sources[still_open]
        further = sources[ends]
        moved = np.flatnonzero(further != ends)
        still_open = still_open[moved]
        sources[still_open] = further[moved]
    return sources


# --- XLA --------------------------------------------------------------------------------------------------------------


def _order(xp: CompilingXp, partners: Array) -> Array:
    """Returns `range(n)` after elements i and `partners[i]` were swapped, for i = 0, 1, ..."""
    size = partners.shape[0]
    indices = xp.arange(size, dtype=np.int64)
    # Steps by partner, then by time, as one number each: sorting plain numbers is what NumPy and XLA do fastest.
    keys = xp.sort((xp.astype(partners, np.uint64) << _SHIFT) | xp.astype(indices, np.uint64))
    partner, step = xp.astype(keys >> _SHIFT, np.int64), xp.astype(keys & _LOW, np.int64)
    joined = partner[1:] == partner[:-1]
    no, nothing = xp.zeros(1, bool), xp.full(1, -1, np.int64)
    before = xp.where(xp.concatenate([no, joined]), xp.concatenate([nothing, step[:-1]]), -1)
    earlier = xp.scatter(xp.full(size, -1, np.int64), (step,), before, "set")

    # The source of the element at index t: the last step before t with partner t, or t itself.
    is_last = xp.concatenate([~joined, ~no])
    source = xp.where(step == partner, xp.where(before >= 0, before, partner), step)
    sources = xp.scatter(xp.arange(size + 1), (xp.where(is_last, partner, size),), source, "set")[:size]
    origins = _ends_of_chains(xp, sources)
    return xp.where(earlier >= 0, origins[earlier], partners)


def _ends_of_chains(xp: CompilingXp, sources: Array) -> Array:
    """Returns the end of the chain `t -> sources[t] -> ...` for each t; an end is its own source."""

    def moving(ends: Array, moved: Array) -> tuple[Array]:
        return (moved,)

    def double(ends: Array, moved: Array) -> tuple[Array, Array]:
        further = ends[ends]
        return further, xp.any(further != ends)

    return xp.while_loop(moving, double, (sources, xp.asarray(True)))[0]
