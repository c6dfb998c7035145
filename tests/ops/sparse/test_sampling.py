"""`tf.sparse.sampled_addmm` against NumPy on dense matrices."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf

_INDICES, _VALUES = [[0, 0], [1, 2]], [1.0, 2.0]
_LEFT, _RIGHT = np.arange(4.0).reshape(2, 2), np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("is_traced", [False, True])
def test_elements_are_those_of_the_dense_result(is_traced) -> None:
    def sampled(left: tf.Tensor, right: tf.Tensor) -> tf.Tensor:
        return tf.sparse.sampled_addmm(_INDICES, _VALUES, [2, 3], left, right, beta=0.5, alpha=2)[1]

    unknown = tf.TensorSpec(None, tf.float64)
    function = tf.function(sampled, input_signature=[unknown, unknown]) if is_traced else sampled
    expected = (2 * _LEFT @ _RIGHT)[[0, 1], [0, 2]] + 0.5 * np.array(_VALUES)
    assert function(_LEFT, _RIGHT).numpy().tolist() == expected.tolist()
    if is_traced:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Dense shape does not match output shape"):
            function(_LEFT, _RIGHT[:, :2])


def test_the_other_parts_are_returned() -> None:
    indices, values, shape = tf.sparse.sampled_addmm(_INDICES, [1, 2], [2, 3], _LEFT, _RIGHT, output_type=tf.float64)
    assert indices.numpy().tolist() == _INDICES and shape.numpy().tolist() == [2, 3] and values.dtype == tf.float64


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Dense shape: \[3 3\] does not match output shape: \[2, 3\]"):
        tf.sparse.sampled_addmm(_INDICES, _VALUES, [3, 3], _LEFT, _RIGHT)
    with pytest.raises(ValueError, match="`mat1` must be a matrix"):
        tf.sparse.sampled_addmm(_INDICES, _VALUES, [2, 3], [1.0, 2.0], _RIGHT)
