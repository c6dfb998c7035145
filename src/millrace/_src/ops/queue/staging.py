"""Staging areas: elements that one step puts aside for the next one, in order or by key (`Stage`, `MapStage`).

An area has no handle: ops with the same shared name mean the same area. It lives while it holds something, or somebody
waits for it.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import Effects, op
from millrace._src.core.waiting import wait_for
from millrace._src.ops.session_tensors import running_store
from millrace._src.ops.shape_rules import UNKNOWN, no_outputs, scalar
from millrace._src.ops.type_sets import ANY, TypeList

Row = list[Array]
A = TypeVar("A", bound="Area")


class Areas:
    """The areas of one session, or of the process outside of sessions.

    Attributes:
      known: the areas by kind, container and name.
      in_use: the areas that hold something.
    """

    def __init__(self) -> None:
        self.known: weakref.WeakValueDictionary[tuple[type, str, str], Any] = weakref.WeakValueDictionary()
        self.in_use: set[Any] = set()


OUTSIDE = Areas()
"""The areas outside of sessions."""

_of_sessions: weakref.WeakKeyDictionary[Any, Areas] = weakref.WeakKeyDictionary()
"""The areas of each session, by the session's store of tensors."""

_lock = threading.Lock()


class Area:
    """Elements that wait to be taken; the base class of both kinds.

    Args:
      areas: the areas to which this one belongs.
      capacity: how many elements there may be; 0 for any number.
      memory_limit: how many bytes there may be; 0 for any number.
    """

    def __init__(self, areas: Areas, capacity: int, memory_limit: int) -> None:
        self._areas = areas
        self.capacity = capacity
        self.memory_limit = memory_limit
        self.changed = threading.Condition()
        self.byte_count = 0

    def __len__(self) -> int:
        raise NotImplementedError

    def wait_for_room(self, row: Sequence[Array]) -> None:
        """Waits until an element has room; the caller holds `changed`.

        Raises: ResourceExhaustedError: if the element is larger than the area may become.
        """
        size = _byte_count(row)
        if 0 < self.memory_limit < size:
            message = (
                f"Attempted to insert tensors with combined size of '{size}' bytes into Staging Area with a memory "
                f"limit of '{self.memory_limit}'."
            )
            raise errors.ResourceExhaustedError(None, None, message)
        wait_for(self.changed, lambda: self._has_room(size))
        self.byte_count += size

    def _has_room(self, size: int) -> bool:
        has_slot = not self.capacity or len(self) < self.capacity
        return has_slot and (not self.memory_limit or self.byte_count + size <= self.memory_limit)

    def tell(self, taken: Sequence[Array] = ()) -> None:
        """Wakes those who wait, after a change; the caller holds `changed`."""
        self.byte_count -= _byte_count(taken)
        with _lock:
            if len(self):
                self._areas.in_use.add(self)
            else:
                self._areas.in_use.discard(self)
        self.changed.notify_all()


def _byte_count(row: Sequence[Array]) -> int:
    return sum(int(array.nbytes) for array in row)


class StagingArea(Area):
    """Elements that are taken in the order in which they came."""

    def __init__(self, areas: Areas, capacity: int, memory_limit: int) -> None:
        super().__init__(areas, capacity, memory_limit)
        self._rows: deque[Row] = deque()

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, row: Row) -> None:
        """Takes an element, waiting for room."""
        with self.changed:
            self.wait_for_room(row)
            self._rows.append(row)
            self.tell()

    def take(self) -> Row:
        """Gives the oldest element, waiting for one."""
        with self.changed:
            wait_for(self.changed, lambda: len(self) > 0)
            row = self._rows.popleft()
            self.tell(row)
            return row

    def peek(self, index: int) -> Row:
        """Returns the element at a position, waiting until there is one."""
        with self.changed:
            wait_for(self.changed, lambda: len(self) > index)
            return self._rows[index]

    def clear(self) -> None:
        """Drops all elements."""
        with self.changed:
            dropped = [array for row in self._rows for array in row]
            self._rows.clear()
            self.tell(dropped)


