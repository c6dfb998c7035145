"""Functions that rearrange: reshape, transpose, squeeze, tile, repeat, reverse, roll, meshgrid, space_to_batch."""

from __future__ import annotations

from tests.oracle.support import attempt


def prog_reshape_forms(tf, np):
    """Lists, tuples, tensors, TensorShapes, -1, empties."""
    x = tf.range(12)
    return [tf.reshape(x, s) for s in ([3, 4], (2, -1), tf.constant([4, 3]), tf.TensorShape([6, 2]), [-1], [1, 12, 1], tf.constant([2, 6], tf.int64), np.array([12, 1]))] + [tf.reshape(5, [1, 1]), tf.reshape([7], []), tf.reshape(tf.zeros([0, 3]), [3, 0]), tf.reshape(tf.zeros([0, 3]), [-1, 3]), tf.reshape(["a", "b"], [2, 1])]


def prog_reshape_errors(tf, np):
    """Wrong counts, two unknowns, indivisible."""
    x = tf.range(12)
    return [attempt(lambda: tf.reshape(x, [5, 2])), attempt(lambda: tf.reshape(x, [-1, -1])), attempt(lambda: tf.reshape(x, [-1, 5])), attempt(lambda: tf.reshape(x, [-2, 6])), attempt(lambda: tf.reshape(x, [[3, 4]])), attempt(lambda: tf.reshape(x, 12)), attempt(lambda: tf.reshape(x, [3.0, 4.0]), words=0), attempt(lambda: tf.reshape(tf.zeros([0]), [-1, 0]))]


def prog_reshape_errors_in_graph(tf, np):
    """Known shapes are checked while tracing."""
    with tf.Graph().as_default():
        x = tf.zeros([12])
        return [attempt(lambda: tf.reshape(x, [5, 2]), words=8), attempt(lambda: tf.reshape(x, [-1, 5]), words=8), attempt(lambda: tf.reshape(x, [-1, -1]), words=6)]


def prog_expand_dims(tf, np):
    """Positions from both ends."""
    x = tf.constant([[1, 2]])
    return [tf.expand_dims(x, a) for a in (0, 1, 2, -1, -2, -3)] + [tf.expand_dims(3, 0), attempt(lambda: tf.expand_dims(x, 4)), attempt(lambda: tf.expand_dims(x, -4)), tf.expand_dims([1], tf.constant(1)), attempt(lambda: tf.expand_dims(x, [0, 1]), words=0)]


def prog_squeeze(tf, np):
    """All ones, or the chosen axes."""
    x = tf.zeros([1, 2, 1, 3, 1])
    return [tf.squeeze(x).shape, tf.squeeze(x, 0).shape, tf.squeeze(x, [0, -1]).shape, tf.squeeze(x, axis=[2]).shape, tf.squeeze([[5]]), attempt(lambda: tf.squeeze(x, 1)), attempt(lambda: tf.squeeze(x, 5)), tf.squeeze(tf.zeros([0, 1])).shape, tf.squeeze(3), tf.squeeze(x, []).shape]


def prog_transpose(tf, np):
    """Reversal, permutations, conjugation."""
    x = tf.reshape(tf.range(6), [1, 2, 3])
    return [tf.transpose(x), tf.transpose(x, [1, 0, 2]), tf.transpose(x, perm=(2, 0, 1)), tf.transpose([[1 + 1j, 2]], conjugate=True), tf.transpose(5), tf.transpose([1, 2]), tf.transpose(x, tf.constant([0, 2, 1])), tf.transpose(x, [-1, 0, 1]) if False else tf.transpose(["a", "b"]), tf.transpose(tf.zeros([0, 2]))]


def prog_transpose_errors(tf, np):
    """Not a permutation."""
    x = tf.zeros([2, 3])
    return [attempt(lambda: tf.transpose(x, [0, 0])), attempt(lambda: tf.transpose(x, [0])), attempt(lambda: tf.transpose(x, [0, 2])), attempt(lambda: tf.transpose(x, [0, 1, 2])), attempt(lambda: tf.transpose(x, [[0, 1]]), words=0), tf.transpose(x, [-1, 0]).shape]


