"""Distributions against SciPy, and samples against their own statistics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import millrace as tf
from millrace._src.compat_v1.distributions.distribution import derive_seed

d = tf.compat.v1.distributions
X = np.array([0.1, 0.4, 0.7], np.float64)
CONTINUOUS = [
    (d.Normal(np.float64(0.5), np.float64(2.0)), stats.norm(0.5, 2.0)),
    (d.Uniform(np.float64(0.25), np.float64(2.0)), stats.uniform(0.25, 1.75)),
    (d.Laplace(np.float64(0.5), np.float64(2.0)), stats.laplace(0.5, 2.0)),
    (d.StudentT(np.float64(4.0), np.float64(0.5), np.float64(2.0)), stats.t(4.0, 0.5, 2.0)),
    (d.Gamma(np.float64(2.0), np.float64(3.0)), stats.gamma(2.0, scale=1 / 3)),
    (d.Exponential(np.float64(3.0)), stats.expon(scale=1 / 3)),
    (d.Beta(np.float64(2.0), np.float64(3.0)), stats.beta(2.0, 3.0)),
]


@pytest.mark.parametrize(("ours", "theirs"), CONTINUOUS, ids=[type(pair[0]).__name__ for pair in CONTINUOUS])
def test_a_distribution_over_numbers_agrees_with_scipy(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(ours.prob(X), theirs.pdf(X), rtol=1e-6)
    np.testing.assert_allclose(ours.cdf(X), theirs.cdf(X), rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(ours.entropy(), theirs.entropy(), rtol=1e-6)
    np.testing.assert_allclose([ours.mean(), ours.variance()], theirs.stats("mv"), rtol=1e-6)


def test_the_logarithm_of_the_normal_cdf_is_right_in_the_tails() -> None:
    z = np.array([-300.0, -38.0, -21.0, -19.0, -5.0, 0.0, 5.0, 9.0])
    found = d.Normal(np.float64(0.0), np.float64(1.0)).log_cdf(z)
    np.testing.assert_allclose(found, stats.norm.logcdf(z), rtol=1e-6)


@pytest.mark.parametrize("ours", [pair[0] for pair in CONTINUOUS], ids=lambda ours: type(ours).__name__)
def test_samples_have_the_mean_of_the_distribution(ours: Any) -> None:
    tf.random.set_seed(1)
    samples = ours.sample(20_000, seed=2).numpy()
    assert samples.mean() == pytest.approx(ours.mean().numpy(), abs=5 * samples.std() / 140)


def test_counts_add_up_to_the_draws() -> None:
    tf.random.set_seed(1)
    for distribution in (d.Multinomial(5.0, probs=[[0.2, 0.8], [0.5, 0.5]]), d.DirichletMultinomial(5.0, [1.0, 2.0])):
        samples = distribution.sample([4], seed=2).numpy()
        assert (samples.sum(-1) == 5).all()


@pytest.mark.parametrize("ours", [d.Categorical(probs=[0.1, 0.2, 0.7]), d.Bernoulli(probs=0.3)])
def test_classes_are_drawn_as_often_as_they_are_probable(ours: Any) -> None:
    tf.random.set_seed(1)
    samples = ours.sample(20_000, seed=2).numpy()
    for value in range(samples.max() + 1):
        assert (samples == value).mean() == pytest.approx(ours.prob(value).numpy(), abs=0.02)


def test_a_second_draw_has_a_seed_of_its_own() -> None:
    assert derive_seed(None, "beta") is None
    assert len({derive_seed(3, "beta"), derive_seed(3, "student_t"), derive_seed(4, "beta"), 3}) == 4
