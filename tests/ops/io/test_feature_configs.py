"""The descriptions of features; tests/oracle/programs/io_examples.py compares their texts with TensorFlow's."""

from __future__ import annotations

import pytest

import millrace as tf


def test_descriptions_are_tuples_with_defaults() -> None:
    assert tf.io.FixedLenFeature([2], tf.int64) == ([2], tf.int64, None)
    assert tf.io.FixedLenSequenceFeature([], tf.string) == ([], tf.string, False, None)
    assert tf.io.VarLenFeature(tf.string) == (tf.string,)
    assert tf.io.SparseFeature("i", "v", tf.int64, 3).already_sorted is False
    assert tf.io.RaggedFeature("int64") == (tf.int64, None, (), tf.int32, False)


def test_the_dtypes_of_a_ragged_description_are_converted() -> None:
    feature = tf.io.RaggedFeature("float32", row_splits_dtype="int64", partitions=[tf.io.RaggedFeature.RowSplits("s")])
    assert (feature.dtype, feature.row_splits_dtype) == (tf.float32, tf.int64)
    assert repr(feature).startswith("RaggedFeature(dtype=tf.float32, value_key=None, partitions=(RowSplits(key='s'),)")


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"partitions": "a"}, TypeError, "must be a list or tuple"),
        ({"partitions": ["a"]}, TypeError, "cannot be cast to any of the partition types"),
        ({"row_splits_dtype": tf.float32}, ValueError, "must be int32 or int64"),
        ({"validate": 3}, TypeError, "must be a bool; got 3"),
        ({"value_key": 3}, ValueError, "must be a string; got 3"),
    ],
)
def test_a_ragged_description_checks_its_parts(options: dict[str, object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        tf.io.RaggedFeature(tf.int64, **options)
