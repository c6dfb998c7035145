"""Buffers of elements that are made before they are asked for.

A task takes one block from the cursor, puts it into the buffer and starts the next task while there is room. So a
buffer has no thread of its own, and the cursor is used by one thread at a time: the one that runs the task. Without
room, a buffer forwards what its cursor gives, in the thread that asks.
"""

from __future__ import annotations

import threading
from collections import deque

from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State, restore_error, save_error
from millrace._src.data.pool import Task

MAX_BYTES = 1 << 26
"""The size of a buffer from which on nothing is made ahead."""


class AheadCursor(Cursor):
    """Hands on the elements of a cursor, some of which are made ahead.

    Args:
      source: the cursor.
      room: how many elements the buffer holds; 0 to make none ahead.
      arrival: an event to be set when there is something in the buffer.
      most_room: how many elements the buffer may come to hold, where it grows by itself: when the consumer has to wait
        though the buffer was full before.
      most_bytes: the size of the buffer from which on nothing is made ahead.
    """

    __slots__ = (
        "_arrival",
        "_has_ended",
        "_is_asking",
        "_is_closed",
        "_is_filling",
        "_items",
        "_lock",
        "_most_bytes",
        "_most_room",
        "_room",
        "_source",
        "_task",
        "_was_full",
    )

    def __init__(
        self,
        source: Cursor,
        room: int = 0,
        arrival: threading.Event | None = None,
        most_room: int = 0,
        most_bytes: int = MAX_BYTES,
    ) -> None:
        self._source, self._room, self._arrival = source, room, arrival
        self._most_room, self._most_bytes = most_room, most_bytes
        self._items: deque[Block | BaseException] = deque()
        self._lock = threading.RLock()  # the collector may close the cursor in a thread that holds the lock
        self._task: Task | None = None  # takes the next block; while there is one, no other thread uses the source
        self._is_asking = False  # whether the thread that asks for elements uses the source
        self._is_filling = False  # whether the room is taken away when the buffer is full
        self._was_full = False  # since the room was last changed
        self._has_ended = self._is_closed = False

    @property
    def is_ready(self) -> bool:
        """Whether an element, an error or the end is there without waiting."""
        return bool(self._items) or self._has_ended

    @property
    def is_working(self) -> bool:
        """Whether a task is to put something into the buffer."""
        return self._task is not None

    def idle_source(self) -> Cursor | None:
        """Returns the cursor, if the buffer is empty and stays so; else None."""
        return self._source if self.is_idle and not self._room and not self._has_ended else None

    @property
    def is_idle(self) -> bool:
        """Whether the next elements come from the cursor, in the thread that asks."""
        return self._task is None and not self._items

    def set_room(self, room: int) -> None:
        """Says how many elements may be made ahead, and begins to make some."""
        with self._lock:
            self._room, self._is_filling, self._was_full = room, False, False
            self._start_task()

    def fill_once(self, room: int) -> bool:
        """Begins to make elements until there are `room`; returns False if a thread just asks for elements."""
        with self._lock:
            if self._is_asking:
                return False
            self._room, self._is_filling, self._was_full = room, True, False
            self._start_task()
        return True

    def next_block(self, limit: int) -> Block | None:
        """Returns elements of the buffer, or the next elements of the cursor."""
        while True:
            with self._lock:
                if self._items:
                    item = self._next_item(limit)
                    self._start_task()
                    break
                task = self._task
                if task is None:
                    if self._has_ended:
                        return None
                    self._is_asking = True
                elif self._was_full and self._room:
                    self._grow()
            if task is None:
                return self._source_block(limit)
            task.result()
        if isinstance(item, BaseException):
            raise item
        return item

    def _grow(self) -> None:
        """Makes room for more elements, if the buffer may grow; the caller holds the lock."""
        self._room, self._was_full = max(self._room, min(2 * self._room, self._most_room)), False

    def _source_block(self, limit: int) -> Block | None:
        """Takes elements from the cursor in this thread."""
        block: Block | None = None
        has_ended = False
        try:
            block = self._source.next_block(1 if self._room else limit)
            has_ended = block is None
        finally:
            with self._lock:
                self._has_ended, self._is_asking = has_ended, False
                if not self._is_closed and block is not None:
                    self._start_task()
        return block

    def _next_item(self, limit: int) -> Block | BaseException:
        item = self._items.popleft()
        if isinstance(item, Block) and item.count > limit:
            self._items.appendleft(item.part(limit, item.count))
            return item.part(0, limit)
        return item

    def _start_task(self) -> None:
        """Starts the task for the next block, if there is room; the caller holds the lock."""
        if self._task is None and self._has_room():
            self._task = Task(self._take)
            self._task.start()

    def _has_room(self) -> bool:
        if self._has_ended or self._is_closed or len(self._items) >= self._room:
            return False
        return not self._items or sum(i.nbytes for i in self._items if isinstance(i, Block)) < self._most_bytes

    def _take(self) -> None:
        """Puts the next block, or the error of the step, into the buffer."""
        item: Block | BaseException | None
        try:
            item = self._source.next_block(1)
        except (Exception, SystemExit, GeneratorExit) as error:  # Ctrl-C leaves the task to be run again
            item = error
        with self._lock:
            if item is None:
                self._has_ended = True
            else:
                self._items.append(item)
            self._task = None
            self._note_full()
            self._start_task()
            is_closed = self._is_closed
        if self._arrival is not None:
            self._arrival.set()
        if is_closed:
            self._source.close()

    def _note_full(self) -> None:
        """Notes whether the buffer is full, which then was filled if it was to be; the caller holds the lock."""
        if len(self._items) >= self._room:
            self._was_full = True
            if self._is_filling:
                self._room, self._is_filling = 0, False

    def skip(self, count: int) -> int:
        """Passes over elements of the buffer, or of the cursor."""
        with self._lock:
            is_idle = self._is_asking = self.is_idle and not self._has_ended
        if not is_idle:
            return super().skip(count)
        try:
            return self._source.skip(count)
        finally:
            self._is_asking = False

    def save(self) -> State:
        """Returns the buffer and the state of the cursor."""
        with self._lock:
            room, self._room, self._is_asking = self._room, 0, True
            is_filling, self._is_filling = self._is_filling, False
            task = self._task
        try:
            if task is not None:
                task.result()
            return [_save_item(item) for item in self._items], self._has_ended, self._source.save()
        finally:
            with self._lock:
                self._room, self._is_filling, self._is_asking = room, is_filling, False
                self._note_full()
                self._start_task()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        items, self._has_ended, source = state
        self._items.extend(_restore_item(item) for item in items)
        self._source.restore(source)

    def close(self) -> None:
        """Closes the cursor; a task that uses the cursor does so when it has finished."""
        with self._lock:
            self._is_closed = True
            is_used = self._task is not None and not self._task.cancel()
        self._items.clear()
        if not is_used:
            self._source.close()


def _save_item(item: Block | BaseException) -> State:
    """Returns a block, or an error, as a state may hold it."""
    return (True, save_error(item)) if isinstance(item, BaseException) else (False, item.save())


def _restore_item(state: State) -> Block | BaseException:
    is_error, item = state
    return restore_error(item) if is_error else Block.from_state(item)
