"""The stateless gamma, Poisson, binomial and categorical ops: samples for the contracts, shapes, gradients."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample

_SEED = np.array([1, 2], np.int32)
_KEY = (np.array([7], np.uint64), np.array([5, 6], np.uint64), np.int32(1))


def _shape(*sizes: int) -> np.ndarray:
    return np.array(sizes, np.int32)


SAMPLES = [
    *(Sample("StatelessRandomGammaV2", (_shape(4, 3), _SEED, np.array([0.5, 1, 9], d))) for d in ("f2", "f4", "f8")),
    Sample("StatelessRandomGammaV2", (_shape(), _SEED, np.float32(2))),
    Sample("StatelessRandomGammaV2", (_shape(0, 2), _SEED, np.ones(2))),
    *(Sample("StatelessRandomGammaV3", (_shape(4, 3), *_KEY, np.array([0.5, 1, 9], d))) for d in ("f2", "f4", "f8")),
    *(
        Sample("StatelessRandomPoisson", (_shape(4, 2), _SEED, np.array([2, 40], d)), {"dtype": out})
        for d in ("f2", "f4", "f8", "i4", "i8")
        for out in (tf.float16, tf.float32, tf.float64, tf.int32, tf.int64)
    ),
    Sample("StatelessRandomPoisson", (_shape(0), _SEED, np.float32(2)), {"dtype": tf.int32}),
    *(
        Sample("StatelessRandomBinomial", (_shape(4, 2), _SEED, np.array([3, 90], d), np.array(0.5, d)), {"dtype": out})
        for d in ("f2", "f4", "f8")
        for out in (tf.float16, tf.float32, tf.float64, tf.int32, tf.int64)
    ),
    Sample("StatelessRandomBinomial", (_shape(0), _SEED, np.float32(2), np.float32(0.5)), {"dtype": tf.int32}),
    *(Sample("StatelessMultinomial", (np.ones((1, 3), d), np.int32(1), _SEED)) for d in ("f4", "f8")),
    *(Sample("StatelessMultinomial", (np.ones((2, 3), d), np.int32(5), _SEED)) for d in ("f2", "f4", "f8", "i4")),
    Sample("StatelessMultinomial", (np.ones((0, 3), "f4"), np.int32(5), _SEED), {"output_dtype": tf.int32}),
    Sample("StatelessMultinomial", (np.ones((2, 3), "f4"), np.int32(0), _SEED)),
]


def test_a_shape_ends_with_that_of_the_parameters() -> None:
    for draw in (
        lambda: tf.random.stateless_gamma([2], [1, 2], [1.0, 2.0, 3.0]),
        lambda: tf.random.stateless_poisson([2], [1, 2], [1.0, 2.0, 3.0]),
        lambda: tf.random.stateless_binomial([2], [1, 2], [1.0, 2.0, 3.0], 0.5),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Shape passed in must end with broadcasted shape"):
            draw()


def test_counts_and_probabilities_broadcast() -> None:
    for draw in (
        lambda: tf.random.stateless_binomial([2], [1, 2], [1.0, 2.0, 3.0], [0.5, 0.5]),
        lambda: tf.random.Generator.from_seed(1).binomial([2], [1.0, 2.0, 3.0], [0.5, 0.5]),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            draw()
        assert "counts and probs must have compatible batch dimensions: [3] vs. [2]" in str(error.value)


def test_logits_are_a_matrix_with_classes() -> None:
    for arguments, message in (
        (([1.0, 2.0], 3), "logits should be a matrix, got shape [2]"),
        (([[1.0, 2.0]], -1), "num_samples should be non-negative, got -1"),
        (([[1.0, 2.0]], [3]), "num_samples should be a scalar, got shape [1]"),
        ((np.zeros((2, 0)), 3), "num_classes should be positive, got 0"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            tf.random.stateless_categorical(*arguments, [1, 2])
        assert message in str(error.value)


def test_gradients_of_gamma_samples_are_those_of_tensorflow() -> None:
    alpha, beta = tf.constant([0.5, 2.0, 9.0]), tf.constant([[1.0], [4.0]])
    with tf.GradientTape() as tape:
        tape.watch([alpha, beta])
        samples = tf.random.stateless_gamma([4, 2, 3], [1, 2], alpha, beta)
    gradients = [g.numpy() for g in tape.gradient(samples, [alpha, beta])]
    np.testing.assert_allclose(gradients[0], [4.004664421081543, 5.885993003845215, 4.892488479614258], rtol=1e-5)
    np.testing.assert_allclose(gradients[1], [[-43.70006561279297], [-3.0569396018981934]], rtol=1e-5)


def test_a_gamma_gradient_flows_through_a_function() -> None:
    @tf.function(autograph=False)
    def total(alpha):  # type: ignore[no-untyped-def]
        with tf.GradientTape() as tape:
            tape.watch(alpha)
            drawn = tf.random.stateless_gamma([4, 3], [1, 2], alpha)
        return tape.gradient(drawn, alpha)

    alpha = tf.constant([0.5, 2.0, 9.0])
    with tf.GradientTape() as tape:
        tape.watch(alpha)
        drawn = tf.random.stateless_gamma([4, 3], [1, 2], alpha)
    np.testing.assert_allclose(total(alpha).numpy(), tape.gradient(drawn, alpha).numpy(), rtol=1e-6)
