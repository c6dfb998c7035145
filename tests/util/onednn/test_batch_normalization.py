"""Batch normalization by oneDNN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from millrace._src.util.onednn import batch_normalization as module
from millrace._src.util.onednn import library
from millrace._src.util.onednn.addresses import address_of
from millrace._src.util.onednn.batch_normalization import Normalization

has_library = pytest.mark.skipif(library.load() is None, reason="oneDNN is not installed")


def compute(primitive: Any, *arrays: Any) -> None:
    loaded = library.load()
    assert loaded is not None
    with loaded.one_thread():
        primitive(*map(address_of, arrays))


@has_library
@pytest.mark.parametrize("sizes", [(4096, 16, 1), (1021, 7, 1), (6, 16, 35), (2, 3, 1)])
def test_forward_and_backward_are_those_of_the_formula(sizes: tuple[int, int, int]) -> None:
    random = np.random.default_rng(0)
    x, dy = (random.normal(2, 3, sizes).astype(np.float32) for _ in range(2))
    scale, offset, mean, variance, dscale, doffset = random.normal(size=(6, sizes[1])).astype(np.float32)
    key = Normalization(*sizes, 0.01, True)
    forward, backward = module.forward(key), module.backward(key)
    if forward is None or backward is None:
        pytest.skip("only by the reference implementation")
    y, dx = np.empty_like(x), np.empty_like(x)
    compute(forward, x, y, mean, variance, scale, offset)
    np.testing.assert_allclose(mean, x.mean((0, 2)), rtol=1e-4)
    np.testing.assert_allclose(variance, x.var((0, 2)), rtol=1e-4)
    normal = (x - x.mean((0, 2), keepdims=True)) / np.sqrt(x.var((0, 2), keepdims=True) + 0.01)
    np.testing.assert_allclose(y, normal * scale[:, None] + offset[:, None], atol=1e-4)
    compute(backward, x, mean, variance, scale, dy, dx, dscale, doffset)
    np.testing.assert_allclose(doffset, dy.sum((0, 2)), rtol=1e-3)
    np.testing.assert_allclose(dscale, (dy * normal).sum((0, 2)), rtol=1e-3, atol=1e-2)


@has_library
def test_given_moments_are_used() -> None:
    x, y = np.float32(np.arange(12)).reshape(4, 3, 1), np.empty((4, 3, 1), np.float32)
    vectors = [np.float32(v) for v in ([1, 2, 3], [4, 5, 6], [1, 1, 2], [0, 0, 1])]
    primitive = module.forward(Normalization(4, 3, 1, 0.0, False))
    if primitive is not None:
        compute(primitive, x, y, *vectors)
        mean, variance, scale, offset = vectors
        np.testing.assert_allclose(y[..., 0], (x[..., 0] - mean) / np.sqrt(variance) * scale + offset, rtol=1e-5)


def test_nothing_is_made_for_empty_arrays() -> None:
    assert module.forward(Normalization(0, 3, 1, 0.1, True)) is None
    assert module.backward(Normalization(5, 3, 0, 0.1, True)) is None


def test_without_the_library_there_is_no_function(monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "load", lambda: None)
    module.forward.cache_clear()
    assert module.forward(Normalization(5, 3, 1, 0.1, True)) is None
    module.forward.cache_clear()


@has_library
def test_long_sums_are_left_to_numpy_and_what_sums_nothing_is_not() -> None:
    long = Normalization(1 << 18, 8, 1, 1e-3, True)
    assert module.forward(long) is None and module.backward(long) is None
    assert module.forward(long._replace(is_training=False)) is not None
    assert module.forward(long._replace(outer=1 << 16)) is not None
