"""Gamma samples: TensorFlow's bits (float64 to the last digits), and the distribution."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.random import philox
from millrace._src.ops.random.gamma import gamma_samples
from tests.ops.random.bits import PROGRAMS, check


@pytest.mark.parametrize("program", PROGRAMS["gamma"])
def test_bits_are_those_of_tensorflow(program: str) -> None:
    check(tf, program)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 2.5, 40.0])
def test_mean_and_variance_are_alpha(alpha: float) -> None:
    with np.errstate(all="ignore"):
        drawn = gamma_samples(xp, philox.stream_from_seeds(5, 6), 20_000, np.array([alpha]))
    assert abs(drawn.mean() / alpha - 1) < 0.05
    assert abs(drawn.var() / alpha - 1) < 0.1


def test_an_impossible_alpha_ends_and_gives_no_number() -> None:
    with np.errstate(all="ignore"):
        drawn = gamma_samples(xp, philox.stream_from_seeds(5, 6), 3, np.array([-1.0, np.nan], np.float32))
    assert np.isnan(drawn).all()
