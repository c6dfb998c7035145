"""Large arrays begin where XLA takes them without a copy; small ones, and objects, are NumPy's."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import millrace as tf
from millrace._src.core.aligned_memory import ALIGNMENT, SMALLEST_ALIGNED, copy_aligned, empty_array, take

Dataset = tf.data.Dataset
DTYPES = [np.uint8, np.float32, np.complex128, np.bool_, ml_dtypes.bfloat16]


def is_aligned(array: Any) -> bool:
    return array.ctypes.data % ALIGNMENT == 0


def rows(dtype: Any, count: int = 600) -> Any:
    """Returns an array of 1,000 numbers a row, which does not begin at a multiple of 64 bytes."""
    memory = np.zeros((count * 1000 + 1) * np.dtype(dtype).itemsize + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT + np.dtype(dtype).itemsize
    array = memory[start : start + count * 1000 * np.dtype(dtype).itemsize].view(dtype).reshape(count, 1000)
    array[...] = (np.arange(count) % 7)[:, None]
    return array


@pytest.mark.parametrize("dtype", DTYPES)
def test_large_arrays_are_aligned(dtype: Any) -> None:
    array = rows(dtype)
    indices = np.array([*range(599, -1, -1), 5])
    assert not is_aligned(array)
    for made, expected in ((copy_aligned(array), array), (take(array, indices), array[indices])):
        assert is_aligned(made)
        assert made.flags.c_contiguous and made.flags.writeable
        np.testing.assert_array_equal(made, expected)
        assert made.dtype == array.dtype


def test_a_copy_of_a_transposed_array_is_in_c_order() -> None:
    array = rows(np.float32).T
    np.testing.assert_array_equal(copy_aligned(array), array)
    assert copy_aligned(array).flags.c_contiguous


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (5,)])
def test_small_arrays_are_numpys(shape: tuple[int, ...]) -> None:
    assert empty_array(shape, np.dtype(np.float32)).shape == shape
    assert copy_aligned(np.ones(shape)).shape == shape


def test_objects_are_kept_as_objects() -> None:
    texts = np.array([b"x"] * SMALLEST_ALIGNED, object)
    assert copy_aligned(texts).tolist() == texts.tolist()
    assert take(texts, np.arange(SMALLEST_ALIGNED)).tolist() == texts.tolist()
    assert empty_array((SMALLEST_ALIGNED,), np.dtype(object)).dtype == object


@pytest.mark.parametrize(
    "make",
    [
        lambda data: data.batch(100),
        lambda data: data.shuffle(600).batch(100),
        lambda data: data.filter(lambda row: row[0] < 5).batch(100),
        lambda data: data.filter(lambda row: row[0] < 5).shuffle(50).batch(100),
        lambda data: data.map(lambda row: row[: tf.cast(row[0], tf.int32) + 990]).padded_batch(100),
        lambda data: Dataset.from_generator(lambda: iter(rows(np.float32)), tf.float32, [1000]).batch(100),
    ],
)
def test_large_batches_are_aligned(make: Any) -> None:
    batches = list(make(Dataset.from_tensor_slices(rows(np.float32))))
    large = [batch._eager_array for batch in batches if batch._eager_array.nbytes >= SMALLEST_ALIGNED]
    assert large and all(map(is_aligned, large))


def test_values_of_large_tensors_are_aligned() -> None:
    assert is_aligned(tf.constant(rows(np.float32))._eager_array)
    assert is_aligned(tf.constant(rows(np.float64), tf.float64)._eager_array)
