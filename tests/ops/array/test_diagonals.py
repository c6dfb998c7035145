"""Diagonals of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample(
        "MatrixDiagV3",
        [x([2, 2, 3]), np.int32([0, 1]), np.int32(-1), np.int32(-1), np.float64(0)],
        grad=True,
        held=("padding_value",),
    ),
    Sample(
        "MatrixDiagV3", [x([2], np.int8), np.int32(1), np.int32(4), np.int32(-1), np.int8(7)], {"align": "LEFT_RIGHT"}
    ),
    Sample(
        "MatrixDiagV2",
        [x([2, 3]), np.int32([-1, 0]), np.int32(-1), np.int32(-1), np.float64(0)],
        grad=True,
        held=("padding_value",),
    ),
    Sample("MatrixDiag", [x([2, 3])], grad=True),
    Sample("BatchMatrixDiag", [x([2, 3], np.int32)]),
    Sample(
        "MatrixDiagPartV3",
        [x([2, 3, 4]), np.int32([-1, 2]), np.float64(0)],
        {"align": "RIGHT_RIGHT"},
        grad=True,
        held=("padding_value",),
    ),
    Sample("MatrixDiagPartV3", [x([3, 4], bool), np.int32([1]), np.array(False)]),
    Sample("MatrixDiagPartV2", [x([3, 4]), np.int32([-2, 1]), np.float64(0)], grad=True, held=("padding_value",)),
    Sample("MatrixDiagPart", [x([2, 3, 4])], grad=True),
    Sample("MatrixSetDiagV3", [x([3, 4]), x([2, 3]), np.int32([0, 1])], grad=True),
    Sample("MatrixSetDiagV2", [x([3, 4]), x([2]), np.int32(2)], grad=True),
    Sample("MatrixSetDiag", [x([2, 3, 4]), x([2, 3])], grad=True),
]

_ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")

GRADIENT_SAMPLES = [
    *(
        Sample(
            "MatrixDiagV3",
            [x([2, 3, 2]), np.int32([-1, 1]), np.int32(2), np.int32(2), np.float64(0)],
            {"align": align},
            grad=True,
            held=("padding_value",),
        )
        for align in _ALIGNMENTS
    ),
    *(
        Sample(
            "MatrixDiagPartV3",
            [x([3, 4]), np.int32([-2, 1]), np.float64(0)],
            {"align": align},
            grad=True,
            held=("padding_value",),
        )
        for align in _ALIGNMENTS
    ),
    *(
        Sample("MatrixSetDiagV3", [x([3, 4]), x([4, 3]), np.int32([-2, 1])], {"align": align}, grad=True)
        for align in _ALIGNMENTS
    ),
]


ANSWERS = [
    (lambda: tf.linalg.diag([1.0, 2.0], k=1), [("float32", [[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])]),
    (lambda: tf.linalg.diag([1.0, 2.0], num_rows=3), [("float32", [[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])]),
    (lambda: tf.linalg.diag([1.0, 2.0], padding_value=9), [("float32", [[1.0, 9.0], [9.0, 2.0]])]),
    (lambda: tf.linalg.diag([1, 2]), [("int32", [[1, 0], [0, 2]])]),
    (
        lambda: tf.linalg.diag_part(tf.zeros([3, 4]), k=(-2, 3)),
        [
            (
                "float32",
                [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
            )
        ],
    ),
    (
        lambda: tf.linalg.set_diag(tf.zeros([3, 4]), tf.zeros([3])),
        [("float32", [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])],
    ),
    (
        lambda: tf.linalg.set_diag(tf.zeros([3, 4]), tf.zeros([2, 3]), k=(0, 1)),
        [("float32", [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])],
    ),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (
        lambda: tf.linalg.diag(3.0),
        tf.errors.InvalidArgumentError,
        "diagonal must be at least 1-dim, received shape: []",
    ),
    (
        lambda: tf.linalg.diag([[1.0, 2.0], [3.0, 4.0]], k=(1, 0)),
        tf.errors.InvalidArgumentError,
        "lower_diag_index must not be larger than upper_diag_index: 1 > 0",
    ),
    (
        lambda: tf.linalg.diag([1.0, 2.0], num_rows=1),
        tf.errors.InvalidArgumentError,
        "The number of rows is too small.",
    ),
    (
        lambda: tf.linalg.diag([1.0, 2.0], num_rows=3, num_cols=4),
        tf.errors.InvalidArgumentError,
        "The number of rows or columns is not consistent with the specified d_lower, d_upper, ",
    ),
    (
        lambda: tf.linalg.diag([1.0, 2.0], k=5, num_rows=3, num_cols=4),
        tf.errors.InvalidArgumentError,
        "The number of columns is too small.",
    ),
    (
        lambda: tf.linalg.diag([1.0, 2.0], k=1, num_rows=3, num_cols=4),
        tf.errors.InvalidArgumentError,
        "The number of rows or columns is not consistent with the specified d_lower, d_upper, ",
    ),
    (
        lambda: tf.linalg.diag([1.0, 2.0], align="X"),
        tf.errors.InvalidArgumentError,
        'Value for attr \'align\' of "X" is not in the list of allowed values: "LEFT_RIGHT", "RI',
    ),
    (
        lambda: tf.linalg.diag([1.0, 2.0], k=[0, 1, 2]),
        tf.errors.InvalidArgumentError,
        "diag_index must have only one or two elements, received 3 elements.",
    ),
    (lambda: tf.linalg.diag(["a", "b"]), TypeError, "Cannot convert 0 to EagerTensor of dtype string"),
    (lambda: tf.linalg.diag([True, False]), TypeError, "Cannot convert 0 to EagerTensor of dtype bool"),
    (
        lambda: tf.linalg.diag_part(tf.zeros([3])),
        tf.errors.InvalidArgumentError,
        "input must be at least 2-dim, received shape: [3]",
    ),
    (
        lambda: tf.linalg.diag_part(tf.zeros([3, 4]), k=5),
        tf.errors.InvalidArgumentError,
        "lower_diag_index is out of bound: 5. It must be between -3 and 4",
    ),
    (
        lambda: tf.linalg.diag_part(tf.zeros([3, 4]), k=-3),
        tf.errors.InvalidArgumentError,
        "lower_diag_index is out of bound: -3. It must be between -3 and 4",
    ),
    (
        lambda: tf.linalg.diag_part(tf.zeros([3, 4]), k=4),
        tf.errors.InvalidArgumentError,
        "lower_diag_index is out of bound: 4. It must be between -3 and 4",
    ),
    (
        lambda: tf.linalg.diag_part(tf.zeros([3, 4]), k=(1, 0)),
        tf.errors.InvalidArgumentError,
        "lower_diag_index must not be larger than upper_diag_index: 1 > 0",
    ),
    (lambda: tf.linalg.diag_part([True, False]), TypeError, "Cannot convert 0 to EagerTensor of dtype bool"),
    (
        lambda: tf.linalg.set_diag(tf.zeros([3, 4]), tf.zeros([4])),
        tf.errors.InvalidArgumentError,
        "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:",
    ),
    (
        lambda: tf.linalg.set_diag(tf.zeros([3, 4]), tf.zeros([2, 3]), k=(0, 2)),
        tf.errors.InvalidArgumentError,
        "The number of diagonals provided in `diag` is not consistent with `lower_diag_index` ",
    ),
    (
        lambda: tf.linalg.set_diag(tf.zeros([3, 4]), tf.zeros([3]), k=9),
        tf.errors.InvalidArgumentError,
        "lower_diag_index is out of bound: 9 It must be between -3 and 4",
    ),
    (
        lambda: tf.linalg.set_diag(tf.zeros([3]), tf.zeros([3])),
        tf.errors.InvalidArgumentError,
        "input must be at least 2-dim, received shape: [3]",
    ),
    (
        lambda: tf.linalg.set_diag(tf.zeros([2, 3, 4]), tf.zeros([3])),
        tf.errors.InvalidArgumentError,
        "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.linalg.diag(3.0), ValueError, "Shape must be at least rank 1 but is rank 0"),
    (
        lambda: tf.linalg.diag([[1.0, 2.0], [3.0, 4.0]], k=(1, 0)),
        ValueError,
        "lower_diag_index is greater than upper_diag_index",
    ),
    (lambda: tf.linalg.diag([1.0, 2.0], num_rows=1), ValueError, "num_rows is too small"),
    (
        lambda: tf.linalg.diag([1.0, 2.0], num_rows=3, num_cols=4),
        ValueError,
        "num_rows and num_cols are not consistent with lower_diag_index, upper_diag_index, and",
    ),
    (lambda: tf.linalg.diag([1.0, 2.0], k=5, num_rows=3, num_cols=4), ValueError, "num_cols is too small."),
    (
        lambda: tf.linalg.diag([1.0, 2.0], k=1, num_rows=3, num_cols=4),
        ValueError,
        "num_rows and num_cols are not consistent with lower_diag_index, upper_diag_index, and",
    ),
    (
        lambda: tf.linalg.diag([1.0, 2.0], align="X"),
        ValueError,
        "Attr 'align' of 'MatrixDiagV3' Op passed string 'X' not in: \"LEFT_RIGHT\", \"RIGHT_LEFT",
    ),
    (
        lambda: tf.linalg.diag([1.0, 2.0], k=[0, 1, 2]),
        ValueError,
        "diag_index must be a vector with one or two elements. It has 3 elements.",
    ),
    (lambda: tf.linalg.diag_part(tf.zeros([3])), ValueError, "Shape must be at least rank 2 but is rank 1"),
    (lambda: tf.linalg.diag_part(tf.zeros([3, 4]), k=5), ValueError, "lower_diag_index is out of bound."),
    (lambda: tf.linalg.diag_part(tf.zeros([3, 4]), k=-3), ValueError, "lower_diag_index is out of bound."),
    (lambda: tf.linalg.diag_part(tf.zeros([3, 4]), k=4), ValueError, "lower_diag_index is out of bound."),
    (
        lambda: tf.linalg.diag_part(tf.zeros([3, 4]), k=(1, 0)),
        ValueError,
        "lower_diag_index is greater than upper_diag_index",
    ),
    (lambda: tf.linalg.set_diag(tf.zeros([3, 4]), tf.zeros([3]), k=9), ValueError, "lower_diag_index is out of bound."),
    (
        lambda: tf.linalg.set_diag(tf.zeros([3]), tf.zeros([3])),
        ValueError,
        "Shape must be at least rank 2 but is rank 1",
    ),
    (
        lambda: tf.linalg.set_diag(tf.zeros([2, 3, 4]), tf.zeros([3])),
        ValueError,
        "Shape must be at least rank 2 but is rank 1",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (
        lambda x: tf.linalg.diag(x),
        [(tf.float32, [None, 3])],
        ["diag/k", "diag/num_rows", "diag/num_cols", "diag/padding_value", "diag"],
    ),
    (
        lambda x: tf.linalg.diag(x, k=(-1, 1)),
        [(tf.float32, [None, 3, 4])],
        ["diag/k", "diag/num_rows", "diag/num_cols", "diag/padding_value", "diag"],
    ),
    (
        lambda x: tf.linalg.diag_part(x),
        [(tf.float32, [None, 3, 4])],
        ["diag_part/k", "diag_part/padding_value", "diag_part"],
    ),
    (
        lambda x: tf.linalg.diag_part(x, k=(-1, 1), align="LEFT_LEFT"),
        [(tf.float32, [None, 3, 4])],
        ["diag_part/k", "diag_part/padding_value", "diag_part"],
    ),
    (
        lambda x, d: tf.linalg.set_diag(x, d),
        [(tf.float32, [None, 3, 4]), (tf.float32, [None, 3])],
        ["set_diag/k", "set_diag"],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)
