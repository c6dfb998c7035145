"""Datasets of elements that a transformation holds in memory: the elements of a window, of a group."""

from __future__ import annotations

from dataclasses import dataclass

from millrace._src.core.array_namespace import Array
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor
from millrace._src.data.nodes import DatasetNode, PassContext, position_cursor


@dataclass(eq=False, repr=False)
class HeldNode(DatasetNode):
    """The elements of a block."""

    block: Block | None
    """None for no elements."""

    def cardinality(self) -> int:
        """Returns the number of elements."""
        return 0 if self.block is None else self.block.count

    @property
    def is_random_access(self) -> bool:
        """True."""
        return True

    def slice(self, start: int, stop: int) -> Block:
        """Returns elements that follow one another; views of the block."""
        assert self.block is not None
        return self.block.part(start, stop)

    def gather(self, indices: Array) -> Block:
        """Returns the elements at positions."""
        assert self.block is not None
        return self.block.gather(indices)

    def cursor(self, context: PassContext) -> Cursor:
        """Starts at the first element."""
        return position_cursor(self)

    def __repr__(self) -> str:
        return "<Window>"
