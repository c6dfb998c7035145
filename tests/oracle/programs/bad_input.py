"""Wrong dtype, shape, rank, structure, axis and value for each family: the class of the exception, eager and traced."""

from __future__ import annotations

from tests.oracle.support import attempt


def _both(tf, calls):
    """Each call eagerly and traced: the exception, or the answer."""
    out = []
    for call in calls:

        @tf.function(autograph=False)
        def traced(call=call):
            return call()

        out.append([attempt(call), attempt(traced)])
    return out


def prog_elementwise(tf, np):
    """Unary and binary functions."""
    return _both(tf, [lambda: tf.exp("a"), lambda: tf.exp(True), lambda: tf.math.lgamma([1]), lambda: tf.add([1, 2], [1, 2, 3]), lambda: tf.multiply("a", "b"), lambda: tf.maximum([True], [False]), lambda: tf.logical_and([1], [0]), lambda: tf.math.atan2([1], [2]), lambda: tf.complex([1], [2])])


def prog_matmul_family(tf, np):
    """Ranks and inner dimensions."""
    m, v = tf.ones([2, 3]), tf.ones([3])
    return _both(tf, [lambda: tf.matmul(m, m), lambda: tf.matmul(m, v), lambda: tf.matmul(v, v), lambda: tf.matmul(m, tf.ones([3, 2], tf.float64)), lambda: tf.linalg.matvec(m, tf.ones([2])), lambda: tf.tensordot(m, m, 1), lambda: tf.einsum("ij,jk->ik", m, m), lambda: tf.matmul([["a"]], [["b"]])])


def prog_linalg_family(tf, np):
    """Square matrices are due."""
    r, v = tf.ones([2, 3]), tf.ones([3])
    return _both(tf, [lambda: tf.linalg.inv(r), lambda: tf.linalg.det(r), lambda: tf.linalg.cholesky(r), lambda: tf.linalg.solve(r, r), lambda: tf.linalg.inv(v), lambda: tf.linalg.eigh(r), lambda: tf.linalg.inv([[1]]), lambda: tf.linalg.qr(v), lambda: tf.linalg.svd(v)])


def prog_reductions(tf, np):
    """Axes and dtypes."""
    x = tf.ones([2, 3])
    return _both(tf, [lambda: tf.reduce_sum(x, 2), lambda: tf.reduce_sum(x, [0, 0]), lambda: tf.reduce_mean("a"), lambda: tf.reduce_all([1]), lambda: tf.argmax(x, 7), lambda: tf.cumsum(x, 3), lambda: tf.math.segment_sum(x, [0]), lambda: tf.math.segment_sum(x, [1, 0]), lambda: tf.math.unsorted_segment_sum(x, [0, 9], 2)])


def prog_shapes(tf, np):
    """reshape, squeeze, expand_dims, transpose, tile, broadcast_to."""
    x = tf.ones([2, 3])
    return _both(tf, [lambda: tf.reshape(x, [4]), lambda: tf.reshape(x, [-1, 4]), lambda: tf.squeeze(x, 0), lambda: tf.expand_dims(x, 5), lambda: tf.transpose(x, [0]), lambda: tf.transpose(x, [0, 0]), lambda: tf.tile(x, [2]), lambda: tf.broadcast_to(x, [2]), lambda: tf.reverse(x, [4]), lambda: tf.roll(x, 1, 3), lambda: tf.repeat(x, 2, 5)])


def prog_joining(tf, np):
    """concat, stack, split, unstack, pad."""
    a, b = tf.ones([2, 3]), tf.ones([3, 3])
    return _both(tf, [lambda: tf.concat([a, b], 1), lambda: tf.concat([a, tf.ones([3])], 0), lambda: tf.concat([a, tf.ones([2, 3], tf.int32)], 0), lambda: tf.stack([a, b]), lambda: tf.stack([a, a], 5), lambda: tf.split(a, 2, 1), lambda: tf.split(a, [1, 1], 1), lambda: tf.unstack(a, 5), lambda: tf.unstack(a, axis=3), lambda: tf.pad(a, [[1, 1]]), lambda: tf.pad(a, [[-1, 1], [0, 0]]), lambda: tf.pad(a, [[1, 1], [3, 3]], "REFLECT")])


