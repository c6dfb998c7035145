"""Searchsorted, inverse permutations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("LowerBound", [np.sort(x([2, 4])), x([2, 3])]),
    Sample("UpperBound", [np.sort(x([1, 4], np.int32)), x([1, 3], np.int32)], {"out_type": tf.int64}),
    Sample("InvertPermutation", [np.int32([2, 0, 1])]),
    Sample("InvertPermutation", [np.zeros([0], np.int64)]),
    Sample("LowerBound", [np.sort(x([2, 70], np.float32)), x([2, 9], np.float32)]),
    Sample("UpperBound", [np.sort(x([2, 70], np.int32)), x([2, 9], np.int32)]),
]

ANSWERS = [
    (lambda: tf.searchsorted([1, 2, 3], [2, 5]), [("int32", [1, 3])]),
    (lambda: tf.searchsorted([[1, 2, 3]], [2, 5]), [("int32", [1, 3])]),
    (lambda: tf.searchsorted([[1, 2], [3, 4]], [[1], [4]], side="right"), [("int32", [[1], [2]])]),
    (lambda: tf.math.invert_permutation([2, 0, 1]), [("int32", [1, 2, 0])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (
        lambda: tf.searchsorted([1, 2, 3], [2, 5], side="x"),
        ValueError,
        "Argument `side` must be either 'right' or 'left'. Received: `side` = 'x'.",
    ),
    (
        lambda: tf.searchsorted([1, 2, 3], 2),
        tf.errors.InvalidArgumentError,
        "slice index -1 of dimension 0 out of bounds.",
    ),
    (
        lambda: tf.searchsorted([1.0, 2.0, 3.0], [2]),
        tf.errors.InvalidArgumentError,
        "cannot compute LowerBound as input #1(zero-based) was expected to be a float tensor b",
    ),
    (
        lambda: tf.raw_ops.LowerBound(sorted_inputs=[1, 2], values=[1]),
        tf.errors.InvalidArgumentError,
        "Shape must be rank 2 but is rank 1 for `sorted_inputs` argument",
    ),
    (
        lambda: tf.raw_ops.LowerBound(sorted_inputs=[[1, 2]], values=[[1], [2]]),
        tf.errors.InvalidArgumentError,
        "Leading dim_size of both tensors must match.",
    ),
    (lambda: tf.math.invert_permutation([1, 1]), tf.errors.InvalidArgumentError, "1 is duplicated in the input."),
    (lambda: tf.math.invert_permutation([0, 2]), tf.errors.InvalidArgumentError, "2 is not between 0 and 2"),
    (
        lambda: tf.math.invert_permutation([[0]]),
        tf.errors.InvalidArgumentError,
        "invert_permutation expects a 1D vector.",
    ),
    (lambda: tf.math.invert_permutation([0, -1]), tf.errors.InvalidArgumentError, "-1 is not between 0 and 2"),
    (lambda: tf.math.invert_permutation([1, 1, 5]), tf.errors.InvalidArgumentError, "1 is duplicated in the input."),
    (lambda: tf.math.invert_permutation([5, 1, 1]), tf.errors.InvalidArgumentError, "5 is not between 0 and 3"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (
        lambda: tf.searchsorted([1, 2, 3], [2, 5], side="x"),
        ValueError,
        "Argument `side` must be either 'right' or 'left'. Received: `side` = 'x'.",
    ),
    (lambda: tf.searchsorted([1, 2, 3], 2), ValueError, "slice index -1 of dimension 0 out of bounds."),
    (
        lambda: tf.searchsorted([1.0, 2.0, 3.0], [2]),
        TypeError,
        "Input 'values' of 'LowerBound' Op has type int32 that does not match type float32 of ",
    ),
    (lambda: tf.raw_ops.LowerBound(sorted_inputs=[1, 2], values=[1]), ValueError, "Shape must be rank 2 but is rank 1"),
    (lambda: tf.math.invert_permutation([[0]]), ValueError, "Shape must be rank 1 but is rank 2"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


def test_nodes_have_tensorflows_names() -> None:
    check_graph_names(tf.math.invert_permutation, [(tf.int32, [None])], ["InvertPermutation"])


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int32", "uint8", "int64"])
@pytest.mark.parametrize("size", [0, 1, 2, 63, 64, 65, 1000])
def test_many_values_have_the_positions_of_each_alone(side: str, dtype: str, size: int) -> None:
    rng = np.random.default_rng(size)
    row, values = (rng.integers(0, 200, count).astype(tf.as_dtype(dtype).as_numpy_dtype) for count in (size, 5000))
    row.sort()
    expected = np.searchsorted(row.astype(float), values.astype(float), side=side)  # type: ignore[call-overload]  # a str
    found_positions = tf.searchsorted(row, values, side=side)
    np.testing.assert_array_equal(found_positions, expected)
    np.testing.assert_array_equal(found_positions[:100], tf.searchsorted(row, values[:100], side=side))


@pytest.mark.parametrize("count", [3, 5000])
@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.xla)])
@pytest.mark.parametrize("size", [3, 100])
def test_no_element_is_below_nan_and_none_is_above_infinity(count: int, jit: bool, size: int) -> None:
    row = np.linspace(1, 3, size, dtype=np.float32)
    row[-1] = np.inf
    values = np.resize(np.float32([np.nan, np.inf, -np.inf]), count)
    for side, positions in (("left", [0, size - 1, 0]), ("right", [size, size, 0])):
        found_positions = tf.function(lambda x, side=side: tf.searchsorted(row, x, side=side), jit_compile=jit)(values)
        np.testing.assert_array_equal(found_positions, np.resize(positions, count))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_a_long_permutation_is_inverted(dtype: Any) -> None:
    permutation = np.random.default_rng(0).permutation(5000).astype(dtype)
    np.testing.assert_array_equal(permutation[tf.math.invert_permutation(permutation)], np.arange(5000))
