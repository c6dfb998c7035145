"""`tf.random.Generator`: a random stream whose state is a variable.

A generator's state is saved with a model, reset, split and copied; inside a `tf.function` the state is read and written
like any variable. The numbers of a generator follow from the state alone: `set_seed` has no part in the numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from millrace._src.core.argument_types import DTypeLike, ShapeLike, TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, float32, int32, int64, uint64
from millrace._src.core.runtime_options import is_op_determinism_enabled
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.graph.func_graph import init_scope
from millrace._src.ops import raw
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.reduce import reduce_prod
from millrace._src.ops.random import generator_ops
from millrace._src.ops.random import stateless_ops as ops
from millrace._src.ops.random.algorithms import Algorithm, algorithm_number
from millrace._src.ops.random.shape_arguments import shape_tensor
from millrace._src.ops.random.stateful import is_standard
from millrace._src.state.variable import Variable
from millrace._src.trackable.auto import AutoTrackable
from millrace._src.util.export import export

_COUNTER_SIZES = {Algorithm.PHILOX.value: 2, Algorithm.THREEFRY.value: 1}
_WORD = 2**64


@export("random.create_rng_state", "random.experimental.create_rng_state")
def create_rng_state(seed: TensorLike, alg: object) -> Tensor:
    """Makes the state of a generator from a seed.

    >>> tf.random.create_rng_state(1, "philox").numpy()
    array([1, 0, 0])

    Args:
        seed: An integer of any size, whose 64-bit digits are the state, lowest first; or up to three integers (two for
            ThreeFry), filled up with zeros on the left.
        alg: "philox", "threefry", "auto_select", or a `tf.random.Algorithm`.

    Returns: An int64 Tensor of shape (3,), or (2,) for ThreeFry.
    Raises: ValueError: if there is no such algorithm.
    """
    size = _state_size(_concrete(alg))
    if isinstance(seed, int):
        seed = [(seed >> (64 * digit)) % _WORD for digit in range(size)]
    flat = raw.Reshape(tensor=_state_tensor(seed), shape=[-1])
    padded = raw.ConcatV2(values=[np.zeros(size, np.int64), flat[:size]], axis=0)
    state: Tensor = padded[-size:]
    return state


def _concrete(alg: object) -> int:
    """Returns the number of an algorithm; "auto_select" is Philox."""
    number = algorithm_number(alg)
    return Algorithm.PHILOX.value if number == Algorithm.AUTO_SELECT.value else number


def _state_size(algorithm: int) -> int:
    return _COUNTER_SIZES[algorithm] + 1


def _state_tensor(value: object) -> Tensor:
    """Returns a state, or a part of a state, as int64; Python integers from 2**63 on wrap around."""
    tensor: Tensor = cast(_wrap_value(value), int64)
    return tensor


def _wrap_value(value: object) -> Any:
    if isinstance(value, (list, tuple)):
        return [_wrap_value(item) for item in value]
    if isinstance(value, int) and value >= _WORD // 2:
        return value - _WORD
    return value


def _require_shape(tensor: Tensor, wanted: list[int]) -> None:
    if not tensor.shape.is_compatible_with(TensorShape(wanted)):
        raise ValueError(f"Shapes {tensor.shape} and {wanted} are incompatible")


def _state_from_key_counter(key: object, counter: object, algorithm: int) -> Tensor:
    counter, key = _state_tensor(counter), _state_tensor(key)
    _require_shape(counter, [_COUNTER_SIZES[algorithm]])
    _require_shape(key, [])
    state: Tensor = raw.ConcatV2(values=[counter, raw.Reshape(tensor=key, shape=[1])], axis=0)
    return state


@export("random.Generator", "random.experimental.Generator")
class Generator(AutoTrackable):
    """A source of random numbers with a state of its own.

    Make one with `from_seed`, `from_non_deterministic_state`, `from_state` or `from_key_counter`. Each drawing method
    moves the state on, so that the next one draws fresh numbers.

    >>> g = tf.random.Generator.from_seed(1)
    >>> g.uniform([3]).numpy()
    array([0.78749514, 0.3906511 , 0.29263055], dtype=float32)
    >>> g.state.numpy()
    array([769,   0,   0])

    Args:
        copy_from: A generator to start equal to; excludes the other arguments.
        state: The state: three int64 numbers for Philox, [counter (lower, upper half), key].
        alg: The algorithm: "philox" (1); "threefry" (2), which can only be stored; "auto_select" is Philox.
    """

    def __init__(self, copy_from: Generator | None = None, state: object = None, alg: object = None) -> None:
        if copy_from is not None:
            assert (alg or state) is None, "Generator(copy_from=...) takes no `state` and no `alg`."
            self._alg = copy_from.algorithm
            initial = copy_from.state.read_value()
        else:
            assert alg is not None and state is not None, "Generator needs `state` and `alg`, or `copy_from`."
            self._alg = _concrete(alg)
            initial = _state_tensor(state)
            _require_shape(initial, [_state_size(self._alg)])
        self._state_var = Variable(initial, dtype=int64, trainable=False, name="StateVar")

    @classmethod
    def from_state(cls, state: object, alg: object) -> Generator:
        """Makes a generator with a given state; see `Generator`.

        >>> tf.random.Generator.from_state([1, 2, 3], "philox").key.numpy()
        np.int64(3)
        """
        return cls(alg=alg, state=state)

    @classmethod
    def from_seed(cls, seed: TensorLike, alg: object = None) -> Generator:
        """Makes a generator from a seed; see `tf.random.create_rng_state`.

        >>> tf.random.Generator.from_seed(5).state.numpy()
        array([5, 0, 0])
        """
        algorithm = Algorithm.PHILOX.value if alg is None else _concrete(alg)
        return cls(state=create_rng_state(seed, algorithm), alg=algorithm)

    @classmethod
    def from_non_deterministic_state(cls, alg: object = None) -> Generator:
        """Makes a generator whose state cannot be known beforehand.

        >>> tf.random.Generator.from_non_deterministic_state().algorithm
        1

        Raises: RuntimeError: if `tf.config.experimental.enable_op_determinism` forbids it.
        """
        if is_op_determinism_enabled():
            raise RuntimeError('"from_non_deterministic_state" cannot be called when determinism is enabled.')
        algorithm = Algorithm.PHILOX.value if alg is None else _concrete(alg)
        return cls(state=generator_ops.non_deterministic_ints([_state_size(algorithm)], dtype=int64), alg=algorithm)

    @classmethod
    def from_key_counter(cls, key: object, counter: TensorLike, alg: object) -> Generator:
        """Makes a generator from a key, a scalar, and a counter, two numbers for Philox.

        >>> tf.random.Generator.from_key_counter(5, [6, 7], "philox").state.numpy()
        array([6, 7, 5])
        """
        algorithm = _concrete(alg)
        return cls(state=_state_from_key_counter(key, counter, algorithm), alg=algorithm)

    # --- the state ----------------------------------------------------------------------------------------------------

    @property
    def state(self) -> Variable:
        """The variable that holds the state."""
        return self._state_var

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._alg

    @property
    def key(self) -> Tensor:
        """The key of the stream: the last number of the state."""
        key: Tensor = self._state_var[-1]
        return key

    def reset(self, state: object) -> None:
        """Replaces the state."""
        tensor = _state_tensor(state)
        _require_shape(tensor, [_state_size(self._alg)])
        self._state_var.assign(tensor)

    def reset_from_seed(self, seed: TensorLike) -> None:
        """Replaces the state by that of a seed; see `tf.random.create_rng_state`."""
        self._state_var.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: object, counter: TensorLike) -> None:
        """Replaces the state by a key, a scalar, and a counter."""
        self._state_var.assign(_state_from_key_counter(key, counter, self._alg))

    def skip(self, delta: TensorLike) -> Tensor:
        """Moves the state as if `delta` numbers had been drawn; returns the state before."""
        algorithm = cast(self._alg, int32)
        before: Tensor = generator_ops.rng_read_and_skip(self._state_var.handle, algorithm, cast(delta, uint64))
        return before

    def _key_and_counter(self, shape: Tensor) -> tuple[Tensor, Tensor]:
        """Returns key and counter for an output of the given shape, and moves the state past that output."""
        state = self.skip(reduce_prod(shape))
        size = _COUNTER_SIZES[self._alg]
        counter = raw.Bitcast(input=state[:size], type=uint64)
        key = raw.Bitcast(input=state[size : size + 1], type=uint64)
        return key, counter

    # --- drawing ------------------------------------------------------------------------------------------------------

    def normal(
        self, shape: object, mean: Any = 0.0, stddev: Any = 1.0, dtype: object = float32, name: str | None = None
    ) -> Tensor:
        """Draws from a normal distribution; see `tf.random.normal`."""
        with name_scope(name, "stateful_normal") as scope:
            return self._scale(ops.stateless_random_normal_v2, shape, (mean, stddev), dtype, scope)

    def truncated_normal(
        self, shape: object, mean: Any = 0.0, stddev: Any = 1.0, dtype: object = float32, name: str | None = None
    ) -> Tensor:
        """Draws from a normal distribution within two standard deviations; see `tf.random.truncated_normal`."""
        with name_scope(name, "truncated_normal") as scope:
            return self._scale(ops.stateless_truncated_normal_v2, shape, (mean, stddev), dtype, scope)

    def _scale(self, draw: Any, shape: Any, moments: tuple[Any, Any], dtype: Any, scope: str) -> Tensor:
        dtype = as_dtype(dtype)
        shape = shape_tensor(shape)
        if is_standard(*moments, dtype):
            standard: Tensor = draw(shape, *self._key_and_counter(shape), self._alg, dtype=dtype)
            return standard
        mean = convert_to_tensor(moments[0], dtype=dtype, name="mean")
        stddev = convert_to_tensor(moments[1], dtype=dtype, name="stddev")
        drawn: Tensor = draw(shape, *self._key_and_counter(shape), self._alg, dtype=dtype)
        result: Tensor = raw.AddV2(x=drawn * stddev, y=mean, name=scope)
        return result

    def uniform(
        self, shape: object, minval: Any = 0, maxval: Any = None, dtype: Any = float32, name: str | None = None
    ) -> Tensor:
        """Draws from a uniform distribution on [minval, maxval); see `tf.random.uniform`.

        For integers, `minval` and `maxval` may both be None: the whole range of the dtype.

        Raises:
            ValueError: only one bound of integers is None.
        """
        dtype = as_dtype(dtype)
        if dtype.is_integer:
            if (minval is None) != (maxval is None):
                raise ValueError(
                    f"For integer dtype {dtype!s}, minval and maxval must be both `None` or both non-`None`; got "
                    f"minval={minval} and maxval={maxval}"
                )
        elif maxval is None:
            maxval = 1
        with name_scope(name, "stateful_uniform") as scope:
            shape = shape_tensor(shape)
            drawn: Tensor
            if minval is None and dtype.is_integer:
                drawn = self._full_int(shape, dtype, scope)
                return drawn
            minval = convert_to_tensor(minval, dtype=dtype, name="min")
            maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
            key, counter = self._key_and_counter(shape)
            if dtype.is_integer:
                drawn = ops.stateless_random_uniform_int_v2(shape, key, counter, self._alg, minval, maxval, name=scope)
                return drawn
            drawn = ops.stateless_random_uniform_v2(shape, key, counter, self._alg, dtype=dtype)
            drawn = raw.AddV2(x=drawn * (maxval - minval), y=minval, name=scope)
            return drawn

    def uniform_full_int(self, shape: ShapeLike, dtype: DTypeLike = uint64, name: str | None = None) -> Tensor:
        """Draws integers over the whole range of int32, int64, uint32 or uint64."""
        with name_scope(name, "stateful_uniform_full_int") as scope:
            return self._full_int(shape_tensor(shape), as_dtype(dtype), scope)

    def _full_int(self, shape: Tensor, dtype: DTypeLike, scope: str) -> Tensor:
        key, counter = self._key_and_counter(shape)
        drawn: Tensor = ops.stateless_random_uniform_full_int_v2(
            shape, key, counter, self._alg, dtype=dtype, name=scope
        )
        return drawn

    def binomial(
        self,
        shape: ShapeLike,
        counts: TensorLike,
        probs: TensorLike,
        dtype: DTypeLike = int32,
        name: str | None = None,
    ) -> Tensor:
        """Draws from binomial distributions; `shape` ends with that of `counts` and `probs` broadcast together.

        Args:
            shape: The shape of the result.
            counts: The numbers of trials.
            probs: The probabilities of success, of the same dtype as `counts`.
            dtype: The dtype of the result.
            name: A name for the operation.
        """
        with name_scope(name, "binomial") as scope:
            counts = convert_to_tensor(counts, name="counts")
            probs = convert_to_tensor(probs, name="probs")
            drawn: Tensor = generator_ops.stateful_random_binomial(
                self._state_var.handle, self._alg, shape_tensor(shape), counts, probs, dtype=as_dtype(dtype), name=scope
            )
            return drawn

    # --- descendants --------------------------------------------------------------------------------------------------

    def make_seeds(self, count: int = 1) -> Tensor:
        """Makes seeds for stateless ops: an int64 Tensor of shape (2, count), one seed a column."""
        keys = self.uniform_full_int([count], dtype=int64)
        seeds: Tensor = raw.Pack(values=[keys, raw.ZerosLike(x=keys)], name="stack")
        return seeds

    def split(self, count: int = 1) -> list[Generator]:
        """Makes `count` independent generators, which no seed of this generator will ever equal.

        >>> len(tf.random.Generator.from_seed(1).split(3))
        3
        """
        keys: Iterable[Tensor] = raw.Unpack(value=self.uniform_full_int([count], dtype=int64), num=count) or ()
        zeros = np.zeros(_COUNTER_SIZES[self._alg], np.int64)
        return [Generator.from_key_counter(key, zeros, self._alg) for key in keys]


class _GlobalGenerator:
    instance: Any = None


@export("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator() -> Generator:
    """Returns the generator shared by code that needs no particular one; made from an unknowable state on first use.

    >>> tf.random.get_global_generator().algorithm
    1

    Raises: RuntimeError: if there is none, and `tf.config.experimental.enable_op_determinism` forbids to make one.
    """
    if _GlobalGenerator.instance is None and is_op_determinism_enabled():
        raise RuntimeError(
            '"get_global_generator" cannot be called if determinism is enabled, unless "set_global_generator" has '
            'already been called. Please call "set_global_generator" first.'
        )
    if _GlobalGenerator.instance is None:
        with init_scope():
            _GlobalGenerator.instance = Generator.from_non_deterministic_state()
    generator: Generator = _GlobalGenerator.instance
    return generator


@export("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator: Generator) -> None:
    """Replaces the generator that `tf.random.get_global_generator` returns.

    A `tf.function` that was traced keeps using the generator of its trace.
    """
    _GlobalGenerator.instance = generator
