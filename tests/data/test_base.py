"""What every dataset is, as far as `test_dataset.py` does not show it."""

from __future__ import annotations

import pytest

import millrace as tf


def test_a_dataset_of_another_dtype_than_the_signature_says_is_refused() -> None:
    @tf.function(input_signature=[tf.data.DatasetSpec(tf.TensorSpec([], tf.float32))])
    def total(dataset: tf.data.Dataset) -> tf.Tensor:
        return dataset.reduce(0.0, lambda a, b: a + b)

    assert total(tf.data.Dataset.from_tensor_slices([1.0, 2.0])).numpy() == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="component 0: expected float but got int64"):
        total(tf.data.Dataset.range(3))
