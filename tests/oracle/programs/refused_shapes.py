"""What is refused, and in which words: scatters, shapes of several tensors, parts of strings, huge empty tensors."""

from __future__ import annotations

from tests.oracle.support import attempt


def prog_scatters_into_tensors(tf, np):
    """Positions, ranks, and one of indices and updates without elements."""
    z, none = tf.zeros([4, 4]), tf.zeros([0, 2], tf.int32)
    scatters = (tf.tensor_scatter_nd_update, tf.tensor_scatter_nd_add, tf.tensor_scatter_nd_max)
    cases = [([[0, 9]], [1.0]), ([[[0, 9]]], [[1.0]]), ([[0]], 1.0), (0, [1.0]), (none, [1.0, 2.0])]
    return [attempt(lambda f=f, i=i, u=u: f(z, i, u), words=9) for f in scatters for i, u in cases]


def prog_scatters(tf, np):
    """The same of scatter_nd."""
    shapes = [([0, 1], [2], [4]), ([2, 1], [0], [4]), ([0, 1], [2, 3], [4, 3])]
    empty = [
        attempt(lambda i=i, u=u, s=s: tf.scatter_nd(tf.zeros(i, tf.int32), tf.zeros(u), s), words=9)
        for i, u, s in shapes
    ]
    outside = [attempt(lambda: tf.scatter_nd([[0, 9]], [1.0], [4, 4]), words=9)]
    return [*empty, *outside, tf.scatter_nd(tf.zeros([0, 1], tf.int32), tf.zeros([0]), [4])]


def prog_asserted_shapes(tf, np):
    """Scalars, three dots as text, an ellipsis."""
    x, m = tf.zeros([3]), tf.ones([2, 3])
    check = tf.debugging.assert_shapes
    pairs = [(x, ()), (x, []), (x, tf.TensorShape([])), (tf.ones([1]), ()), (tf.constant(1), ()), (m, ("...", "..."))]
    pairs += [(m, (..., 3)), (m, ("*", 3)), (m, (..., 4)), (tf.ones([2, 3, 4]), ("...", "Q")), (x, (".",)), (m, (3, ...))]
    return [attempt(lambda p=p: check([p]), words=30) for p in pairs]


def prog_parts_of_strings(tf, np):
    """Unlike shapes while tracing and at once."""
    def traced(pos, size):
        with tf.Graph().as_default():
            return tf.strings.substr(["ab", "cd"], pos, size).shape.as_list()

    eager = [(["a"], [1], [1, 1]), (["a", "b"], [0, 0, 0], [1, 1, 1])]
    return [
        *(attempt(lambda p=p, s=s: traced(p, s), words=7) for p, s in (([1], [1, 1]), (1, [1, 1]), ([[1, 1]], [1, 1]))),
        *(attempt(lambda a=a: tf.strings.substr(*a), words=9) for a in eager),
        traced([0, 1], [1, 1]),
    ]


def prog_large_dimensions_of_empty_tensors(tf, np):
    """Up to what an array can count, and products beyond 2**63."""
    empty = tf.zeros([0])
    shapes = [[2**40, 2**40, 0], [2**62, 2**62, 0]]
    return [
        list(tf.reshape(empty, [2**31, 0]).shape),
        list(tf.zeros([2**31, 0]).shape),
        [attempt(lambda s=s: tf.reshape(empty, s), words=0) for s in shapes],
        [attempt(lambda s=s: tf.zeros(s), words=0) for s in shapes],
        [attempt(lambda s=s: tf.fill(tf.constant(s, tf.int64), 1.0), words=0) for s in shapes],
    ]
