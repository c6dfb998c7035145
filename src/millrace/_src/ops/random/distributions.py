"""Uniform and normal numbers of every dtype from Philox words, laid out as TensorFlow lays them out.

Problem: the same seed must give TensorFlow's values, so it matters which word becomes which number.

Idea: outputs come in groups. A group of the plain distributions is one block (four 32-bit or two 64-bit numbers), so
group `i` is block `i`. The truncated normal draws until a group is full, so each group owns a stretch of 256 words
per output. Uniform floats put random bits in the fraction of a number in [1, 2) and subtract 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np

from millrace._src.core.array_namespace import Array, XlaXp, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.ops.random.box_muller import box_muller_float32, box_muller_float64
from millrace._src.ops.random.philox import WORDS_PER_BLOCK, Stream, blocks, blocks_at, in_chunks

NpDType: TypeAlias = np.dtype[Any]

RESERVED_PER_OUTPUT = 256
"""The length of the stretch of the stream that an output may use.

The unit is a word for the truncated normal, and a block for the distributions of `rejection`.
"""

_TRUNCATION = 2.0
_CANDIDATES_PER_GROUP = 20
"""The number of normals drawn for a group before truncation.

With probability 1e-20 fewer than needed are within bounds.
"""

_FRACTION_BITS = {np.dtype(np.float16): 10, np.dtype(ml_dtypes.bfloat16): 7, np.dtype(np.float32): 23}


def uniform(xp: Xp, stream: Stream, shape: Sequence[int], dtype: NpDType) -> Array:
    """Draws numbers in [0, 1) of a floating `dtype`."""

    def make(start: int, count: int) -> Array:
        words = blocks(xp, stream.skip(xp, start), count)
        if dtype == np.float64:
            return uniform_float64(xp, words[:, 0::2], words[:, 1::2])
        return uniform_small(xp, words, dtype)

    return _fill(xp, shape, _per_block(dtype), make)


def normal(xp: Xp, stream: Stream, shape: Sequence[int], dtype: NpDType) -> Array:
    """Draws standard normal numbers of a floating `dtype`; 16-bit types are rounded from float32."""

    def make(start: int, count: int) -> Array:
        normals = normals_of_blocks(xp, blocks(xp, stream.skip(xp, start), count), dtype)
        return normals if normals.dtype == dtype else xp.astype(normals, dtype)

    return _fill(xp, shape, _per_block(dtype), make)


def truncated_normal(xp: Xp, stream: Stream, shape: Sequence[int], dtype: NpDType) -> Array:
    """Draws standard normal numbers; numbers outside [-2, 2] are drawn again."""
    per_group = _per_block(dtype)
    stride = per_group * RESERVED_PER_OUTPUT // WORDS_PER_BLOCK

    def make(start: int, count: int) -> Array:
        return _truncated_groups(xp, stream.skip(xp, start * stride), count, stride, dtype)

    return _fill(xp, shape, per_group, make)


def full_int(xp: Xp, stream: Stream, shape: Sequence[int], dtype: NpDType) -> Array:
    """Draws integers over the whole range of a 32-bit or 64-bit `dtype`."""

    def make(start: int, count: int) -> Array:
        return xp.bitcast(_unsigned(xp, blocks(xp, stream.skip(xp, start), count), dtype), dtype)

    return _fill(xp, shape, _per_block(dtype), make)


def uniform_int(xp: Xp, stream: Stream, shape: Sequence[int], low: Array, high: Array) -> Array:
    """Draws integers in [low, high); `low` and `high` are scalars of the result's dtype, which has 32 or 64 bits."""
    dtype = low.dtype
    unsigned = np.dtype(f"u{dtype.itemsize}")
    span = xp.bitcast(high.reshape(1), unsigned) - xp.bitcast(low.reshape(1), unsigned)

    def make(start: int, count: int) -> Array:
        offset = _unsigned(xp, blocks(xp, stream.skip(xp, start), count), dtype) % span
        return xp.bitcast(xp.bitcast(low.reshape(1), unsigned) + offset, dtype)

    return _fill(xp, shape, _per_block(dtype), make)


def uniform_small(xp: Xp, words: Array, dtype: NpDType) -> Array:
    """Makes numbers in [0, 1) of float32, float16 or bfloat16, one of each 32-bit word."""
    bits = _FRACTION_BITS[dtype]
    carrier = np.dtype(f"u{dtype.itemsize}")
    one = int(np.ones((), dtype).view(carrier))
    fraction = xp.astype(words, carrier) & carrier.type((1 << bits) - 1)
    return xp.bitcast(fraction | carrier.type(one), dtype) - dtype.type(1)


def uniform_float64(xp: Xp, first: Array, second: Array) -> Array:
    """Makes numbers in [0, 1), each of two words; the first word gives the upper 20 bits of the fraction."""
    upper = xp.astype(first, np.uint64) & np.uint64(0xFFFFF)
    fraction = (upper << np.uint64(32)) | xp.astype(second, np.uint64)
    return xp.bitcast(fraction | np.uint64(0x3FF00000_00000000), np.float64) - 1.0


