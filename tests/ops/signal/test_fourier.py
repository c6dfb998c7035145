"""The Fourier transform of complex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.signal.numbers import complex_numbers

_OPS = {"FFT": 1, "IFFT": 1, "FFT2D": 2, "IFFT2D": 2, "FFT3D": 3, "IFFT3D": 3}
_SHAPES = {1: [(5,), (3, 8), (2, 0), (0, 4)], 2: [(3, 4), (2, 5, 3)], 3: [(2, 3, 4), (2, 3, 2, 1)]}

SAMPLES = [
    *(Sample(op, (complex_numbers("complex64", *s),)) for op, rank in _OPS.items() for s in _SHAPES[rank]),
    *(
        Sample(op, (complex_numbers("complex128", *s),), grad=True)
        for op, rank in _OPS.items()
        for s in _SHAPES[rank]
        if 0 not in s
    ),
]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(
    ("function", "expected", "rank"),
    [
        (tf.signal.fft, np.fft.fft, 1),
        (tf.signal.ifft, np.fft.ifft, 1),
        (tf.signal.fft2d, np.fft.fft2, 2),
        (tf.signal.ifft2d, np.fft.ifft2, 2),
        (tf.signal.fft3d, lambda x: np.fft.fftn(x, axes=(-3, -2, -1)), 3),
        (tf.signal.ifft3d, lambda x: np.fft.ifftn(x, axes=(-3, -2, -1)), 3),
    ],
)
def test_a_transform_is_that_of_numpy(function: Any, expected: Any, rank: int, dtype: str) -> None:
    x = complex_numbers(dtype, 2, 3, 4, 5)
    result = function(x)
    assert result.dtype == dtype
    tolerance = 1e-6 if dtype == "complex64" else 1e-14
    np.testing.assert_allclose(result, expected(x.astype("complex128")), rtol=tolerance, atol=tolerance * 10)


def test_real_numbers_of_python_become_complex64() -> None:
    assert tf.signal.fft([1.0, 2.0]).dtype == tf.complex64
    assert tf.signal.fft([1.0 + 2.0j, 2.0]).dtype == tf.complex128


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_too_few_dimensions_raise(rank: int) -> None:
    function = (tf.signal.fft, tf.signal.fft2d, tf.signal.fft3d)[rank - 1]
    x = tf.zeros([4] * (rank - 1), tf.complex64)
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"Input must have rank of at least {rank} but got"):
        function(x)
    with pytest.raises(ValueError, match=f"Shape must be at least rank {rank} but is rank {rank - 1}"):
        tf.function(function).get_concrete_function(tf.TensorSpec(x.shape, tf.complex64))


def test_a_tensor_of_real_numbers_raises() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Value for attr 'Tcomplex' of float is not in the list"):
        tf.signal.fft(tf.constant([1.0, 2.0]))


def test_shapes_pass_through() -> None:
    fft = tf.function(tf.signal.fft2d)
    assert fft.get_concrete_function(tf.TensorSpec([None, 3, 4], tf.complex64)).outputs[0].shape.as_list() == [
        None,
        3,
        4,
    ]
    assert fft.get_concrete_function(tf.TensorSpec(None, tf.complex64)).outputs[0].shape.rank is None


def test_the_names_of_tensorflow_1_are_the_same_functions() -> None:
    v1 = tf.compat.v1
    assert v1.fft is v1.spectral.fft is v1.signal.fft is tf.signal.fft
    assert v1.ifft3d is v1.spectral.ifft3d is tf.signal.ifft3d
