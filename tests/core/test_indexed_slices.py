"""`tf.IndexedSlices` and its spec."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf


def value(x: Any) -> Any:
    return np.asarray(x).tolist()


def slices(**changes: Any) -> Any:
    parts = {
        "values": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
        "indices": tf.constant([2, 0]),
        "dense_shape": tf.constant([3, 2]),
    }
    return tf.IndexedSlices(**{**parts, **changes})


def test_parts_shape_and_dtype() -> None:
    s = slices()
    assert (value(s.values), value(s.indices), value(s.dense_shape)) == ([[1.0, 2.0], [3.0, 4.0]], [2, 0], [3, 2])
    assert s.shape == [3, 2]
    assert s.dtype == tf.float32
    assert slices(dense_shape=None).shape.rank is None


def test_it_converts_to_a_dense_tensor_adding_repeated_rows() -> None:
    assert value(tf.convert_to_tensor(slices())) == [[3.0, 4.0], [0.0, 0.0], [1.0, 2.0]]
    assert value(tf.convert_to_tensor(slices(indices=tf.constant([1, 1])))) == [[0.0, 0.0], [4.0, 6.0], [0.0, 0.0]]
    assert value(slices() * 1.0 if hasattr(slices(), "__mul__") else tf.convert_to_tensor(slices()))[0] == [3.0, 4.0]


def test_without_a_dense_shape_it_does_not_convert() -> None:
    with pytest.raises(ValueError, match="dense_shape"):
        tf.convert_to_tensor(slices(dense_shape=None))


def test_another_dtype_is_refused() -> None:
    with pytest.raises(ValueError):
        tf.convert_to_tensor(slices(), dtype=tf.int32)


def test_negation_keeps_it_sparse() -> None:
    s = -slices()
    assert isinstance(s, tf.IndexedSlices)
    assert value(s.values) == [[-1.0, -2.0], [-3.0, -4.0]]


def test_ops_take_it_as_a_tensor() -> None:
    assert value(tf.reduce_sum(slices())) == 10.0


def test_it_passes_through_a_function() -> None:
    f = tf.function(lambda s: tf.IndexedSlices(s.values * 2.0, s.indices, s.dense_shape), autograph=False)
    result = f(slices())
    assert isinstance(result, tf.IndexedSlices)
    assert value(result.values) == [[2.0, 4.0], [6.0, 8.0]]
    assert f.experimental_get_tracing_count() == 1
    f(slices())
    assert f.experimental_get_tracing_count() == 1


def test_specs_compare_by_their_parts() -> None:
    spec = tf.IndexedSlicesSpec([3, 2], tf.float32, tf.int32, tf.int32, [2])
    assert spec == tf.type_spec_from_value(slices())
    assert spec != tf.IndexedSlicesSpec([3, 2], tf.float64, tf.int32, tf.int32, [2])
    assert spec.value_type is tf.IndexedSlices
    assert hash(spec) == hash(tf.IndexedSlicesSpec([3, 2], tf.float32, tf.int32, tf.int32, [2]))
    assert spec.is_compatible_with(slices())


def test_structures_expand_it() -> None:
    assert len(tf.nest.flatten(slices(), expand_composites=True)) == 3
    assert len(tf.nest.flatten(slices())) == 1
