"""Products by oneDNN are those of NumPy, for all layouts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from millrace._src.util.onednn import library, products
from millrace._src.util.onednn.products import Product, multiplication
from tests.util.onednn.team import on_threads

pytestmark = pytest.mark.skipif(library.load() is None, reason="oneDNN is not installed")


def _shape(array: Any) -> str:
    return "x".join(map(str, array.shape))


def random(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).normal(size=shape).astype(np.float32)


def product_of(a: Any, b: Any) -> Any:
    """Returns the product by oneDNN; None where it is not possible."""
    key = Product(a.shape, b.shape, a.strides, b.strides)
    multiply = multiplication(key)
    if multiply is None:
        return None
    result = np.full(key.result, np.nan, np.float32)
    multiply(a, b, result)
    return result


def check(a: Any, b: Any) -> None:
    result = product_of(a, b)
    assert result is not None
    np.testing.assert_allclose(result, np.matmul(a, b), rtol=1e-4, atol=1e-3)


def matrices(data: st.DataObject, rows: int, columns: int) -> Any:
    """Draws a matrix in one of the layouts that products know."""
    layout = data.draw(st.sampled_from(["rows", "columns", "part", "part of columns"]))
    if layout == "rows":
        return random(rows, columns)
    if layout == "columns":
        return random(columns, rows).T
    if layout == "part":
        return random(rows + 2, columns + 3)[1 : rows + 1, 2 : columns + 2]
    return random(columns + 2, rows + 3)[1 : columns + 1, 2 : rows + 2].T


@settings(max_examples=100, deadline=None)
@given(st.data(), *(st.integers(1, 40),) * 3, st.sampled_from([1, 3]))
def test_matrices_of_every_layout(data: st.DataObject, m: int, k: int, n: int, threads: int) -> None:
    a, b = matrices(data, m, k), matrices(data, k, n)
    with on_threads(threads):
        check(a, b)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (random(5, 6, 7), random(5, 7, 8)),
        (random(5, 6, 7), random(5, 8, 7).swapaxes(1, 2)),
        (random(2, 6, 5, 7).swapaxes(1, 2), random(2, 6, 5, 7).transpose(0, 2, 3, 1)),
        (random(5, 6, 7), random(7, 8)),
        (random(5, 6, 7), random(1, 7, 8)),
        (random(6, 7), random(5, 7, 8)),
        (random(4, 1, 6, 7), random(3, 7, 8)),
        (random(1, 5, 6, 7), random(1, 5, 7, 8)),
    ],
    ids=_shape,
)
def test_stacks_of_matrices(a: Any, b: Any, threads: int) -> None:
    with on_threads(threads):
        check(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (random(5, 14)[:, ::2], random(7, 3)),
        (random(5, 7)[::-1], random(7, 3)),
        (np.broadcast_to(random(7), (5, 7)), random(7, 3)),
        (np.broadcast_to(random(5, 7), (4, 5, 7)), random(4, 7, 3)),
        (random(5, 7), random(6, 3)),
        (random(0, 7), random(7, 3)),
        (random(7), random(7, 3)),
    ],
    ids=_shape,
)
def test_what_is_not_possible_is_left_to_numpy(a: Any, b: Any) -> None:
    assert product_of(a, b) is None


def test_stacks_with_gaps_are_right_or_left_to_numpy() -> None:
    a, b = random(3, 5, 6, 7)[:, ::2], random(3, 3, 7, 8)
    result = product_of(a, b)
    if result is not None:
        np.testing.assert_allclose(result, np.matmul(a, b), rtol=1e-4, atol=1e-3)


def test_the_products_that_are_kept_are_bounded() -> None:
    assert multiplication.cache_info().maxsize == products._MAX_PRODUCTS
