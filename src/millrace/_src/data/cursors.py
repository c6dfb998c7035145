"""Cursors: one pass over a dataset.

A cursor gives the elements of a dataset in blocks. Its caller says how many elements it can use at most, and the cursor
never takes more from its own inputs than it needs for these: a function with effects runs exactly as often as elements
are asked for. A stage that works ahead asks for more, where the dataset allows that (`DatasetNode.reads_ahead`).

An error belongs to an element. A cursor that meets an error after it has made elements gives these first, and raises
the error when it is asked again.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from typing import Any

from millrace._src.core import errors
from millrace._src.data.blocks import Block

State = Any
"""The state of a cursor: a nest of tuples and lists of ints, floats, bools, strings, bytes, arrays and None."""


class Cursor(ABC):
    """One pass over a dataset."""

    __slots__ = ()

    @abstractmethod
    def next_block(self, limit: int) -> Block | None:
        """Returns at least one and at most `limit` elements; None after the last element, also when asked again."""

    @abstractmethod
    def save(self) -> State:
        """Returns the state, from which `restore` of a new cursor over an equal dataset goes on."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Goes on from a state; called before the first block."""

    def skip(self, count: int) -> int:
        """Passes over `count` elements; returns how many there were."""
        skipped = 0
        while skipped < count:
            block = self.next_block(count - skipped)
            if block is None:
                break
            skipped += block.count
        return skipped

    @abstractmethod
    def close(self) -> None:
        """Gives back threads and files; called once, when no caller will ask for elements any more."""


class PassingCursor(Cursor):
    """A cursor without a state of its own: the base class of those that only change what another one gives.

    Args:
      source: the cursor, or what has the state of one.
    """

    __slots__ = ("_source",)

    def __init__(self, source: Any) -> None:
        self._source = source

    def save(self) -> State:
        """Returns the state of the source."""
        return self._source.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        self._source.restore(state)

    def close(self) -> None:
        """Closes the source."""
        self._source.close()


class DeferredError:
    """An error that waits until the elements before it were handed out."""

    __slots__ = ("_error",)

    def __init__(self) -> None:
        self._error: Exception | None = None

    def put(self, error: Exception) -> None:
        """Keeps an error for the next `check`."""
        self._error = error

    @property
    def waits(self) -> bool:
        """Whether there is an error."""
        return self._error is not None

    def check(self) -> None:
        """Raises the error that waits, once."""
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def save(self) -> State:
        """Returns the error as the state of a cursor may hold it."""
        return None if self._error is None else save_error(self._error)

    def restore(self, state: State) -> None:
        """Puts the error of a state back."""
        self._error = None if state is None else restore_error(state)


def save_error(error: BaseException) -> State:
    """Returns the status code and the message of an error; other exceptions than TensorFlow's become `UnknownError`."""
    if isinstance(error, errors.OpError):
        return error.error_code, error.message
    return errors.UNKNOWN, f"{type(error).__name__}: {error}"


def restore_error(state: State) -> Exception:
    """Returns the error that `save_error` put into a state."""
    code, message = state
    return errors.exception_type_from_error_code(code)(None, None, message)  # type: ignore[call-arg]  # of a subclass


def collect(cursor: Cursor, wanted: int, error: DeferredError) -> list[Block]:
    """Returns blocks with `wanted` elements in all, fewer where the elements end or an error comes first.

    An error is put into `error` if there are elements before it, and raised if not.
    """
    blocks: list[Block] = []
    while wanted:
        try:
            block = cursor.next_block(wanted)
        except Exception as failure:
            if not blocks:
                raise
            error.put(failure)
            break
        if block is None:
            break
        blocks.append(block)
        wanted -= block.count
    return blocks


class PositionCursor(Cursor):
    """A cursor over a dataset whose elements can be had by position; there may be infinitely many of them."""

    __slots__ = ("_node", "_position", "_size")

    def __init__(self, node: Any) -> None:
        self._node = node
        size: int = node.cardinality()
        self._size = size if size >= 0 else sys.maxsize
        self._position = 0

    def next_block(self, limit: int) -> Block | None:
        """Returns the elements at the next positions; where they fail together, the next one alone."""
        start, stop = self._position, min(self._position + limit, self._size)
        if start >= stop:
            return None
        try:
            block: Block = self._node.slice(start, stop)
        except Exception:
            stop = start + 1
            self._position = stop  # the pass goes on behind an element that fails alone, too
            block = self._node.slice(start, stop)
        self._position = stop
        return block

    def skip(self, count: int) -> int:
        """Adds to the position."""
        skipped = min(count, self._size - self._position)
        self._position += skipped
        return skipped

    def save(self) -> State:
        """Returns the position."""
        return self._position

    def restore(self, state: State) -> None:
        """Sets the position."""
        self._position = state

    def close(self) -> None:
        """Does nothing: the node holds the elements."""
