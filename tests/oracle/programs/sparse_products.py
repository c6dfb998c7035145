"""Products and derivatives of sparse tensors: matmul with dense, sampled products, gradients of every function, loops."""

from __future__ import annotations

from tests.oracle.programs._composite_helpers import ALL_MODES, outcome, plain, sparse, sparse_floats, staged


def _matrix(tf, dtype=None):
    return tf.sparse.SparseTensor([[0, 1], [0, 3], [2, 0]], tf.constant([1.0, 2.0, -3.0], dtype), [3, 4])


def _dense(tf, rows, columns, dtype=None):
    values = tf.reshape(tf.range(rows * columns, dtype=tf.float32), [rows, columns]) / 4.0 - 1.0
    return tf.cast(values, dtype) if dtype else values


def _product(tf, **flags):
    return lambda s, d: tf.sparse.sparse_dense_matmul(s, d, **flags)


globals().update(
    staged(
        *ALL_MODES,
        matmul=lambda tf: (_product(tf), _matrix(tf), _dense(tf, 4, 2)),
        matmul_adjoint_a=lambda tf: (_product(tf, adjoint_a=True), _matrix(tf), _dense(tf, 3, 2)),
        matmul_adjoint_b=lambda tf: (_product(tf, adjoint_b=True), _matrix(tf), _dense(tf, 2, 4)),
        matmul_adjoint_both=lambda tf: (_product(tf, adjoint_a=True, adjoint_b=True), _matrix(tf), _dense(tf, 2, 3)),
        matmul_float64=lambda tf: (_product(tf), _matrix(tf, tf.float64), _dense(tf, 4, 2, tf.float64)),
        matmul_gradient=lambda tf: (lambda v, d: _matmul_gradient(tf, v, d), tf.constant([1.0, 2.0, -3.0]), _dense(tf, 4, 2)),
        matmul_gradient_of_flags=lambda tf: (lambda v, d: _matmul_gradient(tf, v, d, adjoint_a=True, adjoint_b=True), tf.constant([1.0, 2.0, -3.0]), _dense(tf, 2, 3)),
    )
)


def _matmul_gradient(tf, values, dense, **flags):
    with tf.GradientTape() as tape:
        tape.watch([values, dense])
        s = tf.sparse.SparseTensor([[0, 1], [0, 3], [2, 0]], values, [3, 4])
        y = tf.sparse.sparse_dense_matmul(s, dense, **flags)
        total = tf.reduce_sum(y * y)
    return tape.gradient(total, [values, dense])


def _gradient(tf, values, f):
    """The derivative of a weighed sum of what `f` makes of a sparse matrix, by the matrix's values."""
    with tf.GradientTape() as tape:
        tape.watch(values)
        y = f(tf.sparse.SparseTensor([[0, 1], [0, 3], [2, 0]], values, [3, 4]))
        flat = tf.reshape(y.values if isinstance(y, tf.sparse.SparseTensor) else y, [-1])
        total = tf.reduce_sum(flat * tf.cast(tf.range(1, tf.size(flat) + 1), tf.float32))
    return tape.gradient(total, values)


def _derivative(f):
    return lambda tf: (lambda v: _gradient(tf, v, lambda s: f(tf, s)), tf.constant([1.0, 2.0, -3.0]))