def prog_indexing(tf, np):
    """gather, scatter, slice, one_hot, boolean_mask."""
    x = tf.ones([2, 3])
    return _both(tf, [lambda: tf.gather(x, [5]), lambda: tf.gather(x, [0.5]), lambda: tf.gather(x, [0], axis=4), lambda: tf.gather_nd(x, [[0, 9]]), lambda: tf.gather_nd(x, [[0, 0, 0]]), lambda: tf.scatter_nd([[9]], [1.0], [3]), lambda: tf.scatter_nd([[0]], [1.0, 2.0], [3]), lambda: tf.tensor_scatter_nd_update(x, [[5]], [[1.0, 1.0, 1.0]]), lambda: tf.slice(x, [0, 0], [3, 3]), lambda: tf.one_hot([1], -3), lambda: tf.boolean_mask(x, [True]), lambda: tf.where([True, False, True], x, x), lambda: x[2], lambda: x[0, 0, 0]])


def prog_neural(tf, np):
    """Convolutions, pools, losses."""
    image, kernel = tf.ones([1, 4, 4, 2]), tf.ones([3, 3, 3, 1])
    return _both(tf, [lambda: tf.nn.conv2d(image, kernel, 1, "SAME"), lambda: tf.nn.conv2d(image[0], kernel, 1, "SAME"), lambda: tf.nn.max_pool2d(image, 9, 1, "VALID"), lambda: tf.nn.bias_add(image, [1.0]), lambda: tf.nn.softmax(3.0), lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([9], [[1.0, 2.0]]), lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1], [[1.0, 2.0]]), lambda: tf.nn.softmax_cross_entropy_with_logits([[1.0]], [[1.0, 2.0]]), lambda: tf.nn.dropout([1.0], 2.0), lambda: tf.nn.relu("a")])


def prog_sorting(tf, np):
    """top_k, sort, unique, searchsorted."""
    x = tf.ones([2, 3])
    return _both(tf, [lambda: tf.math.top_k(x, 4), lambda: tf.math.top_k(1.0), lambda: tf.sort(x, 3), lambda: tf.unique(x), lambda: tf.searchsorted(x, [1.0]), lambda: tf.math.invert_permutation([0, 0]), lambda: tf.math.in_top_k([0], x, 1)])


def prog_strings(tf, np):
    """String functions given numbers and bad values."""
    return _both(tf, [lambda: tf.strings.length(1), lambda: tf.strings.join([1, 2]), lambda: tf.strings.to_number("x"), lambda: tf.strings.substr("ab", 9, 1), lambda: tf.strings.regex_replace("a", "(", "b"), lambda: tf.strings.join([["a", "b"], ["a", "b", "c"]]), lambda: tf.strings.reduce_join(["a"], axis=3), lambda: tf.io.decode_base64("***")])


def prog_random(tf, np):
    """Bad shapes, ranges, dtypes, seeds."""
    tf.random.set_seed(1)
    return _both(tf, [lambda: tf.random.uniform([-1]), lambda: tf.random.uniform([2], 5, 1, tf.int32), lambda: tf.random.uniform([2], dtype=tf.int32), lambda: tf.random.normal([2], dtype=tf.int32), lambda: tf.random.stateless_uniform([2], [1]), lambda: tf.random.stateless_uniform([2], [1.0, 2.0]), lambda: tf.random.categorical([1.0], 2), lambda: tf.random.shuffle(1).shape])


def prog_creation(tf, np):
    """fill, range, zeros, eye, linspace, constant."""
    return _both(tf, [lambda: tf.fill([2], [1]), lambda: tf.fill([-1], 1), lambda: tf.range(1, 5, 0), lambda: tf.range(5, 1), lambda: tf.zeros([-1]), lambda: tf.eye(-1), lambda: tf.linspace(0.0, 1.0, -1), lambda: tf.constant([1, [2]]), lambda: tf.constant([1, 2], shape=[3]), lambda: tf.constant(1.5, tf.int32), lambda: tf.constant("a", tf.float32), lambda: tf.cast("a", tf.int32)])


