"""Where, select, boolean masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("Where", [x([3, 2], bool)]),
    Sample("Where", [x([0, 2])]),
    Sample("SelectV2", [np.array([[True], [False]]), x([2, 3]), x([3])], grad=True),
    Sample("SelectV2", [np.array(True), x([0], np.int8), x([], np.int8)]),
    Sample("Select", [np.array([True, False]), x([2, 3]), x([2, 3])], grad=True),
    Sample("Select", [np.array(True), x([2], np.complex64), x([2], np.complex64)]),
]


ANSWERS = [
    (
        lambda: tf.boolean_mask(tf.zeros([3, 4]), [True, False, True]),
        [("float32", [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])],
    ),
    (lambda: tf.boolean_mask(tf.zeros([3, 4]), [1, 0, 1]), [("float32", [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])]),
    (
        lambda: tf.boolean_mask(tf.zeros([3, 4]), [True, False, True, False], axis=1),
        [("float32", [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])],
    ),
    (lambda: tf.boolean_mask([1, 2, 3], tf.constant([1, 0, 1])), [("int32", [1, 3])]),
    (lambda: tf.where([[True, False], [False, True]]), [("int64", [[0, 0], [1, 1]])]),
    (lambda: tf.where([0.0, 1.0, float("nan")]), [("int64", [[1], [2]])]),
    (lambda: tf.where(True, 1.0, 2), [("float32", 1.0)]),
    (lambda: tf.where([True, False], 1, tf.constant([1.0, 2.0])), [("float32", [1.0, 2.0])]),
    (lambda: tf.compat.v1.where([True, False], [1, 2], [3, 4]), [("int32", [1, 4])]),
    (lambda: tf.compat.v1.where([True, False], [[1, 2], [5, 6]], [[3, 4], [7, 8]]), [("int32", [[1, 2], [7, 8]])]),
    (lambda: tf.compat.v1.where(True, [1, 2], [3, 4]), [("int32", [1, 2])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (lambda: tf.boolean_mask(tf.zeros([3, 4]), [True, False]), ValueError, "Shapes (3,) and (2,) are incompatible"),
    (lambda: tf.boolean_mask(tf.zeros([3, 4]), True), ValueError, "mask cannot be scalar."),
    (
        lambda: tf.boolean_mask(tf.zeros([3, 4]), [[True, False]], axis=1),
        ValueError,
        "Shapes (4,) and (1, 2) are incompatible",
    ),
    (lambda: tf.where(True), tf.errors.InvalidArgumentError, "WhereOp : Unhandled input dimensions: 0"),
    (lambda: tf.where(tf.constant(3 + 0j)), tf.errors.InvalidArgumentError, "WhereOp : Unhandled input dimensions: 0"),
    (
        lambda: tf.where([True, False], [1, 2], [1.0, 2.0]),
        TypeError,
        "Cannot convert [1.0, 2.0] to EagerTensor of dtype int32",
    ),
    (
        lambda: tf.where([True, False], [1, 2, 3], [1, 2, 3]),
        tf.errors.InvalidArgumentError,
        "condition [2], then [3], and else [3] must be broadcastable",
    ),
    (lambda: tf.where([1, 0], [1, 2], [3, 4]), TypeError, "Cannot convert [1, 0] to EagerTensor of dtype bool"),
    (lambda: tf.where(True, 1, 2.0), TypeError, "Cannot convert 2.0 to EagerTensor of dtype int32"),
    (
        lambda: tf.where(True, tf.constant(1), tf.constant(2.0)),
        tf.errors.InvalidArgumentError,
        "cannot compute SelectV2 as input #2(zero-based) was expected to be a int32 tensor but",
    ),
    (
        lambda: tf.compat.v1.where([True, False], [[1, 2]], [[3, 4]]),
        tf.errors.InvalidArgumentError,
        "Number of batches of 'then' must match size of 'cond', but saw: 1 vs. 2",
    ),
    (
        lambda: tf.compat.v1.where([[True]], [1], [3]),
        tf.errors.InvalidArgumentError,
        "Inputs to operation Select of type Select must have the same size and shape.  Input 0",
    ),
    (
        lambda: tf.compat.v1.where([True], [1], [3, 4]),
        tf.errors.InvalidArgumentError,
        "Inputs to operation Select of type Select must have the same size and shape.  Input 0",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.boolean_mask(tf.zeros([3, 4]), [True, False]), ValueError, "Shapes (3,) and (2,) are incompatible"),
    (lambda: tf.boolean_mask(tf.zeros([3, 4]), True), ValueError, "mask cannot be scalar."),
    (
        lambda: tf.boolean_mask(tf.zeros([3, 4]), [[True, False]], axis=1),
        ValueError,
        "Shapes (4,) and (1, 2) are incompatible",
    ),
    (lambda: tf.where([True, False], [1, 2, 3], [1, 2, 3]), ValueError, "Dimensions must be equal, but are 2 and 3"),
    (
        lambda: tf.where(True, tf.constant(1), tf.constant(2.0)),
        TypeError,
        "Input 'e' of 'SelectV2' Op has type float32 that does not match type int32 of argumen",
    ),
    (
        lambda: tf.compat.v1.where([True, False], [[1, 2]], [[3, 4]]),
        ValueError,
        "Dimension 0 in both shapes must be equal, but are 2 and 1. Shapes are [2] and [1].",
    ),
    (lambda: tf.compat.v1.where([[True]], [1], [3]), ValueError, "Shapes must be equal rank, but are 1 and 2"),
    (
        lambda: tf.compat.v1.where([True], [1], [3, 4]),
        ValueError,
        "Dimension 0 in both shapes must be equal, but are 1 and 2. Shapes are [1] and [2].",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda m: tf.where(m), [(tf.bool, [None, 3])], ["Where"]),
    (lambda m, x: tf.where(m, x, 0.0), [(tf.bool, [None, 1]), (tf.float32, [None, 4, 5])], ["SelectV2/e", "SelectV2"]),
    (lambda m, x: tf.where(m, 1.0, x), [(tf.bool, None), (tf.float32, [None, 4, 5])], ["SelectV2/t", "SelectV2"]),
    (lambda m, x: tf.compat.v1.where(m, x, x), [(tf.bool, [None]), (tf.float32, [None, 4, 5])], ["Select"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (40, 70), (5,), (3, 4, 5)])
@pytest.mark.parametrize("dtype", [np.bool_, np.float32, np.int8, np.complex64])
def test_the_positions_of_a_table_are_numpys(dtype: Any, shape: Any) -> None:
    x = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    np.testing.assert_array_equal(tf.where(x), np.argwhere(x))
    np.testing.assert_array_equal(tf.where(x.T), np.argwhere(x.T))
