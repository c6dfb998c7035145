"""Products of copied windows; that they follow the definition, `test_correlation` shows."""

from __future__ import annotations

import numpy as np
import pytest

from millrace._src.ops.nn import copied_windows
from millrace._src.ops.nn.sliding_windows import make_windows


def test_many_images_are_taken_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    windows = make_windows((6, 6), (3, 3), (1, 1), (1, 1), "SAME", ((0, 0),) * 2)
    x, filters = np.random.default_rng(0).normal(size=(7, 6, 6, 2)), np.ones((3, 3, 2, 2))
    whole = copied_windows.correlate(x, filters, windows)
    gradient = copied_windows.correlate_filter_gradient(x, whole, windows, filters.shape)
    monkeypatch.setattr(copied_windows, "_CHUNK", 1500)
    np.testing.assert_allclose(copied_windows.correlate(x, filters, windows), whole)
    in_blocks = copied_windows.correlate_filter_gradient(x, whole, windows, filters.shape)
    np.testing.assert_allclose(in_blocks, gradient)
