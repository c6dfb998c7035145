"""The taps of each method of resizing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.ops.image import resize_weights as weights

_SIZES = st.integers(1, 60)


@given(_SIZES, _SIZES, st.sampled_from([(False, False), (True, False), (False, True)]))
def test_weights_of_neighbours_add_up_to_one(size: int, count: int, centers: tuple[bool, bool]) -> None:
    for resampling in (weights.linear(size, count, *centers), weights.cubic(size, count, *centers)):
        np.testing.assert_allclose(resampling.weights.sum(axis=1), 1, rtol=1e-4)
        assert resampling.indices.min() >= 0
        assert resampling.indices.max() < size


@given(_SIZES, _SIZES, st.sampled_from(sorted(weights.KERNELS)), st.booleans())
def test_weights_of_a_kernel_add_up_to_one(size: int, count: int, kernel: str, antialias: bool) -> None:
    resampling = weights.by_kernel(size, count, count / size, 0.0, kernel, antialias)
    np.testing.assert_allclose(resampling.weights.sum(axis=1), 1, rtol=1e-3)


@given(_SIZES, _SIZES)
def test_a_stretch_counts_as_far_as_it_is_covered(size: int, count: int) -> None:
    np.testing.assert_allclose(weights.area(size, count, False).weights.sum(axis=1), 1, rtol=1e-4)


@pytest.mark.parametrize(
    ("centers", "expected"),
    [((False, False), [0, 0, 1, 1, 2]), ((True, False), [0, 1, 1, 2, 2]), ((False, True), [0, 0, 1, 2, 2])],
)
def test_the_nearest_pixel_depends_on_what_is_aligned(centers: Any, expected: list[int]) -> None:
    assert weights.nearest_indices(3, 5, *centers).tolist() == expected


def test_a_pixel_outside_of_the_image_is_zero() -> None:
    assert not weights.by_kernel(4, 4, 1.0, 10.0, "triangle", True).weights.any()


def test_the_same_size_leaves_everything_in_place() -> None:
    for resampling in (weights.linear(5, 5, False, True), weights.area(5, 5, False), weights.cubic(5, 5, False, True)):
        np.testing.assert_allclose(resampling.matrix(), np.eye(5), atol=1e-6)
