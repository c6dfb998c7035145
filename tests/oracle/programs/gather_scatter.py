"""Reading and writing by index: gather, gather_nd, scatter_nd, tensor_scatter_nd_*, where, boolean_mask, partition."""

from __future__ import annotations

from tests.oracle.support import attempt


def prog_gather_axes(tf, np):
    """Indices of ranks 0 to 2 along each axis."""
    x = tf.reshape(tf.range(12), [3, 4])
    return [tf.gather(x, 1), tf.gather(x, [2, 0]), tf.gather(x, [[0, 1], [2, 2]]), tf.gather(x, [3, 1], axis=1), tf.gather(x, 2, axis=-1), tf.gather(x, [[0], [1]], axis=1), tf.gather(x, []) if False else tf.gather(x, tf.zeros([0], tf.int32)), tf.gather(["a", "b"], [1, 1, 0]), tf.gather(x, tf.constant([1], tf.int64)), tf.gather(x, np.array([0, 2]))]


def prog_gather_batch_dims(tf, np):
    """batch_dims pairs rows of params and indices."""
    x = tf.reshape(tf.range(12), [2, 2, 3])
    return [tf.gather(x, [[1], [0]], batch_dims=1), tf.gather(x, [[0, 2], [1, 1]], axis=2, batch_dims=1), tf.gather(x, [[[0], [2]], [[1], [1]]], batch_dims=2), tf.gather(x, [[1], [0]], axis=1, batch_dims=1), attempt(lambda: tf.gather(x, [[0]], batch_dims=1), words=0), attempt(lambda: tf.gather(x, [[0], [0]], batch_dims=3), words=0), tf.gather(x, [[1], [0]], batch_dims=-1)]


def prog_gather_errors(tf, np):
    """Out-of-range, negative, float indices, scalar params, wrong axis."""
    x = tf.constant([10, 20, 30])
    return [attempt(lambda: tf.gather(x, [3])), attempt(lambda: tf.gather(x, -1)), attempt(lambda: tf.gather(x, [[0, 7]])), attempt(lambda: tf.gather(x, [1.0]), words=0), attempt(lambda: tf.gather(5, [0])), attempt(lambda: tf.gather(x, [0], axis=1)), attempt(lambda: tf.gather(tf.zeros([0]), [0]))]


def prog_gather_of_variable(tf, np):
    """gather and sparse_read of a variable."""
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    return [tf.gather(v, [1]), v.sparse_read([0, 0]), tf.gather_nd(v, [[1, 0]]), v.gather_nd([[0, 1]]), tf.gather(v, 0, axis=1)]


def prog_gather_nd(tf, np):
    """Index depth from zero to the rank."""
    x = tf.reshape(tf.range(12), [2, 2, 3])
    return [tf.gather_nd(x, [[1]]), tf.gather_nd(x, [[0, 1], [1, 0]]), tf.gather_nd(x, [[0, 0, 2], [1, 1, 1]]), tf.gather_nd(x, [1, 1, 2]), tf.gather_nd(x, [[[0], [1]]]), tf.gather_nd(x, tf.zeros([0, 2], tf.int32)), tf.gather_nd(x, tf.zeros([2, 0], tf.int32)), tf.gather_nd(x, [[1], [0]], batch_dims=1), tf.gather_nd(["a", "b"], [[1]])]


def prog_gather_nd_errors(tf, np):
    """Out-of-range and too deep."""
    x = tf.reshape(tf.range(6), [2, 3])
    return [attempt(lambda: tf.gather_nd(x, [[2, 0]])), attempt(lambda: tf.gather_nd(x, [[0, 0, 0]])), attempt(lambda: tf.gather_nd(x, [[-1, 0]])), attempt(lambda: tf.gather_nd(x, 1)), attempt(lambda: tf.gather_nd(x, [[0.0]]), words=0)]


def prog_scatter_nd(tf, np):
    """Duplicates add up; slices; empties; dtypes."""
    return [tf.scatter_nd([[1], [3]], [9, 8], [5]), tf.scatter_nd([[0], [0]], [1, 2], [2]), tf.scatter_nd([[1]], [[1, 2, 3]], [2, 3]), tf.scatter_nd([[0, 1], [1, 0]], [1.5, 2.5], [2, 2]), tf.scatter_nd(tf.zeros([0, 1], tf.int32), tf.zeros([0]), [3]), tf.scatter_nd([[1]], [True], [2]), tf.scatter_nd(tf.constant([[0]], tf.int64), [1], tf.constant([2], tf.int64)), attempt(lambda: tf.scatter_nd([[5]], [1], [3])), attempt(lambda: tf.scatter_nd([[0], [1]], [1], [3])), attempt(lambda: tf.scatter_nd([[0]], [1, 2], [3]))]


