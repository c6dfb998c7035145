"""`tf.SparseTensorSpec`: fields, order, components and variations."""

from __future__ import annotations

import pickle

import pytest

import millrace as tf


def example() -> tf.SparseTensor:
    return tf.SparseTensor([[0, 1]], [1.0], [2, 3])


def test_fields_and_text() -> None:
    assert repr(tf.SparseTensorSpec([2, None], tf.int32)) == "SparseTensorSpec(TensorShape([2, None]), tf.int32)"
    assert repr(tf.SparseTensorSpec()) == "SparseTensorSpec(TensorShape(None), tf.float32)"
    assert tf.SparseTensorSpec([2]).value_type is tf.SparseTensor


def test_specs_of_values() -> None:
    spec = tf.SparseTensorSpec([2, 3])
    assert spec == tf.SparseTensorSpec.from_value(example()) == tf.type_spec_from_value(example())
    array_value = tf.compat.v1.SparseTensorValue([[0]], [1], [2])
    assert tf.type_spec_from_value(array_value) == tf.SparseTensorSpec([2], tf.int32)
    with pytest.raises(TypeError, match="Expected SparseTensor or SparseTensorValue"):
        tf.SparseTensorSpec.from_value(3)


def test_order_of_specs() -> None:
    spec = tf.SparseTensorSpec([2, 3])
    assert spec.is_compatible_with(example()) and not spec.is_compatible_with(tf.TensorSpec([2, 3]))
    assert not tf.SparseTensorSpec([2, 4]).is_compatible_with(example())
    assert not tf.SparseTensorSpec([2, 3], tf.int32).is_compatible_with(example())
    assert spec.is_subtype_of(tf.SparseTensorSpec([None, 3]))
    common = spec.most_specific_common_supertype([tf.SparseTensorSpec([2, 4])])
    assert common == tf.SparseTensorSpec([2, None])
    assert pickle.loads(pickle.dumps(spec)) == spec and hash(spec) == hash(tf.SparseTensorSpec([2, 3]))


def test_components_are_three_tensors() -> None:
    spec = tf.SparseTensorSpec([2, 3])
    assert spec._component_specs == [
        tf.TensorSpec([None, 2], tf.int64),
        tf.TensorSpec([None], tf.float32),
        tf.TensorSpec([2], tf.int64),
    ]
    value = spec._from_components(spec._to_components(example()))
    assert tf.sparse.to_dense(value).numpy().tolist() == [[0, 1, 0], [0, 0, 0]]
    with pytest.raises(ValueError, match=r"Shapes \(2, 3\) and \(5, 6\) are not compatible"):
        tf.SparseTensorSpec([5, 6])._from_components(spec._to_components(example()))


def test_batches() -> None:
    spec = tf.SparseTensorSpec([2, 3])
    assert spec._batch(4) == tf.SparseTensorSpec([4, 2, 3]) and spec._batch(None) == tf.SparseTensorSpec([None, 2, 3])
    assert spec._unbatch() == tf.SparseTensorSpec([3])
    assert tf.SparseTensorSpec(None)._batch(2) == tf.SparseTensorSpec(None)._unbatch() == tf.SparseTensorSpec(None)
    assert spec._flat_tensor_specs == [tf.TensorSpec(None, tf.variant)]
    with pytest.raises(ValueError, match="Unbatching a tensor is only supported for rank >= 1"):
        tf.SparseTensorSpec([])._unbatch()


def test_legacy_forms() -> None:
    spec = tf.SparseTensorSpec([2, 3])
    assert spec._to_legacy_output_types() == tf.float32
    assert spec._to_legacy_output_shapes() == [2, 3]
    assert spec._to_legacy_output_classes() is tf.SparseTensor


def test_signatures_leave_dimensions_open() -> None:
    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3])])
    def shape_of(value: tf.SparseTensor) -> tf.Tensor:
        assert value.shape.as_list() == [None, 3] and value.indices.shape.as_list() == [None, 2]
        return value.dense_shape

    assert shape_of(example()).numpy().tolist() == [2, 3]


def test_values_and_batches_travel_as_variants() -> None:
    spec, value = tf.SparseTensorSpec([2, 3]), example()
    (whole,) = spec._to_tensor_list(value)
    assert whole.dtype == tf.variant and whole.shape == [3]
    back = spec._from_compatible_tensor_list([whole])
    assert tf.sparse.to_dense(back).numpy().tolist() == [[0, 1, 0], [0, 0, 0]]
    (rows,) = spec._to_batched_tensor_list(value)
    assert rows.shape == [2, 3]
    first = spec._unbatch()._from_compatible_tensor_list([rows[0]])
    assert tf.sparse.to_dense(first).numpy().tolist() == [0, 1, 0]
    scalar = tf.SparseTensor([[]], [1.0], tf.zeros([0], tf.int64))
    with pytest.raises(ValueError, match="Unbatching a sparse tensor is only supported for rank >= 1"):
        tf.SparseTensorSpec([])._to_batched_tensor_list(scalar)
