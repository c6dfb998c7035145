"""Where distinct elements occur first: in a table, in order, by comparison and in a dictionary."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.array.first_occurrences import first_positions

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", ml_dtypes.bfloat16, "float32", "float64", "complex64"]


def expected_positions(x: Any) -> tuple[list[int], list[int]]:
    """Looks each element up among those before."""
    first: list[int] = []
    which = []
    for i, element in enumerate(x.tolist()):
        number = next((n for n, at in enumerate(first) if x[at] == element), None)
        if number is None:
            number = len(first)
            first.append(i)
        which.append(number)
    return first, which


def assert_found(x: Any) -> None:
    first, which = first_positions(x)
    assert (first.tolist(), which.tolist()) == expected_positions(x)


@pytest.mark.parametrize("size", [0, 1, 2, 200])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_are_found_near_and_far(dtype: str, size: int) -> None:
    rng, info = np.random.default_rng(size), np.iinfo(dtype)
    assert_found(rng.integers(max(info.min, -5), 5, size).astype(dtype))
    assert_found(rng.integers(info.max - 6, info.max, size, dtype, endpoint=True))
    assert_found(rng.integers(info.min, info.min + 6, size, dtype))
    far_numbers = rng.integers(info.min, info.max, max(size // 3, 1), dtype, endpoint=True)
    assert_found(rng.choice(np.append(far_numbers, np.array([info.min, info.max], dtype)), size))


@pytest.mark.parametrize("with_nan", [False, True])
@pytest.mark.parametrize("dtype", FLOATS)
def test_zeros_of_both_signs_are_one_and_each_nan_is_its_own(dtype: Any, with_nan: bool) -> None:
    x = np.random.default_rng(0).choice([-0.0, 0.0, 1.5, -2.0, np.inf, np.nan if with_nan else -np.inf], 90)
    assert_found(x.astype(dtype))


@pytest.mark.parametrize("x", [np.array([True, False, True]), np.array([b"b", b"a", b"b", b""], object)])
def test_booleans_and_strings_are_found(x: Any) -> None:
    assert_found(x)


def test_the_op_gives_elements_numbers_and_counts() -> None:
    x = np.random.default_rng(0).integers(0, 1 << 30, 5000).repeat(2).astype(np.int32)
    y, idx, count = tf.unique_with_counts(x, tf.int64)
    np.testing.assert_array_equal(tf.gather(y, idx), x)
    assert (idx.dtype, count.dtype, int(tf.reduce_sum(count))) == (tf.int64, tf.int64, 10_000)
    assert np.unique(idx).tolist() == list(range(len(y)))
