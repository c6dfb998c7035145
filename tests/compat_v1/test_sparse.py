"""Functions of `tf.compat.v1.sparse`: placeholders, merges, older names of arguments."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf

_INDICES, _SHAPE = np.int64([[0, 0], [0, 2], [1, 1]]), np.int64([3, 4])
_VALUES = np.float64([1, -2, -3])


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


def test_v1_split_takes_keywords_alone() -> None:
    value = tf.SparseTensor([[0], [3]], [1, 2], [4])
    parts = tf.compat.v1.sparse_split(sp_input=value, num_split=2, split_dim=0)
    assert [part.values.numpy().tolist() for part in parts] == [[1], [2]]
    with pytest.raises(ValueError, match="Keyword arguments are required for this function"):
        tf.compat.v1.sparse_split(value, value, 2, 0)


def test_the_older_name_of_the_threshold() -> None:
    value = tf.SparseTensor([[0], [1]], [1.0, 2.0], [2])
    assert tf.compat.v1.sparse_add(value, value, thresh=3.0).values.numpy().tolist() == [4]
    with pytest.raises(ValueError, match="Cannot specify both 'thresh' and 'threshold'"):
        tf.compat.v1.sparse_add(value, value, 1.0, 2.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1, 2]], [4], 5, 0), "output_shape has incorrect number of elements: 1 should be: 2"),
        (([[[1, 2]]], [4], 5, 0), r"sparse_indices should be a scalar, vector, or matrix, got shape \[1,1,2\]"),
        (([[0, 1]], [[2, 2]], 5, 0), r"output_shape must be rank 1, got shape \[1,2\]"),
        (([[0, 1]], [2, 2], [5, 6], 0), r"sparse_values has incorrect shape \[2\], should be \[\] or \[1\]"),
        (([7], [2], 5, 0), r"indices\[0\] = \[7\] is out of bounds: need 0 <= index < \[2\]"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(arguments, message) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.compat.v1.sparse_to_dense(*arguments)


def test_older_names_of_arguments() -> None:
    value, v1 = tf.SparseTensor(_INDICES, _VALUES, _SHAPE), tf.compat.v1
    assert v1.sparse_reduce_sum(value, reduction_axes=1).numpy().tolist() == [-1, -3, 0]
    assert v1.sparse_reduce_max(value, 1, keep_dims=True).numpy().tolist() == [[1], [-3], [0]]
    assert v1.sparse_reduce_sum_sparse(value, 1).values.numpy().tolist() == [-1, -3]
    assert v1.sparse_reduce_max_sparse(value, 1).values.numpy().tolist() == [1, -3]
    with pytest.raises(ValueError, match="Cannot specify both 'reduction_axes' and 'axis'"):
        v1.sparse_reduce_sum(value, 0, reduction_axes=1)
    with pytest.raises(ValueError, match="Cannot specify both 'keep_dims' and 'keepdims'"):
        v1.sparse_reduce_sum(value, 0, True, keep_dims=True)
