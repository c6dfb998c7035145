"""Large products, by whichever library."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from millrace._src.util.blas_threads import large_product
from millrace._src.util.product_kernels import BFLOAT16_PRODUCTS, PRODUCTS, choose_bfloat16_product
from millrace._src.util.thread_pool import set_thread_count


def _shape(array: Any) -> str:
    return "x".join(map(str, array.shape))


def random(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("library", ["onednn", "blas"])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (random(120, 130), random(130, 140)),
        (random(130, 120).T, random(140, 130).T),
        (random(6, 120, 130), random(6, 130, 40)),
        (random(120, 260)[:, ::2], random(130, 140)),
        (random(70, 7000), random(7000)),
    ],
    ids=_shape,
)
def test_either_library_gives_the_product(library: str, a: Any, b: Any) -> None:
    expected = np.matmul(a, b)
    with PRODUCTS.pin(library):
        result = large_product(np.matmul, a, b)
        assert result.dtype == np.float32
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-3)
        output = np.empty_like(expected)
        assert large_product(np.matmul, a, b, out=output) is output
        np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("library", ["onednn", "blas"])
def test_an_array_for_the_result_may_be_a_part_of_another(library: str) -> None:
    a, b, whole = random(120, 130), random(130, 140), np.zeros((120, 280), np.float32)
    with PRODUCTS.pin(library):
        large_product(np.matmul, a, b, out=whole[:, ::2])
    np.testing.assert_allclose(whole[:, ::2], a @ b, rtol=1e-4, atol=1e-3)
    assert not whole[:, 1::2].any()


def test_matrices_that_do_not_fit_are_numpys_error() -> None:
    with PRODUCTS.pin("onednn"), pytest.raises(ValueError, match="shapes"):
        large_product(np.dot, random(1200, 130), random(131, 1400))


def test_other_dtypes_have_no_choice() -> None:
    a, b = random(120, 130).astype(np.float64), random(130, 140).astype(np.float64)
    large_product(np.matmul, a, b)
    assert not [key for key in PRODUCTS._works if key[2] == a.strides]


def wide_product(a: Any, b: Any) -> Any:
    return np.matmul(a.astype(np.float32), b.astype(np.float32)).astype(a.dtype)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("library", ["onednn", "blas"])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (random(120, 130), random(130, 140)),
        (random(130, 120).T, random(140, 130).T),
        (random(300, 400), random(400, 300)),
        (random(400, 300).T, random(400, 300)),
        (random(6, 120, 130), random(6, 130, 40)),
        (random(6, 120, 130), random(130, 40)),
        (random(120, 130), random(6, 130, 40)),
        (random(120, 260)[:, ::2], random(130, 140)),
        (random(1, 3000), random(3000, 900)),
        (random(900, 3000), random(3000, 1)),
    ],
    ids=_shape,
)
def test_either_library_gives_the_product_of_bfloat16(library: str, a: Any, b: Any, threads: int) -> None:
    x, y = a.astype(ml_dtypes.bfloat16), b.astype(ml_dtypes.bfloat16)
    if not (a.flags.c_contiguous or a.flags.f_contiguous):
        x = np.repeat(x, 2, axis=1)[:, ::2]  # `astype` leaves no gaps
    expected = np.matmul(x.astype(np.float32), y.astype(np.float32))
    set_thread_count(threads)
    try:
        with BFLOAT16_PRODUCTS.pin(library):
            result = choose_bfloat16_product(wide_product, x, y)
    finally:
        set_thread_count(0)
    assert (result.dtype, result.shape) == (x.dtype, expected.shape)
    np.testing.assert_allclose(result.astype(np.float32), expected, rtol=2**-8, atol=2**-8)


@pytest.mark.parametrize("library", ["onednn", "blas"])
def test_products_of_bfloat16_keep_what_is_not_finite(library: str) -> None:
    x = np.ones((5, 64), ml_dtypes.bfloat16)
    x[:4, 7] = np.nan, np.inf, -np.inf, 3e38
    with BFLOAT16_PRODUCTS.pin(library), np.errstate(all="ignore"):
        result = choose_bfloat16_product(wide_product, x, np.full((64, 32), 2, x.dtype)).astype(np.float32)
    np.testing.assert_array_equal(result[:, 0], [np.nan, np.inf, -np.inf, np.inf, 128])


def test_matrices_of_bfloat16_that_do_not_fit_are_numpys_error() -> None:
    a, b = random(1200, 130).astype(ml_dtypes.bfloat16), random(131, 1400).astype(ml_dtypes.bfloat16)
    with BFLOAT16_PRODUCTS.pin("onednn"), pytest.raises(ValueError, match="mismatch"):
        choose_bfloat16_product(wide_product, a, b)
