"""Lookup tables filled from datasets: pairs, positions, buckets, datasets that are not pairs."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.state.lookup.hash_buckets import StrongHashSpec

Dataset = tf.data.Dataset
experimental = tf.data.experimental


def _words(*words: str) -> Any:
    return Dataset.from_tensor_slices(list(words))


def _pairs() -> Any:
    return Dataset.zip((_words("a", "b"), Dataset.range(2)))


def test_a_dataset_fills_a_table() -> None:
    initializer = experimental.DatasetInitializer(_pairs())
    assert (initializer.key_dtype, initializer.value_dtype) == (tf.string, tf.int64)
    table = tf.lookup.StaticHashTable(initializer, -1)
    assert table.lookup(tf.constant(["b", "q"])).numpy().tolist() == [1, -1]


def test_a_long_dataset_fills_a_table_by_blocks() -> None:
    pairs = Dataset.range(200_000).map(lambda key: (key, 2 * key))
    table = tf.lookup.StaticHashTable(experimental.DatasetInitializer(pairs), -1)
    assert table.lookup(tf.constant([199_999, 0, 200_000], tf.int64)).numpy().tolist() == [399_998, 0, -1]


def test_a_table_of_pairs_has_a_default_or_buckets() -> None:
    keys = tf.constant(["b", "q", "r"])
    assert experimental.table_from_dataset(_pairs(), default_value=7).lookup(keys).numpy().tolist() == [1, 7, 7]
    assert experimental.table_from_dataset(_pairs()).lookup(keys).numpy().tolist() == [1, -1, -1]
    table = experimental.table_from_dataset(_pairs(), num_oov_buckets=3)
    assert table.lookup(keys).numpy().tolist() == [1, 4, 3]
    assert table.size().numpy() == 5
    strong = experimental.table_from_dataset(_pairs(), num_oov_buckets=7, hasher_spec=StrongHashSpec([1, 2]))
    assert strong.lookup(keys[:1]).numpy().tolist() == [1]
    texts = Dataset.zip((Dataset.range(2), _words("a", "b")))
    table = experimental.table_from_dataset(texts, key_dtype=tf.int64)
    assert table.lookup(tf.constant([1, 9], tf.int64)).numpy().tolist() == [b"b", b""]


def test_only_so_many_pairs_are_taken() -> None:
    table = experimental.table_from_dataset(_pairs(), vocab_size=1, default_value=-1)
    assert table.lookup(tf.constant(["b", "a"])).numpy().tolist() == [-1, 0]
    message = "expected to contain 10 elements but contained only 2 elements"
    with pytest.raises(tf.errors.FailedPreconditionError, match=message):
        experimental.table_from_dataset(_pairs(), vocab_size=10, default_value=-1)


def test_positions_in_a_dataset_are_ids() -> None:
    table = experimental.index_table_from_dataset(_words("a", "b"))
    assert table.lookup(tf.constant(["b", "q"])).numpy().tolist() == [1, -1]
    table = experimental.index_table_from_dataset(_words("a", "b"), num_oov_buckets=2)
    assert table.lookup(tf.constant(["b", "q"])).numpy().tolist() == [1, 3]
    table = experimental.index_table_from_dataset(Dataset.range(3, 5), key_dtype=tf.int64, default_value=9)
    assert table.lookup(tf.constant([4, 7], tf.int64)).numpy().tolist() == [1, 9]


def test_a_function_holds_a_table_of_a_dataset() -> None:
    table = experimental.index_table_from_dataset(_words("a", "b"), num_oov_buckets=2)
    assert tf.function(table.lookup)(tf.constant(["b", "q"])).numpy().tolist() == [1, 3]
    mapped = _words("b", "q").map(table.lookup)
    assert [int(value) for value in mapped] == [1, 3]


NO_PAIRS = [
    (TypeError, "object of type 'TensorSpec' has no len", lambda: Dataset.range(2)),
    (ValueError, "produces 3 components instead of two", lambda: Dataset.zip((Dataset.range(2),) * 3)),
    (ValueError, "produces 2 components", lambda: _pairs().map(lambda a, b: {"a": a, "b": b})),
    (ValueError, r"produces non-scalar key Tensors of rank 1\.", lambda: _pairs().batch(2)),
    (ValueError, r"produces non-Tensor key components", lambda: Dataset.zip((Dataset.zip((Dataset.range(1),)),) * 2)),
]


@pytest.mark.parametrize(("error", "message", "make"), NO_PAIRS)
def test_a_table_is_filled_with_pairs_of_scalars(error: Any, message: str, make: Any) -> None:
    with pytest.raises(error, match=message):
        experimental.DatasetInitializer(make())


def test_an_empty_dataset_fills_no_table() -> None:
    with pytest.raises(tf.errors.OutOfRangeError, match="end of iterator"):
        tf.lookup.StaticHashTable(experimental.DatasetInitializer(_pairs().take(0)), -1)


def test_a_key_with_two_values_is_refused() -> None:
    with pytest.raises(tf.errors.FailedPreconditionError, match="Key a has 0 and trying to add value 1"):
        experimental.table_from_dataset(Dataset.zip((_words("a", "a"), Dataset.range(2))))


WRONG = [
    (ValueError, "`num_oov_buckets` must be greater than or equal to 0, got -3.", {"num_oov_buckets": -3}),
    (ValueError, "`vocab_size` must be greater than 0, got 0.", {"vocab_size": 0}),
    (TypeError, "`key_dtype` must be either an integer or string type", {"key_dtype": tf.float32}),
]


@pytest.mark.parametrize(("error", "message", "arguments"), WRONG)
def test_arguments_that_cannot_be(error: Any, message: str, arguments: Any) -> None:
    with pytest.raises(error, match=message):
        experimental.table_from_dataset(_pairs(), **arguments)
    with pytest.raises(error, match=message):
        experimental.index_table_from_dataset(_words("a"), **arguments)
