"""`Dataset.take` and `Dataset.skip`: the first elements, or all but these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.nodes import DATASET, INFINITE, PassContext, UnaryNode, node_of, scalar_of


@dataclass(eq=False, repr=False)
class TakeNode(UnaryNode):
    """The first `count` elements; all elements for a negative count."""

    count: int

    def cardinality(self) -> int:
        """Returns `count`, or the number of elements of the source where that is smaller or not known."""
        size = self.source.cardinality()
        if self.count < 0 or 0 <= size <= self.count:
            return size
        return self.count if size >= 0 or size == INFINITE else size

    @property
    def changes_nothing(self) -> bool:
        """Whether all elements are taken."""
        return self.count < 0

    @property
    def is_random_access(self) -> bool:
        """Whether the elements of the source can be had by position, and their number is finite."""
        return self.source.has_positions and self.cardinality() >= 0

    def slice(self, start: int, stop: int) -> Block:
        """Returns the elements of the source."""
        return self.source.slice(start, stop)

    def gather(self, indices: Array) -> Block:
        """Returns the elements of the source."""
        return self.source.gather(indices)

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        return self.source.cursor(context) if self.count < 0 else TakeCursor(self.count, self.source.cursor(context))


class TakeCursor(Cursor):
    """Counts the elements that may still come."""

    __slots__ = ("_left", "_source")

    def __init__(self, count: int, source: Cursor) -> None:
        self._left, self._source = count, source

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements while there may be some."""
        if not self._left:
            return None
        block = self._source.next_block(min(limit, self._left))
        self._left = 0 if block is None else self._left - block.count
        return block

    def skip(self, count: int) -> int:
        """Passes over elements of the source."""
        skipped = self._source.skip(min(count, self._left))
        self._left -= skipped
        return skipped

    def save(self) -> State:
        """Returns the number that is left, and the state of the source."""
        return self._left, self._source.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        self._left, source = state
        self._source.restore(source)

    def close(self) -> None:
        """Closes the source."""
        self._source.close()


@dataclass(eq=False, repr=False)
class SkipNode(UnaryNode):
    """All elements but the first `count`; none for a negative count."""

    count: int

    def cardinality(self) -> int:
        """Returns how many elements are left."""
        size = self.source.cardinality()
        if size < 0:  # also where none are left, as in TensorFlow
            return size
        return max(size - self.count, 0) if self.count >= 0 else 0

    @property
    def changes_nothing(self) -> bool:
        """Whether no elements are left out."""
        return self.count == 0

    @property
    def is_random_access(self) -> bool:
        """Whether the source is."""
        return self.source.is_random_access

    def slice(self, start: int, stop: int) -> Block:
        """Returns the elements of the source at positions further on."""
        return self.source.slice(start + self.count, stop + self.count)

    def gather(self, indices: Array) -> Block:
        """Returns the elements of the source at positions further on."""
        return self.source.gather(indices + self.count)

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        source = self.source.cursor(context)
        return TakeCursor(0, source) if self.count < 0 else SkipCursor(self.count, source)


class SkipCursor(Cursor):
    """Passes over the first elements when it is first asked."""

    __slots__ = ("_left", "_source")

    def __init__(self, count: int, source: Cursor) -> None:
        self._left, self._source = count, source

    def next_block(self, limit: int) -> Block | None:
        """Returns the elements that follow."""
        self._pass_over()
        return self._source.next_block(limit)

    def skip(self, count: int) -> int:
        """Passes over further elements."""
        self._pass_over()
        return self._source.skip(count)

    def _pass_over(self) -> None:
        if self._left:
            self._source.skip(self._left)
            self._left = 0

    def save(self) -> State:
        """Returns the number that is still to be passed over, and the state of the source."""
        return self._left, self._source.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        self._left, source = state
        self._source.restore(source)

    def close(self) -> None:
        """Closes the source."""
        self._source.close()


@op("TakeDataset", "input_dataset: variant, count: int64 -> handle: variant", **DATASET)
def take_dataset(
    xp: Xp,
    input_dataset: Array,
    count: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of the first elements."""
    return TakeNode(tuple(output_types), tuple(output_shapes), node_of(input_dataset), scalar_of(count, "count"))


@op("SkipDataset", "input_dataset: variant, count: int64 -> handle: variant", **DATASET)
def skip_dataset(
    xp: Xp,
    input_dataset: Array,
    count: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset without the first elements."""
    return SkipNode(tuple(output_types), tuple(output_shapes), node_of(input_dataset), scalar_of(count, "count"))


def take(self: DatasetBase, count: object, name: str | None = None) -> Any:
    """Keeps the first elements.

    >>> list(tf.data.Dataset.range(10).take(3).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2)]

    Args:
      count: how many, a scalar of int64; -1 keeps all elements.
      name: a name for the dataset.

    Returns: A Dataset.
    """
    arguments = [self, int64_tensor(count, "count")]
    return apply_op("_TakeDataset", take_dataset, arguments, self.element_spec, inputs=[self], name=name)


def skip(self: DatasetBase, count: object, name: str | None = None) -> Any:
    """Leaves the first elements out.

    >>> list(tf.data.Dataset.range(10).skip(7).as_numpy_iterator())
    [np.int64(7), np.int64(8), np.int64(9)]

    Args:
      count: how many, a scalar of int64; -1 leaves all elements out.
      name: a name for the dataset.

    Returns: A Dataset.
    """
    arguments = [self, int64_tensor(count, "count")]
    return apply_op("_SkipDataset", skip_dataset, arguments, self.element_spec, inputs=[self], name=name)
