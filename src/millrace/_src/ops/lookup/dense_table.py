"""The table whose export shows its buckets: `tf.lookup.experimental.DenseHashTable`.

Such a table promises two keys that never come: one stands in empty buckets, one in buckets whose key was removed. Here
keys are found as in any table; buckets are only counted, and laid out when somebody exports. The layout is that which
TensorFlow gives a table of the same keys from which nothing was removed: a key goes to the bucket of its hash, or 1, 3,
6 ... buckets further on. Keys that are vectors have a hash of our own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, string
from millrace._src.core.errors import invalid
from millrace._src.ops.lookup.tables import MutableTable
from millrace._src.ops.strings.hashing import murmur64
from millrace._src.util.text import shape_brackets


class Buckets(NamedTuple):
    """The room of a table.

    Attributes:
      bucket_count: how many buckets there are, a power of two.
      max_load: the part of the buckets that may be in use before their number doubles.
    """

    bucket_count: int
    max_load: float


class DenseTable(MutableTable):
    """A table that changes at any time, of scalars or vectors, whose keys may be vectors.

    Args:
      key_dtype: the dtype of the keys.
      value_dtype: the dtype of the values.
      value_shape: the shape of the value of one key, of at most one axis.
      empty_key: the key of empty buckets; its shape is that of all keys.
      deleted_key: the key of buckets that are empty again.
      buckets: the room at first.

    Raises: InvalidArgumentError: if the two keys do not differ, or have two shapes; for another number of buckets.
    """

    kind = "MutableDenseHashTable"

    def __init__(
        self,
        key_dtype: DType,
        value_dtype: DType,
        value_shape: tuple[int, ...],
        empty_key: Array,
        deleted_key: Array,
        buckets: Buckets,
    ) -> None:
        if len(value_shape) > 1:
            raise invalid(f"Empty value must be a scalar or a vector, got shape {shape_brackets(value_shape)}")
        super().__init__(key_dtype, value_dtype, value_shape)
        _check_special_keys(empty_key, deleted_key)
        if buckets.bucket_count < 4 or buckets.bucket_count & (buckets.bucket_count - 1):
            raise invalid(f"Number of buckets must be at least 4 and a power of 2, got: {buckets.bucket_count}")
        if not 0 < buckets.max_load < 1:
            raise invalid(f"max_load_factor must be between 0 and 1, got: {buckets.max_load}")
        self.key_shape = empty_key.shape
        self._empty_key = empty_key
        self._special_keys = {
            self.hashable(deleted_key[np.newaxis])[0]: "deleted_key",
            self.hashable(empty_key[np.newaxis])[0]: "empty_key",
        }
        self._buckets = buckets

    # --- keys ------------------------------------------------------------------------------------------------------

    def hashable(self, keys: Array) -> list[Any]:
        """Returns keys as Python values that a dict takes: a vector of integers as its bytes."""
        if not self.key_shape:
            return super().hashable(keys)
        vectors = keys.reshape(-1, *self.key_shape)
        if self.key_dtype is string:
            return [tuple(vector) for vector in vectors.tolist()]
        width = vectors.itemsize * self.key_shape[0]
        listed: list[Any] = np.ascontiguousarray(vectors).view(f"V{width}").reshape(-1).tolist()
        return listed

    def _key_array(self, keys: list[Any]) -> Array:
        if not self.key_shape:
            return super()._key_array(keys)
        if self.key_dtype is string:
            array = np.empty((len(keys), *self.key_shape), object)
            array[:] = keys
            return array
        return np.frombuffer(b"".join(keys), self.key_dtype.np_dtype).reshape(-1, *self.key_shape)

    def _leading_shape(self, keys: Array) -> tuple[int, ...]:
        """Returns the shape of an array of keys without the axis of one key.

        Raises: InvalidArgumentError: if the array has no such axis.
        """
        if not self.key_shape:
            return keys.shape
        if keys.shape[-1:] != self.key_shape:
            shapes = shape_brackets(keys.shape), shape_brackets(self.key_shape)
            raise invalid(f"Input key shape {shapes[0]} must end with the table's key shape {shapes[1]}")
        return keys.shape[:-1]

    def _check_keys(self, keys: Array) -> None:
        """Refuses the keys that represent empty buckets.

        Raises: InvalidArgumentError: if one of them is among the keys.
        """
        for key, name in self._special_keys.items():
            if key in self.hashable(keys) if self.key_shape else (keys == key).any():
                raise invalid(f"Using the {name} as a table key is not allowed")

    # --- entries ---------------------------------------------------------------------------------------------------

    def find(self, keys: Array, default: Array) -> Array:
        """Returns the value of each key; see `LookupTable.find`.

        Raises: InvalidArgumentError: for a key that marks empty buckets.
        """
        self._leading_shape(keys)
        self._check_keys(keys)
        return super().find(keys, default)

    def insert(self, keys: Array, values: Array) -> None:
        """Gives keys new values.

        Raises: InvalidArgumentError: for a key that marks empty buckets.
        """
        self._check_keys(keys)
        with self.lock:
            count = len(values.reshape(-1, *self.value_shape))
            self._make_room(self.size + count)
            self._put(keys, values)

    def remove(self, keys: Array) -> None:
        """Takes keys out; keys that are not there are passed over.

        Raises: InvalidArgumentError: for a key that marks empty buckets.
        """
        self._leading_shape(keys)
        self._check_keys(keys)
        super().remove(keys)

    def check_imported(self, keys: Array, values: Array) -> None:
        """Refuses values to `replace` unless both arrays are such as `export` returns.

        Raises: InvalidArgumentError: for another shape.
        """
        key_width, value_width = self.key_shape or (1,), self.value_shape or (1,)
        if keys.shape[1:] != key_width or values.shape != (*keys.shape[:1], *value_width):
            shapes = " and ".join(shape_brackets((None, *width)) for width in (key_width, value_width))
            given = f"{shape_brackets(keys.shape)} and {shape_brackets(values.shape)}"
            raise invalid(f"Expected keys and values of shapes {shapes}, as many values as keys, got {given}")

    def replace(self, keys: Array, values: Array) -> None:
        """Makes given keys and values the only ones; keys that represent empty buckets are passed over."""
        listed = self.hashable(keys)
        kept = np.array([i for i, key in enumerate(listed) if key not in self._special_keys], np.int64)
        kept_keys = keys.reshape(-1, *self.key_shape)[kept]
        with self.lock:
            self._clear()
            self._make_room(len(kept))
            self._put(kept_keys, values.reshape(-1, *self.value_shape)[kept])

    # --- buckets ---------------------------------------------------------------------------------------------------

    def _make_room(self, entries: int) -> None:
        """Doubles the buckets until the entries use no more of them than they may."""
        count, max_load = self._buckets
        while entries > count * max_load:
            count *= 2
        self._buckets = Buckets(count, max_load)

    def export(self) -> tuple[Array, Array]:
        """Returns the key and the value of every bucket; both have an axis for the elements of one, even of scalars."""
        with self.lock:
            keys, values = super().export()
            count = self._buckets.bucket_count
        buckets = _buckets_of(self._hashes(keys), count)
        key_width, value_width = self.key_shape or (1,), self.value_shape or (1,)
        all_keys = np.empty((count, *key_width), keys.dtype)
        all_keys[:] = self._empty_key
        all_keys[buckets] = keys.reshape(-1, *key_width)
        all_values = self._new_values(count).reshape(-1, *value_width)
        all_values[buckets] = values.reshape(-1, *value_width)
        return all_keys, all_values

    def _hashes(self, keys: Array) -> Array:
        """Returns the hash of each key: an integer is its own."""
        if self.key_dtype is not string and not self.key_shape:
            return keys.astype(np.int64).view(np.uint64)
        listed = self.hashable(keys)
        return murmur64([b"\0".join(key) if isinstance(key, tuple) else key for key in listed])


def _check_special_keys(empty_key: Array, deleted_key: Array) -> None:
    """Refuses keys for empty buckets that are equal, or of other shapes.

    Raises: InvalidArgumentError: in TensorFlow's words.
    """
    if empty_key.ndim > 1:
        raise invalid(f"Empty key must be a scalar or a vector, got shape {shape_brackets(empty_key.shape)}")
    if empty_key.shape != deleted_key.shape:
        shapes = f"{shape_brackets(empty_key.shape)} and {shape_brackets(deleted_key.shape)}"
        raise invalid(f"Empty and deleted keys must have same shape, got shapes: {shapes}")
    if np.array_equal(empty_key, deleted_key):
        raise invalid("Empty and deleted keys cannot be equal")


def _buckets_of(hashes: Array, count: int) -> Array:
    """Returns a bucket for each key: the first that no earlier key took, of those that its hash leads to.

    In each round all keys without a bucket ask for their next one. A bucket takes the earliest key that ever asked, so
    a key may lose its bucket again. The outcome is that of keys that come one after the other.
    """
    mask = np.uint64(count - 1)
    start = (hashes & mask).astype(np.int64)
    owners = np.full(count, len(hashes))
    steps = np.zeros(len(hashes), np.int64)
    asking = np.arange(len(hashes))
    while len(asking):
        step = steps[asking]
        buckets = (start[asking] + step * (step + 1) // 2) % count
        steps[asking] += 1
        before = owners[buckets]
        np.minimum.at(owners, buckets, asking)
        is_owner = owners[buckets] == asking
        losers = before[is_owner]
        asking = np.concatenate([asking[~is_owner], losers[losers < len(hashes)]])
    step = steps - 1
    return np.asarray((start + step * (step + 1) // 2) % count)
