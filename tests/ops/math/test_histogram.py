"""Histograms and counts."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_value
from tests.ops.math.samples import numbers

SAMPLES = [
    *(
        Sample("HistogramFixedWidth", (numbers(d, (4, 3), -3, 9), np.array([-1, 5], d), np.int32(4)), {"dtype": t})
        for d in ("int32", "int64", "float32", "float64")
        for t in (tf.int32, tf.int64)
    ),
    *(
        Sample("DenseBincount", (numbers(i, shape, 0, 5), np.array(4, i), numbers(w, shape)), {"binary_output": b})
        for i, w, shape, b in (
            ("int32", "int32", (5,), False),
            ("int64", "float32", (2, 3), False),
            ("int32", "float64", (2, 3), True),
            ("int32", "int64", (0,), False),
        )
    ),
    Sample("DenseBincount", (np.int32([1, 1, 7]), np.int32(3), np.float32([]))),
    Sample("Bucketize", (numbers("float64", (2, 3), -2, 9),), {"boundaries": [0.0, 1.5, 6.0]}),
    Sample("Bucketize", (np.int32([1, 2, 3]),), {"boundaries": [2.0]}),
    Sample("Bincount", (np.int32([[1, 1], [2, 9]]), np.int32(3), np.float32([]))),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.histogram_fixed_width([-1., 0., 1.5, 2., 5., 15.], [0., 5.], nbins=5)", "int32", [2, 1, 1, 0, 2]),
    ("tf.histogram_fixed_width([-1, 0, 1, 2, 5, 15], [0, 5], nbins=5)", "int32", [2, 1, 1, 0, 2]),
    ("tf.histogram_fixed_width_bins([-1., 0., 1.5, 2., 5., 15.], [0., 5.], nbins=5)", "int32", [0, 0, 1, 2, 4, 4]),
    ("tf.histogram_fixed_width_bins([1.], [0., 5.], nbins=5, dtype=tf.int64)", "int32", [1]),
    ("tf.math.bincount([1, 1, 2, 5])", "int32", [0, 2, 1, 0, 0, 1]),
    ("tf.math.bincount([])", "int32", []),
    ("tf.math.bincount([[1, 1], [2, 5]])", "int32", [0, 2, 1, 0, 0, 1]),
    ("tf.math.bincount([1, 1, 2, 5], minlength=10)", "int32", [0, 2, 1, 0, 0, 1, 0, 0, 0, 0]),
    ("tf.math.bincount([1, 1, 2, 5], maxlength=3)", "int32", [0, 2, 1]),
    ("tf.math.bincount([1, 1, 2, 5], weights=[1, 2, 3, 4])", "int32", [0, 3, 3, 0, 0, 4]),
    ("tf.math.bincount([1, 1, 2, 5], weights=[1., 2, 3, 4.])", "float32", [0.0, 3.0, 3.0, 0.0, 0.0, 4.0]),
    ("tf.math.bincount([1, 1, 2, 5], dtype=tf.float32, binary_output=True)", "float32", [0.0, 1.0, 1.0, 0.0, 0.0, 1.0]),
    ("tf.math.bincount([[1, 1], [2, 5]], axis=-1)", "int32", [[0, 2, 0, 0, 0, 0], [0, 0, 1, 0, 0, 1]]),
    ("tf.math.bincount([[1, 1], [2, 5]], axis=0)", "int32", [0, 2, 1, 0, 0, 1]),
    (
        "tf.math.bincount([[1, 1], [2, 5]], axis=-1, binary_output=True)",
        "int32",
        [[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 1]],
    ),
    (
        "tf.math.bincount([[1, 1], [2, 5]], axis=-1, weights=[[1., 2], [3, 4]])",
        "float32",
        [[0.0, 3.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0, 0.0, 4.0]],
    ),
    ("tf.math.bincount(c([1., 2.]))", "int32", [0, 1, 1]),
    ("tf.math.bincount([1, 2], minlength=5, maxlength=3)", "int32", [0, 1, 1]),
    ("tf.math.bincount(c([1, 2], tf.int64))", "int32", [0, 1, 1]),
    ("tf.raw_ops.Bincount(arr=[1, 1, 2], size=4, weights=[])", "float32", [0.0, 2.0, 1.0, 0.0]),
    ("tf.raw_ops.Bincount(arr=[1, 1, 7], size=4, weights=[1, 2, 3])", "int32", [0, 3, 0, 0]),
    ("tf.raw_ops.DenseBincount(input=[1, 5], size=3, weights=c([], tf.int32))", "int32", [0, 1, 0]),
    (
        "tf.histogram_fixed_width(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), c([-1., 2.], tf.float32), nbins=4)",
        "int32",
        [2, 1, 1, 2],
    ),
    (
        "tf.histogram_fixed_width(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), c([-1., 2.], tf.float64), nbins=4)",
        "int32",
        [2, 1, 1, 2],
    ),
]

ERRORS = [
    (
        "tf.histogram_fixed_width([1.], [5., 5.], nbins=5)",
        "eager",
        "InvalidArgumentError",
        "value_range should satisfy value_range[0] < value_range[1],",
    ),
    (
        "tf.histogram_fixed_width([1.], [5., 5.], nbins=5)",
        "function",
        "InvalidArgumentError",
        "value_range should satisfy value_range[0] < value_range[1],",
    ),
    (
        "tf.histogram_fixed_width([1.], [5., 0.], nbins=5)",
        "eager",
        "InvalidArgumentError",
        "value_range should satisfy value_range[0] < value_range[1],",
    ),
    (
        "tf.histogram_fixed_width([1.], [5., 0.], nbins=5)",
        "function",
        "InvalidArgumentError",
        "value_range should satisfy value_range[0] < value_range[1],",
    ),
    (
        "tf.histogram_fixed_width([1.], [0., 5.], nbins=0)",
        "eager",
        "InvalidArgumentError",
        "nbins should be a positive number, but got '0'",
    ),
    (
        "tf.histogram_fixed_width([1.], [0., 5., 6.], nbins=1)",
        "eager",
        "InvalidArgumentError",
        "value_range should be a vector of 2 elements.",
    ),
    ("tf.histogram_fixed_width([1.], [0., 5., 6.], nbins=1)", "function", "ValueError", "Dimension must be 2 but is 3"),
    (
        "tf.histogram_fixed_width([np.nan, 1.], [0., 5.], nbins=2)",
        "eager",
        "InvalidArgumentError",
        "Histogram values must not contain NaN",
    ),
    (
        "tf.histogram_fixed_width([np.nan, 1.], [0., 5.], nbins=2)",
        "function",
        "InvalidArgumentError",
        "Histogram values must not contain NaN",
    ),
    ("tf.math.bincount([1, -1, 2, 5])", "function", "InvalidArgumentError", "Input arr must be non-negative!"),
    (
        "tf.math.bincount([1, 1, 2, 5], weights=[1., 2, 3])",
        "eager",
        "InvalidArgumentError",
        "`weights` must be the same shape as `arr` or a length-0 `Ten",
    ),
    (
        "tf.math.bincount([1, 1, 2, 5], weights=[1., 2, 3])",
        "function",
        "InvalidArgumentError",
        "`weights` must be the same shape as `arr` or a length-0 `Ten",
    ),
    (
        "tf.math.bincount([[1, 1], [2, 5]], axis=1)",
        "eager",
        "ValueError",
        "Unsupported value for argument axis=1. Only 0 and -1 are cur",
    ),
    (
        "tf.math.bincount([1, 1, 2, 5], weights=[1, 2, 3, 4], binary_output=True)",
        "eager",
        "ValueError",
        "Arguments `binary_output` and `weights` are mutually exclusi",
    ),
    (
        "tf.math.bincount([1, 1, 2, 5], weights=[1, 2, 3, 4], binary_output=True)",
        "function",
        "ValueError",
        "Arguments `binary_output` and `weights` are mutually exclusi",
    ),
    (
        "tf.math.bincount([[[1]]], axis=-1)",
        "eager",
        "InvalidArgumentError",
        "Shape must be at most rank 2 but is rank 3",
    ),
    ("tf.math.bincount([[[1]]], axis=-1)", "function", "ValueError", "Shape must be at most rank 2 but is rank 3"),
    (
        "tf.math.bincount(c([1, 2], tf.uint8))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'Tidx' of uint8 is not in the list of allowed",
    ),
    (
        "tf.raw_ops.DenseBincount(input=[1, 5], size=-3, weights=c([], tf.int32))",
        "eager",
        "InvalidArgumentError",
        "size (-3) must be non-negative",
    ),
    (
        "tf.raw_ops.DenseBincount(input=[1, 5], size=-3, weights=c([], tf.int32))",
        "function",
        "ValueError",
        "size (-3) must be non-negative",
    ),
    (
        "tf.raw_ops.Bincount(arr=[1, -5], size=3, weights=c([], tf.int32))",
        "eager",
        "InvalidArgumentError",
        "Input arr must be non-negative!",
    ),
    (
        "tf.raw_ops.Bincount(arr=[1, -5], size=3, weights=c([], tf.int32))",
        "function",
        "InvalidArgumentError",
        "Input arr must be non-negative!",
    ),
    (
        "tf.raw_ops.Bincount(arr=[1, 5], size=-3, weights=c([], tf.int32))",
        "function",
        "ValueError",
        "size (-3) must be non-negative",
    ),
    (
        "tf.raw_ops.HistogramFixedWidth(values=[1., 2.], value_range=[0., 2.], nbins=c([3]))",
        "eager",
        "InvalidArgumentError",
        "nbins should be a scalar.",
    ),
    (
        "tf.raw_ops.HistogramFixedWidth(values=[1., 2.], value_range=[0., 2.], nbins=c([3]))",
        "function",
        "ValueError",
        "Shape must be rank 0 but is rank 1",
    ),
    (
        "tf.math.bincount([1, 2], weights=[1.])",
        "eager",
        "InvalidArgumentError",
        "`weights` must be the same shape as `arr` or a length-0 `Ten",
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "dtype", "expected"), ANSWERS, ids=str)
def test_values_are_those_of_tensorflow(program: str, dtype: str, expected: Any, mode: str) -> None:
    check_value(program, mode, dtype, expected)


@pytest.mark.parametrize(("program", "mode", "kind", "message"), ERRORS, ids=str)
def test_wrong_input_gives_tensorflows_error(program: str, mode: str, kind: str, message: str) -> None:
    check_error(program, mode, kind, message)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("size", [0, 1, 1 << 14, 40_001])
def test_blocks_of_values_are_counted_as_whole_arrays_are(dtype: str, size: int) -> None:
    values = (np.random.default_rng(0).standard_normal(size) * 7).astype(dtype)
    low, high = np.array([-3, 4], dtype)
    bins = np.floor((values.astype(float) - float(low)) / ((float(high) - float(low)) / 9))
    expected = np.bincount(np.clip(bins, 0, 8).astype(int), minlength=9)
    assert tf.histogram_fixed_width(values, [low, high], 9).numpy().tolist() == expected.tolist()


@pytest.mark.parametrize("bins", [1, 7, 128, 129, 9000])
def test_many_numbers_are_counted_as_one_by_one(bins: int) -> None:
    values = np.random.default_rng(bins).normal(size=200_001).astype(np.float32)
    index = np.clip(np.floor((values.astype(np.float64) + 2) / (4 / bins)), 0, bins - 1).astype(np.int64)
    expected = np.bincount(index, minlength=bins)
    np.testing.assert_array_equal(tf.histogram_fixed_width(values, [-2.0, 2.0], bins), expected)
    np.testing.assert_array_equal(tf.math.bincount(index), expected)
    np.testing.assert_array_equal(tf.math.bincount(index, minlength=bins + 3, maxlength=bins + 3)[:bins], expected)
    np.testing.assert_array_equal(tf.math.bincount(index, maxlength=bins // 2 + 1), expected[: bins // 2 + 1])


def test_infinities_and_negative_zero_have_bins() -> None:
    values = np.float32([-np.inf, np.inf, -0.0, 0.0, -1e-30, 3.5])
    assert tf.histogram_fixed_width(values, [0.0, 4.0], 4).numpy().tolist() == [4, 0, 0, 2]


def test_boundaries_of_buckets_must_be_sorted() -> None:
    assert tf.raw_ops.Bucketize(input=[-5.0, 0.0, 150.0], boundaries=[0.0, 100.0]).numpy().tolist() == [0, 1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected sorted boundaries"):
        tf.raw_ops.Bucketize(input=[1], boundaries=[2.0, 1.0])
