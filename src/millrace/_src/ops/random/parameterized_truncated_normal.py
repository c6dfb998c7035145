"""Normal numbers within given bounds, as TensorFlow draws them.

Where the bounds are wide, normals outside are drawn again. Where the bounds are narrow, a uniform proposal is accepted
with the density; in a tail, an exponential proposal. Samples take the accepted proposals in order, one set of
parameters after the other, so the number of blocks used depends on the data, and these ops run on the host.
Source: Robert, "Simulation of truncated normal variables", Statistics and Computing 5 (1995).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import ShapeLike, TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import bfloat16, float16, float32, float64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import Effects, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text, with_rank_at_most
from millrace._src.ops.gradient_rules import unbroadcast
from millrace._src.ops.random.algorithms import SEED, check_seed_shape, validate_seed_stream
from millrace._src.ops.random.box_muller import log_float32
from millrace._src.ops.random.distributions import normals_of_lanes
from millrace._src.ops.random.philox import Lanes, Run, Stream, lanes
from millrace._src.ops.random.seeds import KernelStream
from millrace._src.ops.random.shape_arguments import ends_with, requested_shape, requested_shape_rule, shape_tensor
from millrace._src.ops.random.stateful_ops import draws_from
from millrace._src.ops.random.stateless_ops import NO_GRADIENT, SHAPE
from millrace._src.ops.random.word_uniforms import NpDType, uniforms_of_lanes
from millrace._src.ops.type_sets import TypeSet
from millrace._src.util.export import export

_NORMAL_BEYOND = 1.3
"""The distance from the mean, in standard deviations, from which on a bound makes plain rejection efficient.

