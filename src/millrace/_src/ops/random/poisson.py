"""Poisson distributed numbers as TensorFlow draws them.

For rates below 10, uniforms are multiplied until the product falls below `exp(-rate)` (Knuth). Larger rates use
transformed rejection: Hörmann, "The transformed rejection method for generating Poisson random variables", Insurance:
Mathematics and Economics 12 (1993), algorithm PTRS.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.ops.random.philox import Stream
from millrace._src.ops.random.rejection import output_starts, per_parameter, uniform_pair, until_accepted
from millrace._src.ops.random.word_uniforms import NpDType

_KNUTH_BELOW = 10.0


def poisson_samples(xp: Xp, stream: Stream, samples: int, rate: Array, dtype: NpDType) -> Array:
    """Draws `samples` numbers for each element of the vector `rate`: `dtype` of shape (samples, len(rate))."""
    rates = xp.astype(rate, np.float64)
    limits: Any = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    largest = float(limits.max)

    def draw(first: int, index: Array) -> Array:
        return xp.minimum(_draw(xp, output_starts(xp, stream, first, len(index)), rates[index], largest), largest)

    return xp.astype(per_parameter(xp, (samples, rate.shape[0]), draw), dtype)


@kernel_part
def _draw(xp: Xp, starts: Stream, rate: Array, largest: float) -> Array:
    small = rate < _KNUTH_BELOW
    result = np.zeros(rate.shape)
    (where,) = np.nonzero(small)
    if len(where):
        result[where] = _knuth(xp, starts.at(where), rate[where])
    (where,) = np.nonzero(~small)
    if len(where):
        result[where] = _reject_transformed(xp, starts.at(where), rate[where], largest)
    return result


@_draw.kernel_for("xla")
def _draw_both(xp: CompilingXp, starts: Stream, rate: Array, largest: float) -> Array:
    """Draws all outputs by both methods, each method on a harmless rate where the other one counts."""
    small = rate < _KNUTH_BELOW
    by_product = _knuth(xp, starts, xp.where(small, rate, 0.0))
    by_rejection = _reject_transformed(xp, starts, xp.where(small, _KNUTH_BELOW, rate), largest)
    return xp.where(small, by_product, by_rejection)


def _knuth(xp: Xp, starts: Stream, rate: Array) -> Array:
    def attempt(parameters: tuple[Array, ...], state: tuple[Array, ...]) -> tuple[Array, Array, tuple[Array, ...]]:
        low, high, threshold = parameters
        block, product, count = state
        first, second = uniform_pair(xp, Stream(starts.key, low, high), block)
        after_one = product * first
        after_two = after_one * second
        stops_at_one = after_one <= threshold
        value = xp.where(stops_at_one, count, count + 1)
        return stops_at_one | (after_two <= threshold), value, (block + np.uint64(1), after_two, count + 2)

    state = (xp.zeros(rate.shape, np.uint64), xp.ones(rate.shape, np.float64), xp.zeros(rate.shape, np.float64))
    return until_accepted(xp, attempt, (starts.low, starts.high, xp.exp(-rate)), state)


def _reject_transformed(xp: Xp, starts: Stream, rate: Array, largest: float) -> Array:
    def attempt(parameters: tuple[Array, ...], state: tuple[Array, ...]) -> tuple[Array, Array, tuple[Array, ...]]:
        low, high, rate = parameters
        (block,) = state
        u, v = uniform_pair(xp, Stream(starts.key, low, high), block)
        u = u - 0.5
        b = 0.931 + 2.53 * xp.sqrt(rate)
        a = -0.059 + 0.02483 * b
        inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
        distance = 0.5 - xp.abs(u)
        k = xp.floor((2 * a / distance + b) * u + rate + 0.43)
        inside_box = (distance >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
        impossible = (k < 0) | ((distance < 0.013) & (v > distance))
        left = xp.log(v * inverse_alpha / (a / (distance * distance) + b))
        right = -rate + k * xp.log(rate) - xp.special.gammaln(k + 1)
        accepted = (k <= largest) & (inside_box | (~impossible & (left <= right)))
        return accepted, k, (block + np.uint64(1),)

    return until_accepted(xp, attempt, (starts.low, starts.high, rate), (xp.zeros(rate.shape, np.uint64),))
