"""Large lookups: all keys are found together, and as a dict finds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.ops.lookup.snapshots import Positions, Slots, Texts, snapshot_of
from millrace._src.ops.lookup.tables import MutableTable

_INTEGERS = st.one_of(st.integers(-5, 30), st.integers(-(2**63), 2**63 - 1))


def _objects(texts: list[bytes]) -> Any:
    array = np.empty(len(texts), object)
    array[:] = texts
    return array


def _check(keys: Any, rows: Any, asked: Any) -> None:
    """A snapshot finds what a dict finds."""
    known = dict(zip(keys.tolist(), rows.tolist(), strict=True))
    snapshot = snapshot_of(keys, rows, lambda key: known.get(key, -1))
    assert snapshot is not None
    assert snapshot.find(asked).tolist() == [known.get(key, -1) for key in asked.tolist()]


@given(st.lists(_INTEGERS, min_size=1, max_size=40, unique=True), st.lists(_INTEGERS, max_size=40), st.randoms())
@settings(max_examples=200, deadline=None)
def test_integers_are_found(keys: list[int], others: list[int], random: Any) -> None:
    rows = np.array(random.sample(range(100), len(keys)), np.int64)
    _check(np.array(keys, np.int64), rows, np.array(keys + others, np.int64))


@given(
    st.lists(st.binary(max_size=20), min_size=1, max_size=40, unique=True),
    st.lists(st.binary(max_size=30), max_size=40),
)
@settings(max_examples=200, deadline=None)
def test_texts_are_found(keys: list[bytes], others: list[bytes]) -> None:
    _check(_objects(keys), np.arange(len(keys)), _objects(keys + others))


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4, unique=True))
@settings(max_examples=50, deadline=None)
def test_texts_that_end_in_zeros_are_told_apart(counts: list[int]) -> None:
    keys = _objects([b"a" + bytes(count) for count in counts])
    _check(keys, np.arange(len(keys)), _objects([b"a" + bytes(count) for count in range(12)] + [b"", b"\0"]))


def test_texts_longer_than_all_keys_are_absent() -> None:
    keys = _objects([b"12345678", b"1234567"])
    _check(keys, np.array([1, 0]), _objects([b"123456789", b"12345678" + bytes(100), b"12345678", b"1" * 500]))


def test_the_kind_of_snapshot_follows_from_the_keys() -> None:
    rows = np.arange(3)
    assert isinstance(snapshot_of(np.array([5, 6, 9]), rows, int), Positions)
    assert isinstance(snapshot_of(np.array([5, 6, 10**9], np.int32), rows, int), Slots)
    assert isinstance(snapshot_of(np.array([-(2**63), 0, 2**63 - 1]), rows, int), Slots)
    assert isinstance(snapshot_of(_objects([b"a", b"b", b""]), rows, int), Texts)
    assert snapshot_of(_objects([b"a", b"b" * 200, b""]), rows, int) is None


@pytest.mark.parametrize("spread", [1, 1 << 40])
@pytest.mark.parametrize("dtype", [tf.int64, tf.string])
def test_large_lookups_follow_every_change(spread: int, dtype: Any) -> None:
    table = MutableTable(dtype, tf.int64)
    numbers = np.random.default_rng(0).permutation(30_000).astype(np.int64) * spread

    def keys(some: Any) -> Any:
        return some if dtype is tf.int64 else _objects([b"%d" % number for number in some.tolist()])

    def found() -> Any:
        return table.find(keys(numbers), np.array(-1))

    table.insert(keys(numbers[:20_000]), np.arange(20_000))
    assert np.array_equal(found(), np.where(np.arange(30_000) < 20_000, np.arange(30_000), -1))
    table.insert(keys(numbers[:1]), np.array([77]))
    assert found()[0] == 77
    table.remove(keys(numbers[5:6]))
    assert found()[5] == -1
    table.replace(keys(numbers[:2]), np.array([1, 2]))
    assert found()[:3].tolist() == [1, 2, -1]
    each = table.find(keys(numbers), np.arange(30_000) + 7)
    assert each[:4].tolist() == [1, 2, 9, 10]


def test_a_large_lookup_in_an_empty_table_gives_defaults() -> None:
    table = MutableTable(tf.int64, tf.int64)
    assert set(table.find(np.arange(10_000), np.array(3)).tolist()) == {3}
    assert np.array_equal(table.find(np.arange(10_000), np.arange(10_000)), np.arange(10_000))
