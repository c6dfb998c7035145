"""Depthwise correlation: every implementation gives what the definition says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.nn import depthwise_correlation as depthwise
from millrace._src.ops.nn.correlation import correlate, correlate_filter_gradient, correlate_input_gradient
from millrace._src.ops.nn.sliding_windows import make_windows
from tests.ops.nn.samples import array


@pytest.mark.parametrize("strides", [1, 2])
@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_many_rows_are_summed_up_in_pieces(strides: int, dilation: int, padding: str) -> None:
    # a height stride differs from the width's, which is 1, only inside the kernel: the op takes equal strides
    x, filters = array(2, 90, 70, 3), array(3, 4, 3, 1)
    windows = make_windows((90, 70), (3, 4), (strides, 1), (dilation, dilation), padding, ((0, 0), (0, 0)))
    by_rows = depthwise._sum_by_rows(xp, x, filters[..., 0], windows)
    np.testing.assert_allclose(by_rows, depthwise._sum_at_once(xp, x, filters, windows), rtol=1e-5, atol=1e-5)


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(["onednn", "numpy"]),
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from([(1, 1), (2, 1), (1, 2)]),
    st.sampled_from(["SAME", "VALID"]),
    st.sampled_from(["float16", "bfloat16", "float32", "float64"]),
    st.booleans(),
)
def test_every_implementation_gives_what_a_correlation_in_groups_gives(
    implementation: str, multiplier: int, kernel: int, move: tuple[int, int], padding: str, dtype: str, first: bool
) -> None:
    stride, dilation = move
    windows = make_windows((12, 9), (kernel, 2), (stride,) * 2, (dilation,) * 2, padding, ((0, 0), (0, 0)))
    x, filters = array(4, 12, 9, 16, dtype=dtype), array(kernel, 2, 16, multiplier, dtype=dtype, shift=1.0)
    if first:
        x = np.moveaxis(np.ascontiguousarray(np.moveaxis(x, -1, 1)), 1, -1)
    joined = filters.reshape(kernel, 2, 1, -1)
    dy = array(4, *(w.output_size for w in windows), 16 * multiplier, dtype=dtype, shift=2.0)
    exact = [a.astype(np.float64) for a in (x, joined, dy)]
    close: Any = {"rtol": 0.02, "atol": 0.5} if dtype.endswith("16") else {"rtol": 1e-4, "atol": 1e-3}
    with (
        depthwise.FORWARD.pin(implementation),
        depthwise.INPUT_GRADIENT.pin(implementation),
        depthwise.FILTER_GRADIENT.pin(implementation),
    ):
        y = depthwise.correlate_depthwise(xp, x, filters, windows)
        to_images = depthwise.depthwise_input_gradient(xp, dy, filters, windows, x.shape)
        to_filters = depthwise.depthwise_filter_gradient(xp, x, dy, windows, filters.shape)
    assert [a.dtype for a in (y, to_images, to_filters)] == [x.dtype] * 3
    assert to_filters.shape == filters.shape
    np.testing.assert_allclose(y.astype(np.float64), correlate(xp, *exact[:2], windows), **close)
    expected = correlate_input_gradient(xp, exact[2], exact[1], windows, x.shape)
    np.testing.assert_allclose(to_images.astype(np.float64), expected, **close)
    expected = correlate_filter_gradient(xp, exact[0], exact[2], windows, joined.shape)
    np.testing.assert_allclose(to_filters.astype(np.float64), expected.reshape(filters.shape), **close)
