"""Uniform numbers from random words: integers, and floats of random bits in the fraction of a number in [1, 2)."""

from __future__ import annotations

from typing import Any, TypeAlias

import ml_dtypes
import numpy as np

from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.ops.random.philox import JOINED, Lanes, exchange_halves, from_lanes, words

NpDType: TypeAlias = np.dtype[Any]

_FRACTION_BITS = {np.dtype(np.float16): 10, np.dtype(ml_dtypes.bfloat16): 7, np.dtype(np.float32): 23}
_SHIFT_32 = np.uint64(32)
_FRACTION_64, _ONE_64 = np.uint64(0x000FFFFF_FFFFFFFF), np.uint64(0x3FF00000_00000000)
_FRACTIONS_32, _ONES_32 = np.uint64(0x007FFFFF_007FFFFF), np.uint64(0x3F800000_3F800000)
"""The fractions, and the bits of 1.0, of the two float32 numbers of a lane."""


@kernel_part
def uniforms_of_lanes(xp: Xp, lanes: Lanes, dtype: NpDType, out: Array | None = None) -> Array:
    """Makes the numbers in [0, 1) of each block, and uses the lanes up: shape (n, 4), or (n, 2) of float64.

    Args:
      xp: the array namespace.
      lanes: the blocks.
      dtype: float16, bfloat16, float32 or float64.
      out: where NumPy writes the result, if given.
    """
    if dtype == np.float64:
        numbers = np.empty((len(lanes.first), 2)) if out is None else out
        for column, lane in enumerate(lanes):
            np.bitwise_and(lane, _FRACTION_64, out=lane)
            np.bitwise_or(lane, _ONE_64, out=lane)
            np.subtract(lane.view(np.float64), 1.0, out=numbers[:, column])
        return numbers
    if dtype != np.float32:
        small = uniform_small(xp, words(xp, lanes), dtype)
        return small if out is None else _copy(small, out)
    if len(lanes.first) <= JOINED and out is None:
        return uniform_small(xp, words(xp, lanes), dtype)
    for lane in lanes:
        np.bitwise_and(lane, _FRACTIONS_32, out=lane)
        np.bitwise_or(lane, _ONES_32, out=lane)
    numbers = words(xp, lanes, None if out is None else out.view(np.uint32)).view(np.float32)
    return np.subtract(numbers, np.float32(1), out=numbers)


@uniforms_of_lanes.kernel_for("xla")
def _uniforms_on_xla(xp: CompilingXp, lanes: Lanes, dtype: NpDType, out: None = None) -> Array:
    if dtype == np.float64:
        return from_lanes(xp, lanes, lambda lane: uniform_float64(xp, lane))
    return uniform_small(xp, words(xp, lanes), dtype)


@kernel_part
def integers_of_lanes(xp: Xp, lanes: Lanes, dtype: NpDType, out: Array | None = None) -> Array:
    """Makes the unsigned integers of each block: uint32 of shape (n, 4), or uint64 of shape (n, 2).

    The first word of a 64-bit number is its lower half.

    Args:
      xp: the array namespace.
      lanes: the blocks.
      dtype: an integer dtype of 32 or 64 bits.
      out: where NumPy writes the result, if given.
    """
    if dtype.itemsize == 4:
        return words(xp, lanes, out)
    numbers = np.empty((len(lanes.first), 2), np.uint64) if out is None else out
    for column, lane in enumerate(lanes):
        numbers[:, column] = exchange_halves(lane)
    return numbers


@integers_of_lanes.kernel_for("xla")
def _integers_on_xla(xp: CompilingXp, lanes: Lanes, dtype: NpDType, out: None = None) -> Array:
    return words(xp, lanes) if dtype.itemsize == 4 else from_lanes(xp, lanes, exchange_halves)


@kernel_part
def reduce_to_range(xp: Xp, numbers: Array, low: Array, span: Array) -> Array:
    """Computes `low + numbers % span` in unsigned arithmetic; NumPy writes into `numbers`."""
    # A division by one number is four times as fast as a remainder.
    np.subtract(numbers, numbers // span * span, out=numbers)
    return np.add(numbers, low, out=numbers)


@reduce_to_range.kernel_for("xla")
def _reduce_on_xla(xp: CompilingXp, numbers: Array, low: Array, span: Array) -> Array:
    return low + numbers % span


def word_uniforms(xp: Xp, lane: Array) -> tuple[Array, Array]:
    """Makes the two float32 numbers in [0, 1) of each lane: of its first word, and of its second word."""
    dtype, word = np.dtype(np.float32), np.uint32
    return uniform_small(xp, xp.astype(lane >> _SHIFT_32, word), dtype), uniform_small(xp, xp.astype(lane, word), dtype)


def uniform_small(xp: Xp, words: Array, dtype: NpDType) -> Array:
    """Makes numbers in [0, 1) of float32, float16 or bfloat16, one of each 32-bit word."""
    bits = _FRACTION_BITS[dtype]
    carrier = np.dtype(f"u{dtype.itemsize}")
    one = int(np.ones((), dtype).view(carrier))
    fraction = xp.astype(words, carrier) & carrier.type((1 << bits) - 1)
    return xp.bitcast(fraction | carrier.type(one), dtype) - dtype.type(1)


def uniform_float64(xp: Xp, lane: Array) -> Array:
    """Makes numbers in [0, 1), one of each pair of words; the first word gives the upper 20 bits of the fraction."""
    return xp.bitcast((lane & _FRACTION_64) | _ONE_64, np.float64) - 1.0


def _copy(numbers: Array, out: Array) -> Array:
    np.copyto(out, numbers)
    return out
