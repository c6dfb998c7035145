"""Windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.signal

import millrace as tf

_FUNCTIONS = [
    tf.signal.hann_window,
    tf.signal.hamming_window,
    tf.signal.vorbis_window,
    tf.signal.kaiser_window,
    tf.signal.kaiser_bessel_derived_window,
]


@pytest.mark.parametrize("length", [2, 4, 7, 16, 257])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_windows_are_those_of_scipy(length: int, dtype: str) -> None:
    close, windows = {"float32": 1e-6, "float64": 1e-12}[dtype], scipy.signal.windows
    sym = length % 2 == 1  # TensorFlow's windows of odd length are symmetric
    numbers = tf.as_dtype(dtype)
    pairs: list[Any] = [
        (tf.signal.hann_window(length, dtype=numbers), windows.hann(length, sym)),
        (tf.signal.hann_window(length, periodic=False, dtype=numbers), windows.hann(length)),
        (tf.signal.hamming_window(length, dtype=numbers), windows.hamming(length, sym)),
        (tf.signal.hamming_window(length, False, numbers), windows.hamming(length)),
        (tf.signal.kaiser_window(length, 5.0, numbers), windows.kaiser(length, 5.0)),
    ]
    if length % 2 == 0:
        derived = tf.signal.kaiser_bessel_derived_window(length, 4.0, numbers)
        pairs.append((derived, windows.kaiser_bessel_derived(length, beta=4.0)))
    for window, expected in pairs:
        assert window.dtype == dtype
        np.testing.assert_allclose(window, expected, atol=close)


def test_the_halves_of_a_vorbis_window_complement_each_other() -> None:
    window = tf.signal.vorbis_window(16, tf.float64).numpy()
    np.testing.assert_allclose(window[:8] ** 2 + window[8:] ** 2, 1, rtol=1e-12)
    np.testing.assert_allclose(window, window[::-1], rtol=1e-12)


@pytest.mark.parametrize("function", _FUNCTIONS)
def test_a_length_may_be_a_tensor(function: Any) -> None:
    traced = tf.function(lambda n: function(n), input_signature=[tf.TensorSpec([], tf.int32)])
    for length in (1, 2, 5, 8):
        np.testing.assert_allclose(traced(length), function(length), atol=1e-6)
    assert function(0).shape == [0]


@pytest.mark.parametrize("function", _FUNCTIONS[:4])
def test_a_window_of_one_element_is_one(function: Any) -> None:
    np.testing.assert_allclose(function(1), [1.0])


@pytest.mark.parametrize("function", _FUNCTIONS)
def test_bad_arguments_raise(function: Any) -> None:
    with pytest.raises(ValueError, match=r"dtype must be a floating point type. Found <dtype: 'int32'>"):
        function(4, dtype=tf.int32)
    with pytest.raises(ValueError, match=r"Shape \(1,\) must have rank 0"):
        function([4])
    with pytest.raises(TypeError, match=r"Cannot convert 3.0 to EagerTensor of dtype int32"):
        function(3.0)
    with pytest.raises(ValueError, match="Tensor conversion requested dtype int32"):
        function(tf.constant(3, tf.int64))


@pytest.mark.parametrize("function", _FUNCTIONS)
def test_half_precision_is_computed_in_half_precision(function: Any) -> None:
    assert function(6, dtype=tf.float16).dtype == tf.float16
    np.testing.assert_allclose(function(6, dtype=tf.float16), function(6), atol=2e-3)
