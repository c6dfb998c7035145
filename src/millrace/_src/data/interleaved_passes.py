"""Passes over datasets that take turns: the order of `interleave`.

There are slots for as many datasets as the cycle is long. Each slot in turn gives a block of elements of its dataset.
When a dataset ends, its slot is free, the turn goes on to the next slot, and the dataset of the next element comes
into the free slot when the turn has come round.

The parallel form keeps that order; threads read the datasets whose turns come next, where a trial says that this pays.
In two things it differs, as in TensorFlow: an error counts as an element of its turn, and so does the error of the
function that makes the dataset.

Tests: tests/data/transforms/test_interleave.py
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from threading import Event
from typing import Any

from millrace._src.data.blocks import Block, alternating
from millrace._src.data.cursors import Cursor, State, restore_error, save_error
from millrace._src.data.inner_passes import InnerCursor
from millrace._src.data.nodes import PassContext
from millrace._src.data.pool import MAX_WAIT
from millrace._src.data.prefetch_buffer import AheadCursor
from millrace._src.data.prefetch_trials import AheadTrial
from millrace._src.data.traced_functions import BoundFunction


class TurnsCursor(Cursor):
    """Lets the datasets of the elements of a cursor take turns.

    Args:
      function: returns the handle of a dataset for each element.
      source: the cursor over the elements.
      cycle_length: how many datasets take turns.
      block_length: how many elements of a dataset come in a turn.
      context: what the cursors of the pass share.
      reads_ahead: whether elements may be made before they are asked for, so that whole rounds can be made at once.
    """

    __slots__ = (
        "_block_length",
        "_function",
        "_given",
        "_slots",
        "_reads_ahead",
        "_context",
        "_source",
        "_source_ended",
        "_turn",
    )

    def __init__(
        self,
        function: BoundFunction,
        source: Cursor,
        cycle_length: int,
        block_length: int,
        context: PassContext,
        reads_ahead: bool,
    ) -> None:
        self._reads_ahead = reads_ahead
        self._function, self._source, self._context = function, source, context
        self._block_length = block_length
        self._source_ended = False
        self._slots: list[Any] = [None] * cycle_length  # a cursor, or None for a free slot
        self._turn = self._given = 0  # whose turn it is, and how many elements this turn has given

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements of the turn, or whole rounds."""
        rounds = self._whole_rounds(limit)
        if rounds is not None:
            return rounds
        while True:
            inner = self._slots[self._turn]
            if inner is None:
                inner = self._slots[self._turn] = self._next_dataset()
            if inner is None:
                if not any(self._slots):
                    return None
                self._leave_free_slot()
                continue
            is_alone = len(self._slots) == 1 or self._is_one_left()
            room = limit if is_alone else self._block_length - self._given
            block = self._block_of_turn(inner, min(limit, room))
            if block is not None:
                self._count(block.count)
                return block
            self._slots[self._turn] = None
            inner.close()
            self._leave_finished_slot()

    def _whole_rounds(self, limit: int) -> Block | None:
        """Returns the elements of rounds in which no dataset ends; None where there are none, or one comes alone."""
        least = 2 * self._block_length * len(self._slots)
        if self._turn or self._given or not self._reads_ahead or limit < least:
            return None
        if not self._source_ended and None in self._slots:
            return None
        datasets = [self._peekable(inner) for inner in self._slots if inner is not None]
        if len(datasets) < 2 or None in datasets:
            return None
        wanted = limit // len(datasets) // self._block_length * self._block_length
        ready = min(inner.peek(wanted) for inner in datasets) // self._block_length * self._block_length
        if not ready:
            return None
        return alternating([inner.next_block(ready) for inner in datasets], self._block_length)

    def _peekable(self, inner: object) -> Any:
        """Returns the pass itself, if its elements may be peeked at; None if they are being made elsewhere."""
        return inner

    def _is_one_left(self) -> bool:
        """Returns whether a single dataset is left, so that every turn is the turn of that dataset."""
        return self._source_ended and self._slots.count(None) == len(self._slots) - 1

    def _block_of_turn(self, inner: Any, limit: int) -> Block | None:
        block: Block | None = inner.next_block(limit)
        return block

    def _count(self, given: int) -> None:
        self._given = (self._given + given - 1) % self._block_length + 1
        if self._given == self._block_length:
            self._pass_turn()

    def _pass_turn(self) -> None:
        self._turn = (self._turn + 1) % len(self._slots)
        self._given = 0

    def _leave_free_slot(self) -> None:
        self._pass_turn()

    def _leave_finished_slot(self) -> None:
        self._pass_turn()

    def _next_dataset(self) -> Any:
        """Returns the cursor over the dataset of the next element; None after the last element."""
        inner = self._next_inner()
        if inner is not None:
            inner.open()
        return inner

    def _next_inner(self) -> InnerCursor | None:
        element = None if self._source_ended else self._source.next_block(1)
        if element is None:
            self._source_ended = True
            return None
        return InnerCursor(self._function, element.row(0), self._context)

    def save(self) -> State:
        """Returns the state of the source, that of each dataset, and whose turn it is."""
        slots = [None if inner is None else inner.save() for inner in self._slots]
        return self._source.save(), self._source_ended, slots, self._turn, self._given

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        source, self._source_ended, slots, self._turn, self._given = state
        self._source.restore(source)
        self._slots = [None if inner is None else self._restore_inner(inner) for inner in slots]

    def _restore_inner(self, state: State) -> Any:
        return InnerCursor.from_state(state, self._function, self._context)

    def close(self) -> None:
        """Closes the datasets and the source."""
        for inner in self._slots:
            if inner is not None:
                inner.close()
        self._source.close()


