"""Functions applied to several elements at a time, by threads.

The results for the next elements are in a window of calls. Where somebody can tell when the function runs, the window
has at most as many calls as may run at a time: so far a function with effects runs ahead, as in TensorFlow. Else the
window is longer, so that threads find a next call without waiting for the consumer. A trial decides whether there are
calls ahead at all; a function that is quick, or runs for whole blocks, is applied inline.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from threading import Event

from millrace._src.core.array_namespace import Array
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State, restored_error, saved_error
from millrace._src.data.functions import AppliedFunction, Applying, ElementFunction
from millrace._src.data.parallelism import AUTOTUNE, available_cpus
from millrace._src.data.pool import LONGEST_WAIT, Lanes, Task
from millrace._src.data.trials import Trial

_CALLS_A_THREAD = 8
"""How many calls there may be in the window for each thread, where nobody can tell."""
_MOST_BYTES = 1 << 26
"""The size of the results in such a window."""


class _Call:
    """The call of a function for one element."""

    __slots__ = ("row", "task")

    def __init__(self, row: Sequence[Array], task: Task) -> None:
        self.row = row
        self.task = task


class ParallelFunction(Applying):
    """A function applied to several elements of a cursor at a time.

    Args:
      function: the function.
      source: the cursor.
      calls: how many calls may run at a time; `AUTOTUNE` lets the stage choose.
      is_ordered: whether results come in the order of the elements.
      runs_unseen: whether nobody can tell when the function runs, and when elements are taken from the cursor.
    """

    __slots__ = (
        "_calls",
        "_function",
        "_inline",
        "_is_ordered",
        "_lanes",
        "_longest",
        "_some_is_done",
        "_trial",
        "_window",
    )

    def __init__(
        self, function: ElementFunction, source: Cursor, calls: int, is_ordered: bool, runs_unseen: bool
    ) -> None:
        self._function = function
        self._inline = AppliedFunction(function, source)
        if calls == AUTOTUNE:
            calls = max(available_cpus() - runs_unseen, 1)  # one processor for the consumer
        self._calls, self._is_ordered = calls, is_ordered
        self._longest = _CALLS_A_THREAD * calls if runs_unseen else calls
        self._lanes = Lanes(calls)
        self._window: deque[_Call] = deque()
        self._some_is_done = Event()
        self._trial = Trial(calls)

    def next_blocks(self, limit: int) -> tuple[Block, Block] | None:
        """Returns the next elements, at most `limit`, and the results for them; None at the end."""
        trial = self._trial
        trial.start()
        if self._window or trial.is_ahead:
            pair = self._next_of_window(limit)
        else:
            pair = self._inline.next_blocks(min(limit, trial.inline_limit))
        trial.stop(0 if pair is None else pair[0].count)
        return pair

    def _next_of_window(self, limit: int) -> tuple[Block, Block] | None:
        self._fill_window()
        if not self._window:
            return None
        call = self._taken_call()
        results = call.task.result()
        if self._longest > self._calls:
            size = max(sum(array.nbytes for array in results), 1)
            self._longest = max(min(_CALLS_A_THREAD * self._calls, _MOST_BYTES // size), self._calls + 1)
        self._fill_window()
        return Block.of_row(call.row), Block.of_row(results)

    def _taken_call(self) -> _Call:
        """Takes the next call out of the window; any that is done, if the order does not matter."""
        while not self._is_ordered:
            self._some_is_done.clear()
            for call in self._window:
                if call.task.is_done:
                    self._window.remove(call)
                    return call
            if not self._some_is_done.wait(LONGEST_WAIT):
                break  # perhaps all threads of the pool wait for this one: make a call here
        return self._window.popleft()

    def _fill_window(self) -> None:
        """Begins calls for the next elements, while the trial says so."""
        room = self._longest - len(self._window) if self._trial.is_ahead else 0
        while room > 0:
            try:
                block = self._inline.next_elements(room)
            except Exception as error:
                self._window.append(_Call((), Task.done(error=error)))
                return
            if block is None:
                return
            for index, row in enumerate(block.rows(), self._inline.first):
                self._begin(row, index)
            room -= block.count

    def _begin(self, row: Sequence[Array], index: int) -> None:
        call = _Call(row, Task(partial(_results, self._function, row, index, self._some_is_done)))
        self._window.append(call)
        self._lanes.add(call.task)

    def save(self) -> State:
        """Returns the state of the source, and the elements and results of the window."""
        return self._inline.save(), [_saved(call) for call in self._window]

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        inline, window = state
        self._inline.restore(inline)
        self._window.extend(_restored(call) for call in window)

    def close(self) -> None:
        """Prevents the calls that have not begun, and closes the source."""
        self._lanes.clear()
        self._window.clear()
        self._inline.close()


def _results(function: ElementFunction, row: Sequence[Array], index: int, some_is_done: Event) -> list[Array]:
    """Returns the results for an element, and wakes whoever waits for any results."""
    try:
        return function.call_row(row, index)
    finally:
        some_is_done.set()


def _saved(call: _Call) -> State:
    """Returns a call as a state may hold it; waits for its result."""
    try:
        return list(call.row), list(call.task.result()), None
    except Exception as error:
        return list(call.row), None, saved_error(error)


def _restored(state: State) -> _Call:
    row, results, error = state
    return _Call(row, Task.done(results, None if error is None else restored_error(error)))
