"""Datasets that functions of a SavedModel capture."""

from __future__ import annotations

import pathlib

import pytest

import millrace as tf
from millrace._src.saved_model.dataset_resource import DatasetResource


def test_the_handle_is_that_of_the_dataset() -> None:
    dataset = tf.data.Dataset.range(3)
    assert DatasetResource(dataset).resource_handle is dataset._variant_tensor


def test_the_dataset_is_made_again_in_a_graph() -> None:
    dataset = tf.data.Dataset.range(3).batch(2)
    with tf.Graph().as_default() as graph:
        tensor = DatasetResource(dataset)._create_resource()
    assert tensor.graph is graph
    assert [op.type for op in graph.get_operations() if op.type.endswith("Dataset") or "Batch" in op.type] == [
        "RangeDataset",
        "BatchDatasetV2",
    ]


def test_a_dataset_whose_functions_use_a_variable_cannot_be_saved(tmp_path: pathlib.Path) -> None:
    module = tf.Module()
    module.v = tf.Variable(2, dtype=tf.int64)
    module.dataset = tf.data.Dataset.range(3).map(lambda x: x * module.v)
    with pytest.raises(tf.errors.FailedPreconditionError, match="which no graph can hold"):
        tf.saved_model.save(module, str(tmp_path))
