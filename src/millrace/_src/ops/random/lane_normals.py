"""Standard normal numbers of float32 from the lanes of blocks: on NumPy in work arrays, on XLA by `box_muller`.

Problem: the formulas of `box_muller` are about seventy operations for a pair of numbers. Written as expressions on
NumPy arrays, they spend half of their time on fresh memory, and on bits that the lanes show more directly.

Idea: the two uniforms of a pair are the upper and the lower half of a lane, 23 bits each, so both are made as float64
of a lane without a detour by float32. The tables of the logarithm are spread over all exponents, so that no number is
split into exponent and fraction. Signs and the exchange of sine and cosine are bits of integers. There are 2**23
uniforms, and a test compares the results of all of them with those of `box_muller`: every bit is the same.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.ops.random import box_muller
from millrace._src.ops.random.box_muller import COS, HALF_PI, LN_2, LOG_LOGARITHMS, LOG_POLYNOMIAL, LOG_RECIPROCALS, SIN
from millrace._src.ops.random.philox import JOINED, Lanes, from_lanes
from millrace._src.ops.random.scratch import scratch
from millrace._src.ops.random.word_uniforms import word_uniforms

_ONE_BITS = np.uint64(0x3FF00000_00000000)
"""The bits of 1.0 in float64."""
_UNIFORM_BITS = np.uint64(((1 << 23) - 1) << 29)
"""Where the 23 random bits of a float32 uniform are in the fraction of a float64."""
_SMALLEST = float(np.float32(box_muller.SMALLEST))

_EXPONENTS = 32
"""How many powers of two below 1 the tables of the logarithm reach down."""
_STEPS = np.arange(-_EXPONENTS * 16, 16)
"""The entries of the tables: 16 for a power of two."""
_RECIPROCALS = LOG_RECIPROCALS[_STEPS & 15] * 2.0 ** -(_STEPS >> 4)
_LOGARITHMS = LOG_LOGARITHMS[_STEPS & 15] + (_STEPS >> 4) * LN_2
_TABLE_BEGIN = np.int64((int(box_muller.LOG_ORIGIN) << 29) + (1023 - 127 - _EXPONENTS << 52))
"""The bits, as float64, of the least number that the tables hold."""
_TABLE_SHIFT = 48
"""How many of the lower bits of a float64 do not matter for the index in the tables."""


@kernel_part
def lane_normals(xp: Xp, lanes: Lanes, out: Array | None = None) -> Array:
    """Makes the four normals of each block, float32 of shape (n, 4), and uses the lanes up.

    Args:
      xp: the array namespace.
      lanes: the blocks.
      out: where NumPy writes the result, if given.
    """
    count = len(lanes.first)
    normals = np.empty((count, 4), np.float32) if out is None else out
    if count <= JOINED:
        both = np.empty((2 * count, 2), np.float32)
        _normal_pairs(np.concatenate(lanes), both)
        normals[:, :2], normals[:, 2:] = both[:count], both[count:]
    else:
        _normal_pairs(lanes.first, normals[:, :2])
        _normal_pairs(lanes.second, normals[:, 2:])
    return normals


def _normal_pairs(lane: Array, out: Array) -> None:
    angle = _angles(lane, scratch("angle", lane.shape, np.float64))
    radius = _radii(lane, scratch("radius", lane.shape, np.float32))
    sine, cosine = _sine_and_cosine(angle, scratch("ratios", (2, len(lane)), np.float32))
    np.multiply(sine, radius, out=out[:, 0])
    np.multiply(cosine, radius, out=out[:, 1])


@lane_normals.kernel_for("xla")
def _lane_normals_on_xla(xp: CompilingXp, lanes: Lanes, out: None = None) -> Array:
    def pairs(lane: Array) -> Array:
        sine, cosine = box_muller.box_muller_float32(xp, *word_uniforms(xp, lane))
        lower, upper = (xp.astype(xp.bitcast(normal, np.uint32), np.uint64) for normal in (sine, cosine))
        return lower | (upper << np.uint64(32))

    return xp.bitcast(from_lanes(xp, lanes, pairs), np.float32).reshape(-1, 4)


def _uniforms(bits: Array) -> Array:
    """Makes numbers in [0, 1) in place, of bits that begin at the upper end of a fraction."""
    np.bitwise_and(bits, _UNIFORM_BITS, out=bits)
    np.bitwise_or(bits, _ONE_BITS, out=bits)
    uniforms = bits.view(np.float64)
    return np.subtract(uniforms, 1.0, out=uniforms)


def _angles(lane: Array, out: Array) -> Array:
    """Makes angles, float32 numbers as float64, of the lower words of a lane."""
    uniforms = _uniforms(np.left_shift(lane, np.uint64(29), out=out.view(np.uint64)))
    rounded = np.multiply(uniforms, 2.0 * np.pi, out=scratch("rounded", lane.shape, np.float32), casting="unsafe")
    np.copyto(out, rounded)
    return out


def _radii(lane: Array, out: Array) -> Array:
    """Makes the distances of pairs of normals from 0, of the upper words of a lane, whose memory they take.

    They are `sqrt(-2 * log(u))`. Near c, with 1/c and log(c) from tables: log(u) = log(c) + log(u / c).
    """
    r = _uniforms(np.right_shift(lane, np.uint64(3), out=lane))
    np.maximum(r, _SMALLEST, out=r)
    indices = scratch("indices", r.shape, np.int64)
    np.subtract(r.view(np.int64), _TABLE_BEGIN, out=indices)
    np.right_shift(indices, _TABLE_SHIFT, out=indices)
    entries = scratch("entries", r.shape, np.float64)
    np.multiply(r, _RECIPROCALS.take(indices, out=entries, mode="wrap"), out=r)
    np.subtract(r, 1.0, out=r)
    head = _LOGARITHMS.take(indices, out=entries, mode="wrap")
    a, b, c = LOG_POLYNOMIAL
    np.add(head, r, out=head)
    tail = np.multiply(r, b, out=indices.view(np.float64))
    np.add(tail, c, out=tail)
    square = np.multiply(r, r, out=r)
    quotient = np.multiply(square, a, out=scratch("terms", r.shape, np.float64))
    np.add(quotient, tail, out=quotient)
    np.multiply(quotient, square, out=quotient)
    np.add(quotient, head, out=out, casting="unsafe")
    np.multiply(out, np.float32(-2.0), out=out)
    return np.sqrt(out, out=out)


def _sine_and_cosine(angle: Array, out: Array) -> Array:
    """Computes sines and cosines of angles in [0, 2 pi], which are used up."""
    shape = angle.shape
    x, quadrants = angle, scratch("terms", shape, np.float64)
    np.rint(np.multiply(x, 2.0 / np.pi, out=quadrants), out=quadrants)
    quarter = scratch("quarter", shape, np.uint32)
    np.copyto(quarter, quadrants, casting="unsafe")
    np.subtract(x, np.multiply(quadrants, HALF_PI, out=quadrants), out=x)

    square = np.multiply(x, x, out=scratch("entries", shape, np.float64))
    power = np.multiply(x, square, out=scratch("indices", shape, np.float64))
    sum_ = np.multiply(power, SIN[0], out=quadrants)
    np.add(x, sum_, out=sum_)
    np.multiply(power, square, out=power)
    series = np.multiply(square, SIN[2], out=x)
    np.add(series, SIN[1], out=series)
    np.multiply(power, series, out=series)
    np.add(sum_, series, out=out[0], casting="unsafe")

    fourth = np.multiply(square, square, out=power)
    np.add(np.multiply(square, COS[0], out=sum_), 1.0, out=sum_)
    np.add(sum_, np.multiply(fourth, COS[1], out=series), out=sum_)
    np.multiply(fourth, square, out=fourth)
    np.add(np.multiply(square, COS[3], out=series), COS[2], out=series)
    np.add(sum_, np.multiply(fourth, series, out=series), out=out[1], casting="unsafe")
    return _turn(out, quarter)


def _turn(ratios: Array, quarters: Array) -> Array:
    """Turns points on the circle, sines and cosines of shape (2, n), by quarters of a turn, in place."""
    sines, cosines = ratios.view(np.uint32)
    is_odd = scratch("is_odd", sines.shape, np.uint32)
    np.negative(np.bitwise_and(quarters, 1, out=is_odd), out=is_odd)  # all bits set where sine and cosine change
    np.bitwise_and(is_odd, np.bitwise_xor(sines, cosines, out=scratch("changes", sines.shape, np.uint32)), out=is_odd)
    np.bitwise_xor(sines, is_odd, out=sines)
    np.bitwise_xor(cosines, is_odd, out=cosines)
    for numbers, shift in ((sines, 0), (cosines, 1)):  # negative in the quarters 2 and 3; the cosine, in 1 and 2
        np.add(quarters, shift, out=quarters)
        sign = np.left_shift(np.bitwise_and(quarters, 2, out=is_odd), 30, out=is_odd)
        np.bitwise_xor(numbers, sign, out=numbers)
    return ratios
