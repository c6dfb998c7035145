"""Functions applied to several elements at a time, by threads.

The results for the next elements are in a window of calls. Where somebody can tell when the function runs, the window
has at most as many calls as may run at a time: so far a function with effects runs ahead, as in TensorFlow. Else the
window is longer, so that threads find a next call without waiting for the consumer. A trial decides whether there are
calls ahead at all; a function that is quick, or runs for whole blocks, is applied inline.

The calls of a window stand in groups, which the consumer takes as a whole. A group is one call, or the calls for a
batch of the consumer's: their results are put into the batch's memory by the threads that make these.

Tests: tests/data/transforms/test_map_elements.py
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from itertools import islice
from threading import Event

from millrace._src.core.array_namespace import Array
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State, restore_error, save_error
from millrace._src.data.parallelism import AUTOTUNE
from millrace._src.data.pool import MAX_WAIT, Task, TaskLanes
from millrace._src.data.prefetch_trials import AheadTrial, TrialRecord
from millrace._src.data.stacked_results import Kind, StackedResults, allocate_results, block_of_views, kinds_of
from millrace._src.data.traced_functions import AppliedFunction, Applying, ElementFunction
from millrace._src.util.cores import usable_cores

_CALLS_A_THREAD = 8
"""How many calls there may be in the window for each thread, where no program can tell."""
_MAX_BYTES = 1 << 26
"""The size of the results in such a window."""
_TASK_SECONDS = 2e-3
"""How long a task of several calls takes: short tasks cost more than they share out."""
_DONE = Task.done()
"""The task of calls that need not be made."""


class _ElementCall:
    """The call of a function for one element.

    Attributes:
      row: the element.
      task: makes the call, perhaps others too.
      results: the results, once these are there.
      error: what the call raised.
    """

    __slots__ = ("error", "results", "row", "task")

    def __init__(self, row: Sequence[Array]) -> None:
        self.row = row
        self.task = _DONE
        self.results: list[Array] | None = None
        self.error: Exception | None = None

    def outcome(self) -> list[Array]:
        """Waits for the results; raises what the call raised."""
        self.task.result()
        if self.results is None:
            assert self.error is not None
            raise self.error
        return self.results


class _CallGroup:
    """Calls for consecutive elements.

    Args:
      room: how many calls there are to be.
      stacked: memory for the results of several calls.

    Attributes:
      calls: those that the consumer has not taken.
      taken: how many the consumer has taken.
    """

    __slots__ = ("calls", "room", "stacked", "taken")

    def __init__(self, room: int, stacked: StackedResults | None = None) -> None:
        self.room = room
        self.stacked = stacked
        self.calls: deque[_ElementCall] = deque()
        self.taken = 0

    @property
    def left(self) -> int:
        """How many calls there is room for."""
        return self.room - self.taken - len(self.calls)

    @property
    def is_done(self) -> bool:
        """Whether all calls are."""
        return all(call.task.is_done for call in self.calls)

    def end(self) -> None:
        """Says that there will be no more calls."""
        self.room -= self.left

    def take(self, limit: int) -> tuple[Block, Block]:
        """Takes at most `limit` elements and their results; those before an error, or the error."""
        start = self.taken
        results: list[list[Array]] = []
        calls = list(islice(self.calls, limit))
        tasks = list(dict.fromkeys(call.task for call in calls))
        for task in tasks:
            task.run_if_idle()
        for task in reversed(tasks):
            task.wait()  # for the last ones first: to wake up once is better than often
        for call in calls:
            try:
                results.append(call.outcome())
            except Exception:
                if results:
                    break
                self._take_rows(1)
                raise
        rows = self._take_rows(len(results))
        return block_of_views(rows), self.stacked.block(start, results) if self.stacked else block_of_views(results)

    def _take_rows(self, count: int) -> list[Sequence[Array]]:
        """Removes calls; returns their elements."""
        self.taken += count
        return [self.calls.popleft().row for _ in range(count)]


class ParallelFunction(Applying):
    """A function applied to several elements of a cursor at a time.

    Args:
      function: the function.
      source: the cursor.
      calls: how many calls may run at a time; `AUTOTUNE` lets the stage choose.
      is_ordered: whether results come in the order of the elements.
      runs_unseen: whether no program can tell when the function runs, and when elements are taken from the cursor.
      together: how many results the consumer will take as one batch.
      record: what earlier passes over the dataset have found out about threads.
    """

    __slots__ = (
        "_calls",
        "_function",
        "_inline",
        "_is_ordered",
        "_kinds",
        "_lanes",
        "_longest",
        "_some_is_done",
        "_together",
        "_trial",
        "_waiting",
        "_window",
    )

    def __init__(
        self,
        function: ElementFunction,
        source: Cursor,
        calls: int,
        is_ordered: bool,
        runs_unseen: bool,
        together: int = 1,
        record: TrialRecord | None = None,
    ) -> None:
        self._function = function
        self._inline = AppliedFunction(function, source)
        if calls == AUTOTUNE:
            calls = max(usable_cores() - runs_unseen, 1)  # one processor for the consumer
        self._calls, self._is_ordered = calls, is_ordered
        self._together = together if runs_unseen else 1
        self._longest = _CALLS_A_THREAD * calls if runs_unseen else calls
        self._kinds: list[Kind] | None = None  # of the last results
        self._lanes = TaskLanes(calls)
        self._window: deque[_CallGroup] = deque()
        self._waiting = 0  # how many calls there are in the window
        self._some_is_done = Event()
        self._trial = AheadTrial(calls, looks_again=True, record=record)

    def next_blocks(self, limit: int) -> tuple[Block, Block] | None:
        """Returns the next elements, at most `limit`, and the results for them; None at the end."""
        trial = self._trial
        if self._window and not trial.is_ahead:  # calls that threads have begun say nothing about inline ones
            pair = self._next_of_window(limit)
        else:
            trial.start()
            if trial.is_ahead:
                pair = self._next_of_window(limit)
            else:
                pair = self._inline.next_blocks(self._inline_limit(limit))
            trial.stop(0 if pair is None else pair[1].count)
        if pair is not None and self._together > 1:
            self._kinds = kinds_of(pair[1])
        return pair

    def _inline_limit(self, limit: int) -> int:
        """Returns how many elements to make inline: a whole batch while no thread is to be tried."""
        return limit if self._together > 1 and self._trial.rests else min(limit, self._trial.inline_limit)

    def _next_of_window(self, limit: int) -> tuple[Block, Block] | None:
        self._fill_window(limit)
        if not self._window:
            return None
        group = self._next_group()
        try:
            pair = group.take(limit)
        finally:
            self._waiting = sum(len(group.calls) for group in self._window)
            if not group.calls:
                self._window.remove(group)
        if self._longest > self._calls:
            size = max(pair[1].nbytes // pair[1].count, 1)
            self._longest = max(min(_CALLS_A_THREAD * self._calls, _MAX_BYTES // size), self._calls + 1)
        self._fill_window(limit - pair[1].count)
        return pair

    def _next_group(self) -> _CallGroup:
        """Returns the first group of the window; any that is done, if the order does not matter."""
        while not self._is_ordered:
            self._some_is_done.clear()
            for group in self._window:
                if group.is_done and (not group.left or len(self._window) == 1):
                    return group
            if not self._some_is_done.wait(MAX_WAIT):
                break  # perhaps all threads of the pool wait for this one: make a call here
        return self._window[0]

    def _fill_window(self, wanted: int) -> None:
        """Begins calls for the next elements, while the trial says so.

        Args:
          wanted: how many elements the consumer lacks to its next batch.
        """
        batch = self._together if self._together > 1 else 0
        most = self._longest + batch if self._trial.is_ahead else 0
        while (room := most - self._waiting) > 0:
            group = self._open_group(wanted)
            try:
                block = self._inline.next_elements(min(room, group.left))
            except Exception as error:
                group.end()
                self._add_error(error)
                return
            if block is None:
                group.end()
                return
            self._begin(group, [_ElementCall(row) for row in block.rows()], self._inline.first)

    def _open_group(self, wanted: int) -> _CallGroup:
        """Returns the group for the next call: the last one, or a new one that ends with a batch of the consumer's."""
        if self._window and self._window[-1].left:
            return self._window[-1]
        room = self._together - (self._waiting - wanted) % self._together
        return _CallGroup(room, allocate_results(room, self._kinds))

    def _begin(self, group: _CallGroup, calls: list[_ElementCall], index: int) -> None:
        """Puts calls into a group and lets threads make them, a few one after the other.

        Args:
          group: the group.
          calls: the calls.
          index: the index of the first element.
        """
        some_is_done = None if self._is_ordered else self._some_is_done
        share = int(min(_TASK_SECONDS / max(self._trial.inline_time, 1e-9), len(calls) / (2 * self._calls))) or 1
        tasks = []
        for start in range(0, len(calls), share):
            part, first_row = calls[start : start + share], group.taken + len(group.calls)
            make = partial(_make_calls, self._function, part, index + start, group.stacked, first_row, some_is_done)
            tasks.append(Task(make))
            for call in part:
                call.task = tasks[-1]
                self._add(group, call)
        self._lanes.add(*tasks)

    def _add_error(self, error: Exception) -> None:
        call = _ElementCall(())
        call.error = error
        self._add(_CallGroup(1), call)

    def _add(self, group: _CallGroup, call: _ElementCall) -> None:
        """Puts a call into a group, and the group into the window."""
        if not group.calls and (not self._window or group is not self._window[-1]):
            self._window.append(group)
        group.calls.append(call)
        self._waiting += 1

    def save(self) -> State:
        """Returns the state of the source, and the elements and results of the window."""
        return self._inline.save(), [_save_call(call) for group in self._window for call in group.calls]

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        inline, window = state
        self._inline.restore(inline)
        for call_state in window:
            self._add(_CallGroup(1), _restore_call(call_state))

    def close(self) -> None:
        """Prevents the calls that have not begun, and closes the source."""
        self._lanes.clear()
        self._window.clear()
        self._waiting = 0
        self._inline.close()


def _make_calls(
    function: ElementFunction,
    calls: Sequence[_ElementCall],
    index: int,
    stacked: StackedResults | None,
    first_row: int,
    some_is_done: Event | None,
) -> None:
    """Makes calls one after the other, stores their results, and wakes any thread that waits for any results.

    Args:
      function: the function.
      calls: the calls.
      index: the index of the first element.
      stacked: the memory for results, if there is any.
      first_row: the row of the first results.
      some_is_done: the event to be set at the end.
    """
    try:
        for offset, call in enumerate(calls):
            try:
                results = function.call_row(call.row, index + offset)
                call.results = results if stacked is None else stacked.put(first_row + offset, results)
            except Exception as error:
                call.error = error
    finally:
        if some_is_done is not None:
            some_is_done.set()


def _save_call(call: _ElementCall) -> State:
    """Returns a call as a state may hold it; waits for its result."""
    try:
        return list(call.row), list(call.outcome()), None
    except Exception as error:
        return list(call.row), None, save_error(error)


def _restore_call(state: State) -> _ElementCall:
    row, results, error = state
    call = _ElementCall(row)
    call.results, call.error = results, None if error is None else restore_error(error)
    return call
