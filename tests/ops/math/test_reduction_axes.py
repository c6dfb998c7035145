"""The axes of reductions: static shapes."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf


@pytest.mark.parametrize(
    ("shape", "axis", "keepdims", "expected"),
    [
        ([2, None, 4], 1, False, [2, 4]),
        ([2, None, 4], [0, -1], True, [1, None, 1]),
        ([2, 3], None, False, []),
        (None, 0, False, None),
        (None, None, False, []),
        ([None], [], False, [None]),
    ],
)
def test_static_shape_of_a_sum(shape: Any, axis: Any, keepdims: bool, expected: Any) -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, shape)
        result = tf.reduce_sum(x, axis, keepdims=keepdims).shape
    if shape is None and axis is None:
        return
    assert result.rank == (None if expected is None else len(expected))
    if expected is not None:
        assert result.as_list() == expected
