"""`Dataset.shuffle`: elements in random order, through a buffer.

The order is TensorFlow's for given seeds. A buffer of `buffer_size` elements is a ring. Before each output the ring is
filled up from the source. A random element goes out, and the oldest element moves into the freed slot.

Here the ring holds numbers. Where elements can be had by position, these are positions, and a block of outputs is
picked from the source at once. For other sources the numbers are slots of a store of columns, into which the elements
of the source are copied and from which outputs are picked, again in blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import in_plain_graph
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.resources import resource_of
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, DeferredError, State, collect
from millrace._src.data.dataset_base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.element_store import ElementStore
from millrace._src.data.nodes import DATASET, UNKNOWN, DatasetNode, PassContext, UnaryNode, node_of, scalar_of
from millrace._src.data.pass_seeds import SeedGenerator, dataset_seeds, dummy_seed_generator, or_random
from millrace._src.ops.random.words import Words

_DRAWN_AT_ONCE = 1024
"""The number of positions that are drawn at a time; no program can tell when positions are drawn."""
_MAX_AT_ONCE = 1 << 16
"""The number of elements that are taken from the source at a time where the buffer takes all."""


@dataclass(eq=False, repr=False)
class ShuffleNode(UnaryNode):
    """The elements of a dataset in random order.

    Attributes:
      buffer_size: the number of elements among which each output is drawn; `UNKNOWN` for all.
      seeds: the seeds of every pass; None if a generator gives each pass seeds of its own.
      generator: that generator.
    """

    buffer_size: int
    seeds: tuple[int, int] | None
    generator: SeedGenerator | None

    def cardinality(self) -> int:
        """Returns the number of elements of the source."""
        return self.source.cardinality()

    @property
    def draws_seeds(self) -> bool:
        """Whether there is a generator, here or in the source, whose seeds the user has fixed."""
        return self.generator is not None and not self.generator.is_random or self.source.draws_seeds

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass, with the seeds of that pass."""
        if self.generator is not None:
            seeds = self.generator.next_seeds()
        else:
            assert self.seeds is not None
            seeds = or_random(*self.seeds)
        if self.source.is_random_access:
            return _PositionShuffle(self, seeds)
        return _StreamShuffle(self, self.source.cursor(context), seeds)

    def save_generator(self) -> State:
        """Returns the state of the generator, from which the seeds of the next pass come."""
        return None if self.generator is None else self.generator.save()

    def restore_generator(self, state: State) -> None:
        """Lets the generator go on from a state."""
        if self.generator is not None:
            self.generator.restore(state)


