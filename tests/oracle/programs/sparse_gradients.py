"""Gradients that are IndexedSlices: where they stay sparse, what makes them dense, what takes them."""

from __future__ import annotations

from tests.oracle.programs._gradient_helpers import by_nested_tapes, modes
from tests.oracle.support import attempt


def _table(tf, rows=4, columns=2):
    return tf.Variable(tf.reshape(tf.range(float(rows * columns)), [rows, columns]), name="table")


def _by(tf, f, source):
    """The gradient of `f()` by a source: a variable, or a tensor to watch."""
    with tf.GradientTape() as tape:
        if not isinstance(source, tf.Variable):
            tape.watch(source)
        y = f()
    return tape.gradient(y, source)


def _gradients(tf, f, source):
    """The gradient of `f(source)` eagerly, around a function, and inside of one."""

    @tf.function(autograph=False)
    def inside(x):
        return _by(tf, lambda: f(x), x)

    graph = tf.function(f, autograph=False)
    if isinstance(source, tf.Variable):
        return [_by(tf, lambda: f(source), source), _by(tf, lambda: tf.function(lambda: f(source), autograph=False)(), source), tf.function(lambda: _by(tf, lambda: f(source), source), autograph=False)()]
    return [_by(tf, lambda: f(source), source), _by(tf, lambda: graph(source), source), inside(source)]


def _slices(tf, values=((1.0, 2.0), (3.0, 4.0)), indices=(2, 0), shape=(4, 2), dtype="float32"):
    return tf.IndexedSlices(tf.constant(values, dtype), tf.constant(indices), None if shape is None else tf.constant(shape))


# --- where they come from


def prog_gather_of_a_variable(tf, np):
    """Rows of a variable; repeated rows are listed twice."""
    return _gradients(tf, lambda v: tf.gather(v, [0, 2, 2]), _table(tf))


def prog_gather_of_a_tensor(tf, np):
    """Rows of a watched tensor."""
    return _gradients(tf, lambda x: tf.gather(x, [0, 2, 2]) * 3.0, tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))


def prog_gather_with_indices_of_any_rank(tf, np):
    """A scalar index, a matrix of indices, int64 indices."""
    v = _table(tf)
    return [_gradients(tf, lambda v, i=i: tf.gather(v, i), v) for i in (1, [[0, 1], [1, 3]], tf.constant([3, 1], tf.int64))]


def prog_gather_along_other_axes(tf, np):
    """Another axis, and batches: dense."""
    v = _table(tf, 2, 3)
    return [_gradients(tf, lambda v: tf.gather(v, [0, 2], axis=1), v), _gradients(tf, lambda v: tf.gather(v, [[0], [2]], batch_dims=1), v), _gradients(tf, lambda v: tf.gather(v, [1], axis=-2), v)]


def prog_gather_no_rows(tf, np):
    """No indices at all."""
    return _gradients(tf, lambda v: tf.gather(v, tf.constant([], tf.int32)), _table(tf))


def prog_gather_nd(tf, np):
    """gather_nd with rows, and with elements."""
    v = _table(tf)
    return [_gradients(tf, lambda v: tf.gather_nd(v, [[0], [2]]), v), _gradients(tf, lambda v: tf.gather_nd(v, [[0, 1], [2, 1]]), v), _gradients(tf, lambda x: tf.gather_nd(x, [[1], [1]]), tf.constant([[1.0, 2.0], [3.0, 4.0]]))]


def prog_embedding_lookup(tf, np):
    """embedding_lookup, plain and with a bound on the norm."""
    v = _table(tf)
    return [_gradients(tf, lambda v: tf.nn.embedding_lookup(v, [0, 3]), v), _gradients(tf, lambda v: tf.nn.embedding_lookup(v, [0, 3], max_norm=1.0), v), _gradients(tf, lambda x: tf.nn.embedding_lookup(x, [[0, 1]]), tf.constant([[1.0, 2.0], [3.0, 4.0]]))]


def prog_embedding_lookup_in_parts(tf, np):
    """A table in two parts."""
    a, b = tf.Variable([[1.0], [2.0]]), tf.Variable([[3.0], [4.0]])

    def run():
        with tf.GradientTape() as tape:
            y = tf.nn.embedding_lookup([a, b], [0, 1, 3])
        return y, tape.gradient(y, [a, b])

    return [run(), tf.function(run, autograph=False)()]


def prog_sparse_read(tf, np):
    """`sparse_read` and `gather_nd` of a variable."""
    v = _table(tf)
    return [_by(tf, lambda: v.sparse_read([1, 1]), v), _by(tf, lambda: v.gather_nd([[1], [0]]), v)]


