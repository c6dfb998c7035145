"""`tf.compat.v1.constant` and `zeros_like`, which differ from today's in graphs."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1


def value_in_graph(**arguments: object) -> list[object]:
    with tf.Graph().as_default():
        tensor = v1.constant(**arguments)
        return list(np.ravel(tf.get_static_value(tensor)))


def test_in_a_graph_the_last_element_fills_the_shape() -> None:
    assert value_in_graph(value=[1, 2], shape=[2, 2]) == [1, 2, 2, 2]
    with pytest.raises(TypeError, match="2, 2"):
        v1.constant([1, 2], shape=[2, 2])


def test_too_many_elements_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Too many elements provided\. Takes at most 1, but got 2"):
        value_in_graph(value=[1, 2], shape=[1])


def test_a_shape_is_verified_on_request() -> None:
    assert value_in_graph(value=3, shape=[2]) == [3, 3]
    with pytest.raises(TypeError, match=r"\(2,\), but got"):
        value_in_graph(value=3, shape=[2], verify_shape=True)


def test_zeros_wait_for_the_shape_of_the_run_if_they_may_not_be_optimized() -> None:
    with tf.Graph().as_default():
        x = tf.zeros([2])
        assert v1.zeros_like(x).op.type == "Const"
        assert v1.zeros_like(x, optimize=False).op.type == "ZerosLike"