class Ring:
    """The numbers of the elements in the buffer, and the random words that choose among them.

    While elements arrive, the oldest number is at `start` and the others follow, round the end of the list. After the
    last arrival (`close`) they follow up to the end of the list.

    Args:
      size: the most elements in the buffer; None if there is no limit.
      seeds: the seeds of the words.

    Attributes:
      has_hole: whether the slot before `start` waits for the next number to arrive.
    """

    __slots__ = ("_is_closed", "has_hole", "numbers", "seeds", "size", "start", "words")

    def __init__(self, size: int | None, seeds: tuple[int, int]) -> None:
        self.size = size
        self.seeds = seeds
        self.words = Words(*seeds)
        self.numbers: list[int] = []
        self.start = 0
        self.has_hole = False
        self._is_closed = False

    @property
    def is_full(self) -> bool:
        """Whether the buffer has taken as many numbers as it can."""
        return self.size is not None and len(self.numbers) >= self.size

    @property
    def left(self) -> int:
        """How many numbers the closed buffer holds."""
        return len(self.numbers) - self.start

    def draw(self, arriving: Sequence[int]) -> list[int]:
        """Draws from the full buffer once for each arriving number, which follows the number that is drawn."""
        size, start, numbers = len(self.numbers), self.start, self.numbers
        oldest = np.arange(start, start + len(arriving))
        chosen = (oldest + self.words.take(len(arriving)) % size) % size
        drawn = []
        for index, first, new in zip(chosen.tolist(), (oldest % size).tolist(), arriving, strict=True):
            drawn.append(numbers[index])
            numbers[index] = numbers[first]
            numbers[first] = new
        self.start = (start + len(arriving)) % size
        return drawn

    def draw_one(self) -> int:
        """Draws from the full buffer, and leaves a hole."""
        numbers, size = self.numbers, len(self.numbers)
        index = (self.start + int(self.words.take(1)[0]) % size) % size
        number = numbers[index]
        numbers[index] = numbers[self.start]
        self.start = (self.start + 1) % size
        self.has_hole = True
        return number

    def fill_hole(self, number: int) -> None:
        """Puts an arriving number into the hole."""
        self.numbers[self.start - 1] = number
        self.has_hole = False

    def close(self) -> None:
        """Lets the oldest number come first in the list: nothing arrives any more."""
        if self._is_closed:
            return
        self.numbers = self.numbers[self.start :] + self.numbers[: self.start]
        if self.has_hole:
            self.numbers.pop()
        self.start, self.has_hole, self._is_closed = 0, False, True

    def draw_last(self, count: int) -> list[int]:
        """Draws from the closed buffer, at most as many numbers as it holds."""
        start, numbers = self.start, self.numbers
        offsets = self.words.take(count) % np.arange(self.left, self.left - count, -1)
        drawn = []
        for first, index in enumerate((np.arange(start, start + count) + offsets).tolist(), start):
            drawn.append(numbers[index])
            numbers[index] = numbers[first]
        self.start = start + count
        return drawn

    def save(self) -> State:
        """Returns the seeds, the position among the words, and the ring."""
        flags = self.has_hole, self._is_closed
        return self.seeds, self.words.position, self.start, flags, np.array(self.numbers, np.int64)

    @classmethod
    def from_state(cls, size: int | None, state: State) -> Ring:
        """Returns the ring of a state."""
        seeds, position, start, flags, numbers = state
        ring = cls(size, tuple(seeds))
        ring.words.position, ring.start, ring.numbers = position, start, numbers.tolist()
        ring.has_hole, ring._is_closed = flags
        return ring


class _PositionShuffle(Cursor):
    """Shuffles positions."""

    __slots__ = ("_count", "_drawn", "_error", "_next", "_node", "_ring", "_size", "_source")

    def __init__(self, node: ShuffleNode, seeds: tuple[int, int]) -> None:
        self._node, self._source = node, node.source
        self._count = node.source.cardinality()
        self._size = None if node.buffer_size == UNKNOWN else node.buffer_size
        self._start(seeds)

    def _start(self, seeds: tuple[int, int]) -> None:
        self._ring = Ring(self._size, seeds)
        self._next = 0  # the next position that goes into the buffer
        self._drawn: Array = np.empty(0, np.int64)  # positions whose elements were not handed out
        self._error = DeferredError()

    def next_block(self, limit: int) -> Block | None:
        """Returns the elements at the next positions in random order."""
        self._error.check()
        if not len(self._drawn):
            self._drawn = np.array(self._draw(max(limit, _DRAWN_AT_ONCE)), np.int64)
        positions, self._drawn = self._drawn[:limit], self._drawn[limit:]
        if not len(positions):
            return None
        try:
            return self._source.gather(positions)
        except Exception:
            if len(positions) == 1:
                raise
        return self._one_by_one(positions)

    def _one_by_one(self, positions: Array) -> Block:
        """Returns the elements before one that cannot be had; the error waits."""
        for done in range(len(positions)):
            try:
                self._source.gather(positions[done : done + 1])
            except Exception as error:
                self._drawn = np.concatenate([positions[done + 1 :], self._drawn])
                if not done:
                    raise
                self._error.put(error)
                return self._source.gather(positions[:done])
        raise AssertionError("elements that can be had one by one can be had together")

    def _draw(self, limit: int) -> list[int]:
        """Draws up to `limit` positions."""
        ring = self._ring
        if not ring.numbers:
            self._next = self._count if self._size is None else min(self._size, self._count)
            ring.numbers = list(range(self._next))
        arriving = range(self._next, min(self._next + limit, self._count))
        drawn = ring.draw(arriving) if arriving else []
        self._next += len(arriving)
        if len(drawn) < limit:
            ring.close()
            drawn += ring.draw_last(min(limit - len(drawn), ring.left))
        return drawn

    def skip(self, count: int) -> int:
        """Draws positions without their elements."""
        self._error.check()
        missing = count - len(self._drawn)
        if missing > 0:
            self._drawn = np.concatenate([self._drawn, np.array(self._draw(missing), np.int64)])
        skipped = min(count, len(self._drawn))
        self._drawn = self._drawn[skipped:]
        return skipped

    def save(self) -> State:
        """Returns the seeds and how many elements were handed out: the rest follows from these. An error may wait."""
        drawn = self._ring.words.position - len(self._drawn)
        return self._ring.seeds, drawn, self._error.save(), self._node.save_generator()

    def restore(self, state: State) -> None:
        """Draws again what was drawn."""
        seeds, drawn, error, generator = state
        self._start(tuple(seeds))
        self._draw(drawn)
        self._error.restore(error)
        self._node.restore_generator(generator)

    def close(self) -> None:
        """Does nothing: positions need no closing."""