def normals_of_blocks(xp: Xp, words: Array, dtype: NpDType) -> Array:
    """Makes the normals of each block, from words of shape (n, 4).

    The result is float32 of shape (n, 4), or float64 of shape (n, 2).
    """
    if dtype == np.float64:
        uniforms = uniform_float64(xp, words[:, 0::2], words[:, 1::2])
        return xp.stack(box_muller_float64(xp, uniforms[:, 0], uniforms[:, 1]), axis=1)
    uniforms = uniform_small(xp, words, np.dtype(np.float32))
    sines, cosines = box_muller_float32(xp, uniforms[:, 0::2], uniforms[:, 1::2])
    return xp.stack([sines, cosines], axis=2).reshape(-1, 4)


def _truncated_groups(xp: Xp, stream: Stream, count: int, stride: int, dtype: NpDType) -> Array:
    """Draws `count` full groups; a group is the first accepted candidates in order."""
    starts = stream.skip(xp, xp.arange(count, dtype=np.uint64) * np.uint64(stride))
    groups = _truncated(xp, starts, dtype)
    return groups if groups.dtype == dtype else xp.astype(groups, dtype)


@kernel_part
def _truncated(xp: Xp, starts: Stream, dtype: NpDType) -> Array:
    """Draws one full group for each start."""
    # One block suffices for most groups (0.83 of them, for four numbers), so more is drawn only for the others.
    per_group = _per_block(dtype)
    return _accepted_groups(xp, starts, (per_group, 2 * per_group, _CANDIDATES_PER_GROUP), dtype)


@_truncated.kernel_for("xla")
def _truncated_at_once(xp: XlaXp, starts: Stream, dtype: NpDType) -> Array:
    return _accepted_groups(xp, starts, (_CANDIDATES_PER_GROUP,), dtype)


def _accepted_groups(xp: Xp, starts: Stream, numbers: Sequence[int], dtype: NpDType) -> Array:
    """Draws one group for each start out of `numbers[0]` candidates; where too few pass, out of `numbers[1]` ..."""
    per_group = _per_block(dtype)
    candidates = _candidates(xp, starts, numbers[0], dtype)
    accepted = xp.abs(candidates) < _TRUNCATION
    groups = candidates if numbers[0] == per_group else _first_accepted(xp, candidates, accepted, per_group)
    if len(numbers) == 1:
        return groups
    (short,) = xp.nonzero(xp.sum(accepted, axis=1, dtype=np.int64) < per_group)
    if not len(short):
        return groups
    return xp.scatter(groups, (short,), _accepted_groups(xp, starts.at(short), numbers[1:], dtype), "set")


def _candidates(xp: Xp, starts: Stream, number: int, dtype: NpDType) -> Array:
    """Draws the first `number` normals after each of the starts."""
    groups, blocks_per_group = starts.low.shape[0], number // _per_block(dtype)
    steps = xp.arange(blocks_per_group, dtype=np.uint64)
    low = starts.low[:, None] + steps
    high = starts.high[:, None] + xp.astype(low < steps, np.uint64)
    words = blocks_at(xp, Stream(starts.key, low.reshape(-1), high.reshape(-1)))
    return normals_of_blocks(xp, words, dtype).reshape(groups, number)


def _first_accepted(xp: Xp, candidates: Array, accepted: Array, number: int) -> Array:
    """Returns the first `number` accepted entries of each row."""
    rank = xp.cumsum(accepted, axis=1, dtype=np.int64)
    where = xp.stack([xp.argmax(rank == slot + 1, axis=1) for slot in range(number)], axis=1)
    return xp.take_along_axis(candidates, where, axis=1)


def _fill(xp: Xp, shape: Sequence[int], per_group: int, make: Callable[[int, int], Array]) -> Array:
    """Makes an array of `shape` out of the groups that `make(start, count)` gives; the last group is cut."""
    size = prod(shape)
    groups = -(-size // per_group)
    flat = in_chunks(xp, groups, make).reshape(-1)
    return (flat if groups * per_group == size else flat[:size]).reshape(tuple(shape))


def _per_block(dtype: NpDType) -> int:
    """Returns the count of numbers of `dtype` that one block yields; a 16-bit number takes a whole word."""
    return WORDS_PER_BLOCK * 4 // max(dtype.itemsize, 4)


def _unsigned(xp: Xp, words: Array, dtype: NpDType) -> Array:
    """Returns words as unsigned integers of the width of `dtype`; a 64-bit number's first word is its lower half."""
    if dtype.itemsize == 4:
        return words
    return xp.astype(words[:, 0::2], np.uint64) | (xp.astype(words[:, 1::2], np.uint64) << np.uint64(32))