class StagingMap(Area):
    """Elements that are taken by key; a key's tensors may come one after the other."""

    is_ordered = False

    def __init__(self, areas: Areas, capacity: int, memory_limit: int) -> None:
        super().__init__(areas, capacity, memory_limit)
        self.complete: dict[int, dict[int, Array]] = {}
        self.incomplete: dict[int, dict[int, Array]] = {}

    def __len__(self) -> int:
        return len(self.complete) + len(self.incomplete)

    def put(self, key: int, indices: list[int], row: Row, count: int) -> None:
        """Takes tensors of a key's element, waiting for room.

        Raises: InvalidArgumentError: for indices that are out of order or bounds, or were given before.
        """
        _check_indices(key, indices, count)
        with self.changed:
            parts = self.incomplete.get(key, {})
            for index in indices:
                if index in parts:
                    raise invalid(f"The tensor for index '{index}' for key '{key}' was already initialized '{count}'.")
            if key not in self.incomplete:
                self.wait_for_room(row)
            else:
                self.byte_count += _byte_count(row)
            parts = self.incomplete.setdefault(key, {})
            parts.update(zip(indices, row, strict=True))
            if len(parts) == count:
                self.complete[key] = self.incomplete.pop(key)
            self.tell()

    def peek(self, key: int, indices: list[int]) -> Row:
        """Returns tensors of a key's element, waiting until it is complete."""
        with self.changed:
            wait_for(self.changed, lambda: key in self.complete)
            return self._parts(key, indices)

    def take(self, key: int, indices: list[int]) -> Row:
        """Gives tensors of a key's element, waiting until it is complete; others stay."""
        with self.changed:
            wait_for(self.changed, lambda: key in self.complete)
            return self._take(key, indices)

    def take_any(self, indices: list[int]) -> tuple[int, Row]:
        """Gives tensors of an element, the one with the smallest key in an ordered map, waiting for one."""
        with self.changed:
            wait_for(self.changed, lambda: bool(self.complete))
            key = min(self.complete) if self.is_ordered else next(iter(self.complete))
            return key, self._take(key, indices)

    def _parts(self, key: int, indices: list[int]) -> Row:
        parts = self.complete[key]
        for index in indices:
            if index not in parts:
                raise invalid(f"Tensor at index '{index}' for key '{key}' has already been removed.")
        return [parts[index] for index in indices]

    def _take(self, key: int, indices: list[int]) -> Row:
        row = self._parts(key, indices)
        for index in indices:
            del self.complete[key][index]
        if not self.complete[key]:
            del self.complete[key]
        self.tell(row)
        return row

    def clear(self) -> None:
        """Drops all elements."""
        with self.changed:
            elements = (*self.complete.values(), *self.incomplete.values())
            dropped = [array for parts in elements for array in parts.values()]
            self.complete, self.incomplete = {}, {}
            self.tell(dropped)


class OrderedStagingMap(StagingMap):
    """A staging map from which the smallest key comes first."""

    is_ordered = True


def _check_indices(key: int, indices: list[int], count: int) -> None:
    if any(later <= earlier for earlier, later in itertools.pairwise(indices)):
        raise invalid("Indices are not strictly ordered")
    for index in indices:
        if not 0 <= index < count:
            raise invalid(f"Index '{index}' for key '{key}' was out of bounds '{count}'.")


def _area(kind: type[A], container: str, shared_name: str, capacity: int, memory_limit: int) -> A:
    """Returns the area of a name, a new one if the name is new: in a session, of the session's own."""
    session = running_store.value
    with _lock:
        areas = OUTSIDE if session is None else _of_sessions.setdefault(session, Areas())
        found = areas.known.get((kind, container, shared_name))
        if found is None:
            found = areas.known[kind, container, shared_name] = kind(areas, capacity, memory_limit)
    area: A = found
    return area


