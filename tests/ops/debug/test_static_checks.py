"""Assertions about rank and dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal

d = tf.debugging
_X = np.zeros([2, 3], np.float32)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: d.assert_rank(_X, 1), "Tensor  must have rank 1.  Received rank 2, shape (2, 3)"),
        (lambda: d.assert_rank(_X, 1, message="m"), "m.  Tensor  must have rank 1.  Received rank 2, shape (2, 3)"),
        (lambda: d.assert_rank(_X, [1]), "Rank must be a scalar."),
        (lambda: d.assert_rank_at_least(_X, 3), "Tensor  must have rank at least 3.  Received rank 2, shape (2, 3)"),
        (lambda: d.assert_rank_in(_X, [1, 3]), "Tensor  must have rank in (1, 3).  Received rank 2, shape (2, 3)"),
        (lambda: d.assert_rank_in(_X, []), "Tensor  must have rank in ().  Received rank 2, shape (2, 3)"),
        (lambda: d.assert_scalar(_X), "Expected scalar shape, saw shape: (2, 3)."),
        (lambda: d.assert_scalar(_X, message="m"), "m.  Expected scalar shape, saw shape: (2, 3)."),
        (lambda: d.assert_same_float_dtype([tf.constant(1)]), "Expected floating point type, got <dtype: 'int32'>."),
    ],
)
def test_wrong_shapes_raise_value_error(call: Any, words: str) -> None:
    check_refusal(call, ValueError, words)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: d.assert_rank(_X, 1.5), "tensor must be of type tf.int32; got tf.float32"),
        (lambda: d.assert_type(tf.constant(1), tf.float32), "tensor must be of type tf.float32; got tf.int32"),
        (lambda: d.assert_type(tf.constant(1), tf.float32, message="m"), "m.  tensor must be of type tf.float32; got"),
        (lambda: d.assert_type(1, "nope"), "Cannot convert the argument `type_value`: 'nope' to a TensorFlow DType."),
        (
            lambda: d.assert_integer(1.5),
            "Expected \"x\" to be integer type.  Found: tensor of dtype <dtype: 'float32'>",
        ),
        (
            lambda: d.assert_proper_iterable("a"),
            'Expected argument "values" to be a "proper" iterable.  Found: <class \'str\'>',
        ),
        (lambda: d.assert_proper_iterable(_X), 'Expected argument "values" to be a "proper" iterable.  Found: <class'),
        (lambda: d.assert_proper_iterable(5), "Expected argument \"values\" to be iterable.  Found: <class 'int'>"),
    ],
)
def test_wrong_types_raise_type_error(call: Any, words: str) -> None:
    check_refusal(call, TypeError, words)


def test_what_holds_returns_none() -> None:
    assert d.assert_rank(_X, 2) is None
    assert d.assert_rank_at_least(_X, 1) is None
    assert d.assert_rank_in(_X, (0, tf.constant(2))) is None
    assert d.assert_scalar(1) is None
    assert d.assert_type([1], "int32") is None
    assert d.assert_integer(tf.constant(1, tf.uint8)) is None
    assert d.assert_proper_iterable({"a": 1}) is None
    assert tf.compat.v1.assert_scalar(1).numpy() == 1


def test_same_float_dtype_returns_the_dtype() -> None:
    same = d.assert_same_float_dtype
    assert same() is tf.float32
    assert same([tf.constant(1.0), None]) is tf.float32
    assert same([], tf.float16) is tf.float16
    words = (
        "tf.Tensor(2.0, shape=(), dtype=float64), type=<dtype: 'float64'>, must be of the same type (<dtype: "
        "'float32'>) as tf.Tensor(1.0, shape=(), dtype=float32)."
    )
    check_refusal(lambda: same([tf.constant(1.0), tf.constant(2.0, tf.float64)]), ValueError, words)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1, True), ("a", False), (True, False), (1j, True), (1.5, True)],
)
def test_is_numeric_tensor(value: Any, expected: bool) -> None:
    assert d.is_numeric_tensor(tf.constant(value)) is expected
    assert d.is_numeric_tensor(value) is False


def test_an_unknown_rank_is_checked_at_run_time() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec(None)])
    def f(x):
        d.assert_rank(x, 1)
        d.assert_rank_at_least(x, 1)
        d.assert_rank_in(x, [1, 2])
        return x

    assert f(tf.constant([1.0])).shape.as_list() == [1]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"assertion failed: \[\] \[Tensor x:0 must have rank\] \[1\]"
    ):
        f(tf.constant(1.0))


def test_a_known_rank_is_checked_while_tracing() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2, 3], name="x")
        assert d.assert_rank(x, 2).name == "assert_rank/static_checks_determined_all_ok"
        words = "Tensor x:0 must have rank 3.  Received rank 2, shape (2, 3)"
        check_refusal(lambda: d.assert_rank(x, 3), ValueError, words)
        check_refusal(lambda: d.assert_type(x, tf.int32), TypeError, "x:0 must be of type tf.int32; got tf.float32")
        unknown = tf.compat.v1.placeholder(tf.float32, None, name="u")
        words = "Expected scalar shape for u:0, saw shape: <unknown>."
        check_refusal(lambda: d.assert_scalar(unknown), ValueError, words)
    assert "assert_rank/assert_type/statically_determined_correct_type" in {o.name for o in graph.get_operations()}
