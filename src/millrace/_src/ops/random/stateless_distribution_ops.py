"""The stateless gamma, Poisson, binomial and categorical ops.

The input `shape` of these ops is the shape of the whole result, which ends with the shape of the parameters. Element
`[i..., j...]` is sample `i...` for the parameters `j...`.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import (
    DType,
    bfloat16,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text, with_rank
from millrace._src.ops.math.precision import at_least_single
from millrace._src.ops.math.reduce import reduce_sum
from millrace._src.ops.random.algorithms import (
    SEED,
    check_key_shapes,
    check_seed_shape,
    validate_key_stream,
    validate_seed_stream,
)
from millrace._src.ops.random.binomial import binomial_samples
from millrace._src.ops.random.categorical import categorical_samples
from millrace._src.ops.random.gamma import gamma_samples
from millrace._src.ops.random.philox import Stream
from millrace._src.ops.random.poisson import poisson_samples
from millrace._src.ops.random.random_rows import one_class
from millrace._src.ops.random.shape_arguments import ends_with, requested_shape, requested_shape_rule
from millrace._src.ops.random.stateless_ops import SHAPE
from millrace._src.ops.type_sets import INDEX, TypeSet

GAMMA = TypeSet((float16, float32, float64))
COUNTING = TypeSet((float16, float32, float64, int32, int64))
COUNTED = TypeSet((float16, float32, float64, int32, int64), default=int64)
LOGITS = TypeSet((float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64))
_DISCRETE = "samples are integers"


def _samples_per_parameter(sizes: tuple[int, ...], parameters: tuple[int, ...]) -> int:
    """Returns the number of samples that `sizes` asks for each of the parameters.

    Raises:
        InvalidArgumentError: `sizes` does not end with the shape of the parameters.
    """
    if not ends_with(sizes, parameters):
        raise invalid(
            f"Shape passed in must end with broadcasted shape. Received shape {dims_text(sizes)} for parameters of "
            f"shape {dims_text(parameters)}."
        )
    return prod(sizes[: len(sizes) - len(parameters)])


def _seed_shape(c: ShapeContext) -> TensorShape:
    check_seed_shape(c.shape("seed"))
    return requested_shape_rule(c)


def _key_shape(c: ShapeContext) -> TensorShape:
    check_key_shapes(c)
    return requested_shape_rule(c)


# --- gamma ------------------------------------------------------------------------------------------------------------


def _gamma(xp: Xp, stream: Stream, shape: Array, alpha: Array) -> Array:
    sizes = requested_shape(shape)
    samples = _samples_per_parameter(sizes, alpha.shape)
    return gamma_samples(xp, stream, samples, alpha.reshape(-1)).reshape(sizes)


@op(
    "StatelessRandomGammaV2",
    "shape: T, seed: Tseed, alpha: dtype -> output: dtype",
    T=SHAPE,
    Tseed=SEED,
    dtype=GAMMA,
    shape=_seed_shape,
    constant_inputs=("shape",),
    not_batched="every row has a seed of its own",
)
def stateless_random_gamma_v2(xp: Xp, shape: Array, seed: Array, alpha: Array) -> Array:
    """Draws gamma distributed numbers of scale 1.

    >>> tf.raw_ops.StatelessRandomGammaV2(shape=[2], seed=[1, 2], alpha=1.0).numpy()
    array([3.4994423, 1.7193093], dtype=float32)
    """
    return _gamma(xp, validate_seed_stream(xp, seed), shape, alpha)


@op(
    "StatelessRandomGammaV3",
    "shape: shape_dtype, key: uint64, counter: uint64, alg: int32, alpha: dtype -> output: dtype",
    shape_dtype=SHAPE.with_default(int32),
    dtype=GAMMA,
    shape=_key_shape,
    constant_inputs=("shape", "alg"),
    not_batched="every row has a seed of its own",
)
def stateless_random_gamma_v3(xp: Xp, shape: Array, key: Array, counter: Array, alg: Array, alpha: Array) -> Array:
    """Draws gamma distributed numbers of scale 1.

    >>> tf.raw_ops.StatelessRandomGammaV3(shape=[0], key=[1], counter=[1, 2], alg=1, alpha=1.0).numpy()
    array([], dtype=float32)
    """
    return _gamma(xp, validate_key_stream(key, counter, alg), shape, alpha)


def gamma_alpha_gradient(grad: Tensor, alpha: Tensor, sample: Tensor, sample_rank: object) -> Tensor:
    """Computes the gradient with respect to `alpha`, summed over the first `sample_rank` dimensions of the samples."""
    leading = raw.Fill(dims=raw.ExpandDims(input=sample_rank, dim=0), value=1)
    aligned = raw.Reshape(tensor=alpha, shape=raw.ConcatV2(values=[leading, raw.Shape(input=alpha)], axis=0))
    movement = at_least_single(lambda a, x: raw.RandomGammaGrad(alpha=a, sample=x), aligned, sample)
    return reduce_sum(grad * movement, axis=raw.Range(start=0, limit=sample_rank, delta=1))


def _stateless_sample_rank(sample: Tensor, alpha: Tensor) -> Any:
    return raw.Rank(input=sample) - raw.Rank(input=alpha)


@stateless_random_gamma_v2.gradient
def stateless_random_gamma_v2_gradient(grad: Tensor, alpha: Tensor, output: Tensor) -> tuple[None, None, Tensor]:
    return None, None, gamma_alpha_gradient(grad, alpha, output, _stateless_sample_rank(output, alpha))


@stateless_random_gamma_v3.gradient
def stateless_random_gamma_v3_gradient(
    grad: Tensor, alpha: Tensor, output: Tensor
) -> tuple[None, None, None, None, Tensor]:
    return None, None, None, None, gamma_alpha_gradient(grad, alpha, output, _stateless_sample_rank(output, alpha))


# --- Poisson and binomial ---------------------------------------------------------------------------------------------


@op(
    "StatelessRandomPoisson",
    "shape: T, seed: Tseed, lam: Rtype -> output: dtype",
    Rtype=COUNTING,
    dtype=COUNTED,
    T=SHAPE,
    Tseed=SEED,
    shape=_seed_shape,
    constant_inputs=("shape",),
    not_differentiable=_DISCRETE,
    not_batched="every row has a seed of its own",
)
def stateless_random_poisson_op(xp: Xp, shape: Array, seed: Array, lam: Array, *, dtype: DType) -> Array:
    """Draws Poisson distributed numbers.

    >>> tf.raw_ops.StatelessRandomPoisson(shape=[2], seed=[1, 2], lam=5.0, dtype=tf.int32).numpy()
    array([7, 5], dtype=int32)
    """
    stream, sizes = validate_seed_stream(xp, seed), requested_shape(shape)
    samples = _samples_per_parameter(sizes, lam.shape)
    return poisson_samples(xp, stream, samples, lam.reshape(-1), dtype.np_dtype).reshape(sizes)


@op(
    "StatelessRandomBinomial",
    "shape: S, seed: Tseed, counts: T, probs: T -> output: dtype",
    S=SHAPE,
    Tseed=SEED,
    T=COUNTING.with_default(float64),
    dtype=COUNTED,
    shape=_seed_shape,
    constant_inputs=("shape",),
    not_differentiable=_DISCRETE,
    not_batched="every row has a seed of its own",
)
def stateless_random_binomial_op(
    xp: Xp, shape: Array, seed: Array, counts: Array, probs: Array, *, dtype: DType
) -> Array:
    """Draws binomially distributed numbers.

    >>> tf.raw_ops.StatelessRandomBinomial(shape=[2], seed=[1, 2], counts=10.0, probs=0.5, dtype=tf.int32).numpy()
    array([6, 6], dtype=int32)
    """
    return binomial_of_shape(xp, validate_seed_stream(xp, seed), requested_shape(shape), counts, probs, dtype)


def binomial_batch(counts: Array, probs: Array) -> tuple[int, ...]:
    """Returns the shape of `counts` and `probs` broadcast together.

    Raises:
        InvalidArgumentError: the two shapes cannot be broadcast.
    """
    try:
        return np.broadcast_shapes(counts.shape, probs.shape)
    except ValueError:
        shapes = f"{dims_text(counts.shape)} vs. {dims_text(probs.shape)}"
        raise invalid(f"counts and probs must have compatible batch dimensions: {shapes}") from None


def binomial_of_shape(
    xp: Xp, stream: Stream, sizes: tuple[int, ...], counts: Array, probs: Array, dtype: DType
) -> Array:
    """Draws binomial numbers of the shape `sizes`, which ends with that of `counts` and `probs` broadcast together."""
    batch = binomial_batch(counts, probs)
    counts, probs = xp.broadcast_to(counts, batch), xp.broadcast_to(probs, batch)
    samples = _samples_per_parameter(sizes, batch)
    numbers = binomial_samples(xp, stream, samples, counts.reshape(-1), probs.reshape(-1), dtype.np_dtype)
    return numbers.reshape(sizes)


# --- categorical ------------------------------------------------------------------------------------------------------


def multinomial_shape(c: ShapeContext) -> TensorShape:
    """Infers the shape (rows of logits, number of samples)."""
    rows, _ = with_rank(c.shape("logits"), 2)
    with_rank(c.shape("num_samples"), 0)
    samples = c.value("num_samples")
    return TensorShape.of((rows, None if samples is None or int(samples) < 0 else int(samples)))


def check_logits(logits: Array, num_samples: Array) -> int:
    """Checks the inputs of a categorical op, and returns the number of samples asked for.

    Raises:
        InvalidArgumentError: the inputs do not fit the op.
    """
    if logits.ndim != 2:
        raise invalid(f"logits should be a matrix, got shape {dims_text(logits.shape)}")
    if num_samples.ndim:
        raise invalid(f"num_samples should be a scalar, got shape {dims_text(num_samples.shape)}")
    if int(num_samples) < 0:
        raise invalid(f"num_samples should be non-negative, got {int(num_samples)}")
    if logits.shape[1] == 0:
        raise invalid("num_classes should be positive, got 0")
    return int(num_samples)


def _multinomial_seed_shape(c: ShapeContext) -> TensorShape:
    check_seed_shape(c.shape("seed"))
    return multinomial_shape(c)


@op(
    "StatelessMultinomial",
    "logits: T, num_samples: int32, seed: Tseed -> output: output_dtype",
    T=LOGITS,
    Tseed=SEED,
    output_dtype=INDEX.with_default(int64),
    shape=_multinomial_seed_shape,
    constant_inputs=("num_samples",),
    not_differentiable=_DISCRETE,
    batching=one_class,
    exact_on_rows=True,
)
def stateless_multinomial(xp: Xp, logits: Array, num_samples: Array, seed: Array, *, output_dtype: DType) -> Array:
    """Draws class indices with the probabilities `softmax(logits)`.

    >>> tf.raw_ops.StatelessMultinomial(logits=[[1.0, 2.0]], num_samples=3, seed=[1, 2]).numpy()
    array([[1, 1, 0]])
    """
    samples = check_logits(logits, num_samples)
    classes = categorical_samples(xp, validate_seed_stream(xp, seed), logits, samples)
    return xp.astype(classes, np.dtype(output_dtype.np_dtype))
