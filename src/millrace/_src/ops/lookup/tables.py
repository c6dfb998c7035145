"""Lookup tables: values by key, for many keys at once.

A table numbers its keys, in a Python dict, and keeps the values in one array, row by row. So finding a million keys
is one pass of `dict.get` that never leaves C, and one `take` of rows; nothing is done per key in Python. A large
lookup takes the fast path (`snapshots.py`) while the table does not change. Keys that were removed leave free rows
behind, which the next keys fill.

The classes differ in what may change: a `StaticTable` is filled once, a `MutableTable` changes at any time. A lock
keeps a thread that looks up from seeing half of an insertion.
"""

from __future__ import annotations

import itertools
import threading
from abc import abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, NoReturn

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, runtime_name, string
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import Referent, TableHandle
from millrace._src.core.resources import resource_of
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.lookup.snapshots import ABSENT, Snapshot, snapshot_of
from millrace._src.util.text import shape_brackets

_SMALLEST_CAPACITY = 16
_CHUNK = 1 << 14
"""How many keys are looked up at a time, so that what is between stays in the processor's cache."""
_LARGE = 4096
"""The size of a lookup for which a snapshot of the table is made, if it has not many more keys."""


class TableRows:
    """Numbers for keys: each key has a row of its own, from 0 on, as long as it stays.

    Keys are flat lists of Python values: bytes or integers, or the bytes of a vector.
    """

    __slots__ = ("_rows", "_free", "_next")

    def __init__(self) -> None:
        self._rows: dict[Hashable, int] = {}
        self._free: list[int] = []
        self._next = 0

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def end(self) -> int:
        """One more than the largest row that a key ever had."""
        return self._next

    def keys(self) -> list[Any]:
        """Returns the keys, in the order in which they came."""
        return list(self._rows)

    def numbers(self) -> Array:
        """Returns the rows of `keys()`."""
        return np.fromiter(self._rows.values(), np.int64, len(self._rows))

    def find(self, keys: Sequence[Any]) -> Array:
        """Returns the row of each key, `ABSENT` for keys that are not there."""
        return np.fromiter(map(self._rows.get, keys, itertools.repeat(ABSENT)), np.int64, len(keys))

    def find_one(self, key: object) -> int:
        """Returns the row of one key, `ABSENT` if it is not there."""
        return self._rows.get(key, ABSENT)

    def add(self, keys: Sequence[Any]) -> Array:
        """Returns the row of each key, a new row for each new key."""
        start = self._next
        fresh: dict[Hashable, int] = dict(zip(keys, itertools.count(start)))
        if self._free or len(fresh) != len(keys) or not fresh.keys().isdisjoint(self._rows):
            return self._add_some(keys)
        if self._rows:
            self._rows.update(fresh)
        else:
            self._rows = fresh
        self._next = start + len(keys)
        return np.arange(start, self._next)

    def _add_some(self, keys: Sequence[Any]) -> Array:
        """Adds keys some of which are there already, or twice among the keys."""
        known = self._rows
        new_keys = [key for key in dict.fromkeys(keys) if key not in known]
        reused = self._free[: len(new_keys)]
        del self._free[: len(new_keys)]
        known.update(zip(new_keys, itertools.chain(reused, itertools.count(self._next))))
        self._next += len(new_keys) - len(reused)
        return self.find(keys)

    def remove(self, keys: Sequence[Any]) -> Array:
        """Takes keys out; returns the rows that are free now."""
        popped = map(self._rows.pop, keys, itertools.repeat(None))
        freed = [row for row in popped if row is not None]
        self._free += freed
        return np.array(freed, np.int64)