globals().update(
    staged(
        matmul_dense_first=lambda tf: (lambda s, d: tf.sparse.sparse_dense_matmul(d, s), _matrix(tf), _dense(tf, 2, 3)),
        matmul_dense_first_of_flags=lambda tf: (lambda s, d: [tf.sparse.sparse_dense_matmul(d, s, adjoint_b=True), tf.sparse.sparse_dense_matmul(tf.transpose(d), s, adjoint_a=True, adjoint_b=True)], _matrix(tf), _dense(tf, 2, 4)),
        matmul_operator=lambda tf: (lambda s, d: s @ d, _matrix(tf), _dense(tf, 4, 2)),
        matmul_of_integers=lambda tf: (lambda s: tf.sparse.sparse_dense_matmul(s, tf.constant([[1, 2], [3, 4]])), sparse(tf)),
        matmul_of_complex=lambda tf: (lambda s: [tf.sparse.sparse_dense_matmul(s, tf.constant([[1j], [2 + 1j]])), tf.sparse.sparse_dense_matmul(s, tf.constant([[1j], [2], [3]]), adjoint_a=True)], tf.sparse.SparseTensor([[0, 1], [2, 0]], tf.constant([1 + 2j, 3j]), [3, 2])),
        matmul_of_half=lambda tf: (_product(tf), _matrix(tf, tf.float16), _dense(tf, 4, 2, tf.float16)),
        matmul_of_bfloat16=lambda tf: (_product(tf), _matrix(tf, tf.bfloat16), _dense(tf, 4, 2, tf.bfloat16)),
        matmul_of_unlike_inner=lambda tf: (_product(tf), _matrix(tf), _dense(tf, 3, 2)),
        matmul_of_vector=lambda tf: (_product(tf), _matrix(tf), tf.ones([4])),
        matmul_of_cube=lambda tf: (_product(tf), tf.sparse.SparseTensor([[0, 0, 0]], [1.0], [1, 1, 1]), tf.ones([1, 1])),
        matmul_of_unlike_dtypes=lambda tf: (_product(tf), _matrix(tf), _dense(tf, 4, 2, tf.float64)),
        matmul_of_two_dense=lambda tf: (_product(tf), tf.ones([2, 2]), tf.ones([2, 2])),
        matmul_of_two_sparse=lambda tf: (_product(tf), _matrix(tf), _matrix(tf)),
        matmul_out_of_bounds=lambda tf: (_product(tf), tf.sparse.SparseTensor([[0, 9]], [1.0], [2, 2]), tf.ones([2, 2])),
        matmul_of_row_out_of_bounds=lambda tf: (_product(tf), tf.sparse.SparseTensor([[9, 0]], [1.0], [2, 2]), tf.ones([2, 2])),
        matmul_out_of_order=lambda tf: (_product(tf), tf.sparse.SparseTensor([[1, 0], [0, 1], [1, 0]], [1.0, 2.0, 4.0], [2, 2]), _dense(tf, 2, 2)),
        matmul_of_nothing=lambda tf: (_product(tf), tf.sparse.SparseTensor(tf.zeros([0, 2], tf.int64), tf.zeros([0]), [3, 2]), tf.ones([2, 2])),
        matmul_of_no_columns=lambda tf: (_product(tf), _matrix(tf), tf.ones([4, 0])),
        sparse_matmul_flags=lambda tf: (lambda a, b: [tf.matmul(a, b, a_is_sparse=True), tf.matmul(a, b, b_is_sparse=True)], _dense(tf, 2, 3), _dense(tf, 3, 2)),
        sampled_addmm=lambda tf: (lambda i, v: tf.sparse.sampled_addmm(i, v, [2, 2], tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[5.0, 6.0], [7.0, 8.0]])), tf.constant([[0, 1], [1, 0]], tf.int64), tf.constant([1.0, 2.0])),
        sampled_addmm_scaled=lambda tf: (lambda i, v: tf.sparse.sampled_addmm(i, v, [2, 2], tf.ones([2, 3]), tf.ones([3, 2]), beta=2.0, alpha=0.5), tf.constant([[0, 1], [1, 0]], tf.int64), tf.constant([1.0, 2.0])),
        embedding_by_matmul=lambda tf: (lambda d: tf.sparse.sparse_dense_matmul(tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]]), d), _dense(tf, 2, 3)),
        gradient_of_to_dense=_derivative(lambda tf, s: tf.sparse.to_dense(s)),
        gradient_of_to_dense_default=_derivative(lambda tf, s: tf.sparse.to_dense(s, 5.0)),
        gradient_of_reorder=_derivative(lambda tf, s: tf.sparse.reorder(tf.sparse.transpose(s))),
        gradient_of_transpose=_derivative(lambda tf, s: tf.sparse.transpose(s)),
        gradient_of_reshape=_derivative(lambda tf, s: tf.sparse.reshape(s, [6, 2])),
        gradient_of_expand_dims=_derivative(lambda tf, s: tf.sparse.expand_dims(s, 1)),
        gradient_of_concat=_derivative(lambda tf, s: tf.sparse.concat(1, [s, s])),
        gradient_of_split=_derivative(lambda tf, s: tf.sparse.to_dense(tf.sparse.split(s, 2, 1)[0])),
        gradient_of_slice=_derivative(lambda tf, s: tf.sparse.slice(s, [0, 0], [2, 4])),
        gradient_of_retain=_derivative(lambda tf, s: tf.sparse.retain(s, [True, False, True])),
        gradient_of_fill_empty_rows=_derivative(lambda tf, s: tf.sparse.fill_empty_rows(s, 9.0)[0]),
        gradient_of_reduce_sum=_derivative(lambda tf, s: tf.sparse.reduce_sum(s, 1)),
        gradient_of_reduce_sum_of_all=_derivative(lambda tf, s: tf.sparse.reduce_sum(s)),
        gradient_of_reduce_max=_derivative(lambda tf, s: tf.sparse.reduce_max(s, 1)),
        gradient_of_softmax=_derivative(lambda tf, s: tf.sparse.softmax(s)),
        gradient_of_maximum=_derivative(lambda tf, s: tf.sparse.maximum(s, tf.sparse.SparseTensor([[0, 1]], [1.5], [3, 4]))),
        gradient_of_minimum=_derivative(lambda tf, s: tf.sparse.minimum(s, s)),
        gradient_of_add=_derivative(lambda tf, s: tf.sparse.add(s, s)),
        gradient_of_add_dense=_derivative(lambda tf, s: tf.sparse.add(s, tf.ones([3, 4]))),
        gradient_of_multiply=_derivative(lambda tf, s: s * tf.constant([[1.0, 2.0, 3.0, 4.0]])),
        gradient_of_divide=_derivative(lambda tf, s: s / tf.constant([[2.0], [3.0], [4.0]])),
        gradient_of_map_values=_derivative(lambda tf, s: tf.sparse.map_values(tf.square, s)),
        gradient_of_cast=_derivative(lambda tf, s: tf.cast(tf.cast(s, tf.float64), tf.float32)),
        gradient_of_abs=_derivative(lambda tf, s: tf.abs(s)),
        gradient_of_tanh=_derivative(lambda tf, s: tf.tanh(s)),
        gradient_of_indicator=_derivative(lambda tf, s: s.with_values(s.values * 3.0)),
        gradient_of_from_dense=lambda tf: (lambda d: _from_dense_gradient(tf, d), tf.constant([[0.0, 2.0], [3.0, 0.0]])),
        gradient_of_segment_sums=lambda tf: (lambda x: _segment_gradient(tf, x), tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])),
        gradient_by_dense_factor=lambda tf: (lambda d: _factor_gradient(tf, d), tf.constant([[1.0, 2.0, 3.0, 4.0]])),
        second_gradient=lambda tf: (lambda v: _second(tf, v), tf.constant([1.0, 2.0, -3.0])),
        cond=lambda tf: (lambda s, p: tf.cond(p, lambda: s, lambda: s.with_values(s.values * 2)), sparse(tf), tf.constant(False)),
        cond_of_unlike_counts=lambda tf: (lambda s, p: tf.cond(p, lambda: s, lambda: tf.sparse.retain(s, [True, False])), sparse(tf), tf.constant(False)),
        cond_of_sparse_and_dense=lambda tf: (lambda s, p: tf.cond(p, lambda: s, lambda: tf.sparse.to_dense(s)), sparse(tf), tf.constant(False)),
        while_loop=lambda tf: (lambda s: tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t.with_values(t.values * 2)), [tf.constant(0), s])[1], sparse(tf)),
        while_growing=lambda tf: (lambda s: tf.while_loop(lambda i, t: i < 2, lambda i, t: (i + 1, tf.sparse.concat(0, [t, t])), [tf.constant(0), s], shape_invariants=[tf.TensorShape([]), tf.SparseTensorSpec([None, 2], tf.int32)])[1], sparse(tf)),
        while_growing_unsaid=lambda tf: (lambda s: tf.while_loop(lambda i, t: i < 2, lambda i, t: (i + 1, tf.sparse.concat(0, [t, t])), [tf.constant(0), s])[1], sparse(tf)),
        map_fn=lambda tf: (lambda s: tf.map_fn(lambda row: tf.sparse.to_dense(row), s, fn_output_signature=tf.int32), sparse(tf)),
        map_fn_to_sparse=lambda tf: (lambda s: tf.map_fn(lambda row: row.with_values(row.values * 2), s), sparse(tf)),
        map_fn_from_dense=lambda tf: (lambda d: tf.map_fn(tf.sparse.from_dense, d, fn_output_signature=tf.SparseTensorSpec([None], tf.int32)), tf.constant([[0, 1], [2, 0]])),
        py_function=lambda tf: (lambda s: tf.py_function(lambda t: tf.reduce_sum(t.values), [s], tf.int32), sparse(tf)),
        control_dependencies=lambda tf: (lambda s: _controlled(tf, s), sparse(tf)),
    )
)


