"""Vectors computed by oneDNN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from millrace._src.util.onednn import elementwise, library
from millrace._src.util.onednn.addresses import address_of
from millrace._src.util.onednn.elementwise import Vectors, calculation

needs_library = pytest.mark.skipif(library.load() is None, reason="oneDNN is not installed")


@needs_library
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide"])
@pytest.mark.parametrize("second_size", [1, 1000])
def test_functions_of_two_vectors_are_those_of_numpy(name: str, second_size: int) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.uniform(1, 2, size).astype(np.float32) for size in (1000, second_size))
    run = calculation(Vectors(name, 1000, second_size, "float32", "float32"))
    assert run is not None
    result = np.empty_like(x)
    run(address_of(x), address_of(y), address_of(result))
    np.testing.assert_array_equal(result, getattr(np, name)(x, y))


def test_without_the_library_there_is_no_calculation(monkeypatch: Any) -> None:
    monkeypatch.setattr(elementwise, "load", lambda: None)
    calculation.cache_clear()
    assert calculation(Vectors("add", 10, 10, "float32", "float32")) is None
    calculation.cache_clear()


@needs_library
def test_what_takes_numbers_one_by_one_is_refused() -> None:
    run = calculation(Vectors("cast", 1000, 0, "float16", "float32"))
    assert run is None or not run.implementation.startswith(("ref", "simple"))
    assert calculation(Vectors("cast", 0, 0, "float32", "bfloat16")) is None
