"""`Dataset.concatenate`: the elements of one dataset after those of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block, join_blocks
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op
from millrace._src.data.nodes import (
    DATASET,
    INFINITE,
    UNKNOWN,
    DatasetNode,
    NaryNode,
    PassContext,
    node_of,
    position_cursor,
    replace_fields,
)
from millrace._src.data.structure import common_spec


@dataclass(eq=False, repr=False)
class ConcatenateNode(NaryNode):
    """The elements of the first source, then those of the second.

    Attributes:
      sizes: the cardinalities of both sources; a program may concatenate hundreds of datasets in a loop, and each slice
        asks all of them.
    """

    sizes: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.sizes = tuple(source.cardinality() for source in self.sources)

    def with_inputs(self, inputs: Sequence[DatasetNode]) -> DatasetNode:
        """Returns the node with other datasets as its sources."""
        node: DatasetNode = replace_fields(
            self, sources=tuple(inputs), sizes=tuple(source.cardinality() for source in inputs)
        )
        return node

    def cardinality(self) -> int:
        """Returns the sum of both numbers; a source without end makes the result endless."""
        if INFINITE in self.sizes:
            return INFINITE
        return UNKNOWN if UNKNOWN in self.sizes else sum(self.sizes)

    @property
    def reads_ahead(self) -> bool:
        """Whether both sources may be read ahead, and the pass over the second may begin before its time."""
        first, second = self.sources
        return first.reads_ahead and second.reads_ahead and self.begins_passes_unobserved

    @property
    def begins_passes_unobserved(self) -> bool:
        """Whether the pass over the second source, which begins during the first, takes no seeds."""
        return super().begins_passes_unobserved and not self.sources[1].draws_seeds

    @property
    def is_random_access(self) -> bool:
        """Whether both sources are."""
        first, second = self.sources
        return first.is_random_access and second.is_random_access

    def slice(self, start: int, stop: int) -> Block:
        """Returns elements that follow one another, as the sources give them."""
        first, second = self.sources
        size = self.sizes[0]
        if stop <= size:
            return first.slice(start, stop)
        rest = second.slice(max(start - size, 0), stop - size)
        return join_blocks([first.slice(start, size), rest]) if start < size else rest

    def gather(self, indices: Array) -> Block:
        """Returns the elements at positions; those of each source are picked together."""
        first, second = self.sources
        is_second = indices >= self.sizes[0]
        of_first, of_second = np.flatnonzero(~is_second), np.flatnonzero(is_second)
        if not len(of_second):
            return first.gather(indices)
        of_rest = second.gather(indices[of_second] - self.sizes[0])
        if not len(of_first):
            return of_rest
        order = np.argsort(np.concatenate([of_first, of_second]))
        return join_blocks([first.gather(indices[of_first]), of_rest]).gather(order)

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the first source."""
        return position_cursor(self) if self.is_random_access else ConcatenateCursor(self, context)


class ConcatenateCursor(Cursor):
    """Goes through one source after the other; a pass begins when the pass before it has ended."""

    __slots__ = ("_index", "_node", "_context", "_source")

    def __init__(self, node: ConcatenateNode, context: PassContext) -> None:
        self._node, self._context = node, context
        self._index = 0
        self._source = node.sources[0].cursor(context)

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements of one source."""
        block = self._source.next_block(limit)
        while block is None and self._begin_next():
            block = self._source.next_block(limit)
        return block

    def skip(self, count: int) -> int:
        """Passes over elements of the sources."""
        skipped = self._source.skip(count)
        while skipped < count and self._begin_next():
            skipped += self._source.skip(count - skipped)
        return skipped

    def _begin_next(self) -> bool:
        """Begins the pass over the next source; returns False if there is none."""
        if self._index + 1 == len(self._node.sources):
            return False
        self._source.close()
        self._index += 1
        self._source = self._node.sources[self._index].cursor(self._context)
        return True

    def save(self) -> State:
        """Returns the index of the source, and the state of the pass over it."""
        return self._index, self._source.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        index, source = state
        while self._index < index:
            self._begin_next()
        self._source.restore(source)

    def close(self) -> None:
        """Closes the current pass."""
        self._source.close()


@op("ConcatenateDataset", "input_dataset: variant, another_dataset: variant -> handle: variant", **DATASET)
def concatenate_dataset(
    xp: Xp,
    input_dataset: Array,
    another_dataset: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements of one dataset, then those of another."""
    sources = node_of(input_dataset), node_of(another_dataset)
    return ConcatenateNode(tuple(output_types), tuple(output_shapes), sources)


def concatenate(self: DatasetBase, dataset: DatasetBase, name: str | None = None) -> Any:
    """Appends the elements of another dataset.

    >>> first, second = tf.data.Dataset.range(1, 4), tf.data.Dataset.range(4, 6)
    >>> list(first.concatenate(second).as_numpy_iterator())
    [np.int64(1), np.int64(2), np.int64(3), np.int64(4), np.int64(5)]

    Args:
      dataset: the other dataset; its elements have the same structure and dtypes.
      name: a name for the dataset.

    Returns: A Dataset; dimensions in which the elements differ are unknown in its `element_spec`.
    Raises: TypeError: if structures or dtypes differ.
    """
    spec = common_spec(self.element_spec, dataset.element_spec)
    if spec is None:
        raise TypeError(f"Incompatible dataset elements:\n  {self.element_spec} vs.   {dataset.element_spec}")
    inputs = [self, dataset]
    return apply_op("_ConcatenateDataset", concatenate_dataset, inputs, spec, inputs=inputs, name=name)
