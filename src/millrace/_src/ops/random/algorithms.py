"""The choice of a random number algorithm, and the keys and counters made from a seed.

The V2 stateless ops take a key, a counter and the number of an algorithm. Philox is the only algorithm that draws here,
and the meaning of "auto_select" on every engine, so that the same seed gives the same numbers everywhere. ThreeFry
seeds and states can be made and stored, as in TensorFlow, which draws with ThreeFry on XLA devices only.
"""

from __future__ import annotations

import enum
from typing import Any, cast

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import int32, int64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import Effects, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text, vector, with_rank
from millrace._src.ops.random.philox import Stream, stream_from_key_counter, stream_from_seed_pair
from millrace._src.ops.shape_rules import SCALAR, scalar
from millrace._src.ops.type_sets import TypeSet
from millrace._src.util.export import export

SEED = TypeSet((int32, int64), int64)
_INTEGER = "random bits are integers"


@export("random.Algorithm", "random.experimental.Algorithm")
class Algorithm(enum.Enum):
    """A random number algorithm; the value is the number that represents the algorithm in graphs and states.

    >>> tf.random.Algorithm.PHILOX.value
    1
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_NAMES = {"philox": Algorithm.PHILOX, "threefry": Algorithm.THREEFRY, "auto_select": Algorithm.AUTO_SELECT}


def algorithm_number(alg: object) -> int:
    """Returns the number of an algorithm given as an `Algorithm`, a name, a number or a tensor.

    Raises:
        ValueError: there is no such algorithm.
        TypeError: `alg` is nothing of that kind.
    """
    if isinstance(alg, Algorithm):
        return alg.value
    if isinstance(alg, str):
        named_algorithm = _NAMES.get(alg.strip().lower())
        if named_algorithm is None:
            raise ValueError(
                f"Argument `alg` got unsupported value {alg}. Supported values are philox for the Philox algorithm, "
                "threefry for the ThreeFry algorithm, and auto_select for auto-selection."
            )
        return named_algorithm.value
    if isinstance(alg, Tensor):
        alg = int(cast(Any, alg))
    if isinstance(alg, (int, np.integer)):
        if alg not in (1, 2, 3):
            raise ValueError(
                f"Argument `alg` got unsupported value {alg}. Supported values are 1 for the Philox algorithm, 2 for "
                "the ThreeFry algorithm, and 3 for auto-selection."
            )
        return int(alg)
    raise TypeError(f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int.")


def validate_seed_stream(xp: Xp, seed: Array) -> Stream:
    """Returns the stream of a stateless op's seed pair.

    Raises:
        InvalidArgumentError: the seed is not two numbers.
    """
    if seed.shape != (2,):
        raise invalid(f"seed must have shape [2], not {dims_text(seed.shape)}")
    return stream_from_seed_pair(xp, seed)


def validate_key_stream(key: Array, counter: Array, alg: Array) -> Stream:
    """Returns the stream of a V2 stateless op.

    Raises:
        InvalidArgumentError: a shape is wrong, or the algorithm is not one that draws here.
    """
    if alg.ndim:
        raise invalid(f"input 3 (0-based) must have shape [], not {dims_text(alg.shape)}")
    if key.shape != (1,):
        raise invalid(
            f"key must have shape [1], not {dims_text(key.shape)}. (Note that batched keys are not supported yet.)"
        )
    if int(alg) not in (Algorithm.PHILOX.value, Algorithm.AUTO_SELECT.value):
        raise invalid(
            f"Unsupported algorithm id: {int(alg)}; ops draw with Philox (1), also chosen by auto_select (3)."
        )
    if counter.ndim != 1 or counter.shape[0] < 2:
        raise invalid(
            f"counter must be a vector with length at least 2; got shape: {dims_text(counter.shape)}. (Note that "
            "batched counters are not supported yet.)"
        )
    return stream_from_key_counter(key, counter)


def check_seed_shape(shape: TensorShape) -> None:
    """Checks the static shape of a seed pair.

    Raises:
        ValueError: the seed cannot be two numbers.
    """
    (size,) = with_rank(shape, 1)
    if size not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {size}")


def check_key_shapes(c: ShapeContext) -> None:
    """Checks the static ranks of key, counter and algorithm."""
    with_rank(c.shape("key"), 1)
    with_rank(c.shape("counter"), 1)
    with_rank(c.shape("alg"), 0)


def _key_counter_shape(c: ShapeContext) -> list[TensorShape]:
    check_seed_shape(c.shape("seed"))
    return [vector(1), vector(2)]


def _key_counter_alg_shape(c: ShapeContext) -> list[TensorShape]:
    return [*_key_counter_shape(c), SCALAR]


@op(
    "StatelessRandomGetKeyCounter",
    "seed: Tseed -> key: uint64, counter: uint64",
    Tseed=SEED,
    shape=_key_counter_shape,
    not_differentiable=_INTEGER,
    not_batched="every row has a seed of its own",
)
def get_key_counter(xp: Xp, seed: Array) -> tuple[Array, Array]:
    """Computes the Philox key, shape (1,), and counter, shape (2,), that a stateless op draws with for a seed.

    >>> [int(v) for v in tf.raw_ops.StatelessRandomGetKeyCounter(seed=[1, 2])[0]]
    [10413732777507651514]
    """
    stream = validate_seed_stream(xp, seed)
    return stream.key, xp.concatenate([stream.low, stream.high])


@op(
    "StatelessRandomGetKeyCounterAlg",
    "seed: Tseed -> key: uint64, counter: uint64, alg: int32",
    Tseed=SEED,
    shape=_key_counter_alg_shape,
    not_differentiable=_INTEGER,
    not_batched="every row has a seed of its own",
)
def get_key_counter_alg(xp: Xp, seed: Array) -> tuple[Array, Array, Array]:
    """Computes the key and counter of `StatelessRandomGetKeyCounter`, and the number of the algorithm.

    >>> int(tf.raw_ops.StatelessRandomGetKeyCounterAlg(seed=[1, 2])[2])
    1
    """
    key, counter = get_key_counter.op_def.kernel(xp, seed)
    return key, counter, xp.asarray(Algorithm.PHILOX.value, dtype=np.int32)


@op(
    "StatelessRandomGetAlg",
    " -> alg: int32",
    shape=scalar,
    effects=Effects.READS,
    not_differentiable=_INTEGER,
    not_batched="it has no operands that could differ",
)
def get_alg(xp: Xp) -> Array:
    """Returns the number of the algorithm that ops choose by themselves: Philox.

    >>> int(tf.raw_ops.StatelessRandomGetAlg())
    1
    """
    return np.asarray(Algorithm.PHILOX.value, dtype=np.int32)


def key_counter_alg(seed: object, alg: object) -> tuple[Tensor, Tensor, int]:
    """Returns key, counter and algorithm for the V2 op behind a public stateless function.

    Raises:
        errors.InvalidArgumentError: the algorithm is ThreeFry.
    """
    number = algorithm_number(alg)
    if number == Algorithm.THREEFRY.value:
        raise errors.InvalidArgumentError(
            None,
            None,
            "Unsupported algorithm id: 2 (ThreeFry): TensorFlow draws with it on XLA devices only, and here all "
            "engines draw with Philox. Use alg='philox' or 'auto_select'.",
        )
    key, counter = raw.StatelessRandomGetKeyCounter(seed=seed)
    return key, counter, number
