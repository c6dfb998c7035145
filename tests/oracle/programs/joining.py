"""concat, stack, unstack, split, pad."""

from __future__ import annotations

from tests.oracle.support import attempt


def prog_concat(tf, np):
    """Along each axis; many inputs; mixed containers."""
    a, b = [[1, 2], [3, 4]], [[5, 6]]
    return [tf.concat([a, b], 0), tf.concat([a, a], 1), tf.concat([a, a], -1), tf.concat([[1], [2], [3]], 0), tf.concat([["a"], ["b"]], 0), tf.concat([tf.zeros([0, 2]), tf.ones([1, 2])], 0), tf.concat([[1]], 0), tf.concat((np.array([1]), np.array([2])), 0), tf.concat([a, b], tf.constant(0)), tf.concat([tf.constant([True]), [False]], axis=0)]


def prog_concat_errors(tf, np):
    """Ranks, sizes, dtypes, scalars, axes."""
    return [attempt(lambda: tf.concat([[1, 2], [[3]]], 0)), attempt(lambda: tf.concat([[[1, 2]], [[3]]], 0)), attempt(lambda: tf.concat([1, 2], 0)), attempt(lambda: tf.concat([[1], [2.0]], 0), words=0), attempt(lambda: tf.concat([tf.constant([1]), tf.constant([1.0])], 0), words=4), attempt(lambda: tf.concat([[1], [2]], 1)), attempt(lambda: tf.concat([], 0), words=0), attempt(lambda: tf.concat([[1], [2]], [0, 1]), words=0), attempt(lambda: tf.concat([[1]], 5), words=0)]


def prog_concat_errors_in_graph(tf, np):
    """Shape rule messages."""
    with tf.Graph().as_default():
        return [attempt(lambda: tf.concat([tf.zeros([2]), tf.zeros([2, 1])], 0), words=6), attempt(lambda: tf.concat([tf.zeros([2, 2]), tf.zeros([2, 1])], 0), words=6), attempt(lambda: tf.concat([tf.zeros([2]), tf.zeros([2], tf.int32)], 0), words=8)]


def prog_stack(tf, np):
    """A new axis anywhere."""
    a, b = [1, 2], [3, 4]
    return [tf.stack([a, b]), tf.stack([a, b], axis=1), tf.stack([a, b], -1), tf.stack([1, 2, 3]), tf.stack([tf.constant(1.0), 2.0]), tf.stack(["a", "b"]), tf.stack([a, b], axis=-2), tf.stack([[[1]], [[2]]], 1), tf.stack([np.float64(1), 2])]


def prog_stack_errors(tf, np):
    """Shapes differ, axis out of range, nothing to stack."""
    return [attempt(lambda: tf.stack([[1], [2, 3]]), words=0), attempt(lambda: tf.stack([tf.constant([1]), tf.constant([1, 2])])), attempt(lambda: tf.stack([1, 2], axis=2), words=4), attempt(lambda: tf.stack([[1]], axis=-3), words=4), attempt(lambda: tf.stack([tf.constant(1), tf.constant(1.0)]), words=0)]


def prog_unstack(tf, np):
    """Along each axis, with num."""
    x = tf.reshape(tf.range(6), [2, 3])
    return [tf.unstack(x), tf.unstack(x, axis=1), tf.unstack(x, num=2), tf.unstack(x, axis=-1), tf.unstack([1, 2]), tf.unstack(tf.zeros([0, 2])), attempt(lambda: tf.unstack(x, num=3)), attempt(lambda: tf.unstack(x, axis=2)), attempt(lambda: tf.unstack(5))]


def prog_unstack_unknown(tf, np):
    """The count must be known in a graph."""
    out = []

    @tf.function(autograph=False)
    def f(x):
        out.append(attempt(lambda: tf.unstack(x)))
        out.append([v.shape for v in tf.unstack(x, num=2)])
        out.append([v.shape for v in tf.unstack(x, axis=1)])
        return x

    f.get_concrete_function(tf.TensorSpec([None, 3]))
    return out


def prog_split(tf, np):
    """Into equal parts or given sizes."""
    x = tf.reshape(tf.range(12), [2, 6])
    return [tf.split(x, 2), tf.split(x, 3, axis=1), tf.split(x, [1, 2, 3], axis=1), tf.split(x, [4, -1], 1), tf.split(x, [6, 0], -1), tf.split(["a", "b"], 2), tf.split(x, tf.constant([2, 4]), axis=1), tf.split(x, 1), tf.split(x, [2], axis=0)]


def prog_split_errors(tf, np):
    """Indivisible, wrong sums, wrong axis."""
    x = tf.reshape(tf.range(12), [2, 6])
    return [attempt(lambda: tf.split(x, 4, axis=1)), attempt(lambda: tf.split(x, [1, 2], axis=1)), attempt(lambda: tf.split(x, 2, axis=2)), attempt(lambda: tf.split(x, [-1, -1], axis=1)), attempt(lambda: tf.split(5, 1)), attempt(lambda: tf.split(x, 0), words=0), attempt(lambda: tf.split(x, [[1, 1]]), words=0)]


def prog_pad(tf, np):
    """Constant padding, values, empties."""
    x = tf.constant([[1, 2], [3, 4]])
    return [tf.pad(x, [[1, 1], [0, 2]]), tf.pad(x, [[0, 0], [1, 0]], constant_values=9), tf.pad([1.5], [[2, 0]], constant_values=-1.0), tf.pad(["a"], [[1, 1]]), tf.pad([True], [[0, 1]]), tf.pad(tf.zeros([0, 2]), [[1, 0], [0, 0]]), tf.pad(5, tf.zeros([0, 2], tf.int32)), tf.pad(x, tf.constant([[1, 0], [0, 0]], tf.int64)), tf.pad(x, [[1, 1], [1, 1]], "constant")]


