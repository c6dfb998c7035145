"""`tf.compat.v1.data.Dataset`: the same datasets with more methods."""

from __future__ import annotations

import pytest

import millrace as tf
from tests.data.pipelines import elements

DatasetV1 = tf.compat.v1.data.Dataset


def test_sources_and_methods_give_datasets_with_the_methods_of_tensorflow_1() -> None:
    datasets = [
        DatasetV1.range(5),
        DatasetV1.from_tensor_slices([1, 2]),
        DatasetV1.range(5).map(lambda x: x),
        DatasetV1.range(5).batch(2),
        DatasetV1.range(5).apply(lambda dataset: tf.data.Dataset.range(3)),
        DatasetV1.zip((tf.data.Dataset.range(3),)),
    ]
    for dataset in datasets:
        assert type(dataset).__name__ == "DatasetV1Adapter"
        assert isinstance(dataset, DatasetV1)
        assert isinstance(dataset, tf.data.Dataset)
    assert not isinstance(tf.data.Dataset.range(3), DatasetV1)
    assert not hasattr(tf.data.Dataset, "make_one_shot_iterator")


def test_elements_and_text_are_those_of_the_same_dataset() -> None:
    dataset = DatasetV1.range(5).filter(lambda x: x > 2)
    assert elements(dataset) == [3, 4]
    assert repr(dataset) == repr(tf.data.Dataset.range(5).filter(lambda x: x > 2))
    assert DatasetV1.range(4).reduce(tf.constant(0, tf.int64), lambda s, x: s + x).numpy() == 6
    assert len(DatasetV1.range(4)) == 4


def test_the_older_attributes() -> None:
    dataset = DatasetV1.from_tensors({"a": [1.0], "b": "x"})
    assert dataset.output_types == {"a": tf.float32, "b": tf.string}
    assert dataset.output_shapes == {"a": tf.TensorShape([1]), "b": tf.TensorShape([])}
    assert dataset.output_classes == {"a": tf.Tensor, "b": tf.Tensor}


def test_the_older_methods() -> None:
    assert elements(DatasetV1.range(3).map_with_legacy_function(lambda x: x + 1)) == [1, 2, 3]
    assert elements(DatasetV1.range(3).filter_with_legacy_function(lambda x: x > 0)) == [1, 2]
    assert [int(x) for x in DatasetV1.range(2).make_one_shot_iterator()] == [0, 1]
    with pytest.raises(RuntimeError, match="not supported in eager mode"):
        DatasetV1.range(2).make_initializable_iterator()