def prog_slices_of_a_variable(tf, np):
    """Indexing a variable is dense."""
    return _gradients(tf, lambda v: v[1:3] * v[0], _table(tf))


def prog_unknown_shapes(tf, np):
    """Shapes that are open while tracing."""

    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None], tf.int32)], autograph=False)
    def f(x, i):
        return _by(tf, lambda: tf.gather(x, i) * 2.0, x)

    return f(tf.ones([3, 2]), tf.constant([2, 0]))


# --- several uses


def _unordered(tf, gradients):
    """Sparse gradients without the order of their slices, which is nobody's promise."""
    return [(type(g).__name__, sorted(g.indices.numpy().tolist()), g.indices.dtype, g.dense_shape, tf.convert_to_tensor(g)) for g in gradients]


def prog_two_gathers(tf, np):
    """Two gathers: the slices are put one after the other."""
    return _unordered(tf, _gradients(tf, lambda v: tf.reduce_sum(tf.gather(v, [0, 1])) + tf.reduce_sum(tf.gather(v, [1, 3]) * 2.0), _table(tf)))


def prog_three_gathers(tf, np):
    """Three gathers."""
    return _unordered(tf, _gradients(tf, lambda v: tf.gather(v, [0]) + tf.gather(v, [1]) * 2.0 + tf.gather(v, [2]) * 3.0, _table(tf)))


def prog_gather_and_dense_use(tf, np):
    """A gather beside a dense use: dense."""
    return _gradients(tf, lambda v: tf.reduce_sum(tf.gather(v, [0, 1])) + tf.reduce_sum(v * v), _table(tf))


def prog_gather_of_a_gather(tf, np):
    """A gather of a gather."""
    return _gradients(tf, lambda v: tf.gather(tf.gather(v, [3, 1]), [1, 1, 0]), _table(tf))


def prog_gather_of_a_computed_tensor(tf, np):
    """The slices become dense when they meet another op."""
    return _gradients(tf, lambda v: tf.gather(v * 2.0, [3, 1]), _table(tf))


def prog_indices_of_two_dtypes(tf, np):
    """int32 and int64 indices together."""
    return _unordered(tf, _gradients(tf, lambda v: tf.gather(v, [0]) + tf.gather(v, tf.constant([1], tf.int64)), _table(tf)))


def prog_identity_and_reshape_between(tf, np):
    """Identity and reshape after the variable."""
    v = _table(tf)
    return [_gradients(tf, lambda v: tf.gather(tf.identity(v), [3]), v), _gradients(tf, lambda v: tf.gather(tf.reshape(v, [8]), [3]), v)]


def prog_several_sources(tf, np):
    """Two variables, one of them sparse; the target's weights."""
    v, w = _table(tf), tf.Variable([2.0, 3.0])

    def run():
        with tf.GradientTape() as tape:
            y = tf.gather(v, [0, 2]) * w
        return tape.gradient(y, {"v": v, "w": w}, output_gradients=tf.constant([[1.0, 2.0], [3.0, 4.0]]))

    return [run(), tf.function(run, autograph=False)()]


def prog_tf_gradients(tf, np):
    """tf.gradients of a gather of a tensor."""

    @tf.function(autograph=False)
    def f(x):
        return tf.gradients(tf.gather(x, [0, 2]) * 2.0, x)[0], tf.gradients(tf.gather(x, [0]) * x[1], x)[0]

    return f(tf.constant([[1.0], [2.0], [3.0]]))


def prog_v1_graph(tf, np):
    """The type, and static shapes, in a plain graph."""
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [5, 2])
        g = tf.gradients(tf.gather(x, [0, 2]), x)[0]
        return type(g).__name__, g.shape, g.values.shape, g.indices.shape, g.dense_shape.shape


# --- through functions and control flow


def prog_nested_functions(tf, np):
    """A gather in a function in a function."""
    v = _table(tf)
    inner = tf.function(lambda: tf.gather(v, [1, 1]), autograph=False)
    outer = tf.function(lambda: inner() * 2.0, autograph=False)
    return _by(tf, outer, v)


def prog_cond(tf, np):
    """A gather in one branch, and in both."""
    v = _table(tf)

    def one(flag):
        return tf.cond(flag, lambda: tf.gather(v, [1]), lambda: tf.ones([1, 2]))

    def two(flag):
        return tf.cond(flag, lambda: tf.gather(v, [1]), lambda: tf.gather(v, [2]) * 3.0)

    def other(flag):
        return tf.cond(flag, lambda: tf.gather(v, [1]), lambda: v[:1] * 2.0)

    found = []
    for f in (one, two, other):
        for flag in (True, False):
            for g in modes(tf, f):
                gradient = _by(tf, lambda g=g, flag=flag: g(tf.constant(flag)), v)
                found.append(None if gradient is None else tf.convert_to_tensor(gradient))
    return found


