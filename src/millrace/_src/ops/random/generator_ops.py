"""Ops that draw with the state of a `tf.random.Generator`, a variable of int64.

A Philox state is [counter, lower half; counter, upper half; key]. Each op takes the stream that the state describes and
moves the counter on by 256 blocks for each output. `RngReadAndSkip` only moves the counter on and returns the state
from before; the generator then draws with stateless ops.
"""

from __future__ import annotations

import os
from math import prod
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, float64, int64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import Effects, op
from millrace._src.core.resources import resource_of
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import dims_text, require_scalar, vector
from millrace._src.ops.random import distributions
from millrace._src.ops.random.algorithms import Algorithm
from millrace._src.ops.random.philox import Stream
from millrace._src.ops.random.shape_arguments import requested_shape, requested_shape_rule
from millrace._src.ops.random.stateless_distribution_ops import COUNTED, COUNTING, binomial_batch, binomial_of_shape
from millrace._src.ops.random.stateless_ops import (
    FLOAT_OUTPUT,
    FULL_RANGE,
    NO_GRADIENT,
    check_bounds_are_scalars,
    draw_bounded_integers,
    refuse_empty_interval,
)
from millrace._src.ops.shape_rules import no_outputs
from millrace._src.ops.type_sets import INDEX

_RESERVED = distributions.RESERVED_PER_OUTPUT
_BINOMIAL_ITERATIONS = 100
_STATE_SIZE = 3
_THREEFRY = "Non-XLA devices don't support the ThreeFry algorithm."


def _advance(xp: Xp, resource: Array, algorithm: Array, blocks: Array | int) -> Array:
    """Moves the state on by `blocks`; returns the state from before.

    Raises:
        InvalidArgumentError: the variable holds no Philox state, or the algorithm is unknown.
        UnimplementedError: the algorithm is ThreeFry.
    """
    storage = resource_of(resource)
    state = storage.value
    if state is None:
        raise errors.FailedPreconditionError(None, None, f"Could not find variable {storage.name}.")
    _check_state(state, int(algorithm))
    words = xp.bitcast(xp.asarray(state), np.uint64)
    stream = Stream(words[2:3], words[0:1], words[1:2]).skip(xp, blocks)
    storage.value = xp.concatenate([xp.bitcast(stream.low, np.int64), xp.bitcast(stream.high, np.int64), state[2:]])
    return state


def _check_state(state: Array, algorithm: int) -> None:
    if algorithm == Algorithm.THREEFRY.value:
        raise errors.UnimplementedError(None, None, _THREEFRY)
    if algorithm not in (Algorithm.PHILOX.value, Algorithm.AUTO_SELECT.value):
        raise invalid(f"Unsupported algorithm id: {algorithm}")
    if state.dtype != np.int64:
        raise invalid(f"dtype of RNG state variable must be int64, not {state.dtype.name}")
    if state.ndim != 1:
        raise invalid(f"RNG state must have one and only one dimension, not {state.ndim}")
    if state.shape[0] < _STATE_SIZE:
        raise invalid(f"For the Philox algorithm, the size of state must be at least 3; got {state.shape[0]}")


def _stream(xp: Xp, resource: Array, algorithm: Array, blocks: int) -> Stream:
    """Returns the stream of the state, and moves the state on by `blocks`."""
    words = xp.bitcast(xp.asarray(_advance(xp, resource, algorithm, blocks)), np.uint64)
    return Stream(words[2:3], words[0:1], words[1:2])


def _read_and_skip_shape(c: ShapeContext) -> TensorShape:
    require_scalar(c.shape("alg"))
    require_scalar(c.shape("delta"))
    return vector(_STATE_SIZE)


