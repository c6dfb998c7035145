"""Scattering in every way there is: against NumPy's `ufunc.at`, row by row."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from millrace._src.engines.numpy import scattering
from millrace._src.engines.numpy.scattering import scatter

UFUNCS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "min": np.minimum, "max": np.maximum}
REALS = ["float32", "float64", "int8", "int32", "uint64", "float16", ml_dtypes.bfloat16]
SIZES = [(100, 10, 3), (3000, 1000, 4), (50, 1, 2), (3000, 5, 4), (700, 9, 1)]  # rows, positions, numbers of a row


def expected_result(x: Any, index: Any, updates: Any, mode: str) -> Any:
    result = x.copy()
    UFUNCS[mode].at(result, index, updates)
    return result


def cases() -> list[Any]:
    modes = [(dtype, mode) for dtype in REALS for mode in UFUNCS if mode != "div" or "int" not in str(dtype)]
    return [*modes, *[("complex64", mode) for mode in ("add", "sub", "mul")]]


@pytest.mark.parametrize("is_sorted", [False, True])
@pytest.mark.parametrize(("count", "positions", "width"), SIZES)
@pytest.mark.parametrize(("dtype", "mode"), cases())
def test_rows_are_combined_in_order(
    dtype: Any, mode: str, count: int, positions: int, width: int, is_sorted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scattering, "_LARGE", 1)
    monkeypatch.setattr(scattering, "_SMALL", 0)
    rng = np.random.default_rng(count)
    x = rng.integers(1, 4, (positions, width)).astype(dtype)
    index = rng.integers(0, positions, count)
    index = np.sort(index) if is_sorted else index
    updates = rng.choice([1, -1] if mode in ("mul", "div") else [1, 2, 3], (count, width)).astype(dtype)
    scattered, expected = scatter(x, (index,), updates, mode), expected_result(x, (index,), updates, mode)
    assert scattered.dtype == expected.dtype
    is_narrow = scattered.dtype.itemsize == 2
    np.testing.assert_allclose(scattered.astype(complex), expected.astype(complex), rtol=0.1 if is_narrow else 1e-6)


@pytest.mark.parametrize("mode", list(UFUNCS))
@pytest.mark.parametrize("large", [1, 1 << 20])
def test_several_axes_are_indexed(mode: str, large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scattering, "_LARGE", large)
    monkeypatch.setattr(scattering, "_SMALL", 0)
    rng = np.random.default_rng(1)
    for shape, axes in (((4, 5), 2), ((4, 5, 3), 2), ((4, 5, 3, 2), 3), ((6, 2, 2), 1)):
        x = rng.integers(1, 9, shape).astype(float)
        index = tuple(rng.integers(0, size, (7, 3)) for size in shape[:axes])
        updates = rng.integers(1, 3, (7, 3, *shape[axes:])).astype(float)
        np.testing.assert_allclose(scatter(x, index, updates, mode), expected_result(x, index, updates, mode))


def test_other_indices_are_numpys() -> None:
    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(
        scatter(x, (slice(None), np.array([0, 0])), np.ones((3, 2)), "add")[:, 0], x[:, 0] + 2
    )
    np.testing.assert_array_equal(scatter(x, ..., np.ones((3, 4)), "max"), np.maximum(x, 1))
    np.testing.assert_array_equal(scatter(x, (np.array([1]),), np.float64(5), "set")[1], [5] * 4)
    np.testing.assert_array_equal(scatter(x, (np.array([1, 1]),), np.ones(4), "add")[1], x[1] + 2)
    assert x[1].tolist() == [4, 5, 6, 7]  # not changed


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 3)])
def test_nothing_is_combined_where_there_is_nothing(shape: Any) -> None:
    x, index = np.ones(shape), np.zeros(0, np.int32)
    np.testing.assert_array_equal(scatter(x, (index,), np.zeros((0, *shape[1:])), "add"), x)


@pytest.mark.parametrize("width", [1, 40_000])
@pytest.mark.parametrize("small", [0, 1 << 9])
def test_an_index_out_of_range_is_an_index_error(width: int, small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scattering, "_SMALL", small)
    for index in (3, 5):
        with pytest.raises(IndexError):
            scatter(np.zeros((3, width)), (np.array([index]),), np.ones((1, width)), "add")
    with pytest.raises(IndexError):
        scatter(np.zeros((3, 2)), (np.array([0]), np.array([2])), np.ones(1), "add")


@pytest.mark.parametrize("mode", list(UFUNCS))
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int32", ml_dtypes.bfloat16])
@pytest.mark.parametrize(("positions", "count"), [(400, 90), (20_000, 3000), (300, 1)])
def test_few_rows_of_a_large_table_are_combined_one_after_the_other(
    positions: int, count: int, dtype: Any, mode: str
) -> None:
    if mode == "div" and dtype == "int32":
        return
    rng = np.random.default_rng(positions)
    index = np.minimum(rng.zipf(1.3, count), positions) - 1  # some rows occur many times
    x, updates = rng.normal(1.0, 2.0, (positions, 7)).astype(dtype), rng.normal(1.0, 2.0, (count, 7)).astype(dtype)
    if dtype != "int32":
        updates[0, :3] = [np.nan, np.inf, -0.0]
    with np.errstate(all="ignore"):
        scattered, expected = scatter(x, (index,), updates, mode), expected_result(x, (index,), updates, mode)
    np.testing.assert_array_equal(scattered.astype("f8"), expected.astype("f8"))


@pytest.mark.parametrize("mode", ["set", *UFUNCS])
def test_an_array_that_may_change_is_changed_itself(mode: str) -> None:
    x, index, updates = np.ones((5, 3)), (np.array([1, 1, 4]),), np.full((3, 3), 2.0)
    expected = scatter(x, index, updates, mode)
    assert x.min() == x.max() == 1.0
    assert scatter(x, index, updates, mode, may_change=True) is x
    np.testing.assert_array_equal(x, expected)


def test_an_array_in_another_order_is_copied() -> None:
    x = np.asfortranarray(np.ones((4, 3)))
    assert scatter(x, (np.array([1]),), np.ones((1, 3)), "add", may_change=True) is not x
