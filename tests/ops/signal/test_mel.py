"""Mel spectra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.fft

import millrace as tf
from tests.ops.signal.numbers import real_numbers


def _matrix(bands: int, count: int, rate: float, low: float, high: float) -> Any:
    mel = lambda hertz: 1127.0 * np.log1p(np.asarray(hertz) / 700.0)  # noqa: E731 (a formula)
    edges = np.linspace(mel(low), mel(high), bands + 2)
    frequencies = mel(np.linspace(0, rate / 2, count))
    return np.stack([np.interp(frequencies, edges[i : i + 3], [0, 1, 0]) for i in range(bands)], axis=1)


@pytest.mark.parametrize(
    "arguments", [(20, 129, 8000, 125.0, 3800.0), (4, 9, 8000, 80.0, 3800.0), (40, 257, 16000, 20, 8000)]
)
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_bands_are_triangles_on_the_mel_scale(arguments: Any, dtype: Any) -> None:
    result = tf.signal.linear_to_mel_weight_matrix(*arguments, dtype=dtype)
    assert result.dtype is dtype
    np.testing.assert_allclose(result, _matrix(*arguments), atol=5e-5 if dtype is tf.float32 else 1e-9)
    assert not result.numpy()[0].any()


def test_the_sample_rate_may_be_a_tensor() -> None:
    expected = tf.signal.linear_to_mel_weight_matrix(8, 17, 8000)
    traced = tf.function(lambda rate: tf.signal.linear_to_mel_weight_matrix(8, 17, rate))
    for rate in (tf.constant(8000), tf.constant(8000.0), tf.constant(8000.0, tf.float64)):
        np.testing.assert_allclose(traced(rate), expected, atol=1e-6)
        np.testing.assert_allclose(tf.signal.linear_to_mel_weight_matrix(8, 17, rate), expected, atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_mel_bins": 0}, "num_mel_bins must be positive. Got: 0"),
        ({"lower_edge_hertz": -1}, "lower_edge_hertz must be non-negative. Got: -1"),
        ({"lower_edge_hertz": 100.0, "upper_edge_hertz": 50.0}, "lower_edge_hertz 100.0 >= upper_edge_hertz 50.0"),
        ({"sample_rate": -3.0}, "sample_rate must be positive. Got: -3.0"),
        ({"upper_edge_hertz": 5000.0}, "upper_edge_hertz must not be larger than the Nyquist frequency"),
        ({"dtype": tf.int32}, "dtype must be a floating point type. Got: <dtype: 'int32'>"),
    ],
)
def test_bad_arguments_raise(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.signal.linear_to_mel_weight_matrix(**arguments)


@pytest.mark.parametrize("spec", ["eager", [2, 3, 8], [None, None, None], None])
def test_coefficients_are_a_cosine_transform(spec: Any) -> None:
    x = real_numbers("float32", 2, 3, 8)
    function = tf.signal.mfccs_from_log_mel_spectrograms
    if spec != "eager":
        function = tf.function(function, input_signature=[tf.TensorSpec(spec)])
    np.testing.assert_allclose(function(x), scipy.fft.dct(x) / 4, atol=1e-5)


def test_no_bins_raise() -> None:
    with pytest.raises(ValueError, match=r"num_mel_bins must be positive. Got"):
        tf.signal.mfccs_from_log_mel_spectrograms(tf.zeros([2, 0]))
    with pytest.raises(ValueError, match="must have rank at least 1"):
        tf.signal.mfccs_from_log_mel_spectrograms(1.0)
