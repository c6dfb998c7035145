"""`TensorShape.dims`: `Dimension` objects, whose arithmetic knows unknown sizes."""

from __future__ import annotations

import copy
import operator
import pickle

from tests.oracle.support import attempt


def _text(*values):
    return [repr(value) for value in values]


def prog_dims_and_elements(tf, np):
    """Objects in `dims`, integers by position."""
    s = tf.TensorShape([2, None, 3])
    return [
        *_text(s.dims, s[:2].dims, tf.TensorShape(None).dims, tf.TensorShape([]).dims, list(s), s[0], s[1], s.as_list()),
        type(s.dims[0]) is tf.compat.v1.Dimension,
        [d.value for d in s.dims],
        *_text(s, tf.zeros([2, 3]).shape.dims, tf.Variable([1.0]).shape.dims),
        str(s),
    ]


def prog_old_layers(tf, np):
    """What layers of old programs do with them."""
    x = tf.zeros([4, 5])
    units = x.get_shape().dims[-1].value
    kernel = tf.ones([x.shape.dims[-1], 3])
    rows, columns = x.shape.dims
    return [units, tf.matmul(x, kernel), tf.reshape(x, [rows * columns]).shape, tf.split(x, rows), tf.zeros(x.shape.dims)]


def prog_copies(tf, np):
    """Pickled and copied shapes keep them."""
    s = tf.TensorShape([2, None])
    return _text(pickle.loads(pickle.dumps(s)).dims, copy.deepcopy(s).dims, pickle.loads(pickle.dumps(s.dims)))


def prog_arithmetic(tf, np):
    """Unknown stays unknown; division rounds."""
    a, n, b = tf.TensorShape([2, None, 3]).dims
    return [
        *_text(a + 1, 1 + a, a * b, n + 1, b // 2, 7 // b, b % 2, 7 % b, b - 1, 5 - b, np.int64(3) * a, b.__div__(2)),
        attempt(lambda: a - 3),
        attempt(lambda: b / 2),
        attempt(lambda: 6 / b),
        attempt(lambda: a + 1.5),
        attempt(lambda: -a),
        *_text(sum([a, b]), np.prod([a, b])),
    ]


def prog_comparisons(tf, np):
    """With an unknown dimension: None."""
    a, n, _ = tf.TensorShape([2, None, 3]).dims
    return [
        a == 2, a == 3, a == None, n == None, n == 2, a != 2, n != 2, a == "a",  # noqa: E711
        a < 3, a <= 2, a > 1, a >= 3, n < 3, operator.lt(5, a),
        attempt(lambda: a < "a"), attempt(lambda: hash(a), words=0),
        tf.TensorShape([2, None]).dims == [2, None], tf.TensorShape([2, 3]).dims == [2, 3], 2 in [a], None in [n],
    ]  # fmt: skip


def prog_conversions(tf, np):
    """Numbers, text, indices."""
    a, n, _ = tf.TensorShape([2, None, 3]).dims
    return [
        int(a), float(a), bool(a), bool(n), [1, 2, 3][a], list(range(a)), f"{a} {n}", *_text(a, n), format(int(a), "3d"),
        attempt(lambda: int(n), words=0), tf.convert_to_tensor(a), tf.constant([a, a]), tf.cast(a, tf.float32),
        attempt(lambda: tf.convert_to_tensor(n)), tf.one_hot([0], a), tf.range(a), tf.TensorShape(a), tf.TensorSpec([a, n]),
    ]  # fmt: skip


def prog_merging(tf, np):
    """Compatible, merged, refused."""
    a, n, _ = tf.TensorShape([2, None, 3]).dims
    return [
        a.is_compatible_with(2), a.is_compatible_with(3), a.is_compatible_with(None), n.is_compatible_with(5),
        *_text(n.merge_with(5), a.merge_with(None)), attempt(lambda: a.merge_with(5)),
        attempt(lambda: a.assert_is_compatible_with(3)),
    ]  # fmt: skip


def prog_version_1(tf, np):
    """In graphs of version 1."""
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 4])
        w = tf.compat.v1.get_variable("w", [x.get_shape().dims[1], 3])
        return [*_text(x.shape.dims, x.get_shape()[1], w.shape), x.get_shape().dims[1].value]
