"""Resamplings of rows and columns: every algorithm gives the sums of the matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.engines.numpy.namespace import NumpyNamespace
from millrace._src.ops.image.resampling import Resampling, _runs, resample
from millrace._src.ops.image.resize_weights import linear


def _random(draw: Any, size: int, results: int, taps: int) -> Resampling:
    rng = np.random.default_rng(draw)
    weights = rng.normal(size=(results, taps)).astype(np.float32) * (rng.random((results, taps)) < 0.8)
    return Resampling(size, rng.integers(0, size, (results, taps)), weights)


@given(
    st.integers(0, 1000),
    st.tuples(st.integers(1, 9), st.integers(1, 9)),
    st.tuples(st.integers(1, 40), st.integers(1, 40)),
    st.integers(1, 8),
    st.integers(0, 3),
)
def test_sums_are_those_of_the_matrices(
    seed: int, old: tuple[int, int], new: tuple[int, int], channels: int, count: int
) -> None:
    rows, columns = _random(seed, old[0], new[0], 3), _random(seed + 1, old[1], new[1], 2)
    images = np.random.default_rng(seed).normal(size=(count, *old, channels)).astype(np.float32)
    expected = np.einsum("oi,pj,nijc->nopc", rows.matrix(), columns.matrix(), images)
    found = resample(NumpyNamespace(), images, rows, columns)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@given(st.integers(0, 1000), st.integers(1, 12), st.integers(1, 12), st.integers(1, 4))
def test_the_transposed_resampling_has_the_transposed_matrix(seed: int, size: int, results: int, taps: int) -> None:
    resampling = _random(seed, size, results, taps)
    np.testing.assert_allclose(resampling.transposed.matrix(), resampling.matrix().T, rtol=1e-6)


@pytest.mark.parametrize("channels", [1, 3, 8])
@pytest.mark.parametrize(("size", "results"), [(20, 13), (20, 70), (400, 37)])
@pytest.mark.parametrize("bad", [np.inf, np.nan, 1e38])
def test_pixels_that_are_not_finite_reach_as_far_as_their_taps(
    bad: float, size: int, results: int, channels: int
) -> None:
    columns = linear(size, results, False, True)
    image = np.ones((1, size, size, channels), np.float32)
    image[0, columns.indices[3, 0], columns.indices[5, 1], 0] = bad
    found = resample(NumpyNamespace(), image, columns, columns)
    changed = ~np.isclose(found, 1)
    reads = [(columns.indices == columns.indices[i, t]) & (columns.weights != 0) for i, t in ((3, 0), (5, 1))]
    expected = np.zeros(found.shape, bool)
    expected[0, :, :, 0] = np.outer(*(r.any(axis=1) for r in reads))
    assert (changed == expected).all()


def test_an_axis_is_summed_in_few_products() -> None:
    assert len(_runs(linear(256, 224, False, True), 3, np.dtype("f4"))) == 1
    for size in range(200, 500, 7):
        assert len(_runs(linear(size, 224, False, True), 3, np.dtype("f4"))) <= 8


def test_inputs_that_nobody_reads_are_left_out() -> None:
    resampling = Resampling(100, np.arange(0, 100, 10)[:, None], np.ones((10, 1)))
    assert resampling.used is not None
    assert resampling.used.tolist() == list(range(0, 100, 10))
    assert resampling.of_used.size == 10
    assert Resampling(4, np.arange(4)[:, None], np.ones((4, 1))).used is None


@pytest.mark.parametrize("count", [1, 3])
def test_large_images_are_resampled_a_few_at_a_time(count: int) -> None:
    rows = Resampling(400, np.arange(0, 400, 2)[:, None] + [0, 1], np.full((200, 2), 0.5))
    images = np.random.default_rng(0).normal(size=(count, 400, 300, 3)).astype(np.float32)
    columns = Resampling(300, np.arange(300)[:, None], np.ones((300, 1)))
    found = resample(NumpyNamespace(), images, rows, columns)
    np.testing.assert_allclose(found, (images[:, ::2] + images[:, 1::2]) / 2, rtol=1e-5, atol=1e-5)
