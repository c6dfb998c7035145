"""Structures by three nests: dtypes, shapes, classes."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.data.legacy_structure import spec_of_legacy

v1 = tf.compat.v1.data


def test_a_structure_is_taken_apart_and_put_together() -> None:
    dataset = tf.data.Dataset.from_tensors({"a": [1.0], "b": ("x", 2)}).batch(2)
    parts = v1.get_output_types(dataset), v1.get_output_shapes(dataset), v1.get_output_classes(dataset)
    assert parts[0] == {"a": tf.float32, "b": (tf.string, tf.int32)}
    assert parts[1]["a"].as_list() == [None, 1]
    assert parts[2] == {"a": tf.Tensor, "b": (tf.Tensor, tf.Tensor)}
    assert spec_of_legacy(*parts) == dataset.element_spec


def test_an_iterator_is_asked_as_a_dataset_is() -> None:
    iterator = iter(tf.data.Dataset.range(3))
    assert v1.get_output_types(iterator) is iterator.output_types is tf.int64
    assert iterator.output_shapes == tf.TensorShape([])
    assert iterator.output_classes is tf.Tensor


def test_shapes_and_classes_may_be_missing() -> None:
    assert spec_of_legacy((tf.int32, "string")) == (tf.TensorSpec(None, tf.int32), tf.TensorSpec(None, tf.string))
    spec = tf.OptionalSpec(tf.TensorSpec([], tf.int32))
    assert spec_of_legacy(spec) == spec_of_legacy(tf.variant, [], spec) == spec


def test_classes_of_composites_but_sparse_tensors_need_a_spec() -> None:
    assert spec_of_legacy(tf.int32, [3], tf.SparseTensor) == tf.SparseTensorSpec([3], tf.int32)
    with pytest.raises(TypeError, match="Elements of class IndexedSlices are described by a spec"):
        spec_of_legacy(tf.int32, [], tf.IndexedSlices)


def test_ragged_and_sparse_elements_have_dtypes_shapes_and_classes() -> None:
    spec = tf.RaggedTensorSpec([2, None], tf.int32)
    dataset = v1.Dataset.zip((_empty(spec), _empty(tf.SparseTensorSpec([3], tf.string))))
    assert v1.get_output_types(dataset) == (tf.int32, tf.string)
    assert v1.get_output_shapes(dataset) == (tf.TensorShape([2, None]), tf.TensorShape([3]))
    assert v1.get_output_classes(dataset) == (spec, tf.SparseTensor)


def _empty(spec: Any) -> Any:
    return v1.Dataset.from_generator(lambda: iter([]), output_signature=spec)


def test_other_things_have_no_elements() -> None:
    with pytest.raises(TypeError, match=r"must be a `tf\.data\.Dataset` or tf\.data\.Iterator object"):
        v1.get_output_types(3)
