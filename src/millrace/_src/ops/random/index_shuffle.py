"""The position of one index in a random permutation, without making the permutation.

A block cipher permutes the numbers of a power-of-two range. Enciphering a number until the result lies within a smaller
range permutes that range, of any size; each element costs a few operations and no memory. The cipher is Simon, with a
block just wide enough for the range and few rounds. Source: Beaulieu et al., "The Simon and Speck families of
lightweight block ciphers" (2013).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32, int64, uint32, uint64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text
from millrace._src.ops.shape_rules import UNKNOWN
from millrace._src.ops.type_sets import TypeSet
from millrace._src.util.export import export

_MIN_BITS = 16
"""The least width of a block: smaller blocks show patterns."""
_CONSTANT = np.uint64(0xFFFFFFFC)
_SEQUENCE = 0x7369F885192C0EF5
"""The bits that make the rounds differ."""
_FIRST_KEY = 498247692
"""The number before the two numbers of a public seed; the cipher takes three."""
_INTEGERS = TypeSet((int32, uint32, int64, uint64))


def permute_index(xp: Xp, index: Array, keys: tuple[Array, Array, Array], last: Array, rounds: int) -> Array:
    """Returns the position of each `index` in the permutation of `0 ... last` that the keys select.

    All arrays are uint64 of one shape.
    """
    word = _word_bits(xp, last)
    mask = (np.uint64(1) << word) - np.uint64(1)
    round_keys = _key_schedule(xp, keys, word, mask, rounds)

    def outside(value: Array, pending: Array) -> tuple[Array]:
        return (xp.any(pending),)

    def encipher(value: Array, pending: Array) -> tuple[Array, Array]:
        left, right = (value >> word) & mask, value & mask
        for i in range(0, rounds, 2):
            left = left ^ _mix(right, word, mask) ^ round_keys[i]
            right = right ^ _mix(left, word, mask) ^ round_keys[i + 1]
        value = xp.where(pending, (left << word) | right, value)
        return value, pending & (value > last)

    return xp.while_loop(outside, encipher, (index, xp.ones(index.shape, bool)))[0]


def _word_bits(xp: Xp, last: Array) -> Array:
    """Returns half the width of a block, which has an even number of bits, at least 16, and holds `last`."""
    powers = np.uint64(1) << np.arange(64, dtype=np.uint64)
    bits = xp.sum(xp.astype(powers < last[..., None], np.uint64), axis=-1)
    return (xp.maximum(bits, np.uint64(_MIN_BITS)) + np.uint64(1)) >> np.uint64(1)


def _key_schedule(xp: Xp, keys: tuple[Array, ...], word: Array, mask: Array, rounds: int) -> list[Array]:
    schedule = [key & mask for key in keys]
    for i in range(3, rounds):
        bit = np.uint64(_SEQUENCE >> (i - 3) & 1)
        last = schedule[-1]
        turned = _rotate_right(last, 3, word, mask) ^ _rotate_right(last, 4, word, mask)
        schedule.append((_CONSTANT & mask) ^ bit ^ schedule[i - 3] ^ turned)
    return schedule


def _mix(x: Array, word: Array, mask: Array) -> Array:
    one, two, eight = (_rotate_left(x, by, word, mask) for by in (1, 2, 8))
    return (one & eight) ^ two


def _rotate_left(x: Array, by: int, word: Array, mask: Array) -> Array:
    return ((x << np.uint64(by)) | (x >> (word - np.uint64(by)))) & mask


def _rotate_right(x: Array, by: int, word: Array, mask: Array) -> Array:
    return ((x >> np.uint64(by)) | (x << (word - np.uint64(by)))) & mask


def _shape(c: ShapeContext) -> TensorShape:
    shapes = [(c.shape("index"), 0), (c.shape("seed"), 1), (c.shape("max_index"), 0)]
    if any(shape.rank is None for shape, _ in shapes):
        return UNKNOWN
    for shape, alone in shapes:
        if shape.rank not in (alone, alone + 1):
            raise ValueError(f"Shape must be rank {alone} or {alone + 1} but is rank {shape.rank}")
    lengths = [shape[0] for shape, alone in shapes if shape.rank == alone + 1]
    return TensorShape.of((max(lengths, key=lambda n: -1 if n is None else n),) if lengths else ())


def _refuse_indices_outside(index: Array, seed: Array, max_index: Array) -> None:
    _batch_shape(index, seed, max_index)  # refuses inputs that do not fit together
    for name, value in (("index", index), ("max_index", max_index)):
        if value.size and value.min() < 0:
            raise invalid(f"{name} must be >= 0 but was {int(value.min())}")
    if (index > max_index).any():
        first = np.broadcast_arrays(max_index, index)
        position = int(np.argmax((index > max_index).reshape(-1)))
        raise invalid(
            f"max_index must be >= index, but {int(first[0].reshape(-1)[position])} < "
            f"{int(first[1].reshape(-1)[position])}"
        )


@export("random_index_shuffle")
@op(
    "RandomIndexShuffle",
    "index: dtype, seed: Tseed, max_index: dtype -> output: dtype",
    dtype=_INTEGERS,
    Tseed=_INTEGERS,
    checks=_refuse_indices_outside,
    shape=_shape,
    not_differentiable="indices are integers",
    not_batched="every row has a seed of its own",
)
def random_index_shuffle(xp: Xp, index: Array, seed: Array, max_index: Array, *, rounds: int = 4) -> Array:
    """Returns the position of `index` in a permutation of `0 ... max_index`; each input may be one or a batch.

    >>> tf.raw_ops.RandomIndexShuffle(index=tf.range(10), seed=[498247692, 1, 2], max_index=9).numpy()
    array([5, 0, 1, 4, 3, 6, 9, 8, 7, 2], dtype=int32)
    """
    batch = _batch_shape(index, seed, max_index)
    if rounds < 4:
        raise invalid(f"rounds must be at least 4 but was {rounds}")
    indices, last = (xp.broadcast_to(xp.astype(x, np.uint64), batch) for x in (index, max_index))
    words = xp.astype(xp.astype(seed, np.uint32), np.uint64)
    keys = tuple(xp.broadcast_to(words[..., i], batch) for i in range(3))
    positions = permute_index(xp, indices, (keys[0], keys[1], keys[2]), last, rounds + rounds % 2)
    return xp.astype(positions, index.dtype)


def _batch_shape(index: Array, seed: Array, max_index: Array) -> tuple[int, ...]:
    """Returns the shape of the result: (n,) if any input is a batch of n, else ().

    Raises:
        InvalidArgumentError: the inputs do not fit together.
    """
    lengths = {x.shape[0] for x, alone in ((index, 0), (seed, 1), (max_index, 0)) if x.ndim > alone}
    batch = (max(lengths),) if lengths else ()
    size = batch[0] if batch else 1
    for name, x in (("index", index), ("max_index", max_index)):
        if x.ndim > 1 or (x.ndim and x.shape != batch):
            raise invalid(f"{name} must be a scalar or a vector of size {size}, got shape {dims_text(x.shape)}")
    if seed.shape not in ((3,), (*batch, 3)):
        raise invalid(
            f"Seed must be a vector of size [3] or a matrix of size [{size}, 3] but got {dims_text(seed.shape)}."
        )
    return batch


@export("random.experimental.index_shuffle")
def index_shuffle(index: object, seed: Any, max_index: TensorLike) -> Tensor:
    """Returns the position of `index` in a random permutation of `0 ... max_index`, which is never made as a whole.

    The function is for data sets that are too large to shuffle: each index costs a few operations.

    >>> tf.random.experimental.index_shuffle(tf.range(10), seed=[1, 2], max_index=9).numpy()
    array([5, 0, 1, 4, 3, 6, 9, 8, 7, 2], dtype=int32)

    Args:
        index: An integer scalar or vector, from 0 to `max_index`.
        seed: Two integers, or a matrix with such a row for each index.
        max_index: The largest index; a scalar or a vector, of the dtype of `index`.

    Returns: A Tensor of the dtype of `index`: a scalar if all arguments are single, else a vector.
    Raises: tf.errors.InvalidArgumentError: if an index is out of range.
    """
    seed = convert_to_tensor(seed)
    paddings = [[0, 0]] * ((seed.shape.rank or 1) - 1) + [[1, 0]]
    seed_of_three = raw.PadV2(input=seed, paddings=paddings, constant_values=np.array(_FIRST_KEY, seed.dtype.np_dtype))
    shuffled: Tensor = random_index_shuffle(index, seed_of_three, max_index)
    return shuffled
