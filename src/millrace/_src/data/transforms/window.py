"""`Dataset.window`: datasets of consecutive elements, as elements.

Windows may overlap and may have gaps: a window begins `shift` elements behind the one before, and holds every
`stride`-th element from its beginning on. Elements wait in one block, of which windows are views. An element that fails
keeps its index there, and each window that holds it fails.
"""

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
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block, Column, column_of, join_blocks
from millrace._src.data.cursors import Cursor, State, restore_error, save_error
from millrace._src.data.dataset_base import DatasetBase, DatasetSpec, apply_op, int64_tensor
from millrace._src.data.nodes import DATASET, DatasetNode, PassContext, UnaryNode, node_of, position_cursor, scalar_of
from millrace._src.data.sources.memory_blocks import HeldNode
from millrace._src.util import nest

_ELEMENTS_AT_ONCE = 256
"""The least number of elements that are taken from the source at a time, where no program can tell."""


@dataclass(eq=False, repr=False)
class WindowNode(UnaryNode):
    """Windows of consecutive elements; for each tensor of an element, a dataset."""

    size: int
    shift: int
    stride: int
    drop_remainder: bool

    @property
    def reach(self) -> int:
        """The number of elements from the first one of a full window to its last."""
        return (self.size - 1) * self.stride + 1

    def cardinality(self) -> int:
        """Returns the number of windows."""
        count = self.source.cardinality()
        if count < 0:
            return count
        return len(range(0, max(count - self.reach + 1, 0) if self.drop_remainder else count, self.shift))

    @property
    def is_random_access(self) -> bool:
        """Whether the source is."""
        return self.source.is_random_access

    def slice(self, start: int, stop: int) -> Block:
        """Returns windows that follow one another; views of one slice of the source."""
        first, count = start * self.shift, self.source.cardinality()
        elements = self.source.slice(first, min((stop - 1) * self.shift + self.reach, count))
        return self.windows(elements, [index * self.shift - first for index in range(start, stop)])

    def gather(self, indices: Array) -> Block:
        """Returns the windows at positions, each of a slice of its own."""
        blocks = [self.slice(index, index + 1) for index in indices.tolist()]
        return join_blocks(blocks)

    def windows(self, elements: Block, starts: Sequence[int]) -> Block:
        """Returns the windows that begin at some of the elements, and end with the elements at the latest."""
        pairs = list(zip(elements.columns, self.source.dtypes, self.source.shapes, strict=True))
        columns: list[Column] = []
        for column, dtype, shape in pairs:
            handles = np.empty(len(starts), object)
            for index, start in enumerate(starts):
                handles[index] = self._window(column[start : start + self.reach : self.stride], dtype, shape)
            columns.append(handles)
        return Block(columns, len(starts))

    def _window(self, column: Column, dtype: DType, shape: TensorShape) -> DatasetNode:
        if type(column) is list:
            column = column_of(column)
        return HeldNode((dtype,), (shape,), Block([column], len(column)))

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        return position_cursor(self) if self.is_random_access else WindowCursor(self, self.source.cursor(context))


