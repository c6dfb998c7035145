"""Sums of small arrays by products with ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from millrace._src.ops.math.small_sums import by_products

DTYPES = ("float32", "float64", "complex64", "complex128")
AXES = {0: [()], 1: [(0,), (-1,)], 2: [(0,), (1,), (-1,), (-2,), (0, 1), (1, 0)], 3: [(0,), (0, 1, 2), (0, 2)]}
SHAPES = [(), (0,), (1,), (7,), (128,), (129,), (0, 3), (3, 0), (1, 5), (10, 10), (128, 30), (30, 128), (129, 5)]
SHAPES += [(3, 4, 5)]
BY_NUMPY = [((129,), (0,)), ((129, 5), (0,)), ((5, 129), (-1,)), ((3, 4, 5), (0,)), ((64, 65), (0,))]
BY_NUMPY += [((64, 65), (0, 1))]


def _numpy_sum(x: Any, axes: Any, keep_dims: bool) -> Any:
    return np.add.reduce(x, axes, x.dtype, out=..., keepdims=keep_dims)


def _no_sum(x: Any, axes: Any, keep_dims: bool) -> Any:
    raise AssertionError("a small sum was left over")


def _whole_numbers(shape: tuple[int, ...], dtype: str) -> Any:
    """Returns numbers whose sums are exact in every order."""
    return np.random.RandomState(0).randint(-50, 50, shape).astype(dtype)


@pytest.mark.parametrize("keep_dims", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_sums_over_all_axes_are_numpys(shape: tuple[int, ...], dtype: str, keep_dims: bool) -> None:
    x, add = _whole_numbers(shape, dtype), by_products(np.dtype(dtype), _numpy_sum)
    for axes in AXES[len(shape)]:
        total, expected = add(x, axes, keep_dims), _numpy_sum(x, axes, keep_dims)
        assert isinstance(total, np.ndarray) and total.dtype == expected.dtype
        np.testing.assert_array_equal(total, expected, strict=True)


@pytest.mark.parametrize("axes", [(0,), (1,), (-1,), (-2,), (0, 1)])
def test_sums_of_a_small_matrix_are_products(axes: tuple[int, ...]) -> None:
    x = _whole_numbers((10, 12), "float32")
    np.testing.assert_array_equal(by_products(x.dtype, _no_sum)(x, axes, False), x.sum(axes), strict=True)


@pytest.mark.parametrize(("shape", "axes"), BY_NUMPY)
def test_long_sums_and_sums_of_large_or_higher_arrays_are_left_over(shape: Any, axes: Any) -> None:
    with pytest.raises(AssertionError, match="left over"):
        by_products(np.dtype("float32"), _no_sum)(np.ones(shape, "float32"), axes, False)


@pytest.mark.parametrize("axes", [(2,), (-3,), (0, 0)])
def test_axes_that_numpy_refuses_are_refused(axes: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="axis"):
        by_products(np.dtype("float32"), _numpy_sum)(np.ones((2, 2), "float32"), axes, False)


@pytest.mark.parametrize("axis", [0, 1])
def test_nan_and_infinity_stay_in_their_row(axis: int) -> None:
    x = np.ones((3, 4), "float32")
    x[0, 1], x[2, 3] = np.nan, np.inf
    np.testing.assert_array_equal(by_products(x.dtype, _no_sum)(x, (axis,), False), x.sum(axis))


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
def test_transposed_and_sliced_arrays_are_summed(axes: tuple[int, ...]) -> None:
    add = by_products(np.dtype("float64"), _no_sum)
    whole = _whole_numbers((20, 22), "float64")
    for x in (whole[::2, ::2].T, whole[:10, 5:15], np.broadcast_to(whole[:1, :8], (6, 8))):
        np.testing.assert_array_equal(add(x, axes, False), x.sum(axes), strict=True)


def test_a_sum_may_be_written() -> None:
    add = by_products(np.dtype("float32"), _no_sum)
    for axes in ((0,), (1,), (0, 1)):
        total = add(np.ones((1, 1), "float32"), axes, False)
        total += 1
        np.testing.assert_array_equal(total, 2)


def test_sums_of_a_hundred_numbers_are_as_exact_as_numpys() -> None:
    x = np.random.RandomState(1).rand(128, 30).astype("float32")
    add = by_products(x.dtype, _no_sum)
    for matrix, axis in ((x, 0), (x.T.copy(), 1)):
        exact = matrix.astype("float64").sum(axis)
        np.testing.assert_allclose(add(matrix, (axis,), False), exact, rtol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_infinite_numbers_are_added_as_by_numpy(dtype: str) -> None:
    x = np.array([[np.inf, 1.0], [2.0, 3.0]], dtype)
    for axes in AXES[2]:
        total = by_products(x.dtype, _numpy_sum)(x, axes, False)
        np.testing.assert_array_equal(total, _numpy_sum(x, axes, False), strict=True)
