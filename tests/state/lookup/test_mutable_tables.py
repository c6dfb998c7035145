"""Tables that change: insertion, removal, defaults, what checkpoints take."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.testing.graph_sessions import session_of_graph

Mutable, Dense = tf.lookup.experimental.MutableHashTable, tf.lookup.experimental.DenseHashTable


def _dense(**other: Any) -> Any:
    return Dense(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1, initial_num_buckets=8, **other)


def test_keys_come_and_go() -> None:
    table = Mutable(tf.string, tf.int64, -1)
    table.insert(["a", "b", "a"], [1, 2, 3])
    table.insert([["c", "d"]], [[4, 5]])
    table.remove(tf.constant(["b", "unknown"]))
    assert table[["a", "b", "d"]].numpy().tolist() == [3, -1, 5]
    assert table.size().numpy() == 3
    keys, values = table.export()
    assert (keys.numpy().tolist(), values.numpy().tolist()) == ([b"a", b"c", b"d"], [3, 4, 5])
    assert (table.name, table.key_dtype, table.value_dtype) == (None, tf.string, tf.int64)


def test_defaults_may_come_with_the_keys() -> None:
    table = Mutable(tf.string, tf.int64, -1)
    table.insert("a", 1)
    assert table.lookup(["a", "b"], dynamic_default_values=[10, 11]).numpy().tolist() == [1, 11]
    assert table.lookup(["a", "b"], dynamic_default_values=tf.constant(7, tf.int64)).numpy().tolist() == [1, 7]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Signature mismatch"):
        table.lookup(["a"], dynamic_default_values=tf.constant(7, tf.int32))


def test_values_may_be_vectors() -> None:
    table = Mutable(tf.int64, tf.float32, [1.0, 2.0])
    table.insert([1], [[5.0, 6.0]])
    assert table.lookup([[1, 3]]).numpy().tolist() == [[[5, 6], [1, 2]]]
    defaults = [[7.0, 7.0], [8.0, 8.0]]
    assert table.lookup([1, 3], dynamic_default_values=defaults).numpy().tolist() == [[5, 6], [8, 8]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected shape \[2,2\] for value, got \[2,3\]"):
        table.insert([1, 2], [[1, 1, 1], [2, 2, 2]])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Default value must be a vector, got shape \[1,2\]"):
        Mutable(tf.int64, tf.float32, [[1.0, 2.0]])


def test_other_dtypes_are_refused() -> None:
    table = Mutable(tf.string, tf.int64, -1)
    with pytest.raises(TypeError, match=r"Cannot convert \[1\] to EagerTensor of dtype string"):
        table.insert([1], [2])
    with pytest.raises(ValueError, match="Tensor conversion requested dtype int64 for Tensor with dtype int32"):
        table.insert(["a"], tf.constant([2]))
    with pytest.raises(TypeError, match="Dtype of argument `keys` must be <dtype: 'string'>"):
        table.remove(tf.constant([1]))
    with pytest.raises(tf.errors.NotFoundError, match="Could not find device for node"):
        Mutable(tf.string, tf.string, "x")


def test_a_table_of_a_function_lives_as_long_as_the_function() -> None:
    @tf.function
    def count(key: Any) -> Any:
        table = Mutable(tf.string, tf.int64, -1)
        table.insert(key, 5)
        return table.size()

    assert [int(count(tf.constant(key))) for key in "aab"] == [1, 1, 2]


def test_loops_and_branches_change_a_table() -> None:
    table = Mutable(tf.int64, tf.int64, 0)

    @tf.function
    def count(keys: Any) -> Any:
        for key in keys:
            if key > 1:
                table.insert(key, table.lookup(key) + 1)
        return table.size()

    assert count(tf.constant([1, 2, 3, 2], tf.int64)).numpy() == 2
    assert table[[1, 2, 3]].numpy().tolist() == [0, 2, 1]


@pytest.mark.parametrize("make", [lambda: Mutable(tf.int64, tf.int64, -1), _dense])
def test_a_checkpoint_takes_keys_and_values(make: Any) -> None:
    table, other = make(), make()
    table.insert([1, 2], [10, 20])
    other.insert([7], [70])
    tensors = table._serialize_to_tensors()
    assert list(tensors) == ["-keys", "-values"]
    other._restore_from_tensors(tensors)
    assert other[[1, 2, 7]].numpy().tolist() == [10, 20, -1]


def test_a_dense_table_has_keys_that_never_come() -> None:
    table = _dense()
    table.insert_or_assign([11, 12], [1, 2])
    table.erase(tf.constant([12, 16], tf.int64))
    assert table[[11, 12]].numpy().tolist() == [1, -1]
    assert [part.shape for part in table.export()] == [[8, 1], [8, 1]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Using the empty_key as a table key is not allowed"):
        table.insert([0], [1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Empty and deleted keys cannot be equal"):
        Dense(tf.int64, tf.int64, -1, empty_key=0, deleted_key=0)


def test_names_of_operations_are_those_of_tensorflow() -> None:
    with tf.Graph().as_default():
        for table in (Mutable(tf.int64, tf.int64, -1), _dense(name="MutableHashTable_x")):
            name = table.name
            assert table.insert([1], [1]).name == f"{name}_lookup_table_insert/LookupTableInsertV2"
            assert table.lookup([1]).name == f"{name}_lookup_table_find/LookupTableFindV2:0"
            assert table.remove([1]).name == f"{name}_lookup_table_remove/LookupTableRemoveV2"
            exported = f"{name}_lookup_table_export_values_1/LookupTableExportV2:0"  # the first is that of savers
            assert table.export()[0].name == exported
            assert table.size().name == f"{name}_Size/LookupTableSizeV2:0"
    assert name == "MutableHashTable_x"


@pytest.mark.parametrize("default", [-1, [-1, -2]])
def test_tables_of_a_graph_run_in_a_session(default: Any) -> None:
    with tf.Graph().as_default() as graph:
        table = Mutable(tf.string, tf.int64, default)
        dense = _dense()
        values = tf.constant([default], tf.int64) * -5
        inserts = [table.insert(["a"], values), dense.insert([5], [6])]
        found = table.lookup(["a"]), dense.lookup([5])
    session = session_of_graph(graph)
    session.run(inserts)
    answers = session.run(found)
    assert answers[0].tolist() == ([[5, 10]] if isinstance(default, list) else [5])
    assert answers[1].tolist() == [6]


@pytest.mark.parametrize("make", [lambda: Mutable(tf.int64, tf.int64, -1, experimental_is_anonymous=True)])
def test_an_anonymous_table_has_an_anonymous_operation(make: Any) -> None:
    with tf.Graph().as_default():
        assert make().resource_handle.op.type == "AnonymousMutableHashTable"
    assert make().size().numpy() == 0
