"""The error function and its complement of many float32 numbers at once, against SciPy in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import millrace as tf
from millrace._src.ops.math import error_functions
from millrace._src.ops.math.blockwise_functions import FEWEST

NUMBERS = np.concatenate(
    [
        np.linspace(-11, 11, 400_001),
        np.linspace(error_functions._TAIL - 1e-3, error_functions._TAIL + 1e-3, 20_001),
        10.0 ** np.linspace(-44, 30, 20_001),
        -(10.0 ** np.linspace(-44, 30, 20_001)),
    ]
).astype(np.float32)


def units_off(found: Any, wanted: Any) -> Any:
    """How many units of the last float32 digit results are off."""
    unit = np.spacing(np.abs(wanted).astype(np.float32)).astype(np.float64)
    return np.abs(found.astype(np.float64) - wanted) / unit


@pytest.mark.parametrize(
    ("function", "reference", "most"),
    [(error_functions.erf, special.erf, 4), (error_functions.erfc, special.erfc, 8)],
)
def test_results_are_few_units_off(function: Callable[[Any], Any], reference: Callable[[Any], Any], most: int) -> None:
    with np.errstate(all="ignore"):
        found, wanted = function(NUMBERS), reference(NUMBERS.astype(np.float64))
        assert units_off(found, wanted).max() <= most


def test_inverses_are_few_units_off() -> None:
    near_one = 1 - 2.0 ** np.linspace(-24, -1, 20_001)
    x = np.concatenate([np.linspace(-1, 1, 400_001)[1:-1], near_one, 10.0 ** np.linspace(-37, -1, 20_001)])
    x = np.concatenate([x, -x]).astype(np.float32)
    x = x[(np.abs(x) < 1) & (x != 0)]
    assert units_off(error_functions.erfinv(x), special.erfinv(x.astype(np.float64))).max() <= 7


def test_inverses_of_special_numbers() -> None:
    x = np.float32([0.0, -0.0, 1.0, -1.0, 1.1, -2.0, np.nan, np.inf])
    with np.errstate(all="ignore"):
        inverse = error_functions.erfinv(x)
    np.testing.assert_array_equal(inverse, np.float32([0, 0, np.inf, -np.inf, np.nan, np.nan, np.nan, np.nan]))
    assert np.signbit(inverse[:4]).tolist() == [False, True, False, True]


def test_special_numbers() -> None:
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e38, -1e38], np.float32)
    with np.errstate(all="ignore"):
        erf, erfc = error_functions.erf(x), error_functions.erfc(x)
    np.testing.assert_array_equal(erf, np.float32([0, 0, 1, -1, np.nan, 1, -1]))
    assert np.signbit(erf).tolist() == [False, True, False, True, False, False, True]
    np.testing.assert_array_equal(erfc, np.float32([1, 1, 0, 2, np.nan, 0, 2]))


@pytest.mark.parametrize("shape", [(7000,), (70, 100), (2, 3, 40_000)])
def test_shapes_stay_also_of_arrays_in_another_order(shape: Any) -> None:
    x = np.random.RandomState(0).normal(size=shape).astype(np.float32)
    found = error_functions.erf(x.T)
    assert found.shape == x.T.shape
    np.testing.assert_array_equal(found, error_functions.erf(x).T)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("op", ["erf", "erfc", "erfinv"])
def test_small_and_large_tensors_agree(op: str, dtype: str) -> None:
    x = tf.cast(tf.random.stateless_normal([FEWEST], [1, 2], dtype=tf.float64), dtype)
    x = tf.tanh(x) if op == "erfinv" else x
    function = getattr(tf.math, op)
    large, small = function(x), tf.concat([function(part) for part in tf.split(x, 4)], 0)
    assert large.dtype == small.dtype == dtype
    tolerance = {"float32": 1e-6, "float64": 1e-15, "float16": 2e-3, "bfloat16": 1e-2}[dtype]
    np.testing.assert_allclose(*[tf.cast(t, tf.float64).numpy() for t in (large, small)], rtol=tolerance)
