"""Functions of `tf.compat.v1` that pick elements."""

from __future__ import annotations

import pytest

import millrace as tf

v1 = tf.compat.v1


def test_the_axis_of_gather_comes_after_the_name() -> None:
    assert v1.gather([[1, 2], [3, 4]], [1], None, "g").numpy().tolist() == [[3, 4]]
    assert v1.gather([[1, 2], [3, 4]], [1], axis=1).numpy().tolist() == [[2], [4]]


def test_all_dimensions_of_the_indices_but_the_last_are_batches() -> None:
    params = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
    assert v1.batch_gather(params, [[1], [0]]).numpy().tolist() == [[[3, 4]], [[5, 6]]]


def test_batches_of_an_unknown_number_are_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="does not allow indices with unknown shape"):
        v1.batch_gather([1, 2], v1.placeholder(tf.int32))


def test_a_mask_has_its_axis_last() -> None:
    assert v1.boolean_mask([[1, 2], [3, 4]], [True, False], "m", 1).numpy().tolist() == [[1], [3]]


def test_positions_are_picked_with_batches_on_request() -> None:
    params, positions = [[1, 2], [3, 4]], [[1], [0]]
    assert v1.gather_nd(params, positions).numpy().tolist() == [[3, 4], [1, 2]]
    assert v1.gather_nd(params, positions, batch_dims=1).numpy().tolist() == [2, 3]


def test_the_positions_of_a_difference_have_the_dtype_that_is_asked_for() -> None:
    out, positions = v1.setdiff1d([5, 6, 7], [6], tf.int64)
    assert (out.numpy().tolist(), positions.numpy().tolist(), positions.dtype) == ([5, 7], [0, 2], tf.int64)
