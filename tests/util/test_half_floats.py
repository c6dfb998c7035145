"""Blocks of 16-bit floats: every result is bit for bit that of NumPy and `ml_dtypes`, which round each element."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import millrace as tf
from millrace._src.util.half_floats import half_extreme, half_function, narrow, widen

TYPES = [np.float16, ml_dtypes.bfloat16]
SIZE = 20_000
ALL_BITS = np.arange(1 << 16, dtype=np.uint16)


def assert_same(result: Any, expected: Any) -> None:
    """Asserts that bits agree, except those of NaNs."""
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    result, expected = (np.asarray(array).astype(np.float32) for array in (result, expected))
    np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
    is_number = ~np.isnan(result)
    np.testing.assert_array_equal(result[is_number].view(np.int32), expected[is_number].view(np.int32))


def operands(dtype: Any) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        "all": rng.permutation(np.resize(ALL_BITS, 1 << 16)).view(dtype),
        "finite": rng.uniform(-9, 9, SIZE).astype(dtype),
        "large": rng.uniform(-6e4, 6e4, SIZE).astype(dtype),
        "tiny": rng.uniform(-1e-4, 1e-4, SIZE).astype(dtype),
        "zeros": rng.choice([0.0, -0.0, 1.0, 1e-4, -3.0], SIZE).astype(dtype),
        "few": rng.uniform(-9, 9, 5).astype(dtype),
    }


def test_every_float16_is_widened() -> None:
    x = ALL_BITS.view(np.float16)
    assert_same(widen(x), x.astype(np.float32))
    finite_blocks = np.resize(x[np.isfinite(x)], 1 << 16)
    assert widen(finite_blocks).tobytes() == finite_blocks.astype(np.float32).tobytes()


@pytest.mark.parametrize(
    "bounds", [(-9, 9), (65000, 65519), (65000, 65530), (2**-14, 2**-13), (2**-26, 2**-13), (1, 1.01)]
)
def test_float32_is_rounded_to_even(bounds: tuple[float, float]) -> None:
    x = np.random.default_rng(0).uniform(*bounds, 1 << 16).astype(np.float32)
    ties = np.float32(x).view(np.int32) & ~0xFFF
    with np.errstate(over="ignore"):
        for values in (x, ties.view(np.float32), -x):
            assert narrow(values).tobytes() == values.astype(np.float16).tobytes()


def test_any_float32_is_rounded() -> None:
    x = np.random.default_rng(0).integers(0, 1 << 32, 1 << 17, dtype=np.uint64).astype(np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        assert_same(narrow(x), x.astype(np.float16))
        assert_same(narrow(x.reshape(2, -1).T), x.reshape(2, -1).T.astype(np.float16))


def float16_boundaries() -> Any:
    """Returns every finite float16, every middle of two neighbours, and the float32 numbers next to those."""
    numbers = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32)
    middles = (numbers + np.append(numbers[1:], np.float32(65536))) / 2
    exact = np.concatenate([numbers, middles])
    return np.concatenate([exact, np.nextafter(exact, np.float32(np.inf)), np.nextafter(exact, np.float32(-np.inf))])


def test_every_boundary_between_two_float16_is_where_it_belongs() -> None:
    x = float16_boundaries()
    normal = x[(x >= 2**-14) & (x < 65520)]
    few_small = np.concatenate([np.resize(normal, 200_000), x[x < 2**-14][::17]])
    for values in (x, normal, x[x < 65520], x[x < 2**-13], few_small, np.resize(normal[normal < 1], 150_000)):
        for signed_values in (values, -values, values[::-1], np.random.default_rng(0).permutation(values)):
            with np.errstate(over="ignore"):
                assert narrow(signed_values).tobytes() == signed_values.astype(np.float16).tobytes()


def test_zeros_among_normal_numbers_keep_their_sign() -> None:
    x = np.resize(np.float32([0.0, -0.0, 1.0, -2.5, 1e-30, -1e-45]), 90_000)
    assert narrow(x).tobytes() == x.astype(np.float16).tobytes()


@pytest.mark.parametrize("number", [0, 0x8000, 1, 0x8155, 0x0400, 0x3C00, 0xC455, 0x7BFF, 0x7C00, 0xFC00, 0x7E00])
@pytest.mark.parametrize("name", ["add", "subtract"])
def test_sums_of_every_float16_and_a_number_are_rounded_once(name: str, number: int) -> None:
    x, ufunc = ALL_BITS.view(np.float16), getattr(np, name)
    y = np.array([number], np.uint16).view(np.float16)
    with np.errstate(all="ignore"):
        for values in (x, x[np.isfinite(x)], x[np.abs(x) < 1e-3]):
            assert_same(half_function(ufunc)(values, y), ufunc(values, y))
            assert_same(half_function(ufunc)(np.broadcast_to(y, values.shape).copy(), values), ufunc(y, values))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["absolute", "negative", "sign", "square", "sqrt", "floor", "ceil", "rint", "isnan"])
def test_functions_of_every_number_are_those_of_numpy(name: str, dtype: Any) -> None:
    ufunc = getattr(np, name)
    with np.errstate(all="ignore"):
        for x in (ALL_BITS.view(dtype), ALL_BITS.view(dtype)[: 1 << 13], ALL_BITS.view(dtype).reshape(256, -1).T):
            assert_same(half_function(ufunc)(x), ufunc(x))


@pytest.mark.parametrize("kind", list(operands(np.float16)))
@pytest.mark.parametrize(
    "name",
    ["add", "subtract", "multiply", "true_divide", "less", "greater_equal", "equal", "not_equal"],
)
@pytest.mark.parametrize("dtype", TYPES)
def test_functions_of_two_arrays_are_rounded_once(dtype: Any, name: str, kind: str) -> None:
    x, ufunc = operands(dtype)[kind], getattr(np, name)
    y, number, function = x[::-1].copy(), np.array(1.5, dtype), half_function(ufunc)
    with np.errstate(all="ignore"):
        for arrays in ((x, y), (x, number), (number, x), (x, x[::-1]), (x.reshape(1, -1), y)):
            assert_same(function(*arrays), ufunc(*arrays))


@pytest.mark.parametrize("kind", list(operands(np.float16)))
@pytest.mark.parametrize("name", ["maximum", "minimum"])
@pytest.mark.parametrize("dtype", TYPES)
def test_extremes_are_those_of_the_numbers(dtype: Any, name: str, kind: str) -> None:
    x, ufunc = operands(dtype)[kind], getattr(np, name)
    y = x[::-1].copy()
    with np.errstate(all="ignore"):
        pairs = [(half_function(ufunc)(x, y), ufunc(x, y)), (half_function(ufunc)(x, y[:1]), ufunc(x, y[:1]))]
        rows = x[: x.size // 5 * 5].reshape(-1, 5)
        for axes, keepdims in (((0,), False), ((1,), True), ((0, 1), False), (None, False)):
            expected = np.asarray(ufunc.reduce(rows, axis=axes, keepdims=keepdims))
            pairs.append((half_extreme(ufunc)(rows, axes, keepdims), expected))
    for result, expected in pairs:  # which of two zeros is larger is not defined
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(result.astype(np.float32), expected.astype(np.float32))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["sqrt", "square"])
def test_functions_of_one_array_are_rounded_once(dtype: Any, name: str) -> None:
    for x in operands(dtype).values():
        with np.errstate(all="ignore"):
            assert_same(half_function(getattr(np, name))(x), getattr(np, name)(x))


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_ops_take_large_tensors_in_every_form(dtype: Any) -> None:
    x = tf.cast(tf.reshape(tf.linspace(-9.0, 9.0, 6000), [60, 100]), dtype)
    column, wide_x = x[:, :1], tf.cast(x, tf.float32)
    wide_column = tf.cast(column, tf.float32)
    for function in (tf.add, tf.subtract, tf.multiply, tf.divide, tf.maximum):
        expected = tf.cast(function(wide_x, wide_column), dtype)
        np.testing.assert_array_equal(function(x, column), expected)
        np.testing.assert_array_equal(function(x, x), tf.cast(function(wide_x, wide_x), dtype))
    np.testing.assert_array_equal(x < column, wide_x < wide_column)
    np.testing.assert_array_equal(tf.reduce_max(x, 1), tf.cast(tf.reduce_max(wide_x, 1), dtype))
    np.testing.assert_array_equal(tf.cast(wide_x, dtype), x)
