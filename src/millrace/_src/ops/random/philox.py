"""Philox4x32-10, the random generator behind every op of `tf.random`.

Problem: random numbers must not depend on the engine, on chunking, or on who asks first. A generator with hidden
state cannot promise that.

Idea: a counter-based generator is a pure function. Block `i` of a stream is ten rounds of multiply-and-xor applied to
the 128-bit number `counter + i` under a 64-bit key, and yields four 32-bit words. Any block can be computed at any
time, on any engine, so a million blocks are a few array operations on 64-bit lanes that hold 32-bit values.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC'11).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array, XlaXp, Xp
from millrace._src.core.kernel_part import kernel_part

ROUNDS = 10
WORDS_PER_BLOCK = 4
CHUNK = 16_384
"""The number of blocks computed at once on NumPy.

The lanes of so many blocks stay in the processor's second-level cache (measured: 2x).
"""

_FEW = 8
"""The largest number of blocks for which Python integers are faster than NumPy arrays."""

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
"""The numbers by which the rounds multiply the even words."""
WEYL_STEPS = (0x9E3779B9, 0xBB67AE85)
"""The numbers that each round adds to the two halves of the key."""
SCRAMBLE_KEY = 0x02461E29_3EC8F720
"""The key under which the seeds of stateless ops are made into streams."""

_MULTIPLIERS = np.array(MULTIPLIERS, np.uint64)[:, None]
_WEYL = np.arange(ROUNDS, dtype=np.uint64)[:, None, None] * np.array(WEYL_STEPS, np.uint64)[:, None]
"""The numbers that the rounds add to the two halves of the key; shape (rounds, 2, 1)."""
_LOW_32, _SHIFT_32 = np.uint64(0xFFFFFFFF), np.uint64(32)
_SCRAMBLE_KEY = np.array([SCRAMBLE_KEY], np.uint64)


class Stream(NamedTuple):
    """A position in the sequence of blocks that a key selects; each field is a uint64 array of shape (1,) or (n,)."""

    key: Array
    low: Array
    """The lower half of the 128-bit counter."""
    high: Array
    """The upper half of the 128-bit counter."""

    def skip(self, xp: Xp, blocks: Array | int) -> Stream:
        """Returns the stream `blocks` blocks further on."""
        step = xp.asarray(blocks, dtype=np.uint64)
        low = self.low + step
        return Stream(self.key, low, self.high + xp.astype(low < step, np.uint64))

    def at(self, index: Array) -> Stream:
        """Returns some of several positions."""
        return Stream(self.key, self.low[index], self.high[index])


def stream_from_seeds(seed: int, seed2: int) -> Stream:
    """Returns the stream of a stateful op: `seed` is the key, `seed2` the upper half of the counter."""
    words = [value & 0xFFFFFFFF_FFFFFFFF for value in (seed, 0, seed2)]
    return Stream(*(np.array([word], np.uint64) for word in words))


def stream_from_key_counter(key: Array, counter: Array) -> Stream:
    """Returns the stream of the V2 stateless ops.

    Both arrays are uint64: `key` of shape (1,), `counter` of shape (2,), lower half first.
    """
    return Stream(key.reshape(-1)[:1], counter[0:1], counter[1:2])


def stream_from_seed_pair(xp: Xp, seed: Array) -> Stream:
    """Returns the stream of a stateless op's `seed`, an integer array of shape (2,).

    The seed goes through Philox once, so that weak seeds such as [0, 1] and [0, 2] give unrelated streams.
    """
    pair = _as_uint64(xp, seed)
    words = xp.astype(philox(xp, Stream(xp.asarray(_SCRAMBLE_KEY), pair[0:1], pair[1:2])), np.uint64)
    return Stream(_join(words[0], words[1]), xp.zeros((1,), np.uint64), _join(words[2], words[3]))


@kernel_part
def philox(xp: Xp, stream: Stream) -> Array:
    """Computes one block for each position of `stream`: uint32 of shape (4, n)."""
    return _philox_of_few(stream) if stream.low.size <= _FEW else _philox_of_many(xp, stream)


@philox.kernel_for("xla")
def _philox_of_many(xp: Xp, stream: Stream) -> Array:
    counter = xp.stack(xp.broadcast_arrays(stream.low, stream.high))
    even, odd = counter & _LOW_32, counter >> _SHIFT_32
    round_keys = (xp.stack([stream.key & _LOW_32, stream.key >> _SHIFT_32]) + _WEYL) & _LOW_32
    for index in range(ROUNDS):
        product = (even * _MULTIPLIERS)[::-1]
        even = (product >> _SHIFT_32) ^ odd ^ round_keys[index]
        odd = product & _LOW_32
    return xp.astype(xp.stack([even, odd], axis=1), np.uint32).reshape(4, -1)


def _philox_of_few(stream: Stream) -> Array:
    """Computes blocks in Python integers.

    For a few blocks this is faster than forty calls of NumPy (measured: 6 us against 45).
    """
    key = int(stream.key[0])
    highs = stream.high.tolist() * (1 if stream.high.size > 1 else stream.low.size)
    columns = [_philox_block(key, low, high) for low, high in zip(stream.low.tolist(), highs, strict=True)]
    return np.array(columns, np.uint32).reshape(-1, 4).T


def _philox_block(key: int, low: int, high: int) -> tuple[int, int, int, int]:
    key_0, key_1 = key & 0xFFFFFFFF, key >> 32
    a, b, c, d = low & 0xFFFFFFFF, low >> 32, high & 0xFFFFFFFF, high >> 32
    for _ in range(ROUNDS):
        product_0, product_1 = a * 0xD2511F53, c * 0xCD9E8D57
        a, b = (product_1 >> 32) ^ b ^ key_0, product_1 & 0xFFFFFFFF
        c, d = (product_0 >> 32) ^ d ^ key_1, product_0 & 0xFFFFFFFF
        key_0, key_1 = (key_0 + 0x9E3779B9) & 0xFFFFFFFF, (key_1 + 0xBB67AE85) & 0xFFFFFFFF
    return a, b, c, d


def blocks(xp: Xp, stream: Stream, count: int) -> Array:
    """Computes the first `count` blocks of `stream`: uint32 of shape (count, 4)."""
    return blocks_at(xp, stream.skip(xp, xp.arange(count, dtype=np.uint64)))


def blocks_at(xp: Xp, stream: Stream) -> Array:
    """Computes the block at each of the positions of `stream`: uint32 of shape (n, 4)."""
    return philox(xp, stream).T


@kernel_part
def in_chunks(xp: Xp, count: int, make: Callable[[int, int], Array], size: int = CHUNK) -> Array:
    """Computes `make(start, number)` for all of `range(count)`, joined along the first axis.

    NumPy computes each operation over the whole array before the next, so large arrays are made piecewise to stay in
    cache. XLA fuses the operations and gets one piece. The memory for the whole result is asked for first: a number
    that does not fit is refused at once.
    """
    if count <= size:
        return make(0, count)
    first = make(0, size)
    try:
        result = np.empty((count, *first.shape[1:]), first.dtype)
    except ValueError:
        raise MemoryError("the result is larger than any array can be") from None
    result[:size] = first
    for start in range(size, count, size):
        result[start : start + size] = make(start, min(size, count - start))
    return result


@in_chunks.kernel_for("xla")
def _in_one_chunk(xp: XlaXp, count: int, make: Callable[[int, int], Array], size: int = CHUNK) -> Array:
    return make(0, count)


def _as_uint64(xp: Xp, seed: Array) -> Array:
    """Returns seeds as 64-bit patterns: int32 seeds are sign-extended."""
    return xp.astype(xp.astype(seed, np.int64), np.uint64) if seed.dtype.kind == "i" else xp.astype(seed, np.uint64)


def _join(low: Array, high: Array) -> Array:
    return low | (high << _SHIFT_32)
