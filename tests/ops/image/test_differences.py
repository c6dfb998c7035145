"""Differences between neighbouring pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.nn.samples import array

_FUNCTIONS = (tf.image.image_gradients, tf.image.sobel_edges, tf.image.total_variation)


def test_image_gradients_are_numpys_differences() -> None:
    x = array(2, 3, 4, 2)
    dy, dx = tf.image.image_gradients(x)
    np.testing.assert_allclose(dy.numpy()[:, :-1], np.diff(x, axis=1))
    np.testing.assert_allclose(dx.numpy()[:, :, :-1], np.diff(x, axis=2))
    assert not dy.numpy()[:, -1].any()
    assert not dx.numpy()[:, :, -1].any()


def test_sobel_edges_see_a_ramp() -> None:
    ramp = np.broadcast_to(np.arange(5.0)[None, :, None, None], (1, 5, 4, 2))
    edges = tf.image.sobel_edges(ramp).numpy()
    assert edges.shape == (1, 5, 4, 2, 2)
    np.testing.assert_allclose(edges[0, 1:-1, ..., 0], 8.0)
    np.testing.assert_allclose(edges[..., 1], 0.0)


def test_total_variation_of_a_batch_is_each_pictures() -> None:
    x = array(3, 4, 5, 2)
    batch = tf.image.total_variation(x).numpy()
    np.testing.assert_allclose(batch, [tf.image.total_variation(p).numpy() for p in x], rtol=1e-6)
    expected = np.abs(np.diff(x[0], axis=0)).sum() + np.abs(np.diff(x[0], axis=1)).sum()
    np.testing.assert_allclose(batch[0], expected, rtol=1e-6)


@pytest.mark.parametrize("function", _FUNCTIONS)
def test_sizes_may_be_unknown_while_tracing(function: Any) -> None:
    f = tf.function(lambda x: function(x), input_signature=[tf.TensorSpec([None] * 4)], autograph=False)
    x = tf.constant(array(2, 3, 4, 2))
    tf.nest.map_structure(
        lambda a, b: np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-5), f(x), function(x)
    )


@pytest.mark.xla
@pytest.mark.parametrize("function", _FUNCTIONS)
def test_compiled_is_the_same(function: Any) -> None:
    f = tf.function(lambda x: function(x), jit_compile=True, autograph=False)
    x = tf.constant(array(2, 3, 4, 2))
    tf.nest.map_structure(
        lambda a, b: np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-5), f(x), function(x)
    )


def test_ranks_are_refused() -> None:
    with pytest.raises(ValueError, match="expects a 4D tensor"):
        tf.image.image_gradients(tf.zeros([2, 3]))
    with pytest.raises(ValueError, match="'images' must be either 3 or 4-dimensional"):
        tf.image.total_variation(tf.zeros([2, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="paddings must be the rank of inputs"):
        tf.image.sobel_edges(tf.zeros([2, 3, 3]))
