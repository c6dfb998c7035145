"""`Dataset.unique`: each element once."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, int32, int64, string
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.data.blocks import Block, Column
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op
from millrace._src.data.nodes import DATASET, UNKNOWN, PassContext, UnaryNode, node_of
from millrace._src.util.export import export


@dataclass(eq=False, repr=False)
class UniqueNode(UnaryNode):
    """The elements of the source that differ from all elements before them."""

    def cardinality(self) -> int:
        """Returns that the number is not known."""
        return UNKNOWN

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        return UniqueCursor(self.source.cursor(context))


class UniqueCursor(Cursor):
    """Keeps the values that came already."""

    __slots__ = ("_seen", "_source")

    def __init__(self, source: Cursor) -> None:
        self._source = source
        self._seen: set[Hashable] = set()

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements that are new."""
        seen = self._seen
        while (block := self._source.next_block(limit)) is not None:
            new = []
            for index, value in enumerate(_values(block.columns[0])):
                if value not in seen:
                    seen.add(value)
                    new.append(index)
            if len(new) == block.count:
                return block
            if new:
                return block.gather(np.array(new))
        return None

    def save(self) -> State:
        """Returns the values, and the state of the source."""
        return list(self._seen), self._source.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        values, source = state
        self._seen = set(values)
        self._source.restore(source)

    def close(self) -> None:
        """Closes the source."""
        self._source.close()


def _values(column: Column) -> list[Hashable]:
    """Returns for each element of a column a value that equals those of equal elements."""
    if type(column) is not list and column.ndim == 1:
        values: list[Hashable] = column.tolist()
        return values
    return [(array.shape, tuple(array.reshape(-1).tolist())) for array in column]


@op("UniqueDataset", "input_dataset: variant -> handle: variant", **DATASET)
def unique_dataset(
    xp: Xp,
    input_dataset: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements that differ from all elements before them."""
    if len(output_types) != 1:
        message = "UniqueDataset only supports inputs with a single component."
        raise errors.InvalidArgumentError(None, None, message)
    return UniqueNode(tuple(output_types), tuple(output_shapes), node_of(input_dataset))


@op("ExperimentalUniqueDataset", "input_dataset: variant -> handle: variant", **DATASET)
def experimental_unique_dataset(
    xp: Xp, input_dataset: Array, *, output_types: list[DType], output_shapes: list[TensorShape]
) -> Any:
    """Makes a dataset of the elements that differ from all elements before them."""
    kernel = unique_dataset.op_def.kernel
    return kernel(xp, input_dataset, output_types=output_types, output_shapes=output_shapes)


def unique(self: DatasetBase, name: str | None = None) -> Any:
    """Leaves out elements that came before.

    >>> list(tf.data.Dataset.from_tensor_slices([1, 37, 2, 37, 2, 1]).unique().as_numpy_iterator())
    [np.int32(1), np.int32(37), np.int32(2)]

    Args:
      name: a name for the dataset.

    Returns: A Dataset. The values of all its elements are kept while it is gone through.
    Raises:
      TypeError: if the elements are not tensors of int32, int64 or string.
      tf.errors.InvalidArgumentError: if an element has several components.
    """
    for leaf in self._structure.leaves:
        kind = leaf.dtype if isinstance(leaf, TensorSpec) else leaf
        if kind not in (int32, int64, string):
            raise TypeError(
                f"`tf.data.Dataset.unique` does not support type {kind} -- only `tf.int32`, `tf.int64`, and "
                "`tf.string` are supported."
            )
    return apply_op("_UniqueDataset", unique_dataset, [self], self.element_spec, inputs=[self], name=name)


@export("data.experimental.unique")
def unique_transformation() -> Any:
    """Returns `Dataset.unique` as a function for `Dataset.apply`.

    >>> dataset = tf.data.Dataset.from_tensor_slices(["a", "b", "a"]).apply(tf.data.experimental.unique())
    >>> list(dataset.as_numpy_iterator())
    [b'a', b'b']

    Returns: A function from datasets to datasets.
    """
    return unique
