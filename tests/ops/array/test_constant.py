"""Constants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing

ANSWERS = [
    (lambda: tf.constant(1, shape=[2, 2]), [("int32", [[1, 1], [1, 1]])]),
    (lambda: tf.constant([1, 2, 3, 4], shape=[2, 2]), [("int32", [[1, 2], [3, 4]])]),
    (lambda: tf.constant([1], shape=[3]), [("int32", [1, 1, 1])]),
    (lambda: tf.constant(2**40), [("int64", 1099511627776)]),
    (lambda: tf.constant(tf.constant([1, 2]), shape=[2, 1]), [("int32", [[1], [2]])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (
        lambda: tf.constant([1, 2], shape=[2, 2]),
        TypeError,
        "Eager execution of tf.constant with unsupported shape. Tensor [1 2] (converted from [",
    ),
    (
        lambda: tf.constant([1, 2], shape=[3]),
        TypeError,
        "Eager execution of tf.constant with unsupported shape. Tensor [1 2] (converted from [",
    ),
    (lambda: tf.constant("a", dtype=tf.float32), TypeError, "Cannot convert 'a' to EagerTensor of dtype float"),
    (lambda: tf.constant(1.5, dtype=tf.int32), TypeError, "Cannot convert 1.5 to EagerTensor of dtype int32"),
    (
        lambda: tf.constant(None),
        ValueError,
        "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a ",
    ),
    (lambda: tf.constant([[1, 2], [3]]), ValueError, "Can't convert non-rectangular Python sequence to Tensor."),
    (
        lambda: tf.constant(tf.constant([1, 2]), dtype=tf.float32),
        TypeError,
        "Expected tensor [1 2] with dtype tf.float32, but got dtype tf.int32.",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.constant([1, 2], shape=[2, 2]), TypeError, "Expected Tensor's shape: (2, 2), but got (2,)."),
    (lambda: tf.constant([1, 2], shape=[3]), TypeError, "Expected Tensor's shape: (3,), but got (2,)."),
    (
        lambda: tf.constant(tf.constant([1, 2]), dtype=tf.float32),
        TypeError,
        'Expected float32, but got Tensor("Const:0", shape=(2,), dtype=int32) of type \'Symboli',
    ),
    (
        lambda: tf.constant(tf.constant([1, 2]), shape=[2, 1]),
        TypeError,
        "Expected any non-tensor type, but got a tensor instead.",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda: tf.constant([1, 2]), [], ["Const"]),
    (lambda: tf.constant(1.0, shape=[2, 2]), [], ["Const"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)


def test_a_constant_does_not_follow_its_array() -> None:
    array = np.array([1, 2])
    constant = tf.constant(array)
    array[0] = 9
    assert constant.numpy().tolist() == [1, 2]


def test_a_constant_of_a_constant_keeps_dtype_and_value() -> None:
    inner = tf.constant([1.0, 2.0])
    assert tf.constant(inner).numpy().tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match=r"Expected tensor \[1. 2.\] with dtype tf.int32, but got dtype tf.float32"):
        tf.constant(inner, dtype=tf.int32)


def test_v1_constants_are_continued_with_their_last_element_in_a_graph() -> None:
    with tf.Graph().as_default():
        padded = tf.compat.v1.constant([1, 2], shape=[4])
        assert tf.get_static_value(padded).tolist() == [1, 2, 2, 2]
    with pytest.raises(TypeError, match="but got shape"):
        tf.compat.v1.constant([1, 2], shape=[3], verify_shape=True)
