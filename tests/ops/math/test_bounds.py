"""Bounding arrays by numbers: the same in blocks, by integers, and as NumPy does it."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.math.bounds import clamp, positive_parts, without_negatives

SIZES = [0, 5, 3000, 1 << 13, 70_001]
FLOATS = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]


def numbers(size: int, dtype: Any, *, with_nan: bool = True) -> Any:
    values = np.random.default_rng(size).integers(-9, 9, size).astype(dtype)
    values[:4] = np.array([-0.0, np.inf, -np.inf, 0.0])[: min(size, 4)]
    if with_nan:
        values[-2:] = np.array([np.nan, -np.nan]).astype(dtype)[: min(size, 2)]
    return values


def assert_equal(result: Any, expected: Any) -> None:
    """Compares as float64: NumPy knows no NaN of other types than its own."""
    assert np.asarray(result).dtype == expected.dtype
    np.testing.assert_array_equal(np.asarray(result).astype(float), expected.astype(float))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("low", "high"), [(-2, None), (None, 3), (-2, 3), (3, -2)])
def test_large_arrays_are_bounded_as_small_ones(dtype: Any, size: int, low: Any, high: Any) -> None:
    x = numbers(size, dtype)
    low_array, high_array = (None if limit is None else np.array(limit, dtype) for limit in (low, high))
    expected = x if high is None else np.minimum(x, high_array)
    expected = expected if low is None else np.maximum(expected, low_array)
    assert_equal(clamp(xp, x, low_array, high_array), expected)
    table = np.stack([x, x], axis=1)[:, :1]
    assert_equal(clamp(xp, table, low_array, high_array)[:, 0], expected)


@pytest.mark.parametrize("with_nan", [False, True])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", [*FLOATS, np.int8, np.int32])
def test_relu_of_large_arrays_keeps_nan_and_loses_negatives(dtype: Any, size: int, with_nan: bool) -> None:
    is_float = dtype not in (np.int8, np.int32)
    x = numbers(size, dtype, with_nan=with_nan) if is_float else np.resize(np.arange(-9, 9, dtype=dtype), size)
    assert_equal(without_negatives(xp, x), np.maximum(x, np.zeros((), dtype)))
    assert_equal(tf.nn.relu(x), np.maximum(x, np.zeros((), dtype)))
    assert_equal(tf.nn.relu(x.reshape(-1, 1)[:, ::-1]).numpy()[:, 0], np.maximum(x, x.dtype.type(0)))


@pytest.mark.parametrize("shape", [(3, 5), (50, 60), (40, 50, 8), (300, 300)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_positive_parts_have_the_shape_of_the_array_in_any_order_of_axes(dtype: Any, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    for array in (x, x.T, x[::2], np.asfortranarray(x)):
        before = array.copy()
        result = positive_parts(xp, array.dtype)(array)
        np.testing.assert_array_equal(result, np.maximum(array, 0), strict=True)
        result[...] = -1
        np.testing.assert_array_equal(array, before)
