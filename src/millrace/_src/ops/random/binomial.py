"""Binomially distributed numbers as TensorFlow draws them.

Below ten expected successes, sums of geometric variables count the successes one by one. Above, transformed rejection
is used: Hörmann, "The generation of binomial random variates", J. Statistical Computation and Simulation 46 (1993),
algorithm BTRS. A probability above one half is drawn as its complement.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.ops.random.philox import Stream
from millrace._src.ops.random.rejection import output_starts, per_parameter, uniform_pair, until_accepted
from millrace._src.ops.random.word_uniforms import NpDType

_INVERSION_BELOW = 10.0
_RESERVED_FOR_INVERSION = 42
"""The number of blocks between outputs drawn by inversion; outputs drawn by rejection are further apart."""
_STIRLING_TAILS = np.array(
    [
        0.0810614667953272,
        0.0413406959554092,
        0.0276779256849983,
        0.02079067210376509,
        0.0166446911898211,
        0.0138761288230707,
        0.0118967099458917,
        0.0104112652619720,
        0.00925546218271273,
        0.00833056343336287,
    ]
)


def binomial_samples(xp: Xp, stream: Stream, samples: int, counts: Array, probs: Array, dtype: NpDType) -> Array:
    """Draws `samples` numbers for each pair of `counts` and `probs`, both vectors.

    The result has `dtype` and the shape (samples, len(counts)).
    """
    trials, chances = xp.astype(counts, np.float64), xp.astype(probs, np.float64)

    def draw(first: int, index: Array) -> Array:
        starts = output_starts(xp, stream, first, len(index))
        inversion_starts = output_starts(xp, stream, first, len(index), _RESERVED_FOR_INVERSION)
        return _draw(xp, starts, inversion_starts, trials[index], chances[index])

    return xp.astype(per_parameter(xp, (samples, counts.shape[0]), draw), dtype)


def _draw(xp: Xp, starts: Stream, inversion_starts: Stream, count: Array, prob: Array) -> Array:
    flipped = prob > 0.5
    p = xp.where(flipped, 1 - prob, prob)
    valid = (prob > 0) & (prob < 1) & (count > 0)
    few = ~(count * p >= _INVERSION_BELOW)
    successes = _draw_by_inversion(xp, (inversion_starts, starts), few, valid, count, p)
    successes = xp.where(flipped, count - successes, successes)
    certain = xp.where((prob >= 1) & (count > 0), count, 0.0)
    return xp.where(xp.isnan(prob) | xp.isnan(count), np.nan, xp.where(valid, successes, certain))


@kernel_part
def _draw_by_inversion(
    xp: Xp, starts: tuple[Stream, Stream], few: Array, valid: Array, count: Array, prob: Array
) -> Array:
    """Draws outputs with `few` expected successes by inversion, from `starts[0]` on; the others by rejection."""
    successes = np.zeros(count.shape)
    for method, begin, mask in zip((_inversion, _reject_transformed), starts, (few, ~few), strict=True):
        (where,) = np.nonzero(mask & valid)
        if len(where):
            successes[where] = method(xp, begin.at(where), count[where], prob[where])
    return successes


@_draw_by_inversion.kernel_for("xla")
def _draw_by_both(
    xp: CompilingXp, starts: tuple[Stream, Stream], few: Array, valid: Array, count: Array, prob: Array
) -> Array:
    by_inversion = _inversion(xp, starts[0], xp.where(few, count, 0.0), xp.where(few, prob, 0.25))
    by_rejection = _reject_transformed(xp, starts[1], xp.where(few, 40.0, count), xp.where(few, 0.5, prob))
    return xp.where(few, by_inversion, by_rejection)


def _inversion(xp: Xp, starts: Stream, count: Array, prob: Array) -> Array:
    def attempt(parameters: tuple[Array, ...], state: tuple[Array, ...]) -> tuple[Array, Array, tuple[Array, ...]]:
        low, high, count, log_failure = parameters
        block, trials, successes = state
        first, second = uniform_pair(xp, Stream(starts.key, low, high), block)
        after_one = trials + xp.ceil(xp.log(first) / log_failure)
        after_two = after_one + xp.ceil(xp.log(second) / log_failure)
        stops_at_one = after_one > count
        value = xp.where(stops_at_one, successes, successes + 1)
        return stops_at_one | (after_two > count), value, (block + np.uint64(1), after_two, successes + 2)

    nothing = xp.zeros(count.shape, np.float64)
    state = (xp.zeros(count.shape, np.uint64), nothing, nothing)
    return until_accepted(xp, attempt, (starts.low, starts.high, count, xp.log1p(-prob)), state)


def _reject_transformed(xp: Xp, starts: Stream, count: Array, prob: Array) -> Array:
    def attempt(parameters: tuple[Array, ...], state: tuple[Array, ...]) -> tuple[Array, Array, tuple[Array, ...]]:
        low, high, count, prob = parameters
        (block,) = state
        u, v = uniform_pair(xp, Stream(starts.key, low, high), block)
        deviation = xp.sqrt(count * prob * (1 - prob))
        b = 1.15 + 2.53 * deviation
        a = -0.0873 + 0.0248 * b + 0.01 * prob
        u = u - 0.5
        distance = 0.5 - xp.abs(u)
        k = xp.floor((2 * a / distance + b) * u + (count * prob + 0.5))
        inside_box = (distance >= 0.07) & (v <= 0.92 - 4.2 / b)
        possible = (k >= 0) & (k <= count)
        alpha = (2.83 + 5.1 / b) * deviation
        left = xp.log(v * alpha / (a / (distance * distance) + b))
        accepted = inside_box | (possible & (left <= _log_ratio(xp, count, prob, k)))
        return accepted, k, (block + np.uint64(1),)

    return until_accepted(xp, attempt, (starts.low, starts.high, count, prob), (xp.zeros(count.shape, np.uint64),))


def _log_ratio(xp: Xp, count: Array, prob: Array, k: Array) -> Array:
    """Computes the logarithm of P(k) / P(mode)."""
    odds = prob / (1 - prob)
    mode = xp.floor((count + 1) * prob)
    return (
        (mode + 0.5) * xp.log((mode + 1) / (odds * (count - mode + 1)))
        + (count + 1) * xp.log((count - mode + 1) / (count - k + 1))
        + (k + 0.5) * xp.log(odds * (count - k + 1) / (k + 1))
        + _stirling_tail(xp, mode)
        + _stirling_tail(xp, count - mode)
        - _stirling_tail(xp, k)
        - _stirling_tail(xp, count - k)
    )


def _stirling_tail(xp: Xp, k: Array) -> Array:
    """Computes log(k!) less Stirling's approximation."""
    square = (k + 1) * (k + 1)
    series = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
    table = xp.take(xp.asarray(_STIRLING_TAILS), xp.astype(xp.clip(xp.nan_to_num(k), 0, 9), np.int32))
    return xp.where(k <= 9, table, series)