def prog_mirror_pad(tf, np):
    """REFLECT and SYMMETRIC."""
    x = tf.constant([[1, 2, 3], [4, 5, 6]])
    return [tf.pad(x, [[1, 1], [2, 2]], "REFLECT"), tf.pad(x, [[1, 1], [2, 2]], "SYMMETRIC"), tf.pad(x, [[2, 0], [3, 1]], mode="symmetric"), tf.pad([1.0, 2.0, 3.0], [[2, 2]], "reflect"), attempt(lambda: tf.pad(x, [[2, 0], [0, 0]], "REFLECT")), attempt(lambda: tf.pad(x, [[3, 0], [0, 0]], "SYMMETRIC"))]


def prog_pad_errors(tf, np):
    """Negative, wrong shapes, unknown mode."""
    x = tf.constant([[1, 2], [3, 4]])
    return [attempt(lambda: tf.pad(x, [[-1, 0], [0, 0]])), attempt(lambda: tf.pad(x, [[1, 1]])), attempt(lambda: tf.pad(x, [1, 1])), attempt(lambda: tf.pad(x, [[1, 1], [1, 1]], "BAD")), attempt(lambda: tf.pad(x, [[1.0, 1.0], [0.0, 0.0]]), words=0), attempt(lambda: tf.pad(x, [[0, 1], [0, 0]], constant_values="a"), words=0)]


def prog_joining_gradients(tf, np):
    """concat, stack, split, unstack, pad in all modes."""
    x, y = tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0]])
    fs = [
        lambda: tf.concat([x, y, x], 0) * [[1.0], [2.0], [3.0]],
        lambda: tf.concat([x, y], 1) * [[1.0, 2.0, 3.0, 4.0]],
        lambda: tf.stack([x, y], 1) * [[[1.0, 2.0], [3.0, 4.0]]],
        lambda: tf.split(x * y, 2, axis=1)[1],
        lambda: tf.split(x, [2, 0], axis=1)[0] * y,
        lambda: tf.unstack(x, axis=1)[0] * 5.0,
        lambda: tf.pad(x, [[1, 0], [0, 1]]) * [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        lambda: tf.pad(x, [[0, 0], [1, 1]], "REFLECT") * [[1.0, 10.0, 100.0, 1000.0]],
        lambda: tf.pad(y, [[0, 0], [2, 1]], "SYMMETRIC") * [[1.0, 10.0, 100.0, 1000.0, 7.0]],
    ]
    out = []
    for f in fs:
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = f()
        out.append(tape.gradient(z, [x, y]))
    return out


def prog_joining_static_shapes(tf, np):
    """Static shapes with unknown dims."""
    out = []

    @tf.function(autograph=False)
    def f(x, y, n):
        forms = [tf.concat([x, x], 0), tf.concat([x, x], 1), tf.concat([x, tf.zeros([4, 3])], 0), tf.concat([x, y], 0), tf.concat([x, x], n), tf.stack([x, x]), tf.stack([x, tf.zeros([5, 3])], 1), tf.stack([y, y]), tf.pad(x, [[1, 1], [2, 0]]), tf.pad(x, tf.fill([2, 2], n)), tf.pad(y, [[1, 1]]), tf.stack([n, 2])]
        forms += tf.split(x, 3, axis=1) + tf.split(x, 2) + tf.split(x, [1, 2], axis=1) + tf.split(y, 2)
        out.extend(v.shape for v in forms)
        return x

    f.get_concrete_function(tf.TensorSpec([None, 3]), tf.TensorSpec(None), tf.TensorSpec([], tf.int32))
    return out


def prog_joining_names_in_graph(tf, np):
    """Node names, packed constants, split dims."""
    with tf.Graph().as_default() as g:
        x = tf.zeros([2, 2], name="x")
        tf.concat([x, x], 0)
        tf.concat([x], 0)
        tf.stack([x, x])
        tf.stack([1, 2])
        tf.stack([x, 1.0 * x], axis=1, name="st")
        tf.unstack(x)
        tf.split(x, 2)
        tf.split(x, [1, 1], axis=1)
        tf.pad(x, [[1, 1], [1, 1]])
        tf.pad(x, [[1, 1], [1, 1]], constant_values=2.0)
        tf.pad(x, [[1, 1], [1, 1]], "REFLECT")
        tf.convert_to_tensor([x, x])
        return [f"{o.name} {o.type} {[i.name for i in o.inputs]}" for o in g.get_operations()]


def prog_autopacking(tf, np):
    """A list mixing tensors and numbers packs itself."""
    t = tf.constant(2)
    return [tf.convert_to_tensor([1, t, 3]), tf.reshape([1, t, 3, 4], [t, -1]), tf.zeros([t, 1]), tf.add([t, 1], 1), tf.convert_to_tensor([[t, 1], [2, t]]), attempt(lambda: tf.convert_to_tensor([t, 1.5])), tf.tile([t], [t])]


def prog_autopacking_in_function(tf, np):
    """The same with symbolic numbers."""

    @tf.function(autograph=False)
    def f(n):
        return tf.zeros([n, 2]), tf.reshape(tf.range(6), [n, -1]), tf.convert_to_tensor([n, 5]), tf.fill([n], n)

    return f(tf.constant(2))


def prog_concat_many_dtypes(tf, np):
    """concat, stack and pad of every dtype."""
    names = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128".split()
    out = []
    for d in names:
        x = tf.cast([1, 0], d)
        out.append([tf.concat([x, x], 0), tf.stack([x, x], 1), tf.reverse(x, [0]), tf.gather(x, [1, 1])])
    return out