def prog_cond_keeps_slices(tf, np):
    """Branches that gather as many rows: the gradient of the condition is sparse."""
    v = _table(tf)

    def f(flag):
        return tf.cond(flag, lambda: tf.gather(v, [1, 1]), lambda: tf.gather(v, [2, 0]) * 3.0)

    return [_by(tf, lambda g=g, flag=flag: g(tf.constant(flag)), v) for g in modes(tf, f) for flag in (True, False)]


def prog_switch_case_keeps_slices(tf, np):
    """The same with branches by number."""
    v = _table(tf)

    def f(i):
        return tf.switch_case(i, [lambda: tf.gather(v, [1]), lambda: tf.gather(v, [2]) * 3.0, lambda: tf.gather(v, [3]) * 5.0])

    return [_by(tf, lambda g=g, i=i: g(tf.constant(i)), v) for g in modes(tf, f) for i in range(3)]


def prog_while_loop(tf, np):
    """A gather in the body of a loop."""
    v = _table(tf)

    def loop():
        return tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + tf.gather(v, [i])), (tf.constant(0), tf.zeros([1, 2])))[1]

    return [tf.convert_to_tensor(_by(tf, g, v)) for g in modes(tf, loop)]


def prog_map_fn(tf, np):
    """map_fn over indices."""
    v = _table(tf)
    return [tf.convert_to_tensor(_by(tf, g, v)) for g in modes(tf, lambda: tf.map_fn(lambda i: tf.gather(v, i), tf.constant([1, 1, 3]), fn_output_signature=tf.float32))]


def prog_second_order(tf, np):
    """The gradient of a function of sparse gradients."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])

    def f(x):
        return by_nested_tapes(tf, lambda x: tf.gather(x, [0, 0, 1]) ** 3.0, x, lambda first: first.values)[1:]

    return [g(x) for g in modes(tf, f)]


def prog_second_order_of_dense(tf, np):
    """The same through the dense form."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])

    def f(x):
        _, first, second = by_nested_tapes(tf, lambda x: tf.gather(x, [0, 0, 1]) ** 3.0, x, tf.convert_to_tensor)
        return tf.convert_to_tensor(first), second

    return [g(x) for g in modes(tf, f)]