Plain rejection is used if the bounds reach so far on one side and include the mean.
"""
_MAX_ITERATIONS = 1000
_SAMPLES_PER_BATCH = 100
"""The number of samples that the stateful op draws in one go where all have the same parameters."""


class _Interval(NamedTuple):
    """The bounds in standard deviations from the mean; mirrored, with a negative deviation, where that is easier."""

    low: Any
    high: Any
    mean: Any
    deviation: Any


def draw_truncated(xp: Xp, stream: Stream, counts: Sequence[int], parameters: Sequence[Array]) -> list[Array]:
    """Draws samples for several sets of parameters: `counts[i]` for mean, deviation and bounds `parameters[j][i]`.

    Raises:
        InvalidArgumentError: a deviation is not positive, or no number lies between the bounds.
    """
    results = []
    for count, mean, deviation, low, high in zip(counts, *parameters, strict=True):
        if not (deviation > 0 and low < high and (np.isfinite(low) or np.isfinite(high))):
            raise invalid(
                f"Invalid parameters: stddev must be positive, minval less than maxval, and one of them finite; got "
                f"stddev {deviation}, minval {low}, maxval {high}."
            )
        samples, block_count = _samples(xp, stream, count, _interval(mean, deviation, low, high))
        results.append(samples)
        stream = stream.skip(xp, block_count)
    return results


def _interval(mean: Any, deviation: Any, low: Any, high: Any) -> _Interval:
    if (np.isinf(low) and low < 0) or high < mean:
        low, high, deviation = high, low, -deviation
    return _Interval((low - mean) / deviation, (high - mean) / deviation, mean, deviation)


def _samples(xp: Xp, stream: Stream, count: int, interval: _Interval) -> tuple[Array, int]:
    """Returns the first `count` accepted proposals, and the number of blocks that the proposals took."""
    portions: list[Array] = []
    missing, block_count = count, 0
    for proposals, accepted, blocks_per_row in _proposals(xp, stream, count, interval):
        rows, columns = np.nonzero(accepted)
        portions.append(proposals[rows[:missing], columns[:missing]])
        if len(rows) >= missing:
            block_count += (int(rows[missing - 1]) + 1) * blocks_per_row if missing else 0
            break
        missing -= len(rows)
        block_count += len(proposals) * blocks_per_row
    return np.concatenate(portions) * interval.deviation + interval.mean, block_count


def _proposals(xp: Xp, stream: Stream, count: int, interval: _Interval) -> Iterator[tuple[Array, Array, int]]:
    """Yields proposals by rows, whether each is accepted, and the blocks in a row; as long as they are asked for.

    Raises:
        InternalError: so many were drawn that the sampler must be at fault.
    """
    propose, blocks_per_row = _sampler(interval)
    dtype = np.asarray(interval.low).dtype
    rows = count // 2 + 16
    for _ in range(_MAX_ITERATIONS):
        drawn_lanes = lanes(xp, Run(stream, rows * blocks_per_row))
        stream = stream.skip(xp, rows * blocks_per_row)
        yield *propose(xp, drawn_lanes, interval, dtype), blocks_per_row
    raise errors.InternalError(None, None, "TruncatedNormal rejection sampler failed to accept a sample.")


def _sampler(interval: _Interval) -> tuple[Any, int]:
    """Returns the method for an interval, and the number of blocks that a row of its proposals takes."""
    low, high = interval.low, interval.high
    one, two, four = (type(low)(n) for n in (0.5, 2, 4))
    if (low < -_NORMAL_BEYOND and high >= 0) or (high > _NORMAL_BEYOND and low <= 0):
        return _propose_normal, 1
    root = np.sqrt(low * low + four)
    narrow = two * np.exp(one + low * (low - root) / four) / (low + root)
    return (_propose_uniform, 2) if high - low < narrow else (_propose_exponential, 1)


def _propose_normal(xp: Xp, lanes: Lanes, interval: _Interval, dtype: NpDType) -> tuple[Array, Array]:
    normals = normals_of_lanes(xp, lanes, dtype).astype(dtype, copy=False)
    return normals, (normals >= interval.low) & (normals <= interval.high)


def _propose_uniform(xp: Xp, lanes: Lanes, interval: _Interval, dtype: NpDType) -> tuple[Array, Array]:
    uniforms = uniforms_of_lanes(xp, lanes, dtype)
    low, width = interval.low, interval.high - interval.low
    proposals = uniforms[0::2] * width + low
    best = dtype.type(0) if low < 0 else low * low
    density = xp.exp((best - proposals * proposals) / dtype.type(2))
    return proposals, uniforms[1::2] <= density


def _propose_exponential(xp: Xp, lanes: Lanes, interval: _Interval, dtype: NpDType) -> tuple[Array, Array]:
    uniforms = uniforms_of_lanes(xp, lanes, dtype)
    low = interval.low
    rate = (low + np.sqrt(low * low + dtype.type(4))) / dtype.type(2)
    proposals = -_logarithm(xp, uniforms[:, 0::2]) / rate + low
    distance = rate - proposals if low < rate else low - rate
    density = xp.exp(-distance * distance / dtype.type(2))
    return proposals, (uniforms[:, 1::2] <= density) & (proposals < interval.high)


def _logarithm(xp: Xp, x: Array) -> Array:
    if x.dtype != np.float32:
        return xp.log(x)
    return xp.where(x > 0, log_float32(xp, x), np.float32(-np.inf))


# --- ops --------------------------------------------------------------------------------------------------------------

_NAMES = ("means", "stdevs", "minvals", "maxvals")


def _shape(c: ShapeContext) -> TensorShape:
    for name in _NAMES:
        with_rank_at_most(c.shape(name), 1)
    return requested_shape_rule(c)


def _draw(xp: Xp, take: Any, shape: Array, means: Array, stdevs: Array, minvals: Array, maxvals: Array) -> Array:
    sizes = requested_shape(shape)
    parameters = [_vector(n, p, sizes) for n, p in zip(_NAMES, (means, stdevs, minvals, maxvals), strict=True)]
    total, rows = prod(sizes), max(len(p) for p in parameters)
    if not sizes or rows == 1:
        counts = [min(_SAMPLES_PER_BATCH, total - n) for n in range(0, total, _SAMPLES_PER_BATCH)]
        per_batch = _SAMPLES_PER_BATCH
    else:
        counts = [total // sizes[0]] * sizes[0]
        per_batch = total // sizes[0]
    stream = take(len(counts) * 2 * _MAX_ITERATIONS * (per_batch + 3) // 4)
    samples = draw_truncated(xp, stream, counts, [np.broadcast_to(p, (len(counts),)) for p in parameters])
    return np.concatenate([np.zeros(0, means.dtype), *samples]).reshape(sizes).astype(means.dtype, copy=False)


def _vector(name: str, parameter: Array, sizes: tuple[int, ...]) -> Array:
    if parameter.ndim > 1:
        raise invalid(f"Input {name} should be a scalar or vector, got shape: {dims_text(parameter.shape)}")
    if parameter.ndim and len(parameter) not in (1, *sizes[:1]):
        raise invalid(f"Input {name} should have length 1 or shape[0], got shape: {dims_text(parameter.shape)}")
    return parameter.reshape(-1)


@op(
    "ParameterizedTruncatedNormal",
    "shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype -> output: dtype",
    T=SHAPE,
    dtype=TypeSet((float16, bfloat16, float32, float64)),
    shape=_shape,
    effects=Effects.RANDOM,
    constant_inputs=("shape",),
    host_only=True,
    not_differentiable=NO_GRADIENT,
)
def parameterized_truncated_normal(
    xp: Xp,
    shape: Array,
    means: Array,
    stdevs: Array,
    minvals: Array,
    maxvals: Array,
    *,
    seed: int = 0,
    seed2: int = 0,
) -> Array:
    """Draws normal numbers within bounds; parameters are scalars, or vectors with an element for each row of the
    result.

    >>> draw = tf.raw_ops.ParameterizedTruncatedNormal
    >>> bool((draw(shape=[9], means=0.0, stdevs=1.0, minvals=1.0, maxvals=2.0).numpy() > 1).all())
    True
    """
    return _draw(xp, KernelStream(seed, seed2).take, shape, means, stdevs, minvals, maxvals)


draws_from(parameterized_truncated_normal, _draw)


def _stateless_shape(c: ShapeContext) -> TensorShape:
    check_seed_shape(c.shape("seed"))
    return requested_shape_rule(c)


@op(
    "StatelessParameterizedTruncatedNormal",
    "shape: S, seed: Tseed, means: dtype, stddevs: dtype, minvals: dtype, maxvals: dtype -> output: dtype",
    S=SHAPE,
    Tseed=SEED,
    dtype=TypeSet((float16, float32, float64)),
    shape=_stateless_shape,
    constant_inputs=("shape",),
    host_only=True,
    not_batched="every row has a seed of its own",
)
def stateless_parameterized_truncated_normal_op(
    xp: Xp, shape: Array, seed: Array, means: Array, stddevs: Array, minvals: Array, maxvals: Array
) -> Array:
    """Draws normal numbers within bounds; the result's shape ends with that of the parameters broadcast together.

    >>> draw = tf.raw_ops.StatelessParameterizedTruncatedNormal
    >>> draw(shape=[2], seed=[1, 2], means=0.0, stddevs=1.0, minvals=-2.0, maxvals=2.0).numpy()
    array([0.5441101 , 0.20738031], dtype=float32)
    """
    sizes, stream = requested_shape(shape), validate_seed_stream(xp, seed)
    parameters = np.broadcast_arrays(means, stddevs, minvals, maxvals)
    batch = parameters[0].shape
    if not ends_with(sizes, batch):
        raise invalid(
            f"Shape passed in must end with broadcasted shape. Received shape {dims_text(sizes)} for parameters of "
            f"shape {dims_text(batch)}."
        )
    samples = prod(sizes[: len(sizes) - len(batch)])
    rows = draw_truncated(xp, stream, [samples] * prod(batch), [p.reshape(-1) for p in parameters])
    columns = np.array(rows, means.dtype).reshape(prod(batch), samples)
    return columns.T.reshape(sizes)


@stateless_parameterized_truncated_normal_op.gradient
def stateless_parameterized_truncated_normal_gradient(
    doutput: Tensor, output: Tensor, means: Tensor, stddevs: Tensor, minvals: Tensor, maxvals: Tensor
) -> tuple[Any, ...]:
    # A sample x is a fixed quantile: (F(z) - F(a)) / (F(b) - F(a)) stays, z = (x - m) / s and a, b likewise. So
    # f(z) dz = (1 - u) f(a) da + u f(b) db, with u that quantile and f the normal density, and dx = dm + z ds + s dz.
    z, a, b = ((x - means) / stddevs for x in (output, minvals, maxvals))
    below, within = _mass(a, z), _mass(a, b)
    u = below / within
    from_low, from_high = (1 - u) * _density_ratio(a, z), u * _density_ratio(b, z)
    gradients = (
        doutput * (1 - from_low - from_high),
        doutput * (z - _no_nan(from_low, a) - _no_nan(from_high, b)),
        doutput * from_low,
        doutput * from_high,
    )
    operands = (means, stddevs, minvals, maxvals)
    return (None, None, *(unbroadcast(g, x) for g, x in zip(gradients, operands, strict=True)))


def _mass(low: Tensor, high: Tensor) -> Any:
    """Computes the probability of a normal number between two bounds; symmetry keeps digits in the upper tail."""
    root = 0.5**0.5
    lower = raw.Erfc(x=-high * root) - raw.Erfc(x=-low * root)
    upper = raw.Erfc(x=low * root) - raw.Erfc(x=high * root)
    return raw.SelectV2(condition=low + high > 0, t=upper, e=lower)


def _density_ratio(bound: Tensor, z: Tensor) -> Any:
    """Computes the normal density at a bound over that at `z`: how far a bound that moves takes a sample along."""
    return raw.Exp(x=(z - bound) * (z + bound) / 2)


def _no_nan(weight: Tensor, bound: Tensor) -> Any:
    """Computes `weight * bound`; 0 for an infinite bound, which weighs nothing."""
    return raw.MulNoNan(x=bound, y=weight)


@export("random.stateless_parameterized_truncated_normal")
def stateless_parameterized_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Tensor:
    """Draws numbers from normal distributions within given bounds, as a function of `seed`.

    >>> tf.random.stateless_parameterized_truncated_normal([2], [1, 2]).numpy()
    array([0.5441101 , 0.20738031], dtype=float32)

    Args:
        shape: The shape of the result; ends with the shape of the parameters broadcast together.
        seed: Two integers, int32 or int64.
        means: The means before truncation; float16, float32 or float64.
        stddevs: The standard deviations before truncation, of the same dtype.
        minvals: The lower bounds, of the same dtype.
        maxvals: The upper bounds, of the same dtype.
        name: A name for the operation.

    Returns: A Tensor of the given shape and the dtype of the parameters.
    """
    with name_scope(name, "stateless_parameterized_truncated_normal"):
        shape = shape_tensor(shape)
        means = convert_to_tensor(means, name="means")
        stddevs = convert_to_tensor(stddevs, dtype_hint=means.dtype, name="stddevs")
        minvals = convert_to_tensor(minvals, dtype_hint=means.dtype, name="minvals")
        maxvals = convert_to_tensor(maxvals, dtype_hint=means.dtype, name="maxvals")
        numbers: Tensor = stateless_parameterized_truncated_normal_op(shape, seed, means, stddevs, minvals, maxvals)
        return numbers
