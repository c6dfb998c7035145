"""`tf.sparse.eye` and `mask`, placeholders, and values of either kind."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf


@pytest.mark.parametrize(("rows", "columns"), [(2, 3), (3, 2), (2, None), (0, None), (0, 4)])
def test_eye_is_numpys(rows, columns) -> None:
    value = tf.sparse.eye(rows, columns, dtype=tf.int32)
    assert np.array_equal(tf.sparse.to_dense(value).numpy(), np.eye(rows, columns, dtype=np.int32))


def test_eye_takes_tensors_and_refuses_lists() -> None:
    assert tf.sparse.eye(tf.constant(2)).shape == [2, 2]
    with pytest.raises(TypeError, match="num_rows must be an integer value"):
        tf.sparse.eye([2])
    with pytest.raises(TypeError, match="num_columns must be an integer value"):
        tf.sparse.eye(2, 1.5)
    with tf.Graph().as_default():
        assert tf.sparse.eye(2, 3).shape == [2, 3]


def test_mask_leaves_out_slices() -> None:
    slices = tf.IndexedSlices(tf.constant([[1.0], [2.0], [3.0]]), tf.constant([7, 2, 5]), tf.constant([9, 1]))
    masked = tf.sparse.mask(slices, [2, 7])
    assert masked.indices.numpy().tolist() == [5] and masked.values.numpy().tolist() == [[3]]
    assert masked.dense_shape.numpy().tolist() == [9, 1]


def test_placeholders_know_what_the_shape_says() -> None:
    with tf.Graph().as_default():
        unknown = tf.compat.v1.sparse_placeholder(tf.float32)
        assert unknown.shape.rank is None
        names = [part.op.name for part in (unknown.dense_shape, unknown.values, unknown.indices)]
        assert names == ["Placeholder", "Placeholder_1", "Placeholder_2"]
        known = tf.compat.v1.sparse_placeholder(tf.float32, [None, 3], name="x")
        assert known.shape.as_list() == [None, 3] and known.indices.shape.as_list() == [None, 2]
        names = [part.op.name for part in (known.dense_shape, known.values, known.indices)]
        assert names == ["x/shape", "x/values", "x/indices"]
        assert known.dense_shape.op.inputs[0].op.name == "x/shape_default"
        by_tensor = tf.compat.v1.sparse_placeholder(tf.float32, tf.compat.v1.placeholder(tf.int64, [2]))
        assert by_tensor.shape.as_list() == [None, None]
    with pytest.raises(RuntimeError, match="`sparse_placeholder` is not compatible with eager execution"):
        tf.compat.v1.sparse_placeholder(tf.float32)


def test_values_of_either_kind_are_converted() -> None:
    convert = tf.compat.v1.convert_to_tensor_or_sparse_tensor
    value = convert(tf.compat.v1.SparseTensorValue([[0]], [1], [2]))
    assert isinstance(value, tf.SparseTensor) and convert(value) is value
    assert convert([1, 2], tf.int64).dtype == tf.int64
    with pytest.raises(RuntimeError, match="Sparse dtype mismatch"):
        convert(value, tf.float32)


def test_ids_become_coordinates() -> None:
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [3, 1, 5], [2, 2])
    weights, merge = ids.with_values([0.5, 2.0, 1.0]), tf.compat.v1.sparse_merge
    merged = merge(ids, weights, 10)
    assert merged.indices.numpy().tolist() == [[0, 1], [0, 3], [1, 5]] and merged.shape == [2, 10]
    assert merged.values.numpy().tolist() == [2, 0.5, 1]
    assert merge(ids, weights, tf.constant(10), already_sorted=True).values.numpy().tolist() == [0.5, 2, 1]
    assert merge([ids, ids], weights, [10, 11]).indices.numpy().tolist() == [[0, 1, 1], [0, 3, 3], [1, 5, 5]]
    with pytest.raises(ValueError, match="sp_ids and vocab_size have to have equal lengths"):
        merge([ids, ids], weights, [10])
    with pytest.raises(TypeError, match="sp_ids has to be a SparseTensor or list thereof"):
        merge(1, weights, 10)
    with pytest.raises(TypeError, match="vocab_size has to be a Tensor or Python int"):
        merge(ids, weights, "a")


def test_eye_may_be_of_booleans() -> None:
    assert tf.sparse.eye(2, dtype=tf.bool).values.numpy().tolist() == [True, True]
