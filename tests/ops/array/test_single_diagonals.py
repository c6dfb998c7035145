"""One diagonal, taken, made and replaced: with strides and without, as NumPy's `diagonal` reads it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf

SHAPES = [(3, 3), (2, 5), (5, 2), (2, 3, 4), (2, 1, 4, 3)]
CASES = [(shape, k) for shape in SHAPES for k in range(1 - shape[-2], shape[-1])]
JIT = [False, pytest.param(True, marks=pytest.mark.xla)]


@pytest.mark.parametrize("jit", JIT)
@pytest.mark.parametrize(("shape", "k"), CASES)
def test_a_diagonal_is_taken_replaced_and_made(shape: Any, k: int, jit: bool) -> None:
    x = np.arange(1.0, 1 + np.prod(shape)).reshape(shape).astype(np.float32)
    diagonal = np.diagonal(x, k, -2, -1)

    @tf.function(jit_compile=jit)
    def parts(x: Any) -> Any:
        replaced = tf.linalg.set_diag(x, -diagonal, k=k)
        rows, columns = shape[-2:]
        return tf.linalg.diag_part(x, k=k), replaced, tf.linalg.diag(diagonal, "d", k, rows, columns, 7.0)

    taken, replaced, made = parts(x)
    np.testing.assert_array_equal(taken, diagonal)
    np.testing.assert_array_equal(np.diagonal(replaced.numpy(), k, -2, -1), -diagonal)
    np.testing.assert_array_equal(np.abs(replaced), x)
    np.testing.assert_array_equal(np.diagonal(made.numpy(), k, -2, -1), diagonal)
    assert (made.numpy() == 7).sum() == x.size - diagonal.size + (diagonal == 7).sum()


def test_the_elements_of_a_diagonal_are_a_copy() -> None:
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    diagonal = tf.linalg.diag_part(x)
    x.assign_add([[1.0, 0.0], [0.0, 0.0]])
    assert diagonal.numpy().tolist() == [1, 4]


def test_strings_have_diagonals_too() -> None:
    assert tf.linalg.diag(["a", "b"], padding_value="-").numpy().tolist() == [[b"a", b"-"], [b"-", b"b"]]
    assert tf.linalg.diag_part([["a", "b"], ["c", "d"]], padding_value="").numpy().tolist() == [b"a", b"d"]
