"""`tf.get_static_value`: what TensorFlow tells about the value of a tensor of a graph, and no more."""

from __future__ import annotations

from tests.oracle.support import attempt


def _placeholder(tf, shape, dtype="float32"):
    return tf.compat.v1.placeholder(dtype, shape)


def _values(tf, makers):
    """Whole values and values in parts, of tensors in a graph."""
    found = {}
    for name, make in makers.items():
        with tf.Graph().as_default():
            tensor = make()
            found[name] = [_form(tf.get_static_value(tensor)), _form(tf.get_static_value(tensor, partial=True))]
    return found


def _form(value):
    return value if value is None else (str(getattr(value, "dtype", type(value).__name__)), _listed(value))


def _listed(value):
    listed = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(listed, list):
        return [_listed(item) for item in listed]
    return listed


def prog_shapes_and_sizes(tf, np):
    """Shape, Size and Rank, known and unknown."""
    p = lambda shape: _placeholder(tf, shape)
    return _values(tf, {
        "shape": lambda: tf.shape(p([2, 3])), "shape64": lambda: tf.shape(p([2, 3]), out_type=tf.int64), "unknown": lambda: tf.shape(p([2, None])), "size": lambda: tf.size(p([2, 3])), "size unknown": lambda: tf.size(p([2, None])),
        "rank": lambda: tf.rank(p([2, None])), "rank unknown": lambda: tf.rank(p(None)), "element": lambda: tf.raw_ops.Shape(input=p([2, 3]))[0], "slice": lambda: tf.shape(p([None, 3]))[1:], "op": lambda: tf.raw_ops.Shape(input=p([2, 3])),
    })


def prog_casts_and_ranges(tf, np):
    """Cast and Range."""
    p, rank = (lambda shape: _placeholder(tf, shape)), (lambda: tf.raw_ops.Rank(input=_placeholder(tf, [2, 3])))
    return _values(tf, {
        "cast": lambda: tf.cast(tf.constant(1), tf.float32), "of a shape": lambda: tf.cast(tf.shape(p([2, 3])), tf.float32), "twice": lambda: tf.cast(tf.cast(tf.constant([1, 2]), tf.float32), tf.bool), "unknown": lambda: tf.cast(p([]), tf.int32), "truncated": lambda: tf.cast(tf.constant(-1.7), tf.uint8),
        "range": lambda: tf.range(3), "to a rank": lambda: tf.range(rank()), "floats": lambda: tf.range(0.0, 1.0, 0.3), "down": lambda: tf.range(5, 0, -2), "unknown range": lambda: tf.range(_placeholder(tf, [], "int32")), "rank": lambda: tf.cast(rank(), tf.int64),
    })


def prog_joined(tf, np):
    """Concatenations and stacks."""
    c, p = tf.constant, lambda shape: _placeholder(tf, shape, "int32")
    return _values(tf, {
        "concat": lambda: tf.concat([[1], [2]], 0), "of shapes": lambda: tf.concat([tf.shape(p([2, 3])), [4]], 0), "partly": lambda: tf.concat([p([1]), [4]], 0), "axis 1": lambda: tf.concat([[[1]], [[2]]], 1), "stack": lambda: tf.stack([c(1), 2]), "partly stacked": lambda: tf.stack([p([]), 2]),
        "stacked ranks": lambda: tf.stack([tf.rank(p([2, 3])), 2]), "rows": lambda: tf.stack([p([2]), c([1, 2])]), "stack axis 1": lambda: tf.stack([c([1, 2]), c([3, 4])], axis=1), "nothing known": lambda: tf.stack([p([]), p([])]), "nested": lambda: tf.stack([tf.stack([p([]), 5]), tf.stack([p([]), p([])])]), "sum inside": lambda: tf.stack([c(1) + 1, 5]), "offsets": lambda: tf.raw_ops.ConcatOffset(concat_dim=0, shape=[[1, 2], [3, 2]])[1],
    })


def prog_taken_apart(tf, np):
    """Unstack and split."""
    c, p, raw = tf.constant, (lambda shape: _placeholder(tf, shape, "int32")), tf.raw_ops
    some = lambda: raw.Pack(values=[p([]), 5])
    return _values(tf, {
        "unstack": lambda: tf.unstack(c([[1], [2]]))[1], "axis 1": lambda: tf.unstack(c([[1, 2], [3, 4]]), axis=1)[0], "unknown": lambda: tf.unstack(p([2]))[1], "known part": lambda: raw.Unpack(value=some(), num=2)[1], "unknown part": lambda: raw.Unpack(value=some(), num=2)[0], "split": lambda: tf.split(c([1, 2]), 2)[0],
        "split axis 1": lambda: tf.split(c([[1, 2], [3, 4]]), 2, axis=1)[1], "sizes": lambda: tf.split(c([1, 2, 3]), [1, 2])[1], "part of a split": lambda: raw.Split(axis=0, value=some(), num_split=2)[1], "shape": lambda: tf.split(tf.shape(p([2, 3])), 2)[0],
    })


