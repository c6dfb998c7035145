"""Gathers, embeddings and scatters: repeated indices, IndexedSlices and when they become dense."""

from __future__ import annotations

from tests.oracle.modes import derivatives, in_modes
from tests.oracle.support import attempt


def _table(tf):
    return tf.constant([[0.5, -1.0], [1.5, 0.7], [-0.4, 2.0], [0.9, 0.1]])


def _grad(tf, f, *sources):
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = f(*sources)
    return tape.gradient(y, list(sources))


@in_modes()
def gather_of_a_tensor(tf, np):
    return lambda t: _grad(tf, lambda t: tf.gather(t, [0, 2, 0]), t), [_table(tf)]


@in_modes()
def gather_of_a_variable(tf, np):
    v = tf.Variable(_table(tf))

    def f():
        with tf.GradientTape() as tape:
            y = tf.gather(v, [3, 1, 3]) ** 2
        return tape.gradient(y, v)

    return f, []


@in_modes()
def two_gathers(tf, np):
    def f(t):
        g = _grad(tf, lambda t: tf.reduce_sum(tf.gather(t, [0, 1]) * tf.gather(t, [1, 1])), t)[0]
        return tf.reduce_sum(g.indices), tf.convert_to_tensor(g)  # in which order the slices come says nothing

    return f, [_table(tf)]


@in_modes()
def gather_and_dense_use(tf, np):
    return lambda t: _grad(tf, lambda t: tf.gather(t, [0, 0]) * tf.reduce_sum(t), t), [_table(tf)]


@in_modes()
def gather_with_matrix_of_indices(tf, np):
    return lambda t, i: _grad(tf, lambda t: tf.gather(t, i), t), [_table(tf), tf.constant([[0, 1], [1, 3]])]


@in_modes()
def gather_with_int64(tf, np):
    return lambda t, i: _grad(tf, lambda t: tf.gather(t, i), t), [_table(tf), tf.constant([2, 2, 1], tf.int64)]


@in_modes()
def gather_with_a_scalar_index(tf, np):
    return lambda t, i: _grad(tf, lambda t: tf.gather(t, i), t), [_table(tf), tf.constant(2)]


@in_modes()
def gather_with_no_indices(tf, np):
    return lambda t, i: _grad(tf, lambda t: tf.gather(t, i), t), [_table(tf), tf.zeros([0], tf.int32)]


@in_modes()
def gather_of_a_vector(tf, np):
    return lambda t: _grad(tf, lambda t: tf.gather(t, [1, 1, 0]), t), [tf.constant([1.0, 2.0, 3.0])]


@in_modes()
def gather_along_columns(tf, np):
    return lambda t: _grad(tf, lambda t: tf.gather(t, [1, 1, 0], axis=1), t), [_table(tf)]


@in_modes()
def gather_with_batch_dims(tf, np):
    def f(t, i):
        return _grad(tf, lambda t: tf.gather(t, i, batch_dims=1) ** 2, t)

    return f, [_table(tf), tf.constant([[0, 0], [1, 0], [1, 1], [0, 1]])]


@in_modes()
def gather_of_a_gather(tf, np):
    return lambda t: _grad(tf, lambda t: tf.gather(tf.gather(t, [2, 1, 2]), [0, 0, 1]), t), [_table(tf)]


@in_modes()
def gather_then_function_of_rows(tf, np):
    return lambda t: _grad(tf, lambda t: tf.tanh(tf.gather(t, [0, 3, 0])), t), [_table(tf)]


@in_modes()
def sum_of_gathers_of_two_tables(tf, np):
    def f(a, b):
        return _grad(tf, lambda a, b: tf.gather(a, [0, 1]) * tf.gather(b, [1, 1]), a, b)

    return f, [_table(tf), 2.0 * _table(tf)]


@in_modes()
def embedding_lookup(tf, np):
    v = tf.Variable(_table(tf))

    def f(ids):
        with tf.GradientTape() as tape:
            y = tf.nn.embedding_lookup(v, ids)
        return tape.gradient(y, v)

    return f, [tf.constant([[0, 2], [2, 2]])]


@in_modes()
def embedding_lookup_with_max_norm(tf, np):
    def f(t, ids):
        return _grad(tf, lambda t: tf.nn.embedding_lookup(t, ids, max_norm=1.0), t)

    return f, [_table(tf), tf.constant([0, 2, 0])]


