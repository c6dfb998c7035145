"""`tf.data.experimental.SqlDataset`: the class; what it reads is tested with its op."""

from __future__ import annotations

import millrace as tf


def test_an_element_has_the_structure_of_the_dtypes() -> None:
    dataset = tf.data.experimental.SqlDataset("sqlite", "a.db", "select i, f", (tf.int64, (tf.float64,)))
    assert isinstance(dataset, tf.data.Dataset)
    assert dataset.element_spec == (tf.TensorSpec([], tf.int64), (tf.TensorSpec([], tf.float64),))
    assert int(dataset.cardinality()) == tf.data.UNKNOWN_CARDINALITY