def prog_tensor_scatter_functions(tf, np):
    """update, add, sub, min, max."""
    x = tf.constant([10, 20, 30, 40])
    i, u = [[1], [3], [1]], [5, 50, 7]
    fs = (tf.tensor_scatter_nd_add, tf.tensor_scatter_nd_sub, tf.tensor_scatter_nd_min, tf.tensor_scatter_nd_max)
    return [f(x, i, u) for f in fs] + [tf.tensor_scatter_nd_update(x, [[0], [2]], [1, 2]), tf.tensor_scatter_nd_update(tf.zeros([2, 3]), [[1]], [[1.0, 2.0, 3.0]]), tf.tensor_scatter_nd_update(["a", "b"], [[1]], ["c"]), tf.tensor_scatter_nd_update([True, False], [[1]], [True]), x]


def prog_tensor_scatter_matrix_elements(tf, np):
    """Two-column indices address elements."""
    x = tf.zeros([3, 3], tf.int32)
    return [tf.tensor_scatter_nd_update(x, [[0, 0], [1, 1], [2, 2]], [1, 2, 3]), tf.tensor_scatter_nd_add(x, [[0, 1], [0, 1]], [4, 5]), tf.tensor_scatter_nd_max(tf.constant([1.0, 5.0]), [[0], [1]], [3.0, 2.0])]


def prog_tensor_scatter_errors(tf, np):
    """Out-of-range and mismatched shapes."""
    x = tf.zeros([3])
    return [attempt(lambda: tf.tensor_scatter_nd_update(x, [[3]], [1.0])), attempt(lambda: tf.tensor_scatter_nd_update(x, [[0]], [[1.0]])), attempt(lambda: tf.tensor_scatter_nd_add(x, [[0, 0]], [1.0])), attempt(lambda: tf.tensor_scatter_nd_update(x, [[0]], [1]), words=3), attempt(lambda: tf.tensor_scatter_nd_update(x, [[-1]], [1.0])), attempt(lambda: tf.tensor_scatter_nd_update(3.0, [[0]], [1.0]))]


def prog_where_three_arguments(tf, np):
    """Selection with broadcasting of all three."""
    c = tf.constant([[True], [False]])
    return [tf.where(c, 1, 0), tf.where(c, [1, 2, 3], [-1, -2, -3]), tf.where([True, False], [1.0, 2.0], 0.0), tf.where(True, "a", "b"), tf.where(tf.constant([True]), tf.zeros([0]), tf.zeros([0])) if False else tf.where(tf.zeros([0], tf.bool), 1, 2), attempt(lambda: tf.where([1, 0], 1, 2), words=0), attempt(lambda: tf.where(c, 1.0, 2), words=0), attempt(lambda: tf.where([True, False, True], [1, 2], [3, 4])), attempt(lambda: tf.where(c, x=1))]


def prog_where_one_argument(tf, np):
    """Coordinates of true elements."""
    return [tf.where([[True, False], [True, True]]), tf.where([0, 3, 0, 5]), attempt(lambda: tf.where(tf.constant(True))), attempt(lambda: tf.where(tf.constant(False))), tf.where(tf.zeros([0, 2])), tf.where([0.0, np.nan, 1.0]), tf.where([0j, 1j]), tf.where(tf.zeros([2, 0], tf.bool)), tf.where([[[1]]])]


def prog_where_of_gradients(tf, np):
    """Only chosen elements get gradients."""
    x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant([[4.0], [5.0]])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = tf.where(x > 1.5, x * x, y)
    return [z, tape.gradient(z, [x, y])]


def prog_boolean_mask(tf, np):
    """Masks of lower rank, axes, empties, errors."""
    x = tf.constant([[1, 2], [3, 4], [5, 6]])
    return [tf.boolean_mask(x, [True, False, True]), tf.boolean_mask(x, [[True, False], [False, False], [True, True]]), tf.boolean_mask(x, [False, True], axis=1), tf.boolean_mask([1, 2], [False, False]), tf.boolean_mask(["a", "b"], [True, False]), attempt(lambda: tf.boolean_mask(x, [True, False])), attempt(lambda: tf.boolean_mask(x, True)), tf.boolean_mask(x, np.array([True, True, False])), attempt(lambda: tf.boolean_mask([1, 2], [1, 0]), words=0)]


def prog_boolean_mask_static_shapes(tf, np):
    """The masked dimension is unknown in a graph."""
    out = []

    @tf.function(autograph=False)
    def f(x, m):
        out.extend(v.shape for v in (tf.boolean_mask(x, m), tf.boolean_mask(x, [True, False], axis=1), tf.where(m), tf.gather(x, [0]), tf.gather_nd(x, [[0, 1]]), tf.gather(x, tf.where(m)), tf.unique(tf.reshape(x, [-1]))[0], tf.where(m[:, None], x, 0.0), tf.scatter_nd([[0]], [1.0], [4]), tf.one_hot(tf.cast(x, tf.int32), 5)))
        return tf.boolean_mask(x, m)

    return [f(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([True, False])), out]


