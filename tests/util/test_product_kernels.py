"""Large products, by whichever library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from millrace._src.util.blas_threads import large_product
from millrace._src.util.product_kernels import PRODUCTS


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
