"""Convolutions by oneDNN with post-ops; that they follow the definition, `tests/ops/nn/test_epilogue_ops.py` shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from millrace._src.util import thread_pool
from millrace._src.util.onednn import fused_convolution, library
from millrace._src.util.onednn.convolution import Convolution
from millrace._src.util.onednn.convolution import forward as plain
from millrace._src.util.onednn.fused_convolution import PostOp, forward

SHAPE = Convolution((4, 32, 32, 16), (3, 3, 16, 32), (32, 32), (1, 1), (1, 1), (1, 1), "float32")
BIAS, RELU, RELU6, RESIDUAL = PostOp("add", is_vector=True), PostOp("relu"), PostOp("relu6"), PostOp("add")

needs_library = pytest.mark.skipif(library.load() is None, reason="oneDNN is not installed")


def random(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def test_without_the_library_nothing_is_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fused_convolution, "load", lambda: None)
    fused_convolution._calculation.cache_clear()
    assert forward(SHAPE, (BIAS,)) is None
    fused_convolution._calculation.cache_clear()


@pytest.mark.parametrize(
    "shape",
    [SHAPE._replace(dtype="float64"), SHAPE._replace(images=(0, 32, 32, 16)), SHAPE._replace(channels_first=True)],
)
def test_what_the_library_cannot_do_is_no_error(shape: Convolution) -> None:
    assert forward(shape, (BIAS, RELU)) is None


@needs_library
def test_without_a_flag_of_invalid_operations_nothing_is_rectified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fused_convolution, "invalid_flag", lambda: None)
    assert forward(SHAPE, (BIAS, RELU)) is None
    assert forward(SHAPE, (BIAS,)) is not None


@needs_library
@pytest.mark.parametrize("threads", [1, 3])
def test_steps_follow_each_other(threads: int) -> None:
    before = thread_pool.thread_count()
    thread_pool.set_thread_count(threads)
    try:
        fused, single = forward(SHAPE, (BIAS, RESIDUAL, RELU6)), plain(SHAPE)
        assert fused is not None
        assert single is not None
        x, filters, bias, other = random(*SHAPE.images), random(*SHAPE.filters), random(32), random(*SHAPE.results)
        expected = np.clip(single(x, filters) + bias + other, 0, 6)
        np.testing.assert_allclose(fused(x, filters, bias, other), expected, rtol=1e-5, atol=1e-5)
    finally:
        thread_pool.set_thread_count(before)


@needs_library
@pytest.mark.parametrize("array", ["images", "filters", "bias"])
@pytest.mark.parametrize("sizes", [(1, 1), (3, 3)], ids=str)
def test_a_nan_before_a_rectifier_is_no_result(array: str, sizes: tuple[int, int]) -> None:
    shape = SHAPE._replace(filters=(*sizes, 16, 32), before=tuple(size // 2 for size in sizes))
    fused = forward(shape, (BIAS, RELU))
    assert fused is not None
    arrays = {"images": random(*shape.images), "filters": random(*shape.filters), "bias": random(32)}
    assert fused(*arrays.values()) is not None
    arrays[array].reshape(-1)[-1] = np.nan
    assert fused(*arrays.values()) is None
