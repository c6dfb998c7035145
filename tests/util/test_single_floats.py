"""Functions of many float32 numbers: NumPy and oneDNN give the same bits, the logistic function but for rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from millrace._src.util.single_floats import AUTOTUNER, FEWEST, large_form

SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-40, 3e38, -3e38, 6.0, 1.0, -1.0], np.float32)
FUNCTIONS: dict[str, tuple[tuple[float, ...], Any]] = {
    "sqrt": ((), np.sqrt),
    "rsqrt": ((), lambda x: np.float32(1) / np.sqrt(x)),
    "sigmoid": ((), lambda x: (1 / (1 + np.exp(-x.astype(np.float64)))).astype(np.float32)),
    "leaky_relu": ((0.25,), lambda x: np.maximum(x, x * np.float32(0.25))),
    "clip": ((0.0, 6.0), lambda x: np.maximum(np.minimum(x, np.float32(6)), np.float32(0))),
}


def refuse(x: Any) -> Any:
    raise AssertionError("small")


@pytest.mark.parametrize("library", ["numpy", "onednn"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_many_numbers_are_those_of_numpy(name: str, library: str) -> None:
    parameters, function = FUNCTIONS[name]
    numbers = np.random.default_rng(0).normal(0, 9, (7, 100_003)).astype(np.float32)
    spoiled = numbers.copy()
    spoiled[3, :12] = SPECIAL
    with AUTOTUNER.pin(library), np.errstate(all="ignore"):
        for x in (numbers, spoiled, np.resize(SPECIAL, FEWEST), np.resize(SPECIAL[1:], FEWEST + 1)):
            result, expected = large_form(name, parameters, refuse)(x), function(x)
            assert (result.shape, result.dtype) == (x.shape, np.float32)
            if name == "sigmoid":
                np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-37)
            else:
                is_number = ~np.isnan(expected)
                np.testing.assert_array_equal(np.isnan(result), ~is_number)
                np.testing.assert_array_equal(result.view(np.int32)[is_number], expected.view(np.int32)[is_number])


def test_small_and_turned_arrays_are_left_to_the_caller() -> None:
    run = large_form("sqrt", (), lambda x: "small")
    assert run(np.ones(FEWEST - 1, np.float32)) == "small"
    assert run(np.ones((FEWEST, 2), np.float32).T) == "small"
