"""Poisson samples: TensorFlow's bits for every pair of dtypes, and rates that make no sense."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.random import philox
from millrace._src.ops.random.poisson import poisson_samples
from tests.ops.random.bits import PROGRAMS, check


@pytest.mark.parametrize("program", PROGRAMS["poisson"])
def test_bits_are_those_of_tensorflow(program: str) -> None:
    check(tf, program)


@pytest.mark.parametrize("rate", [0.5, 9.0, 11.0, 300.0])
def test_mean_and_variance_are_the_rate(rate: float) -> None:
    drawn = poisson_samples(xp, philox.stream_from_seeds(5, 6), 20_000, np.array([rate]), np.dtype(np.float64))
    assert abs(drawn.mean() / rate - 1) < 0.05
    assert abs(drawn.var() / rate - 1) < 0.1


def test_a_rate_beyond_the_dtype_ends_at_its_largest_value() -> None:
    drawn = poisson_samples(xp, philox.stream_from_seeds(5, 6), 3, np.array([1e6]), np.dtype(np.float16))
    assert (drawn == np.finfo(np.float16).max).all()


def test_a_negative_rate_gives_zero() -> None:
    assert not poisson_samples(xp, philox.stream_from_seeds(5, 6), 3, np.array([-1.0]), np.dtype(np.int32)).any()
