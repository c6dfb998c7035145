"""`Dataset.batch`: consecutive elements stacked along a new first axis."""

from __future__ import annotations

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
from millrace._src.data.blocks import Block, Column, column_of, join_blocks
from millrace._src.data.cursors import Cursor, DeferredError, State, collect
from millrace._src.data.dataset_base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.debug_mode import parallel_calls
from millrace._src.data.nodes import DATASET, PassContext, UnaryNode, node_of, scalar_of
from millrace._src.data.parallelism import AUTOTUNE, determinism, warn_of_determinism
from millrace._src.data.transforms.prefetch import PrefetchCursor
from millrace._src.util import nest
from millrace._src.util.cores import usable_cores
from millrace._src.util.text import shape_brackets


@dataclass(eq=False, repr=False)
class BatchNode(UnaryNode):
    """Batches of consecutive elements."""

    size: int
    drop_remainder: bool

    def cardinality(self) -> int:
        """Returns the number of batches."""
        count = self.source.cardinality()
        if count < 0:
            return count
        return count // self.size if self.drop_remainder else -(-count // self.size)

    @property
    def is_random_access(self) -> bool:
        """Whether all batches have the same size, and the elements can be had by position."""
        return self.source.is_random_access and (self.drop_remainder or self.source.cardinality() % self.size == 0)

    def stack(self, elements: Block, size: int) -> Block:
        """Returns elements as batches of `size`, which divides their number."""
        return batch_elements(elements, size)

    def slice(self, start: int, stop: int) -> Block:
        """Returns the batches at positions from `start` up to `stop`."""
        return self.stack(self.source.slice(start * self.size, stop * self.size), self.size)

    def gather(self, indices: Array) -> Block:
        """Returns the batches at positions."""
        positions = indices[:, None] * self.size + np.arange(self.size)
        return self.stack(self.source.gather(positions.reshape(-1)), self.size)

    @property
    def ends_batch_at_error(self) -> bool:
        """Whether the next batch begins behind an element that fails, rather than behind the batch of that element."""
        return True

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        return BatchCursor(self, self.source.cursor_for_batches(context, self.size))


@dataclass(eq=False, repr=False)
class ParallelBatchNode(BatchNode):
    """Batches that may be made before they are asked for."""

    calls: int

    @property
    def works_ahead(self) -> bool:
        """Whether elements are made before they are asked for: they are."""
        return True

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        room = usable_cores() if self.calls <= 0 else self.calls
        return PrefetchCursor(super().cursor(context), room, context=context)


class BatchCursor(Cursor):
    """Stacks the elements of blocks."""

    __slots__ = ("_elements", "_error", "_node", "_source")

    def __init__(self, node: BatchNode, source: Cursor) -> None:
        self._node, self._source = node, source
        self._elements: Block | None = None  # taken from the source, not batched yet
        self._error = DeferredError()

    def next_block(self, limit: int) -> Block | None:
        """Returns whole batches; the last, smaller batch is a block of its own."""
        if self._elements is None:
            self._error.check()
            blocks = self._collect(limit * self._node.size)
            if not blocks:
                return None
            self._elements = join_blocks(blocks)
        return self._next_batches(self._elements, limit)

    def _collect(self, wanted: int) -> list[Block]:
        """Returns elements for batches; an error that comes behind some waits."""
        if self._node.ends_batch_at_error:
            return collect(self._source, wanted, self._error)
        try:
            blocks = collect(self._source, wanted, self._error)
        except Exception:
            self._pass_over(self._node.size - 1)
            raise
        if self._error.waits:
            count = sum(block.count for block in blocks)
            self._pass_over(self._node.size - 1 - count % self._node.size)
        return blocks

    def _pass_over(self, count: int) -> None:
        """Takes the rest of the batch of an element that has failed; further errors are part of the same batch."""
        for _ in range(count):
            try:
                if self._source.next_block(1) is None:
                    return
            except Exception:
                continue

    def _next_batches(self, elements: Block, limit: int) -> Block | None:
        size = self._node.size
        batches = min(elements.count // size, limit)
        if batches:
            return self._stack_or_fail(elements, batches)
        self._elements = None
        self._error.check()
        return None if self._node.drop_remainder else self._node.stack(elements, elements.count)

    def _stack_or_fail(self, elements: Block, batches: int) -> Block:
        """Returns the first batches of elements; where the batches fail together, the first one alone."""
        size = self._node.size
        self._elements = elements.part(size, elements.count) if size < elements.count else None
        if batches > 1:
            try:
                stacked = self._node.stack(elements.part(0, batches * size), size)
            except Exception:
                return self._stack_or_fail(elements, 1)
            self._elements = elements.part(batches * size, elements.count) if batches * size < elements.count else None
            return stacked
        return self._node.stack(elements.part(0, size), size)

    def skip(self, count: int) -> int:
        """Passes over the elements of batches."""
        if self._elements is not None or self._error.waits:
            return super().skip(count)
        size = self._node.size
        skipped = self._source.skip(count * size)
        return skipped // size if self._node.drop_remainder else -(-skipped // size)

    def save(self) -> State:
        """Returns the state of the source, the elements that are not batched yet, and an error behind these."""
        return self._source.save(), None if self._elements is None else self._elements.save(), self._error.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        source, elements, error = state
        self._source.restore(source)
        self._elements = None if elements is None else Block.from_state(elements)
        self._error.restore(error)

    def close(self) -> None:
        """Closes the source."""
        self._source.close()


def batch_elements(elements: Block, size: int) -> Block:
    """Returns elements as batches of `size`, which divides their number.

    Raises: tf.errors.InvalidArgumentError: if elements of a batch differ in shape.
    """
    count = elements.count // size
    return Block([_batch_column(c, size, count, i) for i, c in enumerate(elements.columns)], count)


def _batch_column(column: Column, size: int, count: int, component: int) -> Column:
    if type(column) is not list:
        return column.reshape(count, size, *column.shape[1:])
    return [_stack_arrays(column[start : start + size], component) for start in range(0, count * size, size)]


def _stack_arrays(arrays: list[Array], component: int) -> Array:
    """Returns the arrays of one batch as one array."""
    first = arrays[0].shape
    for index, array in enumerate(arrays):
        if array.shape != first:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Cannot batch tensors with different shapes in component {component}. First element had shape "
                f"{shape_brackets(first)} and element {index} had shape {shape_brackets(array.shape)}.",
            )
    stacked: Array = column_of(arrays)
    return stacked


