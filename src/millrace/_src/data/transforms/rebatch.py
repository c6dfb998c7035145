"""`Dataset.rebatch`: the rows of elements in batches of other sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, bool_
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block, Column, join_blocks
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.nodes import DATASET, UNKNOWN, PassContext, UnaryNode, node_of, scalar_of
from millrace._src.data.transforms.row_forms import with_rows_first
from millrace._src.data.transforms.unbatch import OpenedBatches
from millrace._src.util import nest
from millrace._src.util.text import shape_brackets


@dataclass(eq=False, repr=False)
class RebatchNode(UnaryNode):
    """The rows of the elements of the source, in batches of the given sizes, over and over."""

    sizes: tuple[int, ...]
    drop_remainder: bool

    def cardinality(self) -> int:
        """Returns that the number is not known."""
        return UNKNOWN

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        return RebatchCursor(self, OpenedBatches(self.source.cursor(context)))

    def __repr__(self) -> str:
        return "<RebatchV2DatasetOp::Dataset>"


class RebatchCursor(Cursor):
    """Opens elements until there are enough rows for a batch; an error drops the rows that wait, as in `batch`."""

    __slots__ = ("_node", "_rows", "_turn", "_unopened")

    def __init__(self, node: RebatchNode, unopened: OpenedBatches) -> None:
        self._node, self._unopened = node, unopened
        self._rows: Block | None = None
        self._turn = 0  # the index of the next size

    def next_block(self, limit: int) -> Block | None:
        """Returns the next batch; several, where rows for them are there and all have the same size."""
        sizes = self._node.sizes
        size = sizes[self._turn]
        if not size:
            self._turn = (self._turn + 1) % len(sizes)
            return self._empty_batch()
        rows = self._fill(size)
        if rows is None:
            return None
        if rows.count < size:
            return _batch_rows(rows, 1)
        batches = min(rows.count // size, limit) if len(set(sizes)) == 1 else 1
        taken = batches * size
        self._rows = rows.part(taken, rows.count) if taken < rows.count else None
        self._turn = (self._turn + batches) % len(sizes)
        return _batch_rows(rows.part(0, taken), batches)

    def _empty_batch(self) -> Block:
        """Returns a batch without rows; dimensions that are not known are 0."""
        shapes = [
            [0, *(size or 0 for size in shape.as_list()[1:])] if shape.rank else [0] for shape in self._node.shapes
        ]
        return Block.of_row([np.empty(s, d.np_dtype) for s, d in zip(shapes, self._node.dtypes, strict=True)])

    def _fill(self, size: int) -> Block | None:
        """Returns the rows that wait: `size` at least, or the last ones; None for no batch."""
        rows, self._rows = self._rows, None
        blocks = [] if rows is None else [rows]
        count = sum(block.count for block in blocks)
        while count < size:
            block = self._unopened.next_rows(1)
            if block is None:
                break
            blocks.append(block)
            count += block.count
        if not blocks or (count < size and self._node.drop_remainder):
            return None
        return join_blocks(blocks)

    def save(self) -> State:
        """Returns the state of the source, and the rows that wait."""
        return self._unopened.save(), None if self._rows is None else self._rows.save(), self._turn

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        unopened, rows, self._turn = state
        self._unopened.restore(unopened)
        self._rows = None if rows is None else Block.from_state(rows)

    def close(self) -> None:
        """Closes the source."""
        self._unopened.close()


def _batch_rows(rows: Block, count: int) -> Block:
    """Returns rows as `count` batches."""
    return Block([_batch_column(column, count) for column in rows.columns], count)


def _batch_column(column: Column, count: int) -> Array:
    if type(column) is list:
        first = column[0].shape
        other = next(row.shape for row in column if row.shape != first)
        message = (
            f"Cannot put rows of different shapes into one batch: {shape_brackets(first)}, {shape_brackets(other)}."
        )
        raise errors.FailedPreconditionError(None, None, message)
    batches: Array = column.reshape(count, len(column) // count, *column.shape[1:])
    return batches


# --- the op ------------------------------------------------------------------------------------------------------


@op(
    "RebatchDatasetV2",
    "input_dataset: variant, batch_sizes: int64, drop_remainder: bool -> handle: variant",
    **DATASET,
)
def rebatch_dataset(
    xp: Xp,
    input_dataset: Array,
    batch_sizes: Array,
    drop_remainder: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
) -> Any:
    """Makes a dataset of the rows of elements in batches of other sizes."""
    sizes = tuple(batch_sizes.reshape(-1).tolist())
    if not any(sizes) or min(sizes) < 0:
        message = f"Batch sizes must be greater than zero, with zeros among them at most. Received {list(sizes)}."
        raise errors.InvalidArgumentError(None, None, message)
    source = node_of(input_dataset)
    return RebatchNode(
        tuple(output_types), tuple(output_shapes), source, sizes, scalar_of(drop_remainder, "drop_remainder")
    )


# --- the method --------------------------------------------------------------------------------------------------


def rebatch(self: DatasetBase, batch_size: object, drop_remainder: Any = False, name: str | None = None) -> Any:
    """Puts the rows of elements into batches of other sizes.

    >>> list(tf.data.Dataset.range(7).batch(4).rebatch(3).as_numpy_iterator())
    [array([0, 1, 2]), array([3, 4, 5]), array([6])]
    >>> list(tf.data.Dataset.range(7).batch(4).rebatch([3, 1]).as_numpy_iterator())
    [array([0, 1, 2]), array([3]), array([4, 5, 6])]

    Args:
      batch_size: the number of rows of each batch; or a vector of such numbers, which batches have in turn.
      drop_remainder: whether a last batch with fewer rows is left out; a scalar of bool.
      name: accepted for compatibility; the op has no attribute for a name.

    Returns: A Dataset of batches.
    Raises:
      ValueError: if elements are scalars, or `batch_size` has more than one dimension.
      tf.errors.InvalidArgumentError: if a size is negative, or all are 0; while iterating, if the components of an
        element differ in their first dimension.
      tf.errors.FailedPreconditionError: while iterating, if rows of a batch differ in shape.
    """
    sizes = int64_tensor(batch_size, "batch_sizes")
    drops = convert_to_tensor(drop_remainder, dtype=bool_, name="drop_remainder")
    if sizes.shape.rank is not None and sizes.shape.rank > 1:
        raise ValueError(
            "Invalid `batch_sizes`. Expected `batch_sizes` to be a scalar or a vector. Received `batch_sizes` of rank "
            f"{sizes.shape.rank}."
        )
    rows = with_rows_first(self)
    static = _static_size(sizes, drops, _first_dimension(rows._structure.shapes))
    spec = nest.map_structure(lambda leaf: leaf._unbatch()._batch(static), self.element_spec)
    return apply_op("_RebatchDataset", rebatch_dataset, [rows, sizes, drops], spec, inputs=[rows])


def _first_dimension(shapes: Sequence[TensorShape]) -> int | None:
    """Returns the number of rows of an element, None if it is not known.

    Raises: ValueError: if an element has no rows, or its components have different numbers of rows.
    """
    if any(shape.rank == 0 for shape in shapes):
        raise ValueError(
            "Invalid `batch_sizes`. Expected dataset with rank of >= 1 but found a dataset with scalar elements. Fix "
            "the issue by adding the `batch` transformation to the dataset."
        )
    sizes = {index: shape[0] for index, shape in enumerate(shapes) if shape.rank and shape[0] is not None}
    first = next(iter(sizes.values()), None)
    for index, size in sizes.items():
        if size != first:
            raise ValueError(
                f"Invalid `input_dataset.` The batch dimension of component 0 is {first}, while the batch dimension of "
                f"component {index} is {size}."
            )
    return first


def _static_size(sizes: object, drop_remainder: object, rows: int | None) -> int | None:
    """Returns the number of rows that all batches have; None if they may differ."""
    known = static_value(sizes)
    if known is None or len(set(known.reshape(-1).tolist())) != 1:
        return None
    size = int(known.reshape(-1)[0])
    is_even = static_value(drop_remainder) or (rows is not None and size > 0 and rows % size == 0)
    return size if is_even else None
