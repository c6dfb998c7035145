import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1
train = v1.train

FORMULAS = {
    "exponential": (lambda s: train.exponential_decay(0.5, s, 10, 0.5), lambda s: 0.5 * 0.5 ** (s / 10)),
    "staircase": (lambda s: train.exponential_decay(0.5, s, 10, 0.5, staircase=True), lambda s: 0.5 * 0.5 ** (s // 10)),
    "natural": (lambda s: train.natural_exp_decay(0.5, s, 10, 0.5), lambda s: 0.5 * np.exp(-0.5 * s / 10)),
    "inverse": (lambda s: train.inverse_time_decay(0.5, s, 10, 0.5), lambda s: 0.5 / (1 + 0.5 * s / 10)),
    "polynomial": (
        lambda s: train.polynomial_decay(0.5, s, 10, 0.1, 2.0),
        lambda s: 0.4 * (1 - min(s, 10) / 10) ** 2 + 0.1,
    ),
    "cycle": (
        lambda s: train.polynomial_decay(0.5, s, 10, 0.1, 2.0, cycle=True),
        lambda s: 0.4 * (1 - s / (10 * max(1, np.ceil(s / 10)))) ** 2 + 0.1,
    ),
    "cosine": (
        lambda s: train.cosine_decay(0.5, s, 10, 0.1),
        lambda s: 0.5 * (0.9 * 0.5 * (1 + np.cos(np.pi * min(s, 10) / 10)) + 0.1),
    ),
    "equal_restarts": (
        lambda s: train.cosine_decay_restarts(0.5, s, 4, 1.0),
        lambda s: 0.25 * (1 + np.cos(np.pi * (s % 4) / 4)),
    ),
    "linear_cosine": (
        lambda s: train.linear_cosine_decay(0.5, s, 10),
        lambda s: 0.5 * ((10 - min(s, 10)) / 10 * 0.5 * (1 + np.cos(np.pi * min(s, 10) / 10)) + 0.001),
    ),
    "piecewise": (
        lambda s: train.piecewise_constant(s, [3, 6], [1.0, 0.5, 0.1]),
        lambda s: 1.0 if s <= 3 else 0.5 if s <= 6 else 0.1,
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_rates_follow_their_formulas(name):
    rate, formula = FORMULAS[name]
    steps = [0, 1, 3, 4, 6, 9, 10, 11, 25]
    with tf.Graph().as_default(), v1.Session() as session:
        step = v1.placeholder(tf.int64, [])
        tensor = rate(step)
        found = [session.run(tensor, {step: value}) for value in steps]
    assert np.allclose(found, [formula(value) for value in steps], rtol=1e-5)
    variable = tf.Variable(0, dtype=tf.int64)
    later = rate(variable)
    variable.assign(4)
    assert np.allclose(later().numpy(), formula(4), rtol=1e-5)


def test_falls_grow_longer_and_lower():
    rate = train.cosine_decay_restarts(1.0, tf.Variable(3), 3, t_mul=2.0, m_mul=0.5)
    assert np.allclose(rate().numpy(), 0.5, rtol=1e-5)


def test_noise_is_gone_at_the_end_and_its_dtype_is_that_of_the_rate():
    rate = train.noisy_linear_cosine_decay(tf.constant(0.5, tf.float64), tf.Variable(10), 10)
    assert rate().dtype is tf.float64
    assert np.allclose(rate().numpy(), 0.5 * 0.001)


def test_boundaries_and_values_that_do_not_fit_are_refused():
    with tf.Graph().as_default():
        step = v1.placeholder(tf.int32, [])
        with pytest.raises(ValueError, match="should be 1 less than the length of values"):
            train.piecewise_constant(step, [3], [1.0])
        with pytest.raises(ValueError, match="must have the same dtype as x"):
            train.piecewise_constant(step, [3.0], [1.0, 2.0])
        with pytest.raises(ValueError, match="must have elements all with the same dtype"):
            train.piecewise_constant(step, [3], [1.0, 2])
