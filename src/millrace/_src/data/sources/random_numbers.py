"""`Dataset.random`: random numbers without end, those of TensorFlow for given seeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, int64
from millrace._src.core.op_def import op
from millrace._src.core.resources import resource_of
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import apply_op
from millrace._src.data.nodes import DATASET, INFINITE, DatasetNode, PassContext
from millrace._src.data.pass_seeds import SeedGenerator, dataset_seeds, dummy_seed_generator, or_random
from millrace._src.ops.random.words import Words


@dataclass(eq=False, repr=False)
class RandomNode(DatasetNode):
    """The words of a random stream.

    Attributes:
      seeds: the seeds of every pass; (0, 0) for unknown seeds.
      generator: gives each pass seeds of its own; None if all passes have the same.
    """

    seeds: tuple[int, int]
    generator: SeedGenerator | None

    def cardinality(self) -> int:
        """Returns that there is no end."""
        return INFINITE

    @property
    def draws_seeds(self) -> bool:
        """Whether there is a generator, whose seeds the user has fixed."""
        return self.generator is not None and not self.generator.is_random

    def cursor(self, context: PassContext) -> Cursor:
        """Starts at the first word, with the seeds of the pass."""
        return RandomCursor(self)

    def __repr__(self) -> str:
        version = "" if self.generator is None else "V2"
        return f"<RandomDataset{version}Op({self.seeds[0]}, {self.seeds[1]})::Dataset>"


class RandomCursor(Cursor):
    """Takes words, many at a time."""

    __slots__ = ("_generator", "_seeds", "_words")

    def __init__(self, node: RandomNode) -> None:
        self._generator = node.generator
        self._seeds = or_random(*node.seeds) if node.generator is None else node.generator.next_seeds()
        self._words = Words(*self._seeds)

    def next_block(self, limit: int) -> Block | None:
        """Returns the next words."""
        return Block([self._words.take(limit).astype(np.int64)], limit)

    def skip(self, count: int) -> int:
        """Adds to the position: any word of the stream can be computed at once."""
        self._words.position += count
        return count

    def save(self) -> State:
        """Returns the seeds, the position, and the state of the generator, from which the next pass has its seeds."""
        return self._seeds, self._words.position, None if self._generator is None else self._generator.save()

    def restore(self, state: State) -> None:
        """Goes on with the seeds of a state, at its position."""
        (seed, seed2), position, generator = state
        self._seeds = seed, seed2
        self._words = Words(seed, seed2)
        self._words.position = position
        if self._generator is not None:
            self._generator.restore(generator)

    def close(self) -> None:
        """Does nothing: a stream needs no closing."""


# --- ops ---------------------------------------------------------------------------------------------------------


@op("RandomDataset", "seed: int64, seed2: int64 -> handle: variant", **DATASET)
def random_dataset(
    xp: Xp,
    seed: Array,
    seed2: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of random numbers that are the same in each pass."""
    return RandomNode(tuple(output_types), tuple(output_shapes), (int(seed), int(seed2)), None)


@op("RandomDatasetV2", "seed: int64, seed2: int64, seed_generator: resource -> handle: variant", **DATASET)
def random_dataset_v2(
    xp: Xp,
    seed: Array,
    seed2: Array,
    seed_generator: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    rerandomize_each_iteration: bool = False,
    metadata: str = "",
) -> Any:
    """Makes a dataset of random numbers, under a seed generator."""
    seeds, generator = (int(seed), int(seed2)), resource_of(seed_generator)
    if not rerandomize_each_iteration:
        generator = None
    elif not isinstance(generator, SeedGenerator):
        generator = SeedGenerator(*seeds)
    return RandomNode(tuple(output_types), tuple(output_shapes), seeds, generator)


@op("ExperimentalRandomDataset", "seed: int64, seed2: int64 -> handle: variant", **DATASET)
def experimental_random_dataset(
    xp: Xp, seed: Array, seed2: Array, *, output_types: list[DType], output_shapes: list[TensorShape]
) -> Any:
    """Makes a dataset of random numbers; the older op."""
    return random_dataset.op_def.kernel(xp, seed, seed2, output_types=output_types, output_shapes=output_shapes)


# --- functions ---------------------------------------------------------------------------------------------------


def random(seed: object = None, rerandomize_each_iteration: bool | None = None, name: str | None = None) -> Any:
    """Makes a dataset of random numbers without end.

    >>> tf.random.set_seed(1)
    >>> list(tf.data.Dataset.random(seed=4).take(2).as_numpy_iterator())
    [np.int64(3140572256), np.int64(1890473413)]

    Args:
      seed: a seed, which `tf.random.set_seed` combines with the global one.
      rerandomize_each_iteration: whether each pass has numbers of its own; otherwise, all passes over a dataset with a
        seed have the same.
      name: a name for the dataset.

    Returns: A Dataset of scalars of int64, at least 0 and below 2 ** 32.
    """
    return random_of_kind("_RandomDataset", seed, rerandomize_each_iteration, name)


def random_of_kind(kind: str, seed: object, rerandomizes: bool | None, name: str | None) -> Any:
    """Makes a dataset of a kind with the op that the choice asks for."""
    spec, seeds = TensorSpec([], int64), dataset_seeds(seed)
    if not rerandomizes:
        return apply_op(kind, random_dataset, seeds, spec, name=name)
    arguments = [*seeds, dummy_seed_generator()]
    return apply_op(kind, random_dataset_v2, arguments, spec, name=name, rerandomize_each_iteration=True)
