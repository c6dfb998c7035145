"""Sums and means of many floats: the digits that float32 has."""

from __future__ import annotations

from tests.oracle.support import Approx


def _batch(np, *shape):
    places = np.arange(np.prod(shape), dtype=np.float64)
    return (np.cos(places * 0.37) * 2 + 3).reshape(shape).astype(np.float32)


def _close(value):
    return Approx(value, rtol=2e-5, atol=1e-5)


def prog_sums_over_leading_axes(tf, np):
    """Every set of leading axes."""
    x = tf.constant(_batch(np, 64, 14, 14, 8))
    return _close([tf.reduce_sum(x, [0, 1, 2]), tf.reduce_sum(x, [0, 1])[:2], tf.reduce_mean(x, [0, 1, 2], keepdims=True)])


def prog_sums_over_inner_and_last_axes(tf, np):
    """Axes in the middle and at the end."""
    x = tf.constant(_batch(np, 16, 40, 3))
    return _close([tf.reduce_sum(x, 1), tf.reduce_sum(x, [0, 2]), tf.reduce_mean(x, -1)[:2], tf.reduce_sum(x)])


def prog_sums_of_transposed_tensors(tf, np):
    """A transposed tensor, in a function too."""
    x = tf.constant(_batch(np, 32, 12, 12, 4))
    f = tf.function(lambda t: tf.reduce_sum(tf.transpose(t, [0, 3, 1, 2]), [0, 2, 3]))
    return _close([f(x), tf.reduce_mean(tf.transpose(x, [3, 0, 1, 2]), [1, 2, 3])])


def prog_sums_of_wide_rows(tf, np):
    """Rows of more than a thousand elements."""
    x = tf.constant(_batch(np, 100, 1100))
    return _close([tf.reduce_sum(x, 0)[::100], tf.reduce_mean(x, 0)[::100]])


def prog_moments(tf, np):
    """The moments of a batch of images."""
    return _close(tf.nn.moments(tf.constant(_batch(np, 32, 28, 28, 4)), [0, 1, 2]))


def prog_batch_normalization(tf, np):
    """A training step of batch normalization: moments and gradients."""
    x, scale, offset = tf.constant(_batch(np, 32, 14, 14, 6)), tf.linspace(0.5, 2.0, 6), tf.zeros([6])
    with tf.GradientTape() as tape:
        tape.watch([x, scale, offset])
        y, mean, variance, *_ = tf.raw_ops.FusedBatchNormV3(x=x, scale=scale, offset=offset, mean=[], variance=[])
        loss = tf.reduce_mean(tf.sin(y + 1))
    dx, dscale, doffset = tape.gradient(loss, [x, scale, offset])
    return Approx([mean, variance, loss, dscale, doffset, dx[0, 0, :3]], rtol=5e-5, atol=1e-6)


def prog_gradient_of_a_bias(tf, np):
    """The sum over all but the channels."""
    x = tf.constant(_batch(np, 64, 10, 10, 5))
    return _close([tf.raw_ops.BiasAddGrad(out_backprop=x), tf.raw_ops.BiasAddGrad(out_backprop=tf.transpose(x, [0, 3, 1, 2]), data_format="NCHW")])


def prog_float64(tf, np):
    """float64 has its own digits."""
    x = tf.constant(_batch(np, 5000, 6), tf.float64)
    return Approx([tf.reduce_sum(x, 0), tf.reduce_mean(x, 1)[:3]], rtol=1e-13, atol=0)