class LookupTable(Referent):
    """A table from keys to values, of whatever kind.

    Args:
      key_dtype: the dtype of the keys.
      value_dtype: the dtype of the values.
      value_shape: the shape of the value of one key.
    """

    kind: ClassVar[str]
    """What TensorFlow calls tables of this kind in messages."""
    is_destroyed = False

    def __init__(self, key_dtype: DType, value_dtype: DType, value_shape: tuple[int, ...] = ()) -> None:
        self.key_dtype = key_dtype
        self.value_dtype = value_dtype
        self.value_shape = value_shape
        self.key_shape: tuple[int, ...] = ()
        self.lock = threading.RLock()
        self._rows = TableRows()
        self._values = self._new_values(0)
        self._snapshot: Snapshot | None = None

    def __repr__(self) -> str:
        return f'<ResourceHandle(type="{self.kind}", {self.key_dtype.name} to {self.value_dtype.name})>'

    @property
    def handle_type(self) -> TableHandle:
        """The type of the table."""
        shapes = TensorShape(self.key_shape), TensorShape(self.value_shape)
        return TableHandle(self.key_dtype, self.value_dtype, *shapes)

    def destroy(self) -> None:
        """Empties the table, which is of no use any more."""
        with self.lock:
            self._clear()
            self.is_destroyed = True

    def _new_values(self, count: int) -> Array:
        """Returns values for new rows: zeros, empty strings."""
        filling: Any = b"" if self.value_dtype is string else 0
        return np.full((count, *self.value_shape), filling, self.value_dtype.np_dtype)

    # --- reading ---------------------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """The number of keys."""
        return len(self._rows)

    def find(self, keys: Array, default: Array) -> Array:
        """Returns the value of each key, the default for keys that are not there.

        Args:
          keys: any number of keys.
          default: one value for all keys, or one for each.
        """
        lead = self._leading_shape(keys)
        self.check_default(lead, default)
        with self.lock:
            flat = keys.reshape(-1, *self.key_shape)
            each = None if default.ndim == len(self.value_shape) else default.reshape(-1, *self.value_shape)
            if self.size == 0:
                result = self._new_values(len(flat))
                result[...] = default if each is None else each
            else:
                result = np.empty((len(flat), *self.value_shape), self._values.dtype)
                snapshot = self._snapshot_for(len(flat))
                for at in range(0, len(flat), _CHUNK):
                    part = slice(at, at + _CHUNK)
                    self._find_part(flat[part], snapshot, default if each is None else each[part], result[part])
        return result.reshape(lead + self.value_shape)

    def _find_part(self, keys: Array, snapshot: Snapshot | None, default: Array, result: Array) -> None:
        """Puts the values of some keys into an array; `default` is one value, or one for each key."""
        rows = self._rows.find(self.hashable(keys)) if snapshot is None else snapshot.find(keys)
        self._values.take(rows, axis=0, out=result, mode="clip")
        absent = rows < 0
        if absent.any():
            result[absent] = default[absent] if default.ndim > len(self.value_shape) else default

    def _snapshot_for(self, count: int) -> Snapshot | None:
        """Returns the snapshot of the table for a lookup of many keys; None if one is not worth its making."""
        if count < _LARGE or self.key_shape:
            return None
        if self._snapshot is None and self.size <= 4 * count:
            keys = self._key_array(self._rows.keys())
            self._snapshot = snapshot_of(keys, self._rows.numbers(), self._rows.find_one)
        return self._snapshot

    def export(self) -> tuple[Array, Array]:
        """Returns all keys and their values, in the order in which the keys came."""
        with self.lock:
            return self._key_array(self._rows.keys()), self._values.take(self._rows.numbers(), axis=0)

    def hashable(self, keys: Array) -> list[Any]:
        """Returns keys as Python values that a dict takes."""
        flat: list[Any] = keys.reshape(-1).tolist()
        return flat

    def _key_array(self, keys: list[Any]) -> Array:
        """Returns the array of keys that `hashable` made Python values."""
        if self.key_dtype is not string:
            return np.array(keys, self.key_dtype.np_dtype)
        array = np.empty(len(keys), object)
        array[:] = keys
        return array

    def _leading_shape(self, keys: Array) -> tuple[int, ...]:
        """Returns the shape of an array of keys without the axes of one key."""
        return keys.shape

    def check_default(self, lead: tuple[int, ...], default: Array) -> None:
        """Refuses a default of another shape.

        Raises: InvalidArgumentError: unless it is one value, or a value for each key.
        """
        full = lead + self.value_shape
        if default.shape not in (self.value_shape, full):
            expected = f"{shape_brackets(self.value_shape)} or {shape_brackets(full)}"
            raise invalid(f"Expected shape {expected} for default value, got {shape_brackets(default.shape)}")

    # --- changing --------------------------------------------------------------------------------------------------

    @abstractmethod
    def initialize(self, keys: Array, values: Array) -> None:
        """Fills the table, if it is a table that is filled once."""

    @abstractmethod
    def insert(self, keys: Array, values: Array) -> None:
        """Gives keys new values."""

    @abstractmethod
    def remove(self, keys: Array) -> None:
        """Takes keys out; keys that are not there are passed over."""

    @abstractmethod
    def replace(self, keys: Array, values: Array) -> None:
        """Makes given keys and values the only ones."""

    def check_values(self, keys: Array, values: Array) -> None:
        """Refuses values that are not one for each key.

        Raises: InvalidArgumentError: for another shape.
        """
        expected = self._leading_shape(keys) + self.value_shape
        if values.shape != expected:
            raise invalid(f"Expected shape {shape_brackets(expected)} for value, got {shape_brackets(values.shape)}")

    def check_imported(self, keys: Array, values: Array) -> None:
        """Refuses values to `replace` that are not one for each key.

        Raises: InvalidArgumentError: for another shape.
        """
        self.check_values(keys, values)

    def _put(self, keys: Array, values: Array) -> None:
        """Gives keys new values; of a key that comes twice the last value counts."""
        self._snapshot = None
        rows = self._rows.add(self.hashable(keys))
        self._reserve(self._rows.end)
        self._values[rows] = values.reshape(-1, *self.value_shape)

    def _reserve(self, count: int) -> None:
        """Makes room for so many values."""
        present = self._values
        if count > len(present):
            self._values = self._new_values(max(count, 2 * len(present), _SMALLEST_CAPACITY))
            self._values[: len(present)] = present

    def _clear(self) -> None:
        self._rows, self._values, self._snapshot = TableRows(), self._new_values(0), None


