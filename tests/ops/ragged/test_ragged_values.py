"""Functions of the values of ragged tensors: one_hot, softmax, dropout, reduce_join, bitcast."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.ragged.answers import R, T, check_everywhere, check_refusal_everywhere, dense, ragged


def rows() -> Any:
    return ragged([[1, 2], [], [3]])


def pairs() -> Any:
    return ragged([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)


ANSWERS = [
    (
        lambda: tf.one_hot(rows(), 4),
        R("float32", [[[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]], [], [[0.0, 0.0, 0.0, 1.0]]], [3, None, 4]),
    ),
    (
        lambda: tf.one_hot(rows(), 4, axis=-1),
        R("float32", [[[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]], [], [[0.0, 0.0, 0.0, 1.0]]], [3, None, 4]),
    ),
    (
        lambda: tf.one_hot(rows(), 4, axis=2),
        R("float32", [[[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]], [], [[0.0, 0.0, 0.0, 1.0]]], [3, None, 4]),
    ),
    (lambda: tf.one_hot(rows(), 4, 5, 6), R("int32", [[[6, 5, 6, 6], [6, 6, 5, 6]], [], [[6, 6, 6, 5]]], [3, None, 4])),
    (
        lambda: tf.one_hot(rows(), 4, 5.0, 6.0, dtype=tf.float64),
        R("float64", [[[6.0, 5.0, 6.0, 6.0], [6.0, 6.0, 5.0, 6.0]], [], [[6.0, 6.0, 6.0, 5.0]]], [3, None, 4]),
    ),
    (
        lambda: tf.one_hot(pairs(), 3),
        R(
            "float32",
            [
                [[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]],
                [[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]],
            ],
            [2, None, 2, 3],
        ),
    ),
    (
        lambda: tf.one_hot(pairs(), 3, axis=2),
        R(
            "float32",
            [
                [[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]],
                [[[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]],
            ],
            [2, None, 3, 2],
        ),
    ),
    (
        lambda: tf.one_hot(rows(), dense(3)),
        R("float32", [[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [], [[0.0, 0.0, 0.0]]], [3, None, 3]),
    ),
    (lambda: tf.nn.softmax(ragged([[1.0, 2], [3.0]])), R("float32", [[0.268941, 0.731059], [1.0]], [2, None])),
    (
        lambda: tf.nn.softmax(ragged([[1.0, 2], [], [3.0]]), axis=1),
        R("float32", [[0.268941, 0.731059], [], [1.0]], [3, None]),
    ),
    (lambda: tf.nn.softmax(ragged([[1.0, 2], [3.0]]), axis=-1), R("float32", [[0.268941, 0.731059], [1.0]], [2, None])),
    (
        lambda: tf.nn.softmax(ragged([[[1.0, 2], [3.0]], [[3.0]]]), axis=2),
        R("float32", [[[0.268941, 0.731059], [1.0]], [[1.0]]], [2, None, None]),
    ),
    (
        lambda: tf.nn.softmax(ragged([[[1.0, 2], [3.0, 4]], [[3.0, 5]]], ragged_rank=1)),
        R("float32", [[[0.268941, 0.731059], [0.268941, 0.731059]], [[0.119203, 0.880797]]], [2, None, 2]),
    ),
    (lambda: tf.nn.softmax(ragged([[1000.0, 2], [3.0]])), R("float32", [[1.0, 0.0], [1.0]], [2, None])),
    (lambda: tf.nn.dropout(ragged([[1.0, 2], [3.0]]), 0.0), R("float32", [[1.0, 2.0], [3.0]], [2, None])),
    (
        lambda: tf.compat.v1.nn.dropout(ragged([[1.0, 2], [3.0]]), keep_prob=1.0),
        R("float32", [[1.0, 2.0], [3.0]], [2, None]),
    ),
    (
        lambda: tf.compat.v1.nn.dropout(ragged([[1.0, 2], [3.0]]), rate=0.0),
        R("float32", [[1.0, 2.0], [3.0]], [2, None]),
    ),
    (
        lambda: tf.nn.experimental.stateless_dropout(ragged([[1.0, 2, 3, 4], [3.0]]), 0.5, seed=[1, 2]),
        R("float32", [[2.0, 0.0, 6.0, 0.0], [0.0]], [2, None]),
    ),
    (
        lambda: tf.nn.experimental.stateless_dropout(ragged([[1.0, 2], [3.0]]), 0.5, seed=[1, 2], rng_alg="philox"),
        R("float32", [[2.0, 0.0], [6.0]], [2, None]),
    ),
    (lambda: tf.strings.reduce_join(ragged([["a", "b"], [], ["c"]]), axis=1), T("string", [b"ab", b"", b"c"])),
    (
        lambda: tf.strings.reduce_join(ragged([["a", "b"], [], ["c"]]), axis=-1, separator="-"),
        T("string", [b"a-b", b"", b"c"]),
    ),
    (
        lambda: tf.strings.reduce_join(ragged([["a", "b"], [], ["c"]]), axis=0, separator="-"),
        T("string", [b"a-c", b"b"]),
    ),
    (lambda: tf.strings.reduce_join(ragged([["a", "b"], [], ["c"]]), separator="-"), T("string", b"a-b-c")),
    (
        lambda: tf.strings.reduce_join(ragged([["a", "b"], [], ["c"]]), axis=[0, 1], separator="-"),
        T("string", b"a-b--c"),
    ),
    (
        lambda: tf.strings.reduce_join(ragged([["a", "b"], [], ["c"]]), axis=1, keepdims=True),
        T("string", [[b"ab"], [b""], [b"c"]]),
    ),
    (
        lambda: tf.strings.reduce_join(ragged([[["a", "b"], ["z"]], [["c"]]]), axis=2, separator="-"),
        R("string", [[b"a-b", b"z"], [b"c"]], [2, None]),
    ),
    (
        lambda: tf.strings.reduce_join(ragged([[["a", "b"], ["z"]], [["c"]]]), axis=1, separator="-"),
        R("string", [[b"a-z", b"b"], [b"c"]], [2, None]),
    ),
    (
        lambda: tf.strings.reduce_join(ragged([[["a", "b"], ["z"]], [["c"]]]), axis=0, separator="-"),
        R("string", [[b"a-c", b"b"], [b"z"]], [2, None]),
    ),
    (
        lambda: tf.strings.reduce_join(ragged([[["a", "b"], ["z"]], [["c"]]]), axis=[1, 2], separator="-"),
        T("string", [b"a-b-z", b"c"]),
    ),
    (lambda: tf.compat.v1.reduce_join(ragged([["a", "b"], [], ["c"]]), axis=1), T("string", [b"ab", b"", b"c"])),
    (
        lambda: tf.compat.v1.strings.reduce_join(ragged([["a", "b"], [], ["c"]]), axis=1),
        T("string", [b"ab", b"", b"c"]),
    ),
    (lambda: tf.math.softmax(ragged([[1.0, 2], [3.0]])), R("float32", [[0.268941, 0.731059], [1.0]], [2, None])),
]

REFUSED = [
    (lambda: tf.one_hot(rows(), 4, axis=1), ValueError, "axis (1) must be greater than indices.ragged_rank (1)."),
    (lambda: tf.one_hot(rows(), 4, axis=0), ValueError, "axis (0) must be greater than indices.ragged_rank (1)."),
    (
        lambda: tf.one_hot(rows(), 4, axis=-2),
        tf.errors.InvalidArgumentError,
        "Expected axis to be -1 or between [0, 2)",
    ),
    (lambda: tf.one_hot(rows(), 4, axis=3), tf.errors.InvalidArgumentError, "Expected axis to be -1 or between [0, 2)"),
    (lambda: tf.one_hot(rows(), 4, axis="a"), TypeError, "Expected int for argument 'axis' not 'a'."),
    (lambda: tf.nn.softmax(ragged([[1.0, 2], [3.0]]), axis=2), ValueError, "axis=2 out of bounds: expected -2<=axis<2"),
    (
        lambda: tf.nn.softmax(rows()),
        tf.errors.InvalidArgumentError,
        "Value for attr 'T' of int32 is not in the list of allowed values: bfloat16, half, float, d",
    ),
    (
        lambda: tf.nn.dropout(ragged([[1.0, 2], [3.0]]), 0.5, noise_shape=[1]),
        ValueError,
        "noise_shape is not supported yet for RaggedTensor x",
    ),
    (
        lambda: tf.nn.dropout(rows(), 0.5),
        ValueError,
        "`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype=<dtype:",
    ),
    (
        lambda: tf.nn.dropout(ragged([[1.0, 2], [3.0]]), 1.5),
        ValueError,
        "`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate=1.5",
    ),
    (
        lambda: tf.compat.v1.nn.dropout(ragged([[1.0, 2], [3.0]]), rate=0.5, noise_shape=[1]),
        ValueError,
        "noise_shape is not supported yet for RaggedTensor x",
    ),
    (
        lambda: tf.nn.experimental.stateless_dropout(ragged([[1.0, 2], [3.0]]), 0.5, seed=[1, 2], noise_shape=[1]),
        ValueError,
        "noise_shape is not supported yet for RaggedTensor x",
    ),
    (
        lambda: tf.strings.reduce_join(ragged([["a", "b"], [], ["c"]]), axis=2),
        ValueError,
        "axis=2 out of bounds: expected -2<=axis<2",
    ),
    (
        lambda: tf.strings.reduce_join(rows(), axis=1),
        tf.errors.InvalidArgumentError,
        "cannot compute UnsortedSegmentJoin as input #0(zero-based) was expected to be a string ten",
    ),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_answers_as_tensorflow(call: Any, expected: Any) -> None:
    check_everywhere(call, expected)


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_it_refuses_as_tensorflow(call: Any, error: type[Exception], words: str) -> None:
    check_refusal_everywhere(call, error, words)
