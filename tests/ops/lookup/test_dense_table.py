"""Tables whose export shows their buckets: the layout that TensorFlow gives them, and keys that never come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.ops.lookup.dense_table import Buckets, DenseTable, _buckets_of


def _int64(values: Any) -> Any:
    return np.array(values, np.int64)


def _table(buckets: int = 8, empty: Any = -1, deleted: Any = -2, max_load: float = 0.8, **other: Any) -> DenseTable:
    types = {"key_dtype": tf.int64, "value_dtype": tf.int64, "value_shape": ()} | other
    return DenseTable(**types, empty_key=_int64(empty), deleted_key=_int64(deleted), buckets=Buckets(buckets, max_load))


def _texts(*texts: bytes) -> Any:
    return np.array([*texts, None], object)[:-1]


def test_keys_are_in_the_buckets_of_their_hash() -> None:
    table = _table(16)
    table.insert(_int64([-5, 100, 2**40 + 3, -(2**62)]), _int64([1, 2, 3, 4]))
    keys, values = table.export()
    assert keys.shape == values.shape == (16, 1)
    expected = {0: (-(2**62), 4), 3: (2**40 + 3, 3), 4: (100, 2), 11: (-5, 1)}
    pairs = zip(keys.reshape(-1).tolist(), values.reshape(-1).tolist(), strict=True)
    assert list(pairs) == [expected.get(bucket, (-1, 0)) for bucket in range(16)]


def test_keys_of_one_bucket_go_further_on() -> None:
    table = _table()
    table.insert(_int64([0, 8, 16, 24, 32]), _int64([1, 2, 3, 4, 5]))
    keys, values = table.export()
    assert keys.reshape(-1).tolist() == [0, 8, 32, 16, -1, -1, 24, -1]
    assert values.reshape(-1).tolist() == [1, 2, 5, 3, 0, 0, 4, 0]


def test_texts_are_in_the_buckets_of_their_hash() -> None:
    special = {"empty_key": _texts(b"")[0], "deleted_key": _texts(b"D")[0]}
    arrays = {name: np.array(key, object) for name, key in special.items()}
    table = DenseTable(tf.string, tf.int64, (), **arrays, buckets=Buckets(64, 0.8))
    table.insert(_texts(b"a", b"b", b"c", b"hello", b"longer string than eight"), _int64([1, 2, 3, 4, 5]))
    values = table.export()[1].reshape(-1).tolist()
    assert [values.index(value) for value in (1, 2, 3, 4, 5)] == [60, 10, 53, 11, 43]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Using the empty_key as a table key is not allowed"):
        table.find(_texts(b""), _int64(0))


@given(st.lists(st.integers(0, 63), max_size=24, unique=True))
@settings(max_examples=200, deadline=None)
def test_buckets_are_those_of_keys_that_come_one_after_the_other(keys: list[int]) -> None:
    taken: dict[int, int] = {}
    for number, key in enumerate(keys):
        bucket = next(p for k in range(32) if (p := (key + k * (k + 1) // 2) % 32) not in taken)
        taken[bucket] = number
    found = _buckets_of(np.array(keys, np.uint64), 32).tolist()
    assert found == sorted(taken, key=taken.__getitem__)


def test_buckets_double_when_they_are_full() -> None:
    table, counts = _table(4), []
    for key in range(12):
        table.insert(_int64([key]), _int64([key]))
        counts.append(len(table.export()[0]))
    assert counts == [4, 4, 4, 8, 8, 8, 16, 16, 16, 16, 16, 16]


def test_keys_may_be_vectors() -> None:
    table = _table(empty=[-1, -1], deleted=[-2, -2])
    table.insert(_int64([[0, 1], [1, 2]]), _int64([10, 11]))
    assert table.find(_int64([[[0, 1], [5, 5]]]), _int64(-1)).tolist() == [[10, -1]]
    table.remove(_int64([[0, 1]]))
    assert table.size == 1
    keys, values = table.export()
    assert keys.shape == (8, 2) and values.shape == (8, 1)
    assert [row for row in keys.tolist() if row != [-1, -1]] == [[1, 2]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must end with the table's key shape \[2\]"):
        table.find(_int64([[0, 1, 2]]), _int64(-1))


def test_keys_may_be_vectors_of_texts() -> None:
    arrays = {"empty_key": _texts(b"", b""), "deleted_key": _texts(b"", b"D")}
    table = DenseTable(tf.string, tf.int64, (), **arrays, buckets=Buckets(4, 0.8))
    keys = np.array([[b"a", b"b"], [b"", b"c"]], object)
    table.insert(keys, _int64([1, 2]))
    assert table.find(keys[::-1], _int64(-1)).tolist() == [2, 1]
    assert sorted(map(tuple, table.export()[0].tolist())) == [(b"", b""), (b"", b""), (b"", b"c"), (b"a", b"b")]


def test_values_may_be_vectors() -> None:
    table = _table(value_shape=(2,))
    table.insert(_int64([3, 1]), _int64([[3, 3], [1, 1]]))
    assert table.find(_int64([3, 7]), _int64([-1, 0])).tolist() == [[3, 3], [-1, 0]]
    assert [array.shape for array in table.export()] == [(8, 1), (8, 2)]


@pytest.mark.parametrize(("key", "name"), [(-1, "empty_key"), (-2, "deleted_key")])
@pytest.mark.parametrize("what", ["find", "insert", "remove"])
def test_the_keys_of_empty_buckets_never_come(key: int, name: str, what: str) -> None:
    arguments = [_int64([5, key])] + ([_int64([1, 1])] if what != "remove" else [])
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"Using the {name} as a table key is not allowed"):
        getattr(_table(), what)(*arguments)


def test_an_export_can_be_put_back() -> None:
    table, copy = _table(16), _table(4)
    table.insert(_int64(range(9)), _int64(range(9)))
    table.remove(_int64([3]))
    keys, values = table.export()
    keys[3] = -2  # TensorFlow notes removed keys so
    copy.check_imported(keys, values)
    copy.replace(keys, values)
    assert copy.find(_int64(range(9)), _int64(-1)).tolist() == [0, 1, 2, -1, 4, 5, 6, 7, 8]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected keys and values of shapes"):
        copy.check_imported(_int64([1]), _int64([1]))


WRONG = [
    ({"buckets": 5}, "Number of buckets must be at least 4 and a power of 2, got: 5"),
    ({"buckets": 2}, "Number of buckets must be at least 4"),
    ({"deleted": -1}, "Empty and deleted keys cannot be equal"),
    ({"empty": [-1, -1]}, r"Empty and deleted keys must have same shape, got shapes: \[2\] and \[\]"),
    ({"empty": [[1]], "deleted": [[2]]}, r"Empty key must be a scalar or a vector, got shape \[1,1\]"),
    ({"value_shape": (2, 2)}, r"Empty value must be a scalar or a vector, got shape \[2,2\]"),
    ({"max_load": 1.5}, "max_load_factor must be between 0 and 1"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_tables_that_cannot_be(arguments: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        _table(**arguments)
