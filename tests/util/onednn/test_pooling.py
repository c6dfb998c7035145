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
