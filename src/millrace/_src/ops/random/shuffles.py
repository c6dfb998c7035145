"""Random permutations as TensorFlow draws them, in array operations.

Problem: TensorFlow shuffles by Fisher and Yates's method: at step i, elements i and j(i) change places, j(i) >= i drawn
at random. Each exchange builds on those before it, which makes a slow loop.

Idea: the loop can be solved. Step i puts at place i the element that the previous step with the same partner, s < i
with j(s) = j(i), had at its own place s; or element j(i) itself if there was no such step. The element at place t when
its step comes is the one that the last s < t with j(s) = t had at place s. So both are chains of "previous step with
this partner": one sort finds the links, and doubling pointers follows all chains at once.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.ops.random.philox import WORDS_PER_BLOCK, Stream, blocks, in_chunks

_SHIFT, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


def permutation(xp: Xp, stream: Stream, size: int) -> Array:
    """Draws a random order of `range(size)`: int64 of shape (size,)."""
    if size < 2:
        return xp.arange(size, dtype=np.int64)
    return _exchanged(xp, _partners(xp, stream, size))


def _partners(xp: Xp, stream: Stream, size: int) -> Array:
    """Draws, for each place, the place that it changes elements with at its step; the last place keeps its element.

    The partner is a 32-bit word modulo the number of places that are left.
    """
    words = in_chunks(xp, -(-size // WORDS_PER_BLOCK), lambda start, count: blocks(xp, stream.skip(xp, start), count))
    remaining = xp.arange(size, 0, -1, dtype=np.uint32)
    return xp.arange(size, dtype=np.int64) + xp.astype(words.reshape(-1)[:size] % remaining, np.int64)


def _exchanged(xp: Xp, partners: Array) -> Array:
    """Returns `range(n)` after place i and place `partners[i]` changed their elements, for i = 0, 1, ..."""
    size = partners.shape[0]
    places = xp.arange(size, dtype=np.int64)
    # Steps by partner, then by time, as one number each: sorting plain numbers is what NumPy and XLA do fastest.
    keys = xp.sort((xp.astype(partners, np.uint64) << _SHIFT) | xp.astype(places, np.uint64))
    partner, step = xp.astype(keys >> _SHIFT, np.int64), xp.astype(keys & _LOW, np.int64)
    joined = partner[1:] == partner[:-1]
    no, nothing = xp.zeros(1, bool), xp.full(1, -1, np.int64)
    before = xp.where(xp.concatenate([no, joined]), xp.concatenate([nothing, step[:-1]]), -1)
    earlier = xp.scatter(xp.full(size, -1, np.int64), (step,), before, "set")

    # The source of the element at place t: the last step before t with partner t, or t itself.
    is_last = xp.concatenate([~joined, ~no])
    source = xp.where(step == partner, xp.where(before >= 0, before, partner), step)
    sources = xp.scatter(xp.arange(size + 1), (xp.where(is_last, partner, size),), source, "set")[:size]
    origins = _ends_of_chains(xp, sources)
    return xp.where(earlier >= 0, origins[earlier], partners)


def _ends_of_chains(xp: Xp, sources: Array) -> Array:
    """Returns the end of the chain `t -> sources[t] -> ...` for each t; an end is its own source."""

    def moving(ends: Array, moved: Array) -> tuple[Array]:
        return (moved,)

    def double(ends: Array, moved: Array) -> tuple[Array, Array]:
        further = ends[ends]
        return further, xp.any(further != ends)

    return xp.while_loop(moving, double, (sources, xp.asarray(True)))[0]
