"""The stateless uniform and normal ops: the same seed, the same numbers.

Each distribution has two ops. The older op takes a `seed` of two integers. The V2 op takes the key and counter made
from a seed, and the number of the algorithm. Both draw from the same stream.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, bfloat16, float16, float32, float64, int32, int64, uint32, uint64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import dims_text
from millrace._src.ops.random import distributions, shuffles
from millrace._src.ops.random.algorithms import (
    SEED,
    check_key_shapes,
    check_seed_shape,
    validate_key_stream,
    validate_seed_stream,
)
from millrace._src.ops.random.philox import Stream
from millrace._src.ops.random.shape_arguments import requested_shape, requested_shape_rule
from millrace._src.ops.type_sets import ANY, INDEX, TypeSet

FLOAT_OUTPUT = TypeSet((float16, bfloat16, float32, float64), default=float32)
FULL_RANGE = TypeSet((int32, int64, uint32, uint64), default=uint64)
SHAPE = INDEX
NO_GRADIENT = "random numbers do not depend on their shape and seed differentiably"


def _seed_shape(c: ShapeContext) -> TensorShape:
    check_seed_shape(c.shape("seed"))
    return requested_shape_rule(c)


def _key_shape(c: ShapeContext) -> TensorShape:
    check_key_shapes(c)
    return requested_shape_rule(c)


def check_bounds_are_scalars(c: ShapeContext) -> None:
    """Checks the static shapes of `minval` and `maxval`."""
    for name in ("minval", "maxval"):
        if c.shape(name).dim_sizes:
            raise ValueError(f"{name} must be a scalar; got a tensor of shape {dims_text(c.shape(name))}")


def _seed_bounds_shape(c: ShapeContext) -> TensorShape:
    check_bounds_are_scalars(c)
    return _seed_shape(c)


def _key_bounds_shape(c: ShapeContext) -> TensorShape:
    check_bounds_are_scalars(c)
    return _key_shape(c)


def refuse_empty_interval(shape: Array, minval: Array, maxval: Array) -> None:
    """Checks that there is a number between the bounds, if numbers are asked for.

    Raises:
        InvalidArgumentError: there is none.
    """
    if not minval.ndim and not maxval.ndim and minval >= maxval and 0 not in requested_shape(shape):
        raise invalid(f"Need minval < maxval, got {int(minval)} >= {int(maxval)}")


def _refuse_empty_interval_by_seed(shape: Array, seed: Array, minval: Array, maxval: Array) -> None:
    refuse_empty_interval(shape, minval, maxval)


def _refuse_empty_interval_by_key(
    shape: Array, key: Array, counter: Array, alg: Array, minval: Array, maxval: Array
) -> None:
    refuse_empty_interval(shape, minval, maxval)


def draw_bounded_integers(
    xp: Xp, stream: Stream, sizes: tuple[int, ...], minval: Array, maxval: Array, calls: int = 0
) -> Array:
    """Draws integers in [minval, maxval); for several calls in a row, a row for each of `calls`.

    Raises:
        InvalidArgumentError: a bound is not a scalar.
    """
    for name, bound in (("minval", minval), ("maxval", maxval)):
        if bound.ndim:
            raise invalid(f"{name} must be 0-D, got shape {dims_text(bound.shape)}")
    if 0 in sizes:
        return xp.zeros(sizes, minval.dtype)
    return distributions.uniform_int(xp, stream, sizes, xp.asarray(minval), xp.asarray(maxval), calls)


# --- seeds ------------------------------------------------------------------------------------------------------------

_BY_SEED: dict[str, Any] = {
    "T": SHAPE.with_default(int32),
    "Tseed": SEED,
    "shape": _seed_shape,
    "constant_inputs": ("shape",),
    "not_differentiable": NO_GRADIENT,
}


@op(
    "StatelessRandomUniform",
    "shape: T, seed: Tseed -> output: dtype",
    dtype=FLOAT_OUTPUT,
    **_BY_SEED,
    not_batched="every row has a seed of its own",
)
def stateless_random_uniform(xp: Xp, shape: Array, seed: Array, *, dtype: DType) -> Array:
    """Draws uniform numbers in [0, 1).

    >>> tf.raw_ops.StatelessRandomUniform(shape=[2], seed=[1, 2]).numpy()
    array([0.8440604 , 0.19204533], dtype=float32)
    """
    return distributions.uniform(xp, validate_seed_stream(xp, seed), requested_shape(shape), dtype.np_dtype)


@op(
    "StatelessRandomNormal",
    "shape: T, seed: Tseed -> output: dtype",
    dtype=FLOAT_OUTPUT,
    **_BY_SEED,
    not_batched="every row has a seed of its own",
)
def stateless_random_normal(xp: Xp, shape: Array, seed: Array, *, dtype: DType) -> Array:
    """Draws standard normal numbers.

    >>> tf.raw_ops.StatelessRandomNormal(shape=[2], seed=[1, 2]).numpy()
    array([0.5441101 , 0.20738031], dtype=float32)
    """
    return distributions.normal(xp, validate_seed_stream(xp, seed), requested_shape(shape), dtype.np_dtype)


@op(
    "StatelessTruncatedNormal",
    "shape: T, seed: Tseed -> output: dtype",
    dtype=FLOAT_OUTPUT,
    **_BY_SEED,
    not_batched="every row has a seed of its own",
)
def stateless_truncated_normal_by_seed(xp: Xp, shape: Array, seed: Array, *, dtype: DType) -> Array:
    """Draws standard normal numbers within [-2, 2].

    >>> tf.raw_ops.StatelessTruncatedNormal(shape=[2], seed=[1, 2]).numpy()
    array([0.5441101 , 0.20738031], dtype=float32)
    """
    return distributions.truncated_normal(xp, validate_seed_stream(xp, seed), requested_shape(shape), dtype.np_dtype)


@op(
    "StatelessRandomUniformFullInt",
    "shape: T, seed: Tseed -> output: dtype",
    dtype=FULL_RANGE,
    **{**_BY_SEED, "Tseed": FULL_RANGE.with_default(int64)},
    not_batched="every row has a seed of its own",
)
def stateless_random_uniform_full_int(xp: Xp, shape: Array, seed: Array, *, dtype: DType) -> Array:
    """Draws integers over the whole range of their dtype.

    >>> tf.raw_ops.StatelessRandomUniformFullInt(shape=[2], seed=[1, 2], dtype=tf.int32).numpy()
    array([1105988140, 1738052849], dtype=int32)
    """
    if seed.dtype.kind == "u":
        raise invalid(f"Invalid seed type: {seed.dtype.name}")
    return distributions.full_int(xp, validate_seed_stream(xp, seed), requested_shape(shape), dtype.np_dtype)


@op(
    "StatelessRandomUniformInt",
    "shape: T, seed: Tseed, minval: dtype, maxval: dtype -> output: dtype",
    dtype=INDEX,
    checks=_refuse_empty_interval_by_seed,
    **{**_BY_SEED, "T": SHAPE, "shape": _seed_bounds_shape},
    not_batched="every row has a seed of its own",
    refuses=("minval", "maxval"),
)
def stateless_random_uniform_int(xp: Xp, shape: Array, seed: Array, minval: Array, maxval: Array) -> Array:
    """Draws integers in [minval, maxval).

    >>> tf.raw_ops.StatelessRandomUniformInt(shape=[4], seed=[1, 2], minval=0, maxval=10).numpy()
    array([0, 9, 4, 9], dtype=int32)
    """
    return draw_bounded_integers(xp, validate_seed_stream(xp, seed), requested_shape(shape), minval, maxval)


# --- keys and counters ------------------------------------------------------------------------------------------------

_INPUTS = "shape: Tshape, key: uint64, counter: uint64, alg: int32"
_BY_KEY: dict[str, Any] = {
    "Tshape": SHAPE.with_default(int32),
    "shape": _key_shape,
    "constant_inputs": ("shape", "alg"),
    "not_differentiable": NO_GRADIENT,
}


@op(
    "StatelessRandomUniformV2",
    f"{_INPUTS} -> output: dtype",
    dtype=FLOAT_OUTPUT,
    **_BY_KEY,
    not_batched="every row has a seed of its own",
)
def stateless_random_uniform_v2(xp: Xp, shape: Array, key: Array, counter: Array, alg: Array, *, dtype: DType) -> Array:
    """Draws uniform numbers in [0, 1).

    >>> tf.raw_ops.StatelessRandomUniformV2(shape=[2], key=[1], counter=[1, 2], alg=1).numpy()
    array([0.4121536 , 0.03663087], dtype=float32)
    """
    return distributions.uniform(xp, validate_key_stream(key, counter, alg), requested_shape(shape), dtype.np_dtype)


@op(
    "StatelessRandomNormalV2",
    f"{_INPUTS} -> output: dtype",
    dtype=FLOAT_OUTPUT,
    **_BY_KEY,
    not_batched="every row has a seed of its own",
)
def stateless_random_normal_v2(xp: Xp, shape: Array, key: Array, counter: Array, alg: Array, *, dtype: DType) -> Array:
    """Draws standard normal numbers.

    >>> tf.raw_ops.StatelessRandomNormalV2(shape=[0], key=[1], counter=[1, 2], alg=1).numpy()
    array([], dtype=float32)
    """
    return distributions.normal(xp, validate_key_stream(key, counter, alg), requested_shape(shape), dtype.np_dtype)


@op(
    "StatelessTruncatedNormalV2",
    f"{_INPUTS} -> output: dtype",
    dtype=FLOAT_OUTPUT,
    **_BY_KEY,
    not_batched="every row has a seed of its own",
)
def stateless_truncated_normal_v2(
    xp: Xp, shape: Array, key: Array, counter: Array, alg: Array, *, dtype: DType
) -> Array:
    """Draws standard normal numbers within [-2, 2].

    >>> tf.raw_ops.StatelessTruncatedNormalV2(shape=[0], key=[1], counter=[1, 2], alg=1).numpy()
    array([], dtype=float32)
    """
    stream = validate_key_stream(key, counter, alg)
    return distributions.truncated_normal(xp, stream, requested_shape(shape), dtype.np_dtype)


@op(
    "StatelessRandomUniformFullIntV2",
    f"{_INPUTS} -> output: dtype",
    dtype=FULL_RANGE,
    **_BY_KEY,
    not_batched="every row has a seed of its own",
)
def stateless_random_uniform_full_int_v2(
    xp: Xp, shape: Array, key: Array, counter: Array, alg: Array, *, dtype: DType
) -> Array:
    """Draws integers over the whole range of their dtype.

    >>> tf.raw_ops.StatelessRandomUniformFullIntV2(shape=[0], key=[1], counter=[1, 2], alg=1, dtype=tf.int32).numpy()
    array([], dtype=int32)
    """
    return distributions.full_int(xp, validate_key_stream(key, counter, alg), requested_shape(shape), dtype.np_dtype)


@op(
    "StatelessRandomUniformIntV2",
    f"{_INPUTS}, minval: dtype, maxval: dtype -> output: dtype",
    dtype=TypeSet(FULL_RANGE),
    checks=_refuse_empty_interval_by_key,
    **{**_BY_KEY, "shape": _key_bounds_shape},
    not_batched="every row has a seed of its own",
    refuses=("minval", "maxval"),
)
def stateless_random_uniform_int_v2(
    xp: Xp, shape: Array, key: Array, counter: Array, alg: Array, minval: Array, maxval: Array
) -> Array:
    """Draws integers in [minval, maxval).

    >>> tf.raw_ops.StatelessRandomUniformIntV2(shape=[0], key=[1], counter=[1, 2], alg=1, minval=0, maxval=5).numpy()
    array([], dtype=int32)
    """
    return draw_bounded_integers(xp, validate_key_stream(key, counter, alg), requested_shape(shape), minval, maxval)


def _shuffle_shape(c: ShapeContext) -> TensorShape:
    check_key_shapes(c)
    shape: TensorShape = c.shape("value")
    return shape


@op(
    "StatelessShuffle",
    "value: T, key: uint64, counter: uint64, alg: int32 -> output: T",
    T=ANY,
    shape=_shuffle_shape,
    constant_inputs=("alg",),
    no_gradient="TensorFlow defines none; shuffle positions and gather",
    not_batched="every row has a seed of its own",
)
def stateless_shuffle_op(xp: Xp, value: Array, key: Array, counter: Array, alg: Array) -> Array:
    """Puts the rows of `value` in random order.

    >>> tf.raw_ops.StatelessShuffle(value=[7], key=[1], counter=[1, 2], alg=1).numpy()
    array([7], dtype=int32)
    """
    stream = validate_key_stream(key, counter, alg)
    return shuffle_rows(xp, stream, value)


def shuffle_rows(xp: Xp, stream: Stream, value: Array) -> Array:
    """Puts the rows of an array in random order; returns a scalar unchanged."""
    if value.ndim == 0 or value.shape[0] < 2:
        return value
    if value.ndim == 1:
        return shuffles.shuffle_vector(xp, stream, value)
    return xp.take(value, shuffles.permutation(xp, stream, value.shape[0]), axis=0)
