"""The band of a matrix: samples for the contracts, values and errors, as TensorFlow 2.21 gave them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample


def x(shape: list[int], dtype: Any = np.float64) -> Any:
    """Numbers that are all different."""
    return (np.arange(np.prod(shape)) * 0.37 + 0.5).reshape(shape).astype(dtype)


SAMPLES = [
    Sample("MatrixBandPart", [x([2, 3, 4]), np.int64(1), np.int64(-1)], grad=True),
    Sample("MatrixBandPart", [x([0, 2], np.int8), np.int32(0), np.int32(0)]),
]
GRADIENT_SAMPLES = [
    Sample("MatrixBandPart", [x([3, 3]), np.int32(low), np.int32(high)], grad=True)
    for low, high in ((0, 0), (-1, 0), (0, -1), (-1, -1), (1, 0))
]


def test_numbers_below_zero_keep_all_diagonals_of_their_side() -> None:
    assert tf.linalg.band_part(tf.ones([3, 4]), -5, -1).numpy().tolist() == [[1.0] * 4] * 3
    assert tf.linalg.band_part(tf.ones([2, 3]), 0, -1).numpy().tolist() == [[1.0, 1.0, 1.0], [0.0, 1.0, 1.0]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: tf.linalg.band_part(tf.ones([3, 4]), 5, 0),
            "num_lower must be negative or less or equal to number of rows (3) got: 5",
        ),
        (
            lambda: tf.linalg.band_part(tf.ones([3, 4]), 0, 5),
            "num_upper must be negative or less or equal to number of columns (4) got: 5",
        ),
        (lambda: tf.linalg.band_part(tf.zeros([3]), 0, 0), "input must be at least 2-dim, received shape: [3]"),
        (lambda: tf.linalg.band_part(tf.zeros([3, 4]), [0], 0), "num_lower must be scalar, got shape [1]"),
    ],
)
def test_what_it_refuses(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        call()
    assert words in str(caught.value)


@pytest.mark.parametrize("dtype", ["float32", "bool", "object"])
@pytest.mark.parametrize("shape", [(300, 260), (2, 256, 300), (257, 2000), (1000, 130)])
def test_large_matrices_keep_the_elements_of_the_band(shape: tuple[int, ...], dtype: str) -> None:
    x = np.full(shape, b"x", object) if dtype == "object" else np.ones(shape, dtype)
    row, column = np.arange(shape[-2])[:, None], np.arange(shape[-1])
    for lower, upper in itertools.product((-1, 0, 1, 40, 63, 64, 100, 255), (-1, 0, 1, 40, 64, 120)):
        is_kept = ((lower < 0) | (row - column <= lower)) & ((upper < 0) | (column - row <= upper))
        wanted = np.where(is_kept, x, b"" if dtype == "object" else np.zeros((), dtype))
        band = tf.linalg.band_part(x, lower, upper).numpy()
        assert band.dtype == wanted.dtype
        np.testing.assert_array_equal(band, wanted)
