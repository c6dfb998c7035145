"""Philox4x32-10, the random generator behind every op of `tf.random`.

Problem: random numbers must not depend on the engine, on chunking, or on who asks first. A generator with hidden
state cannot promise that.

Idea: a counter-based generator is a pure function. Block `i` of a stream is ten rounds of multiply-and-xor applied to
the 128-bit number `counter + i` under a 64-bit key, and yields four 32-bit words. Any block can be computed at any
time, on any engine. Two words share a 64-bit number, a *lane*: then a round is five operations on each of two lanes.
With a lane's words called upper and lower, `lane' = upper(other) * multiplier ^ (lower(lane) ^ key) << 32`.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC'11).
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.ops.random.scratch import scratch
from millrace._src.util.thread_pool import block_bounds, run_in_parallel, thread_count

ROUNDS = 10
WORDS_PER_BLOCK = 4
CHUNK = 12_288
"""The number of blocks computed at once on NumPy.

The lanes of so many blocks stay in the processor's second-level cache (measured: 2x).
"""

_FEW = 12
"""The largest number of blocks for which Python integers are faster than NumPy arrays."""
JOINED = 256
"""Up to so many blocks, calls of NumPy cost more than the numbers they are for, and fewer calls are faster."""
_SHARED_FROM = 8 * CHUNK
"""The number of blocks from which on threads share the work: about a millisecond of one thread."""

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
"""The numbers by which the rounds multiply the even words."""
WEYL_STEPS = (0x9E3779B9, 0xBB67AE85)
"""The numbers that each round adds to the two halves of the key."""
SCRAMBLE_KEY = 0x02461E29_3EC8F720
"""The key under which the seeds of stateless ops are made into streams."""

_MULTIPLIERS = np.array(MULTIPLIERS, np.uint64)[:, None]
_LOW_32, _SHIFT_32 = np.uint64(0xFFFFFFFF), np.uint64(32)
_LIMIT_32, _LIMIT_64 = 1 << 32, 1 << 64
_IS_LITTLE_ENDIAN = sys.byteorder == "little"
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
        return self.at_low(xp, self.low + xp.asarray(blocks, dtype=np.uint64))

    def at_low(self, xp: Xp, low: Array) -> Stream:
        """Returns the next positions whose lower halves are `low`."""
        carry = low < self.low
        if not xp.may_hold(carry):
            return Stream(self.key, low, self.high)
        return Stream(self.key, low, self.high + xp.astype(carry, np.uint64))

    def at(self, index: Array) -> Stream:
        """Returns some of several positions."""
        return Stream(self.key, self.low[index], self.high if self.high.shape[0] == 1 else self.high[index])


class Run(NamedTuple):
    """Positions at equal distances."""

    stream: Stream
    """The first position."""
    size: int
    """The number of positions."""
    stride: int = 1
    """How many blocks further each next position is."""
    repeats: int = 1
    """How many times there are such positions."""
    distance: int = 0
    """How many blocks further the same positions are repeated."""

    def positions(self, xp: Xp) -> Stream:
        """Returns the positions as arrays."""
        steps = xp.arange(self.size, dtype=np.uint64)
        if self.stride != 1:
            steps = steps * np.uint64(self.stride)
        if self.repeats > 1:
            repetitions = xp.arange(self.repeats, dtype=np.uint64) * np.uint64(self.distance)
            steps = (repetitions[:, None] + steps).reshape(-1)
        return self.stream.skip(xp, steps)


class Lanes(NamedTuple):
    """The words of blocks, two to a number: uint64 arrays of shape (n,); the first word of a pair is the upper half.

    On NumPy, lanes are `scratch`: to be used up before the same thread computes other lanes; they may be written into.
    """

    first: Array
    """The first and the second word of each block."""
    second: Array
    """The third and the fourth word of each block."""


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
    lanes = lanes_at(xp, Stream(xp.asarray(_SCRAMBLE_KEY), pair[0:1], pair[1:2]))
    return Stream(_compute(xp, lanes.first), xp.zeros((1,), np.uint64), _compute(xp, lanes.second))


@kernel_part
def _compute(xp: Xp, lane: Array) -> Array:
    """Exchanges the halves of a lane that is computed now, once for all numbers of a stream."""
    return exchange_halves(lane)


@_compute.kernel_for("xla")
def _compute_on_xla(xp: CompilingXp, lane: Array) -> Array:
    # XLA repeats what leads to a number wherever the number is used, but for what changes the width of an array.
    return xp.bitcast(xp.bitcast(lane, np.uint32)[:, ::-1], np.uint64)


def exchange_halves(numbers: Array) -> Array:
    """Exchanges the upper and the lower halves of 64-bit numbers."""
    return (numbers << _SHIFT_32) | (numbers >> _SHIFT_32)


# --- blocks at any positions ------------------------------------------------------------------------------------------


@kernel_part
def lanes_at(xp: Xp, stream: Stream) -> Lanes:
    """Computes one block for each position of `stream`."""
    key, low, high = stream
    if low.size <= _FEW:
        highs = high.tolist() * (1 if high.size > 1 else low.size)
        return _lanes_of_few(int(key[0]), zip(low.tolist(), highs, strict=True))
    if high.size == 1:
        tops = low >> _SHIFT_32
        if (tops == tops[0]).all():
            return _lanes_under_one_top(int(key[0]), low & _LOW_32, int(tops[0]), int(high[0]))
    lanes, products = _room(low.size)
    lanes[0], lanes[1] = exchange_halves(low), exchange_halves(high)
    return Lanes(*_rounds(lanes, products, int(key[0]), 0))


@lanes_at.kernel_for("xla")
def _lanes_on_xla(xp: CompilingXp, stream: Stream) -> Lanes:
    first, second = exchange_halves(stream.low), exchange_halves(stream.high)
    key, weyl = (stream.key & _LOW_32, stream.key >> _SHIFT_32), (np.uint64(step) for step in WEYL_STEPS)
    by_first, by_second = (np.uint64(multiplier) for multiplier in MULTIPLIERS)
    step_0, step_1 = weyl
    for index in range(ROUNDS):
        key_0, key_1 = ((key[0] + np.uint64(index) * step_0), (key[1] + np.uint64(index) * step_1))
        product_0, product_1 = (first >> _SHIFT_32) * by_first, (second >> _SHIFT_32) * by_second
        first = product_1 ^ ((first ^ key_0) << _SHIFT_32)
        second = product_0 ^ ((second ^ key_1) << _SHIFT_32)
    return Lanes(first, second)


def _lanes_under_one_top(key: int, lowest: Array, second_word: int, high: int) -> Lanes:
    """Computes the blocks of counters that differ in the lowest of their four words only.

    The words that are the same for all blocks are numbers through the first two rounds, not arrays.

    Args:
      key: the key.
      lowest: the lowest words of the counters, uint64.
      second_word: the next word of all counters.
      high: the upper half of all counters.
    """
    (key_0, key_1), (next_key_0, next_key_1) = _round_keys(key)[:2]
    first = (high & 0xFFFFFFFF) * MULTIPLIERS[1] ^ (second_word ^ key_0) << 32
    lanes, products = _room(lowest.size)
    second, product = lanes[1], products[0]
    np.multiply(lowest, np.uint64(MULTIPLIERS[0]), out=second)
    np.bitwise_xor(second, np.uint64((high >> 32 ^ key_1) << 32), out=second)
    np.right_shift(second, _SHIFT_32, out=product)
    np.multiply(product, np.uint64(MULTIPLIERS[1]), out=product)
    np.bitwise_xor(product, np.uint64((first & 0xFFFFFFFF ^ next_key_0) << 32), out=lanes[0])
    np.left_shift(second, _SHIFT_32, out=second)
    np.bitwise_xor(second, np.uint64((first >> 32) * MULTIPLIERS[0] ^ next_key_1 << 32), out=second)
    return Lanes(*_rounds(lanes, products, key, 2))


def _room(size: int) -> tuple[Array, Array]:
    """Returns two arrays of shape (2, size), for lanes and for products."""
    return scratch("lanes", (2, size), np.uint64), scratch("products", (2, size), np.uint64)


def _rounds(lanes: Array, products: Array, key: int, begin: int) -> Array:
    """Runs the rounds from number `begin` on in `lanes`, both of shape (2, n)."""
    products_of_other = products[::-1]
    for round_keys in _shift_keys(key)[begin:]:
        np.right_shift(lanes, _SHIFT_32, out=products)
        np.multiply(products, _MULTIPLIERS, out=products)
        np.left_shift(lanes, _SHIFT_32, out=lanes)
        np.bitwise_xor(lanes, round_keys, out=lanes)
        np.bitwise_xor(lanes, products_of_other, out=lanes)
    return lanes


@functools.lru_cache(maxsize=64)
def _round_keys(key: int) -> tuple[tuple[int, int], ...]:
    """Returns the two numbers that each round mixes into the words."""
    low, high = key & 0xFFFFFFFF, key >> 32
    return tuple(
        ((low + index * WEYL_STEPS[0]) % _LIMIT_32, (high + index * WEYL_STEPS[1]) % _LIMIT_32)
        for index in range(ROUNDS)
    )


@functools.lru_cache(maxsize=64)
def _shift_keys(key: int) -> Array:
    """Returns the numbers that the rounds mix into the upper halves of the lanes; shape (rounds, 2, 1)."""
    return np.array(_round_keys(key), np.uint64)[:, :, None] << _SHIFT_32


def _lanes_of_few(key: int, counters: Iterable[tuple[int, int]]) -> Lanes:
    """Computes blocks in Python integers: for a few blocks this is faster than forty calls of NumPy.

    Args:
      key: the key.
      counters: the lower and the upper half of the counter of each block.
    """
    round_keys = _round_keys(key)
    pairs = [_block(round_keys, low, high) for low, high in counters]
    return Lanes(*np.array(pairs, np.uint64).reshape(-1, 2).T.copy())


def _block(round_keys: tuple[tuple[int, int], ...], low: int, high: int) -> tuple[int, int]:
    a, b, c, d = low & 0xFFFFFFFF, low >> 32, high & 0xFFFFFFFF, high >> 32
    for key_0, key_1 in round_keys:
        product_0, product_1 = a * 0xD2511F53, c * 0xCD9E8D57
        a, b = product_1 >> 32 ^ b ^ key_0, product_1 & 0xFFFFFFFF
        c, d = product_0 >> 32 ^ d ^ key_1, product_0 & 0xFFFFFFFF
    return a << 32 | b, c << 32 | d


# --- blocks in a row --------------------------------------------------------------------------------------------------


@kernel_part
def lanes(xp: Xp, run: Run) -> Lanes:
    """Computes the block at each position of a run."""
    stream, count = run.stream, run.size
    low, high = int(stream.low[0]), int(stream.high[0])
    if run.stride > 1 or run.repeats > 1 or (low + count) // _LIMIT_32 > low // _LIMIT_32:
        return lanes_at(xp, run.positions(xp))
    if count <= _FEW:
        return _lanes_of_few(int(stream.key[0]), [(number, high) for number in range(low, low + count)])
    lowest = low % _LIMIT_32
    counters = np.arange(lowest, lowest + count, dtype=np.uint64)
    return _lanes_under_one_top(int(stream.key[0]), counters, low // _LIMIT_32, high)


@lanes.kernel_for("xla")
def _lanes_of_run_on_xla(xp: CompilingXp, run: Run) -> Lanes:
    return lanes_at(xp, run.positions(xp))


@kernel_part
def words(xp: Xp, lanes: Lanes, out: Array | None = None) -> Array:
    """Returns the words of blocks in their order: uint32 of shape (n, 4).

    Args:
      xp: the array namespace.
      lanes: the blocks.
      out: where NumPy writes the result, if given.
    """
    count = len(lanes.first)
    if count <= JOINED and out is None and _IS_LITTLE_ENDIAN:
        return exchange_halves(np.stack(lanes, axis=1)).view(np.uint32)
    numbers = np.empty((count, WORDS_PER_BLOCK), np.uint32) if out is None else out
    pairs = numbers.view(np.uint64)
    for column, lane in enumerate(lanes):  # one after the other: four times as fast as both at once
        if _IS_LITTLE_ENDIAN:
            upper = np.right_shift(lane, _SHIFT_32, out=scratch("upper", lane.shape, np.uint64))
            lane = np.left_shift(lane, _SHIFT_32, out=scratch("lower", lane.shape, np.uint64))
            np.bitwise_or(upper, lane, out=pairs[:, column])
        else:
            pairs[:, column] = lane
    return numbers


@words.kernel_for("xla")
def _words_on_xla(xp: CompilingXp, lanes: Lanes, out: None = None) -> Array:
    pairs = xp.bitcast(from_lanes(xp, lanes, exchange_halves), np.uint32)
    return pairs.reshape(-1, WORDS_PER_BLOCK)


def from_lanes(xp: CompilingXp, lanes: Lanes, make: Callable[[Array], Array]) -> Array:
    """Makes a 64-bit number of each lane on XLA: shape (n, 2), a row for each block.

    XLA computes a lane once, and many at a time, where one vector holds both lanes and where the numbers are put side
    by side last: ten times as fast as columns side by side (measured).

    Args:
      xp: the array namespace.
      lanes: the blocks.
      make: makes the numbers of a vector of lanes.
    """
    return make(xp.concatenate(lanes)).reshape(2, -1).T


def blocks(xp: Xp, stream: Stream, count: int) -> Array:
    """Computes the first `count` blocks of `stream`: uint32 of shape (count, 4)."""
    return words(xp, lanes(xp, Run(stream, count)))


def blocks_at(xp: Xp, stream: Stream) -> Array:
    """Computes the block at each of the positions of `stream`: uint32 of shape (n, 4)."""
    return words(xp, lanes_at(xp, stream))


# --- chunks -----------------------------------------------------------------------------------------------------------


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
    result = _new_array((count, *first.shape[1:]), first.dtype)
    result[:size] = first

    def fill(start: int, stop: int) -> None:
        result[size + start : size + stop] = make(size + start, stop - start)

    _share(count - size, size, fill)
    return result


@in_chunks.kernel_for("xla")
def _in_one_chunk(xp: CompilingXp, count: int, make: Callable[[int, int], Array], size: int = CHUNK) -> Array:
    return make(0, count)


@kernel_part
def fill(xp: Xp, shape: tuple[int, int], dtype: Any, make: Callable[[int, int, Array | None], Array]) -> Array:
    """Computes an array row by row: `make(start, number, out)` gives so many rows, on NumPy by writing into `out`."""
    if shape[0] <= JOINED:
        return make(0, shape[0], None)
    result = _new_array(shape, dtype)
    _share(len(result), CHUNK, lambda start, stop: make(start, stop - start, result[start:stop]))
    return result


@fill.kernel_for("xla")
def _fill_at_once(
    xp: CompilingXp, shape: tuple[int, int], dtype: Any, make: Callable[[int, int, Array | None], Array]
) -> Array:
    return make(0, shape[0], None)


def _new_array(shape: tuple[int, ...], dtype: DTypeLike) -> Array:
    try:
        return np.empty(shape, dtype)
    except ValueError:
        raise MemoryError("the result is larger than any array can be") from None


def _share(count: int, size: int, work: Callable[[int, int], Any]) -> None:
    """Calls `work(start, stop)` for ranges of at most `size` that make up `range(count)`, on threads if many."""
    bounds = block_bounds(count, size, thread_count() if count >= _SHARED_FROM else 1)
    if count >= _SHARED_FROM:
        run_in_parallel(len(bounds) - 1, lambda index: work(bounds[index], bounds[index + 1]))
    else:
        for start, stop in itertools.pairwise(bounds):
            work(start, stop)


def _as_uint64(xp: Xp, seed: Array) -> Array:
    """Returns seeds as 64-bit patterns: int32 seeds are sign-extended."""
    return xp.astype(xp.astype(seed, np.int64), np.uint64) if seed.dtype.kind == "i" else xp.astype(seed, np.uint64)
