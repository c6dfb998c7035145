"""Gamma distributed numbers, by Marsaglia and Tsang's method, as TensorFlow draws them.

A proposal `d * (1 + c * x) ** 3` from a normal x is accepted with probability above 0.95. For alpha below 1 the sample
for alpha + 1 is multiplied by `u ** (1 / alpha)`; for alpha of exactly 1 the exponential distribution is inverted.
Source: Marsaglia, Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000).
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.ops.random.philox import Stream
from millrace._src.ops.random.rejection import normal_pair, output_starts, per_parameter, uniform_pair, until_accepted
from millrace._src.ops.random.word_uniforms import NpDType

_SQUEEZE = 0.0331


def gamma_samples(xp: Xp, stream: Stream, samples: int, alpha: Array) -> Array:
    """Draws `samples` numbers with scale 1 for each element of the vector `alpha`: shape (samples, len(alpha))."""
    shapes = xp.astype(alpha, np.float64)

    def draw(first: int, index: Array) -> Array:
        return _draw(xp, output_starts(xp, stream, first, len(index)), shapes[index])

    numbers = per_parameter(xp, (samples, alpha.shape[0]), draw)
    return _round(xp, numbers, alpha.dtype)


def _round(xp: Xp, drawn: Array, dtype: NpDType) -> Array:
    """Rounds float64 samples as TensorFlow's kernels do: subnormal numbers to 0, float16 through float32."""
    middle = np.float64 if dtype == np.float64 else np.float32
    rounded = xp.astype(drawn, middle)
    return xp.astype(xp.where(rounded < np.finfo(middle).tiny, middle(0), rounded), dtype)


def _draw(xp: Xp, starts: Stream, alpha: Array) -> Array:
    first, _ = uniform_pair(xp, starts, 0)
    exponential = -xp.log1p(-first)
    if not xp.may_hold(alpha != 1):
        return exponential
    zero, unset = xp.zeros(alpha.shape, np.uint64), xp.zeros(alpha.shape, bool)
    nothing = xp.zeros(alpha.shape, np.float64)
    # block number; whether a normal is left over, and that normal; whether a uniform is, and that uniform
    state = (zero, unset, nothing, unset, nothing)

    def attempt(parameters: tuple[Array, ...], state: tuple[Array, ...]) -> tuple[Array, Array, tuple[Array, ...]]:
        return _attempt(xp, starts.key, parameters, state)

    return xp.where(alpha == 1, exponential, until_accepted(xp, attempt, (starts.low, starts.high, alpha), state))


def _attempt(
    xp: Xp, key: Array, parameters: tuple[Array, ...], state: tuple[Array, ...]
) -> tuple[Array, Array, tuple[Array, ...]]:
    low, high, alpha = parameters
    starts = Stream(key, low, high)
    block, has_normal, spare_normal, has_uniform, spare_uniform = state
    below_one = alpha < 1
    d = alpha + xp.where(below_one, 2.0 / 3, -1.0 / 3)
    c = 1.0 / 3 / xp.sqrt(d)

    normals = normal_pair(xp, starts, block)
    x = xp.where(has_normal, spare_normal, normals[0])
    block = block + xp.astype(~has_normal, np.uint64)
    v = 1 + c * x
    possible = ~(v <= 0)
    v = v * v * v

    uniforms = uniform_pair(xp, starts, block)
    u = xp.where(has_uniform, spare_uniform, uniforms[0])
    drew = possible & ~has_uniform
    block = block + xp.astype(drew, np.uint64)
    spare_uniform = xp.where(drew, uniforms[1], spare_uniform)
    has_uniform = xp.where(possible, ~has_uniform, has_uniform)

    squeezed = u < 1 - _SQUEEZE * (x * x) * (x * x)
    accepted = possible & (squeezed | (xp.log(u) < 0.5 * x * x + d * (1 - v + xp.log(v))))
    value = d * v
    if xp.may_hold(below_one):
        boost = xp.where(has_uniform, spare_uniform, uniform_pair(xp, starts, block)[0])
        value = xp.where(below_one, value * boost ** (1 / alpha), value)
    state = (block, ~has_normal, xp.where(has_normal, spare_normal, normals[1]), has_uniform, spare_uniform)
    return accepted | (alpha == 1), value, state  # alpha = 1 has its own formula
