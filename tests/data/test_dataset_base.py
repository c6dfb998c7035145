"""What every dataset is, as far as `test_dataset.py` does not show it."""

from __future__ import annotations

import pytest

import millrace as tf
from tests.contracts.test_imports import run_python


def test_a_dataset_of_another_dtype_than_the_signature_says_is_refused() -> None:
    @tf.function(input_signature=[tf.data.DatasetSpec(tf.TensorSpec([], tf.float32))])
    def total(dataset: tf.data.Dataset) -> tf.Tensor:
        return dataset.reduce(0.0, lambda a, b: a + b)

    assert total(tf.data.Dataset.from_tensor_slices([1.0, 2.0])).numpy() == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="component 0: expected float but got int64"):
        total(tf.data.Dataset.range(3))


def test_a_variant_becomes_a_dataset_in_a_program_that_has_not_named_the_class_of_datasets() -> None:
    result = run_python(
        "import millrace as tf\n"
        "count = lambda n: tf.constant(n, tf.int64)\n"
        "types = {'output_types': [tf.int64], 'output_shapes': [[]]}\n"
        "handle = tf.raw_ops.RangeDataset(start=count(0), stop=count(2), step=count(1), **types)\n"
        "dataset = tf.data.experimental.from_variant(handle, tf.TensorSpec([], tf.int64))\n"
        "print([int(x) for x in dataset], isinstance(dataset, tf.data.Dataset))"
    )
    assert result.stdout == "[0, 1] True\n", result.stderr
