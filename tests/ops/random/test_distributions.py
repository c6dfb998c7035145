"""Uniform, normal and integer numbers: TensorFlow's bits for every dtype, size and seed."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.random import distributions, philox
from tests.ops.random.bits import PROGRAMS, check

FLOATS = [np.dtype(d) for d in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)]


@pytest.mark.parametrize("program", PROGRAMS["distributions"])
def test_bits_are_those_of_tensorflow(program: str) -> None:
    check(tf, program)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("draw", [distributions.uniform, distributions.normal])
def test_a_long_draw_begins_like_a_short_one(draw, dtype) -> None:  # type: ignore[no-untyped-def]
    stream = philox.stream_from_seeds(1, 2)
    long = draw(xp, stream, (70_001,), dtype)
    assert long.dtype == dtype
    assert (draw(xp, stream, (13,), dtype) == long[:13]).all()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_uniform_numbers_lie_in_their_interval(dtype) -> None:  # type: ignore[no-untyped-def]
    drawn = distributions.uniform(xp, philox.stream_from_seeds(1, 2), (50_000,), dtype).astype(np.float64)
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert abs(drawn.mean() - 0.5) < 0.01


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_truncated_numbers_lie_within_two(dtype) -> None:  # type: ignore[no-untyped-def]
    drawn = distributions.truncated_normal(xp, philox.stream_from_seeds(1, 2), (50_000,), dtype).astype(np.float64)
    assert np.abs(drawn).max() <= 2
    assert abs(drawn.mean()) < 0.02
    assert abs(drawn.std() - 0.88) < 0.01


def test_empty_shapes_draw_nothing() -> None:
    stream = philox.stream_from_seeds(1, 2)
    for draw in (distributions.uniform, distributions.normal, distributions.truncated_normal):
        assert draw(xp, stream, (3, 0), np.dtype(np.float32)).shape == (3, 0)
        assert draw(xp, stream, (), np.dtype(np.float32)).shape == ()


def test_integers_cover_an_interval_wider_than_half_the_range() -> None:
    low, high = np.array(-(2**31), np.int32), np.array(2**31 - 1, np.int32)
    drawn = distributions.uniform_int(xp, philox.stream_from_seeds(1, 2), (10_000,), low, high)
    assert drawn.dtype == np.int32
    assert drawn.min() < -(2**30) < 2**30 < drawn.max()


@pytest.mark.parametrize("shape", [(), (1,), (0,), (2, 0), (1, 1, 1), (2, 3), (50, 40)])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_bounded_integers_have_every_shape(shape: tuple[int, ...], dtype: type) -> None:
    for _ in range(4):  # at once, and drawn ahead
        numbers = distributions.uniform_int(xp, philox.stream_from_seeds(3, 4), shape, dtype(-3), dtype(9))
        assert numbers.shape == shape
        assert numbers.dtype == dtype
        assert ((numbers >= -3) & (numbers < 9)).all()
    for scalar in (tf.random.uniform([], 0, 5, tf.int32), tf.random.stateless_uniform([], [1, 2], 0, 5, tf.int64)):
        assert scalar.shape == ()
