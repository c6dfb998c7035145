"""Functions that only TensorFlow 1 has, or has with other arguments."""

from __future__ import annotations

import pytest

import millrace as tf

v1 = tf.compat.v1


def test_div_rounds_integers_down_and_no_other_numbers() -> None:
    assert v1.div(-7, 2).numpy() == -4
    assert v1.div(7.0, 2).numpy() == 3.5
    assert v1.floor_div(-7, 2).numpy() == -4


@pytest.mark.parametrize("name", ["float", "double", "int32", "int64", "bfloat16", "complex64", "complex128"])
def test_to_a_dtype(name: str) -> None:
    dtype = {"float": tf.float32, "double": tf.float64}.get(name) or tf.as_dtype(name)
    assert getattr(v1, f"to_{name}")(3).dtype is dtype


def test_arguments_have_their_old_order() -> None:
    assert v1.math.in_top_k([[0.1, 0.9]], [1], 1).numpy().tolist() == [True]
    assert v1.bincount([1, 1, 2], None, 5).numpy().tolist() == [0, 2, 1, 0, 0]
    assert v1.sparse_matmul([[1.0, 0.0]], [[3.0], [4.0]], False, False, True).numpy().tolist() == [[3.0]]
