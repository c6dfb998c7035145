"""Arguments that programs leave empty or give by position: names of comparisons, empty shapes, None for attributes."""

from __future__ import annotations

from tests.oracle.support import attempt


def prog_third_argument_of_equal(tf, np):
    """It is the name."""
    with tf.Graph().as_default():
        names = [call([1, 2], [1, 3], "mine").op.name for call in (tf.equal, tf.not_equal, tf.math.equal)]
    return [names, tf.equal([1, 2], [1, 3], "mine"), tf.compat.v1.not_equal([1, 2], [1, 3], "mine")]


def prog_equal_of_unlike_shapes(tf, np):
    """An error of the functions, False of the operator."""
    calls = (lambda: tf.equal([1, 2], [1, 2, 3]), lambda: tf.not_equal([1, 2], [1, 2, 3], name="n"))
    return [*(attempt(call, words=0) for call in calls), tf.constant([1, 2]) == tf.constant([1, 2, 3])]


def prog_broadcasts_of_empty_shapes(tf, np):
    """The shape of a scalar may be an empty list."""
    pairs = [([], [2]), ([2], []), ([], []), ((), (2,)), ([1, 2], []), (tf.TensorShape([]), [2])]
    wide = tf.constant([2], tf.int64)
    return [
        *(tf.broadcast_dynamic_shape(x, y) for x, y in pairs),
        *(tf.function(lambda x=x, y=y: tf.broadcast_dynamic_shape(x, y))() for x, y in pairs),
        tf.broadcast_dynamic_shape([], wide),
        tf.broadcast_dynamic_shape(wide, []),
        tf.raw_ops.BroadcastArgs(s0=[], s1=[2]),
        attempt(lambda: tf.broadcast_dynamic_shape([2], [3]), words=0),
    ]


def prog_none_for_attributes(tf, np):
    """It is the default."""
    image, kernel = tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 1, 1])
    free = {"use_cudnn_on_gpu": None, "explicit_paddings": None, "data_format": None, "dilations": None}
    return [
        tf.raw_ops.MatMul(a=[[1.0]], b=[[1.0]], transpose_a=None, transpose_b=None),
        tf.raw_ops.ArgMax(input=[1.0, 2.0], dimension=0, output_type=None),
        tf.raw_ops.Squeeze(input=[[1.0]], axis=None),
        tf.raw_ops.Sum(input=[1.0, 2.0], axis=0, keep_dims=None),
        tf.raw_ops.AsString(input=[1.0], fill=None, precision=None),
        tf.raw_ops.LeakyRelu(features=[-1.0], alpha=None),
        tf.raw_ops.Equal(x=[1], y=[1], incompatible_shape_error=None),
        tf.raw_ops.Conv2D(input=image, filter=kernel, strides=[1, 1, 1, 1], padding="SAME", **free),
        tf.function(lambda: tf.raw_ops.MatMul(a=[[1.0]], b=[[1.0]], transpose_a=None))(),
        attempt(lambda: tf.raw_ops.Cast(x=[1.0], DstT=None), words=0),
    ]
