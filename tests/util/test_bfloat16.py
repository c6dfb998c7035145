"""Arithmetic of many bfloat16 numbers: every way gives the bits of `ml_dtypes`, but for those of NaNs."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from millrace._src.util.bfloat16 import AUTOTUNER, FEWEST, ComputationKind, compute, narrow
from millrace._src.util.onednn.elementwise import Vectors, calculation

ALL_BITS = np.arange(1 << 16, dtype=np.uint16)
ALL = ALL_BITS.view(ml_dtypes.bfloat16)


def assert_same(result: Any, expected: Any) -> None:
    """Asserts that bits agree, except those of NaNs."""
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    is_number = ~np.isnan(expected.astype(np.float32))
    np.testing.assert_array_equal(np.isnan(result.astype(np.float32)), ~is_number)
    np.testing.assert_array_equal(result.view(np.uint16)[is_number], expected.view(np.uint16)[is_number])


def expected(ufunc: Any, *arrays: Any) -> Any:
    with np.errstate(all="ignore"):
        return ufunc(*[array.astype(np.float32) for array in arrays]).astype(ml_dtypes.bfloat16)


@pytest.mark.parametrize("library", ["numpy", "onednn"])
@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.multiply, np.divide])
def test_functions_of_all_numbers_are_rounded_once(ufunc: Any, library: str) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.permutation(np.tile(ALL, 9)) for _ in range(2))
    normal = ALL[(np.abs(ALL.astype(np.float32)) > 1e-5) & (np.abs(ALL.astype(np.float32)) < 1e5)]
    pairs = [(x, y), (x, y[:1]), (np.resize(normal, 300_001), np.resize(normal[::-1], 300_001))]
    with AUTOTUNER.pin(library):
        for a, b in [*pairs, *((x, np.array([n], ALL.dtype)) for n in (0.0, 3.0, np.inf, np.nan, 1e-39))]:
            result = np.empty(a.size, ALL.dtype)
            compute(ufunc, [a, b], result)
            assert_same(result, expected(ufunc, a, b))


@pytest.mark.parametrize("library", ["numpy", "onednn"])
def test_float32_is_rounded_to_even(library: str) -> None:
    upper_bits = ALL_BITS.astype(np.uint32) << 16
    near = [(upper_bits + offset).view(np.float32) for offset in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF)]
    some = np.random.default_rng(0).normal(size=FEWEST + 1).astype(np.float32)
    with AUTOTUNER.pin(library), np.errstate(all="ignore"):
        for x in (*near, np.concatenate(near), some, some[:5], some[::-1], np.zeros(0, np.float32)):
            assert_same(narrow(x), x.astype(ml_dtypes.bfloat16))
        assert_same(narrow(np.concatenate(near).reshape(2, -1)), np.stack(near).reshape(2, -1).astype(ALL.dtype))


def test_a_number_before_an_array_is_computed_by_numpy() -> None:
    x = np.resize(ALL, FEWEST)
    result = np.empty(x.size, ALL.dtype)
    AUTOTUNER.forget()
    compute(np.subtract, [x[:1], x], result)
    assert_same(result, expected(np.subtract, x[:1], x))
    assert not AUTOTUNER._works


def test_the_library_is_a_way_where_it_is_installed_and_has_instructions() -> None:
    kind = ComputationKind("cast", FEWEST, 0)
    with AUTOTUNER.pin("onednn"):
        narrow(np.ones(FEWEST, np.float32))
        is_possible = calculation(Vectors("cast", FEWEST, 0, "float32", "bfloat16")) is not None
        assert AUTOTUNER.winner(kind) == ("onednn" if is_possible else "numpy")