def prog_dynamic_partition_stitch(tf, np):
    """Partition into lists and stitch back."""
    x, p = tf.constant([10, 20, 30, 40]), tf.constant([1, 0, 1, 0])
    parts = tf.dynamic_partition(x, p, 3)
    ids = tf.dynamic_partition(tf.range(4), p, 3)
    return [parts, tf.dynamic_stitch(ids, parts), tf.dynamic_partition([[1, 2], [3, 4]], [0, 1], 2), attempt(lambda: tf.dynamic_partition(x, [0, 1, 5, 0], 2)), attempt(lambda: tf.dynamic_partition(x, [0], 2)), tf.dynamic_stitch([[0, 2], [1]], [[1.0, 3.0], [2.0]]), tf.dynamic_stitch([0, [0, 1]], [5, [6, 7]])]


def prog_parallel_stitch_and_take_along(tf, np):
    """parallel_stack-like helpers and batch gather by argsort."""
    x = tf.constant([[3, 1, 2], [9, 8, 7]])
    order = tf.argsort(x, axis=1)
    return [order, tf.gather(x, order, batch_dims=1), tf.gather(x, order, axis=1, batch_dims=1)]


def prog_gather_gradients(tf, np):
    """gather gives IndexedSlices for axis 0, dense for others."""
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    fs = [lambda: tf.gather(x, [0, 0, 2]), lambda: tf.gather(x, [1], axis=1), lambda: tf.gather_nd(x, [[0, 1], [0, 1]]), lambda: tf.gather(x * 1.0, [[1]]), lambda: tf.gather(x, 1), lambda: tf.gather_nd(x, [[2]]), lambda: tf.gather(x * 1.0, [[0], [1], [0]], batch_dims=1)]
    out = []
    for f in fs:
        with tf.GradientTape() as tape:
            y = f() * 2.0
        out.append(tape.gradient(y, x))
    return out


def prog_scatter_gradients(tf, np):
    """Gradients of scatter_nd and the tensor_scatter family."""
    x, u, i = tf.constant([1.0, 2.0, 3.0, 4.0]), tf.constant([5.0, 0.5]), [[1], [2]]
    fs = [lambda: tf.scatter_nd(i, u, [4]), lambda: tf.tensor_scatter_nd_update(x, i, u), lambda: tf.tensor_scatter_nd_add(x, i, u), lambda: tf.tensor_scatter_nd_sub(x, i, u), lambda: tf.tensor_scatter_nd_max(x, i, u), lambda: tf.tensor_scatter_nd_min(x, i, u)]
    out = []
    for f in fs:
        with tf.GradientTape() as tape:
            tape.watch([x, u])
            y = f() * [1.0, 10.0, 100.0, 1000.0]
        out.append(tape.gradient(y, [x, u]))
    return out


def prog_partition_gradients(tf, np):
    """Gradients of boolean_mask, dynamic_partition, dynamic_stitch."""
    x = tf.constant([1.0, 2.0, 3.0])
    fs = [lambda: tf.boolean_mask(x, [True, False, True]) * 2.0, lambda: tf.dynamic_partition(x, [0, 1, 0], 2)[0] * 3.0, lambda: tf.dynamic_stitch([[0, 2, 1]], [x]) * [1.0, 2.0, 3.0]]
    out = []
    for f in fs:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f()
        out.append(tape.gradient(y, x))
    return out


def prog_gather_names_in_graph(tf, np):
    """Node names and attributes."""
    with tf.Graph().as_default() as g:
        x = tf.zeros([3, 2], name="x")
        tf.gather(x, [0])
        tf.gather(x, [0], axis=1, name="cols")
        tf.gather_nd(x, [[0, 0]])
        tf.scatter_nd([[0]], [1.0], [3])
        tf.tensor_scatter_nd_update(x, [[0]], [[1.0, 2.0]])
        tf.where(x > 0, x, 0.0)
        tf.where(x > 0)
        tf.one_hot([1], 2)
        tf.boolean_mask(x, [True, False, True])
        return [f"{o.name} {o.type}" for o in g.get_operations()]


def prog_unused_failing_gather_in_function(tf, np):
    """A graph does not run what nobody needs."""

    @tf.function(autograph=False)
    def f(x):
        tf.gather(x, [1])
        return x * 2

    @tf.function(autograph=False)
    def g(x):
        return tf.gather(x, [1])

    return [f(tf.constant([1])), attempt(lambda: g(tf.constant([1]))), attempt(lambda: tf.gather(tf.constant([1]), [1]))]


def prog_gather_unknown_shapes(tf, np):
    """Values with fully dynamic shapes."""

    @tf.function(autograph=False, input_signature=[tf.TensorSpec(None, tf.float32), tf.TensorSpec([None], tf.int32)])
    def f(x, i):
        return tf.gather(x, i), tf.gather(x, i, axis=-1), tf.shape(tf.gather(x, i))

    return f(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1, 1, 0]))


def prog_ensure_and_guarantee(tf, np):
    """ensure_shape in a graph merges static shapes and checks at run time."""
    out = []

    @tf.function(autograph=False, input_signature=[tf.TensorSpec(None, tf.float32)])
    def f(x):
        y = tf.ensure_shape(x, [None, 2])
        out.append(y.shape)
        return y

    return [f(tf.zeros([3, 2])), out, attempt(lambda: f(tf.zeros([3])))]
