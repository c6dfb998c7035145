"""The derivative of gamma samples: TensorFlow's values, and the quantile it follows from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import gammaincinv

import millrace as tf
from tests.contracts.sample import GradientProgram, Sample

SAMPLES = [
    Sample("RandomGammaGrad", (np.array([0.5, 2.0, 30.0]), np.array([0.2, 2.5, 28.0]))),
    Sample("RandomGammaGrad", (np.float32(1.5), np.zeros((2, 0), np.float32))),
    Sample("RandomGammaGrad", (np.full((2, 1), 3.0, np.float32), np.array([1.0, 5.0, 0.0], np.float32))),
]


@pytest.mark.parametrize("alpha", [0.1, 0.7, 1.0, 3.0, 25.0, 300.0])
@pytest.mark.parametrize("quantile", [0.02, 0.3, 0.5, 0.9, 0.999])
def test_a_sample_moves_like_its_quantile(alpha: float, quantile: float) -> None:
    step = 1e-5 * alpha
    sample = gammaincinv(alpha, quantile)
    moved = (gammaincinv(alpha + step, quantile) - gammaincinv(alpha - step, quantile)) / (2 * step)
    derivative = tf.raw_ops.RandomGammaGrad(alpha=np.float64(alpha), sample=np.float64(sample)).numpy()
    np.testing.assert_allclose(derivative, moved, rtol=1e-5)


def test_values_are_those_of_tensorflow() -> None:
    alpha = np.array([0.25, 1.0, 1.0, 7.5, 64.0])
    sample = np.array([0.01, 1.0, 3.0, 6.0, 80.0])
    expected = [0.17677355740880704, 1.1735630272247275, 1.9379116938249585, 0.9125873504650983, 1.118623438460606]
    got = tf.raw_ops.RandomGammaGrad(alpha=alpha, sample=sample).numpy()
    np.testing.assert_allclose(got, expected, rtol=1e-9)


def test_no_samples_are_no_trouble() -> None:
    assert tf.raw_ops.RandomGammaGrad(alpha=np.zeros((0,)), sample=np.zeros((0,))).shape == (0,)
    assert np.isnan(tf.raw_ops.RandomGammaGrad(alpha=-1.0, sample=1.0).numpy())
    assert tf.raw_ops.RandomGammaGrad(alpha=2.0, sample=0.0).numpy() == 0


def _implicit(alpha: Any, sample: Any) -> Any:
    """How a quantile of the gamma distribution moves: `-(dP/dalpha) / (dP/dx)`, by differences."""
    step = 1e-4 * np.maximum(sample, 1e-3)
    by_alpha = tf.math.igamma(alpha + 1e-5, sample) - tf.math.igamma(alpha - 1e-5, sample)
    by_sample = tf.math.igamma(alpha, sample + step) - tf.math.igamma(alpha, sample - step)
    return -(by_alpha.numpy() / 2e-5) / (by_sample.numpy() / (2 * step))


def _program(op: str, inputs: dict[str, Any]) -> GradientProgram:
    """Its gradient is checked against the samples drawn last: those of RandomGamma are others every time."""
    drawn: list[Any] = []

    def draw(alpha: Any) -> Any:
        drawn.append(getattr(tf.raw_ops, op)(alpha=alpha, **inputs))
        return drawn[-1]

    def gradient(dy: Any, alpha: Any) -> list[Any]:
        return [np.sum(dy * _implicit(alpha, drawn[-1].numpy()), axis=0)]

    return GradientProgram(
        op,
        draw,
        [np.array([0.8, 2.0, 9.0])],
        gradient=gradient,
        rtol=1e-4,
        xla=False,  # the samples take part of the stream that depends on their values
        no_second="TensorFlow has no second derivative of samples",
    )


_KEY = {"key": np.uint64([7]), "counter": np.uint64([1, 2]), "alg": np.int32(1)}

GRADIENT_PROGRAMS = [
    _program("StatelessRandomGammaV2", {"shape": np.int32([4, 3]), "seed": np.int32([1, 2])}),
    _program("StatelessRandomGammaV3", {"shape": np.int32([4, 3]), **_KEY}),
    _program("RandomGamma", {"shape": np.int32([4]), "seed": 3, "seed2": 5}),
]
