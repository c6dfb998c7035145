"""The kernels of softmax."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.nn.softmax_kernels import FEWEST, SOFTMAX, SoftmaxShape
from millrace._src.util.onednn.softmax import softmax as library_softmax

SHAPES = [(600, 1024), (1000, 100), (FEWEST // 32, 32), (2, 1 << 18), (3, 1 << 19), (FEWEST // 4, 4), (1, FEWEST)]


def softmax(x: Any) -> Any:
    x = x.astype(np.float64)
    with np.errstate(all="ignore"):
        exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
        return exponentials / exponentials.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("kernel", ["numpy", "onednn"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("scale", [1, 60])
def test_every_kernel_gives_softmax(shape: Any, scale: float, kernel: str) -> None:
    x = (np.random.default_rng(0).normal(size=shape) * scale).astype(np.float32)
    with SOFTMAX.pin(kernel):
        np.testing.assert_allclose(tf.nn.softmax(x).numpy(), softmax(x), rtol=5e-6, atol=1e-37)


@pytest.mark.parametrize("kernel", ["numpy", "onednn"])
def test_infinities_and_nan_spoil_whole_rows(kernel: str) -> None:
    x = np.random.default_rng(0).normal(size=(700, 256)).astype(np.float32)
    x[0], x[1, 3], x[2, 4], x[3, :200], x[4], x[5, 7] = -np.inf, np.nan, np.inf, -np.inf, 3e38, -np.inf
    with SOFTMAX.pin(kernel), np.errstate(all="ignore"):
        result = tf.nn.softmax(x).numpy()
    np.testing.assert_array_equal(np.isnan(result).all(axis=1), np.arange(700) < 3)
    np.testing.assert_allclose(result, softmax(x), rtol=5e-6)


@pytest.mark.parametrize("kernel", ["numpy", "onednn"])
def test_other_axes_dtypes_and_orders_are_taken(kernel: str) -> None:
    x = np.random.default_rng(0).normal(size=(40, 50, 60)).astype(np.float32)
    with SOFTMAX.pin(kernel):
        turned = softmax(x.transpose(0, 2, 1)).transpose(0, 2, 1)
        np.testing.assert_allclose(tf.nn.softmax(x, axis=1).numpy(), turned, rtol=5e-6)
        np.testing.assert_allclose(tf.nn.softmax(x.T).numpy(), softmax(x.T), rtol=5e-6)
        np.testing.assert_allclose(tf.nn.softmax(x.astype(np.float64)).numpy(), softmax(x), rtol=1e-6)
        half = x.astype(np.float16)
        np.testing.assert_allclose(tf.nn.softmax(half).numpy(), softmax(half), rtol=2e-3, atol=1e-7)


def test_short_rows_stay_with_numpy() -> None:
    x = np.ones((FEWEST // 4, 4), np.float32)
    with SOFTMAX.pin("onednn"):
        tf.nn.softmax(x)
        assert SOFTMAX.winner(SoftmaxShape(*x.shape)) == "numpy"
        tf.nn.softmax(x.reshape(-1, 1024))
        assert SOFTMAX.winner(SoftmaxShape(FEWEST // 1024, 1024)) == (
            "numpy" if library_softmax(64, 1024) is None else "onednn"
        )
