"""Distributions that draw until a proposal is accepted: the loop, and the numbers each output draws.

Problem: gamma, Poisson and binomial outputs need an unknown number of random words, yet each output must get
TensorFlow's words, whatever the order or the engine of the computation.

Idea: every output owns a stretch of `RESERVED_PER_OUTPUT` blocks of the stream. An attempt is a function over arrays of
outputs. NumPy repeats the attempt on the outputs still open, which soon are few. XLA repeats the attempt on all outputs
and keeps the first accepted value. An output that has used up its stretch keeps its last value, so that impossible
requests end.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.ops.random.box_muller import box_muller_float64
from millrace._src.ops.random.distributions import RESERVED_PER_OUTPUT
from millrace._src.ops.random.philox import Stream, in_chunks, lanes_at
from millrace._src.ops.random.word_uniforms import uniform_float64

Attempt = Callable[[tuple[Array, ...], tuple[Array, ...]], tuple[Array, Array, tuple[Array, ...]]]
"""`attempt(parameters, state) -> accepted, value, state` over arrays of one length; `state[0]` counts the blocks."""

_CHUNK = 32_768
"""The number of outputs drawn at once on NumPy.

Larger arrays leave the processor's caches (measured: 2x slower).
"""


def uniform_pair(xp: Xp, starts: Stream, block: Array | int) -> tuple[Array, Array]:
    """Draws two float64 uniforms of block `block` after each start, in the order in which TensorFlow uses them."""
    lanes = lanes_at(xp, starts.skip(xp, block))
    return uniform_float64(xp, lanes.second), uniform_float64(xp, lanes.first)


def normal_pair(xp: Xp, starts: Stream, block: Array | int) -> tuple[Array, Array]:
    """Draws two float64 normals of block `block` after each start, in the order in which TensorFlow uses them."""
    second, first = uniform_pair(xp, starts, block)
    sine, cosine = box_muller_float64(xp, first, second)
    return cosine, sine


@kernel_part
def until_accepted(xp: Xp, attempt: Attempt, parameters: tuple[Array, ...], state: tuple[Array, ...]) -> Array:
    """Returns the first accepted value of each output, float64.

    Args:
      xp: the array namespace.
      attempt: proposes a value for each output.
      parameters: arrays of one length; a parameter of length 1 is that of all outputs.
      state: arrays of one length.
    """
    result = np.zeros(len(state[0]))
    still_open = np.arange(len(result))
    while len(still_open):
        accepted, value, state = attempt(parameters, state)
        result[still_open] = value
        (rest,) = np.nonzero(~accepted & (state[0] < RESERVED_PER_OUTPUT))
        still_open = still_open[rest]
        parameters = tuple(p if len(p) == 1 else p[rest] for p in parameters)
        state = tuple(s[rest] for s in state)
    return result


@until_accepted.kernel_for("xla")
def _on_all(xp: CompilingXp, attempt: Attempt, parameters: tuple[Array, ...], state: tuple[Array, ...]) -> Array:
    def any_open(done: Array, result: Array, *state: Array) -> tuple[Array]:
        return (~xp.all(done),)

    def again(done: Array, result: Array, *state: Array) -> tuple[Array, ...]:
        accepted, value, state = attempt(parameters, state)
        accepted = accepted | (state[0] >= RESERVED_PER_OUTPUT)
        return done | accepted, xp.where(done, result, value), *state

    shape = state[0].shape
    loop = xp.while_loop(any_open, again, (xp.zeros(shape, bool), xp.zeros(shape, np.float64), *state))
    return loop[1]


def per_parameter(xp: Xp, sizes: tuple[int, int], draw: Callable[[int, Array], Array]) -> Array:
    """Draws samples for each of several parameters, float64 of shape `sizes` = (samples, parameters).

    TensorFlow numbers the outputs parameter by parameter: all samples of the first parameter, then those of the second.

    Args:
        xp: The array namespace.
        sizes: Samples for each parameter, and number of parameters.
        draw: `draw(first, index)` gives the outputs number `first`, `first + 1`, ...; `index` says which parameter each
            is for.
    """
    samples, parameters = sizes
    index = np.repeat(np.arange(parameters), samples)
    outputs = in_chunks(xp, len(index), lambda first, count: draw(first, index[first : first + count]), _CHUNK)
    return outputs.reshape(parameters, samples).T


def output_starts(xp: Xp, stream: Stream, first: int, count: int, reserved: int = RESERVED_PER_OUTPUT) -> Stream:
    """Returns the positions where the outputs number `first`, `first + 1`, ... begin to draw."""
    return stream.skip(xp, xp.arange(first, first + count, dtype=np.uint64) * np.uint64(reserved))
