"""Examples of all rows, read as one batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.oracle.programs._messages import example, floats, ints

_ROWS = [example(a=ints(n, n * n), b=floats(n)) for n in range(14)]
_FIXED = {"a": tf.io.FixedLenFeature([2], tf.int64), "b": tf.io.FixedLenFeature([], tf.float32, 0.0)}


def _at_once(read: Callable[[Any], Any], rows: Any) -> Any:
    """The result of a vectorized map, of which no operation may be left to a loop."""
    return tf.vectorized_map(read, rows, fallback_to_while_loop=False)


def _ops(read: Callable[[Any], Any], rows: Any) -> list[str]:
    graph = tf.function(lambda s: _at_once(read, s), autograph=False).get_concrete_function(tf.constant(rows)).graph
    return [operation.type for operation in graph.get_operations()]


def test_single_examples_are_read_by_one_op() -> None:
    read = lambda s: tf.io.parse_single_example(s, _FIXED)  # noqa: E731 - a function of one line, as users write it
    found = _at_once(read, tf.constant(_ROWS))
    assert found["a"].numpy().tolist() == [[n, n * n] for n in range(14)]
    assert found["b"].numpy().tolist() == list(range(14))
    ops = _ops(read, _ROWS)
    assert ops.count("ParseExampleV2") == 1
    assert "While" not in ops


def test_a_batch_of_each_row_becomes_one_batch() -> None:
    rows = tf.reshape(tf.constant(_ROWS), [7, 2])
    found = _at_once(lambda s: tf.io.parse_example(s, _FIXED), rows)
    assert found["a"].shape == [7, 2, 2]
    np.testing.assert_array_equal(tf.reshape(found["b"], [-1]), np.arange(14))


def test_names_go_with_their_rows() -> None:
    names = tf.constant([f"n{n}" for n in range(14)])
    read = lambda pair: tf.io.parse_single_example(pair[0], _FIXED, pair[1])["a"]  # noqa: E731 - as above
    assert _at_once(read, (tf.constant(_ROWS), names)).shape == [14, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Name: n1, Feature: a"):
        _at_once(read, (tf.constant([_ROWS[0], b"", *_ROWS[2:]]), names))


def test_the_older_ops_are_read_as_a_batch_too() -> None:
    none, empty = tf.constant([], tf.int64), tf.constant([], tf.string)
    options: dict[str, Any] = {"dense_defaults": [none], "dense_shapes": [[2]], "sparse_types": []}

    def single(s: Any) -> Any:
        attrs = {"num_sparse": 0, "sparse_keys": [], "dense_keys": ["a"]}
        return tf.raw_ops.ParseSingleExample(serialized=s, **options, **attrs).dense_values[0]

    def batch(s: Any) -> Any:
        return tf.raw_ops.ParseExample(
            serialized=s, names=empty, sparse_keys=[], dense_keys=["a"], **options
        ).dense_values[0]

    expected = [[n, n * n] for n in range(14)]
    assert _at_once(single, tf.constant(_ROWS)).numpy().tolist() == expected
    rows = tf.reshape(tf.constant(_ROWS), [7, 2])
    assert tf.reshape(_at_once(batch, rows), [14, 2]).numpy().tolist() == expected


_OF_ANY_SIZE = [tf.io.FixedLenSequenceFeature([], tf.int64, True), tf.io.RaggedFeature(tf.int64)]


@pytest.mark.parametrize("feature", _OF_ANY_SIZE, ids=["rows", "ragged"])
def test_features_of_any_size_are_read_row_by_row(feature: Any) -> None:
    read = lambda s: tf.io.parse_single_example(s, {"a": feature})["a"]  # noqa: E731 - as above
    assert tf.vectorized_map(read, tf.constant(_ROWS)).numpy().tolist() == [[n, n * n] for n in range(14)]
    with pytest.raises(ValueError, match="No pfor vectorization defined for ParseExampleV2"):
        _at_once(read, tf.constant(_ROWS))
