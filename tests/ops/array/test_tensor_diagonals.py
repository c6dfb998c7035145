"""Diagonals of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("Diag", [x([2, 3])], grad=True),
    Sample("Diag", [x([0], np.complex64)]),
    Sample("DiagPart", [x([2, 3, 2, 3])], grad=True),
    Sample("DiagPart", [x([2, 2], np.int64)]),
]


ANSWERS = [
    (lambda: tf.linalg.tensor_diag([1, 2]), [("int32", [[1, 0], [0, 2]])]),
    (lambda: tf.linalg.tensor_diag_part(tf.zeros([])), [("float32", 0.0)]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (lambda: tf.linalg.tensor_diag(3.0), tf.errors.InvalidArgumentError, "Input must be at least rank 1, got 0"),
    (
        lambda: tf.linalg.tensor_diag_part(tf.zeros([2, 3])),
        tf.errors.InvalidArgumentError,
        "Invalid shape [2,3]: dimensions 0 and 1 do not match.",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.linalg.tensor_diag(3.0), ValueError, "Shape must be at least rank 1 but is rank 0"),
    (lambda: tf.linalg.tensor_diag_part(tf.zeros([2, 3])), ValueError, "Dimensions must be equal, but are 2 and 3"),
    (
        lambda: tf.linalg.tensor_diag_part(tf.zeros([2, 2, 2])),
        ValueError,
        "Input must have even and non-zero rank, input rank is 3",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda x: tf.linalg.tensor_diag_part(x), [(tf.float32, [2, 2])], ["DiagPart"]),
    (lambda x: tf.linalg.tensor_diag(x), [(tf.float32, [None, 3])], ["Diag"]),
    (lambda x: tf.linalg.tensor_diag_part(x), [(tf.float32, [None, 3, 2, None])], ["DiagPart"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)