def prog_through_slices(tf, np):
    """A gradient through IndexedSlices that were made dense."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = tf.convert_to_tensor(tf.IndexedSlices(x * 3.0, tf.constant([1, 1]), tf.constant([4, 2]))) * 2.0
    return tape.gradient(z, x)


def prog_custom_gradient_returns_slices(tf, np):
    """A gradient function that returns IndexedSlices."""

    @tf.custom_gradient
    def rows(x):
        return tf.gather(x, [0, 2]), lambda dy: tf.IndexedSlices(dy * 5.0, tf.constant([0, 2]), tf.constant([3, 2]))

    return _gradients(tf, rows, tf.ones([3, 2]))


def prog_recompute(tf, np):
    """A gather that is computed again."""
    v = _table(tf)
    f = tf.recompute_grad(lambda i: tf.gather(v, i) * 2.0)
    return [tf.convert_to_tensor(_by(tf, lambda g=g: g(tf.constant([1, 1])), v)) for g in modes(tf, lambda i: f(i))]


def prog_unconnected(tf, np):
    """unconnected_gradients of an unused table."""
    v, w = _table(tf), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = w * 2.0
    return tape.gradient(y, [v, w], unconnected_gradients="zero")


# --- the object


def prog_convert_to_tensor(tf, np):
    """Dense forms: repeated indices are added, other dtypes, a given dtype."""
    return [tf.convert_to_tensor(_slices(tf)), tf.convert_to_tensor(_slices(tf, indices=(1, 1))), tf.convert_to_tensor(_slices(tf, dtype="int32")), tf.convert_to_tensor(_slices(tf, dtype="complex64")), attempt(lambda: tf.convert_to_tensor(_slices(tf), dtype=tf.float64), words=10), tf.convert_to_tensor(_slices(tf), dtype=tf.float32)]


def prog_convert_without_shape(tf, np):
    """No dense shape, no dense form."""
    return attempt(lambda: tf.convert_to_tensor(_slices(tf, shape=None)), words=9), attempt(lambda: _slices(tf, shape=None) * 2.0, words=0)


def prog_convert_bad_indices(tf, np):
    """Indices out of range, and negative ones."""
    return [attempt(lambda i=i: tf.convert_to_tensor(_slices(tf, indices=i)), words=0) for i in ((0, 9), (0, -1))]


def _warned(tf, call):
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, [(w.category.__name__, " ".join(str(w.message).split("(")[0].split())) for w in caught if "IndexedSlices" in str(w.message)]


def prog_warning_in_eager_mode(tf, np):
    """Making a dense tensor of known size does not warn."""
    return _warned(tf, lambda: tf.convert_to_tensor(_slices(tf)))


def prog_warning_in_a_graph(tf, np):
    """The same while tracing: known shape, unknown shape."""

    def known(v):
        return tf.convert_to_tensor(tf.IndexedSlices(v, tf.constant([0, 1]), tf.constant([4, 2])))

    def unknown(v):
        return tf.convert_to_tensor(tf.IndexedSlices(v, tf.constant([0, 1]), tf.shape(v) * 2))

    def large(v):
        return tf.convert_to_tensor(tf.IndexedSlices(v, tf.constant([0, 1]), tf.constant([100_000_000, 2])))

    found = []
    for f in (known, unknown, large):
        spec = tf.TensorSpec([None, None] if f is unknown else [2, 2])
        found.append(_warned(tf, lambda f=f, spec=spec: tf.function(f, input_signature=[spec], autograph=False).get_concrete_function().structured_outputs.dtype))
    return found


def prog_properties(tf, np):
    """Its parts, and what it says of itself."""
    s, bare = _slices(tf), _slices(tf, shape=None)
    return [s.values, s.indices, s.dense_shape, s.shape, bare.shape, s.dtype, str(s), str(bare), bare.dense_shape, attempt(lambda: s.name, words=0), attempt(lambda: s.graph, words=0), attempt(lambda: s.op, words=0), type(s).__name__]


def prog_negative(tf, np):
    """Minus a sparse gradient is sparse."""
    return [-_slices(tf), -_slices(tf, shape=None)]


def prog_arithmetic(tf, np):
    """Operators and functions that take one: sparse or dense?"""
    s, d = _slices(tf), tf.ones([4, 2])
    calls = (
        lambda: s * 2.0, lambda: 2.0 * s, lambda: s + s, lambda: s + d, lambda: d + s, lambda: s - d, lambda: d - s, lambda: s / 2.0, lambda: d * s,
        lambda: tf.scalar_mul(2.0, s), lambda: tf.add_n([s, s]), lambda: tf.add_n([s, d]), lambda: tf.negative(s), lambda: tf.square(s), lambda: tf.identity(s),
        lambda: tf.cast(s, tf.float64), lambda: tf.clip_by_value(s, 0.0, 2.0), lambda: tf.clip_by_norm(s, 1.0), lambda: tf.reduce_sum(s), lambda: tf.abs(s), lambda: tf.multiply(s, 2.0),
        lambda: s[0], lambda: len(s), lambda: tf.shape(s), lambda: tf.zeros_like(s), lambda: tf.stop_gradient(s), lambda: tf.reduce_max(s), lambda: s == s, lambda: tf.ones_like(s), lambda: tf.where(True, s, s),
    )
    return [attempt(c, words=0) for c in calls]


def prog_scalar_mul(tf, np):
    """scalar_mul keeps it sparse, with a tensor, and in a graph."""
    s = _slices(tf)
    return [tf.scalar_mul(2.0, s), tf.scalar_mul(tf.constant(3.0), s), tf.function(lambda s: tf.scalar_mul(3.0, s))(s), attempt(lambda: tf.scalar_mul([1.0, 2.0], s), words=4)]


def prog_norms_and_clipping(tf, np):
    """global_norm, clip_by_global_norm, with None and dense gradients in the list."""
    s, d = _slices(tf, indices=(1, 1)), tf.constant([3.0, 4.0])
    clipped, norm = tf.clip_by_global_norm([s, None, d], 2.5)
    return [tf.linalg.global_norm([s, None, d]), clipped, norm, tf.clip_by_global_norm([s], 100.0), tf.clip_by_global_norm([s, d], 1.0, use_norm=tf.constant(4.0)), tf.function(lambda: tf.clip_by_global_norm([s, d], 2.5))()]


def prog_clip_by_norm(tf, np):
    """clip_by_norm and clip_by_value of the values."""
    s = _slices(tf)
    return [tf.clip_by_norm(s, 1.0), tf.clip_by_value(s, 1.5, 3.5), tf.function(lambda s: tf.clip_by_norm(s, 1.0))(s)]


def prog_in_and_out_of_functions(tf, np):
    """As argument and result of a function; the number of traces."""

    @tf.function
    def double(s):
        return tf.IndexedSlices(s.values * 2.0, s.indices, s.dense_shape)

    first, second = double(_slices(tf)), double(_slices(tf, indices=(3, 1)))
    return [first, second, double(_slices(tf, shape=None)), double.experimental_get_tracing_count()]


def prog_group_and_tuple(tf, np):
    """tf.group and tf.tuple."""
    s = _slices(tf)
    return [tf.group(s), tf.tuple([s, tf.constant(1.0)])]


def prog_gradients_as_tensors(tf, np):
    """numpy() and operators on a sparse gradient."""
    g = _by(tf, (lambda v: lambda: tf.gather(v, [1]))(v := _table(tf)), v)
    return [attempt(lambda: g.numpy(), words=0), tf.convert_to_tensor(g).numpy(), np.asarray(tf.convert_to_tensor(g)), attempt(lambda: np.asarray(g).dtype.name, words=0)]


# --- updates


def prog_scatter_sub(tf, np):
    """A gradient step on the rows that were used."""
    v = _table(tf)
    for _ in range(2):
        g = _by(tf, lambda: tf.gather(v, [0, 2, 2]) ** 2.0, v)
        v.scatter_sub(tf.IndexedSlices(g.values * 0.1, g.indices, g.dense_shape))
    return v


def prog_scatter_methods(tf, np):
    """All methods that take slices, and their results."""
    found = []
    for name in ("scatter_add", "scatter_sub", "scatter_mul", "scatter_div", "scatter_min", "scatter_max", "scatter_update"):
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
        result = getattr(v, name)(_slices(tf, indices=(2, 0)))
        found.append([v.numpy(), tf.convert_to_tensor(result)])
    return found


def prog_scatter_refuses(tf, np):
    """What is no IndexedSlices, and rows that do not exist."""
    v = _table(tf)
    return [attempt(lambda: v.scatter_sub(tf.ones([2, 2])), words=3), attempt(lambda: v.scatter_add(_slices(tf, indices=(0, 9))), words=0)]


def prog_assign_sub_of_slices(tf, np):
    """assign_sub makes it dense."""
    v = _table(tf)
    v.assign_sub(_by(tf, lambda: tf.gather(v, [0, 0]), v))
    return v


def prog_training_step_in_a_function(tf, np):
    """Embedding, loss, gradient, clipping, momentum with scatter updates, in a function."""
    v, momentum = _table(tf), tf.Variable(tf.zeros([4, 2]))

    @tf.function
    def step(ids):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.embedding_lookup(v, ids) ** 2.0)
        (g,), norm = tf.clip_by_global_norm([tape.gradient(loss, v)], 5.0)
        momentum.assign(momentum * 0.9)
        momentum.scatter_add(g)
        v.scatter_sub(tf.IndexedSlices(tf.gather(momentum, g.indices) * 0.1, g.indices))
        return loss, norm

    return [step(tf.constant([0, 2])), step(tf.constant([2, 3])), v, momentum]


def prog_adam_like_update(tf, np):
    """Duplicate indices are summed first, as optimizers do."""
    v = _table(tf)
    g = _by(tf, lambda: tf.gather(v, [3, 1, 3]), v)
    unique, positions = tf.unique(g.indices)
    summed = tf.math.unsorted_segment_sum(g.values, positions, tf.shape(unique)[0])
    v.scatter_sub(tf.IndexedSlices(summed, unique))
    return unique, summed, v


def prog_accumulated_over_steps(tf, np):
    """Gradients of two steps added up as tensors."""
    v = _table(tf)
    total = tf.zeros([4, 2])
    for ids in ([0, 1], [1, 2]):
        total += tf.convert_to_tensor(_by(tf, lambda ids=ids: tf.gather(v, ids) * v[3], v))
    return total


def prog_jacobian_loop(tf, np):
    """A Jacobian of a gather, row by row."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.gather(x, [1, 1, 0]) ** 2.0, axis=1)
        parts = tf.unstack(y)
    return [tape.gradient(p, x) for p in parts]


def prog_compiled(tf, np):
    """Under jit_compile: a gather's gradient, made dense, and an update."""
    v = _table(tf)

    @tf.function(jit_compile=True)
    def step(ids):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(v, ids) ** 2.0)
        g = tape.gradient(loss, v)
        v.scatter_sub(tf.IndexedSlices(g.values * 0.1, g.indices, g.dense_shape))
        return loss, g

    loss, g = step(tf.constant([0, 2, 2]))
    return loss, g, v