def prog_filled_and_compared(tf, np):
    """Fill, Equal, NotEqual, StopGradient, Identity."""
    c, p = tf.constant, lambda shape: _placeholder(tf, shape)
    return _values(tf, {
        "fill": lambda: tf.fill([2], 3), "fill shape": lambda: tf.fill(tf.shape(p([2, 3])), 3), "fill unknown": lambda: tf.fill([2], p([])), "zeros": lambda: tf.zeros([2]), "zeros_like": lambda: tf.zeros_like(p([2])), "equal": lambda: tf.equal(c(1), 1), "vectors": lambda: tf.equal(c([1, 2]), 1), "ranks": lambda: tf.equal(tf.rank(p([2])), 2), "unknown": lambda: tf.equal(p([]), 1),
        "not_equal": lambda: tf.not_equal(c([1, 2]), [1, 3]), "stop": lambda: tf.stop_gradient(c(2)), "identity": lambda: tf.identity(c(2)), "identity twice": lambda: tf.identity(tf.identity(c(2))), "identity of a sum": lambda: tf.identity(c(1) + 1), "part": lambda: tf.identity(tf.stack([p([]), 5.0])), "no part": lambda: tf.equal(tf.stack([p([]), 5.0]), 5.0),
    })


def prog_not_told(tf, np):
    """Arithmetic, selections, reductions: unknown to users."""
    c = tf.constant
    return _values(tf, {
        "add": lambda: c(1) + 2, "mul": lambda: c(2) * 3, "neg": lambda: -c(1), "less": lambda: tf.less(c(1), 2), "and": lambda: tf.logical_and(True, c(False)), "not": lambda: tf.logical_not(c(True)), "sum": lambda: tf.reduce_sum(c([1, 2])), "prod": lambda: tf.reduce_prod(tf.shape(_placeholder(tf, [2, 3]))), "min": lambda: tf.minimum(c(1), 2), "floordiv": lambda: c(4) // 2,
        "gather": lambda: tf.gather(c([1, 2]), 1), "item": lambda: c([1, 2])[0], "slice": lambda: c([1, 2, 3])[1:], "reshape": lambda: tf.reshape(c([1, 2]), [2, 1]), "expand": lambda: tf.expand_dims(c(2), 0), "squeeze": lambda: tf.squeeze(c([1])), "broadcast": lambda: tf.broadcast_to(c(1), [3]), "where": lambda: tf.where(True, c(1), 2), "one_hot": lambda: tf.one_hot(c(1), 3), "tile": lambda: tf.tile(c([1]), [2]),
        "transpose": lambda: tf.transpose(c([[1, 2]])), "ensure": lambda: tf.ensure_shape(c([1]), [1]), "args": lambda: tf.raw_ops.BroadcastArgs(s0=c([1, 2]), s1=c([2])), "abs": lambda: tf.abs(c(-1)), "default": lambda: tf.compat.v1.placeholder_with_default(c(1), []),
    })


def prog_eager_tensors_and_other_values(tf, np):
    """Eager tensors have values; what is not a tensor is returned; a variable has no known value."""
    found = [tf.get_static_value(x) for x in (tf.constant(1), tf.constant([1, 2]), tf.constant(1) + 1, 3, "a", [1], None, tf.Variable(1))]
    return [_form(x) for x in found]


def prog_while_tracing(tf, np):
    """Captured tensors, arguments and variables of a function."""
    v, c, found = tf.Variable(3), tf.constant(5), []

    @tf.function
    def f(x):
        for t in (v, c, c + 0, tf.identity(c), tf.stack([c, 1]), tf.cast(c, tf.float32), tf.equal(c, 5), x, tf.shape(x), tf.size(x)):
            found.append(_form(tf.get_static_value(t)))
        return x

    f(tf.ones([2, 3]))
    return found


def prog_smart_cond(tf, np):
    """`smart_cond` folds more than users are told."""
    c, raw, found = tf.constant, tf.raw_ops, {}
    predicates = {"constant": lambda: c(True), "equal": lambda: tf.equal(c(1), 1), "less": lambda: tf.less(c(1), 2), "not": lambda: tf.logical_not(c(True)), "rank": lambda: tf.equal(raw.Rank(input=_placeholder(tf, [2])), 1), "unknown": lambda: _placeholder(tf, [], "bool")}
    for name, make in predicates.items():
        with tf.Graph().as_default() as graph:
            attempt(lambda make=make: tf.__internal__.smart_cond.smart_cond(make(), lambda: c(1), lambda: c(2)))
            found[name] = [o.type for o in graph.get_operations()]
    return found
