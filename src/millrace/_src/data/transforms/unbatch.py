"""`Dataset.unbatch`: the rows of elements, as elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op
from millrace._src.data.nodes import DATASET, INFINITE, UNKNOWN, PassContext, UnaryNode, node_of
from millrace._src.data.transforms.row_forms import with_rows_first
from millrace._src.util import nest
from millrace._src.util.export import export


@dataclass(eq=False, repr=False)
class UnbatchNode(UnaryNode):
    """The rows of the elements of the source."""

    @property
    def batch_size(self) -> int | None:
        """The number of rows of each element, if known."""
        return next((shape[0] for shape in self.source.shapes if shape.rank and shape[0] is not None), None)

    def cardinality(self) -> int:
        """Returns the number of rows, if all elements are known to have the same number."""
        count, size = self.source.cardinality(), self.batch_size
        if count == INFINITE or count == 0:
            return count
        return UNKNOWN if size is None or count == UNKNOWN else count * size

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        return UnbatchCursor(self.source.cursor(context), self.batch_size)


class UnbatchCursor(Cursor):
    """Opens elements when their rows are asked for.

    Args:
      source: the pass over the elements.
      batch_size: the number of rows of each element, if known.
    """

    __slots__ = ("_batch_size", "_rows", "_unopened")

    def __init__(self, source: Cursor, batch_size: int | None) -> None:
        self._batch_size = batch_size
        self._unopened = OpenedBatches(source)
        self._rows: Block | None = None

    def next_block(self, limit: int) -> Block | None:
        """Returns the next rows."""
        if self._rows is None:
            self._rows = self._unopened.next_rows(-(-limit // self._batch_size) if self._batch_size else 1)
        rows = self._rows
        if rows is None:
            return None
        self._rows = rows.part(limit, rows.count) if limit < rows.count else None
        return rows.part(0, min(limit, rows.count))

    def save(self) -> State:
        """Returns the state of the source, and the rows that wait."""
        return self._unopened.save(), None if self._rows is None else self._rows.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        unopened, rows = state
        self._unopened.restore(unopened)
        self._rows = None if rows is None else Block.from_state(rows)

    def close(self) -> None:
        """Closes the source."""
        self._unopened.close()


class OpenedBatches:
    """The rows of the elements of a cursor; elements that cannot be opened together are opened one at a time."""

    __slots__ = ("_batches", "_source")

    def __init__(self, source: Cursor) -> None:
        self._source = source
        self._batches: Block | None = None  # taken from the source, not opened yet

    def next_rows(self, limit: int) -> Block | None:
        """Returns the rows of the next elements, at most `limit` elements; None at the end.

        Raises: tf.errors.InvalidArgumentError: if an element has no rows, or different numbers of rows.
        """
        while True:
            batches = self._source.next_block(limit) if self._batches is None else self._batches
            if batches is None:
                return None
            are_even = _are_even(batches)
            taken = batches.count if are_even else 1
            self._batches = batches.part(taken, batches.count) if taken < batches.count else None
            rows = _rows_together(batches) if are_even else _rows_of_one(batches.row(0))
            if rows.count:
                return rows

    def save(self) -> State:
        """Returns the state of the source, and the elements that are not opened yet."""
        return self._source.save(), None if self._batches is None else self._batches.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        source, batches = state
        self._source.restore(source)
        self._batches = None if batches is None else Block.from_state(batches)

    def close(self) -> None:
        """Closes the source."""
        self._source.close()


def _are_even(batches: Block) -> bool:
    """Returns whether all components of all elements have the same number of rows."""
    if not batches.is_uniform:
        return False
    row_counts = {column.shape[1:2] for column in batches.columns}
    return len(row_counts) == 1 and () not in row_counts


def _rows_together(batches: Block) -> Block:
    """Returns the rows of elements that have the same number of rows in all components."""
    count = batches.count * batches.columns[0].shape[1]
    return Block([column.reshape(count, *column.shape[2:]) for column in batches.columns], count)


def _rows_of_one(components: Sequence[Array]) -> Block:
    """Returns the rows of one element.

    Raises: tf.errors.InvalidArgumentError: if a component has no rows, or their numbers differ.
    """
    for index, array in enumerate(components):
        if not array.ndim:
            message = "Input element must have a non-scalar value in each component."
            raise errors.InvalidArgumentError(None, None, message)
        if len(array) != len(components[0]):
            raise errors.InvalidArgumentError(
                None,
                None,
                "Input element must have the same batch size in each component. Component 0 had size "
                f"{len(components[0])} but component {index} had size, {len(array)}.",
            )
    return Block(components, len(components[0]))


@op("UnbatchDataset", "input_dataset: variant -> handle: variant", **DATASET)
def unbatch_dataset(
    xp: Xp,
    input_dataset: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of the rows of elements."""
    return UnbatchNode(tuple(output_types), tuple(output_shapes), node_of(input_dataset))


@op("ExperimentalUnbatchDataset", "input_dataset: variant -> handle: variant", **DATASET)
def experimental_unbatch_dataset(
    xp: Xp, input_dataset: Array, *, output_types: list[DType], output_shapes: list[TensorShape]
) -> Any:
    """Makes a dataset of the rows of elements."""
    kernel = unbatch_dataset.op_def.kernel
    return kernel(xp, input_dataset, output_types=output_types, output_shapes=output_shapes)


def unbatch(self: DatasetBase, name: str | None = None) -> Any:
    """Splits elements into their rows.

    >>> dataset = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
    >>> list(dataset.unbatch().as_numpy_iterator())
    [np.int32(1), np.int32(2), np.int32(3), np.int32(4)]

    Elements may have different numbers of rows.

    Args:
      name: a name for the dataset.

    Returns: A Dataset of the rows of all components.
    Raises:
      ValueError: if a component is a scalar, or the first dimensions are known to differ.
      tf.errors.InvalidArgumentError: while iterating, if the first dimensions of an element differ.
    """
    rows = with_rows_first(self)
    _check_first_dimensions(rows._structure.shapes)
    spec = nest.map_structure(lambda leaf: leaf._unbatch(), self.element_spec)
    return apply_op("_UnbatchDataset", unbatch_dataset, [rows], spec, inputs=[rows], name=name)


def _check_first_dimensions(shapes: Sequence[TensorShape]) -> None:
    """Refuses components without rows, or with different numbers of rows."""
    if any(shape.rank == 0 for shape in shapes):
        raise ValueError("Cannot unbatch an input with scalar components.")
    sizes = [shape[0] for shape in shapes if shape.rank and shape[0] is not None]
    for size in sizes:
        if size != sizes[0]:
            raise ValueError(
                "`unbatch()` is only supported for datasets of elements whose components have a matching leading "
                f"dimension. Encountered both {sizes[0]} and {size}."
            )


@export("data.experimental.unbatch")
def unbatch_transformation() -> Any:
    """Returns the function that splits the elements of a dataset into their rows, for `Dataset.apply`.

    >>> dataset = tf.data.Dataset.range(4).batch(2).apply(tf.data.experimental.unbatch())
    >>> list(dataset.as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2), np.int64(3)]

    Returns: A function from Dataset to Dataset.
    """
    return unbatch
