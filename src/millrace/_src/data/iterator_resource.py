"""Iterator resources: what the handle of an iterator refers to.

An iterator hands out single elements, yet takes blocks from its dataset: as many elements at once as may be made ahead
and fit into `_BLOCK_BYTES`. A dataset whose functions have effects is asked for one element at a time.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any

from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import FailedPreconditionError
from millrace._src.core.handle_types import IteratorHandle, Referent
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.declared_shapes import ShapeCheck
from millrace._src.data.nodes import DatasetNode, PassContext
from millrace._src.data.pass_seeds import SeedGenerator
from millrace._src.data.pipeline_optimizer import begin
from millrace._src.data.pool import FORKED

_BLOCK_BYTES = 1 << 18
_MAX_BLOCK_LENGTH = 1024
_LONG_WAIT = 0.005
"""The seconds after which a consumer should have an element; slower elements come in smaller blocks."""
NOT_INITIALIZED = (
    "the iterator has not been initialized. Ensure that you have run the initializer operation for this iterator "
    "before getting the next element."
)


class IteratorResource(Referent):
    """A pass over a dataset, element by element; it may be begun anew with another dataset.

    Args:
      dtypes: the dtypes of the columns.
      shapes: the shapes of the columns.
      takes_blocks: whether several elements are computed at once where no program can tell.

    Attributes:
      columns: the columns of the current block.
      count: the number of elements of the current block.
      index: the index of the next element in the current block.
      lock: held while an element is taken.
      text: what identifies the iterator in what sessions are fed; None until somebody asks.
      declared: the shapes, as a node declares them, that were last checked against those of the elements.
    """

    __slots__ = (
        "dtypes",
        "shapes",
        "columns",
        "count",
        "index",
        "lock",
        "declared",
        "text",
        "__weakref__",
        "_cursor",
        "_limit",
        "_node",
        "_context",
        "_ahead",
        "_takes_blocks",
        "_waits",
    )

    def __init__(self, dtypes: Sequence[DType], shapes: Sequence[TensorShape], *, takes_blocks: bool = True) -> None:
        self.dtypes, self.shapes = tuple(dtypes), tuple(shapes)
        self.columns: Sequence[Any] = ()
        self.count = self.index = 0
        self.lock = threading.RLock()
        self.declared: Any = None
        self.text: str | None = None
        self._node: DatasetNode | None = None
        self._cursor: Cursor | None = None
        self._context = PassContext()
        self._limit = 1
        self._ahead = False
        self._takes_blocks = takes_blocks
        self._waits = False
        _live_resources.add(self)

    @property
    def handle_type(self) -> IteratorHandle:
        """The type of the iterator."""
        return IteratorHandle(self.dtypes, self.shapes)

    def start(self, node: DatasetNode) -> None:
        """Begins a pass over a dataset: at once, or with the first element where no program can tell."""
        with self.lock:
            self.close()
            self._node = node
            self._limit, self.count, self.index = 1, 0, 0
            self._waits = True
            if node.begins_at_once:
                self._begin()

    def _begin(self) -> Cursor:
        """Returns the cursor of the pass, which begins if it has waited; the caller holds the lock.

        Raises: FailedPreconditionError: if no pass has been started.
        """
        if self._cursor is None:
            if not self._waits:
                raise FailedPreconditionError(None, None, NOT_INITIALIZED)
            node = self.node
            self._cursor, self._context = begin(node)
            self._waits = False
            is_pure = node.reads_block_ahead
            if not is_pure:  # there may be Python code in a function, which can say anything of its results
                self._cursor = ShapeCheck(self._cursor, node.shapes)
            has_handles = any(dtype.is_handle for dtype in node.dtypes)  # they are not state
            self._ahead = is_pure and self._takes_blocks and not has_handles
        return self._cursor

    def fill(self) -> bool:
        """Takes the next block; returns False at the end. The caller holds the lock."""
        if self._cursor is None and not self._waits:
            raise FailedPreconditionError(None, None, f"GetNext() failed because {NOT_INITIALIZED}")
        cursor = self._begin()
        began = perf_counter()
        block = cursor.next_block(self._limit)
        if block is None:
            self.columns, self.count, self.index = (), 0, 0
            return False
        self.columns, self.count, self.index = block.columns, block.count, 0
        if self._ahead:
            size = max(block.nbytes // block.count, 1)
            limit = 2 * self._limit if perf_counter() - began < _LONG_WAIT else self._limit // 2
            self._limit = max(min(limit, _BLOCK_BYTES // size, _MAX_BLOCK_LENGTH), 1)
        return True

    def next_row(self) -> list[Array] | None:
        """Returns the arrays of the next element; None at the end."""
        with self.lock:
            index = self.index
            if index >= self.count:
                if not self.fill():
                    return None
                index = 0
            self.index = index + 1
            return [c[index] if type(c) is list else c[index, ...] for c in self.columns]

    @property
    def node(self) -> DatasetNode:
        """The dataset of the pass.

        Raises: FailedPreconditionError: if no pass has begun.
        """
        if self._node is None:
            raise FailedPreconditionError(None, None, NOT_INITIALIZED)
        return self._node

    def save(self) -> State:
        """Returns the state: the rest of the current block, the states of the cursor, random streams and seeds."""
        with self.lock:
            cursor = self._begin().save()
            left = None
            if self.index < self.count:
                left = Block(self.columns, self.count).part(self.index, self.count).save()
            streams = [stream.save() for _, stream in self._context.streams.values()]
            return left, cursor, streams, [generator.save() for generator in seed_generators(self.node)]

    def restore(self, state: State) -> None:
        """Goes on from a state with the dataset of this iterator."""
        with self.lock:
            self.start(self.node)
            left, cursor, streams, generators = state
            self._begin().restore(cursor)
            for generator, generator_state in zip(seed_generators(self.node), generators, strict=True):
                generator.restore(generator_state)
            for (_, stream), stream_state in zip(self._context.streams.values(), streams, strict=False):
                stream.restore(stream_state)
            if left is not None:
                block = Block.from_state(left)
                self.columns, self.count, self.index = block.columns, block.count, 0

    def abandon(self) -> None:
        """Ends, in a forked process, a pass from which a thread of the other process was just taking elements."""
        if self.lock.acquire(blocking=False):
            self.lock.release()
            return
        self.lock = threading.RLock()  # no thread is left to release the other one
        self.columns, self.count, self.index = (), 0, 0
        self._cursor, self._context, self._waits = _LostCursor(), PassContext(), False

    def close(self) -> None:
        """Ends the pass: gives back threads and files."""
        self._waits = False
        if self._cursor is not None:
            self._cursor.close()
            self._cursor = None
        for closer in self._context.closers:
            closer()

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not is_finalizing():  # else files and threads end by themselves, and modules, `sys` too, are gone
            self.close()


class _LostCursor(Cursor):
    """Represents a pass that a fork has left in the middle of a step."""

    def next_block(self, limit: int) -> Block | None:
        """Raises FailedPreconditionError."""
        raise FailedPreconditionError(None, None, FORKED)

    def save(self) -> State:
        """Raises FailedPreconditionError."""
        raise FailedPreconditionError(None, None, FORKED)

    def restore(self, state: State) -> None:
        """Raises FailedPreconditionError."""
        raise FailedPreconditionError(None, None, FORKED)

    def close(self) -> None:
        """Does nothing: threads and files are the other process's."""


_live_resources: weakref.WeakSet[IteratorResource] = weakref.WeakSet()


def _abandon_passes() -> None:
    for resource in list(_live_resources):
        resource.abandon()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_abandon_passes)


def seed_generators(node: DatasetNode) -> Iterator[SeedGenerator]:
    """Yields the seed generators of a dataset, from which its later passes, and those of its inputs, take seeds."""
    for value in vars(node).values():
        if isinstance(value, SeedGenerator):
            yield value
    for source in node.inputs:
        yield from seed_generators(source)
