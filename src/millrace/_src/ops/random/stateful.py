"""`tf.random.uniform`, `normal` and the other functions that continue a hidden stream.

The numbers drawn follow from the global seed (`tf.random.set_seed`), the `seed` argument, and how often the op ran.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import DTypeLike, ShapeLike, TensorLike
from millrace._src.core.context import current_graph, name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, bfloat16, float16, float32, float64, int32, int64
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.random import stateful_ops as ops
from millrace._src.ops.random.seeds import call_seeded
from millrace._src.ops.random.shape_arguments import shape_tensor
from millrace._src.util.export import export

_UNIFORM_DTYPES = (float16, bfloat16, float32, float64, int32, int64)


@export("random.uniform", v1=["random.uniform", "random_uniform"])
def uniform(
    shape: ShapeLike,
    minval: Any = 0,
    maxval: Any = None,
    dtype: object = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws numbers from a uniform distribution on [minval, maxval).

    For integers the result is slightly biased unless `maxval - minval` is a power of two, or small compared to 2**32.

    >>> tf.random.set_seed(1)
    >>> tf.random.uniform([2]).numpy()
    array([0.16513085, 0.9014813 ], dtype=float32)

    Args:
        shape: The shape of the result: integers, or an integer vector.
        minval: Lower bound, included; of `dtype`, broadcastable with the result (a scalar for integers).
        maxval: Upper bound, excluded; of `dtype`, broadcastable with the result (a scalar for integers). Default 1 for
            floating dtypes; must be given for integers.
        dtype: float16, bfloat16, float32, float64, int32 or int64.
        seed: The op's own seed; see `tf.random.set_seed`.
        name: A name for the operation.

    Returns: A Tensor of the given shape and dtype.
    Raises: ValueError: for another dtype, or an integer dtype without `maxval`.
    """
    dtype = as_dtype(dtype)
    if dtype not in _UNIFORM_DTYPES:
        raise ValueError(f"Argument `dtype` got invalid value {dtype!s}. Accepted dtypes are {_UNIFORM_DTYPES}.")
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    with name_scope(name, "random_uniform") as scope:
        shape = shape_tensor(shape)
        from_zero = isinstance(minval, int) and minval == 0
        to_one = isinstance(maxval, int) and maxval == 1
        if dtype.is_integer or not from_zero or not to_one:
            minval = convert_to_tensor(minval, dtype=dtype, name="min")
            maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
        if dtype.is_integer:
            integers: Tensor = call_seeded(ops.random_uniform_int, seed, shape, minval, maxval, name=scope)
            return integers
        numbers: Tensor = call_seeded(ops.random_uniform_op, seed, shape, dtype=dtype)
        if from_zero and to_one:
            return numbers
        if from_zero:
            return raw.Mul(x=numbers, y=maxval)
        return _sum(numbers * (maxval - minval), minval, scope)


