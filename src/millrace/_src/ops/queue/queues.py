"""Queues of tensors: producers and consumers in several threads.

A queue holds elements of a fixed number of tensors. Who enqueues waits for room, who dequeues waits for elements; those
who came first are served first. A closed queue takes no more elements and gives those that it has. The kinds of queues
differ in the order in which elements come out: a `Store` keeps that order.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, runtime_name, string
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import QueueHandle, Referent
from millrace._src.core.resources import resource_of
from millrace._src.core.shapes import TensorShape
from millrace._src.core.waiting import wait_for
from millrace._src.ops.random.words import Words
from millrace._src.util.text import shape_brackets

Row = list[Array]
"""The arrays of one element."""
_NO_SEED = 2**31 - 1
_numbers = itertools.count()


class Store(ABC):
    """The elements of a queue, in the order in which they come out."""

    @abstractmethod
    def __len__(self) -> int:
        """Returns how many elements there are."""

    @abstractmethod
    def put(self, row: Row) -> None:
        """Takes an element."""

    @abstractmethod
    def take(self) -> Row:
        """Gives an element; there is one."""


class FirstInFirstOut(Store):
    """Elements come out as they came in."""

    def __init__(self) -> None:
        self._rows: deque[Row] = deque()

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, row: Row) -> None:
        """Takes an element."""
        self._rows.append(row)

    def take(self) -> Row:
        """Gives the oldest element."""
        return self._rows.popleft()


class SmallestFirst(Store):
    """Elements come out by their first tensor, the smallest first; of equal ones the oldest."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Row]] = []
        self._count = 0

    def __len__(self) -> int:
        return len(self._heap)

    def put(self, row: Row) -> None:
        """Takes an element."""
        self._count += 1
        heapq.heappush(self._heap, (int(row[0]), self._count, row))

    def take(self) -> Row:
        """Gives the element with the smallest number."""
        return heapq.heappop(self._heap)[2]


class Shuffled(Store):
    """Elements come out in random order.

    Args:
      seed: the first seed; both 0 for seeds that cannot be known.
      seed2: the second seed.
    """

    def __init__(self, seed: int, seed2: int) -> None:
        if seed == seed2 == 0:
            seed, seed2 = np.random.default_rng().integers(1, _NO_SEED, 2).tolist()
        self._words = Words(seed, seed2)
        self._rows: list[Row] = []

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, row: Row) -> None:
        """Takes an element."""
        self._rows.append(row)

    def take(self) -> Row:
        """Gives an element that is drawn; the newest replaces it."""
        rows = self._rows
        drawn = int(self._words.take(1)[0]) % len(rows)
        rows[drawn], rows[-1] = rows[-1], rows[drawn]
        return rows.pop()