def prog_tile(tf, np):
    """Repeats per dimension."""
    x = tf.constant([[1, 2], [3, 4]])
    return [tf.tile(x, [1, 2]), tf.tile(x, [2, 1]), tf.tile(x, [0, 1]), tf.tile(["a"], [3]), tf.tile(x, tf.constant([2, 2], tf.int64)), tf.tile(tf.constant(5), tf.zeros([0], tf.int32)), attempt(lambda: tf.tile(x, [2])), attempt(lambda: tf.tile(x, [-1, 1])), attempt(lambda: tf.tile(x, 2))]


def prog_repeat(tf, np):
    """Scalar and per-element repeats."""
    x = tf.constant([[1, 2], [3, 4]])
    return [tf.repeat(x, 2), tf.repeat(x, 2, axis=0), tf.repeat(x, [1, 3], axis=1), tf.repeat(5, 3), tf.repeat([1, 2], [0, 2]), tf.repeat(x, tf.constant([2, 1]), axis=-1), attempt(lambda: tf.repeat(x, [1, 2, 3], axis=0)), tf.repeat(["a", "b"], 2), attempt(lambda: tf.repeat(x, 2, axis=5))]


def prog_reverse(tf, np):
    """Axes, none, repeated."""
    x = tf.reshape(tf.range(6), [2, 3])
    return [tf.reverse(x, [0]), tf.reverse(x, [1]), tf.reverse(x, [-1, 0]), tf.reverse(x, []), tf.reverse(["a", "b"], [0]), attempt(lambda: tf.reverse(x, [2])), attempt(lambda: tf.reverse(x, [0, 0])), attempt(lambda: tf.reverse(x, 0)), tf.reverse([True, False], [0])]


def prog_reverse_sequence(tf, np):
    """Rows reverse up to their own length."""
    x = tf.constant([[1, 2, 3, 4], [5, 6, 7, 8]])
    return [tf.reverse_sequence(x, [2, 4], seq_axis=1), tf.reverse_sequence(x, [0, 1], seq_axis=1, batch_axis=0), tf.reverse_sequence(x, [1, 2, 2, 0], seq_axis=0, batch_axis=1), attempt(lambda: tf.reverse_sequence(x, [2, 5], seq_axis=1)), attempt(lambda: tf.reverse_sequence(x, [2], seq_axis=1))]


def prog_roll(tf, np):
    """Shifts along one or several axes."""
    x = tf.reshape(tf.range(6), [2, 3])
    return [tf.roll(x, 1, 0), tf.roll(x, -1, 1), tf.roll(x, [1, 2], [0, 1]), tf.roll(tf.range(5), 12, 0), tf.roll(x, [1, 1], [1, 1]), tf.roll(["a", "b", "c"], 1, 0), attempt(lambda: tf.roll(x, 1, 5)), attempt(lambda: tf.roll(5, 1, 0)), attempt(lambda: tf.roll(x, [1, 2], [0]))]


def prog_broadcast_to(tf, np):
    """Broadcasting to a given shape."""
    x = tf.constant([[1], [2]])
    return [tf.broadcast_to(x, [2, 3]), tf.broadcast_to(5, [2, 2]), tf.broadcast_to([1, 2], [3, 2]), tf.broadcast_to("a", [2]), tf.broadcast_to(x, [1, 2, 1]), tf.broadcast_to([1], [0]), attempt(lambda: tf.broadcast_to(x, [3, 3])), attempt(lambda: tf.broadcast_to([1, 2], [1])), attempt(lambda: tf.broadcast_to([[1]], [1])), tf.broadcast_to(True, tf.constant([2], tf.int64))]


def prog_meshgrid(tf, np):
    """xy and ij indexing of one to three vectors."""
    return [tf.meshgrid([1, 2, 3], [4, 5]), tf.meshgrid([1, 2, 3], [4, 5], indexing="ij"), tf.meshgrid([1.0, 2.0]), tf.meshgrid([1], [2, 3], [4, 5], indexing="ij"), attempt(lambda: tf.meshgrid([1], indexing="no")), attempt(lambda: tf.meshgrid([1], bad=1)), tf.meshgrid(5, 6)]