def _validate(row: Row, dtypes: Sequence[DType]) -> Row:
    """Returns an element if it has these dtypes.

    Raises: InvalidArgumentError: in TensorFlow's words.
    """
    if len(row) != len(dtypes):
        raise invalid(f"Mismatch stage/unstage: {len(row)} vs. {len(dtypes)}")
    for array, dtype in zip(row, dtypes, strict=True):
        if array.dtype != dtype.np_dtype:
            actual = runtime_name(array.dtype)
            raise invalid(f"Type mismatch: actual {actual} vs. expect {runtime_name(dtype)}")
    return row


# --- ops ---------------------------------------------------------------------------------------------------------

_TRAITS: dict[str, Any] = {
    "host_only": True,
    "refused_when_compiled": True,
    "effects": Effects.IO,
    "not_differentiable": "what is put aside is not followed",
    "not_batched": "rows would come in no particular order",
}
_ROW = TypeList(ANY, minimum=1)
_IN: dict[str, Any] = {**_TRAITS, "shape": no_outputs}
_OUT: dict[str, Any] = {**_TRAITS, "dtypes": _ROW, "shape": lambda c: [UNKNOWN] * len(c.attr("dtypes"))}
_WHOLE: dict[str, Any] = {**_TRAITS, "dtypes": TypeList(ANY)}


@op("Stage", "values: dtypes ->", **{**_IN, "dtypes": _ROW})
def stage(
    xp: Xp,
    values: Sequence[Array],
    *,
    capacity: int = 0,
    memory_limit: int = 0,
    container: str = "",
    shared_name: str = "",
) -> None:
    """Puts an element aside, waiting for room."""
    _area(StagingArea, container, shared_name, capacity, memory_limit).put(list(values))


@op("Unstage", "-> values: dtypes", **_OUT)
def unstage(
    xp: Xp,
    *,
    capacity: int = 0,
    memory_limit: int = 0,
    dtypes: list[DType],
    container: str = "",
    shared_name: str = "",
) -> Row:
    """Takes the element that was put aside first, waiting for one."""
    return _validate(_area(StagingArea, container, shared_name, capacity, memory_limit).take(), dtypes)


@op("StagePeek", "index: int32 -> values: dtypes", **_OUT)
def stage_peek(
    xp: Xp,
    index: Array,
    *,
    capacity: int = 0,
    memory_limit: int = 0,
    dtypes: list[DType],
    container: str = "",
    shared_name: str = "",
) -> Row:
    """Returns the element at a position, waiting until there is one."""
    return _validate(_area(StagingArea, container, shared_name, capacity, memory_limit).peek(int(index)), dtypes)


def _size_of(kind: type[Area], count: Callable[[Any], int]) -> Any:
    def kernel(
        xp: Xp,
        *,
        capacity: int = 0,
        memory_limit: int = 0,
        container: str = "",
        shared_name: str = "",
    ) -> Array:
        return np.array(count(_area(kind, container, shared_name, capacity, memory_limit)), np.int32)

    kernel.__doc__ = "Returns how many elements are put aside."
    return kernel


def _clearing(kind: type[StagingArea] | type[StagingMap]) -> Any:
    def kernel(
        xp: Xp,
        *,
        capacity: int = 0,
        memory_limit: int = 0,
        container: str = "",
        shared_name: str = "",
    ) -> None:
        area: Any = _area(kind, container, shared_name, capacity, memory_limit)
        area.clear()

    kernel.__doc__ = "Drops all elements that are put aside."
    return kernel


_SIZE: dict[str, Any] = {**_WHOLE, "shape": scalar}
_CLEAR: dict[str, Any] = {**_WHOLE, "shape": no_outputs}
stage_size = op("StageSize", "-> size: int32", **_SIZE)(_size_of(StagingArea, len))
map_size = op("MapSize", "-> size: int32", **_SIZE)(_size_of(StagingMap, lambda area: len(area.complete)))
ordered_map_size = op("OrderedMapSize", "-> size: int32", **_SIZE)(
    _size_of(OrderedStagingMap, lambda area: len(area.complete))
)
map_incomplete_size = op("MapIncompleteSize", "-> size: int32", **_SIZE)(
    _size_of(StagingMap, lambda area: len(area.incomplete))
)
ordered_map_incomplete_size = op("OrderedMapIncompleteSize", "-> size: int32", **_SIZE)(
    _size_of(OrderedStagingMap, lambda area: len(area.incomplete))
)
stage_clear = op("StageClear", "->", **_CLEAR)(_clearing(StagingArea))
map_clear = op("MapClear", "->", **_CLEAR)(_clearing(StagingMap))
ordered_map_clear = op("OrderedMapClear", "->", **_CLEAR)(_clearing(OrderedStagingMap))


