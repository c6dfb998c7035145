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


def test_eye_may_be_of_booleans() -> None:
    assert tf.sparse.eye(2, dtype=tf.bool).values.numpy().tolist() == [True, True]
