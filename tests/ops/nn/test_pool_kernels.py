"""Every implementation of pools gives the same, to the bit where nothing is added up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from millrace._src.core.dtypes import as_dtype
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.nn import avg_pool_ops, max_pool_ops, pool_kernels
from millrace._src.ops.nn.pool_windows import pool_windows
from millrace._src.util.onednn import pooling
from millrace._src.util.thread_pool import set_thread_count

CHOICES = (
    max_pool_ops.LARGEST,
    max_pool_ops.LARGEST_GRADIENT,
    avg_pool_ops.MEANS,
    avg_pool_ops.MEANS_GRADIENT,
)


def results(implementation: str, x: Any, windows: Any) -> list[Any]:
    """Returns pools and gradients, computed by one implementation; the gradients of the pools are the pools."""
    with ExitStack() as stack:
        for kernel in CHOICES:
            stack.enter_context(kernel.pin(implementation))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(pool_kernels, "_SMALL", 0)
        largest = max_pool_ops.max_pool(xp, x, windows)
        means = avg_pool_ops._avg_pool(xp, x, windows)
        return [
            largest,
            max_pool_ops._to_largest(xp, x, largest, largest, windows),
            means,
            avg_pool_ops._avg_pool_gradient(xp, means, windows),
        ]


def check(x: Any, windows: Any, error: float = 1e-5) -> None:
    for one, other in zip(results("onednn", x, windows), results("numpy", x, windows), strict=True):
        assert one.shape == other.shape
        assert one.dtype == other.dtype == x.dtype
        np.testing.assert_allclose(one.astype(np.float64), other.astype(np.float64), rtol=error, atol=error)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_every_implementation_gives_the_same(data: st.DataObject) -> None:
    rank = data.draw(st.integers(2, 3))
    sizes = tuple(data.draw(st.integers(3, 9)) for _ in range(rank))
    kernel = tuple(data.draw(st.integers(1, 3)) for _ in range(rank))
    strides = tuple(data.draw(st.integers(1, 3)) for _ in range(rank))
    padding = data.draw(st.sampled_from(["SAME", "VALID"]))
    first = data.draw(st.booleans())
    batch, channels = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 20))
    dtype = data.draw(st.sampled_from(["float32", "float64", "bfloat16", "float16"]))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    data_format = ("NCDHW" if first else "NDHWC")[: 2 if first else 1] + "DHW"[3 - rank :] + ("" if first else "C")
    shape = (batch, channels, *sizes) if first else (batch, *sizes, channels)
    around = [(1, 1, *v) if first else (1, *v, 1) for v in (kernel, strides)]
    windows = pool_windows(shape, *around, padding, data_format)
    x = rng.integers(-4, 4, shape).astype(as_dtype(dtype).np_dtype)  # small numbers: many are equal
    check(x, windows, 0.02 if dtype.endswith("16") else 1e-5)


@pytest.mark.parametrize("value", [np.nan, -np.inf, np.inf])
def test_numbers_that_are_not_finite_are_treated_alike(value: float) -> None:
    windows = pool_windows((2, 6, 6, 16), (1, 2, 2, 1), (1, 2, 2, 1), "VALID", "NHWC")
    x = np.random.default_rng(0).normal(size=(2, 6, 6, 16)).astype(np.float32)
    x[0, 2:4, 2:4] = value
    x[1, 0, 0] = value
    for one, other in zip(results("onednn", x, windows)[:2], results("numpy", x, windows)[:2], strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_output_that_is_not_the_pools_decides_where_the_gradient_goes() -> None:
    windows = pool_windows((2, 4, 4, 16), (1, 2, 2, 1), (1, 2, 2, 1), "VALID", "NHWC")
    x = np.arange(512, dtype=np.float32).reshape(2, 4, 4, 16)
    y = x[:, ::2, ::2]  # the first elements, which are the least
    key = pool_kernels.pooling_of(x.shape, windows, x)
    with max_pool_ops.LARGEST_GRADIENT.pin("onednn"):
        gradient = max_pool_ops.LARGEST_GRADIENT(key, xp, x, y, np.ones_like(y))
    np.testing.assert_array_equal(gradient[:, ::2, ::2], np.ones_like(y))
    assert gradient.sum() == y.size


def test_windows_over_channels_are_windows_as_others() -> None:
    windows = pool_windows((2, 4, 4, 16), (1, 1, 1, 4), (1, 1, 1, 4), "VALID", "NHWC")
    x = np.random.default_rng(0).normal(size=(2, 4, 4, 16)).astype(np.float32)
    key = pool_kernels.pooling_of(x.shape, windows, x)
    for implementation in ("onednn", "numpy"):
        with max_pool_ops.LARGEST.pin(implementation):
            np.testing.assert_array_equal(max_pool_ops.LARGEST(key, xp, x), x.reshape(2, 4, 4, 4, 4).max(-1))


@pytest.fixture
def three_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(pooling, "_WORTH_SHARING", 0)
    set_thread_count(3)
    yield
    set_thread_count(0)


def test_threads_share_the_images(three_threads: None) -> None:
    windows = pool_windows((7, 8, 8, 16), (1, 3, 3, 1), (1, 2, 2, 1), "SAME", "NHWC")
    check(np.random.default_rng(0).normal(size=(7, 8, 8, 16)).astype(np.float32), windows)


def test_small_pools_are_not_measured() -> None:
    windows = pool_windows((2, 4, 4, 16), (1, 2, 2, 1), (1, 2, 2, 1), "VALID", "NHWC")
    x = np.ones((2, 4, 4, 16), np.float32)
    max_pool_ops.max_pool(xp, x, windows)
    assert pool_kernels.pooling_of(x.shape, windows, x) not in max_pool_ops.LARGEST._works


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("count", [0, 1, 7])
def test_blocks_of_images_give_what_all_images_give(count: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_kernels, "_BLOCK", 100)
    monkeypatch.setattr(pool_kernels, "_WORTH_SHARING", 0)
    a, b = (np.random.default_rng(seed).normal(size=(count, 3, 15)) for seed in range(2))
    set_thread_count(threads)
    try:
        np.testing.assert_array_equal(pool_kernels.by_images(np.multiply, a, b), a * b)
    finally:
        set_thread_count(0)
