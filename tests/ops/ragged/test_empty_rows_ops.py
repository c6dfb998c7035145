"""RaggedFillEmptyRows and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("RaggedFillEmptyRows", [np.int64([0, 0, 2]), x([3]), np.int64(5), x([])], grad=True),
    Sample("RaggedFillEmptyRows", [np.int64([1]), np.array(["a"], object), np.int64(2), np.array("z", object)]),
    Sample("RaggedFillEmptyRows", [np.int64([]), np.int32([]), np.int64(0), np.int32(9)]),
    Sample("RaggedFillEmptyRowsGrad", [np.int64([0, 1, 3]), x([5], np.float32)]),
    Sample("RaggedFillEmptyRowsGrad", [np.int64([0, 3, 1]), x([5])], grad=True),
    Sample("RaggedFillEmptyRowsGrad", [np.int64([]), x([2])], grad=True),
]


def _fill(rowids: Any, values: Any, nrows: Any, default: Any) -> Any:
    return tf.raw_ops.RaggedFillEmptyRows(
        value_rowids=np.array(rowids, np.int64), values=values, nrows=np.array(nrows, np.int64), default_value=default
    )


@pytest.mark.parametrize(
    ("rowids", "values", "nrows", "expected"),
    [
        (
            [0, 0, 2],
            [1, 2, 3],
            5,
            ([0, 0, 1, 2, 3, 4], [1, 2, 9, 3, 9, 9], [False, True, False, True, True], [0, 1, 3]),
        ),
        ([0, 0, 1], [1, 2, 3], 2, ([0, 0, 1], [1, 2, 3], [False, False], [0, 1, 2])),
        ([2, 0], [1, 2], 3, ([0, 1, 2], [2, 9, 1], [False, True, False], [2, 0])),
        ([], np.zeros(0, np.int32), 2, ([0, 1], [9, 9], [True, True], [])),
    ],
)
def test_empty_rows_get_the_default(rowids: Any, values: Any, nrows: int, expected: Any) -> None:
    assert tuple(part.numpy().tolist() for part in _fill(rowids, values, nrows, 9)) == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0], [1], 0, 9), "Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = 1"),
        (([0, 5], [1, 2], 3, 9), "indices(1, 0) is invalid: 5 >= 3"),
        (([-1, 0], [1, 2], 3, 9), "indices(0, 0) is invalid: -1 >= 3"),
        (([0], [1], -2, 9), "Expected shape dimensions to be non-negative, got -2"),
        (([0, 1], [1, 2, 3], 3, 9), "The length of `values` (3) must match the first dimension of `value_rowids` (2)."),
        (([0, 1], [1, 2], 3, [9]), "default_value must be a scalar, saw: [1]"),
        (([0, 1], [1, 2], [3], 9), "nrows must be a scalar, saw: [1]"),
        (([[0, 1]], [1, 2], 3, 9), "value_rowids must be a vector, saw: [1,2]"),
        (([0, 2], [[1, 2], [3, 4]], 3, 9), "values must be a vector, saw: [2,2]"),
    ],
)
def test_bad_rows_are_refused(arguments: Any, words: str) -> None:
    check_refusal(lambda: _fill(*arguments), tf.errors.InvalidArgumentError, words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[0, 1]], [1, 2], 3, 9), "Shape must be rank 1 but is rank 2"),
        (([0, 1], [1, 2, 3], 3, 9), "Dimensions must be equal, but are 2 and 3"),
        (([0], [1], [3], 9), "Shape must be rank 0 but is rank 1"),
    ],
)
def test_bad_shapes_are_refused_while_tracing(arguments: Any, words: str) -> None:
    check_refusal_while_tracing(lambda: _fill(*arguments), ValueError, words)


def test_the_gradient_of_the_default_is_a_sum() -> None:
    values, default = tf.constant([1.0, 3.0, 4.0]), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([values, default])
        total = tf.reduce_sum(_fill([0, 0, 2], values, 5, default).output_values * tf.range(1.0, 7.0))
    found = [gradient.numpy().tolist() for gradient in tape.gradient(total, [values, default])]
    assert found == [[1.0, 2.0, 4.0], 14.0]


@pytest.mark.parametrize(
    ("indices", "gradients", "words"),
    [
        ([0, 9], [1.0, 2.0, 3.0], "Elements in reverse index must be in [0, 3) but got 9"),
        ([0, -1], [1.0, 2.0, 3.0], "Elements in reverse index must be in [0, 3) but got -1"),
        ([[0]], [1.0], "reverse_index_map must be a vector, saw: [1,1]"),
        ([0], [[1.0, 2.0]], "grad_values must be a vector, saw: [1,2]"),
    ],
)
def test_bad_indices_are_refused(indices: Any, gradients: Any, words: str) -> None:
    call = tf.raw_ops.RaggedFillEmptyRowsGrad
    check_refusal(lambda: call(reverse_index_map=indices, grad_values=gradients), tf.errors.InvalidArgumentError, words)


def test_the_ops_have_public_names() -> None:
    filled = tf.ragged_fill_empty_rows([0, 2], ["a", "b"], 3, "z", name="filled")
    assert filled.output_values.numpy().tolist() == [b"a", b"z", b"b"]
    parts = tf.compat.v1.ragged_fill_empty_rows_grad(filled.reverse_index_map, [1.0, 2.0, 4.0])
    assert (parts.d_values.numpy().tolist(), float(parts.d_default_value)) == ([1.0, 4.0], 2.0)