def _map_stage(kind: type[StagingMap]) -> Any:
    def kernel(
        xp: Xp,
        key: Array,
        indices: Array,
        values: Sequence[Array],
        *,
        capacity: int = 0,
        memory_limit: int = 0,
        dtypes: list[DType],
        container: str = "",
        shared_name: str = "",
    ) -> None:
        listed = indices.tolist()
        if len(listed) != len(values):
            raise invalid(f"Expected an index for each of {len(values)} values, got {len(listed)}")
        _check_indices(int(key), listed, len(dtypes))
        row = _validate(list(values), [dtypes[index] for index in listed])
        _area(kind, container, shared_name, capacity, memory_limit).put(int(key), listed, row, len(dtypes))

    kernel.__doc__ = "Puts tensors of an element aside under a key, waiting for room."
    return kernel


def _map_taking(kind: type[StagingMap], take: Callable[[Any, int, list[int]], Row]) -> Any:
    def kernel(
        xp: Xp,
        key: Array,
        indices: Array,
        *,
        capacity: int = 0,
        memory_limit: int = 0,
        dtypes: list[DType],
        container: str = "",
        shared_name: str = "",
    ) -> Row:
        area = _area(kind, container, shared_name, capacity, memory_limit)
        return _validate(take(area, int(key), indices.tolist()), dtypes)

    kernel.__doc__ = "Returns tensors of the element under a key, waiting until it is complete."
    return kernel


def _map_unstage_no_key(kind: type[StagingMap]) -> Any:
    def kernel(
        xp: Xp,
        indices: Array,
        *,
        capacity: int = 0,
        memory_limit: int = 0,
        dtypes: list[DType],
        container: str = "",
        shared_name: str = "",
    ) -> tuple[Array, Row]:
        key, row = _area(kind, container, shared_name, capacity, memory_limit).take_any(indices.tolist())
        return np.array(key), _validate(row, dtypes)

    kernel.__doc__ = "Takes an element with its key, waiting for one that is complete."
    return kernel


_STAGE = "key: int64, indices: int32, values: fake_dtypes ->"
_STAGED: dict[str, Any] = {**_IN, "fake_dtypes": _ROW, "dtypes": TypeList(ANY)}
_TAKE = "key: int64, indices: int32 -> values: dtypes"
_TAKE_ANY = "indices: int32 -> key: int64, values: dtypes"
_WITH_KEY: dict[str, Any] = {**_OUT, "shape": lambda c: [UNKNOWN] * (1 + len(c.attr("dtypes")))}

map_stage = op("MapStage", _STAGE, **_STAGED)(_map_stage(StagingMap))
map_peek = op("MapPeek", _TAKE, **_OUT)(_map_taking(StagingMap, StagingMap.peek))
map_unstage = op("MapUnstage", _TAKE, **_OUT)(_map_taking(StagingMap, StagingMap.take))
map_unstage_no_key = op("MapUnstageNoKey", _TAKE_ANY, **_WITH_KEY)(_map_unstage_no_key(StagingMap))
ordered_map_stage = op("OrderedMapStage", _STAGE, **_STAGED)(_map_stage(OrderedStagingMap))
ordered_map_peek = op("OrderedMapPeek", _TAKE, **_OUT)(_map_taking(OrderedStagingMap, StagingMap.peek))
ordered_map_unstage = op("OrderedMapUnstage", _TAKE, **_OUT)(_map_taking(OrderedStagingMap, StagingMap.take))
ordered_map_unstage_no_key = op("OrderedMapUnstageNoKey", _TAKE_ANY, **_WITH_KEY)(
    _map_unstage_no_key(OrderedStagingMap)
)
