"""Shifting spectra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram
from tests.ops.signal.numbers import complex_numbers

GRADIENT_PROGRAMS = [GradientProgram("Roll", tf.signal.fftshift, [complex_numbers("complex128", 3, 4)])]


@pytest.mark.parametrize("axes", [None, 0, -1, [0], (0, 1), [-1, 0], np.array([2, 1])], ids=str)
@pytest.mark.parametrize("spec", ["eager", [3, 4, 5], [None, None, None], None])
def test_spectra_are_shifted_as_numpy_shifts_them(axes: Any, spec: Any) -> None:
    x = np.arange(60).reshape(3, 4, 5)

    def both(x: Any) -> Any:
        return tf.signal.fftshift(x, axes), tf.signal.ifftshift(x, axes)

    function = both if spec == "eager" else tf.function(both, input_signature=[tf.TensorSpec(spec, tf.int64)])
    there, back = function(x)
    np.testing.assert_array_equal(there, np.fft.fftshift(x, axes))
    np.testing.assert_array_equal(back, np.fft.ifftshift(x, axes))


def test_axes_may_be_a_tensor() -> None:
    x = tf.range(12).numpy().reshape(3, 4)
    np.testing.assert_array_equal(tf.signal.fftshift(x, tf.constant([1])), np.fft.fftshift(x, 1))
    np.testing.assert_array_equal(tf.signal.fftshift(x, tf.constant(1)), np.fft.fftshift(x, 1))


def test_bad_axes_raise() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis 3 is out of range"):
        tf.signal.ifftshift(tf.zeros([2, 2]), axes=3)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.signal.fftshift(1.0)