# --- ops ---------------------------------------------------------------------------------------------------------


@op("BatchDatasetV2", "input_dataset: variant, batch_size: int64, drop_remainder: bool -> handle: variant", **DATASET)
def batch_dataset(
    xp: Xp,
    input_dataset: Array,
    batch_size: Array,
    drop_remainder: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    parallel_copy: bool = False,
    metadata: str = "",
) -> Any:
    """Makes a dataset of batches of consecutive elements."""
    size = scalar_of(batch_size, "batch_size")
    if size <= 0:
        raise errors.InvalidArgumentError(None, None, "Batch size must be greater than zero.")
    source = node_of(input_dataset)
    return BatchNode(
        tuple(output_types), tuple(output_shapes), source, size, scalar_of(drop_remainder, "drop_remainder")
    )


@op("BatchDataset", "input_dataset: variant, batch_size: int64 -> handle: variant", **DATASET)
def batch_dataset_v1(
    xp: Xp,
    input_dataset: Array,
    batch_size: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of batches of consecutive elements; the last one may be smaller."""
    arguments = input_dataset, batch_size, np.zeros((), bool)
    return batch_dataset.op_def.kernel(xp, *arguments, output_types=output_types, output_shapes=output_shapes)


@op(
    "ParallelBatchDataset",
    "input_dataset: variant, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool -> handle: variant",
    **DATASET,
)
def parallel_batch_dataset(
    xp: Xp,
    input_dataset: Array,
    batch_size: Array,
    num_parallel_calls: Array,
    drop_remainder: Array,
    *,
    parallel_copy: bool = False,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    deterministic: str = "default",
    metadata: str = "",
) -> Any:
    """Makes a dataset of batches of consecutive elements, some of which may be made before they are asked for."""
    size, calls = scalar_of(batch_size, "batch_size"), int(num_parallel_calls)
    if size <= 0:
        raise errors.InvalidArgumentError(None, None, "Batch size must be greater than zero.")
    if calls < AUTOTUNE:
        raise errors.InvalidArgumentError(None, None, "num_parallel_calls must be greater than zero.")
    source = node_of(input_dataset)
    return ParallelBatchNode(
        tuple(output_types), tuple(output_shapes), source, size, scalar_of(drop_remainder, "drop_remainder"), calls
    )


# --- the method --------------------------------------------------------------------------------------------------


def batch(
    self: DatasetBase,
    batch_size: object,
    drop_remainder: Any = False,
    num_parallel_calls: object = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Any:
    """Stacks consecutive elements along a new first axis.

    >>> list(tf.data.Dataset.range(8).batch(3).as_numpy_iterator())
    [array([0, 1, 2]), array([3, 4, 5]), array([6, 7])]

    Args:
      batch_size: how many elements make a batch; a scalar of int64.
      drop_remainder: whether a last batch with fewer elements is left out; a scalar of bool.
      num_parallel_calls: how many batches may be made at a time; `tf.data.AUTOTUNE` lets the runtime choose.
      deterministic: whether batches come in order; None leaves that to the options.
      name: a name for the dataset.

    Returns: A Dataset of batches.
    Raises:
      tf.errors.InvalidArgumentError: if the size is not positive; while iterating, if elements of a batch differ in
        shape.
    """
    size = int64_tensor(batch_size, "batch_size")
    drops = convert_to_tensor(drop_remainder, dtype=bool_, name="drop_remainder")
    spec = batched_spec(self.element_spec, size, drops)
    if parallel_calls(num_parallel_calls) is None:
        if deterministic is not None:
            warn_of_determinism()
        return apply_op("_BatchDataset", batch_dataset, [self, size, drops], spec, inputs=[self], name=name)
    return apply_op(
        "_ParallelBatchDataset",
        parallel_batch_dataset,
        [self, size, int64_tensor(num_parallel_calls, "num_parallel_calls"), drops],
        spec,
        inputs=[self],
        name=name,
        deterministic=determinism(deterministic),
    )


def batched_spec(spec: object, size: object, drop_remainder: object) -> Any:
    """Returns the nest of specs of a batch; the size is known if all batches have the same one."""
    known = static_value(size) if static_value(drop_remainder) else None
    return nest.map_structure(lambda leaf: leaf._batch(None if known is None else int(known)), spec)
