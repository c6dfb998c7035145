"""The stateful random ops: each continues a hidden stream of its own from call to call.

An op's attributes `seed` and `seed2` select its stream; both 0 select a stream that cannot be predicted. The stream
belongs to the call site, an eager kernel or a node of a graph (`seeds.KernelStream`). So each stateful op is
bound by a rule that gives its kernel that stream. A kernel that is called directly draws a stream's beginning.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, float16, float32, float64, int64
from millrace._src.core.op_def import Effects, op
from millrace._src.core.op_functions import OpFunction
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.random import distributions, random_batches
from millrace._src.ops.random.categorical import categorical_samples
from millrace._src.ops.random.gamma import gamma_samples
from millrace._src.ops.random.philox import Stream
from millrace._src.ops.random.poisson import poisson_samples
from millrace._src.ops.random.repeated_draws import RepeatedDraw
from millrace._src.ops.random.seeds import KernelStream, stream_of
from millrace._src.ops.random.shape_arguments import requested_shape, requested_shape_rule
from millrace._src.ops.random.stateless_distribution_ops import (
    COUNTED,
    COUNTING,
    GAMMA,
    LOGITS,
    check_logits,
    gamma_alpha_gradient,
    multinomial_shape,
)
from millrace._src.ops.random.stateless_ops import (
    FLOAT_OUTPUT,
    NO_GRADIENT,
    SHAPE,
    check_bounds_are_scalars,
    draw_bounded_integers,
    refuse_empty_interval,
    shuffle_rows,
)
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.type_sets import ANY, INDEX, TypeSet

Draw = Callable[..., Array]
"""`draw(xp, take, *inputs, **attributes)`; `take(blocks)` gives the stream, which then moves on by so many blocks."""

_RESERVED = distributions.RESERVED_PER_OUTPUT


DrawRows = Callable[..., Array]
"""`draw_rows(xp, stream, calls, *inputs, **attributes)`: the numbers of consecutive calls, a row for each."""


def draws_from(function: OpFunction, draw: Draw, draw_rows: DrawRows | None = None) -> None:
    """Makes `draw` the kernel of the op wherever the op is bound, with the stream of that call site.

    Args:
      function: the op.
      draw: draws the numbers of a call.
      draw_rows: draws the numbers of several calls in a row, if that takes less time.
    """
    attr_names = [name for name in inspect.signature(draw).parameters if name in function.op_def.attr_kinds]

    def bind(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Callable[..., Any]:
        stream = stream_of(attrs)
        draw_attrs = {name: attrs[name] for name in attr_names}
        if draw_rows is not None:
            rows = functools.partial(draw_rows, xp, **draw_attrs)
            return RepeatedDraw(stream, functools.partial(draw, xp, **draw_attrs), rows)
        return lambda *inputs: draw(xp, stream.take, *inputs, **draw_attrs)

    function.specialize(bind)


def _random_shape(c: ShapeContext) -> TensorShape:
    return requested_shape_rule(c)


_STATED = FLOAT_OUTPUT.with_default(float32, in_files=False)
_PLAIN: dict[str, Any] = {
    "T": SHAPE,
    "shape": _random_shape,
    "effects": Effects.RANDOM,
    "constant_inputs": ("shape",),
    "not_differentiable": NO_GRADIENT,
}


# --- uniform and normal -----------------------------------------------------------------------------------------------


def _floats(fill: Callable[..., Array]) -> Draw:
    def draw(xp: Xp, take: Any, shape: Array, *, dtype: DType) -> Array:
        sizes = requested_shape(shape)
        return fill(xp, take(prod(sizes) * _RESERVED), sizes, dtype.np_dtype)

    return draw


def _rows_of_floats(fill: Callable[..., Array]) -> DrawRows:
    def draw_rows(xp: Xp, stream: Stream, calls: int, shape: Array, *, dtype: DType) -> Array:
        return fill(xp, stream, requested_shape(shape), dtype.np_dtype, calls)

    return draw_rows


_draw_uniform = _floats(distributions.uniform)
_draw_normal = _floats(distributions.normal)
_draw_truncated_normal = _floats(distributions.truncated_normal)


@op("RandomUniform", "shape: T -> output: dtype", dtype=_STATED, **_PLAIN, batching=random_batches.of_shape)
def random_uniform_op(xp: Xp, shape: Array, *, seed: int = 0, seed2: int = 0, dtype: DType) -> Array:
    """Draws uniform numbers in [0, 1).

    >>> tf.random.set_seed(0)
    >>> tf.raw_ops.RandomUniform(shape=[2], dtype=tf.float32, seed=3, seed2=4).numpy()
    array([0.9237367 , 0.37043047], dtype=float32)
    """
    return _draw_uniform(xp, KernelStream(seed, seed2).take, shape, dtype=dtype)


@op("RandomStandardNormal", "shape: T -> output: dtype", dtype=_STATED, **_PLAIN, batching=random_batches.of_shape)
def random_standard_normal(xp: Xp, shape: Array, *, seed: int = 0, seed2: int = 0, dtype: DType) -> Array:
    """Draws standard normal numbers.

    >>> tf.raw_ops.RandomStandardNormal(shape=[2, 3], dtype=tf.float32).shape
    TensorShape([2, 3])
    """
    return _draw_normal(xp, KernelStream(seed, seed2).take, shape, dtype=dtype)


@op("TruncatedNormal", "shape: T -> output: dtype", dtype=_STATED, **_PLAIN, batching=random_batches.of_shape)
def truncated_normal_op(xp: Xp, shape: Array, *, seed: int = 0, seed2: int = 0, dtype: DType) -> Array:
    """Draws standard normal numbers within [-2, 2].

    >>> tf.raw_ops.TruncatedNormal(shape=[2, 3], dtype=tf.float32).shape
    TensorShape([2, 3])
    """
    return _draw_truncated_normal(xp, KernelStream(seed, seed2).take, shape, dtype=dtype)


def _draw_uniform_int(xp: Xp, take: Any, shape: Array, minval: Array, maxval: Array) -> Array:
    refuse_empty_interval(shape, minval, maxval)
    sizes = requested_shape(shape)
    return draw_bounded_integers(xp, take(prod(sizes) * _RESERVED), sizes, minval, maxval)


def _rows_of_uniform_int(xp: Xp, stream: Stream, calls: int, shape: Array, minval: Array, maxval: Array) -> Array:
    return draw_bounded_integers(xp, stream, requested_shape(shape), minval, maxval, calls)


def _uniform_int_shape(c: ShapeContext) -> TensorShape:
    check_bounds_are_scalars(c)
    return requested_shape_rule(c)


@op(
    "RandomUniformInt",
    "shape: T, minval: Tout, maxval: Tout -> output: Tout",
    Tout=INDEX,
    **{**_PLAIN, "shape": _uniform_int_shape},
    batching=random_batches.of_shape,
)
def random_uniform_int(xp: Xp, shape: Array, minval: Array, maxval: Array, *, seed: int = 0, seed2: int = 0) -> Array:
    """Draws integers in [minval, maxval).

    >>> tf.raw_ops.RandomUniformInt(shape=[3], minval=4, maxval=5).numpy()
    array([4, 4, 4], dtype=int32)
    """
    return _draw_uniform_int(xp, KernelStream(seed, seed2).take, shape, minval, maxval)


# --- gamma and Poisson ------------------------------------------------------------------------------------------------


def _samples_then_parameters(parameters: str) -> Callable[[ShapeContext], TensorShape]:
    def rule(c: ShapeContext) -> TensorShape:
        return requested_shape_rule(c).concatenate(c.shape(parameters))

    return rule


def _draw_gamma(xp: Xp, take: Any, shape: Array, alpha: Array) -> Array:
    sizes = requested_shape(shape)
    samples = prod(sizes)
    stream = take(samples * alpha.size * _RESERVED)
    return gamma_samples(xp, stream, samples, alpha.reshape(-1)).reshape(sizes + alpha.shape)


@op(
    "RandomGamma",
    "shape: S, alpha: T -> output: T",
    S=SHAPE,
    T=GAMMA,
    shape=_samples_then_parameters("alpha"),
    effects=Effects.RANDOM,
    constant_inputs=("shape",),
    batching=random_batches.of_shape_and_rate,
)
def random_gamma_op(xp: Xp, shape: Array, alpha: Array, *, seed: int = 0, seed2: int = 0) -> Array:
    """Draws gamma distributed numbers of scale 1: `shape` samples for each element of `alpha`.

    >>> tf.raw_ops.RandomGamma(shape=[4], alpha=[1.0, 2.0]).shape
    TensorShape([4, 2])
    """
    return _draw_gamma(xp, KernelStream(seed, seed2).take, shape, alpha)


@random_gamma_op.gradient
def random_gamma_gradient(grad: Tensor, shape: Tensor, alpha: Tensor, output: Tensor) -> tuple[None, Tensor]:
    return None, gamma_alpha_gradient(grad, alpha, output, raw.Size(input=shape))


def _draw_poisson(xp: Xp, take: Any, shape: Array, rate: Array, *, dtype: DType) -> Array:
    sizes = requested_shape(shape)
    samples = prod(sizes)
    stream = take(samples * rate.size * _RESERVED)
    return poisson_samples(xp, stream, samples, rate.reshape(-1), dtype.np_dtype).reshape(sizes + rate.shape)


_POISSON: dict[str, Any] = {
    "S": SHAPE,
    "shape": _samples_then_parameters("rate"),
    "effects": Effects.RANDOM,
    "constant_inputs": ("shape",),
    "no_gradient": "samples are counts; TensorFlow declares none",
}


@op(
    "RandomPoissonV2",
    "shape: S, rate: R -> output: dtype",
    R=COUNTING.with_default(float64),
    dtype=COUNTED,
    **_POISSON,
    batching=random_batches.of_shape_and_rate,
)
def random_poisson_v2(xp: Xp, shape: Array, rate: Array, *, seed: int = 0, seed2: int = 0, dtype: DType) -> Array:
    """Draws Poisson distributed numbers: `shape` samples for each element of `rate`.

    >>> tf.raw_ops.RandomPoissonV2(shape=[4], rate=[1.0, 2.0]).shape
    TensorShape([4, 2])
    """
    return _draw_poisson(xp, KernelStream(seed, seed2).take, shape, rate, dtype=dtype)


@op(
    "RandomPoisson",
    "shape: S, rate: dtype -> output: dtype",
    dtype=TypeSet((float16, float32, float64)),
    **_POISSON,
    batching=random_batches.of_shape_and_rate,
)
def random_poisson_op(xp: Xp, shape: Array, rate: Array, *, seed: int = 0, seed2: int = 0, dtype: DType) -> Array:
    """Draws Poisson distributed numbers of the dtype of `rate`; the older form of `RandomPoissonV2`.

    >>> tf.raw_ops.RandomPoisson(shape=[4], rate=[1.0, 2.0]).shape
    TensorShape([4, 2])
    """
    return _draw_poisson(xp, KernelStream(seed, seed2).take, shape, rate, dtype=dtype)


# --- categorical and shuffle ------------------------------------------------------------------------------------------


def _draw_multinomial(xp: Xp, take: Any, logits: Array, num_samples: Array, *, output_dtype: DType) -> Array:
    samples = check_logits(logits, num_samples)
    words = -(-samples // 4) * 4 * 2  # a sample is a float64: two words, four samples at a time
    stream = take(logits.shape[0] * words * _RESERVED)
    return xp.astype(categorical_samples(xp, stream, logits, samples), np.dtype(output_dtype.np_dtype))


@op(
    "Multinomial",
    "logits: T, num_samples: int32 -> output: output_dtype",
    T=LOGITS,
    output_dtype=INDEX.with_default(int64),
    shape=multinomial_shape,
    effects=Effects.RANDOM,
    constant_inputs=("num_samples",),
    not_differentiable="samples are integers",
    batching=random_batches.of_logits,
)
def multinomial(
    xp: Xp, logits: Array, num_samples: Array, *, seed: int = 0, seed2: int = 0, output_dtype: DType
) -> Array:
    """Draws class indices with the probabilities `softmax(logits)`.

    >>> tf.raw_ops.Multinomial(logits=[[0.0, -1e9]], num_samples=3).numpy()
    array([[0, 0, 0]])
    """
    return _draw_multinomial(xp, KernelStream(seed, seed2).take, logits, num_samples, output_dtype=output_dtype)


def _draw_shuffle(xp: Xp, take: Any, value: Array) -> Array:
    if value.ndim == 0 or value.shape[0] < 2:
        return value
    return shuffle_rows(xp, take(-(-(value.shape[0] - 1) // 4)), value)


@op(
    "RandomShuffle",
    "value: T -> output: T",
    T=ANY,
    shape=same_shape,
    effects=Effects.RANDOM,
    not_differentiable="TensorFlow lets nothing through it; shuffle positions and gather",
    not_batched="the order of a row is its own",
)
def random_shuffle_op(xp: Xp, value: Array, *, seed: int = 0, seed2: int = 0) -> Array:
    """Puts the rows of `value` in random order.

    >>> tf.raw_ops.RandomShuffle(value=[7]).numpy()
    array([7], dtype=int32)
    """
    return _draw_shuffle(xp, KernelStream(seed, seed2).take, value)


draws_from(random_uniform_op, _draw_uniform, _rows_of_floats(distributions.uniform))
draws_from(random_standard_normal, _draw_normal, _rows_of_floats(distributions.normal))
draws_from(truncated_normal_op, _draw_truncated_normal, _rows_of_floats(distributions.truncated_normal))
draws_from(random_uniform_int, _draw_uniform_int, _rows_of_uniform_int)
draws_from(random_gamma_op, _draw_gamma)
draws_from(random_poisson_v2, _draw_poisson)
draws_from(random_poisson_op, _draw_poisson)
draws_from(multinomial, _draw_multinomial)
draws_from(random_shuffle_op, _draw_shuffle)
