"""Older names of specs and transformations in `tf.compat.v1.data.experimental`."""

from __future__ import annotations

import pytest

import millrace as tf

experimental = tf.compat.v1.data.experimental


def test_structures_are_specs() -> None:
    assert experimental.TensorStructure(tf.int32, [2]) == tf.TensorSpec([2], tf.int32)
    assert experimental.SparseTensorStructure(tf.int32, [2, 3]) == tf.SparseTensorSpec([2, 3], tf.int32)
    assert experimental.RaggedTensorStructure(tf.int32, [None, None], 1) == tf.RaggedTensorSpec(
        [None, None], tf.int32, 1
    )
    array = experimental.TensorArrayStructure(tf.float32, [2], True, False)
    assert array == tf.TensorArraySpec([2], tf.float32, True, False)


def test_maps_and_batches_at_once() -> None:
    dataset = tf.data.Dataset.range(5).apply(experimental.map_and_batch_with_legacy_function(lambda x: x * 2, 2))
    assert [batch.tolist() for batch in dataset.as_numpy_iterator()] == [[0, 2], [4, 6], [8]]
    with pytest.raises(ValueError, match="allows only one of"):
        experimental.map_and_batch_with_legacy_function(lambda x: x, 2, num_parallel_batches=1, num_parallel_calls=1)
