"""Pad."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("Pad", [x([2, 3]), np.int32([[1, 0], [0, 2]])], grad=True),
    Sample("Pad", [x([], np.int32), np.zeros([0, 2], np.int64)]),
    Sample("PadV2", [x([2, 3]), np.int32([[1, 0], [0, 2]]), x([])], grad=True, held=("constant_values",)),
    Sample("PadV2", [x([0], np.int8), np.int32([[1, 1]]), np.int8(7)]),
    Sample("MirrorPad", [x([3, 4]), np.int32([[2, 1], [0, 3]])], {"mode": "REFLECT"}, grad=True),
    Sample("MirrorPad", [x([3, 4]), np.int64([[3, 1], [0, 4]])], {"mode": "SYMMETRIC"}, grad=True),
    Sample("MirrorPadGrad", [x([5, 4]), np.int32([[1, 1], [0, 1]])], {"mode": "REFLECT"}, grad=True),
    Sample("MirrorPadGrad", [x([5]), np.int32([[1, 2]])], {"mode": "SYMMETRIC"}, grad=True),
]


ANSWERS = [
    (lambda: tf.pad(["a"], [[1, 1]], constant_values="z"), [("string", [b"z", b"a", b"z"])]),
    (lambda: tf.pad(["a"], [[1, 1]]), [("string", [b"", b"a", b""])]),
    (lambda: tf.pad([True], [[1, 1]]), [("bool", [False, True, False])]),
    (lambda: tf.pad(5, tf.zeros([0, 2], tf.int32)), [("int32", 5)]),
    (
        lambda: tf.raw_ops.MirrorPadGrad(input=[1.0, 2.0, 3.0, 4.0, 5.0], paddings=[[1, 1]], mode="REFLECT"),
        [("float32", [2.0, 9.0, 4.0])],
    ),
    (
        lambda: tf.raw_ops.MirrorPadGrad(input=[1.0, 2.0, 3.0, 4.0], paddings=[[1, 1]], mode="SYMMETRIC"),
        [("float32", [3.0, 7.0])],
    ),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (
        lambda: tf.pad(tf.zeros([2, 3]), [[1, 1]]),
        tf.errors.InvalidArgumentError,
        "The first dimension of paddings must be the rank of inputs[1,2] [2,3]",
    ),
    (
        lambda: tf.pad(tf.zeros([2, 3]), [[1, 1], [1, -1]]),
        tf.errors.InvalidArgumentError,
        "Paddings must be non-negative: 1 -1",
    ),
    (
        lambda: tf.pad(tf.zeros([2, 3]), [1, 1]),
        tf.errors.InvalidArgumentError,
        "paddings must be a matrix with 2 columns: [2]",
    ),
    (
        lambda: tf.pad(tf.zeros([2, 3]), [[1, 1, 1], [1, 1, 1]]),
        tf.errors.InvalidArgumentError,
        "paddings must be a matrix with 2 columns: [2,3]",
    ),
    (
        lambda: tf.pad(tf.zeros([2, 3]), [[2, 0], [0, 0]], "REFLECT"),
        tf.errors.InvalidArgumentError,
        "paddings must be less than the dimension size: 2, 0 not less than 2",
    ),
    (
        lambda: tf.pad(tf.zeros([2, 3]), [[3, 0], [0, 0]], "SYMMETRIC"),
        tf.errors.InvalidArgumentError,
        "paddings must be no greater than the dimension size: 3, 0 greater than 2",
    ),
    (
        lambda: tf.pad(tf.zeros([0, 3]), [[1, 0], [0, 0]], "SYMMETRIC"),
        tf.errors.InvalidArgumentError,
        "paddings must be no greater than the dimension size: 1, 0 greater than 0",
    ),
    (
        lambda: tf.pad([1, 2], [[1, 1]], constant_values=1.5),
        TypeError,
        "Cannot convert 1.5 to EagerTensor of dtype int32",
    ),
    (
        lambda: tf.pad([1, 2], [[1, 1]], constant_values=[7]),
        tf.errors.InvalidArgumentError,
        "constant_values must be a scalar. Found: [1]",
    ),
    (
        lambda: tf.pad(tf.zeros([2]), [[0.5, 1]]),
        tf.errors.InvalidArgumentError,
        "Value for attr 'Tpaddings' of float is not in the list of allowed values: int32, int6",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.pad(tf.zeros([2, 3]), [[1, 1]]), ValueError, "Shape must be rank 1 but is rank 2"),
    (lambda: tf.pad(tf.zeros([2, 3]), [[1, 1], [1, -1]]), ValueError, "Paddings must be non-negative"),
    (lambda: tf.pad(tf.zeros([2, 3]), [1, 1]), ValueError, "Shape must be rank 2 but is rank 1"),
    (lambda: tf.pad(tf.zeros([2, 3]), [[1, 1, 1], [1, 1, 1]]), ValueError, "Dimension must be 2 but is 3"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda x: tf.pad(x, [[1, 1], [0, 0], [2, 3]]), [(tf.float32, [None, 4, 5])], ["Pad/paddings", "Pad"]),
    (
        lambda x: tf.pad(x, [[1, 1], [0, 0], [2, 3]], constant_values=3),
        [(tf.float32, [None, 4, 5])],
        ["PadV2/paddings", "PadV2/constant_values", "PadV2"],
    ),
    (
        lambda x: tf.pad(x, [[1, 1], [0, 0], [2, 3]], "reflect"),
        [(tf.float32, [None, 4, 5])],
        ["MirrorPad/paddings", "MirrorPad"],
    ),
    (
        lambda x: tf.pad(x, [[1, 1], [0, 0], [2, 3]], "SYMMETRIC"),
        [(tf.float32, [None, 4, 5])],
        ["MirrorPad/paddings", "MirrorPad"],
    ),
    (lambda x, p: tf.pad(x, p), [(tf.float32, [None, 4, 5]), (tf.int32, [3, 2])], ["Pad"]),
    (lambda x, p: tf.pad(x, p), [(tf.float32, None), (tf.int32, [3, 2])], ["Pad"]),
    (
        lambda x, c: tf.pad(x, [[1, 1], [0, 0], [2, 3]], constant_values=c),
        [(tf.float32, [None, 4, 5]), (tf.float32, [])],
        ["PadV2/paddings", "PadV2"],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)