def _from_dense_gradient(tf, d):
    with tf.GradientTape() as tape:
        tape.watch(d)
        total = tf.reduce_sum(tf.sparse.from_dense(d).values ** 2)
    return tape.gradient(total, d)


def _segment_gradient(tf, x):
    out = []
    for name in ("sum", "mean", "sqrt_n"):
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.reduce_sum(getattr(tf.sparse, f"segment_{name}")(x, [0, 2, 0], [0, 0, 1]) ** 2)
        out.append(tf.convert_to_tensor(tape.gradient(total, x)))
    return out


def _factor_gradient(tf, d):
    s = tf.sparse.SparseTensor([[0, 1], [0, 3], [2, 0]], [1.0, 2.0, -3.0], [3, 4])
    with tf.GradientTape() as tape:
        tape.watch(d)
        total = tf.reduce_sum((s * d).values)
    return tape.gradient(total, d)


def _second(tf, v):
    with tf.GradientTape() as outer:
        outer.watch(v)
        with tf.GradientTape() as inner:
            inner.watch(v)
            s = tf.sparse.SparseTensor([[0, 1], [0, 3], [2, 0]], v, [3, 4])
            y = tf.reduce_sum(tf.sparse.sparse_dense_matmul(s.with_values(s.values**2), tf.ones([4, 2])) ** 2)
        g = inner.gradient(y, v)
    return [g, outer.gradient(g, v)]


