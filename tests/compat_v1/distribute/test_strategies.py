"""Strategies of `tf.compat.v1.distribute`: today's, with the methods of TensorFlow 1."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1.distribute


def test_a_strategy_of_version_1_is_one_of_both_versions() -> None:
    strategy = v1.OneDeviceStrategy("/cpu:0")
    assert isinstance(strategy, v1.Strategy) and isinstance(strategy, tf.distribute.OneDeviceStrategy)
    assert not isinstance(tf.distribute.OneDeviceStrategy("/cpu:0"), v1.Strategy)


def test_the_axis_of_a_reduction_may_be_left_out() -> None:
    strategy = v1.OneDeviceStrategy("/cpu:0")
    assert strategy.reduce("SUM", tf.constant([1.0, 2.0])).numpy().tolist() == [1.0, 2.0]
    assert strategy.reduce("SUM", tf.constant([1.0, 2.0]), axis=0).numpy() == 3.0
    with pytest.raises(TypeError, match="axis"):
        tf.distribute.OneDeviceStrategy("/cpu:0").reduce("SUM", tf.constant([1.0]))


def test_arrays_become_a_dataset_of_their_rows() -> None:
    strategy = v1.MirroredStrategy(["/cpu:0"])
    dataset = strategy.experimental_make_numpy_dataset(np.arange(6).reshape(3, 2))
    assert [row.tolist() for row in dataset.as_numpy_iterator()] == [[0, 1], [2, 3], [4, 5]]