class Queue(Referent):
    """A queue.

    Args:
      kind: what messages call the queue.
      dtypes: the dtypes of the tensors of an element.
      shapes: their shapes; empty if each element may have others.
      capacity: how many elements there may be; negative for any number.
      store: the elements.
      shared_name: the name under which several ops mean the queue.
      least: how many elements stay behind until the queue is closed.
      pads: whether elements of partly known shapes are filled up to one shape, with zeros.
    """

    def __init__(
        self,
        kind: str,
        dtypes: Sequence[DType],
        shapes: Sequence[TensorShape],
        capacity: int,
        store: Store,
        shared_name: str = "",
        least: int = 0,
        pads: bool = False,
    ) -> None:
        if shapes and len(shapes) != len(dtypes):
            names = ", ".join(map(runtime_name, dtypes))
            texts = ", ".join(map(shape_brackets, shapes))
            raise invalid(f"Different number of component types.  Types: {names}, Shapes: [{texts}]")
        self.kind = kind
        self.dtypes = tuple(dtypes)
        self.shapes = tuple(shapes)
        self.name = shared_name or str(next(_numbers))
        self.is_closed = False
        self._capacity = capacity
        self._store = store
        self._least = least
        self._pads = pads
        self._changed = threading.Condition()
        self._enqueuing = threading.Lock()
        self._dequeuing = threading.Lock()
        self._is_cancelled = False
        self._enqueuer_count = 0

    def __repr__(self) -> str:
        return f'<ResourceHandle(name="{self.name}", type="{self.kind}")>'

    @property
    def handle_type(self) -> QueueHandle:
        """The type of the queue."""
        return QueueHandle(self.dtypes, self.shapes or (TensorShape(None),) * len(self.dtypes))

    @property
    def size(self) -> int:
        """The number of elements."""
        return len(self._store)

    def close(self, cancels_enqueues: bool) -> None:
        """Lets the queue take no more elements.

        Args: cancels_enqueues: whether those who wait for room are told so; else they wait on.
        Raises: CancelledError: if the queue is closed already, and nothing is to be cancelled.
        """
        with self._changed:
            if self.is_closed and not cancels_enqueues:
                raise errors.CancelledError(None, None, f"Queue '{self.name}' is already closed.")
            self.is_closed = True
            self._is_cancelled |= cancels_enqueues
            self._changed.notify_all()

    # --- enqueuing -------------------------------------------------------------------------------------------------

    def enqueue(self, rows: Sequence[Row]) -> None:
        """Takes elements, each as soon as there is room.

        Raises: CancelledError: if the queue is closed, or is closed meanwhile for those who wait, too.
        """
        with self._changed:
            if self.is_closed:
                raise errors.CancelledError(None, None, f"{self.kind} '{self.name}' is closed.")
            self._enqueuer_count += 1
        try:
            with self._enqueuing:
                done = 0
                while done < len(rows):
                    done += self._put(rows, done)
        finally:
            with self._changed:
                self._enqueuer_count -= 1
                self._changed.notify_all()  # the last enqueuer of a closed queue lets dequeuers wait no longer

    def _put(self, rows: Sequence[Row], start: int) -> int:
        """Puts as many elements as there is room for, at least one; returns how many.

        Args:
          rows: all elements.
          start: which is the next one.
        """
        with self._changed:
            wait_for(self._changed, self._has_room_or_is_cancelled)
            if self._is_cancelled:
                raise errors.CancelledError(None, None, "Enqueue operation was cancelled")
            room = len(rows) if self._capacity < 0 else self._capacity - len(self._store)
            end = min(start + room, len(rows))
            for row in range(start, end):
                self._store.put(rows[row])
            self._changed.notify_all()
            return end - start

    def _has_room_or_is_cancelled(self) -> bool:
        return self._is_cancelled or self._capacity < 0 or len(self._store) < self._capacity

    def check_row(self, row: Sequence[Array]) -> None:
        """Refuses an element of other dtypes or shapes.

        Raises: InvalidArgumentError: in TensorFlow's words.
        """
        self._check_dtypes(row)
        for component, (shape, array) in enumerate(zip(self.shapes, row)):
            self._check_shape(component, shape, array)

    def rows_of(self, columns: Sequence[Array]) -> list[Row]:
        """Returns the elements whose tensors are stacked in columns.

        Raises: InvalidArgumentError: for other dtypes or shapes, or columns of several lengths.
        """
        self._check_dtypes(columns)
        if not columns[0].ndim:
            raise invalid("Shape mismatch in tuple component 0. Expected [?, ...], got []")
        count = len(columns[0])
        known = self.shapes or [TensorShape(column.shape[1:]) for column in columns]
        for component, (shape, column) in enumerate(zip(known, columns, strict=True)):
            self._check_shape(component, TensorShape([count]).concatenate(shape), column)
        return [list(row) for row in zip(*(_parts(column) for column in columns), strict=True)]

    def _check_dtypes(self, arrays: Sequence[Array]) -> None:
        if [array.dtype for array in arrays] != [dtype.np_dtype for dtype in self.dtypes]:
            have = ", ".join(runtime_name(array.dtype) for array in arrays)
            expected = ", ".join(map(runtime_name, self.dtypes))
            raise invalid(f"Signature mismatch, have: resource, {have}-> expected: resource, {expected}->")

    def _check_shape(self, component: int, shape: TensorShape, array: Array) -> None:
        if not shape.is_compatible_with(TensorShape(array.shape)):
            texts = f"Expected {shape_brackets(shape)}, got {shape_brackets(array.shape)}"
            raise invalid(f"Shape mismatch in tuple component {component}. {texts}")

    # --- dequeuing -------------------------------------------------------------------------------------------------

    def check_types(self, dtypes: Sequence[DType]) -> None:
        """Refuses an op that declares elements of other dtypes.

        Raises: InvalidArgumentError: in TensorFlow's words.
        """
        if tuple(dtypes) != self.dtypes:
            names = (", ".join(map(runtime_name, each)) for each in (dtypes, self.dtypes))
            raise invalid("Signature mismatch, have: resource->{} expected: resource->{}".format(*names))

    def dequeue(self, count: int, is_enough: int | None = None) -> list[Row]:
        """Gives elements, waiting for as many.

        Args:
          count: how many.
          is_enough: how many of them are enough once the queue is closed; None for all.

        Raises: OutOfRangeError: if the queue is closed and has not so many, which then stay in the queue.
        """
        is_enough = count if is_enough is None else is_enough
        rows: list[Row] = []
        with self._dequeuing:
            while len(rows) < count:
                with self._changed:
                    self._wait_for_element(rows)
                    if self._is_empty():
                        if len(rows) >= is_enough:
                            break
                        self._put_back(rows)
                        raise self._too_few(count)
                    while len(rows) < count and not self._is_empty():
                        rows.append(self._store.take())
                    self._changed.notify_all()
        return rows

    def _wait_for_element(self, rows: list[Row]) -> None:
        """Waits until an element is there, or will never be; gives elements back if the waiting is called off."""
        try:
            wait_for(self._changed, self._has_element_or_is_closed)
        except errors.OpError:
            self._put_back(rows)
            raise

    def _has_element_or_is_closed(self) -> bool:
        return not self._is_empty() or self.is_closed and not self._enqueuer_count

    def _is_empty(self) -> bool:
        """Returns whether no element may come out now."""
        return len(self._store) <= (0 if self.is_closed else self._least)

    def _put_back(self, rows: list[Row]) -> None:
        """Makes elements that were taken the next ones to come out."""
        rest = [self._store.take() for _ in range(len(self._store))]
        for row in (*rows, *rest):
            self._store.put(row)

    def _too_few(self, count: int) -> errors.OutOfRangeError:
        message = (
            f"{self.kind} '{self.name}' is closed and has insufficient elements "
            f"(requested {count}, current size {self.size})"
        )
        return errors.OutOfRangeError(None, None, message)

    def stack(self, rows: Sequence[Row]) -> list[Array]:
        """Returns the tensors of elements as columns.

        Raises: InvalidArgumentError: if the queue knows no shapes of its elements.
        """
        if not self.shapes:
            raise invalid(f"{self.kind}'s DequeueMany and DequeueUpTo require the components to have specified shapes.")
        if not rows:
            return [_fill(dtype, (0, *_least_shape(s))) for dtype, s in zip(self.dtypes, self.shapes, strict=True)]
        return [self._column(dtype, [row[number] for row in rows]) for number, dtype in enumerate(self.dtypes)]

    def _column(self, dtype: DType, arrays: Sequence[Array]) -> Array:
        """Stacks arrays, which are filled up to one shape."""
        largest = tuple(map(max, zip(*(array.shape for array in arrays), strict=True)))
        column = _fill(dtype, (len(arrays), *largest))
        for row, array in enumerate(arrays):
            column[(row, *map(slice, array.shape))] = array if array.ndim else array[()]
        return column


def _least_shape(shape: TensorShape) -> tuple[int, ...]:
    return tuple(0 if dim is None else dim for dim in shape.as_list())


def _fill(dtype: DType, shape: tuple[int, ...]) -> Array:
    return np.full(shape, b"", object) if dtype is string else np.zeros(shape, dtype.np_dtype)


def _parts(column: Array) -> list[Array]:
    """Returns the arrays of a stack; of a vector, arrays without axes."""
    return [column[row, ...] for row in range(len(column))]


def queue_of(handle: Array) -> Queue:
    """Returns the queue behind a resource handle.

    Raises: InvalidArgumentError: if the handle refers to something else.
    """
    queue = resource_of(handle)
    if not isinstance(queue, Queue):
        raise invalid(
            "Trying to access a handle's resource using the wrong type. The handle points to a "
            f"{type(queue).__name__} but you are trying to access the resource as a queue."
        )
    return queue
