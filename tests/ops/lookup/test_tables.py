"""What lookup tables hold: against a dict, in threads, and what they refuse."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.core.handle_types import TableHandle
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.lookup.tables import MutableTable, MutableTableOfTensors, StaticTable, TableRows

_STEPS = st.lists(
    st.tuples(st.sampled_from(["insert", "remove", "replace"]), st.lists(st.integers(0, 9), max_size=6)), max_size=12
)


def _int64(values: Any) -> Any:
    return np.array(values, np.int64)


def _texts(keys: list[int]) -> Any:
    array = np.empty(len(keys), object)
    array[:] = [b"key%d" % key for key in keys]
    return array


@given(_STEPS)
@settings(max_examples=150, deadline=None)
def test_a_table_of_integers_is_a_dict(steps: list[tuple[str, list[int]]]) -> None:
    table, model = MutableTable(tf.int64, tf.int64), dict[int, int]()
    for number, (step, keys) in enumerate(steps):
        values = [100 * number + column for column in range(len(keys))]
        if step == "remove":
            table.remove(_int64(keys))
            model = {key: value for key, value in model.items() if key not in keys}
        elif step == "insert":
            table.insert(_int64(keys), _int64(values))
            model.update(zip(keys, values, strict=True))
        else:
            table.replace(_int64(keys), _int64(values))
            model = dict(zip(keys, values, strict=True))
        assert table.size == len(model)
        found = table.find(_int64(range(10)), _int64(-1))
        assert found.tolist() == [model.get(key, -1) for key in range(10)]
    exported_keys, exported_values = table.export()
    assert dict(zip(exported_keys.tolist(), exported_values.tolist(), strict=True)) == model


@given(_STEPS)
@settings(max_examples=60, deadline=None)
def test_a_table_of_vectors_is_a_dict(steps: list[tuple[str, list[int]]]) -> None:
    table, model = MutableTableOfTensors(tf.string, tf.float32, (2,)), dict[int, float]()
    for number, (step, keys) in enumerate(steps):
        values = np.array([[number, column] for column in range(len(keys))], np.float32).reshape(-1, 2)
        if step == "remove":
            table.remove(_texts(keys))
            model = {key: value for key, value in model.items() if key not in keys}
        else:
            table.insert(_texts(keys), values)
            model.update(zip(keys, values.tolist(), strict=True))
        found = table.find(_texts(list(range(10))), np.array([-1, -2], np.float32))
        assert found.tolist() == [model.get(key, [-1, -2]) for key in range(10)]


@given(st.lists(st.tuples(st.booleans(), st.lists(st.binary(max_size=3), max_size=5)), max_size=10))
@settings(max_examples=100, deadline=None)
def test_each_key_has_a_row_of_its_own(steps: list[tuple[bool, list[bytes]]]) -> None:
    rows, present = TableRows(), set[bytes]()
    for is_added, keys in steps:
        if is_added:
            assert rows.add(keys).tolist() == rows.find(keys).tolist()
            present |= set(keys)
        else:
            rows.remove(keys)
            present -= set(keys)
        numbers = rows.numbers().tolist()
        assert set(rows.keys()) == present
        assert len(set(numbers)) == len(numbers) == len(rows)
        assert all(0 <= number < rows.end for number in numbers)


def test_rows_of_removed_keys_are_used_again() -> None:
    rows = TableRows()
    for number in range(1000):
        rows.add([number])
        rows.remove([number])
    assert rows.end == 1


def test_keys_that_get_new_values_take_no_room() -> None:
    table = MutableTable(tf.int64, tf.int64)
    for number in range(1000):
        table.insert(_int64([1, 2, 3]), _int64([number] * 3))
    assert len(table._values) < 100


def test_a_table_in_use_by_threads_shows_whole_insertions() -> None:
    table, failures = MutableTable(tf.int64, tf.int64), []
    keys = _int64(range(50))
    table.insert(keys, _int64([0] * 50))

    def write() -> None:
        for number in range(200):
            table.insert(keys, _int64([number] * 50))

    def read() -> None:
        for _ in range(200):
            if len(set(table.find(keys, _int64(-1)).tolist())) != 1:
                failures.append("half of an insertion")

    threads = [threading.Thread(target=run) for run in (write, read, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures


def test_a_table_knows_its_type() -> None:
    expected = TableHandle(tf.string, tf.float32, TensorShape([]), TensorShape([2]))
    assert MutableTableOfTensors(tf.string, tf.float32, (2,)).handle_type == expected
    assert "HashTable" in repr(StaticTable(tf.string, tf.int64))


def test_a_table_of_matrices_is_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must be a vector, got shape \[1,2\]"):
        MutableTableOfTensors(tf.string, tf.float32, (1, 2))


def test_a_static_table_is_filled_once() -> None:
    table = StaticTable(tf.string, tf.int64)
    with pytest.raises(tf.errors.FailedPreconditionError, match="Table not initialized"):
        table.find(_texts([1]), _int64(0))
    with pytest.raises(tf.errors.AbortedError, match="HashTable is not initialized"):
        table.export()
    table.initialize(_texts([1, 2]), _int64([10, 20]))
    table.initialize(_texts([3, 4]), _int64([30, 40]))  # as many keys: passed over, as in TensorFlow
    assert table.find(_texts([1, 3]), _int64(-1)).tolist() == [10, -1]
    with pytest.raises(tf.errors.FailedPreconditionError, match="already initialized with different data"):
        table.initialize(_texts([1]), _int64([10]))


def test_a_key_with_two_values_leaves_a_static_table_empty() -> None:
    table = StaticTable(tf.string, tf.int64)
    with pytest.raises(tf.errors.FailedPreconditionError, match="Key key1 has 1 and trying to add value 2"):
        table.initialize(_texts([1, 1]), _int64([1, 2]))
    table.initialize(_texts([1, 1]), _int64([5, 5]))
    assert table.size == 1


def test_a_static_table_does_not_change() -> None:
    table = StaticTable(tf.string, tf.int64)
    with pytest.raises(tf.errors.UnimplementedError, match="Insert not supported"):
        table.insert(_texts([1]), _int64([1]))
    with pytest.raises(tf.errors.UnimplementedError, match="Remove not supported"):
        table.remove(_texts([1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="keys and values cannot be empty tensors"):
        table.replace(_texts([]), _int64([]))


def test_a_mutable_table_is_not_filled_by_an_initializer() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not initializable"):
        MutableTable(tf.string, tf.int64).initialize(_texts([1]), _int64([1]))


@pytest.mark.parametrize("default", [[5], [5, 6, 7], [[5, 6]]])
def test_a_default_is_one_value_or_one_for_each_key(default: Any) -> None:
    table = MutableTable(tf.int64, tf.int64)
    assert table.find(_int64([1, 2]), _int64([5, 6])).tolist() == [5, 6]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected shape \[\] or \[2\] for default value"):
        table.find(_int64([1, 2]), _int64(default))


def test_a_destroyed_table_is_empty() -> None:
    table = MutableTable(tf.int64, tf.int64)
    table.insert(_int64([1]), _int64([1]))
    table.destroy()
    assert table.is_destroyed and table.size == 0
