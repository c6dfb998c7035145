"""Softmax by oneDNN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from millrace._src.util.onednn import library
from millrace._src.util.onednn import softmax as module
from millrace._src.util.onednn.addresses import address_of


@pytest.mark.skipif(library.load() is None, reason="oneDNN is not installed")
def test_rows_sum_to_one() -> None:
    x = np.random.default_rng(0).normal(size=(30, 77)).astype(np.float32)
    run, result = module.softmax(30, 77), np.empty_like(x)
    if run is not None:
        run(address_of(x), address_of(result))
        np.testing.assert_allclose(result, np.exp(x) / np.exp(x).sum(axis=1, keepdims=True), rtol=5e-6)
    assert module.softmax(0, 77) is None


def test_without_the_library_there_is_no_function(monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "load", lambda: None)
    module.softmax.cache_clear()
    assert module.softmax(30, 77) is None
    module.softmax.cache_clear()