@op(
    "RngReadAndSkip",
    "resource: resource, alg: int32, delta: uint64 -> value: int64",
    shape=_read_and_skip_shape,
    effects=Effects.WRITES,
    constant_inputs=("alg",),
    not_differentiable=NO_GRADIENT,
)
def rng_read_and_skip(xp: Xp, resource: Array, alg: Array, delta: Array) -> Array:
    """Moves a generator's state past `delta` outputs; returns the state from before.

    >>> g = tf.random.Generator.from_seed(7)
    >>> tf.raw_ops.RngReadAndSkip(resource=g.state.handle, alg=1, delta=3).numpy(), g.state.numpy()
    (array([7, 0, 0]), array([775,   0,   0]))
    """
    for position, scalar in ((1, alg), (2, delta)):
        if scalar.ndim:
            raise invalid(f"input {position} (0-based) must have shape [], not {dims_text(scalar.shape)}")
    return _advance(xp, resource, alg, delta * np.uint64(_RESERVED))[:_STATE_SIZE]


@op(
    "RngSkip",
    "resource: resource, algorithm: int64, delta: int64 -> ",
    shape=no_outputs,
    effects=Effects.WRITES,
    constant_inputs=("algorithm",),
    not_differentiable=NO_GRADIENT,
)
def rng_skip(xp: Xp, resource: Array, algorithm: Array, delta: Array) -> None:
    """Moves a generator's state past `delta` outputs.

    >>> g = tf.random.Generator.from_seed(7)
    >>> tf.raw_ops.RngSkip(resource=g.state.handle, algorithm=1, delta=3)
    >>> g.state.numpy()
    array([775,   0,   0])
    """
    _advance(xp, resource, algorithm, xp.astype(delta, np.uint64) * np.uint64(_RESERVED))


# --- distributions ----------------------------------------------------------------------------------------------------

_INPUTS = "resource: resource, algorithm: int64, shape: shape_dtype"
_DRAW: dict[str, Any] = {
    "shape_dtype": INDEX.with_default(int64),
    "shape": requested_shape_rule,
    "effects": Effects.WRITES,
    "constant_inputs": ("algorithm", "shape"),
    "not_differentiable": NO_GRADIENT,
}


def _fill(xp: Xp, fill: Any, resource: Array, algorithm: Array, shape: Array, dtype: DType) -> Array:
    sizes = requested_shape(shape)
    return fill(xp, _stream(xp, resource, algorithm, prod(sizes) * _RESERVED), sizes, dtype.np_dtype)


@op("StatefulUniform", f"{_INPUTS} -> output: dtype", dtype=FLOAT_OUTPUT, **_DRAW)
def stateful_uniform(xp: Xp, resource: Array, algorithm: Array, shape: Array, *, dtype: DType) -> Array:
    """Draws uniform numbers in [0, 1).

    >>> g = tf.random.Generator.from_seed(7)
    >>> tf.raw_ops.StatefulUniform(resource=g.state.handle, algorithm=1, shape=[2]).numpy()
    array([0.39932835, 0.7840713 ], dtype=float32)
    """
    return _fill(xp, distributions.uniform, resource, algorithm, shape, dtype)


@op("StatefulUniformFullInt", f"{_INPUTS} -> output: dtype", dtype=FULL_RANGE, **_DRAW)
def stateful_uniform_full_int(xp: Xp, resource: Array, algorithm: Array, shape: Array, *, dtype: DType) -> Array:
    """Draws integers over the whole range of their dtype.

    >>> g = tf.random.Generator.from_seed(7)
    >>> tf.raw_ops.StatefulUniformFullInt(resource=g.state.handle, algorithm=1, shape=[2], dtype=tf.int32).numpy()
    array([-1464656591,   182738035], dtype=int32)
    """
    return _fill(xp, distributions.full_int, resource, algorithm, shape, dtype)


@op("StatefulStandardNormalV2", f"{_INPUTS} -> output: dtype", dtype=FLOAT_OUTPUT, **_DRAW)
def stateful_standard_normal(xp: Xp, resource: Array, algorithm: Array, shape: Array, *, dtype: DType) -> Array:
    """Draws standard normal numbers.

    >>> g = tf.random.Generator.from_seed(7)
    >>> tf.raw_ops.StatefulStandardNormalV2(resource=g.state.handle, algorithm=1, shape=[2]).numpy()
    array([-1.3240396 ,  0.28785667], dtype=float32)
    """
    return _fill(xp, distributions.normal, resource, algorithm, shape, dtype)


