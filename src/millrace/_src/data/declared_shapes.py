"""Elements of other shapes than a dataset declares: errors of their own.

A function with Python code in it can say anything of its results (`set_shape`). An iterator refuses what is not so, as
TensorFlow's does; stages between the function and the iterator take elements as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from millrace._src.core import errors
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block, Column
from millrace._src.data.cursors import Cursor, State
from millrace._src.util.text import shape_brackets


def incompatible(index: int, shape: TensorShape, found: TensorShape) -> str:
    """Returns the words for a component of a shape that does not go with the declared one."""
    return (
        f"Incompatible shapes at component {index}: expected {shape_brackets(shape)} but got {shape_brackets(found)}."
    )


class ShapeCheck(Cursor):
    """Hands on the elements of a cursor that have the declared shapes, and raises an error for each of the others.

    Args:
      source: the cursor.
      shapes: the declared shapes.
    """

    __slots__ = ("_dimensions", "_rest", "_shapes", "_source")

    def __init__(self, source: Cursor, shapes: Sequence[TensorShape]) -> None:
        self._source, self._shapes = source, shapes
        self._dimensions = [s.as_list() if s.rank is not None else None for s in shapes]
        self._rest: Block | None = None

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements, up to one of another shape, or raises the error of that one."""
        block = self._source.next_block(limit) if self._rest is None else self._rest
        self._rest = None
        if block is None:
            return None
        stop = limit
        for column, dimensions in zip(block.columns, self._dimensions, strict=True):
            if dimensions is not None:
                stop = min(stop, _fitting(column, dimensions))
        if stop < block.count:
            self._rest = block.part(max(stop, 1), block.count) if block.count > 1 else None
            if not stop:
                raise errors.InvalidArgumentError(None, None, self._words(block))
            block = block.part(0, stop)
        return block

    def _words(self, block: Block) -> str:
        """Returns what is wrong with the first element of a block."""
        found = [TensorShape(array.shape) for array in block.row(0)]
        pairs = enumerate(zip(self._shapes, found, strict=True))
        return next(incompatible(i, shape, other) for i, (shape, other) in pairs if not shape.is_compatible_with(other))

    def save(self) -> State:
        """Returns the state of the source, and the elements behind the last error."""
        return self._source.save(), None if self._rest is None else self._rest.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        source, rest = state
        self._source.restore(source)
        self._rest = None if rest is None else Block.from_state(rest)

    def close(self) -> None:
        """Closes the source."""
        self._source.close()


def _fitting(column: Column, dimensions: list[int | None]) -> int:
    """Returns how many elements at the beginning of a column have a shape that goes with the declared one."""
    if type(column) is not list:
        return len(column) if _fits(column.shape[1:], dimensions) else 0
    others = (index for index, array in enumerate(column) if not _fits(array.shape, dimensions))
    return next(others, len(column))


def _fits(shape: tuple[int, ...], dimensions: list[int | None]) -> bool:
    if len(shape) != len(dimensions):
        return False
    return not shape or all(size == declared or declared is None for size, declared in zip(shape, dimensions))
