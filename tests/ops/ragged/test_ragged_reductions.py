"""Reductions of ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.ragged.answers import R, T, check_everywhere, check_refusal_everywhere, ragged


def rows() -> Any:
    return ragged([[3, 1, 4], [], [1, 5, 9, 2], [6]])


def floats() -> Any:
    return ragged([[3.0, 1, 4], [1.0, 5, 9, 2], [6.0]])


def floats_and_none() -> Any:
    return ragged([[3.0, 1, 4], [], [6.0]])


def deep() -> Any:
    return ragged([[[1, 2], [], [3]], [[4, 5, 6]]])


def deep_floats() -> Any:
    return ragged([[[1.0, 2], [7.0], [3]], [[4, 5, 6]]])


def pairs() -> Any:
    return ragged([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)


def truths() -> Any:
    return ragged([[True, False], [], [True]])


def float_pairs() -> Any:
    return ragged([[[1.0, 2], [3, 4]], [[5, 6]]], ragged_rank=1)


ANSWERS = [
    (
        lambda: [g(rows()) for g in (tf.reduce_sum, tf.reduce_prod, tf.reduce_min, tf.reduce_max)],
        [T("int32", 31), T("int32", 6480), T("int32", 1), T("int32", 9)],
    ),
    (
        lambda: [g(rows(), axis=0) for g in (tf.reduce_sum, tf.reduce_prod, tf.reduce_min, tf.reduce_max)],
        [T("int32", [10, 6, 13, 2]), T("int32", [18, 5, 36, 2]), T("int32", [1, 1, 4, 2]), T("int32", [6, 5, 9, 2])],
    ),
    (
        lambda: [g(rows(), axis=1) for g in (tf.reduce_sum, tf.reduce_prod, tf.reduce_min, tf.reduce_max)],
        [
            T("int32", [8, 0, 17, 6]),
            T("int32", [12, 1, 90, 6]),
            T("int32", [1, 2147483647, 1, 6]),
            T("int32", [4, -2147483648, 9, 6]),
        ],
    ),
    (
        lambda: [g(rows(), axis=-1) for g in (tf.reduce_sum, tf.reduce_prod, tf.reduce_min, tf.reduce_max)],
        [
            T("int32", [8, 0, 17, 6]),
            T("int32", [12, 1, 90, 6]),
            T("int32", [1, 2147483647, 1, 6]),
            T("int32", [4, -2147483648, 9, 6]),
        ],
    ),
    (
        lambda: [g(rows(), axis=-2) for g in (tf.reduce_sum, tf.reduce_prod, tf.reduce_min, tf.reduce_max)],
        [T("int32", [10, 6, 13, 2]), T("int32", [18, 5, 36, 2]), T("int32", [1, 1, 4, 2]), T("int32", [6, 5, 9, 2])],
    ),
    (
        lambda: [g(rows(), axis=[0, 1]) for g in (tf.reduce_sum, tf.reduce_prod, tf.reduce_min, tf.reduce_max)],
        [T("int32", 31), T("int32", 6480), T("int32", 1), T("int32", 9)],
    ),
    (
        lambda: [g(rows(), axis=[1]) for g in (tf.reduce_sum, tf.reduce_prod, tf.reduce_min, tf.reduce_max)],
        [
            T("int32", [8, 0, 17, 6]),
            T("int32", [12, 1, 90, 6]),
            T("int32", [1, 2147483647, 1, 6]),
            T("int32", [4, -2147483648, 9, 6]),
        ],
    ),
    (
        lambda: [g(rows(), axis=[]) for g in (tf.reduce_sum, tf.reduce_prod)],
        [
            R("int32", [[3, 1, 4], [], [1, 5, 9, 2], [6]], [4, None]),
            R("int32", [[3, 1, 4], [], [1, 5, 9, 2], [6]], [4, None]),
        ],
    ),
    (
        lambda: [g(rows(), keepdims=True) for g in (tf.reduce_sum, tf.reduce_max)],
        [T("int32", [[31]]), T("int32", [[9]])],
    ),
    (
        lambda: [g(rows(), axis=0, keepdims=True) for g in (tf.reduce_sum, tf.reduce_max)],
        [T("int32", [[10, 6, 13, 2]]), T("int32", [[6, 5, 9, 2]])],
    ),
    (
        lambda: [g(rows(), axis=1, keepdims=True) for g in (tf.reduce_sum, tf.reduce_max)],
        [T("int32", [[8], [0], [17], [6]]), T("int32", [[4], [-2147483648], [9], [6]])],
    ),
    (
        lambda: [g(rows(), axis=[0, 1], keepdims=True) for g in (tf.reduce_sum, tf.reduce_max)],
        [T("int32", [[31]]), T("int32", [[9]])],
    ),
    (
        lambda: [g(deep(), axis=a) for g in (tf.reduce_sum, tf.reduce_max) for a in (None, 0, 1, 2, -1)],
        [
            T("int32", 21),
            R("int32", [[5, 7, 6], [], [3]], [3, None]),
            R("int32", [[4, 2], [4, 5, 6]], [2, None]),
            R("int32", [[3, 0, 3], [15]], [2, None]),
            R("int32", [[3, 0, 3], [15]], [2, None]),
            T("int32", 6),
            R("int32", [[4, 5, 6], [], [3]], [3, None]),
            R("int32", [[3, 2], [4, 5, 6]], [2, None]),
            R("int32", [[2, -2147483648, 3], [6]], [2, None]),
            R("int32", [[2, -2147483648, 3], [6]], [2, None]),
        ],
    ),
    (
        lambda: [tf.reduce_sum(deep(), axis=a) for a in ([0, 1], [1, 2], [0, 2], [0, 1, 2], [2, 1], [-1, 0], (1, 2))],
        [
            T("int32", [8, 7, 6]),
            T("int32", [6, 15]),
            T("int32", [18, 0, 3]),
            T("int32", 21),
            T("int32", [6, 15]),
            T("int32", [18, 0, 3]),
            T("int32", [6, 15]),
        ],
    ),
    (
        lambda: [
            tf.reduce_sum(deep(), axis=a, keepdims=True)
            for a in ([0, 1], [1, 2], [0, 2], [0, 1, 2], [2, 1], [-1, 0], 0, 1, 2)
        ],
        [
            R("int32", [[[8, 7, 6]]], [1, 1, None]),
            T("int32", [[[6]], [[15]]]),
            T("int32", [[[18], [0], [3]]]),
            T("int32", [[[21]]]),
            T("int32", [[[6]], [[15]]]),
            T("int32", [[[18], [0], [3]]]),
            R("int32", [[[5, 7, 6], [], [3]]], [1, 3, None]),
            R("int32", [[[4, 2]], [[4, 5, 6]]], [2, 1, None]),
            R("int32", [[[3], [0], [3]], [[15]]], [2, None, 1]),
        ],
    ),
    (
        lambda: [tf.reduce_sum(pairs(), axis=a) for a in (0, 1, 2, -1, -2, -3)],
        [
            T("int32", [[6, 8], [3, 4]]),
            T("int32", [[4, 6], [5, 6]]),
            R("int32", [[3, 7], [11]], [2, None]),
            R("int32", [[3, 7], [11]], [2, None]),
            T("int32", [[4, 6], [5, 6]]),
            T("int32", [[6, 8], [3, 4]]),
        ],
    ),
    (
        lambda: [tf.reduce_sum(pairs(), axis=a) for a in ([0, 1], [1, 2], [0, 2], [0, 1, 2])],
        [T("int32", [9, 12]), T("int32", [10, 11]), T("int32", [14, 7]), T("int32", 21)],
    ),
    (
        lambda: [tf.reduce_sum(pairs(), axis=a, keepdims=True) for a in ([0, 1], [1, 2], [0, 2], [0, 1, 2], 0, 1, 2)],
        [
            T("int32", [[[9, 12]]]),
            T("int32", [[[10]], [[11]]]),
            T("int32", [[[14], [7]]]),
            T("int32", [[[21]]]),
            T("int32", [[[6, 8], [3, 4]]]),
            T("int32", [[[4, 6]], [[5, 6]]]),
            R("int32", [[[3], [7]], [[11]]], [2, None, 1]),
        ],
    ),
    (
        lambda: [
            g(floats(), axis=a)
            for g in (tf.reduce_mean, tf.math.reduce_variance, tf.math.reduce_std)
            for a in (None, 0, 1)
        ],
        [
            T("float32", 3.875),
            T("float32", [3.33333, 3.0, 6.5, 2.0]),
            T("float32", [2.66667, 4.25, 6.0]),
            T("float32", 6.60938),
            T("float32", [4.22222, 4.0, 6.25, 0.0]),
            T("float32", [1.55556, 9.6875, 0.0]),
            T("float32", 2.57087),
            T("float32", [2.0548, 2.0, 2.5, 0.0]),
            T("float32", [1.24722, 3.11247, 0.0]),
        ],
    ),
    (
        lambda: [
            g(floats_and_none(), axis=a)
            for g in (tf.reduce_mean, tf.math.reduce_variance, tf.math.reduce_std)
            for a in (None, 0, 1)
        ],
        [
            T("float32", 3.5),
            T("float32", [4.5, 1.0, 4.0]),
            T("float32", [2.66667, np.nan, 6.0]),
            T("float32", 3.25),
            T("float32", [2.25, 0.0, 0.0]),
            T("float32", [1.55556, np.nan, 0.0]),
            T("float32", 1.80278),
            T("float32", [1.5, 0.0, 0.0]),
            T("float32", [1.24722, np.nan, 0.0]),
        ],
    ),
    (
        lambda: [
            g(deep_floats(), axis=a)
            for g in (tf.reduce_mean, tf.math.reduce_variance, tf.math.reduce_std)
            for a in (None, 0, 1, 2, [0, 1], [1, 2], [0, 2])
        ],
        [
            T("float32", 4.0),
            R("float32", [[2.5, 3.5, 6.0], [7.0], [3.0]], [3, None]),
            R("float32", [[3.66667, 2.0], [4.0, 5.0, 6.0]], [2, None]),
            R("float32", [[1.5, 7.0, 3.0], [5.0]], [2, None]),
            T("float32", [3.75, 3.5, 6.0]),
            T("float32", [3.25, 5.0]),
            T("float32", [3.6, 7.0, 3.0]),
            T("float32", 4.0),
            R("float32", [[2.25, 2.25, 0.0], [0.0], [0.0]], [3, None]),
            R("float32", [[6.22222, 0.0], [0.0, 0.0, 0.0]], [2, None]),
            R("float32", [[0.25, 0.0, 0.0], [0.666666]], [2, None]),
            T("float32", [4.6875, 2.25, 0.0]),
            T("float32", [5.1875, 0.666666]),
            T("float32", [3.44, 0.0, 0.0]),
            T("float32", 2.0),
            R("float32", [[1.5, 1.5, 0.0], [0.0], [0.0]], [3, None]),
            R("float32", [[2.49444, 0.0], [0.0, 0.0, 0.0]], [2, None]),
            R("float32", [[0.5, 0.0, 0.0], [0.816496]], [2, None]),
            T("float32", [2.16506, 1.5, 0.0]),
            T("float32", [2.27761, 0.816496]),
            T("float32", [1.85472, 0.0, 0.0]),
        ],
    ),
    (
        lambda: [
            g(float_pairs(), axis=a)
            for g in (tf.reduce_mean, tf.math.reduce_variance, tf.math.reduce_std)
            for a in (0, 1, 2)
        ],
        [
            T("float32", [[3.0, 4.0], [3.0, 4.0]]),
            T("float32", [[2.0, 3.0], [5.0, 6.0]]),
            R("float32", [[1.5, 3.5], [5.5]], [2, None]),
            T("float32", [[4.0, 4.0], [0.0, 0.0]]),
            T("float32", [[1.0, 1.0], [0.0, 0.0]]),
            R("float32", [[0.25, 0.25], [0.25]], [2, None]),
            T("float32", [[2.0, 2.0], [0.0, 0.0]]),
            T("float32", [[1.0, 1.0], [0.0, 0.0]]),
            R("float32", [[0.5, 0.5], [0.5]], [2, None]),
        ],
    ),
    (lambda: tf.reduce_mean(rows(), axis=1), T("float64", [2.66667, np.nan, 4.25, 6.0])),
    (lambda: tf.reduce_mean(rows()), T("float64", 3.875)),
    (lambda: tf.math.reduce_variance(rows(), axis=1), T("float64", [1.55556, np.nan, 9.6875, 0.0])),
    (lambda: tf.math.reduce_std(rows(), axis=1), T("float64", [1.24722, np.nan, 3.11247, 0.0])),
    (
        lambda: [g(truths(), axis=a) for g in (tf.reduce_any, tf.reduce_all) for a in (None, 0, 1)],
        [
            T("bool", True),
            T("bool", [True, False]),
            T("bool", [True, False, True]),
            T("bool", False),
            T("bool", [True, False]),
            T("bool", [False, True, True]),
        ],
    ),
    (
        lambda: [g(truths(), axis=a, keepdims=True) for g in (tf.reduce_any, tf.reduce_all) for a in (None, 0, 1)],
        [
            T("bool", [[True]]),
            T("bool", [[True, False]]),
            T("bool", [[True], [False], [True]]),
            T("bool", [[False]]),
            T("bool", [[True, False]]),
            T("bool", [[False], [True], [True]]),
        ],
    ),
    (lambda: tf.reduce_any(rows(), axis=1), T("bool", [True, False, True, True])),
    (lambda: tf.reduce_all(rows(), axis=0), T("bool", [True, True, True, True])),
    (lambda: tf.reduce_sum(rows(), axis=[0, 0]), T("int32", 31)),
    (lambda: tf.reduce_sum(rows(), axis=[0, -2]), T("int32", 31)),
    (lambda: tf.reduce_sum(rows(), axis=tf.constant([0, 1])), T("int32", 31)),
    (lambda: tf.reduce_sum(rows(), 1, True, "nm"), T("int32", [[8], [0], [17], [6]])),
    (lambda: tf.reduce_sum(ragged([]), axis=0), T("float32", 0.0)),
    (lambda: tf.reduce_sum(ragged([[], []]), axis=1), T("float32", [0.0, 0.0])),
    (lambda: tf.reduce_max(ragged([[], []], dtype=tf.int32), axis=1), T("int32", [-2147483648, -2147483648])),
    (lambda: tf.reduce_max(ragged([[], [1.5]]), axis=1), T("float32", [-3.40282e38, 1.5])),
    (lambda: tf.reduce_min(ragged([[], [1.5]]), axis=1), T("float32", [3.40282e38, 1.5])),
    (lambda: tf.math.reduce_max(ragged([[], []], dtype=tf.int32)), T("int32", -2147483648)),
    (lambda: tf.compat.v1.reduce_sum(rows(), axis=1), T("int32", [8, 0, 17, 6])),
    (lambda: tf.compat.v1.reduce_sum(rows()), T("int32", 31)),
    (lambda: tf.compat.v1.reduce_sum(rows(), 1), T("int32", [8, 0, 17, 6])),
    (lambda: tf.compat.v1.reduce_max(rows(), axis=1, keepdims=True), T("int32", [[4], [-2147483648], [9], [6]])),
    (lambda: tf.compat.v1.reduce_sum(rows(), axis=1, keep_dims=True), T("int32", [[8], [0], [17], [6]])),
    (lambda: tf.compat.v1.reduce_mean(floats(), reduction_indices=1), T("float32", [2.66667, 4.25, 6.0])),
    (lambda: tf.reduce_logsumexp(floats(), axis=1), T("float32", [4.34901, 9.01937, 6.0])),
]

REFUSED = [
    (
        lambda: tf.reduce_sum(truths(), axis=1),
        tf.errors.InvalidArgumentError,
        "Value for attr 'T' of bool is not in the list of allowed values: float, double, int32, uin",
    ),
    (
        lambda: tf.reduce_sum(ragged([["a"]]), axis=1),
        tf.errors.InvalidArgumentError,
        "Value for attr 'T' of string is not in the list of allowed values: float, double, int32, u",
    ),
    (
        lambda: tf.reduce_max(ragged([["a"]])),
        tf.errors.InvalidArgumentError,
        "Value for attr 'T' of string is not in the list of allowed values: float, double, int32, u",
    ),
    (lambda: tf.reduce_sum(rows(), axis=2), ValueError, "axis=2 out of bounds: expected -2<=axis<2"),
    (lambda: tf.reduce_sum(rows(), axis=-3), ValueError, "axis=-3 out of bounds: expected -2<=axis<2"),
    (lambda: tf.reduce_sum(rows(), axis=np.int64(1)), TypeError, "axis must be an int; got int64"),
    (lambda: tf.reduce_sum(rows(), axis=np.array([1])), TypeError, "axis must be an int; got ndarray"),
    (lambda: tf.reduce_sum(rows(), axis="a"), TypeError, "axis must be an int; got str"),
    (lambda: tf.reduce_sum(rows(), axis=1.5), TypeError, "axis must be an int; got float"),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_answers_as_tensorflow(call: Any, expected: Any) -> None:
    check_everywhere(call, expected)


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_it_refuses_as_tensorflow(call: Any, error: type[Exception], words: str) -> None:
    check_refusal_everywhere(call, error, words)


def test_an_axis_may_be_a_tensor_that_is_known_while_tracing() -> None:
    with pytest.raises(TypeError, match="axis must be an int; got int32"):
        tf.reduce_sum(rows(), axis=tf.constant(1))
    total = tf.function(lambda: tf.reduce_sum(rows(), axis=tf.constant(1)), autograph=False)
    assert total().numpy().tolist() == [8, 0, 17, 6]
    of_argument = tf.function(lambda axis: tf.reduce_sum(rows(), axis=axis), autograph=False)
    with pytest.raises(ValueError, match="axis must be known at graph construction time"):
        of_argument(tf.constant(1))


def test_the_mean_of_rows_that_keep_their_dimension() -> None:
    floats = tf.ragged.constant([[[1.0, 2.0], [7.0]], [[4.0, 6.0]]])
    assert tf.reduce_mean(floats, axis=1, keepdims=True).to_list() == [[[4.0, 2.0]], [[4.0, 6.0]]]
    assert tf.math.reduce_std(floats, axis=2, keepdims=True).to_list() == [[[0.5], [0.0]], [[1.0]]]


def test_a_tensor_without_rows_has_no_columns() -> None:
    x = tf.RaggedTensor.from_uniform_row_length(tf.zeros([0], tf.int32), 2)
    traced = tf.function(
        lambda x: tf.reduce_sum(x, axis=0),
        autograph=False,
        input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)],
    )
    assert tf.reduce_sum(x, axis=0).shape == traced(x).shape == [0]


def test_rounding_takes_no_variance_below_zero() -> None:
    x = tf.ragged.constant([[0.1, 0.1, 0.1], [], [1e4 + 0.1, 1e4 + 0.2, 1e4 + 0.1]])
    for axis in (0, 1, None, (0, 1)):
        variance = tf.math.reduce_variance(x, axis).numpy()
        assert not (variance < 0).any()
        np.testing.assert_array_equal(tf.math.reduce_std(x, axis).numpy(), np.sqrt(variance))
    np.testing.assert_array_equal(tf.math.reduce_variance(x, 1).numpy(), np.float32([0, np.nan, 0]))


@pytest.mark.parametrize("reduced", [tf.math.reduce_variance, tf.math.reduce_std])
def test_complex_numbers_have_no_variance(reduced: Any) -> None:
    x = tf.ragged.constant([[1 + 2j], [3.0]], dtype=tf.complex64)
    for axis in (None, 1):
        with pytest.raises(ValueError, match="reduce_variance is not supported for RaggedTensors with complex dtypes"):
            reduced(x, axis)