@op("StatefulTruncatedNormal", f"{_INPUTS} -> output: dtype", dtype=FLOAT_OUTPUT, **_DRAW)
def stateful_truncated_normal(xp: Xp, resource: Array, algorithm: Array, shape: Array, *, dtype: DType) -> Array:
    """Draws standard normal numbers within [-2, 2].

    >>> g = tf.random.Generator.from_seed(7)
    >>> tf.raw_ops.StatefulTruncatedNormal(resource=g.state.handle, algorithm=1, shape=[2]).numpy()
    array([-1.3240396 ,  0.28785667], dtype=float32)
    """
    return _fill(xp, distributions.truncated_normal, resource, algorithm, shape, dtype)


def _bounds_shape(c: ShapeContext) -> TensorShape:
    check_bounds_are_scalars(c)
    return requested_shape_rule(c)


def _refuse_empty_interval(resource: Array, algorithm: Array, shape: Array, minval: Array, maxval: Array) -> None:
    refuse_empty_interval(shape, minval, maxval)


@op(
    "StatefulUniformInt",
    f"{_INPUTS}, minval: dtype, maxval: dtype -> output: dtype",
    dtype=FULL_RANGE.with_default(int64),
    checks=_refuse_empty_interval,
    **{**_DRAW, "shape": _bounds_shape},
)
def stateful_uniform_int(
    xp: Xp, resource: Array, algorithm: Array, shape: Array, minval: Array, maxval: Array
) -> Array:
    """Draws integers in [minval, maxval).

    >>> g = tf.random.Generator.from_seed(7)
    >>> tf.raw_ops.StatefulUniformInt(resource=g.state.handle, algorithm=1, shape=[9], minval=4, maxval=6).shape
    TensorShape([9])
    """
    sizes = requested_shape(shape)
    stream = _stream(xp, resource, algorithm, prod(sizes) * _RESERVED)
    return draw_bounded_integers(xp, stream, sizes, minval, maxval)


@op(
    "StatefulRandomBinomial",
    "resource: resource, algorithm: int64, shape: S, counts: T, probs: T -> output: dtype",
    S=INDEX,
    T=COUNTING.with_default(float64),
    dtype=COUNTED,
    **{k: v for k, v in _DRAW.items() if k not in ("shape_dtype", "not_differentiable")},
    no_gradient="samples are counts; TensorFlow declares none",
)
def stateful_random_binomial(
    xp: Xp, resource: Array, algorithm: Array, shape: Array, counts: Array, probs: Array, *, dtype: DType
) -> Array:
    """Draws binomially distributed numbers; the last dimensions of `shape` are those of `counts` and `probs`.

    >>> g = tf.random.Generator.from_seed(7)
    >>> draw = tf.raw_ops.StatefulRandomBinomial
    >>> draw(resource=g.state.handle, algorithm=1, shape=[3], counts=10.0, probs=0.5, dtype=tf.int32).numpy()
    array([4, 4, 7], dtype=int32)
    """
    sizes = requested_shape(shape)
    parameters = prod(binomial_batch(counts, probs))
    samples = prod(sizes) // parameters if parameters else 0
    outputs = parameters * 2 * _BINOMIAL_ITERATIONS * (samples + 3) // 4
    stream = _stream(xp, resource, algorithm, outputs * _RESERVED)
    return binomial_of_shape(xp, stream, sizes, counts, probs, dtype)


@op(
    "NonDeterministicInts",
    "shape: shape_dtype -> output: dtype",
    shape_dtype=INDEX.with_default(int64),
    dtype=FULL_RANGE.with_default(int64),
    shape=requested_shape_rule,
    effects=Effects.RANDOM,
    host_only=True,
    not_differentiable=NO_GRADIENT,
    not_batched="it draws from a stream of Python's",
)
def non_deterministic_ints(xp: Xp, shape: Array, *, dtype: DType) -> Array:
    """Draws integers from the operating system's source of randomness.

    >>> tf.raw_ops.NonDeterministicInts(shape=[3]).shape
    TensorShape([3])
    """
    sizes = requested_shape(shape)
    return np.frombuffer(os.urandom(prod(sizes) * dtype.size), dtype.np_dtype).reshape(sizes)
