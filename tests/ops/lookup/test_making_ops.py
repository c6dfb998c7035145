"""Making tables: which dtypes go together, and what a shared name does."""

from __future__ import annotations

import gc
from typing import Any

import pytest

import millrace as tf
from millrace._src.core.handle_types import TableHandle

raw = tf.raw_ops
_DENSE_KEYS = {
    tf.int32: ([0, 1], tf.int32),
    tf.int64: ([0, 1], tf.int64),
    tf.string: (["", "D"], tf.string),
    tf.float32: ([0.0, 1.0], tf.float32),
}
_ALL = [tf.float16, tf.float32, tf.float64, tf.int8, tf.int32, tf.int64, tf.bool, tf.string, tf.complex64]
_REALS = [tf.int32, tf.float32, tf.float64]
_WIDE = [*_REALS, tf.int64]
TYPES = {
    "hash": {tf.int32: [*_REALS, tf.string], tf.int64: [*_WIDE, tf.string], tf.string: [*_WIDE, tf.bool, tf.string]},
    "mutable": {tf.int32: _REALS, tf.int64: [*_WIDE, tf.string], tf.string: [*_WIDE, tf.bool]},
    "tensors": {tf.int32: _REALS, tf.int64: [*_WIDE, tf.string], tf.string: [*_WIDE, tf.bool]},
    "dense": {tf.int32: _REALS, tf.int64: [*_WIDE, tf.bool], tf.string: [*_WIDE, tf.bool]},
}


def _make(kind: str, key: Any, value: Any) -> Any:
    if kind == "dense":
        empty, deleted = tf.constant(*_DENSE_KEYS[key])
        return raw.AnonymousMutableDenseHashTable(empty_key=empty, deleted_key=deleted, value_dtype=value)
    ops = {
        "hash": raw.AnonymousHashTable,
        "mutable": raw.AnonymousMutableHashTable,
        "tensors": raw.AnonymousMutableHashTableOfTensors,
    }
    return ops[kind](key_dtype=key, value_dtype=value)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("key", _DENSE_KEYS)
def test_tables_have_the_dtypes_of_tensorflow(kind: str, key: Any) -> None:
    for value in _ALL:
        if value in TYPES[kind].get(key, []):
            handle_type = _make(kind, key, value).handle_type
            assert isinstance(handle_type, TableHandle)
            assert (handle_type.key_dtype, handle_type.value_dtype) == (key, value)
        else:
            with pytest.raises(tf.errors.NotFoundError, match=r"Could not find device for node: \{\{node "):
                _make(kind, key, value)


def test_a_shared_name_is_one_table_in_each_container() -> None:
    arguments: dict[str, Any] = {"key_dtype": tf.string, "value_dtype": tf.int64, "shared_name": "one table"}
    first = raw.HashTableV2(**arguments)
    raw.InitializeTableV2(table_handle=first, keys=["a"], values=tf.constant([7], tf.int64))
    for handle, size in ((raw.HashTableV2(**arguments), 1), (raw.HashTableV2(container="c", **arguments), 0)):
        assert raw.LookupTableSizeV2(table_handle=handle).numpy() == size
    with pytest.raises(tf.errors.InvalidArgumentError, match="string->int32 with string-int64 for table one table"):
        raw.HashTableV2(**arguments | {"value_dtype": tf.int32})
    raw.DestroyResourceOp(resource=first)
    assert raw.LookupTableSizeV2(table_handle=raw.HashTableV2(**arguments)).numpy() == 0


def test_a_shared_table_lives_as_long_as_a_handle() -> None:
    arguments: dict[str, Any] = {"key_dtype": tf.string, "value_dtype": tf.int64, "shared_name": "short life"}
    handle = raw.MutableHashTableV2(**arguments)
    raw.LookupTableInsertV2(table_handle=handle, keys="a", values=tf.constant(1, tf.int64))
    del handle
    gc.collect()
    assert raw.LookupTableSizeV2(table_handle=raw.MutableHashTableV2(**arguments)).numpy() == 0


def test_a_table_without_a_name_is_a_new_one() -> None:
    one, other = (raw.MutableHashTableV2(key_dtype=tf.string, value_dtype=tf.int64) for _ in range(2))
    raw.LookupTableInsertV2(table_handle=one, keys="a", values=tf.constant(1, tf.int64))
    assert raw.LookupTableSizeV2(table_handle=other).numpy() == 0


def test_the_shape_of_values_is_known() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Shape \[\?\] is not fully defined"):
        raw.MutableHashTableOfTensorsV2(key_dtype=tf.string, value_dtype=tf.int64, value_shape=[None])


def test_a_dense_table_with_a_shared_name() -> None:
    arguments: dict[str, Any] = {
        "empty_key": tf.constant(0, tf.int64),
        "deleted_key": tf.constant(1, tf.int64),
        "value_dtype": tf.int64,
        "shared_name": "dense",
    }
    first, second = (raw.MutableDenseHashTableV2(**arguments) for _ in range(2))
    raw.LookupTableInsertV2(table_handle=first, keys=tf.constant(5, tf.int64), values=tf.constant(1, tf.int64))
    assert raw.LookupTableSizeV2(table_handle=second).numpy() == 1
