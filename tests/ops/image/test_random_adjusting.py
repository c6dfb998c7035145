"""Adjustments by a random amount."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.image.test_color_spaces import _pixels

_STATELESS: dict[str, Any] = {
    "brightness": lambda x, s: tf.image.stateless_random_brightness(x, 0.3, s),
    "contrast": lambda x, s: tf.image.stateless_random_contrast(x, 0.3, 1.6, s),
    "hue": lambda x, s: tf.image.stateless_random_hue(x, 0.4, s),
    "saturation": lambda x, s: tf.image.stateless_random_saturation(x, 0.3, 1.6, s),
}
_STATEFUL: dict[str, Any] = {
    "brightness": lambda x: tf.image.random_brightness(x, 0.3),
    "contrast": lambda x: tf.image.random_contrast(x, 0.3, 1.6),
    "hue": lambda x: tf.image.random_hue(x, 0.4),
    "saturation": lambda x: tf.image.random_saturation(x, 0.3, 1.6),
}


def test_the_amount_is_a_uniform_number_of_the_seed() -> None:
    x = tf.constant(_pixels(2, 2, 3))
    delta = tf.random.stateless_uniform([], (1, 2), -0.3, 0.3)
    assert np.array_equal(_STATELESS["brightness"](x, (1, 2)), tf.image.adjust_brightness(x, delta))


@pytest.mark.xla
@pytest.mark.parametrize("name", _STATELESS)
def test_a_graph_and_xla_draw_the_same(name: str) -> None:
    function, x, seed = _STATELESS[name], tf.constant(_pixels(2, 2, 3)), tf.constant([3, 4])
    for compiled in (False, True):
        found = tf.function(function, autograph=False, jit_compile=compiled)(x, seed)
        np.testing.assert_allclose(found.numpy(), function(x, seed).numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", _STATEFUL)
def test_the_global_seed_starts_the_stream_over(name: str) -> None:
    x, found = tf.constant(_pixels(2, 2, 3)), []
    for _ in range(2):
        tf.random.set_seed(8)
        found.append([_STATEFUL[name](x).numpy() for _ in range(2)])
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0][0], found[0][1])


@pytest.mark.parametrize("name", _STATELESS)
def test_amounts_out_of_range_are_refused(name: str) -> None:
    x, limits = tf.zeros([1, 1, 3]), {"brightness": [(-0.1,)], "hue": [(-0.1,), (0.6,)]}
    for amounts in limits.get(name, [(-0.1, 1.0), (0.5, 0.5)]):
        with pytest.raises(ValueError, match="must be"):
            getattr(tf.image, f"random_{name}")(x, *amounts)
        with pytest.raises(ValueError, match="must be"):
            getattr(tf.image, f"stateless_random_{name}")(x, *amounts, seed=(1, 2))
