"""Windows of pools, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.core.errors import InvalidArgumentError, UnimplementedError
from millrace._src.ops.nn.pool_windows import pool_windows


def test_there_is_a_window_for_every_dimension() -> None:
    windows = pool_windows((2, 5, 6, 3), [1, 2, 3, 1], [1, 2, 1, 1], "SAME", "NHWC")
    assert [w.output_size for w in windows] == [2, 3, 6, 3]
    assert [(w.before, w.after) for w in windows] == [(0, 0), (0, 1), (1, 1), (0, 0)]


@pytest.mark.parametrize(
    ("ksize", "strides", "error"),
    [
        ([1, 2, 2], [1, 1, 1, 1], InvalidArgumentError),
        ([1, 0, 2, 1], [1, 1, 1, 1], InvalidArgumentError),
        ([1, 2, 2, 1], [1, 0, 1, 1], InvalidArgumentError),
        ([2, 1, 1, 1], [1, 1, 1, 1], UnimplementedError),
        ([1, 2, 2, 2], [1, 1, 1, 2], UnimplementedError),
        ([1, 1, 1, 2], [1, 1, 1, 1], UnimplementedError),
    ],
)
def test_windows_that_make_no_sense_are_refused(ksize: Any, strides: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        pool_windows((2, 5, 6, 4), ksize, strides, "VALID", "NHWC")


def test_the_shape_rule_keeps_what_is_unknown_unknown() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None, 7, 3])])
    def f(x: Any) -> Any:
        y = tf.nn.max_pool2d(x, 2, 2, "SAME")
        assert y.shape.as_list() == [None, None, 4, 3]
        return y

    assert f(tf.ones([1, 5, 7, 3])).shape == [1, 3, 4, 3]


def test_channels_first_pools_like_channels_last() -> None:
    x = tf.constant([[[[1.0, 5.0], [2.0, 3.0]]]])
    for function in (tf.nn.max_pool2d, tf.nn.avg_pool2d):
        first = function(x, 2, 1, "SAME", data_format="NCHW")
        last = function(tf.transpose(x, [0, 2, 3, 1]), 2, 1, "SAME")
        assert (first.numpy() == tf.transpose(last, [0, 3, 1, 2]).numpy()).all()
