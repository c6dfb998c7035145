"""Losses on a sample of the classes."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.ops.nn.recorded import MODES, Answer, check, wave

RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.nce_loss(wave(5, 4), wave(5), tf.constant([[1], [2]]), wave(2, 4), 3, 5, sampled_values=(tf.constant([1, 3, 0], tf.int64), tf.constant([[0.5], [0.2]]), tf.constant([0.3, 0.4, 0.6])), remove_accidental_hits=True)",  # noqa: E501
        [
            ("float32", (2,), [3.13854, 7.40853]),
        ],
    ),
    (
        "tf.nn.nce_loss(wave(5, 4), wave(5), tf.constant([[1], [2]]), wave(2, 4), 3, 5, sampled_values=(tf.constant([1, 3, 0], tf.int64), tf.constant([[0.5], [0.2]]), tf.constant([0.3, 0.4, 0.6])), remove_accidental_hits=False)",  # noqa: E501
        [
            ("float32", (2,), [6.90064, 7.40853]),
        ],
    ),
    (
        "tf.nn.sampled_softmax_loss(wave(5, 4), wave(5), tf.constant([[1], [2]]), wave(2, 4), 3, 5, sampled_values=(tf.constant([1, 3, 0], tf.int64), tf.constant([[0.5], [0.2]]), tf.constant([0.3, 0.4, 0.6])), remove_accidental_hits=True)",  # noqa: E501
        [
            ("float32", (2,), [0.389864, 1.51576]),
        ],
    ),
    (
        "tf.nn.sampled_softmax_loss(wave(5, 4), wave(5), tf.constant([[1], [2]]), wave(2, 4), 3, 5, sampled_values=(tf.constant([1, 3, 0], tf.int64), tf.constant([[0.5], [0.2]]), tf.constant([0.3, 0.4, 0.6])), remove_accidental_hits=False)",  # noqa: E501
        [
            ("float32", (2,), [1.14532, 1.51576]),
        ],
    ),
    (
        "tf.nn.nce_loss([wave(3, 4), wave(2, 4)], wave(5), tf.constant([[1, 4], [2, 0]]), wave(2, 4), 3, 5, num_true=2, sampled_values=(tf.constant([1, 3, 0], tf.int64), tf.constant([[0.5, 0.1], [0.2, 0.3]]), tf.constant([0.3, 0.4, 0.6])))",  # noqa: E501
        [
            ("float32", (2,), [12.136, 10.793]),
        ],
    ),
    (
        "grads(lambda w, b, x: tf.nn.sampled_softmax_loss(w, b, tf.constant([[1], [2]]), x, 3, 5, sampled_values=(tf.constant([1, 3, 0], tf.int64), tf.constant([[0.5], [0.2]]), tf.constant([0.3, 0.4, 0.6]))), wave(5, 2), wave(5), wave(2, 2))",  # noqa: E501
        [
            (
                "float32",
                (5, 2),
                [-0.00572759, 0.499635, -0.19454, -1.28786, 0.218336, 0.791024, -0.0180685, -0.00279429, 0.0, 0.0],
            ),
            ("float32", (5,), [0.547174, 0.173334, -0.854408, 0.133901, 0.0]),
            ("float32", (2, 2), [0.106019, 1.02566, -0.666201, -1.40852]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


def test_a_seed_draws_what_it_draws_in_tensorflow() -> None:
    tf.random.set_seed(1)
    loss = tf.nn.nce_loss(wave(5, 4), wave(5), tf.constant([[1], [2]]), wave(2, 4), 3, 5)
    np.testing.assert_allclose(loss.numpy(), [5.21674, 5.71158], rtol=1e-5)
    loss = tf.nn.sampled_softmax_loss(wave(5, 4), wave(5), tf.constant([[1], [2]]), wave(2, 4), 3, 5, seed=2)
    np.testing.assert_allclose(loss.numpy(), [0.40311, 1.80992], rtol=1e-4)