def prog_space_to_batch(tf, np):
    """space_to_batch, batch_to_space and their nd forms."""
    x = tf.reshape(tf.range(16), [1, 4, 4, 1])
    y = tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]])
    return [y, tf.batch_to_space(y, [2, 2], [[0, 0], [0, 0]]), tf.space_to_batch(x, [2, 2], [[1, 1], [0, 0]]).shape, tf.space_to_batch_nd(x, [2], [[0, 0]]), tf.batch_to_space(y, [2, 2], [[1, 0], [0, 1]]), attempt(lambda: tf.space_to_batch(x, [3, 2], [[0, 0], [0, 0]])), attempt(lambda: tf.batch_to_space(y, [3, 2], [[0, 0], [0, 0]]))]


def prog_depth_space(tf, np):
    """depth_to_space and space_to_depth, both data formats."""
    x = tf.reshape(tf.range(16), [1, 2, 2, 4])
    return [tf.nn.depth_to_space(x, 2), tf.nn.space_to_depth(tf.reshape(tf.range(16), [1, 4, 4, 1]), 2), attempt(lambda: tf.nn.depth_to_space(x, 3)), attempt(lambda: tf.nn.space_to_depth(x, 3)), attempt(lambda: tf.nn.space_to_depth(x, 1))]


def prog_shape_functions_in_graph(tf, np):
    """Static shapes of rearranging ops with unknown dims."""
    out = []

    @tf.function(autograph=False)
    def f(x, y, n):
        forms = [
            tf.reshape(x, [-1]),
            tf.reshape(x, [n, 2]),
            tf.reshape(x, [-1, 6]),
            tf.reshape(x, tf.shape(x)),
            tf.reshape(y, [2, -1]),
            tf.reshape(y, tf.stack([n, 3])),
            tf.expand_dims(x, 1),
            tf.squeeze(tf.expand_dims(x, 1), 1),
            tf.squeeze(x),
            tf.transpose(x),
            tf.transpose(y),
            tf.tile(x, [2, 1, 1]),
            tf.tile(x, [1, n, 1]),
            tf.repeat(x, 2, axis=1),
            tf.reverse(x, [0]),
            tf.roll(x, 1, 0),
            tf.broadcast_to(x, [n, 2, 3]),
            tf.fill([n, 2], 0.0),
            tf.zeros(tf.shape(x)),
            tf.zeros_like(x),
            tf.ones([n]),
            tf.range(n),
            tf.eye(n),
            tf.zeros([2, n]),
        ]
        out.extend(v.shape for v in forms)
        return x

    f.get_concrete_function(tf.TensorSpec([None, 2, 3]), tf.TensorSpec(None), tf.TensorSpec([], tf.int32))
    return out


def prog_shape_op_static_and_dynamic(tf, np):
    """tf.shape of known shapes is a constant in a graph, else a Shape node."""
    out = []

    @tf.function(autograph=False)
    def f(x, y):
        values = [tf.shape(x), tf.shape(y), tf.size(x), tf.size(y), tf.rank(x), tf.shape(y)[0], tf.zeros_like(x), tf.zeros_like(y), tf.shape(x, tf.int64)]
        out.extend((v.op.type, tf.get_static_value(v), v.shape) for v in values)
        return x

    f.get_concrete_function(tf.TensorSpec([2, 3]), tf.TensorSpec([None, 3]))
    return out


def prog_rearranging_names_in_graph(tf, np):
    """Node names and the Consts for their arguments."""
    with tf.Graph().as_default() as g:
        x = tf.zeros([1, 2, 3], name="x")
        tf.reshape(x, [6])
        tf.expand_dims(x, 0)
        tf.squeeze(x)
        tf.squeeze(x, 0, name="sq")
        tf.transpose(x)
        tf.transpose(x, [0, 2, 1])
        tf.tile(x, [1, 1, 1])
        tf.reverse(x, [0])
        tf.roll(x, 1, 0)
        tf.broadcast_to(x, [2, 2, 3])
        tf.repeat(x, 2, axis=1)
        return [f"{o.name} {o.type} {[i.name for i in o.inputs]}" for o in g.get_operations()]


