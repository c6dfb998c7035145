"""Class indices: TensorFlow's bits, and logits that are not finite."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.random import philox
from millrace._src.ops.random.categorical import _classes_of, categorical_samples
from tests.ops.random.bits import PROGRAMS, check


@pytest.mark.parametrize("program", PROGRAMS["categorical"])
def test_bits_are_those_of_tensorflow(program: str) -> None:
    check(tf, program)


def test_frequencies_are_the_probabilities() -> None:
    logits = np.log(np.array([[0.1, 0.2, 0.7], [1.0, 1.0, 2.0]]))
    drawn = categorical_samples(xp, philox.stream_from_seeds(5, 6), logits, 20_000)
    shares = [np.bincount(row, minlength=3) / 20_000 for row in drawn]
    np.testing.assert_allclose(shares, [[0.1, 0.2, 0.7], [0.25, 0.25, 0.5]], atol=0.02)


def test_classes_of_infinite_logits_are_never_drawn() -> None:
    logits = np.array([[np.inf, 0.0, -np.inf, np.nan, 1.0]], np.float32)
    drawn = categorical_samples(xp, philox.stream_from_seeds(5, 6), logits, 1000)
    assert set(drawn.ravel().tolist()) == {1, 4}


@pytest.mark.parametrize("classes", [1, 2, 24, 25, 31, 32, 33, 500])
@pytest.mark.parametrize(("rows", "samples"), [(0, 3), (0, 300), (1, 5), (7, 1), (7, 40), (3, 300), (2, 0)])
def test_every_algorithm_finds_those_of_a_search_by_rows(classes: int, rows: int, samples: int) -> None:
    generator = np.random.default_rng(classes)
    cumulative = np.cumsum(generator.integers(0, 3, (rows, classes)).astype(np.float64), axis=1)  # with empty classes
    draws = np.floor(generator.random((rows, samples)) * cumulative[:, -1:])  # that fall on ends of classes
    expected = [np.searchsorted(ends, row, side="right").tolist() for ends, row in zip(cumulative, draws, strict=True)]
    found = _classes_of(xp, cumulative, draws)
    assert found.shape == (rows, samples)
    assert found.dtype == np.int64
    assert found.tolist() == expected