class ParallelTurnsCursor(TurnsCursor):
    """Lets datasets take turns, some of which threads read before their turn.

    Args:
      function, source, cycle_length, block_length, run, reads_ahead: as above.
      calls: how many datasets may be read at a time.
      room: how many elements of a dataset may be made before their turn.
      waiting: how many datasets may be begun before there is a slot for them.
      is_ordered: whether the order is that of the turns; else a turn passes to a dataset that has elements ready.
    """

    __slots__ = ("_arrival", "_calls", "_is_ordered", "_most_waiting", "_room", "_trial", "_waiting")

    def __init__(
        self,
        function: BoundFunction,
        source: Cursor,
        cycle_length: int,
        block_length: int,
        context: PassContext,
        reads_ahead: bool,
        *,
        calls: int,
        room: int,
        waiting: int,
        is_ordered: bool,
    ) -> None:
        super().__init__(function, source, cycle_length, block_length, context, reads_ahead)
        self._calls, self._room, self._most_waiting, self._is_ordered = calls, room, waiting, is_ordered
        self._arrival = Event()  # set when a dataset has something ready
        self._waiting: deque[Any] = deque()  # cursors, or errors
        self._trial = AheadTrial(calls * room)

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements of the turn."""
        trial = self._trial
        trial.start()
        if trial.is_ahead and not self._is_ordered:
            self._pass_turn_to_ready_slot()
        block = super().next_block(limit if trial.is_ahead else min(limit, trial.inline_limit))
        was_ahead = trial.is_ahead
        trial.stop(0 if block is None else block.count)
        if trial.is_ahead:
            self._work_ahead()
        elif was_ahead:
            self._set_room(self._datasets_by_turn(), 0)
        return block

    def _block_of_turn(self, inner: object, limit: int) -> Block | None:
        try:
            return super()._block_of_turn(inner, limit)
        except Exception:
            self._count(1)
            raise

    def _peekable(self, inner: Any) -> Any:
        return inner.idle_source()

    def _is_one_left(self) -> bool:
        return not self._waiting and super()._is_one_left()

    def _pass_turn_to_ready_slot(self) -> None:
        """Passes the turn on to a dataset that has something ready, if the dataset whose turn it is has not."""
        while True:
            self._arrival.clear()
            slot = self._slots[self._turn]
            if slot is None or slot.is_ready:
                return
            for turn, inner in enumerate(self._slots):
                if inner is not None and inner.is_ready:
                    self._turn, self._given = turn, 0
                    return
            if not slot.is_working or not self._arrival.wait(MAX_WAIT):
                return  # no thread works, or perhaps all threads of the pool wait for this one

    def _work_ahead(self) -> None:
        """Lets threads read the datasets whose turns come next."""
        while len(self._waiting) < self._most_waiting:
            try:
                inner = self._new_dataset()
            except Exception as error:
                self._waiting.append(error)
                break
            if inner is None:
                break
            self._waiting.append(inner)
        datasets = self._datasets_by_turn()
        self._set_room(datasets[: self._calls], self._room)
        self._set_room(datasets[self._calls :], 0)

    def _datasets_by_turn(self) -> list[AheadCursor]:
        """Returns the cursors of all datasets, in the order in which their turns come."""
        slots = self._slots[self._turn :] + self._slots[: self._turn]
        return [inner for inner in (*slots, *self._waiting) if isinstance(inner, AheadCursor)]

    def _set_room(self, datasets: Iterable[AheadCursor], room: int) -> None:
        for inner in datasets:
            inner.set_room(room)

    def _next_dataset(self) -> Any:
        if not self._waiting:
            return self._new_dataset()
        inner = self._waiting.popleft()
        if isinstance(inner, Exception):
            raise inner
        return inner

    def _new_dataset(self) -> AheadCursor | None:
        inner = self._next_inner()
        return None if inner is None else AheadCursor(inner, arrival=self._arrival)

    def save(self) -> State:
        """Returns the state of the turns, and that of the datasets that wait."""
        waiting = [
            (None, save_error(inner)) if isinstance(inner, Exception) else (inner.save(), None)
            for inner in self._waiting
        ]
        return super().save(), waiting

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        turns, waiting = state
        super().restore(turns)
        for inner, error in waiting:
            self._waiting.append(self._restore_inner(inner) if error is None else restore_error(error))

    def _restore_inner(self, state: State) -> Any:
        inner = AheadCursor(InnerCursor(self._function, (), self._context), arrival=self._arrival)
        inner.restore(state)
        return inner

    def close(self) -> None:
        """Closes all datasets and the source."""
        for inner in self._waiting:
            if isinstance(inner, AheadCursor):
                inner.close()
        self._waiting.clear()
        super().close()


class LegacyTurnsCursor(ParallelTurnsCursor):
    """Lets datasets take turns in the order of the older parallel interleave.

    All slots are filled before the first turn, and the dataset of the next element comes into a free slot at once.
    Where no element is left for a free slot, the rest of its block goes to the next slot.
    """

    __slots__ = ("_has_begun",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._has_begun = False

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements of the turn."""
        while not self._has_begun:
            free = next((index for index, inner in enumerate(self._slots) if inner is None), None)
            if free is not None:
                self._slots[free] = self._next_dataset()
            self._has_begun = free is None or self._slots[free] is None
        return super().next_block(limit)

    def save(self) -> State:
        """Returns the state of the turns, and whether the slots have been filled."""
        return super().save(), self._has_begun

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        turns, self._has_begun = state
        super().restore(turns)

    def _leave_free_slot(self) -> None:
        self._turn = (self._turn + 1) % len(self._slots)

    def _leave_finished_slot(self) -> None:
        self._slots[self._turn] = self._next_dataset()
        if self._slots[self._turn] is None:
            self._leave_free_slot()
        else:
            self._pass_turn()
