"""Resamplings of rows and columns: every way to sum gives the sums of the matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.engines.numpy.namespace import NumpyNamespace
from millrace._src.ops.image.resampling import Resampling, resampled


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
    found = resampled(NumpyNamespace(), images, rows, columns)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@given(st.integers(0, 1000), st.integers(1, 12), st.integers(1, 12), st.integers(1, 4))
def test_the_transposed_resampling_has_the_transposed_matrix(seed: int, size: int, results: int, taps: int) -> None:
    resampling = _random(seed, size, results, taps)
    np.testing.assert_allclose(resampling.transposed.matrix(), resampling.matrix().T, rtol=1e-6)


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
    found = resampled(NumpyNamespace(), images, rows, columns)
    np.testing.assert_allclose(found, (images[:, ::2] + images[:, 1::2]) / 2, rtol=1e-5, atol=1e-5)