@in_modes()
def embedding_by_one_hot(tf, np):
    return lambda t, ids: _grad(tf, lambda t: tf.one_hot(ids, 4) @ t, t), [_table(tf), tf.constant([0, 2, 0])]


@in_modes()
def unknown_dense_shape(tf, np):
    def f(t, ids):
        g = _grad(tf, lambda t: tf.gather(t, ids), t)[0]
        return tf.convert_to_tensor(g)

    return f, [_table(tf), tf.constant([0, 2, 0])]


@in_modes()
def slices_fields(tf, np):
    def f(t):
        g = _grad(tf, lambda t: tf.gather(t, [1, 1]) * 3.0, t)[0]
        return g.values, g.indices, g.dense_shape

    return f, [_table(tf)]


@in_modes("eager", "graph")
def scatter_sub_of_the_slices(tf, np):
    """The step of an optimizer that keeps the gradient sparse."""
    v = tf.Variable(_table(tf))

    def f(ids):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(v, ids) ** 2)
        g = tape.gradient(loss, v)
        v.scatter_sub(tf.IndexedSlices(0.1 * g.values, g.indices))
        return loss, v.read_value()

    return f, [tf.constant([0, 2, 0])]


@in_modes()
def assign_sub_of_the_dense_gradient(tf, np):
    v = tf.Variable(_table(tf))

    def f(ids):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(v, ids) ** 2)
        v.assign_sub(0.1 * tf.convert_to_tensor(tape.gradient(loss, v)))
        return loss, v.read_value()

    return f, [tf.constant([0, 2, 0])]


@in_modes()
def persistent_and_several_targets(tf, np):
    def f(t):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(t)
            a = tf.gather(t, [0, 0])
            b = tf.gather(t, [1]) * 2.0
            c = tf.reduce_sum(t)
        return tape.gradient(a, t), tf.convert_to_tensor(tape.gradient([a, b], t)), tape.gradient([a, c], t), tape.gradient([c, b, a], t)

    return f, [_table(tf)]


@in_modes()
def unconnected_zero_beside_sparse(tf, np):
    def f(t):
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = tf.gather(t, [0])
        return tape.gradient(y, [t, tf.constant([1.0])], unconnected_gradients="zero")

    return f, [_table(tf)]


@in_modes()
def sparse_output_gradient(tf, np):
    def f(t):
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = tf.identity(t) * 2.0
        s = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([2]), tf.constant([4, 2]))
        return tape.gradient(y, t, output_gradients=tf.convert_to_tensor(s))

    return f, [_table(tf)]


# second order, through functions and loops; the gradients made dense


@derivatives(3)
def gather_repeated(tf, np):
    return lambda t: tf.gather(t, [0, 2, 0]) ** 4, [_table(tf)]


@derivatives(2)
def gather_columns(tf, np):
    return lambda t: tf.gather(t, [1, 1, 0], axis=1) ** 3, [_table(tf)]


@derivatives(2)
def gather_batch(tf, np):
    return lambda t, i: tf.gather(t, i, batch_dims=1) ** 3, [_table(tf), tf.constant([[0, 0], [1, 0], [1, 1], [0, 1]])]


@derivatives(2)
def gather_nd_repeated(tf, np):
    return lambda t: tf.gather_nd(t, [[0, 1], [3, 0], [0, 1]]) ** 3, [_table(tf)]


@derivatives(2)
def gather_nd_rows(tf, np):
    return lambda t: tf.gather_nd(t, [[0], [3], [0]]) ** 3, [_table(tf)]


@derivatives(2)
def embedding_and_dense_use(tf, np):
    return lambda t, w: tf.nn.embedding_lookup(t, [0, 1, 0]) @ w + tf.reduce_sum(t**2), [_table(tf), tf.constant([[1.0], [0.5]])]


@derivatives(2)
def bag_of_words(tf, np):
    return lambda t: tf.tanh(tf.reduce_mean(tf.gather(t, [[0, 1, 1], [3, 3, 3]]), 1)), [_table(tf)]


@derivatives(2)
def dot_products_of_embeddings(tf, np):
    """Skip-gram scores: two rows of one table."""

    def f(t):
        a, b = tf.gather(t, [0, 1, 2, 0]), tf.gather(t, [1, 1, 3, 2])
        return tf.math.log_sigmoid(tf.reduce_sum(a * b, 1))

    return f, [_table(tf)]


