"""tf.debugging.assert_shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal

_A, _B = np.zeros([2, 3], np.float32), np.zeros([3, 4], np.float32)
_CUBE = np.zeros([2, 3, 4], np.float32)


@pytest.mark.parametrize(
    "shapes",
    [
        [(_A, ("N", "D")), (_B, ("D", "K"))],
        [(_A, (None, 3))],
        [(_A, ("*", "D"))],
        [(_A, (..., "D"))],
        [(_CUBE, (..., 3, "D"))],
        [(_A, "ND")],
        [(_A, ("2", "3"))],
        [(_A, (".", "."))],
        [(1, ())],
        [(1.0, ("N",))],
        [(_A, tf.TensorShape([2, None]))],
        [],
    ],
)
def test_shapes_that_fit(shapes: Any) -> None:
    assert tf.debugging.assert_shapes(shapes) is None


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        (
            [(_A, ("N", "D")), (_B, ("N", "K"))],
            "Specified by tensor shape=(2, 3) dtype=float32 dimension 0.  Tensor shape=(3, 4) dtype=float32 dimension "
            "0 must have size 2.  Received size 3, shape (3, 4)",
        ),
        (
            [(_A, (5, "D"))],
            "Specified explicitly.  Tensor shape=(2, 3) dtype=float32 dimension 0 must have size 5.",
        ),
        ([(_A, ("N", "N"))], "Specified by tensor shape=(2, 3) dtype=float32 dimension 0.  Tensor shape=(2, 3)"),
        ([(_A, ("N",))], "Tensor  must have rank in (0, 1).  Received rank 2, shape (2, 3)"),
        ([(_A, (2, 3, 4))], "Tensor  must have rank 3.  Received rank 2, shape (2, 3)"),
        (
            [(_CUBE, (..., "D", 5))],
            "Specified explicitly.  Tensor shape=(2, 3, 4) dtype=float32 dimension -1 must have size 5.",
        ),
        (
            [(_A, ("D", ...))],
            "Tensor shape=(2, 3) dtype=float32 specified shape index 1.  Symbol `...` or `*` for a variable",
        ),
        ([(_A, 6)], "Tensor shape=(2, 3) dtype=float32.  Specified shape must be an iterable."),
    ],
)
def test_shapes_that_do_not_fit(shapes: Any, words: str) -> None:
    check_refusal(lambda: tf.debugging.assert_shapes(shapes), ValueError, words)


def test_a_message_comes_first() -> None:
    words = "m.  Specified explicitly.  Tensor shape=(2, 3) dtype=float32 dimension 1 must have size 4."
    check_refusal(lambda: tf.debugging.assert_shapes([(_A, (2, 4))], message="m"), ValueError, words)


def test_what_is_unknown_is_checked_at_run_time() -> None:
    specs = [tf.TensorSpec(None, name="x"), tf.TensorSpec([None], name="y")]

    @tf.function(autograph=False, input_signature=specs)
    def f(x, y):
        tf.debugging.assert_shapes([(x, ("N", 3)), (y, ("N",))])
        return tf.size(x)

    assert f(tf.zeros([2, 3]), tf.zeros([2])).numpy() == 6
    refused = tf.errors.InvalidArgumentError
    with pytest.raises(
        refused, match=r"\[Specified explicitly\] \[Tensor x:0 dimension\] \[1\] \[must have size\] \[3\]"
    ):
        f(tf.zeros([2, 4]), tf.zeros([2]))
    with pytest.raises(refused, match=r"\[Specified by tensor x:0 dimension 0\] \[Tensor y:0 dimension\] \[0\]"):
        f(tf.zeros([2, 3]), tf.zeros([5]))
    with pytest.raises(refused, match=r"\[Tensor x:0 must have rank\] \[2\]"):
        f(tf.zeros([2]), tf.zeros([2]))


def test_a_scalar_counts_as_one_element() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec(None)])
    def f(x):
        tf.debugging.assert_shapes([(x, (1,))])
        return x

    assert f(tf.constant(1.0)).numpy() == 1.0
    assert f(tf.constant([1.0])).numpy() == [1.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have size"):
        f(tf.constant([1.0, 2.0]))


@pytest.mark.parametrize("shape", [(), [], tf.TensorShape([])])
def test_an_empty_shape_is_that_of_one_element(shape: Any) -> None:
    for fitting in (tf.constant(1.0), tf.ones([1])):
        tf.debugging.assert_shapes([(fitting, shape)])
    words = "Specified explicitly.  Tensor shape=(3,) dtype=float32 dimension 0 must have size 1.  Received size 3"
    check_refusal(lambda: tf.debugging.assert_shapes([(tf.zeros([3]), shape)]), ValueError, words)

    @tf.function(input_signature=[tf.TensorSpec(None)])  # type: ignore[untyped-decorator]
    def check(x: Any) -> Any:
        tf.debugging.assert_shapes([(x, shape)])
        return x

    assert check(tf.ones([1])).shape == [1] and check(1.0).shape == []
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have size"):
        check(tf.zeros([3]))


def test_three_dots_as_text_are_a_symbol_like_others() -> None:
    x = tf.ones([2, 3])
    tf.debugging.assert_shapes([(x, (..., 3)), (x, ("*", 3)), (tf.ones([2, 2]), ("...", "..."))])
    words = "Specified by tensor shape=(2, 3) dtype=float32 dimension 0.  Tensor shape=(2, 3) dtype=float32 dimension 1"
    check_refusal(lambda: tf.debugging.assert_shapes([(x, ("...", "..."))]), ValueError, words)