def prog_creation_names_in_graph(tf, np):
    """Node names of creating functions."""
    with tf.Graph().as_default() as g:
        x = tf.constant([1.0, 2.0], name="x")
        tf.constant(3)
        tf.zeros([2])
        tf.ones([2, 2], tf.int32)
        tf.zeros([1000])
        tf.fill([2], 5)
        tf.range(4)
        tf.eye(2)
        tf.zeros_like(x)
        tf.ones_like(x)
        tf.shape(x)
        tf.size(x)
        tf.rank(x)
        tf.identity(x)
        tf.cast(x, tf.int32)
        tf.cast(x, tf.float32)
        tf.linspace(0.0, 1.0, 3)
        tf.stop_gradient(x)
        return [f"{o.name} {o.type}" for o in g.get_operations()]


def prog_rearranging_gradients(tf, np):
    """Gradients undo the rearrangement."""
    x = tf.reshape(tf.range(6.0), [2, 3])
    w = tf.reshape(tf.range(48.0), [48])
    fs = [
        lambda v: tf.reshape(v, [3, 2]),
        lambda v: tf.transpose(v),
        lambda v: tf.expand_dims(v, 1),
        lambda v: tf.squeeze(v[None]),
        lambda v: tf.tile(v, [2, 3]),
        lambda v: tf.repeat(v, [1, 2], axis=0),
        lambda v: tf.reverse(v, [1]),
        lambda v: tf.roll(v, 1, 1),
        lambda v: tf.broadcast_to(v, [2, 2, 3]),
        lambda v: tf.identity(v),
        lambda v: tf.reverse_sequence(v, [2, 1], seq_axis=1),
        lambda v: tf.cast(v, tf.float64),
        lambda v: tf.space_to_batch_nd(v[None, :, :, None], [2, 1], [[0, 0], [0, 0]]),
    ]
    out = []
    for f in fs:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reshape(f(x), [-1])
            z = tf.reduce_sum(tf.cast(y, tf.float32) * w[: tf.size(y)])
        out.append(tape.gradient(z, x))
    return out


def prog_unravel_index(tf, np):
    """unravel_index over shapes."""
    return [tf.unravel_index([1, 5, 7], [3, 4]), tf.unravel_index(5, [2, 3]), attempt(lambda: tf.unravel_index([20], [3, 4]))]


def prog_sequence_functions(tf, np):
    """sequence_mask in its forms."""
    return [tf.sequence_mask([1, 3, 2], 5), tf.sequence_mask([[1, 3], [2, 0]]), tf.sequence_mask([1, 2], dtype=tf.int32), tf.sequence_mask(2, 4), tf.sequence_mask([], 3) if False else tf.sequence_mask([0, 9], 3), tf.sequence_mask([1, 2], maxlen=tf.constant(3), dtype=tf.float32), attempt(lambda: tf.sequence_mask([1], [2]), words=3)]


def prog_one_hot(tf, np):
    """Depth, values, axis, dtypes, out-of-range indices."""
    return [tf.one_hot([0, 2, -1, 5], 3), tf.one_hot([0, 1], 2, on_value=5.0, off_value=-1.0), tf.one_hot([[0], [1]], 2, axis=0), tf.one_hot([0, 1], 3, axis=-1, dtype=tf.int32), tf.one_hot(1, 3), tf.one_hot([0], 2, on_value=True, off_value=False), tf.one_hot(tf.constant([1], tf.uint8), 2), tf.one_hot([1], 2, "on", "off") if False else tf.one_hot([1], 0), attempt(lambda: tf.one_hot([1], -1)), attempt(lambda: tf.one_hot([1.0], 2), words=0), attempt(lambda: tf.one_hot([1], 2, 1.0, 0)), attempt(lambda: tf.one_hot([1], 2, axis=3))]


def prog_batch_dims_and_moveaxis(tf, np):
    """swapaxes-like work through transpose; histogram_fixed_width; extract patches."""
    x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    return [tf.histogram_fixed_width([0.0, 1.5, 2.5, 9.0], [0.0, 5.0], nbins=5), tf.histogram_fixed_width_bins([0.0, 1.5, 9.0], [0.0, 5.0], nbins=5), tf.image.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"), tf.experimental.numpy.moveaxis(x, 1, 2).shape if False else tf.transpose(x, [0, 2, 1, 3])[0, :, 0, 0]]
