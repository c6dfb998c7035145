"""`tf.random.stateless_uniform` and the other pure functions of a seed of two integers.

The same arguments give the same numbers: in eager mode, in graphs, on every engine and in every version of TensorFlow
that draws with Philox.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import DTypeLike, ShapeLike, TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, bfloat16, float16, float32, float64, int32, int64, uint32, uint64
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.random import stateless_distribution_ops as distribution_ops
from millrace._src.ops.random import stateless_ops as ops
from millrace._src.ops.random.algorithms import key_counter_alg
from millrace._src.ops.random.shape_arguments import shape_tensor
from millrace._src.ops.random.stateful import gamma_parameters, index_dtype, is_standard, scale_gamma
from millrace._src.util.export import export

_UNIFORM_DTYPES = (float16, bfloat16, float32, float64, int32, int64, uint32, uint64)


@export("random.stateless_uniform")
def stateless_uniform(
    shape: ShapeLike,
    seed: object,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    name: str | None = None,
    alg: object = "auto_select",
) -> Tensor:
    """Draws numbers from a uniform distribution on [minval, maxval), as a function of `seed`.

    >>> tf.random.stateless_uniform([3], seed=[1, 2]).numpy()
    array([0.8440604 , 0.19204533, 0.9962232 ], dtype=float32)

    Args:
        shape: The shape of the result: integers, or an integer vector.
        seed: Two integers, int32 or int64.
        minval: Lower bound, included; of `dtype`, broadcastable with the result (a scalar for integers).
        maxval: Upper bound, excluded. Default 1 for floating dtypes. For integers, `minval` and `maxval` may both be
            None: the whole range of the dtype.
        dtype: float16, bfloat16, float32, float64, int32, int64, uint32 or uint64.
        name: A name for the operation.
        alg: "philox", or "auto_select" which is the same here; or a `tf.random.Algorithm`.

    Returns: A Tensor of the given shape and dtype.
    Raises: ValueError: for another dtype or algorithm, or bounds that do not fit it.
    """
    dtype = as_dtype(dtype)
    _check_uniform(dtype, minval, maxval)
    if dtype.is_floating and maxval is None:
        maxval = 1
    with name_scope(name, "stateless_random_uniform") as scope:
        shape = shape_tensor(shape)
        numbers: Tensor
        if minval is None and dtype.is_integer:
            key, counter, number = key_counter_alg(seed, alg)
            numbers = ops.stateless_random_uniform_full_int_v2(shape, key, counter, number, dtype=dtype, name=scope)
            return numbers
        minval = convert_to_tensor(minval, dtype=dtype, name="min")
        maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
        key, counter, number = key_counter_alg(seed, alg)
        if dtype.is_integer:
            numbers = ops.stateless_random_uniform_int_v2(shape, key, counter, number, minval, maxval, name=scope)
            return numbers
        numbers = ops.stateless_random_uniform_v2(shape, key, counter, number, dtype=dtype)
        numbers = raw.AddV2(x=numbers * (maxval - minval), y=minval, name=scope)
        return numbers


def _check_uniform(dtype: Any, minval: object, maxval: object) -> None:
    if dtype not in _UNIFORM_DTYPES:
        raise ValueError(f"Argument `dtype` got invalid value {dtype!s}. Accepted dtypes are {_UNIFORM_DTYPES}.")
    if not dtype.is_integer:
        return
    if (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer `dtype` argument {dtype!s}, argument `minval` and `maxval` must be both None or not None. "
            f"Got `minval`={minval} and `maxval`={maxval}."
        )
    if minval is not None and dtype in (uint32, uint64):
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype!s} when argument `minval` is not None. Please don't use "
            "unsigned integers in this case."
        )


@export("random.stateless_normal")
def stateless_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = float32,
    name: str | None = None,
    alg: object = "auto_select",
) -> Tensor:
    """Draws numbers from a normal distribution, as a function of `seed`.

    >>> tf.random.stateless_normal([2], seed=[1, 2]).numpy()
    array([0.5441101 , 0.20738031], dtype=float32)

    Args:
        shape: The shape of the result: integers, or an integer vector.
        seed: Two integers, int32 or int64.
        mean: The mean; of `dtype`, broadcastable with the result.
        stddev: The standard deviation; of `dtype`, broadcastable with the result.
        dtype: float16, bfloat16, float32 or float64.
        name: A name for the operation.
        alg: See `tf.random.stateless_uniform`.

    Returns: A Tensor of the given shape and dtype.
    """
    with name_scope(name, "stateless_random_normal") as scope:
        return _scale(ops.stateless_random_normal_v2, shape, seed, (mean, stddev), dtype, alg, scope)


@export("random.stateless_truncated_normal")
def stateless_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    name: str | None = None,
    alg: object = "auto_select",
) -> Tensor:
    """Draws numbers from a normal distribution cut off at two standard deviations, as a function of `seed`.

    >>> tf.random.stateless_truncated_normal([2], seed=[1, 2]).numpy()
    array([0.5441101 , 0.20738031], dtype=float32)

    Args:
        shape: The shape of the result: integers, or an integer vector.
        seed: Two integers, int32 or int64.
        mean: The mean before truncation; of `dtype`, broadcastable with the result.
        stddev: The standard deviation before truncation; of `dtype`, broadcastable with the result.
        dtype: float16, bfloat16, float32 or float64.
        name: A name for the operation.
        alg: See `tf.random.stateless_uniform`.

    Returns: A Tensor of the given shape and dtype.
    """
    with name_scope(name, "stateless_truncated_normal") as scope:
        return _scale(ops.stateless_truncated_normal_v2, shape, seed, (mean, stddev), dtype, alg, scope)


def _scale(
    draw: Any, shape: object, seed: Any, moments: tuple[Any, Any], dtype: object, alg: Any, scope: str
) -> Tensor:
    dtype = as_dtype(dtype)
    shape = shape_tensor(shape)
    if is_standard(*moments, dtype):
        standard: Tensor = draw(shape, *key_counter_alg(seed, alg), dtype=dtype)
        return standard
    mean = convert_to_tensor(moments[0], dtype=dtype, name="mean")
    stddev = convert_to_tensor(moments[1], dtype=dtype, name="stddev")
    key, counter, number = key_counter_alg(seed, alg)
    numbers: Tensor = draw(shape, key, counter, number, dtype=dtype)
    result: Tensor = raw.AddV2(x=numbers * stddev, y=mean, name=scope)
    return result


@export("random.stateless_gamma")
def stateless_gamma(
    shape: ShapeLike,
    seed: TensorLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = float32,
    name: str | None = None,
) -> Tensor:
    """Draws numbers from gamma distributions, as a function of `seed`.

    The result is differentiable with respect to `alpha` and `beta`.

    >>> tf.random.stateless_gamma([2, 3], seed=[1, 2], alpha=[1.0, 2.0, 3.0]).shape
    TensorShape([2, 3])

    Args:
        shape: The shape of the result; ends with the shape of `alpha` and `beta` broadcast together.
        seed: Two integers, int32 or int64.
        alpha: The shape parameters, of `dtype`.
        beta: The inverse scales, of `dtype`; broadcastable with `alpha`. Default 1.
        dtype: float16, float32 or float64.
        name: A name for the operation.

    Returns: A Tensor of the given shape and dtype.
    """
    with name_scope(name, "stateless_random_gamma"):
        shape = shape_tensor(shape)
        alpha, beta, broadcast = gamma_parameters(alpha, beta, as_dtype(dtype))
        key, counter, number = key_counter_alg(seed, "auto_select")
        numbers = distribution_ops.stateless_random_gamma_v3(shape, key, counter, number, broadcast)
        return scale_gamma(numbers, beta)


@export("random.stateless_poisson")
def stateless_poisson(
    shape: ShapeLike, seed: TensorLike, lam: TensorLike, dtype: DTypeLike = int32, name: str | None = None
) -> Tensor:
    """Draws numbers from Poisson distributions, as a function of `seed`.

    >>> tf.random.stateless_poisson([2], seed=[1, 2], lam=5).numpy()
    array([7, 5], dtype=int32)

    Args:
        shape: The shape of the result; ends with the shape of `lam`.
        seed: Two integers, int32 or int64.
        lam: The rates: float16, float32, float64, int32 or int64.
        dtype: The dtype of the result: one of the same.
        name: A name for the operation.

    Returns: A Tensor of the given shape and dtype.
    """
    with name_scope(name, "stateless_random_poisson"):
        numbers: Tensor = distribution_ops.stateless_random_poisson_op(
            shape_tensor(shape), seed, lam, dtype=as_dtype(dtype)
        )
        return numbers


@export("random.stateless_binomial")
def stateless_binomial(
    shape: ShapeLike, seed: TensorLike, counts: Any, probs: Any, output_dtype: object = int32, name: str | None = None
) -> Tensor:
    """Draws numbers from binomial distributions, as a function of `seed`.

    >>> tf.random.stateless_binomial([2], seed=[1, 2], counts=10.0, probs=0.5).numpy()
    array([6, 6], dtype=int32)

    Args:
        shape: The shape of the result; ends with the shape of `counts` and `probs` broadcast together.
        seed: Two integers, int32 or int64.
        counts: The numbers of trials: float16, float32, float64, int32 or int64.
        probs: The probabilities of success, of the same dtype.
        output_dtype: The dtype of the result: one of the same.
        name: A name for the operation.

    Returns: A Tensor of the given shape and dtype.
    """
    with name_scope(name, "stateless_random_binomial"):
        shape = shape_tensor(shape)
        probs = convert_to_tensor(probs, dtype_hint=float32, name="probs")
        counts = convert_to_tensor(counts, dtype_hint=probs.dtype, name="counts")
        numbers: Tensor = distribution_ops.stateless_random_binomial_op(
            shape, seed, counts, probs, dtype=as_dtype(output_dtype)
        )
        return numbers


@export("random.stateless_categorical")
def stateless_categorical(
    logits: TensorLike, num_samples: TensorLike, seed: TensorLike, dtype: DTypeLike = int64, name: str | None = None
) -> Tensor:
    """Draws class indices with the probabilities `softmax(logits)`, as a function of `seed`.

    >>> tf.random.stateless_categorical([[1.0, 2.0]], 3, seed=[1, 2]).numpy()
    array([[1, 1, 0]])

    Args:
        logits: Unnormalized log-probabilities, shape (rows, classes).
        num_samples: How many samples for each row.
        seed: Two integers, int32 or int64.
        dtype: int32 or int64.
        name: A name for the operation.

    Returns: A Tensor of shape (rows, num_samples).
    """
    with name_scope(name, "stateless_categorical"):
        logits = convert_to_tensor(logits, name="logits")
        classes: Tensor = distribution_ops.stateless_multinomial(
            logits, num_samples, seed, output_dtype=index_dtype(dtype)
        )
        return classes


@export("random.experimental.stateless_shuffle")
def stateless_shuffle(
    value: TensorLike, seed: TensorLike, alg: object = "auto_select", name: str | None = None
) -> Tensor:
    """Puts the rows of `value`, along its first dimension, in an order that is a function of `seed`.

    >>> tf.random.experimental.stateless_shuffle([1, 2, 3], seed=[1, 2]).numpy()
    array([2, 3, 1], dtype=int32)

    Args:
        value: A Tensor.
        seed: Two integers, int32 or int64.
        alg: See `tf.random.stateless_uniform`.
        name: A name for the operation.

    Returns: A Tensor of the shape and dtype of `value`.
    """
    with name_scope(name, "stateless_shuffle"):
        key, counter, number = key_counter_alg(seed, alg)
        shuffled: Tensor = ops.stateless_shuffle_op(value, key, counter, number)
        return shuffled


@export("random.split", "random.experimental.stateless_split")
def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Tensor:
    """Makes several independent seeds of one.

    >>> tf.random.split([1, 2], num=2).numpy()
    array([[1105988140, 1738052849],
           [-335576002,  370444179]], dtype=int32)

    Args:
        seed: Two integers, int32 or int64.
        num: How many seeds to make.
        alg: See `tf.random.stateless_uniform`.

    Returns: A Tensor of shape (num, 2) and the dtype of `seed`.
    """
    seed = convert_to_tensor(seed)
    return stateless_uniform([num, 2], seed, None, None, seed.dtype, alg=alg)


@export("random.fold_in", "random.experimental.stateless_fold_in")
def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """Makes a new seed of a seed and a number, such as the index of a step or a replica.

    >>> tf.random.fold_in([1, 2], 3).numpy()
    array([1105988140,          3], dtype=int32)

    Args:
        seed: Two integers, int32 or int64.
        data: An integer scalar, int32 or int64.
        alg: See `tf.random.stateless_uniform`.

    Returns: A Tensor of shape (2,) and the dtype of `data`.
    """
    data = convert_to_tensor(data)
    first = stateless_uniform([], seed, None, None, data.dtype, alg=alg)
    folded: Tensor = raw.Pack(values=[first, data], name="stack")
    return folded
