"""The ops on tables: shapes, dtypes, effects in functions, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf

raw = tf.raw_ops


def _table(**pairs: int) -> Any:
    handle = raw.AnonymousMutableHashTable(key_dtype=tf.string, value_dtype=tf.int64)
    if pairs:
        raw.LookupTableInsertV2(table_handle=handle, keys=list(pairs), values=_int64(list(pairs.values())))
    return handle


def _int64(values: Any) -> Any:
    return tf.constant(values, tf.int64)


def _find(handle: Any, keys: Any, default: Any = -1) -> Any:
    return raw.LookupTableFindV2(table_handle=handle, keys=keys, default_value=_int64(default))


def test_keys_of_any_shape_are_found() -> None:
    handle = _table(a=1, b=2)
    assert _find(handle, [["a", "z"], ["b", "a"]]).numpy().tolist() == [[1, -1], [2, 1]]
    assert _find(handle, "b").numpy() == 2
    assert _find(handle, tf.zeros([0], tf.string)).shape == [0]


def test_effects_in_a_function_happen_in_order() -> None:
    handle = _table()

    @tf.function
    def change(key: Any) -> Any:
        before = raw.LookupTableSizeV2(table_handle=handle)
        raw.LookupTableInsertV2(table_handle=handle, keys=key, values=_int64(7))
        between = _find(handle, key)
        raw.LookupTableRemoveV2(table_handle=handle, keys=key)
        return before, between, _find(handle, key)

    for _ in range(2):
        assert [int(part) for part in change(tf.constant("k"))] == [0, 7, -1]


def test_a_function_knows_the_shape_of_what_is_found() -> None:
    scalars = _table()
    vectors = raw.AnonymousMutableHashTableOfTensors(key_dtype=tf.string, value_dtype=tf.int64, value_shape=[2])
    dense = raw.AnonymousMutableDenseHashTable(
        empty_key=_int64([0, 0]), deleted_key=_int64([1, 1]), value_dtype=tf.int64, value_shape=[3]
    )
    shapes: list[Any] = []

    @tf.function
    def look(texts: Any, unknown: Any, numbers: Any) -> None:
        shapes.append(_find(scalars, texts).shape.as_list())
        shapes.append(_find(vectors, texts, [0, 0]).shape.as_list())
        shapes.append(_find(vectors, unknown, [0, 0]).shape.rank)
        shapes.append(_find(dense, numbers, [0, 0, 0]).shape.as_list())

    specs = [([None, 3], tf.string), (None, tf.string), ([None, 2], tf.int64)]
    look.get_concrete_function(*(tf.TensorSpec(shape, dtype) for shape, dtype in specs))
    assert shapes == [[None, 3], [None, 3, 2], None, [None, 3]]


def test_a_table_may_be_the_argument_of_a_function() -> None:
    @tf.function
    def look(handle: Any) -> Any:
        return _find(handle, ["a"])

    assert look(_table(a=1)).numpy().tolist() == [1]
    assert look(_table(a=2)).numpy().tolist() == [2]


def test_a_map_over_a_dataset_looks_up_each_element() -> None:
    handle = _table(a=1, b=2)
    dataset = tf.data.Dataset.from_tensor_slices(["a", "z", "b"]).map(lambda key: _find(handle, key))
    assert [int(value) for value in dataset] == [1, -1, 2]


def test_rows_are_looked_up_at_once() -> None:
    handle = _table(a=1, b=2)
    keys = tf.constant([["a", "b"], ["b", "z"]])
    assert tf.vectorized_map(lambda row: _find(handle, row), keys).numpy().tolist() == [[1, 2], [2, -1]]
    per_row = tf.vectorized_map(lambda row: _find(handle, row, [7, 8]), keys, fallback_to_while_loop=True)
    assert per_row.numpy().tolist() == [[1, 2], [2, 8]]


def test_what_is_found_has_no_gradient() -> None:
    handle = raw.AnonymousMutableHashTable(key_dtype=tf.string, value_dtype=tf.float32)
    default = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(default)
        found = raw.LookupTableFindV2(table_handle=handle, keys="a", default_value=default)
    assert tape.gradient(found, default) is None


@pytest.mark.xla
def test_a_compiled_function_has_no_tables() -> None:
    handle = _table(a=1)

    @tf.function(jit_compile=True)
    def look(keys: Any) -> Any:
        return _find(handle, keys)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"unsupported operations .*LookupTableFindV2"):
        look(tf.constant(["a", "b"]))


WRONG = [
    (raw.LookupTableInsertV2, "string, int32->", {"keys": ["a"], "values": [1]}, "string, int64->"),
    (raw.LookupTableInsertV2, "int32, int32->", {"keys": [1], "values": [1]}, "string, int64->"),
    (raw.LookupTableFindV2, "int32, int32->int32", {"keys": [1], "default_value": 1}, "string, int64->int64"),
    (raw.LookupTableImportV2, "int32, int32->", {"keys": [1], "values": [1]}, "string, int64->"),
    (raw.LookupTableRemoveV2, "int32->", {"keys": [1]}, "string->"),
]


@pytest.mark.parametrize(("op", "have", "arguments", "expected"), WRONG)
def test_other_dtypes_are_refused(op: Any, have: str, arguments: Any, expected: str) -> None:
    message = f"Signature mismatch, have: resource, {have} expected: resource, {expected}"
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        op(table_handle=_table(), **arguments)


@pytest.mark.parametrize("op", [raw.LookupTableInsertV2, raw.LookupTableImportV2])
def test_there_is_a_value_for_each_key(op: Any) -> None:
    message = r"Expected shape \[2\] for value, got \[1\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        op(table_handle=_table(), keys=["a", "b"], values=_int64([1]))


def test_import_replaces_all_keys() -> None:
    handle = _table(a=1, b=2)
    raw.LookupTableImportV2(table_handle=handle, keys=["c"], values=_int64([3]))
    keys, values = raw.LookupTableExportV2(table_handle=handle, Tkeys=tf.string, Tvalues=tf.int64)
    assert (keys.numpy().tolist(), values.numpy().tolist()) == ([b"c"], [3])


def test_an_export_has_the_dtypes_of_the_table() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="maps string to int64"):
        raw.LookupTableExportV2(table_handle=_table(), Tkeys=tf.int64, Tvalues=tf.int64)


INITIALIZE = [
    ([["a"]], [1], r"Keys must be a vector, but received shape\[1,1\]"),
    (["a"], [[1]], r"Values must be a vector, but received shape\[1,1\]"),
    (["a", "b"], [1], "Keys and values must have the same size 2 vs 1"),
]


@pytest.mark.parametrize(("keys", "values", "message"), INITIALIZE)
def test_a_table_is_filled_with_vectors(keys: Any, values: Any, message: str) -> None:
    handle = raw.AnonymousHashTable(key_dtype=tf.string, value_dtype=tf.int64)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        raw.InitializeTableV2(table_handle=handle, keys=keys, values=_int64(values))
    raw.InitializeTableV2(table_handle=handle, keys=["a"], values=_int64([1]))
    assert raw.LookupTableSizeV2(table_handle=handle).numpy() == 1


def test_another_resource_is_no_table() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="using the wrong type"):
        raw.LookupTableSizeV2(table_handle=tf.Variable(1).handle)


def test_a_destroyed_table_is_not_found() -> None:
    handle = _table(a=1)
    raw.DestroyResourceOp(resource=handle)
    with pytest.raises(tf.errors.NotFoundError, match="does not exist"):
        raw.LookupTableSizeV2(table_handle=handle)


def test_a_million_keys_take_no_loop_in_python() -> None:
    handle = raw.AnonymousMutableHashTable(key_dtype=tf.int64, value_dtype=tf.int64)
    keys = tf.range(10**6, dtype=tf.int64)
    raw.LookupTableInsertV2(table_handle=handle, keys=keys, values=keys * 2)
    assert np.array_equal(_find(handle, keys[::-1]).numpy(), np.arange(10**6)[::-1] * 2)
