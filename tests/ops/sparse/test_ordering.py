"""`tf.sparse.reorder`."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample

_INDICES, _SHAPE = np.int64([[1, 2], [0, 1], [1, 0]]), np.int64([2, 3])

SAMPLES = [
    Sample("SparseReorder", [_INDICES, np.float64([1, 2, 3]), _SHAPE], grad=True),
    Sample("SparseReorder", [_INDICES[:, :1].copy(), np.complex64([1, 2j, 3]), _SHAPE[:1]]),
    Sample("SparseReorder", [_INDICES[:0], np.int32([]), _SHAPE]),
    Sample("SparseReorder", [np.int64([[3, 0], [-1, 5]]), np.int32([1, 2]), _SHAPE]),
    Sample("SparseReorder", [np.zeros([2, 0], np.int64), np.float32([1, 2]), np.int64([])]),
    Sample("SparseReorder", [_INDICES, np.array(["a", "b", "c"], object), np.int64([2**40, 2**40])], xla=False),  # text
]


def test_elements_come_in_the_order_of_a_dense_tensor() -> None:
    value = tf.sparse.reorder(tf.SparseTensor([[1, 0], [0, 2], [0, 1]], [1, 2, 3], [2, 3]))
    assert value.indices.numpy().tolist() == [[0, 1], [0, 2], [1, 0]]
    assert value.values.numpy().tolist() == [3, 2, 1]


def test_repeated_coordinates_stay_as_they_are() -> None:
    value = tf.sparse.reorder(tf.SparseTensor([[1], [0], [1], [0]], [1, 2, 3, 4], [2]))
    assert value.values.numpy().tolist() == [2, 4, 1, 3]


def test_other_values_are_refused() -> None:
    with pytest.raises(TypeError, match="Input must be a SparseTensor"):
        tf.sparse.reorder([1])


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (([[0]], [1, 2], [3]), r"Number of elements in indices \(1\) and values \(2\) do not match"),
        (([0], [1, 2], [3]), "Sparse indices must be rank 2 but is rank 1"),
        (([[0, 1]], [1], [3]), r"Index rank \(2\) and shape rank \(1\) do not match"),
        (([[0, 1]], [[1]], [3, 3]), "Sparse values must be rank 1 but is rank 2"),
        (([[0, 1]], [1], [[3, 3]]), "Sparse shape must be rank 1 but is rank 2"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts, message) -> None:
    indices, values, shape = parts
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.raw_ops.SparseReorder(input_indices=indices, input_values=values, input_shape=shape)


def test_graphs_keep_the_static_shape() -> None:
    with tf.Graph().as_default():
        value = tf.SparseTensor(
            tf.compat.v1.placeholder(tf.int64, [None, 3]), tf.compat.v1.placeholder(tf.float32, [5]), [3, 4, 5]
        )
        ordered = tf.sparse.reorder(value)
        assert ordered.shape == [3, 4, 5] and ordered.values.shape == [5]
        with pytest.raises(ValueError, match="Shape must be rank 2 but is rank 1"):
            tf.raw_ops.SparseReorder(input_indices=[0, 1], input_values=[1, 2], input_shape=[3, 3])


@pytest.mark.xla
def test_reorder_compiles() -> None:
    @tf.function(jit_compile=True)
    def ordered(indices: tf.Tensor, values: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        value = tf.sparse.reorder(tf.SparseTensor(indices, values, [2, 3]))
        return value.indices, value.values

    indices, values = ordered(tf.constant(_INDICES), tf.constant([1.0, 2.0, 3.0]))
    assert indices.numpy().tolist() == [[0, 1], [1, 0], [1, 2]] and values.numpy().tolist() == [2, 3, 1]
