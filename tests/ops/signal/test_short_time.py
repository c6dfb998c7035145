"""Short-time Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.signal

import millrace as tf
from tests.contracts.sample import GradientProgram
from tests.ops.signal.numbers import complex_numbers, real_numbers

GRADIENT_PROGRAMS = [
    GradientProgram("RFFT", lambda x: tf.signal.stft(x, 6, 4), [real_numbers("float64", 2, 15)]),
    GradientProgram("IRFFT", lambda x: tf.signal.inverse_stft(x, 6, 3), [complex_numbers("complex128", 3, 5)]),
]


def _expected(x: Any, length: int, step: int, fft_length: int, window: Any) -> Any:
    starts = range(0, x.shape[-1] - length + 1, step)
    return np.stack([np.fft.rfft(x[..., i : i + length] * window, fft_length) for i in starts], axis=-2)


@pytest.mark.parametrize("spec", ["eager", [2, 30], [None, None], None])
@pytest.mark.parametrize(("length", "step", "fft_length"), [(8, 4, None), (6, 4, None), (5, 3, 16), (6, 2, 4)])
def test_spectra_are_those_of_the_frames(length: int, step: int, fft_length: Any, spec: Any) -> None:
    x = real_numbers("float64", 2, 30)

    def stft(x: Any) -> Any:
        return tf.signal.stft(x, length, step, fft_length), tf.signal.stft(x, length, step, fft_length, window_fn=None)

    function = stft if spec == "eager" else tf.function(stft, input_signature=[tf.TensorSpec(spec, tf.float64)])
    with_window, without = function(tf.constant(x))
    window, points = tf.signal.hann_window(length, dtype=tf.float64).numpy(), fft_length or 8
    np.testing.assert_allclose(with_window, _expected(x, length, step, points, window), atol=1e-12)
    np.testing.assert_allclose(without, _expected(x, length, step, points, 1), atol=1e-12)


@pytest.mark.parametrize("spec", ["eager", [2, 64], [None, None], None])
@pytest.mark.parametrize(("length", "step"), [(8, 4), (12, 4), (9, 3), (6, 2)])
def test_signals_come_back(length: int, step: int, spec: Any) -> None:
    x = real_numbers("float32", 2, 64)

    def there_and_back(x: Any) -> Any:
        window = tf.signal.inverse_stft_window_fn(step)
        return tf.signal.inverse_stft(tf.signal.stft(x, length, step), length, step, window_fn=window)

    function = there_and_back if spec == "eager" else tf.function(there_and_back, input_signature=[tf.TensorSpec(spec)])
    result = function(x).numpy()
    inside = slice(length, (64 - length) // step * step)
    np.testing.assert_allclose(result[:, inside], x[:, inside], atol=1e-5)


def test_the_inverse_cuts_frames_or_appends_zeros() -> None:
    spectra = complex_numbers("complex64", 3, 5)
    frames = np.fft.irfft(spectra, 8)
    for length in (6, 8, 12):
        fitted = np.pad(frames, [(0, 0), (0, 4)])[:, :length]
        result = tf.signal.inverse_stft(spectra, length, 4, 8, window_fn=None)
        np.testing.assert_allclose(result, tf.signal.overlap_and_add(fitted, 4), atol=1e-5)


def test_the_inverse_window_makes_overlapping_squares_one() -> None:
    window = tf.signal.inverse_stft_window_fn(4, tf.signal.hamming_window)(12, tf.float64)
    product = (window * tf.signal.hamming_window(12, dtype=tf.float64)).numpy()
    np.testing.assert_allclose(product.reshape(3, 4).sum(0), 1, rtol=1e-12)
    assert scipy.signal.check_NOLA(window.numpy(), 12, 8)


def test_lengths_may_be_tensors() -> None:
    x = real_numbers("float32", 40)
    scalar = tf.TensorSpec([], tf.int32)
    traced = tf.function(
        lambda x, a, b: tf.signal.stft(x, a, b), input_signature=[tf.TensorSpec([None]), scalar, scalar]
    )
    back = tf.function(
        lambda x, a, b: tf.signal.inverse_stft(x, a, b),
        input_signature=[tf.TensorSpec([None, None], tf.complex64), scalar, scalar],
    )
    for length, step in ((8, 4), (7, 3), (1, 1), (9, 2), (16, 8)):
        spectra = tf.signal.stft(x, length, step)
        np.testing.assert_allclose(traced(x, length, step), spectra, atol=1e-5)
        np.testing.assert_allclose(
            back(spectra, length, step), tf.signal.inverse_stft(spectra, length, step), atol=1e-5
        )


def test_the_window_function_gets_a_tensor_and_a_dtype() -> None:
    calls = []

    def window(length: Any, dtype: Any) -> Any:
        calls.append((tf.is_tensor(length), int(length), dtype))
        return tf.ones([length], dtype)

    tf.signal.stft(tf.range(10.0), 4, 2, window_fn=window)
    tf.signal.inverse_stft(tf.ones([2, 3], tf.complex128), 4, 2, window_fn=window)
    assert calls == [(True, 4, tf.float32), (True, 4, tf.float64)]


def test_bad_arguments_raise() -> None:
    x, z = tf.range(10.0), tf.ones([2, 3], tf.complex64)
    with pytest.raises(ValueError, match="dtype must be a floating point type"):
        tf.signal.stft(tf.range(10), 4, 2)
    with pytest.raises(ValueError, match=r"RFFT requires tf.float32 or tf.float64 inputs"):
        tf.signal.stft(tf.cast(x, tf.float16), 4, 2)
    with pytest.raises(ValueError, match=r"Shape \(\) must have rank at least 1"):
        tf.signal.stft(1.0, 4, 2)
    for lengths in (([4], 2, 4), (4, [2], 4), (4, 2, [4])):
        with pytest.raises(ValueError, match=r"Shape \(1,\) must have rank 0"):
            tf.signal.stft(x, *lengths)
        with pytest.raises(ValueError, match=r"Shape \(1,\) must have rank 0"):
            tf.signal.inverse_stft(z, *lengths)
    with pytest.raises(ValueError, match=r"Shape \(3,\) must have rank at least 2"):
        tf.signal.inverse_stft(z[0], 4, 2)
    with pytest.raises(ValueError, match=r"IRFFT requires tf.complex64 or tf.complex128 inputs"):
        tf.signal.inverse_stft(tf.ones([2, 3]), 4, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        tf.signal.inverse_stft_window_fn(0)(8, tf.float32)
