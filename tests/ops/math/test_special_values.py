"""The special functions at poles and infinities; the expected values are TensorFlow 2.21's."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("x", "q", "expected"),
    [(1.0, 0.0, INF), (2.0, -1.0, INF), (3.0, -1.0, NAN), (2.5, 0.0, NAN), (INF, 0.0, INF), (3.0, INF, 0.0)],
)
def test_zeta_at_its_poles(x: float, q: float, expected: float) -> None:
    np.testing.assert_equal(float(tf.math.zeta(tf.constant(x, tf.float64), q)), expected)


@pytest.mark.parametrize(("a", "x", "expected"), [(0.0, 0.0, NAN), (1.0, -1.0, INF), (2.0, 0.0, NAN), (INF, 1.0, INF)])
def test_polygamma_at_its_poles(a: float, x: float, expected: float) -> None:
    np.testing.assert_equal(float(tf.math.polygamma(tf.constant(a, tf.float64), x)), expected)


@pytest.mark.parametrize(
    ("a", "x", "lower", "upper"),
    [(-1.0, 0.0, 0.0, NAN), (3.0, 0.0, 0.0, 1.0), (3.0, INF, 1.0, 0.0), (INF, INF, 0.0, 0.0), (INF, 1.0, 0.0, 1.0)],
)
def test_incomplete_gamma_at_the_edges(a: float, x: float, lower: float, upper: float) -> None:
    a = tf.constant(a, tf.float64)
    np.testing.assert_equal(float(tf.math.igamma(a, x)), lower)
    np.testing.assert_equal(float(tf.math.igammac(a, x)), upper)


def test_the_exponential_integral_at_infinity() -> None:
    np.testing.assert_equal(tf.math.special.expint([0.0, INF, -1.0]).numpy(), np.float32([-INF, NAN, NAN]))