class StaticTable(LookupTable):
    """A table that is filled once."""

    kind = "HashTable"
    is_initialized = False

    def find(self, keys: Array, default: Array) -> Array:
        """Returns the value of each key; see `LookupTable.find`.

        Raises: FailedPreconditionError: before the table is filled.
        """
        if not self.is_initialized:
            raise errors.FailedPreconditionError(None, None, "Table not initialized.")
        return super().find(keys, default)

    def export(self) -> tuple[Array, Array]:
        """Returns all keys and their values.

        Raises: AbortedError: before the table is filled.
        """
        if not self.is_initialized:
            raise errors.AbortedError(None, None, "HashTable is not initialized.")
        return super().export()

    def initialize(self, keys: Array, values: Array) -> None:
        """Fills the table; a second time is harmless with as many keys, which are then passed over.

        Raises:
          InvalidArgumentError: if there are no keys.
          FailedPreconditionError: if a key comes with two values, or the table is filled with another number of keys.
        """
        if not keys.size:
            raise invalid("keys and values cannot be empty tensors.")
        with self.lock:
            if self.is_initialized:
                if self.size != keys.size:
                    message = "Table was already initialized with different data."
                    raise errors.FailedPreconditionError(None, None, message)
                return
            self._put(keys, values)
            self._check_one_value_each(keys.reshape(-1), values.reshape(-1))
            self.is_initialized = True

    def _check_one_value_each(self, keys: Array, values: Array) -> None:
        """Refuses a key that comes with two values, and empties the table."""
        if self.size == len(keys):
            return
        known: dict[Any, Any] = {}
        for key, value in zip(self.hashable(keys), values.tolist(), strict=True):
            first = known.setdefault(key, value)
            if first != value:
                self._clear()
                message = f"HashTable has different value for same key. Key {_format(key)} has {_format(first)} "
                raise errors.FailedPreconditionError(None, None, f"{message}and trying to add value {_format(value)}")

    def insert(self, keys: Array, values: Array) -> None:
        """Refuses: the table is filled once.

        Raises: UnimplementedError: always.
        """
        _refuse_change("Insert")

    def remove(self, keys: Array) -> None:
        """Refuses: the table is filled once.

        Raises: UnimplementedError: always.
        """
        _refuse_change("Remove")

    def replace(self, keys: Array, values: Array) -> None:
        """Fills the table; see `initialize`."""
        self.initialize(keys, values)


