"""Zeros, ones, fill."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("Fill", [np.int32([2, 3]), x([])], grad=True),
    Sample("Fill", [np.int64([0]), np.array(True)]),
    Sample("ZerosLike", [x([2, 3], np.complex64)]),
    Sample("ZerosLike", [np.array(["a"], object)]),
    Sample("OnesLike", [x([2, 3], np.float16)]),
    Sample("OnesLike", [x([], bool)]),
    Sample("Empty", [np.int32([2, 3])], {"dtype": tf.float32, "init": True}),
]


ANSWERS = [
    (lambda: tf.fill([2], [1]), [("int32", [1, 1])]),
    (lambda: tf.fill(3, 1), [("int32", [1, 1, 1])]),
    (lambda: tf.raw_ops.Empty(shape=[2], dtype=tf.float32, init=True), [("float32", [0.0, 0.0])]),
    (lambda: tf.zeros_like([1, 2], dtype=tf.string), [("string", [b"", b""])]),
    (lambda: tf.zeros_like(["a"]), [("string", [b""])]),
    (lambda: tf.ones([2], tf.bool), [("bool", [True, True])]),
    (lambda: tf.ones([2], tf.qint8), [("qint8", [1, 1])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (lambda: tf.fill([2, -1], 1), tf.errors.InvalidArgumentError, "Dimension -1 must be >= 0"),
    (lambda: tf.fill([[2]], 1), tf.errors.InvalidArgumentError, "dims must represent a vector, got shape [1,1]"),
    (lambda: tf.zeros([-1]), tf.errors.InvalidArgumentError, "Dimension -1 must be >= 0"),
    (lambda: tf.zeros([2.5]), TypeError, "Cannot convert [2.5] to EagerTensor of dtype int32"),
    (
        lambda: tf.zeros([None]),
        ValueError,
        "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a ",
    ),
    (
        lambda: tf.zeros(None),
        ValueError,
        "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a ",
    ),
    (lambda: tf.ones([2, -3]), tf.errors.InvalidArgumentError, "Dimension -3 must be >= 0"),
    (lambda: tf.ones_like([1], dtype=tf.string), TypeError, "Cannot convert 1 to EagerTensor of dtype string"),
    (lambda: tf.ones([2], tf.string), TypeError, "Cannot convert 1 to EagerTensor of dtype string"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.fill([2, -1], 1), ValueError, "Fill dimensions must be >= 0"),
    (lambda: tf.fill([[2]], 1), ValueError, "Shape must be rank 1 but is rank 2"),
    (lambda: tf.fill([2], [1]), ValueError, "Shape must be rank 0 but is rank 1"),
    (lambda: tf.fill(3, 1), ValueError, "Shape must be rank 1 but is rank 0"),
    (lambda: tf.zeros([-1]), ValueError, "Fill dimensions must be >= 0"),
    (lambda: tf.ones_like(["a"]), TypeError, "Expected string, but got 1 of type 'int'."),
    (lambda: tf.ones_like([1], dtype=tf.string), TypeError, "Expected string, but got 1 of type 'int'."),
    (lambda: tf.ones([2], tf.string), TypeError, "Expected string, but got 1 of type 'int'."),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda: tf.zeros([2, 3]), [], ["zeros"]),
    (lambda: tf.zeros([2], tf.string), [], ["zeros"]),
    (lambda: tf.zeros([200, 300]), [], ["zeros/shape_as_tensor", "zeros/Const", "zeros"]),
    (lambda s: tf.zeros(s), [(tf.int32, [2])], ["zeros/Const", "zeros"]),
    (lambda s: tf.zeros([2, s]), [(tf.int32, [])], ["zeros/packed/0", "zeros/packed", "zeros/Const", "zeros"]),
    (lambda: tf.zeros(tf.TensorShape([2]), name="zz"), [], ["zz"]),
    (lambda: tf.ones([2, 3]), [], ["ones"]),
    (lambda: tf.ones([200, 300]), [], ["ones/shape_as_tensor", "ones/Const", "ones"]),
    (lambda s: tf.ones(s), [(tf.int32, [2])], ["ones/Const", "ones"]),
    (lambda: tf.zeros([]), [], ["zeros"]),
    (lambda: tf.zeros(3), [], ["zeros/shape_as_tensor", "zeros/Const", "zeros"]),
    (lambda: tf.zeros(tf.constant([2], tf.int64)), [], ["Const", "zeros/Const", "zeros"]),
    (lambda x: tf.zeros_like(x), [(tf.float32, [2, 3])], ["zeros_like"]),
    (lambda x: tf.zeros_like(x), [(tf.float32, [None, 3])], ["zeros_like"]),
    (
        lambda x: tf.zeros_like(x, tf.int32),
        [(tf.float32, [None, 3])],
        ["zeros_like/Shape", "zeros_like/Const", "zeros_like"],
    ),
    (lambda x: tf.zeros_like(x, tf.int32), [(tf.float32, [2, 3])], ["zeros_like"]),
    (lambda x: tf.ones_like(x), [(tf.float32, [2, 3])], ["ones_like"]),
    (lambda x: tf.ones_like(x), [(tf.float32, [None, 3])], ["ones_like"]),
    (
        lambda x: tf.ones_like(x, tf.bool),
        [(tf.float32, [None, 3])],
        ["ones_like/Shape", "ones_like/Const", "ones_like"],
    ),
    (lambda: tf.fill([2, 3], 1.0), [], ["Fill/dims", "Fill/value", "Fill"]),
    (lambda s: tf.fill(s, 1.0), [(tf.int32, [None])], ["Fill/value", "Fill"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)