class _StreamShuffle(Cursor):
    """Shuffles the elements that a cursor gives, in a store of their own."""

    __slots__ = ("_ended", "_error", "_node", "_ring", "_size", "_source", "_store")

    def __init__(self, node: ShuffleNode, source: Cursor, seeds: tuple[int, int]) -> None:
        self._node, self._source = node, source
        self._size = None if node.buffer_size == UNKNOWN else node.buffer_size
        self._ring = Ring(self._size, seeds)
        self._store = ElementStore()
        self._ended = False
        self._error = DeferredError()

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements in random order."""
        self._error.check()
        ring = self._ring
        if not self._ended and not ring.is_full:
            self._fill()
        slots = [] if self._ended else self._exchange(limit)
        if self._ended:
            ring.close()
            slots += ring.draw_last(min(limit - len(slots), ring.left))
        return self._store.remove(slots) if slots else None

    def _fill(self) -> None:
        """Fills the buffer."""
        ring = self._ring
        while not ring.is_full:
            wanted = _MAX_AT_ONCE if ring.size is None else ring.size - len(ring.numbers)
            block = self._source.next_block(min(wanted, _MAX_AT_ONCE))
            if block is None:
                self._ended = True
                break
            ring.numbers += self._store.add(block)

    def _exchange(self, limit: int) -> list[int]:
        """Draws elements from the full buffer while others arrive; the last one that is drawn leaves a hole."""
        ring = self._ring
        wanted = limit if ring.has_hole else limit - 1
        blocks = collect(self._source, wanted, self._error)
        arriving = [slot for block in blocks for slot in self._store.add(block)]
        self._ended = len(arriving) < wanted and not self._error.waits
        if ring.has_hole:
            if not arriving:
                return []
            ring.fill_hole(arriving.pop(0))
        return [*ring.draw(arriving), ring.draw_one()]

    def save(self) -> State:
        """Returns the states of the source, the ring and the generator, and the elements in the store."""
        ring = self._ring
        held = ring.numbers[ring.start :] if self._ended else ring.numbers
        own = ring.save(), self._store.save(held), self._ended, self._error.save()
        return self._source.save(), own, self._node.save_generator()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        source, (ring, rows, self._ended, error), generator = state
        self._source.restore(source)
        self._error.restore(error)
        self._node.restore_generator(generator)
        self._ring = Ring.from_state(self._size, ring)
        self._store = ElementStore()
        if rows is not None:
            first = self._ring.start if self._ended else 0
            self._ring.numbers[first:] = self._store.add(Block.from_state(rows))

    def close(self) -> None:
        """Closes the source."""
        self._source.close()


# --- ops ---------------------------------------------------------------------------------------------------------


def shuffle_node(
    source: DatasetNode,
    buffer_size: Array,
    seeds: tuple[Array, Array],
    generator: object,
    reshuffles: bool,
    types: list[DType],
    shapes: list[TensorShape],
) -> ShuffleNode:
    """Makes the node of a shuffle op.

    Raises: tf.errors.InvalidArgumentError: if the buffer has no size.
    """
    size = scalar_of(buffer_size, "buffer_size")
    if size < 1 and size != UNKNOWN:
        raise errors.InvalidArgumentError(None, None, "buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
    numbers = int(seeds[0]), int(seeds[1])
    if not reshuffles:
        return ShuffleNode(tuple(types), tuple(shapes), source, size, numbers, None)
    own = generator if isinstance(generator, SeedGenerator) else SeedGenerator(*numbers)
    return ShuffleNode(tuple(types), tuple(shapes), source, size, None, own)


@op(
    "ShuffleDatasetV3",
    "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, seed_generator: resource"
    " -> handle: variant",
    **DATASET,
)
def shuffle_dataset_v3(
    xp: Xp,
    input_dataset: Array,
    buffer_size: Array,
    seed: Array,
    seed2: Array,
    seed_generator: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    reshuffle_each_iteration: bool = True,
    metadata: str = "",
) -> Any:
    """Makes a dataset of elements in random order, under a seed generator."""
    source, generator = node_of(input_dataset), resource_of(seed_generator)
    return shuffle_node(
        source, buffer_size, (seed, seed2), generator, reshuffle_each_iteration, output_types, output_shapes
    )


@op(
    "ShuffleDataset",
    "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64 -> handle: variant",
    **DATASET,
)
def shuffle_dataset(
    xp: Xp,
    input_dataset: Array,
    buffer_size: Array,
    seed: Array,
    seed2: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    reshuffle_each_iteration: bool = True,
    metadata: str = "",
) -> Any:
    """Makes a dataset of elements in random order."""
    source = node_of(input_dataset)
    return shuffle_node(source, buffer_size, (seed, seed2), None, reshuffle_each_iteration, output_types, output_shapes)


# --- the method --------------------------------------------------------------------------------------------------


def shuffle(
    self: DatasetBase,
    buffer_size: object,
    seed: object = None,
    reshuffle_each_iteration: bool | None = True,
    name: str | None = None,
) -> Any:
    """Puts the elements into a random order.

    Each element is drawn from a buffer of the next `buffer_size` elements. A buffer as large as the dataset makes all
    orders equally likely. For given seeds, the order is TensorFlow's.

    >>> tf.random.set_seed(7)
    >>> list(tf.data.Dataset.range(5).shuffle(5, seed=1).as_numpy_iterator())
    [np.int64(0), np.int64(4), np.int64(1), np.int64(3), np.int64(2)]

    Args:
      buffer_size: the size of the buffer, a scalar of int64; `tf.data.UNKNOWN_CARDINALITY` takes all elements.
      seed: a seed, which `tf.random.set_seed` combines with the global one.
      reshuffle_each_iteration: whether each pass has an order of its own; None is True.
      name: a name for the dataset.

    Returns: A Dataset.
    Raises: tf.errors.InvalidArgumentError: if `buffer_size` is not positive.
    """
    reshuffles = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
    size = int64_tensor(buffer_size, "buffer_size")
    arguments = [self, size, *dataset_seeds(seed)]
    generator = [] if in_plain_graph() else [dummy_seed_generator()]
    return apply_op(
        "_ShuffleDataset",
        shuffle_dataset_v3 if generator else shuffle_dataset,
        arguments + generator,
        self.element_spec,
        inputs=[self],
        name=name,
        reshuffle_each_iteration=reshuffles,
    )
