"""Products of arrays of every float type are those of float32, rounded once."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from millrace._src.engines.numpy.products import multiply_small_floats


def random(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).normal(size=shape)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (random(3, 4), random(4, 5)),
        (random(120, 130), random(130, 140)),
        (random(130, 120).T, random(140, 130).T),
        (random(5, 40, 130), random(130, 140)),
        (random(120, 130), random(130)),
        (random(130), random(130)),
        (random(0, 4), random(4, 5)),
    ],
    ids=lambda array: "x".join(map(str, array.shape)),
)
def test_products_are_rounded_once(a: Any, b: Any, dtype: Any) -> None:
    x, y = a.astype(dtype), b.astype(dtype)
    expected = np.asarray(np.matmul(x.astype(np.float32), y.astype(np.float32)))
    result = np.asarray(multiply_small_floats(x, y))
    assert (result.dtype, result.shape) == (np.dtype(dtype), expected.shape)
    epsilon = float(ml_dtypes.finfo(dtype).eps)
    np.testing.assert_allclose(result.astype(np.float32), expected, rtol=epsilon, atol=epsilon)