class MutableTable(LookupTable):
    """A table that changes at any time."""

    kind = "MutableHashTable"

    def initialize(self, keys: Array, values: Array) -> None:
        """Refuses: such a table begins empty.

        Raises: InvalidArgumentError: always.
        """
        raise invalid(f"Table {self.kind} is not initializable: it begins empty, and takes keys by insertion.")

    def insert(self, keys: Array, values: Array) -> None:
        """Gives keys new values."""
        with self.lock:
            self._put(keys, values)

    def remove(self, keys: Array) -> None:
        """Takes keys out; keys that are not there are passed over."""
        with self.lock:
            self._snapshot = None
            freed = self._rows.remove(self.hashable(keys))
            if self._values.dtype == object:
                self._values[freed] = self._new_values(1)  # lets the old values go

    def replace(self, keys: Array, values: Array) -> None:
        """Makes given keys and values the only ones."""
        with self.lock:
            self._clear()
            self._put(keys, values)


class MutableTableOfTensors(MutableTable):
    """A table whose values are vectors, and that changes at any time."""

    kind = "MutableHashTableOfTensors"

    def __init__(self, key_dtype: DType, value_dtype: DType, value_shape: tuple[int, ...] = ()) -> None:
        if len(value_shape) > 1:
            raise invalid(f"Default value must be a vector, got shape {shape_brackets(value_shape)}")
        super().__init__(key_dtype, value_dtype, value_shape)


def _format(value: object) -> str:
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)


def _refuse_change(what: str) -> NoReturn:
    message = f"{what} not supported by InitializableLookupTable implementations"
    raise errors.UnimplementedError(None, None, message)


def table_of(handle: Array) -> LookupTable:
    """Returns the table behind a resource handle.

    Raises:
      InvalidArgumentError: if the handle refers to something else.
      NotFoundError: if the table was destroyed.
    """
    table = resource_of(handle)
    if not isinstance(table, LookupTable):
        raise invalid(
            "Trying to access a handle's resource using the wrong type. The handle points to a "
            f"{type(table).__name__} but you are trying to access the resource as a lookup table."
        )
    if table.is_destroyed:
        raise errors.NotFoundError(None, None, f"Resource {table!r} does not exist.")
    return table


def check_signature(table: LookupTable, keys: Array, values: Array | None, has_result: bool = False) -> None:
    """Refuses keys or values of other dtypes than the table's.

    Args:
      table: the table.
      keys: the keys.
      values: the values, or the default value; None for an op that takes none.
      has_result: whether the op returns values.

    Raises: InvalidArgumentError: in TensorFlow's words.
    """
    expected, given = [table.key_dtype], [keys]
    if values is not None:
        expected.append(table.value_dtype)
        given.append(values)
    if [dtype.np_dtype for dtype in expected] != [array.dtype for array in given]:
        have = _signature([runtime_name(array.dtype) for array in given], has_result)
        raise invalid(
            f"Signature mismatch, have: {have} expected: {_signature([runtime_name(d) for d in expected], has_result)}"
        )


def _signature(dtypes: list[str], has_result: bool) -> str:
    return f"resource, {', '.join(dtypes)}->{dtypes[-1] if has_result else ''}"
