"""Transpose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("Transpose", [x([2, 3, 4]), np.int32([2, 0, 1])], grad=True),
    Sample("Transpose", [x([], np.int64), np.zeros([0], np.int32)]),
    Sample("ConjugateTranspose", [x([2, 3], np.complex128), np.int64([1, 0])], grad=True),
    Sample("ConjugateTranspose", [x([2, 0], np.float32), np.int32([1, 0])]),
]


ANSWERS = [
    (lambda: tf.transpose(tf.zeros([2, 3]), [1, -2]), [("float32", [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])]),
    (
        lambda: tf.linalg.matrix_transpose(tf.constant([[1j, 2], [3, 4]]), conjugate=True),
        [("complex128", [[(-0 - 1j), (3 + 0j)], [(2 + 0j), (4 + 0j)]])],
    ),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (
        lambda: tf.transpose(tf.zeros([2, 3]), [0]),
        tf.errors.InvalidArgumentError,
        "transpose expects a vector of size 2. But input(1) is a vector of size 1",
    ),
    (lambda: tf.transpose(tf.zeros([2, 3]), [0, 0]), tf.errors.InvalidArgumentError, "1 is missing from {0,0}."),
    (lambda: tf.transpose(tf.zeros([2, 3]), [0, 2]), tf.errors.InvalidArgumentError, "2 is out of range [0 .. 2)"),
    (
        lambda: tf.transpose(tf.zeros([2, 3]), [[1, 0]]),
        tf.errors.InvalidArgumentError,
        "perm must be rank 1, got shape [1,2]",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.transpose(tf.zeros([2, 3]), [0]), ValueError, "Dimension must be 2 but is 1"),
    (lambda: tf.transpose(tf.zeros([2, 3]), [0, 2]), ValueError, "perm dim 2 is out of range of input rank 2"),
    (lambda: tf.transpose(tf.zeros([2, 3]), [[1, 0]]), ValueError, "Shape must be rank 1 but is rank 2"),
    (
        lambda: tf.linalg.matrix_transpose(tf.zeros([3])),
        ValueError,
        'Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = Tensor("zeros',
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda x: tf.transpose(x), [(tf.float32, [2, 4])], ["transpose/perm", "transpose"]),
    (lambda x: tf.transpose(x), [(tf.float32, [None, 4])], ["transpose/perm", "transpose"]),
    (
        lambda x: tf.transpose(x),
        [(tf.float32, None)],
        [
            "transpose/Rank",
            "transpose/sub/y",
            "transpose/sub",
            "transpose/Range/limit",
            "transpose/Range/delta",
            "transpose/Range",
            "transpose",
        ],
    ),
    (lambda x: tf.transpose(x, [1, 0]), [(tf.float32, None)], ["transpose/perm", "transpose"]),
    (lambda x: tf.transpose(x, conjugate=True), [(tf.complex64, [2, 3])], ["transpose/perm", "transpose"]),
    (
        lambda x: tf.linalg.matrix_transpose(x),
        [(tf.float32, [None, 2, 3])],
        ["matrix_transpose/transpose/perm", "matrix_transpose/transpose"],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)