@export("random.normal", v1=["random.normal", "random_normal"])
def normal(
    shape: ShapeLike,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws numbers from a normal distribution.

    >>> tf.random.set_seed(5)
    >>> tf.random.normal([2]).numpy()
    array([-0.18030666, -0.95028627], dtype=float32)

    Args:
        shape: The shape of the result: integers, or an integer vector.
        mean: The mean; of `dtype`, broadcastable with the result.
        stddev: The standard deviation; of `dtype`, broadcastable with the result.
        dtype: float16, bfloat16, float32 or float64.
        seed: The op's own seed; see `tf.random.set_seed`.
        name: A name for the operation.

    Returns: A Tensor of the given shape and dtype.
    """
    with name_scope(name, "random_normal") as scope:
        return _scale(ops.random_standard_normal, shape, mean, stddev, dtype, seed, scope)


@export("random.truncated_normal", v1=["random.truncated_normal", "truncated_normal"])
def truncated_normal(
    shape: ShapeLike,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws numbers from a normal distribution cut off at two standard deviations.

    Numbers more than two standard deviations off the mean are drawn again.

    >>> tf.random.set_seed(5)
    >>> tf.random.truncated_normal([2]).numpy()
    array([-0.18030666, -0.95028627], dtype=float32)

    Args:
        shape: The shape of the result: integers, or an integer vector.
        mean: The mean before truncation; of `dtype`, broadcastable with the result.
        stddev: The standard deviation before truncation; of `dtype`, broadcastable with the result.
        dtype: float16, bfloat16, float32 or float64.
        seed: The op's own seed; see `tf.random.set_seed`.
        name: A name for the operation.

    Returns: A Tensor of the given shape and dtype.
    """
    with name_scope(name, "truncated_normal") as scope:
        return _scale(ops.truncated_normal_op, shape, mean, stddev, dtype, seed, scope)


def _scale(draw: Any, shape: object, mean: Any, stddev: Any, dtype: object, seed: int | None, scope: str) -> Tensor:
    dtype = as_dtype(dtype)
    shape = shape_tensor(shape)
    if is_standard(mean, stddev, dtype):
        standard: Tensor = call_seeded(draw, seed, shape, dtype=dtype)
        return standard
    mean = convert_to_tensor(mean, dtype=dtype, name="mean")
    stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
    return _sum(call_seeded(draw, seed, shape, dtype=dtype) * stddev, mean, scope)


def is_standard(mean: object, stddev: object, dtype: DType) -> bool:
    """Returns whether eager draws need no scaling: the result, bit for bit, is what is drawn.

    Not so for 16 bits, where adding 0 to a number that was rounded to -0 makes it 0. Graphs have the operations always.
    """
    return (
        type(mean) in (int, float)
        and type(stddev) in (int, float)
        and mean == 0
        and stddev == 1
        and dtype in (float32, float64)
        and current_graph() is None
    )


def _sum(x: Tensor, y: Tensor, scope: str) -> Tensor:
    total: Tensor = raw.AddV2(x=x, y=y, name=scope)
    return total


@export("random.gamma", v1=["random.gamma", "random_gamma"])
def gamma(
    shape: Any,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws `shape` numbers from each of the given gamma distributions.

    The result is differentiable with respect to `alpha` and `beta`. Samples of a tiny `alpha` that would be zero are
    the smallest normal number instead.

    >>> tf.random.gamma([4], alpha=[0.5, 1.5], beta=[[3.0], [4.0]]).shape
    TensorShape([4, 2, 2])

    Args:
        shape: How many samples of each distribution: integers, or an integer vector.
        alpha: The shape parameters, of `dtype`.
        beta: The inverse scales, of `dtype`; broadcastable with `alpha`. Default 1.
        dtype: float16, float32 or float64.
        seed: The op's own seed; see `tf.random.set_seed`.
        name: A name for the operation.

    Returns: A Tensor of shape `shape + tf.shape(alpha + beta)`.
    """
    with name_scope(name, "random_gamma"):
        shape = convert_to_tensor(shape, dtype=None if isinstance(shape, Tensor) else int32, name="shape")
        alpha, beta, broadcast = gamma_parameters(alpha, beta, as_dtype(dtype))
        numbers = call_seeded(ops.random_gamma_op, seed, shape, broadcast)
        return scale_gamma(numbers, beta)


def gamma_parameters(alpha: Any, beta: Any, dtype: DType) -> tuple[Tensor, Tensor, Tensor]:
    """Returns `alpha` and `beta` as tensors, and `alpha` broadcast to both."""
    alpha = convert_to_tensor(alpha, dtype=dtype, name="alpha")
    beta = convert_to_tensor(beta if beta is not None else 1, dtype=dtype, name="beta")
    together = raw.BroadcastArgs(s0=shape_of(alpha), s1=shape_of(beta))
    return alpha, beta, raw.BroadcastTo(input=alpha, shape=together)


def scale_gamma(drawn: Tensor, beta: Tensor) -> Tensor:
    """Divides samples of scale 1 by `beta`, and keeps the quotients above zero."""
    smallest = np.finfo(drawn.dtype.as_numpy_dtype).tiny
    positive: Tensor = raw.Maximum(x=smallest, y=drawn / beta)
    return positive


@export("random.poisson", v1=[])
def poisson(
    shape: Any, lam: TensorLike, dtype: Any = float32, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Draws `shape` numbers from each of the given Poisson distributions.

    >>> tf.random.poisson([4], lam=[0.5, 1.5]).shape
    TensorShape([4, 2])

    Args:
        shape: How many samples of each distribution: integers, or an integer vector.
        lam: The rates: float16, float32, float64, int32 or int64.
        dtype: The dtype of the result: one of the same.
        seed: The op's own seed; see `tf.random.set_seed`.
        name: A name for the operation.

    Returns: A Tensor of shape `shape + tf.shape(lam)`.
    """
    with name_scope(name, "random_poisson"):
        shape = convert_to_tensor(shape, dtype=None if isinstance(shape, Tensor) else int32, name="shape")
        numbers: Tensor = call_seeded(ops.random_poisson_v2, seed, shape, lam, dtype=as_dtype(dtype))
        return numbers


@export("random.categorical")
def categorical(
    logits: TensorLike, num_samples: TensorLike, dtype: Any = None, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Draws class indices with the probabilities `softmax(logits)`.

    >>> tf.random.categorical(tf.math.log([[0.5, 0.5]]), 5).shape
    TensorShape([1, 5])

    Args:
        logits: Unnormalized log-probabilities, shape (rows, classes). Classes that are not finite are never drawn.
        num_samples: How many samples for each row.
        dtype: int32 or int64, the default.
        seed: The op's own seed; see `tf.random.set_seed`.
        name: A name for the operation.

    Returns: A Tensor of shape (rows, num_samples).
    Raises: ValueError: for another dtype.
    """
    with name_scope(name, "categorical"):
        logits = convert_to_tensor(logits, name="logits")
        output_dtype = index_dtype(dtype)
        classes: Tensor = call_seeded(ops.multinomial, seed, logits, num_samples, output_dtype=output_dtype)
        return classes


def index_dtype(dtype: DTypeLike) -> DType:
    """Returns the dtype of class indices: int64 unless another is asked for."""
    dtype = int64 if dtype is None else as_dtype(dtype)
    if dtype not in (int32, int64):
        raise ValueError(f"Argument `dtype` got invalid value {dtype!s}. Accepted dtypes are {(int32, int64)}.")
    return dtype


@export("random.shuffle", v1=["random.shuffle", "random_shuffle"])
def shuffle(value: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """Puts the rows of `value`, along its first dimension, in random order.

    >>> sorted(tf.random.shuffle([3, 1, 2]).numpy().tolist())
    [1, 2, 3]

    Args:
        value: A Tensor.
        seed: The op's own seed; see `tf.random.set_seed`.
        name: A name for the operation.

    Returns: A Tensor of the shape and dtype of `value`.
    """
    shuffled: Tensor = call_seeded(ops.random_shuffle_op, seed, value, name=name)
    return shuffled
