"""`Dataset.repeat`: the elements of a dataset, several times over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.nodes import DATASET, INFINITE, PassContext, UnaryNode, node_of, position_cursor, scalar_of


@dataclass(eq=False, repr=False)
class RepeatNode(UnaryNode):
    """The elements of the source, `count` times over; without end for a negative count."""

    count: int

    def cardinality(self) -> int:
        """Returns the number of elements in all repetitions."""
        size = self.source.cardinality()
        if size == 0 or self.count == 0:
            return 0
        if self.count < 0:
            return INFINITE
        return size * self.count if size > 0 else size

    @property
    def changes_nothing(self) -> bool:
        """Whether there is one repetition."""
        return self.count == 1

    @property
    def reads_ahead(self) -> bool:
        """Whether the source may be read ahead, and passes over the source may begin before their time."""
        return self.source.reads_ahead and self.begins_passes_unobserved

    @property
    def begins_passes_unobserved(self) -> bool:
        """Whether there is one pass over the source, or none takes seeds."""
        return super().begins_passes_unobserved and not (self.source.draws_seeds and self.count not in (0, 1))

    @property
    def reads_block_ahead(self) -> bool:
        """Whether the source may be read ahead."""
        return self.source.reads_block_ahead

    @property
    def is_random_access(self) -> bool:
        """Whether the source is, and there is an end."""
        return self.source.is_random_access and self.cardinality() >= 0

    @property
    def has_positions(self) -> bool:
        """Whether the elements of the source can be had by position."""
        return self.source.is_random_access

    def slice(self, start: int, stop: int) -> Block:
        """Returns elements that follow one another; where they are of one repetition, as the source gives them."""
        size = self.source.cardinality()
        passed = start // size * size
        if stop - passed > size:
            return self.gather(np.arange(start, stop))
        return self.source.slice(start - passed, stop - passed)

    def gather(self, indices: Array) -> Block:
        """Returns the elements at positions, which go on from repetition to repetition."""
        return self.source.gather(indices % self.source.cardinality())

    def cursor(self, context: PassContext) -> Cursor:
        """Starts the first pass over the source."""
        return position_cursor(self) if self.has_positions else RepeatCursor(self, context)


class RepeatCursor(Cursor):
    """Goes through the source again and again; a pass begins when the pass before it has ended."""

    __slots__ = ("_is_fresh", "_node", "_passes", "_context", "_source")

    def __init__(self, node: RepeatNode, context: PassContext) -> None:
        self._node, self._context = node, context
        self._passes = 0  # the number of passes that have ended
        self._source: Cursor | None = node.source.cursor(context) if node.count else None
        self._is_fresh = True  # this pass has not been asked for an element yet

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements of one pass."""
        while self._source is not None:
            is_fresh, self._is_fresh = self._is_fresh, False
            block = self._source.next_block(limit)
            if block is not None:
                return block
            self._end_pass(is_empty=is_fresh)
        return None

    def skip(self, count: int) -> int:
        """Passes over elements of the source."""
        skipped = 0
        while skipped < count and self._source is not None:
            is_fresh, self._is_fresh = self._is_fresh, False
            passed = self._source.skip(count - skipped)
            skipped += passed
            if skipped < count:
                self._end_pass(is_empty=is_fresh and not passed)
        return skipped

    def _end_pass(self, is_empty: bool) -> None:
        """Begins the next pass, if there is one; without end, an empty pass is the last one."""
        assert self._source is not None
        self._source.close()
        self._passes += 1
        is_last = self._passes == self._node.count or (self._node.count < 0 and is_empty)
        self._source = None if is_last else self._node.source.cursor(self._context)
        self._is_fresh = True

    def save(self) -> State:
        """Returns the number of passes, and the state of the current one."""
        return self._passes, self._is_fresh, None if self._source is None else self._source.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        self._passes, self._is_fresh, source = state
        if source is None:
            self.close()
            self._source = None
        elif self._source is not None:
            self._source.restore(source)

    def close(self) -> None:
        """Closes the current pass."""
        if self._source is not None:
            self._source.close()


@op("RepeatDataset", "input_dataset: variant, count: int64 -> handle: variant", **DATASET)
def repeat_dataset(
    xp: Xp,
    input_dataset: Array,
    count: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements of a dataset, several times over."""
    return RepeatNode(tuple(output_types), tuple(output_shapes), node_of(input_dataset), scalar_of(count, "count"))


def repeat(self: DatasetBase, count: object = None, name: str | None = None) -> Any:
    """Goes through the elements several times over.

    >>> list(tf.data.Dataset.range(3).repeat(2).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2), np.int64(0), np.int64(1), np.int64(2)]

    Args:
      count: how often, a scalar of int64; None and -1 repeat without end.
      name: a name for the dataset.

    Returns: A Dataset. A dataset without elements has none when repeated either.
    """
    arguments = [self, int64_tensor(-1 if count is None else count, "count")]
    return apply_op("_RepeatDataset", repeat_dataset, arguments, self.element_spec, inputs=[self], name=name)
