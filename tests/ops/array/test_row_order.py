"""The largest elements of rows: against a stable sort, for every dtype and both algorithms."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.array.row_order import largest_of_rows, order_keys

FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
SHAPES = [((7,), 3), ((1500,), 40), ((1500,), 1500), ((30, 30), 5), ((3, 5, 400), 20), ((2, 9000), 7), ((4, 20000), 3)]


def numpy_dtype(name: str) -> Any:
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def values_of(dtype: str, shape: tuple[int, ...], seed: int, *, repeated: bool) -> Any:
    """Returns random numbers, few of which are distinct if `repeated`; floats with zeros and NaNs of both signs."""
    rng = np.random.default_rng(seed)
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        low, high = (max(info.min, -3), 3) if repeated else (info.min, info.max)
        return rng.integers(low, high, shape, dtype, endpoint=True)
    values = rng.integers(-3, 3, shape) if repeated else rng.standard_normal(shape)
    values = np.where(rng.random(shape) < 0.02, np.nan, values)
    values = np.where(rng.random(shape) < 0.02, 0.0, values)
    return np.where(rng.random(shape) < 0.5, -values, values).astype(numpy_dtype(dtype))


def expected_positions(x: Any, k: int) -> Any:
    """Orders with NumPy's stable sort, which puts NaN last, of the numbers with the other sign."""
    mirrored = ~x if x.dtype.kind in "iu" else -x.astype(np.float64)
    return np.argsort(mirrored, axis=-1, stable=True)[..., :k]


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize(("shape", "k"), SHAPES)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_the_largest_are_those_of_a_stable_sort(dtype: str, shape: tuple[int, ...], k: int, repeated: bool) -> None:
    x = values_of(dtype, shape, k, repeated=repeated)
    values, positions = largest_of_rows(x, k, np.dtype(np.int64))
    assert positions.dtype == np.int64
    np.testing.assert_array_equal(positions, expected_positions(x, k))
    assert values.tobytes() == np.take_along_axis(x, positions, -1).tobytes()


@pytest.mark.parametrize(("shape", "k"), [((0,), 0), ((5,), 0), ((0, 4), 2), ((3, 0), 0), ((2, 3, 0, 5), 1)])
def test_nothing_is_the_largest_of_nothing(shape: tuple[int, ...], k: int) -> None:
    values, positions = largest_of_rows(np.zeros(shape, np.float32), k, np.dtype(np.int16))
    assert values.shape == positions.shape == (*shape[:-1], k)
    assert (values.dtype, positions.dtype) == (np.float32, np.int16)


@pytest.mark.parametrize("dtype", FLOATS)
def test_keys_are_in_the_order_of_the_numbers(dtype: str) -> None:
    tiny = float(ml_dtypes.finfo(numpy_dtype(dtype)).smallest_subnormal)
    ordered = [np.nan, -np.inf, -2.0, -1.0, -tiny, 0.0, tiny, 1.0, 2.0, np.inf]
    keys = order_keys(np.array(ordered, numpy_dtype(dtype)))
    assert (np.diff(keys.astype(object)) > 0).all()
    assert order_keys(np.array([-0.0, 0.0, -np.nan], numpy_dtype(dtype))).tolist() == [0, 0, keys[0]]


@pytest.mark.xla
@pytest.mark.parametrize(("size", "k"), [(7, 3), (100, 100), (300, 20)])
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_xla_finds_the_same(dtype: str, size: int, k: int) -> None:
    for repeated in (False, True):
        x = values_of(dtype, (3, size), k, repeated=repeated)
        values, positions = tf.math.top_k(x, k)
        compiled = tf.function(lambda x: tf.math.top_k(x, k), jit_compile=True)(x)
        np.testing.assert_array_equal(compiled.indices, positions)
        assert compiled.values.numpy().tobytes() == values.numpy().tobytes()
