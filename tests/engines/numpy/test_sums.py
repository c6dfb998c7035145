"""Sums in blocks: any axes, any order of memory, and an error that does not grow with the number of rows."""

from __future__ import annotations

import itertools
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.numpy.namespace import xp
from millrace._src.engines.numpy.sums import is_summed_in_blocks, sum_over

SHAPES = [(12, 28, 8, 32), (3, 5, 70, 513), (2, 17, 1025), (4097, 2), (1, 5000), (5000, 1), (2, 3, 4, 5, 6, 7)]


def _array(*shape: int, dtype: str = "float32") -> np.ndarray:
    return np.random.RandomState(3).standard_normal(shape).astype(dtype) + 1


def _all_axes(rank: int) -> list[tuple[int, ...]]:
    return [axes for count in range(1, rank + 1) for axes in itertools.combinations(range(rank), count)]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_sums_over_all_axes_are_those_of_float64(shape: tuple[int, ...], keepdims: bool) -> None:
    x = _array(*shape)
    for axes in _all_axes(x.ndim):
        total = sum_over(x, axes, keepdims=keepdims)
        expected = x.sum(axes, dtype=np.float64, keepdims=keepdims)
        assert total.dtype == np.float32
        assert total.shape == expected.shape
        np.testing.assert_allclose(total, expected, atol=6e-7 * np.abs(expected).max(), rtol=0)


@pytest.mark.parametrize("shape", [(70, 1000), (300, 384), (70, 1009), (1, 70_001), (1, 1 << 17), (2, 40_000)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_sums_of_long_rows_are_as_exact_as_those_of_numpy(shape: tuple[int, ...], dtype: str) -> None:
    x = _array(*shape, dtype=dtype)
    exact = x.astype(np.longdouble).sum(-1)
    unit = np.finfo(dtype).eps * np.abs(x).sum(-1).max()
    total = sum_over(x, (1,), keepdims=False)
    assert (total.dtype, total.shape) == (x.dtype, shape[:1])
    assert np.abs(total - exact).max() < unit
    x[0, 5] = np.inf
    assert np.isinf(sum_over(x, (1,), keepdims=False)).tolist() == [True] + [False] * (shape[0] - 1)
    x[0, 7] = np.nan
    assert np.isnan(sum_over(x, (1,), keepdims=False)).tolist() == [True] + [False] * (shape[0] - 1)


@pytest.mark.parametrize("dtype", ["float16", ml_dtypes.bfloat16])
@pytest.mark.parametrize("axis", [0, 1, (0, 1), None])
def test_sums_of_16_bit_floats_are_sums_of_float32_rounded_once(dtype: Any, axis: Any) -> None:
    x = np.random.RandomState(3).standard_normal((300, 384)).astype(dtype)
    total = np.asarray(xp.sum(x, axis=axis, keepdims=True))
    expected = x.astype(np.float64).sum(axis=axis, keepdims=True)
    assert total.dtype == x.dtype
    assert total.shape == expected.shape
    eps = float(ml_dtypes.finfo(dtype).eps)
    np.testing.assert_allclose(total.astype(np.float64), expected, rtol=eps, atol=1e-4)


@pytest.mark.parametrize("permutation", list(itertools.permutations(range(3))))
def test_a_transposed_array_is_summed_in_the_order_of_memory(permutation: tuple[int, ...]) -> None:
    x = _array(10, 40, 33, dtype="float64").transpose(permutation)
    for axes in _all_axes(3):
        backward = tuple(axis - 3 for axis in axes)
        np.testing.assert_allclose(sum_over(x, axes, keepdims=False), x.sum(axes), atol=1e-10)
        np.testing.assert_allclose(sum_over(x, backward, keepdims=True), x.sum(axes, keepdims=True), atol=1e-10)


def test_an_array_with_gaps_is_summed_by_numpy() -> None:
    x = _array(300, 40, dtype="float64")[::2]
    np.testing.assert_array_equal(sum_over(x, (0,), keepdims=False), x.sum(0))


@pytest.mark.parametrize("shape", [(20000, 16), (2000, 600), (3, 9000, 5)])
def test_the_error_of_a_sum_of_rows_is_a_few_roundings(shape: tuple[int, ...]) -> None:
    x = _array(*shape)
    expected = x.sum(-2, dtype=np.float64)
    assert np.abs(xp.sum(x, axis=(x.ndim - 2,)) - expected).max() < 4e-7 * np.abs(expected).max()


def test_a_sum_over_axes_of_size_one_is_an_array_of_its_own() -> None:
    x = _array(1, 70, 1, 70)
    total = sum_over(x, (0, 2), keepdims=False)
    np.testing.assert_array_equal(total, x.reshape(70, 70))
    assert not np.shares_memory(total, x)
    mixed = sum_over(x, (0, 1), keepdims=True)
    np.testing.assert_allclose(mixed, x.sum((0, 1), keepdims=True), rtol=1e-6)


@pytest.mark.parametrize(("axes", "error"), [((2,), ValueError), ((0, 0), ValueError), ((-3,), ValueError)])
def test_axes_are_checked(axes: tuple[int, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        sum_over(_array(100, 100), axes, keepdims=False)


def test_only_many_floats_are_summed_in_blocks() -> None:
    assert is_summed_in_blocks(np.zeros([100, 100], np.float32))
    assert not is_summed_in_blocks(np.zeros([10, 10], np.float32))
    assert not is_summed_in_blocks(np.zeros([100, 100], np.int32))
    assert not is_summed_in_blocks(np.zeros([100, 100], np.float16))


def test_infinities_and_nans_stay_in_their_column() -> None:
    x = np.ones([1000, 16], np.float32)
    x[3, 1], x[999, 2], x[5, 3], x[6, 3] = np.inf, np.nan, np.inf, -np.inf
    total = tf.reduce_sum(x, 0).numpy()
    assert total[1] == np.inf
    assert np.isnan(total[2:4]).all()
    np.testing.assert_array_equal(total[[0, *range(4, 16)]], 1000)


@pytest.mark.parametrize("channels", [3, 32])
def test_the_moments_of_a_large_batch_have_seven_digits(channels: int) -> None:
    x = _array(32, 64, 64, channels) * 2
    ones, nothing = tf.ones([channels]), tf.zeros([channels])
    _, mean, variance, *_ = tf.raw_ops.FusedBatchNormV3(
        x=x, scale=ones, offset=nothing, mean=nothing, variance=nothing, is_training=True
    )
    count = x.size / channels
    np.testing.assert_allclose(mean, x.mean((0, 1, 2), dtype=np.float64), rtol=4e-7)
    np.testing.assert_allclose(variance, x.var((0, 1, 2), dtype=np.float64) * count / (count - 1), rtol=6e-7)