def prog_errors_at_run_time_in_graphs(tf, np):
    """Bad values that only the run can see."""
    spec = tf.TensorSpec
    cases = [
        (lambda x: tf.reshape(x, [2, 2]), spec([None]), [1.0, 2.0, 3.0]),
        (lambda x: tf.concat([x, tf.ones([2, 2])], 1), spec([None, None]), [[1.0]]),
        (lambda x: tf.matmul(x, tf.ones([2, 2])), spec([None, None]), [[1.0]]),
        (lambda x: x - tf.ones([3]), spec([None]), [1.0, 2.0]),
        (lambda x: tf.gather(x, [3]), spec([None]), [1.0]),
        (lambda x: tf.squeeze(x, 0), spec(None), [[1.0], [2.0]]),
        (lambda x: tf.split(x, 2), spec([None]), [1.0, 2.0, 3.0]),
        (lambda x: tf.stack([x, tf.ones([2])]), spec([None]), [1.0]),
        (lambda x: tf.linalg.inv(x), spec([None, None]), [[0.0]]),
        (lambda x: tf.math.top_k(x, 5), spec([None]), [1.0]),
        (lambda x: tf.one_hot([1], tf.cast(x[0], tf.int32)), spec([None]), [-2.0]),
        (lambda x: tf.slice(x, [0], [5]), spec([None]), [1.0]),
        (lambda x: x[3], spec([None]), [1.0]),
        (lambda x: tf.debugging.check_numerics(x, "m"), spec([None]), [np.nan]),
        (lambda x: tf.transpose(x, tf.cast(x[0], tf.int32)), spec(None), [[0.0, 0.0]]),
    ]
    out = []
    for function, signature, value in cases:

        @tf.function(autograph=False, input_signature=[signature])
        def run(x, function=function):
            return function(x)

        out.append(attempt(lambda run=run, value=value: run(tf.constant(value)), words=6))
    return out


def prog_nothing_is_lost_after_errors(tf, np):
    """Variables, functions and tapes work on after exceptions."""
    v = tf.Variable([1.0, 2.0])
    for bad in (lambda: v.assign([1.0]), lambda: v.assign_add("a"), lambda: v.scatter_nd_update([[9]], [1.0]), lambda: v[5].assign(1.0)):
        attempt(bad)

    @tf.function(autograph=False)
    def f(x):
        return tf.reshape(x, [2])

    attempt(lambda: f(tf.ones([3])))
    x = tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        attempt(lambda: tf.matmul(x, x))
        z = y * x
    return [v, f(tf.ones([2])), tape.gradient(z, x), tf.executing_eagerly()]


def prog_mutated_numpy_after_use(tf, np):
    """Arrays changed later do not change tensors, variables, captured constants."""
    a = np.array([1.0, 2.0], np.float32)
    t, v = tf.constant(a), tf.Variable(a)

    @tf.function(autograph=False)
    def f():
        return tf.constant(a) + t

    first = f()
    a[:] = 100.0
    v.numpy()[0] = 50.0 if v.numpy().flags.writeable else 0
    return [t, v, first, f()]


def prog_empty_and_scalar_where_vectors_are_due(tf, np):
    """0-d and empty inputs."""
    e = tf.zeros([0])
    return _both(tf, [lambda: tf.reduce_max(e), lambda: tf.argmax(e), lambda: tf.math.top_k(e, 1), lambda: tf.concat([e, e], 0), lambda: tf.stack([]), lambda: tf.unstack(e), lambda: tf.split(e, 2), lambda: tf.gather(e, []), lambda: tf.cumsum(1.0), lambda: tf.sort(e), lambda: tf.unique(e)[0], lambda: tf.linalg.norm(e), lambda: tf.one_hot(tf.cast(e, tf.int32), 2), lambda: tf.nn.softmax(e), lambda: tf.math.segment_sum(1.0, 0), lambda: tf.reverse(1.0, [0])])


def prog_variables_bad_input(tf, np):
    """Assigns and scatters."""
    v = tf.Variable([[1.0, 2.0]])
    i = tf.IndexedSlices
    return _both(tf, [lambda: v.assign([1.0]), lambda: v.assign([[1, "a"]]), lambda: v.assign(tf.ones([1, 2], tf.int32)), lambda: v.assign_sub([[1.0]]), lambda: v.scatter_add(i(tf.ones([1, 2]), [3])), lambda: v.scatter_nd_add([[0, 5]], [1.0]), lambda: v[0, 7].assign(1.0), lambda: v.assign(None)])


def prog_control_flow_bad_input(tf, np):
    """Predicates, branches and bodies of wrong kinds."""
    t = tf.constant(True)
    return _both(tf, [lambda: tf.cond(t, 1, 2), lambda: tf.while_loop(1, lambda i: i, [0]), lambda: tf.while_loop(lambda i: i < 3, lambda i, j: i, [0]), lambda: tf.switch_case(tf.constant(1.0), [lambda: 1]), lambda: tf.case([])])


def prog_names_and_scopes_bad_input(tf, np):
    """Names that are not strings, scopes that are not names."""
    return [attempt(lambda: tf.constant(1, name=5), words=0), attempt(lambda: tf.Variable(1, name=5), words=0), attempt(lambda: tf.Module(name=5), words=0), attempt(lambda: tf.name_scope(3), words=0), attempt(lambda: tf.TensorSpec([1], name=5), words=0), attempt(lambda: tf.Graph().get_operation_by_name(5), words=0)]
