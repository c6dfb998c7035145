"""`Dataset.shard`: every n-th element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block, join_blocks
from millrace._src.data.cursors import Cursor, DeferredError, State, collect
from millrace._src.data.dataset_base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.nodes import DATASET, PassContext, UnaryNode, node_of, position_cursor, scalar_of
from millrace._src.data.options import SHARD_HINT


@dataclass(eq=False, repr=False)
class ShardNode(UnaryNode):
    """The elements of the source at positions `index`, `index + num_shards`, and so on.

    Attributes:
      require_non_empty: whether it is an error if the source has fewer elements than there are shards.
    """

    num_shards: int
    index: int
    require_non_empty: bool

    def cardinality(self) -> int:
        """Returns the number of elements of this shard."""
        size = self.source.cardinality()
        return len(range(self.index, size, self.num_shards)) if size >= 0 else size

    @property
    def changes_nothing(self) -> bool:
        """Whether there is one shard."""
        return self.num_shards == 1 and not self.require_non_empty

    @property
    def is_random_access(self) -> bool:
        """Whether the source is."""
        return self.source.is_random_access

    @property
    def begins_at_once(self) -> bool:
        """Whether the source is checked when a pass begins."""
        return self.num_shards == SHARD_HINT or self.require_non_empty or super().begins_at_once

    def slice(self, start: int, stop: int) -> Block:
        """Returns the elements of the source at every n-th position."""
        return self.gather(np.arange(start, stop))

    def gather(self, indices: Array) -> Block:
        """Returns the elements of the source at every n-th position."""
        return self.source.gather(indices * self.num_shards + self.index)

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source.

        Raises:
          tf.errors.FailedPreconditionError: if the number of shards is left to a distribution strategy.
          tf.errors.InvalidArgumentError: if a shard is empty and may not be.
        """
        if self.num_shards == SHARD_HINT:
            raise errors.FailedPreconditionError(
                None,
                None,
                "`tf.data.Dataset.shard(SHARD_HINT, ...)` can only be used in "
                "`tf.distribute.Strategy.experimental_distribute_dataset()` with "
                "`tf.data.experimental.AutoShardPolicy.HINT` policy, or tf.data service with "
                "`tf.data.experimental.service.ShardingPolicy.HINT` processing mode.",
            )
        if self.require_non_empty:
            self._check_not_empty(context)
        return position_cursor(self) if self.is_random_access else ShardCursor(self, self.source.cursor(context))

    def _check_not_empty(self, context: PassContext) -> None:
        """Refuses a source with fewer elements than there are shards, in TensorFlow's words."""
        cursor = self.source.cursor(context)
        size = cursor.skip(self.num_shards)
        cursor.close()
        if size < self.num_shards:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Could not apply FILE based sharding: the dataset only has {size} file(s), which is not enough for "
                f"the required {self.num_shards} shards/workers. Shard by data instead, or split the input into more "
                "files.",
            )


class ShardCursor(Cursor):
    """Counts the elements up to the next one of this shard; an element that fails counts too."""

    __slots__ = ("_ahead", "_error", "_node", "_source")

    def __init__(self, node: ShardNode, source: Cursor) -> None:
        self._node, self._source = node, source
        self._ahead = node.index  # the number of elements of other shards that come next
        self._error = DeferredError()

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements of this shard."""
        shards = self._node.num_shards
        while True:
            elements = self._next_elements(self._ahead + (limit - 1) * shards + 1)
            if elements is None:
                return None
            own = slice(self._ahead, None, shards)
            count = len(range(self._ahead, elements.count, shards))
            self._pass(elements.count + self._error.waits)
            if count:
                return Block([column[own] for column in elements.columns], count)

    def _next_elements(self, wanted: int) -> Block | None:
        """Returns elements of all shards; None at the end."""
        self._error.check()
        try:
            blocks = collect(self._source, wanted, self._error)
        except Exception:
            self._pass(1)
            raise
        return join_blocks(blocks) if blocks else None

    def _pass(self, count: int) -> None:
        self._ahead = (self._ahead - count) % self._node.num_shards

    def save(self) -> State:
        """Returns the number of elements ahead, an error that waits, and the state of the source."""
        return self._ahead, self._error.save(), self._source.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        self._ahead, error, source = state
        self._error.restore(error)
        self._source.restore(source)

    def close(self) -> None:
        """Closes the source."""
        self._source.close()


@op("ShardDataset", "input_dataset: variant, num_shards: int64, index: int64 -> handle: variant", **DATASET)
def shard_dataset(
    xp: Xp,
    input_dataset: Array,
    num_shards: Array,
    index: Array,
    *,
    require_non_empty: bool = False,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of every n-th element."""
    shards, position = scalar_of(num_shards, "num_shards"), scalar_of(index, "index")
    if shards < 1 and shards != SHARD_HINT:
        message = f"Number of shards must be greater than zero (currently num_shards = {shards})."
        raise errors.InvalidArgumentError(None, None, message)
    if position < 0 or (position >= shards and shards != SHARD_HINT):
        message = f"Index must be between 0 and {shards - 1} (currently index = {position})."
        raise errors.InvalidArgumentError(None, None, message)
    source = node_of(input_dataset)
    return ShardNode(tuple(output_types), tuple(output_shapes), source, shards, position, require_non_empty)


def shard(self: DatasetBase, num_shards: object, index: object, name: str | None = None) -> Any:
    """Keeps every n-th element, so that each of several workers reads a part of its own.

    >>> list(tf.data.Dataset.range(10).shard(num_shards=3, index=1).as_numpy_iterator())
    [np.int64(1), np.int64(4), np.int64(7)]

    Args:
      num_shards: the number of parts, a scalar of int64.
      index: which part, a scalar of int64.
      name: a name for the dataset.

    Returns: A Dataset.
    Raises: tf.errors.InvalidArgumentError: if `num_shards` is not positive, or `index` is not below it.
    """
    arguments = [self, int64_tensor(num_shards, "num_shards"), int64_tensor(index, "index")]
    return apply_op("_ShardDataset", shard_dataset, arguments, self.element_spec, inputs=[self], name=name)
