"""One-hot vectors and identity matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing

SAMPLES = [
    Sample("OneHot", [np.int32([0, 2, -1]), np.int32(3), np.float32(5), np.float32(1)]),
    Sample("OneHot", [np.uint8([[0, 1]]), np.int32(2), np.array(True), np.array(False)], {"axis": 0}),
    Sample("OneHot", [np.int64(1), np.int32(0), np.int32(1), np.int32(0)]),
]


ANSWERS = [
    (lambda: tf.one_hot([0, 5, -1], 3), [("float32", [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])]),
    (lambda: tf.one_hot([0], 3, on_value=1, dtype=tf.float32), [("float32", [[1.0, 0.0, 0.0]])]),
    (lambda: tf.eye(2, dtype=tf.bool), [("bool", [[True, False], [False, True]])]),
    (lambda: tf.eye(2, 3, batch_shape=[0]), [("float32", [])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (lambda: tf.eye(-1), tf.errors.InvalidArgumentError, "Dimension -1 must be >= 0"),
    (
        lambda: tf.eye(2.5),
        TypeError,
        "Arguments `num_rows` and `num_columns` must be positive integer values. Received: num",
    ),
    (lambda: tf.one_hot([0], -1), tf.errors.InvalidArgumentError, "depth must be non-negative, got: -1"),
    (lambda: tf.one_hot([0], [1]), tf.errors.InvalidArgumentError, "depth must be a scalar, but got: [1]"),
    (
        lambda: tf.one_hot([0], 3, on_value=1.0, off_value=0),
        TypeError,
        "dtype <dtype: 'float32'> of on_value does not match dtype <dtype: 'int32'> of off_val",
    ),
    (
        lambda: tf.one_hot([0], 3, axis=3),
        tf.errors.InvalidArgumentError,
        "Expected axis to be -1 or between [0, 2).  But received: 3",
    ),
    (
        lambda: tf.one_hot(1, 3, axis=-2),
        tf.errors.InvalidArgumentError,
        "Expected axis to be -1 or between [0, 1).  But received: -2",
    ),
    (lambda: tf.eye(2, dtype=tf.string), TypeError, "Cannot convert 1 to EagerTensor of dtype string"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.eye(-1), ValueError, "Fill dimensions must be >= 0"),
    (
        lambda: tf.eye(2.5),
        TypeError,
        "Arguments `num_rows` and `num_columns` must be positive integer values. Received: num",
    ),
    (
        lambda: tf.one_hot([0], -1),
        ValueError,
        "Dimension size, given by scalar input 1, must be non-negative but is -1",
    ),
    (lambda: tf.one_hot([0], [1]), ValueError, "Input must be scalar but has rank 1"),
    (
        lambda: tf.one_hot([0], 3, on_value=1.0, off_value=0),
        TypeError,
        "dtype <dtype: 'float32'> of on_value does not match dtype <dtype: 'int32'> of off_val",
    ),
    (lambda: tf.one_hot(1, 3, axis=-2), ValueError, "axis must be >= -1"),
    (lambda: tf.eye(2, dtype=tf.string), TypeError, "Expected string, but got 1 of type 'int'."),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (
        lambda: tf.eye(3),
        [],
        ["eye/ones", "eye/diag/k", "eye/diag/num_rows", "eye/diag/num_cols", "eye/diag/padding_value", "eye/diag"],
    ),
    (lambda: tf.eye(3, 4, batch_shape=[2]), [], ["eye/ones", "eye/zeros", "eye/set_diag/k", "eye/set_diag"]),
    (
        lambda n: tf.eye(n),
        [(tf.int32, [])],
        [
            "eye/Minimum",
            "eye/shape",
            "eye/concat/values_1",
            "eye/concat/axis",
            "eye/concat",
            "eye/ones/Const",
            "eye/ones",
            "eye/diag/k",
            "eye/diag/num_rows",
            "eye/diag/num_cols",
            "eye/diag/padding_value",
            "eye/diag",
        ],
    ),
    (
        lambda x: tf.one_hot(x, 3),
        [(tf.int32, [None])],
        ["one_hot/on_value", "one_hot/off_value", "one_hot/depth", "one_hot"],
    ),
    (
        lambda x: tf.one_hot(x, 3, on_value=5, off_value=1, axis=0),
        [(tf.int32, [4])],
        ["one_hot/Const", "one_hot/Const_1", "one_hot/depth", "one_hot"],
    ),
    (
        lambda x: tf.one_hot(x, 3, on_value=True, off_value=False, dtype=tf.bool),
        [(tf.int32, [4])],
        ["one_hot/Const", "one_hot/Const_1", "one_hot/depth", "one_hot"],
    ),
    (
        lambda x: tf.one_hot(x, 3, on_value=2.0),
        [(tf.int32, [4])],
        ["one_hot/Const", "one_hot/off_value", "one_hot/depth", "one_hot"],
    ),
    (
        lambda x: tf.one_hot(x, 3, dtype=tf.int32),
        [(tf.int32, [4])],
        ["one_hot/on_value", "one_hot/off_value", "one_hot/depth", "one_hot"],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)
