"""Cosine transforms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.fft

import millrace as tf
from tests.contracts.sample import GradientProgram
from tests.ops.signal.numbers import real_numbers

_KINDS = [(1, None), *((type, norm) for type in (2, 3, 4) for norm in (None, "ortho"))]


def _program(type: int, norm: Any) -> GradientProgram:
    op = {1: "RFFT", 2: "RFFT", 3: "IRFFT", 4: "FFT"}[type]
    return GradientProgram(op, lambda x: tf.signal.dct(x, type, norm=norm), [real_numbers("float64", 2, 5)])


GRADIENT_PROGRAMS = [_program(*kind) for kind in _KINDS]


@pytest.mark.parametrize(("type", "norm"), _KINDS)
@pytest.mark.parametrize("n", [None, 4, 7, 11])
@pytest.mark.parametrize("spec", ["eager", [2, 3, 7], [None, None, None], None])
def test_transforms_are_those_of_scipy(type: int, norm: Any, n: Any, spec: Any) -> None:
    x = real_numbers("float64", 2, 3, 7)
    size = n or 7

    def both(x: Any) -> Any:
        return tf.signal.dct(x, type, n=n, norm=norm), tf.signal.idct(x, type, n=n, norm=norm)

    function = both if spec == "eager" else tf.function(both, input_signature=[tf.TensorSpec(spec, tf.float64)])
    forward, backward = function(tf.constant(x))
    factor = 1 if norm else 2 * (size - 1 if type == 1 else size)
    np.testing.assert_allclose(forward, scipy.fft.dct(x, type, n, norm=norm), atol=1e-12)
    np.testing.assert_allclose(backward, scipy.fft.idct(x, type, n, norm=norm) * factor, atol=1e-12)


def test_single_precision_stays_single() -> None:
    x = real_numbers("float32", 3, 64)
    for type, norm in _KINDS:
        result = tf.signal.dct(x, type, norm=norm)
        assert result.dtype == tf.float32
        expected = scipy.fft.dct(x.astype("float64"), type, norm=norm)
        np.testing.assert_allclose(result, expected, atol=1e-6 * np.abs(expected).max())


def test_the_number_of_elements_may_be_a_tensor() -> None:
    traced = tf.function(
        lambda x, n: tf.signal.dct(x, n=n), input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)]
    )
    for n in (3, 5, 9):
        np.testing.assert_allclose(traced(tf.range(5.0), n), tf.signal.dct(tf.range(5.0), n=n), atol=1e-5)


def test_bad_arguments_raise() -> None:
    x = tf.range(4.0)
    for function in (tf.signal.dct, tf.signal.idct):
        with pytest.raises(ValueError, match=r"Types I, II, III and IV \(I\)DCT are supported"):
            function(x, type=5)
        with pytest.raises(ValueError, match=r"Unknown normalization. Expected None or 'ortho', got: bad"):
            function(x, norm="bad")
        with pytest.raises(ValueError, match="Normalization is not supported for the Type-I DCT"):
            function(x, type=1, norm="ortho")
        with pytest.raises(ValueError, match="n should be a positive integer or None"):
            function(x, n=0)
        with pytest.raises(NotImplementedError, match=r"axis must be -1. Got: 0"):
            function(x, axis=0)
        with pytest.raises(TypeError, match=r"must be one of \[tf.float32, tf.float64\]"):
            function([1, 2, 3])
        with pytest.raises(ValueError, match=r"Shape \(\) must have rank at least 1"):
            function(1.0)
