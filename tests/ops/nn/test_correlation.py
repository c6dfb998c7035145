"""Correlation and its gradients, against loops that follow the definition."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from millrace._src.core.dtypes import as_dtype
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.nn import copied_windows, correlation
from millrace._src.ops.nn.correlation import correlate, correlate_filter_gradient, correlate_input_gradient
from millrace._src.ops.nn.sliding_windows import Window, make_windows
from millrace._src.util.thread_pool import set_thread_count

CASES = [
    (spatial, kernel, stride, dilation, padding, groups)
    for spatial, kernel in (((5,), (3,)), ((5, 4), (2, 3)), ((3, 4, 3), (2, 1, 2)))
    for stride, dilation in ((1, 1), (2, 1), (1, 2))
    for padding in ("SAME", "VALID")
    for groups in (1, 2)
    if padding == "SAME" or all(s > (k - 1) * dilation for s, k in zip(spatial, kernel, strict=True))
]


def _by_definition(x: Any, filters: Any, windows: tuple[Window, ...]) -> Any:
    groups = x.shape[-1] // filters.shape[-2]
    size, features = filters.shape[-2], filters.shape[-1] // groups
    result = np.zeros((x.shape[0], *(w.output_size for w in windows), filters.shape[-1]))
    for position in np.ndindex(*result.shape[1:-1]):
        for offset in np.ndindex(*filters.shape[:-2]):
            at = [p * w.stride + o * w.dilation - w.before for p, o, w in zip(position, offset, windows, strict=True)]
            if any(not 0 <= a < w.size for a, w in zip(at, windows, strict=True)):
                continue
            for g in range(groups):
                mine, theirs = slice(g * size, (g + 1) * size), slice(g * features, (g + 1) * features)
                value = x[(slice(None), *at, mine)] @ filters[(*offset, slice(None), theirs)]
                result[(slice(None), *position, theirs)] += value
    return result


@pytest.mark.parametrize(("spatial", "kernel", "stride", "dilation", "padding", "groups"), CASES)
def test_correlation_and_its_gradients_follow_the_definition(
    spatial: Any, kernel: Any, stride: int, dilation: int, padding: str, groups: int
) -> None:
    n = len(spatial)
    windows = make_windows(spatial, kernel, (stride,) * n, (dilation,) * n, padding, ((0, 0),) * n)
    rng = np.random.default_rng(0)
    x, filters = rng.normal(size=(2, *spatial, 4)), rng.normal(size=(*kernel, 4 // groups, 2))
    y = correlate(xp, x, filters, windows)
    np.testing.assert_allclose(y, _by_definition(x, filters, windows))
    dy, other_x, other_f = (rng.normal(size=a.shape) for a in (y, x, filters))
    back = correlate_input_gradient(xp, dy, filters, windows, x.shape)
    np.testing.assert_allclose((back * other_x).sum(), (correlate(xp, other_x, filters, windows) * dy).sum())
    back = correlate_filter_gradient(xp, x, dy, windows, filters.shape)
    np.testing.assert_allclose((back * other_f).sum(), (correlate(xp, x, other_f, windows) * dy).sum())


@pytest.mark.parametrize(("batch", "features"), list(itertools.product((0, 2), (0, 3))))
def test_empty_arrays_give_zeros_of_the_right_shape(batch: int, features: int) -> None:
    windows = make_windows((4,), (2,), (1,), (1,), "SAME", ((0, 0),))
    x, filters = np.ones((batch, 4, 1)), np.ones((2, 1, features))
    y = correlate(xp, x, filters, windows)
    assert y.shape == (batch, 4, features)
    assert correlate_input_gradient(xp, y, filters, windows, x.shape).shape == x.shape
    assert correlate_filter_gradient(xp, x, y, windows, filters.shape).shape == filters.shape


def _random_case(data: st.DataObject) -> tuple[Any, Any, Any, tuple[Window, ...]]:
    """Draws images, filters, a gradient of the results and windows."""
    rank = data.draw(st.integers(1, 3))
    groups, size, each = (data.draw(st.integers(1, most)) for most in (3, 20, 6))
    kernel = tuple(data.draw(st.integers(1, 3)) for _ in range(rank))
    move = data.draw(st.sampled_from([(1, 1), (2, 1), (3, 1), (1, 2)]))
    spatial = tuple(data.draw(st.integers((k - 1) * move[1] + 1, 14)) for k in kernel)
    pairs = tuple(data.draw(st.tuples(st.integers(0, 2), st.integers(0, 2))) for _ in kernel)
    padding = data.draw(st.sampled_from(["SAME", "VALID", "EXPLICIT"]))
    pairs = pairs if padding == "EXPLICIT" else ((0, 0),) * rank
    windows = make_windows(spatial, kernel, (move[0],) * rank, (move[1],) * rank, padding, pairs)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    batch = data.draw(st.integers(1, 5))
    x, filters = rng.normal(size=(batch, *spatial, groups * size)), rng.normal(size=(*kernel, size, groups * each))
    dy = rng.normal(size=(batch, *(w.output_size for w in windows), groups * each))
    return x, filters, dy, windows


@settings(max_examples=120, deadline=None)
@given(
    st.data(), st.sampled_from(["onednn", "numpy"]), st.sampled_from(["float16", "bfloat16", "float32"]), st.booleans()
)
def test_every_implementation_gives_the_same(data: st.DataObject, implementation: str, dtype: str, first: bool) -> None:
    exact = _random_case(data)
    windows = exact[3]
    exact_x, exact_filters, exact_dy = (a.astype(as_dtype(dtype).np_dtype).astype(np.float64) for a in exact[:3])
    x, filters, dy = (a.astype(as_dtype(dtype).np_dtype) for a in exact[:3])
    if first:
        x, dy = (np.moveaxis(np.ascontiguousarray(np.moveaxis(a, -1, 1)), 1, -1) for a in (x, dy))
    with (
        pytest.MonkeyPatch.context() as patch,
        correlation.FORWARD.pin(implementation),
        correlation.INPUT_GRADIENT.pin(implementation),
        correlation.FILTER_GRADIENT.pin(implementation),
    ):
        patch.setattr(correlation, "_SMALL", 0)
        y = correlate(xp, x, filters, windows)
        to_images = correlate_input_gradient(xp, dy, filters, windows, x.shape)
        to_filters = correlate_filter_gradient(xp, x, dy, windows, filters.shape)
    assert {a.dtype for a in (y, to_images, to_filters)} == {x.dtype}
    _check_close(y, copied_windows.correlate(exact_x, exact_filters, windows))
    _check_close(to_images, copied_windows.correlate_input_gradient(exact_dy, exact_filters, windows, x.shape))
    _check_close(to_filters, copied_windows.correlate_filter_gradient(exact_x, exact_dy, windows, filters.shape))


def _check_close(result: Any, expected: Any) -> None:
    """Compares with numbers of a size of about 1 times the root of how many are added up."""
    scale = max(float(np.abs(expected).max(initial=0)), 1.0)
    error = 1e-5 if result.dtype == np.float32 else 0.01
    assert result.shape == expected.shape
    np.testing.assert_allclose(result.astype(np.float64) / scale, expected / scale, atol=error)


def test_integers_and_doubles_are_computed_by_numpy() -> None:
    windows = make_windows((30, 30), (3, 3), (1, 1), (1, 1), "SAME", ((0, 0),) * 2)
    with correlation.FORWARD.pin("onednn"):
        for dtype in (np.int32, np.float64):
            x, filters = np.ones((4, 30, 30, 4), dtype), np.ones((3, 3, 4, 4), dtype)
            assert correlate(xp, x, filters, windows)[0, 5, 5, 0] == 36


def test_a_window_larger_than_the_images_sees_padding() -> None:
    windows = make_windows((3, 3), (25, 25), (1, 1), (1, 1), "SAME", ((0, 0),) * 2)
    x, filters = np.ones((2, 3, 3, 4), np.float32), np.ones((25, 25, 4, 4), np.float32)
    for implementation in ("onednn", "numpy"):
        with correlation.FORWARD.pin(implementation):
            np.testing.assert_allclose(correlate(xp, x, filters, windows), np.full((2, 3, 3, 4), 36.0))


def test_small_correlations_are_not_measured() -> None:
    windows = make_windows((4,), (2,), (1,), (1,), "SAME", ((0, 0),))
    x = np.ones((2, 4, 3), np.float32)
    correlate(xp, x, np.ones((2, 3, 5), np.float32), windows)
    assert correlation.correlation_of(x.shape, (2, 3, 5), windows, x) not in correlation.FORWARD._works


def test_threads_share_the_images() -> None:
    windows = make_windows((24, 24), (3, 3), (1, 1), (1, 1), "SAME", ((0, 0),) * 2)
    rng = np.random.default_rng(0)
    x, filters = (rng.normal(size=s).astype(np.float32) for s in ((19, 24, 24, 16), (3, 3, 16, 16)))
    results = []
    try:
        for implementation, threads in (("numpy", 1), ("numpy", 3), ("onednn", 1), ("onednn", 3)):
            set_thread_count(threads)
            with correlation.FORWARD.pin(implementation), correlation.FILTER_GRADIENT.pin(implementation):
                y = correlate(xp, x, filters, windows)
                results.append((y, correlate_filter_gradient(xp, x, y, windows, filters.shape)))
    finally:
        set_thread_count(0)
    for y, gradient in results[1:]:
        _check_close(y, results[0][0])
        _check_close(gradient, results[0][1])
