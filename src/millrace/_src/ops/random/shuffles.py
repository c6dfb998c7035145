"""Random permutations as TensorFlow draws them.

Fisher and Yates: element i changes places with one of the elements i, i + 1, ..., chosen by a 32-bit word modulo what
is left. Each exchange depends on those before it, so the exchanges run in order; all the words are drawn at once.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.ops.random.philox import WORDS_PER_BLOCK, Stream, blocks, in_chunks


def permutation(xp: Xp, stream: Stream, size: int) -> Array:
    """A random order of `range(size)`: int64 of shape (size,)."""
    if size < 2:
        return xp.arange(size, dtype=np.int64)
    words = in_chunks(xp, -(-size // WORDS_PER_BLOCK), lambda start, count: blocks(xp, stream.skip(xp, start), count))
    remaining = xp.arange(size, 1, -1, dtype=np.uint32)
    steps = words.reshape(-1)[: size - 1] % remaining
    partners = xp.arange(size - 1, dtype=np.int64) + xp.astype(steps, np.int64)
    return (_exchange_traced if xp.is_xla else _exchange)(xp, partners, size)


def _exchange(xp: Xp, partners: Array, size: int) -> Array:
    order = list(range(size))
    for i, j in enumerate(partners.tolist()):
        order[i], order[j] = order[j], order[i]
    return np.array(order, np.int64)


def _exchange_traced(xp: Xp, partners: Array, size: int) -> Array:
    def more(i: Array, order: Array) -> tuple[Array]:
        return (i < size - 1,)

    def exchange(i: Array, order: Array) -> tuple[Array, Array]:
        pair = xp.stack([i, partners[i]])
        return i + 1, xp.scatter(order, (pair,), order[pair[::-1]], "set")

    return xp.while_loop(more, exchange, (xp.zeros((), np.int64), xp.arange(size, dtype=np.int64)))[1]
