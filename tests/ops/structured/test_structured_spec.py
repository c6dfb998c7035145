"""Specs of structured tensors."""

from __future__ import annotations

import pytest

import millrace as tf

ST = tf.experimental.StructuredTensor
_VECTOR = [{"a": 1, "b": [4, 5]}, {"a": 2, "b": [6]}]
_MATRIX = [[{"a": 1}], [{"a": 2}, {"a": 3}], []]


def test_specs() -> None:
    spec = ST.from_pyval(_VECTOR)._type_spec
    assert isinstance(spec, ST.Spec)
    assert spec.shape.as_list() == [2]
    assert spec.rank == 1
    assert spec._field_specs["a"] == tf.TensorSpec([2], tf.int32)
    made = ST.Spec._from_fields_and_rank({"a": tf.TensorSpec([None], tf.int32)}, 1)
    assert made.is_compatible_with(ST.from_pyval([{"a": 1}, {"a": 2}]))
    assert not made.is_compatible_with(ST.from_pyval(_VECTOR))
    shape = tf.experimental.DynamicRaggedShape.Spec([], [2], tf.int64)
    assert ST.Spec._from_shape(shape).shape.as_list() == [2]
    with pytest.raises(ValueError, match="Must provide at least one field"):
        ST.Spec._from_fields_and_rank({}, 1)


def test_specs_of_batches() -> None:
    spec = ST.from_pyval(_MATRIX)._type_spec
    assert spec._batch(5).shape.as_list() == [5, 3, None]
    assert spec._batch(None).shape.as_list() == [None, 3, None]
    assert spec._unbatch().shape.as_list() == [None]
    assert spec._batch(5)._unbatch().shape.as_list() == [3, None]
