"""Branches and loops that return IndexedSlices, with indices of int32 and int64."""

from __future__ import annotations

from tests.oracle.support import attempt

WIDTHS = ("int32", "int64")


def _slices(tf, width, shape_width=None, scale=1.0):
    shape = None if shape_width is None else tf.constant([3, 2], shape_width)
    return tf.IndexedSlices(tf.ones([1, 2]) * scale, tf.constant([1], width), shape)


def _parts(tf, value):
    """Slices as dtypes and values, everything else as it is."""
    if isinstance(value, tf.IndexedSlices):
        return {"values": value.values, "indices": value.indices, "shape": value.dense_shape}
    if isinstance(value, dict):
        return {key: _parts(tf, item) for key, item in value.items()}
    return [_parts(tf, item) for item in value] if isinstance(value, (list, tuple)) else value


def _both_ways(tf, true_fn, false_fn):
    def run():
        f = tf.function(lambda p: tf.cond(p, true_fn, false_fn), autograph=False)
        graph = f.get_concrete_function(tf.TensorSpec([], tf.bool)).graph
        return [_parts(tf, f(tf.constant(p))) for p in (True, False)], [o.type for o in graph.get_operations()]

    return attempt(run)


def prog_cond_without_dense_shape(tf, np):
    """int32 indices are cast where the other branch has int64."""
    return [_both_ways(tf, lambda a=a: _slices(tf, a), lambda b=b: _slices(tf, b, scale=2.0)) for a in WIDTHS for b in WIDTHS]


def prog_cond_with_dense_shape(tf, np):
    """Dense shapes are not cast: they must agree."""
    return [_both_ways(tf, lambda a=a, s=s: _slices(tf, a, s), lambda b=b, u=u: _slices(tf, b, u, 2.0)) for a in WIDTHS for b in WIDTHS for s in (None, *WIDTHS) for u in (None, *WIDTHS)]


def prog_cond_of_nests(tf, np):
    """Slices among other results."""
    return _both_ways(tf, lambda: (1, _slices(tf, "int32"), {"a": _slices(tf, "int64", "int32"), "b": 1.0}), lambda: (2, _slices(tf, "int64"), {"a": _slices(tf, "int32", "int32"), "b": 2.0}))


def prog_cond_of_slices_and_tensors(tf, np):
    """A tensor or None in the other branch is refused."""
    return [_both_ways(tf, lambda: _slices(tf, "int32"), lambda o=o: o(tf)) for o in (lambda tf: tf.ones([3, 2]), lambda tf: None)] + [_both_ways(tf, lambda: tf.ones([3, 2]), lambda: _slices(tf, "int32"))]


def prog_cond_eagerly(tf, np):
    """Eagerly a branch returns what it returns."""
    return [_parts(tf, tf.cond(tf.constant(p), lambda: _slices(tf, "int32"), lambda: _slices(tf, "int64"))) for p in (True, False)]


def prog_switch_case(tf, np):
    """Three branches."""
    branches = [lambda: _slices(tf, "int32"), lambda: _slices(tf, "int64", scale=2.0), lambda: _slices(tf, "int32", scale=3.0)]
    f = tf.function(lambda i: tf.switch_case(i, branches))
    return [_parts(tf, f(tf.constant(i))) for i in range(3)]


def prog_switch_case_refused(tf, np):
    """Dense shapes that differ, a tensor among slices."""
    bad = [[lambda: _slices(tf, "int32", "int32"), lambda: _slices(tf, "int64", "int64")], [lambda: _slices(tf, "int32"), lambda: tf.ones([3, 2])]]
    return [attempt(lambda b=b: tf.function(lambda i: tf.switch_case(i, b), autograph=False)(tf.constant(0))) for b in bad]


def prog_switch_case_eagerly(tf, np):
    """Eagerly slices stay slices."""
    return _parts(tf, tf.switch_case(tf.constant(0), [lambda: _slices(tf, "int32"), lambda: _slices(tf, "int64")]))


def prog_case(tf, np):
    """`tf.case` of two."""
    f = tf.function(lambda p: tf.case([(p, lambda: _slices(tf, "int32"))], default=lambda: _slices(tf, "int64")))
    return [_parts(tf, f(tf.constant(p))) for p in (True, False)]


def prog_while_loop(tf, np):
    """A loop keeps the dtypes of its slices, and refuses others."""

    def loop(before, after, shape=None):
        def run():
            step = lambda i, s: (i + 1, tf.IndexedSlices(s.values + 1, tf.cast(tf.reshape(i, [1]), after), None if shape is None else tf.constant([3, 2], shape)))
            start = lambda: (tf.constant(0), _slices(tf, before, shape))
            return _parts(tf, tf.function(lambda: tf.while_loop(lambda i, s: i < 2, step, start()), autograph=False)())

        return attempt(run)

    return [loop(a, b, s) for a in WIDTHS for b in WIDTHS for s in (None, "int32")]


def prog_autograph(tf, np):
    """`if` of slices whose indices differ is refused by AutoGraph."""

    @tf.function
    def f(p):
        if p:
            s = _slices(tf, "int32")
        else:
            s = _slices(tf, "int64")
        return s

    return attempt(lambda: _parts(tf, f(tf.constant(True))), 0)


def prog_gradients_in_branches(tf, np):
    """Gradients of gathers with other indices in each branch."""
    v = tf.Variable(tf.ones([4, 2]))

    def gradient(indices):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(v, indices) ** 2)
        return tape.gradient(y, v)

    f = tf.function(lambda p: tf.cond(p, lambda: gradient(tf.constant([1])), lambda: gradient(tf.constant([2, 3], tf.int64))))
    return [_parts(tf, f(tf.constant(p))) for p in (True, False)]
