"""Binomial samples: TensorFlow's bits for every dtype, and parameters at and beyond the edges."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.random import philox
from millrace._src.ops.random.binomial import binomial_samples
from tests.ops.random.bits import PROGRAMS, check


@pytest.mark.parametrize("program", PROGRAMS["binomial"])
def test_bits_are_those_of_tensorflow(program: str) -> None:
    check(tf, program)


@pytest.mark.parametrize(("count", "prob"), [(5.0, 0.2), (40.0, 0.5), (1000.0, 0.9), (12.0, 0.95)])
def test_mean_and_variance_are_those_of_the_distribution(count: float, prob: float) -> None:
    stream = philox.stream_from_seeds(5, 6)
    with np.errstate(all="ignore"):
        drawn = binomial_samples(xp, stream, 20_000, np.array([count]), np.array([prob]), np.dtype(np.float64))
    assert abs(drawn.mean() / (count * prob) - 1) < 0.05
    assert abs(drawn.var() / (count * prob * (1 - prob)) - 1) < 0.1


def test_certain_and_impossible_successes_need_no_luck() -> None:
    counts = np.array([10.0, 10.0, 0.0, -3.0, np.nan, 4.0])
    probs = np.array([0.0, 1.0, 0.5, 0.5, 0.5, np.nan])
    drawn = binomial_samples(xp, philox.stream_from_seeds(5, 6), 2, counts, probs, np.dtype(np.float32))
    np.testing.assert_array_equal(drawn, [[0, 10, 0, 0, np.nan, np.nan]] * 2)
