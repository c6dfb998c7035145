"""One class for each row under a seed of its own: the bits of the op that is called row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf


def _one_by_one(logits: Any, seeds: Any) -> list[int]:
    return [
        int(tf.random.stateless_categorical(row, 1, seed=seed)[0, 0]) for row, seed in zip(logits, seeds, strict=True)
    ]


def _seeds(count: int, dtype: Any = np.int64) -> Any:
    limits = np.iinfo(dtype)
    return np.random.RandomState(1).randint(limits.min, limits.max, [count, 2], dtype=dtype)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_rows_of_one_distribution_draw_as_one_by_one(dtype: Any) -> None:
    logits, seeds = np.array([[-1.6, -np.inf, -1.2, -0.7]]), _seeds(200, dtype)
    drawn = tf.vectorized_map(lambda seed: tf.random.stateless_categorical(logits, 1, seed=seed), seeds)
    assert drawn.shape == [200, 1, 1]
    assert drawn.numpy().reshape(-1).tolist() == _one_by_one([logits] * 200, seeds)
    assert set(drawn.numpy().reshape(-1).tolist()) == {0, 2, 3}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_their_own_distributions_draw_as_one_by_one(dtype: Any) -> None:
    logits, seeds = np.random.RandomState(2).normal(size=[200, 1, 7]).astype(dtype), _seeds(200)
    draw = tf.function(lambda pair: tf.random.stateless_categorical(pair[0], 1, seed=pair[1]))
    drawn = tf.vectorized_map(draw, (logits, seeds))
    assert drawn.numpy().reshape(-1).tolist() == _one_by_one(logits, seeds)


def test_one_seed_for_rows_of_their_own_distributions() -> None:
    logits = np.random.RandomState(2).normal(size=[50, 1, 7])
    drawn = tf.vectorized_map(lambda row: tf.random.stateless_categorical(row, 1, seed=[3, 4]), logits)
    assert drawn.numpy().reshape(-1).tolist() == _one_by_one(logits, [[3, 4]] * 50)


def test_several_classes_for_a_row_are_left_to_a_loop() -> None:
    logits, seeds = np.zeros([1, 3]), _seeds(5)
    drawn = tf.vectorized_map(lambda seed: tf.random.stateless_categorical(logits, 4, seed=seed), seeds)
    expected = [tf.random.stateless_categorical(logits, 4, seed=seed).numpy().tolist() for seed in seeds]
    assert drawn.numpy().tolist() == expected