def _controlled(tf, s):
    with tf.control_dependencies([s]):
        return tf.identity(s)


def _traces(tf, arguments, **options):
    seen = []

    @tf.function(autograph=False, **options)
    def f(x):
        seen.append(tf.type_spec_from_value(x))
        return x

    for argument in arguments:
        f(argument)
    return seen


def _signature_errors(tf):
    f = tf.function(lambda s: s * 2, input_signature=[tf.SparseTensorSpec([None, 2], tf.int32)])
    return [outcome(lambda: f(value)) for value in (sparse(tf), sparse_floats(tf), tf.sparse.SparseTensor([[0, 0]], [1], [3, 4]), tf.constant([[1, 2]]), None)]


def _watched(tf):
    s = sparse_floats(tf)
    with tf.GradientTape() as tape:
        tape.watch(s)
        y = tf.sparse.reduce_sum(s * 3.0)
    return tape.gradient(y, s)


def _composite_target(tf):
    v = tf.Variable([0.5, -2.0])
    with tf.GradientTape() as tape:
        y = tf.sparse.SparseTensor([[0, 1], [2, 0]], v * 2.0, [3, 2])
    return outcome(lambda: tape.gradient(y, v))


def _autograph(tf):
    @tf.function
    def f(s):
        total = 0
        if tf.size(s.values) > 1:
            total = tf.reduce_sum(s.values)
        for v in s.values:
            total += v
        return total

    return f(sparse(tf))


globals().update(
    plain(
        traces=lambda tf: _traces(tf, [sparse(tf), tf.sparse.SparseTensor([[0, 0]], [1], [3, 2]), sparse_floats(tf), tf.sparse.SparseTensor([[0, 0]], [1], [3, 4])]),
        traces_reduced=lambda tf: _traces(tf, [tf.sparse.SparseTensor([[0, 0]], [1], [n, 2]) for n in (1, 2, 3, 4)], reduce_retracing=True),
        signature_errors=_signature_errors,
        watched=_watched,
        composite_target=_composite_target,
        autograph=_autograph,
        concrete=lambda tf: (lambda f: [f(sparse(tf)), f.structured_input_signature, f.output_shapes, [t.dtype for t in f.inputs]])(tf.function(lambda s: tf.sparse.to_dense(s)).get_concrete_function(tf.SparseTensorSpec([None, 2], tf.int32))),
        graph_gradients=lambda tf: tf.function(lambda v: tf.gradients(tf.sparse.to_dense(tf.sparse.SparseTensor([[0]], v, [2])), v))(tf.constant([2.0])),
        captured=lambda tf: (lambda s: tf.function(lambda: tf.sparse.to_dense(s))())(sparse(tf)),
        placeholders=lambda tf: [(o.name, o.type) for o in tf.function(lambda sp: sp).get_concrete_function(sparse(tf)).graph.get_operations() if o.type == "Placeholder"],
        tensor_array=lambda tf: tf.TensorArray(tf.int32, 1).write(0, sparse(tf)),
        jacobian=lambda tf: _jacobian(tf),
    )
)


def _jacobian(tf):
    v = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = tf.sparse.to_dense(tf.sparse.SparseTensor([[0], [2]], v * v, [3]))
    return tape.jacobian(y, v)