class WindowCursor(Cursor):
    """Keeps the elements of the next windows."""

    __slots__ = ("_at_once", "_elements", "_errors", "_gap", "_node", "_source")

    def __init__(self, node: WindowNode, source: Cursor) -> None:
        self._node, self._source = node, source
        self._at_once = _ELEMENTS_AT_ONCE if node.reads_ahead else 0
        self._elements: Block | None = None
        self._errors: dict[int, Exception] = {}  # by the position among the elements that wait
        self._gap = 0  # the number of elements between those that wait, or come next, and the next window

    def next_block(self, limit: int) -> Block | None:
        """Returns the next windows."""
        node = self._node
        has_ended = not self._fill((limit - 1) * node.shift + node.reach)
        starts = self._next_starts(limit, has_ended)
        if not starts:
            return None
        failing = next((i for i, start in enumerate(starts) if self._error_in(start) is not None), len(starts))
        if not failing:
            error = self._error_in(0)
            assert error is not None
            self._pass(node.shift)
            raise error
        assert self._elements is not None
        block = node.windows(self._elements, starts[:failing])
        self._pass(failing * node.shift)
        return block

    def _next_starts(self, limit: int, has_ended: bool) -> list[int]:
        """Returns where windows begin among the elements that wait."""
        count = 0 if self._elements is None else self._elements.count
        end = count if has_ended and not self._node.drop_remainder else count - self._node.reach + 1
        return list(range(0, end, self._node.shift))[:limit]

    def _error_in(self, start: int) -> Exception | None:
        """Returns the first error in the window that begins at `start`."""
        if self._errors:
            for position in range(start, start + self._node.reach, self._node.stride):
                if position in self._errors:
                    return self._errors[position]
        return None

    def _fill(self, wanted: int) -> bool:
        """Lets `wanted` elements wait; returns False if there are fewer."""
        blocks = [] if self._elements is None else [self._elements]
        count = sum(block.count for block in blocks)
        block: Block | None = None
        while count < wanted:
            try:
                block = self._source.next_block(self._gap or max(wanted, self._at_once) - count)
            except Exception as error:
                if not self._gap:
                    self._errors[count] = error
                block = self._no_element()
            if block is None:
                break
            if self._gap:
                self._gap -= block.count
            else:
                blocks.append(block)
                count += block.count
        self._elements = join_blocks(blocks) if blocks else None
        return count >= wanted

    def _no_element(self) -> Block:
        """Returns a placeholder for an element that failed; no window shows it."""
        source = self._node.source
        shapes = [[size or 0 for size in shape.as_list()] if shape.rank else [] for shape in source.shapes]
        return Block.of_row([np.zeros(s, d.np_dtype) for s, d in zip(shapes, source.dtypes, strict=True)])

    def _pass(self, count: int) -> None:
        """Passes over elements that wait, or come next."""
        assert self._elements is not None
        size = self._elements.count
        self._elements = self._elements.part(count, size) if count < size else None
        self._errors = {index - count: error for index, error in self._errors.items() if index >= count}
        self._gap = max(count - size, 0)

    def save(self) -> State:
        """Returns the state of the source, and the elements that wait."""
        elements = None if self._elements is None else self._elements.save()
        saved = [(index, save_error(error)) for index, error in self._errors.items()]
        return self._source.save(), elements, saved, self._gap

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        source, elements, saved, self._gap = state
        self._source.restore(source)
        self._elements = None if elements is None else Block.from_state(elements)
        self._errors = {index: restore_error(error) for index, error in saved}

    def close(self) -> None:
        """Closes the source."""
        self._source.close()


@op(
    "WindowDataset",
    "input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool -> handle: variant",
    **DATASET,
)
def window_dataset(
    xp: Xp,
    input_dataset: Array,
    size: Array,
    shift: Array,
    stride: Array,
    drop_remainder: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of windows of consecutive elements."""
    numbers = scalar_of(size, "size"), scalar_of(shift, "shift"), scalar_of(stride, "stride")
    for name, number in zip(("size", "shift", "stride"), numbers, strict=True):
        if number <= 0:
            raise errors.InvalidArgumentError(None, None, f"Window {name} must be greater than zero.")
    source = node_of(input_dataset)
    return WindowNode(
        tuple(output_types), tuple(output_shapes), source, *numbers, scalar_of(drop_remainder, "drop_remainder")
    )


def window(
    self: DatasetBase,
    size: object,
    shift: object = None,
    stride: object = 1,
    drop_remainder: Any = False,
    name: str | None = None,
) -> Any:
    """Makes datasets of consecutive elements.

    >>> for numbers in tf.data.Dataset.range(7).window(3):
    ...     print(list(numbers.as_numpy_iterator()))
    [np.int64(0), np.int64(1), np.int64(2)]
    [np.int64(3), np.int64(4), np.int64(5)]
    [np.int64(6)]

    Windows of elements with several components have a dataset for each:

    >>> tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [3, 4]}).window(2).element_spec["a"]
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int32, name=None), TensorShape([]))

    Args:
      size: how many elements make a window; a scalar of int64.
      shift: how many elements further on the next window begins; by default `size`, so that windows follow one another.
      stride: the distance between the elements of a window.
      drop_remainder: whether windows at the end with fewer elements are left out; a scalar of bool.
      name: a name for the dataset.

    Returns: A Dataset whose elements are datasets, in the structure of the elements.
    Raises:
      tf.errors.InvalidArgumentError: if a number is not positive.
      NotImplementedError: if a component is None, or a composite of several tensors, such as `tf.IndexedSlices`.
    """
    for leaf in self._structure.leaves:
        if len(leaf._flat_tensor_specs) != 1:
            raise NotImplementedError(f"Dataset.window() cannot hold components of no or several tensors yet: {leaf}.")
    size = int64_tensor(size, "size")
    arguments = [
        self,
        size,
        size if shift is None else int64_tensor(shift, "shift"),
        int64_tensor(stride, "stride"),
        convert_to_tensor(drop_remainder, dtype=bool_, name="drop_remainder"),
    ]
    spec = nest.map_structure(DatasetSpec, self.element_spec)
    return apply_op("_WindowDataset", window_dataset, arguments, spec, inputs=[self], name=name)
