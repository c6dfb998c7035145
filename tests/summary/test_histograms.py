"""`tf.summary.histogram`: buckets of one width, eagerly and in functions of unknown shape; memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.summary.histograms import count_buckets

values = st.lists(st.floats(-1000, 1000, width=32), max_size=30)


@tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec([], tf.int32)])
def in_a_function(data: Any, buckets: Any) -> Any:
    return count_buckets(data, buckets)


@given(values, st.integers(0, 10))
def test_buckets_hold_all_numbers_side_by_side(data: list[float], buckets: int) -> None:
    found = count_buckets(tf.constant(data, tf.float32), buckets).numpy()
    assert found.shape == (buckets, 3)
    if buckets and data:
        assert found[:, 2].sum() == len(data)
        assert (found[0, 0], found[-1, 1]) == (min(data), max(data))
        assert (found[1:, 0] == found[:-1, 1]).all()
    np.testing.assert_array_equal(in_a_function(tf.constant(data, tf.float32), buckets).numpy(), found)


def test_millions_of_numbers_take_no_matrix_of_numbers_by_buckets() -> None:
    found = count_buckets(tf.range(3_000_000.0), 1000).numpy()
    assert (found[:, 2] == 3000).all()


def test_no_gradient_goes_through() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        tf.summary.histogram("h", x, step=1)
        y = tf.reduce_sum(x)
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 1.0]
