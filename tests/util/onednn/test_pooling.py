"""Pools by oneDNN; that they are NumPy's, `tests/ops/nn/test_pool_kernels.py` shows."""

from __future__ import annotations

import numpy as np
import pytest

from millrace._src.util.onednn import library, pooling
from millrace._src.util.onednn.pooling import Pool, bind_pooling, largest_gradient, mean_gradient

POOL = Pool((2, 4, 4, 16), (2, 2), (2, 2), (0, 0), (2, 2), "float32", is_mean=False)


@pytest.mark.parametrize("pool", [POOL._replace(dtype="int32"), POOL._replace(images=(0, 4, 4, 16))])
def test_what_the_library_cannot_do_is_no_error(pool: Pool) -> None:
    assert bind_pooling(pool) is mean_gradient(pool) is largest_gradient(pool) is None


@pytest.mark.skipif(library.load() is None, reason="oneDNN is not installed")
def test_a_gradient_goes_to_the_first_of_equal_elements() -> None:
    function = largest_gradient(POOL)
    assert function is not None
    x, y = np.zeros(POOL.images, np.float32), np.zeros(POOL.results, np.float32)
    gradient = function(x, y, np.ones_like(y))
    assert gradient[:, ::2, ::2].all()
    assert gradient.sum() == y.size


@pytest.mark.skipif(library.load() is None, reason="oneDNN is not installed")
def test_other_largest_elements_are_left_to_the_caller() -> None:
    function = largest_gradient(POOL)
    assert function is not None
    x = np.full(POOL.images, np.nan, np.float32)
    y = np.full(POOL.results, np.nan, np.float32)
    assert function(x, y, y) is None


def test_the_calculations_that_are_kept_are_bounded() -> None:
    assert pooling._calculations.cache_info().maxsize == pooling._MAX_CALCULATIONS


@pytest.mark.skipif(library.load() is None, reason="oneDNN is not installed")
@pytest.mark.parametrize("value", [np.nan, -np.inf])
def test_a_nan_or_a_window_of_minus_infinity_is_no_result(value: float) -> None:
    pool = Pool((2, 32, 32, 16), (2, 2), (2, 2), (0, 0), (16, 16), "float32", False)
    function = bind_pooling(pool)
    assert function is not None
    images = np.random.default_rng(0).normal(size=pool.images).astype(np.float32)
    images[0, 0, 0, 0] = -np.inf
    assert function(images) is not None
    images[1, 4:6, 6:8, 3] = value
    assert function(images) is None


@pytest.mark.skipif(library.load() is None, reason="oneDNN is not installed")
def test_the_gradient_takes_the_selection_of_the_very_arrays_while_they_are_there() -> None:
    pool = Pool((2, 32, 32, 16), (2, 2), (2, 2), (0, 0), (16, 16), "float32", False)
    function, gradient = bind_pooling(pool), largest_gradient(pool)
    assert function is not None
    assert gradient is not None
    random = np.random.default_rng(0)
    images, dy = (random.normal(size=s).astype(np.float32) for s in (pool.images, pool.results))
    before = len(pooling._selections)
    results = function(images)
    assert len(pooling._selections) == before + 1
    expected = gradient(images.copy(), results.copy(), dy)
    np.testing.assert_array_equal(gradient(images, results, dy), expected)
    np.testing.assert_array_equal(gradient(images.copy(), results, dy), expected)
    assert gradient(images[::-1].copy(), results, dy) is None
    del results
    assert len(pooling._selections) == before
