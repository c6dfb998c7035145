"""The modified discrete cosine transform."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram
from tests.ops.signal.numbers import real_numbers

GRADIENT_PROGRAMS = [
    GradientProgram("FFT", lambda x: tf.signal.mdct(x, 4), [real_numbers("float64", 2, 9)]),
    GradientProgram("FFT", tf.signal.inverse_mdct, [real_numbers("float64", 3, 4)]),
]
_WINDOWS = [tf.signal.vorbis_window, tf.signal.kaiser_bessel_derived_window, None]


@pytest.mark.parametrize("window", _WINDOWS)
@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("spec", ["eager", [2, 32], [None, None]])
def test_signals_come_back_but_for_half_a_frame_at_the_ends(window: Any, norm: Any, spec: Any) -> None:
    x = real_numbers("float32", 2, 32)

    def there_and_back(x: Any) -> Any:
        return tf.signal.inverse_mdct(tf.signal.mdct(x, 8, window, norm=norm), window, norm)

    function = there_and_back if spec == "eager" else tf.function(there_and_back, input_signature=[tf.TensorSpec(spec)])
    np.testing.assert_allclose(function(x).numpy()[:, 4:-4], x[:, 4:-4], atol=1e-5)


@pytest.mark.parametrize("norm", [None, "ortho"])
def test_coefficients_follow_the_definition(norm: Any) -> None:
    x, half = real_numbers("float64", 16), 4
    n, k = np.arange(2 * half), np.arange(half)[:, None]
    basis = np.cos(np.pi / half * (n + 0.5 + half / 2) * (k + 0.5)) * (2 if norm is None else (2 / half) ** 0.5)
    window = tf.signal.vorbis_window(8, tf.float64).numpy()
    frames = np.stack([x[i : i + 8] for i in range(0, 9, 4)])
    result = tf.signal.mdct(tf.constant(x), 8, norm=norm)
    np.testing.assert_allclose(result, (frames * window) @ basis.T, atol=1e-12)


def test_a_signal_is_filled_up_on_demand() -> None:
    x = tf.range(21.0)
    assert tf.signal.mdct(x, 8).shape == [4, 4]
    assert tf.signal.mdct(x, 8, pad_end=True).shape == [6, 4]


def test_bad_arguments_raise() -> None:
    x = tf.range(16.0)
    with pytest.raises(ValueError, match="The frame length must be a multiple of 4"):
        tf.signal.mdct(x, 6)
    for call in (lambda: tf.signal.mdct(x, 8, norm="z"), lambda: tf.signal.inverse_mdct(tf.ones([2, 4]), norm="z")):
        with pytest.raises(ValueError, match=r"Unknown normalization. Expected None or 'ortho', got: z"):
            call()
    with pytest.raises(ValueError, match=r"Shape \(\) must have rank at least 1"):
        tf.signal.mdct(1.0, 8)
    with pytest.raises(ValueError, match=r"Shape \(4,\) must have rank at least 2"):
        tf.signal.inverse_mdct(tf.ones([4]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Number of ways to split should evenly divide"):
        tf.signal.inverse_mdct(tf.ones([2, 3]))
