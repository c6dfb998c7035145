"""Positions of extremes, and membership in the best k."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_value
from tests.ops.math.samples import FLOATS, INTEGERS, numbers

SAMPLES = [
    *(
        Sample(op, (numbers(d, (3, 4), -9, 9), np.int32(axis)))
        for op in ("ArgMax", "ArgMin")
        for d, axis in zip((*FLOATS, *INTEGERS, "bool"), [0, 1, -1] * 5, strict=False)
    ),
    Sample("ArgMax", (numbers("float32", (4,)), np.int16(0)), {"output_type": tf.uint16}),
    Sample("ArgMin", (numbers("float32", (2, 0, 3)), np.int64(0)), {"output_type": tf.int32}),
    Sample("InTopK", (numbers("float32", (3, 4)), np.int32([0, 3, 7])), {"k": 2}),
    Sample("InTopKV2", (numbers("float32", (3, 4)), np.int64([0, 3, 1]), np.int64(2))),
    Sample("InTopKV2", (numbers("float32", (0, 4)), np.int32([]), np.int32(2))),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.argmax(c([[1, 5, 5], [0, -1, 2]]))", "int64", [0, 0, 0]),
    ("tf.argmax(c([[1, 5, 5], [0, -1, 2]]), axis=-1)", "int64", [1, 2]),
    ("tf.argmax(tf.zeros([0, 3]), axis=1)", "int64", []),
    ("tf.argmax(c([True, False]))", "int64", 0),
    ("tf.argmax(c([np.nan, 1., 2.]))", "int64", 2),
    ("tf.argmax(c([1., np.nan, 2.]))", "int64", 2),
    ("tf.argmin(c([1., np.nan, 0.]))", "int64", 2),
    ("tf.argmax(c([1, 2]), output_type=tf.uint16)", "uint16", 1),
    ("tf.argmin(c([1, 2]), output_type=tf.int32)", "int32", 0),
    ("tf.math.in_top_k([1, 0, 5], [[0.1, 0.9], [0.5, 0.5], [0.1, 0.2]], 1)", "bool", [True, True, False]),
    ("tf.math.in_top_k([1, 0], [[np.nan, 0.9], [np.inf, 0.5]], 1)", "bool", [False, False]),
    ("tf.math.in_top_k([1], [[0.1, 0.9]], 0)", "bool", [False]),
    ("tf.math.in_top_k([0], [[0.9, 0.9]], 1)", "bool", [True]),
    ("tf.math.in_top_k([2], [[0.9, 0.9, 0.9]], 2)", "bool", [True]),
    ("tf.raw_ops.ArgMax(input=[1, 2], dimension=0)", "int64", 1),
    ("tf.argmax(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), axis=1)", "int64", [2, 2]),
    ("tf.argmin(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), axis=1)", "int64", [0, 0]),
    ("tf.argmax(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), axis=1)", "int64", [2, 2]),
    ("tf.argmin(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), axis=1)", "int64", [0, 0]),
    ("tf.argmax(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), axis=1)", "int64", [2, 2]),
    ("tf.argmin(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), axis=1)", "int64", [0, 0]),
    ("tf.argmax(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), axis=1)", "int64", [2, 2]),
    ("tf.argmin(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), axis=1)", "int64", [0, 0]),
    ("tf.argmax(c([[-3, -1, 100], [2, 7, 50]], tf.int8), axis=1)", "int64", [2, 2]),
    ("tf.argmin(c([[-3, -1, 100], [2, 7, 50]], tf.int8), axis=1)", "int64", [0, 0]),
    ("tf.argmax(c([[-3, -1, 100], [2, 7, 50]], tf.int16), axis=1)", "int64", [2, 2]),
    ("tf.argmin(c([[-3, -1, 100], [2, 7, 50]], tf.int16), axis=1)", "int64", [0, 0]),
    ("tf.argmax(c([[-3, -1, 100], [2, 7, 50]], tf.int32), axis=1)", "int64", [2, 2]),
    ("tf.argmin(c([[-3, -1, 100], [2, 7, 50]], tf.int32), axis=1)", "int64", [0, 0]),
    ("tf.argmax(c([[-3, -1, 100], [2, 7, 50]], tf.int64), axis=1)", "int64", [2, 2]),
    ("tf.argmin(c([[-3, -1, 100], [2, 7, 50]], tf.int64), axis=1)", "int64", [0, 0]),
    ("tf.argmax(c([[3, 1, 100], [2, 7, 50]], tf.uint8), axis=1)", "int64", [2, 2]),
    ("tf.argmin(c([[3, 1, 100], [2, 7, 50]], tf.uint8), axis=1)", "int64", [1, 0]),
    ("tf.argmax(c([[3, 1, 100], [2, 7, 50]], tf.uint16), axis=1)", "int64", [2, 2]),
    ("tf.argmin(c([[3, 1, 100], [2, 7, 50]], tf.uint16), axis=1)", "int64", [1, 0]),
    ("tf.argmax(c([[3, 1, 100], [2, 7, 50]], tf.uint32), axis=1)", "int64", [2, 2]),
    ("tf.argmin(c([[3, 1, 100], [2, 7, 50]], tf.uint32), axis=1)", "int64", [1, 0]),
    ("tf.argmax(c([[3, 1, 100], [2, 7, 50]], tf.uint64), axis=1)", "int64", [2, 2]),
    ("tf.argmin(c([[3, 1, 100], [2, 7, 50]], tf.uint64), axis=1)", "int64", [1, 0]),
]

ERRORS = [
    (
        "tf.argmax(c([[1, 5, 5], [0, -1, 2]]), axis=2)",
        "eager",
        "InvalidArgumentError",
        "Expected dimension in the range [-2, 2), but got 2",
    ),
    (
        "tf.argmax(c([[1, 5, 5], [0, -1, 2]]), axis=2)",
        "function",
        "ValueError",
        "Dimension (2) must be in the range [-2, 2), where 2 is the n",
    ),
    (
        "tf.argmax(c([[1, 5, 5], [0, -1, 2]]), axis=-3)",
        "eager",
        "InvalidArgumentError",
        "Expected dimension in the range [-2, 2), but got -3",
    ),
    (
        "tf.argmax(c([[1, 5, 5], [0, -1, 2]]), axis=-3)",
        "function",
        "ValueError",
        "Dimension (-3) must be in the range [-2, 2), where 2 is the",
    ),
    ("tf.argmax(c(5))", "eager", "InvalidArgumentError", "Expected dimension in the range [0, 0), but got 0"),
    ("tf.argmax(c(5))", "function", "InvalidArgumentError", "Expected dimension in the range [0, 0), but got 0"),
    ("tf.argmax(c([1, 2]), axis=[0])", "eager", "TypeError", "axis must be int or Tensor with integer datatype"),
    ("tf.argmax(c([1, 2]), axis=[0])", "function", "TypeError", "axis must be int or Tensor with integer datatype"),
    ("tf.argmax(tf.zeros([0]))", "eager", "InvalidArgumentError", "Reduction axis 0 is empty in shape [0]"),
    ("tf.argmax(tf.zeros([0]))", "function", "InvalidArgumentError", "Reduction axis 0 is empty in shape [0]"),
    (
        "tf.argmax(tf.zeros([0, 3]), axis=0)",
        "eager",
        "InvalidArgumentError",
        "Reduction axis 0 is empty in shape [0,3]",
    ),
    (
        "tf.argmax(tf.zeros([0, 3]), axis=0)",
        "function",
        "InvalidArgumentError",
        "Reduction axis 0 is empty in shape [0,3]",
    ),
    (
        "tf.argmax(c(['a']))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of string is not in the list of allowed v",
    ),
    ("tf.argmax(c(['a']))", "function", "TypeError", "Value passed to parameter 'input' has DataType string not in"),
    (
        "tf.math.in_top_k([1, 0], [[0.1, 0.9]], 1)",
        "eager",
        "InvalidArgumentError",
        "First dimension of predictions 1 must match length of target",
    ),
    (
        "tf.math.in_top_k([1, 0], [[0.1, 0.9]], 1)",
        "function",
        "ValueError",
        "Dimensions must be equal, but are 1 and 2",
    ),
    ("tf.math.in_top_k([1], [0.1, 0.9], 1)", "eager", "InvalidArgumentError", "predictions must be 2-dimensional"),
    ("tf.math.in_top_k([1], [0.1, 0.9], 1)", "function", "ValueError", "Shape must be rank 2 but is rank 1"),
    ("tf.math.in_top_k([[1]], [[0.1, 0.9]], 1)", "eager", "InvalidArgumentError", "targets must be 1-dimensional"),
    ("tf.math.in_top_k([[1]], [[0.1, 0.9]], 1)", "function", "ValueError", "Shape must be rank 1 but is rank 2"),
    ("tf.argmax([])", "eager", "InvalidArgumentError", "Reduction axis 0 is empty in shape [0]"),
    ("tf.argmax([])", "function", "InvalidArgumentError", "Reduction axis 0 is empty in shape [0]"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "dtype", "expected"), ANSWERS, ids=str)
def test_values_are_those_of_tensorflow(program: str, dtype: str, expected: Any, mode: str) -> None:
    check_value(program, mode, dtype, expected)


@pytest.mark.parametrize(("program", "mode", "kind", "message"), ERRORS, ids=str)
def test_wrong_input_gives_tensorflows_error(program: str, mode: str, kind: str, message: str) -> None:
    check_error(program, mode, kind, message)


def test_nan_is_never_an_extreme() -> None:
    assert tf.argmax([np.nan, 1.0, 2.0]).numpy() == 2
    assert tf.argmin([1.0, np.nan, 0.0]).numpy() == 2


def test_the_first_of_equal_elements_wins() -> None:
    assert tf.argmax([1, 5, 5]).numpy() == 1


@pytest.mark.parametrize("shape", [(7, 300), (7, 1, 300), (3, 5, 20, 20), (400,)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int8, np.float16, np.bool_])
def test_the_first_extreme_is_found_along_every_axis(dtype: Any, shape: Any) -> None:
    x = np.random.default_rng(0).integers(-1, 3, shape).astype(dtype)
    for axis in range(-len(shape), len(shape)):
        np.testing.assert_array_equal(tf.argmax(x, axis), np.argmax(x, axis))
        np.testing.assert_array_equal(tf.argmin(x, axis), np.argmin(x, axis))


@pytest.mark.parametrize("dtype", [tf.float32, tf.float16, tf.bfloat16])
@pytest.mark.parametrize("axis", [0, 1])
def test_nan_is_no_extreme_of_many(dtype: Any, axis: int) -> None:
    x = np.random.default_rng(0).standard_normal((300, 300)).astype(np.float32)
    x[0, 5], x[7, 0], x[9, 9] = np.nan, np.nan, -np.nan
    x[:, 20], x[20] = np.nan, np.nan
    tensor = tf.cast(x, dtype)
    clean = np.where(np.isnan(x), -np.inf, tf.cast(tensor, tf.float32))
    np.testing.assert_array_equal(tf.argmax(tensor, axis), np.argmax(clean, axis))
    np.testing.assert_array_equal(tf.argmin(tensor, axis), np.argmin(-np.where(np.isnan(x), -np.inf, -clean), axis))


@pytest.mark.parametrize("k", [-1, 0, 1, 5, 200, 999, 1000, 2000])
@pytest.mark.parametrize("kind", ["random", "ties", "special", "accurate"])
def test_in_top_k_of_many_classes_counts_the_better_ones(kind: str, k: int) -> None:
    rng = np.random.default_rng(0)
    predictions = rng.normal(size=(50, 1000)).astype(np.float32)
    targets = rng.integers(-1, 1002, 50)
    if kind == "ties":
        predictions = np.round(predictions)
    elif kind == "special":
        rows, columns = rng.integers(0, 50, 30), rng.integers(0, 1000, 30)
        predictions[rows, columns] = rng.choice(np.float32([np.nan, np.inf, -np.inf]), 30)
        targets[:10] = columns[:10]
    elif kind == "accurate":
        targets = predictions.argmax(axis=1)
    result = tf.math.in_top_k(targets, predictions, k).numpy()
    parts = [tf.math.in_top_k(targets[i : i + 1], predictions[i : i + 1], k).numpy()[0] for i in range(50)]
    assert result.tolist() == parts
    in_columns = np.asfortranarray(predictions)
    assert tf.math.in_top_k(targets, in_columns, k).numpy().tolist() == parts


def test_in_top_k_is_right_for_every_row() -> None:
    predictions = np.random.default_rng(0).normal(size=(3000, 60)).astype(np.float32)
    targets = np.arange(3000) % 60
    wanted = [list(row[::-1]).index(t) < 7 for row, t in zip(predictions.argsort(axis=1), targets, strict=True)]
    assert tf.math.in_top_k(targets, predictions, 7).numpy().tolist() == wanted


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(7, 5), (300, 40), (300, 41), (60, 400)])
def test_in_top_k_of_numbers_that_are_not_finite(shape: tuple[int, int], order: Any) -> None:
    rng = np.random.default_rng(0)
    rows, classes = shape
    predictions = np.asarray(rng.choice([-1.0, 0.0, 0.5, 2.0], shape), np.float32, order=order)
    special = rng.choice(np.float32([np.nan, np.inf, -np.inf, 1.0]), rows)
    predictions[np.arange(rows), rng.integers(0, classes, rows)] = special
    targets = rng.integers(-1, classes + 1, rows)
    expected = []
    for row, target in zip(predictions, targets, strict=True):
        score = row[target] if 0 <= target < classes else np.float32(np.nan)
        better = row[~(row <= score)]
        expected.append(bool(np.isfinite(score) and np.isfinite(better).all() and len(better) < 3))
    assert tf.math.in_top_k(targets, predictions, 3).numpy().tolist() == expected
