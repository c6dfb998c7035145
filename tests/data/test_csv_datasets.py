"""`tf.data.experimental.CsvDataset`: the class; what it reads is tested with its op."""

from __future__ import annotations

import pytest

import millrace as tf

CsvDataset = tf.data.experimental.CsvDataset


def test_a_column_is_a_scalar_of_the_dtype_of_its_default() -> None:
    dataset = CsvDataset("a.csv", [tf.int64, [0.5], "x"])
    assert isinstance(dataset, tf.data.Dataset)
    assert [spec.dtype for spec in dataset.element_spec] == [tf.int64, tf.float32, tf.string]
    assert all(spec.shape == [] for spec in dataset.element_spec)
    assert int(dataset.cardinality()) == tf.data.UNKNOWN_CARDINALITY


def test_a_column_of_another_dtype_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Attempt to convert a value \(tf\.bool\)"):
        CsvDataset("a.csv", [tf.bool])


def test_names_that_are_no_strings_are_refused() -> None:
    with pytest.raises(TypeError, match="Cannot convert 3 to EagerTensor of dtype string"):
        CsvDataset(3, [tf.int32])
