"""The Fourier transform of real numbers and half spectra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.signal.numbers import complex_numbers, real_numbers

_FORWARD = {
    "RFFT": [((5,), [5]), ((2, 8), [8]), ((2, 8), [5]), ((3,), [1]), ((2, 0), [0]), ((0, 4), [4])],
    "RFFT2D": [((3, 4), [3, 4]), ((2, 5, 3), [4, 3]), ((3, 3), [2, 2]), ((3, 3), [0, 2])],
    "RFFT3D": [((2, 3, 4), [2, 3, 4]), ((2, 3, 2, 5), [2, 2, 5])],
}
_BACKWARD = {
    "IRFFT": [((5,), [8]), ((2, 4), [7]), ((2, 8), [5]), ((3,), [1]), ((3,), [2]), ((3, 1), [0]), ((0, 3), [4])],
    "IRFFT2D": [((3, 4), [3, 6]), ((2, 5, 3), [4, 5]), ((3, 3), [2, 2])],
    "IRFFT3D": [((2, 3, 4), [2, 3, 6]), ((2, 3, 2, 3), [2, 2, 5])],
}


def _vector(values: list[int]) -> Any:
    return np.array(values, np.int32)


SAMPLES = [
    *(
        Sample(
            op,
            (real_numbers(real, *shape), _vector(n)),
            {"Tcomplex": complex_type},
            grad=real == "float64" and 0 not in n,
        )
        for op, cases in _FORWARD.items()
        for shape, n in cases
        for real, complex_type in ((np.float32, tf.complex64), (np.float64, tf.complex128))
        for real in [np.dtype(real).name]
        if real == "float32" or 0 not in shape
    ),
    *(
        Sample(
            op,
            (complex_numbers(complex_type, *shape), _vector(n)),
            {"Treal": real},
            grad=real == tf.float64 and 0 not in n,
        )
        for op, cases in _BACKWARD.items()
        for shape, n in cases
        for complex_type, real in (("complex64", tf.float32), ("complex128", tf.float64))
        if real == tf.float32 or 0 not in shape
    ),
]

_FUNCTIONS = [
    (tf.signal.rfft, tf.signal.irfft, 1),
    (tf.signal.rfft2d, tf.signal.irfft2d, 2),
    (tf.signal.rfft3d, tf.signal.irfft3d, 3),
]


@pytest.mark.parametrize(("transform", "inverse", "rank"), _FUNCTIONS)
@pytest.mark.parametrize("lengths", [None, (3, 4, 5), (1, 2, 4), (4, 7, 9)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_transforms_are_those_of_numpy(transform: Any, inverse: Any, rank: int, lengths: Any, dtype: str) -> None:
    x, spectrum = (
        real_numbers(dtype, 2, 3, 4, 5),
        complex_numbers("complex64", 2, 3, 4, 5).astype({"float32": "complex64", "float64": "complex128"}[dtype]),
    )
    axes, fft_length = tuple(range(-rank, 0)), None if lengths is None else lengths[-rank:]
    forward = np.fft.rfftn(x.astype("float64"), fft_length, axes)
    backward = np.fft.irfftn(spectrum.astype("complex128"), fft_length, axes)
    close = 1e-6 if dtype == "float32" else 1e-14
    np.testing.assert_allclose(transform(tf.constant(x), fft_length), forward, rtol=close, atol=close * 20)
    np.testing.assert_allclose(inverse(tf.constant(spectrum), fft_length), backward, rtol=close, atol=close * 2)


@pytest.mark.parametrize(("transform", "inverse", "rank"), _FUNCTIONS)
def test_unknown_dimensions_and_lengths_are_found_when_the_function_runs(
    transform: Any, inverse: Any, rank: int
) -> None:
    x = real_numbers("float32", 2, 3, 4, 5)
    for spec in (tf.TensorSpec(None, tf.float32), tf.TensorSpec([None] * 4, tf.float32)):
        for lengths in ([3, 4, 5][-rank:], [5, 6, 7][-rank:], [2, 3, 4][-rank:]):
            traced = tf.function(
                lambda x, n: (transform(x, n), transform(x)), input_signature=[spec, tf.TensorSpec([rank], tf.int32)]
            )
            for result, expected in zip(traced(x, lengths), (transform(x, lengths), transform(x)), strict=True):
                np.testing.assert_allclose(result, expected, atol=1e-5)
            y = transform(x)
            back = tf.function(
                lambda y, n: (inverse(y, n), inverse(y)),
                input_signature=[tf.TensorSpec(spec.shape, tf.complex64), tf.TensorSpec([rank], tf.int32)],
            )
            for result, expected in zip(back(y, lengths), (inverse(y, lengths), inverse(y)), strict=True):
                np.testing.assert_allclose(result, expected, atol=1e-5)


def _shape(function: Any, dims: Any, dtype: Any) -> Any:
    shape = tf.function(function).get_concrete_function(tf.TensorSpec(dims, dtype)).outputs[0].shape
    return None if shape.rank is None else shape.as_list()


def test_static_shapes_are_tensorflows() -> None:
    s = tf.signal
    assert _shape(s.rfft, [5], tf.float32) == [3]
    assert _shape(s.rfft, None, tf.float32) is None
    assert _shape(lambda x: s.rfft(x, [5]), [2, None], tf.float32) == [None, 3]
    assert _shape(s.irfft, [5], tf.complex64) == [8]
    assert _shape(s.irfft, [None], tf.complex64) == [None]
    assert _shape(lambda x: s.irfft(x, [7]), [2, None], tf.complex64) == [None, 7]
    assert _shape(lambda x: s.rfft2d(x, [7, 8]), [3, 3], tf.float32) == [7, 5]
    assert _shape(s.irfft2d, [None, 3, 3], tf.complex64) == [None, 3, 4]
    assert _shape(s.irfft3d, [None, 3, None, 3], tf.complex64) == [None] * 4


def test_bad_inputs_raise() -> None:
    with pytest.raises(ValueError, match=r"RFFT requires tf.float32 or tf.float64 inputs, got: tf.Tensor\(\[1. 2.\]"):
        tf.signal.rfft(tf.constant([1.0, 2.0], tf.float16))
    with pytest.raises(ValueError, match=r"IRFFT2D requires tf.complex64 or tf.complex128 inputs, got"):
        tf.signal.irfft2d(tf.constant([[1.0, 2.0]]))
    with pytest.raises(ValueError, match=r"Shape \(2,\) must have rank at least 3"):
        tf.signal.rfft3d([1.0, 2.0])
    for length in ([2, 3], 5):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"fft_length must have shape \[1\]"):
            tf.signal.rfft([1.0, 2.0], length)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"fft_length\[0\] must >= 0, but got: -1"):
        tf.signal.rfft([1.0, 2.0], [-1])
    with pytest.raises(ValueError, match="Dimension must be 1 but is 2"):
        tf.function(lambda x: tf.signal.rfft(x, [2, 3]))(tf.zeros([4]))


def test_the_op_takes_no_fewer_elements_than_its_length() -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Input dimension 1 must have length of at least 5 but got: 2"
    ):
        tf.raw_ops.RFFT(input=tf.ones([3, 2]), fft_length=[5])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Input dimension 0 must have length of at least 3 but got: 2"
    ):
        tf.raw_ops.IRFFT(input=tf.complex([1.0, 2.0], 0.0), fft_length=[5])


def test_types_of_two_precisions_raise() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Wrong types for forward real FFT: in=1 out=18"):
        tf.raw_ops.RFFT(input=[1.0, 2.0], fft_length=[2], Tcomplex=tf.complex128)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Wrong types for backward real FFT: in=8 out=2"):
        tf.raw_ops.IRFFT(input=tf.complex([1.0, 2.0], 0.0), fft_length=[2], Treal=tf.float64)