@derivatives(2)
def gather_in_a_loop(tf, np):
    def f(t, ids):
        def body(i, h):
            return i + 1, tf.tanh(h + tf.gather(t, ids[i]))

        return tf.while_loop(lambda i, h: i < 4, body, (0, tf.zeros([2])))[1]

    return f, [_table(tf), tf.constant([0, 2, 2, 1])]


@derivatives(2)
def gather_in_a_branch(tf, np):
    return lambda t: tf.cond(t[0, 0] > 0.0, lambda: tf.gather(t, [1, 1]) ** 3, lambda: t[:2]), [_table(tf)]


@derivatives(2)
def gather_in_map_fn(tf, np):
    def f(t, ids):
        return tf.map_fn(lambda i: tf.gather(t, i) ** 3, ids, fn_output_signature=tf.float32)

    return f, [_table(tf), tf.constant([0, 2, 2])]


@derivatives(2)
def scatter_nd(tf, np):
    return lambda t: tf.scatter_nd([[1], [0], [1], [2]], t**3, [3, 2]), [_table(tf)]


@derivatives(2)
def tensor_scatter_add(tf, np):
    return lambda t: tf.tensor_scatter_nd_add(t**2, [[0], [0]], t[2:] ** 3), [_table(tf)]


@derivatives(2)
def tensor_scatter_update(tf, np):
    return lambda t: tf.tensor_scatter_nd_update(t**2, [[0], [3]], t[1:3] ** 3), [_table(tf)]


@derivatives(2)
def tensor_scatter_max(tf, np):
    return lambda t: tf.tensor_scatter_nd_max(t, [[0], [3]], t[1:3] ** 2), [_table(tf)]


@derivatives(2)
def segment_sums(tf, np):
    return lambda t: tf.math.segment_sum(t**3, [0, 0, 1, 1]) * tf.math.segment_mean(t, [0, 0, 1, 1]), [_table(tf)]


@derivatives(2)
def unsorted_segment_sums(tf, np):
    return lambda t: tf.math.unsorted_segment_sum(t**3, [2, 0, 2, -1], 3), [_table(tf)]


@derivatives(2)
def segment_max(tf, np):
    return lambda t: tf.math.segment_max(t**3, [0, 0, 1, 1]) * tf.math.segment_min(t**2, [0, 0, 1, 1]), [_table(tf)]


@derivatives(2)
def boolean_mask(tf, np):
    return lambda t: tf.boolean_mask(t**3, [True, False, True, True]), [_table(tf)]


@derivatives(2)
def dynamic_slices(tf, np):
    return lambda t, i: tf.slice(t**3, tf.stack([i, 0]), [2, 2]) * t[i], [_table(tf), tf.constant(1)]


@derivatives(2)
def top_k(tf, np):
    return lambda t: tf.math.top_k(t**3, 1).values * t[:, :1], [_table(tf)]


@derivatives(2)
def repeat_and_tile(tf, np):
    return lambda t: tf.repeat(t**2, [1, 2, 0, 1], axis=0) * tf.tile(t[:1], [4, 1]), [_table(tf)]


@derivatives(2)
def dynamic_partition_and_stitch(tf, np):
    def f(t):
        parts = tf.dynamic_partition(t**3, [0, 1, 0, 1], 2)
        return tf.dynamic_stitch([[0, 2], [1, 3]], [parts[0] * 2.0, parts[1]])

    return f, [_table(tf)]


def prog_slices_through_functions(tf, np):
    """What kind of gradient comes out of a call."""
    v = tf.Variable(_table(tf))
    look = tf.function(lambda ids: tf.gather(v, ids), autograph=False)
    outer = tf.function(lambda ids: look(ids) * 2.0, autograph=False)
    out = []
    for f in (look, outer, look.get_concrete_function(tf.TensorSpec([None], tf.int32))):
        with tf.GradientTape() as tape:
            y = f(tf.constant([1, 1, 3]))
        g = tape.gradient(y, v)
        out.append([type(g).__name__, tf.convert_to_tensor(g)])
    return out


def prog_out_of_range(tf, np):
    """Indices that do not exist."""
    t = _table(tf)

    def run():
        with tf.GradientTape() as tape:
            tape.watch(t)
            return tf.gather(t, [4])

    return attempt(run, 4)
