"""Correlation and its gradients, against loops that follow the definition."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.nn.correlation import correlate, correlate_filter_gradient, correlate_input_gradient
from millrace._src.ops.nn.windows import Window, make_windows

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
    result = np.zeros((x.shape[0], *(w.places for w in windows), filters.shape[-1]))
    for place in np.ndindex(*result.shape[1:-1]):
        for offset in np.ndindex(*filters.shape[:-2]):
            at = [p * w.stride + o * w.dilation - w.before for p, o, w in zip(place, offset, windows, strict=True)]
            if any(not 0 <= a < w.size for a, w in zip(at, windows, strict=True)):
                continue
            for g in range(groups):
                mine, theirs = slice(g * size, (g + 1) * size), slice(g * features, (g + 1) * features)
                value = x[(slice(None), *at, mine)] @ filters[(*offset, slice(None), theirs)]
                result[(slice(None), *place, theirs)] += value
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


def test_many_images_are_taken_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    windows = make_windows((6, 6), (3, 3), (1, 1), (1, 1), "SAME", ((0, 0),) * 2)
    x, filters = np.random.default_rng(0).normal(size=(7, 6, 6, 2)), np.ones((3, 3, 2, 2))
    whole = correlate(xp, x, filters, windows)
    monkeypatch.setattr("millrace._src.ops.nn.correlation._CHUNK", 1500)
    np.testing.assert_allclose(correlate(xp, x, filters, windows), whole)
