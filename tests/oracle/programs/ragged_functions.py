"""Ragged tensors in functions, branches, loops, maps, tapes, variables' places and Python functions."""

from __future__ import annotations

from tests.oracle.programs._composite_helpers import deep, floats, numbers, outcome, plain, staged, wide, words


def _function(tf, **options):
    """Decorates with tf.function without AutoGraph."""
    return tf.function(autograph=False, **options)


def _traces(tf, arguments, **options):
    """How often a function is traced that is called with each of the arguments."""
    seen = []

    @_function(tf, **options)
    def f(x):
        seen.append(tf.type_spec_from_value(x))
        return x

    for argument in arguments:
        f(argument)
    return seen


def _signature_errors(tf):
    f = tf.function(lambda x: x + 1, input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
    return [outcome(lambda: f(value)) for value in (numbers(tf), floats(tf), deep(tf), tf.constant([[1]]), [[1]], numbers(tf).with_row_splits_dtype(tf.int32), wide(tf), None)]


def _concrete(tf):
    f = tf.function(lambda x: {"y": x * 2, "n": x.nrows()}).get_concrete_function(tf.RaggedTensorSpec([None, None], tf.int32))
    return [f(numbers(tf)), f.structured_input_signature, f.structured_outputs["n"].dtype, [t.dtype for t in f.inputs], [t.dtype for t in f.outputs], f.output_shapes, f.output_dtypes]


def _captured(tf):
    x = numbers(tf)
    return tf.function(lambda: x + 1)()


def _autograph_loop(tf):
    @tf.function
    def f(x):
        total = 0
        for row in x:
            total += tf.reduce_sum(row) * 10
        return total

    return f(numbers(tf))


def _autograph_branch(tf):
    @tf.function
    def f(x):
        if x.nrows() > 2:
            y = x * 2
        else:
            y = x
        return y

    return [f(numbers(tf)), f(numbers(tf)[:1])]


def _autograph_growing_while(tf):
    @tf.function
    def f(x):
        i = 0
        while i < 3:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.RaggedTensorSpec([None, None], tf.int32))])
            x = tf.concat([x, x[:1]], 0)
            i += 1
        return x

    return f(numbers(tf))


def _autograph_range_index(tf):
    @tf.function
    def f(x):
        out = tf.TensorArray(tf.int32, 3)
        for i in tf.range(3):
            out = out.write(i, tf.reduce_sum(x[i]))
        return out.stack()

    return f(numbers(tf))


def _retained_tape(tf):
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        x = tf.RaggedTensor.from_row_lengths(v * 2.0, [2, 0, 1])
        y = tf.reduce_sum(x * x, 1)
    return [tape.gradient(y, v), tape.gradient(y, x), tape.gradient(x, v), tape.jacobian(y, v)]


def _watched(tf):
    x = floats(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


def _watched_list(tf):
    x, y = floats(tf), floats(tf)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = tf.concat([x * 2.0, y * 3.0], 1)
    return tape.gradient(z, {"x": x, "y": y}, unconnected_gradients="zero")


def _output_gradients(tf):
    x = floats(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0
    return tape.gradient(y, x, output_gradients=tf.ragged.constant([[1.0, 2.0], [], [3.0]]))


def _unwatched(tf):
    x = floats(tf)
    with tf.GradientTape() as tape:
        y = x * 2.0
    return tape.gradient(y, x)


def _integer_gradient(tf):
    x = numbers(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 2
    return tape.gradient(y, x)


def _graph_gradients(tf):
    @tf.function
    def f(x):
        return tf.gradients(x * x, x)

    return f(floats(tf))


def _forward(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0, 2.0])) as accumulator:
        y = tf.reduce_sum(tf.RaggedTensor.from_row_lengths(x, [2, 1]) ** 2, 1)
    return accumulator.jvp(y)


def _custom_gradient(tf):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 10.0

    return outcome(lambda: f(floats(tf)))


def _nested_functions(tf):
    inner = tf.function(lambda x: x + 1)
    outer = tf.function(lambda x: inner(x) * inner(x)[:, :1].to_tensor(0))
    return outer(numbers(tf))


def _recomputed(tf):
    return tf.recompute_grad(lambda x: x * 2.0)(floats(tf))


globals().update(
    plain(
        traces_of_values=lambda tf: _traces(tf, [numbers(tf), numbers(tf) + 1, tf.ragged.constant([[1], [2]]), tf.ragged.constant([[1, 2, 3]])]),
        traces_of_dtypes=lambda tf: _traces(tf, [numbers(tf), floats(tf), deep(tf), numbers(tf).with_row_splits_dtype(tf.int32)]),
        traces_reduced=lambda tf: _traces(tf, [tf.ragged.constant([[1]] * n) for n in (1, 2, 3, 4)], reduce_retracing=True),
        traces_of_a_signature=lambda tf: _traces(tf, [numbers(tf), numbers(tf)[:1]], input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)]),
        signature_errors=_signature_errors,
        concrete_function=_concrete,
        captured=_captured,
        autograph_loop=_autograph_loop,
        autograph_branch=_autograph_branch,
        autograph_growing_while=_autograph_growing_while,
        autograph_range_index=_autograph_range_index,
        retained_tape=_retained_tape,
        watched=_watched,
        watched_list=_watched_list,
        output_gradients=_output_gradients,
        unwatched=_unwatched,
        integer_gradient=_integer_gradient,
        graph_gradients=_graph_gradients,
        forward_mode=_forward,
        custom_gradient=_custom_gradient,
        nested_functions=_nested_functions,
        recompute_grad=_recomputed,
        variable_of_ragged=lambda tf: tf.Variable(numbers(tf)),
        constant_of_ragged=lambda tf: tf.constant(numbers(tf)),
        tensor_array_of_ragged=lambda tf: tf.TensorArray(tf.int32, 1).write(0, numbers(tf)),
        run_eagerly=lambda tf: _run_eagerly(tf),
        pretty_signature=lambda tf: tf.function(lambda x: x).get_concrete_function(tf.RaggedTensorSpec([2, None], tf.int32)).pretty_printed_signature(),
        graph_inputs=lambda tf: [(o.name, o.type) for o in tf.function(lambda rag: rag).get_concrete_function(numbers(tf)).graph.get_operations() if o.type == "Placeholder"],
        flat_call=lambda tf: tf.function(lambda x: x + 1).get_concrete_function(numbers(tf))(numbers(tf)),
        module_method=lambda tf: _module(tf),
        defun_default_argument=lambda tf: tf.function(lambda x, y=None: x + 1 if y is None else x + y)(numbers(tf)),
        keyword_argument=lambda tf: tf.function(lambda *, x, scale: x * scale)(x=numbers(tf), scale=3),
        dictionary_argument=lambda tf: tf.function(lambda d: {"out": d["a"] + d["b"]})({"a": numbers(tf), "b": numbers(tf)}),
    )
)


def _module(tf):
    class Doubler(tf.Module):
        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
        def __call__(self, x):
            return x * 2

    return Doubler()(numbers(tf))


def _run_eagerly(tf):
    tf.config.run_functions_eagerly(True)
    try:
        return tf.function(lambda x: x + len(x.to_list()))(numbers(tf))
    finally:
        tf.config.run_functions_eagerly(False)


def _in_while(tf, grow, invariant):
    return lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, grow(y)), [tf.constant(0), x], shape_invariants=invariant)[1]


globals().update(
    staged(
        cond=lambda tf: (lambda x, p: tf.cond(p, lambda: x + 1, lambda: x * 10), numbers(tf), tf.constant(True)),
        cond_of_unlike_rows=lambda tf: (lambda x, p: tf.cond(p, lambda: x, lambda: x[:1]), numbers(tf), tf.constant(False)),
        cond_of_unlike_ranks=lambda tf: (lambda x, p: tf.cond(p, lambda: x, lambda: tf.expand_dims(x, 0)), numbers(tf), tf.constant(False)),
        cond_of_ragged_and_dense=lambda tf: (lambda x, p: tf.cond(p, lambda: x, lambda: x.to_tensor()), numbers(tf), tf.constant(False)),
        switch_case=lambda tf: (lambda x, i: tf.switch_case(i, [lambda: x, lambda: x + 1, lambda: x * x]), numbers(tf), tf.constant(2)),
        case=lambda tf: (lambda x: tf.case([(tf.reduce_sum(x) > 100, lambda: x), (tf.reduce_sum(x) > 1, lambda: -x)]), numbers(tf)),
        while_loop=lambda tf: (_in_while(tf, lambda y: y * 2, None), numbers(tf)),
        while_growing=lambda tf: (_in_while(tf, lambda y: tf.concat([y, y], 1), None), numbers(tf)),
        while_growing_rows=lambda tf: (_in_while(tf, lambda y: tf.concat([y, y[:1]], 0), [tf.TensorShape([]), tf.RaggedTensorSpec([None, None], tf.int32)]), numbers(tf)),
        while_growing_rows_unsaid=lambda tf: (_in_while(tf, lambda y: tf.concat([y, y[:1]], 0), None), numbers(tf)),
        while_invariant_shape=lambda tf: (_in_while(tf, lambda y: tf.concat([y, y[:1]], 0), [tf.TensorShape([]), tf.TensorShape([None, None])]), numbers(tf)),
        while_of_bad_invariant=lambda tf: (_in_while(tf, lambda y: y, [tf.TensorShape([]), tf.RaggedTensorSpec([None, None, None], tf.int32)]), numbers(tf)),
        map_fn_to_tensor=lambda tf: (lambda x: tf.map_fn(tf.reduce_sum, x, fn_output_signature=tf.int32), numbers(tf)),
        map_fn_same=lambda tf: (lambda x: tf.map_fn(lambda row: row + 1, x), numbers(tf)),
        map_fn_to_ragged=lambda tf: (lambda x: tf.map_fn(lambda row: row[:1], x, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32, ragged_rank=0)), numbers(tf)),
        map_fn_of_range=lambda tf: (lambda x: tf.map_fn(tf.range, x, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32)), tf.constant([3, 0, 1])),
        map_fn_of_deep=lambda tf: (lambda x: tf.map_fn(lambda rows: tf.reduce_sum(rows, 1), x, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32)), deep(tf)),
        map_fn_of_deep_to_deep=lambda tf: (lambda x: tf.map_fn(lambda rows: rows * 2, x), deep(tf)),
        map_fn_of_pairs=lambda tf: (lambda x, y: tf.map_fn(lambda pair: tf.reduce_sum(pair[0]) + pair[1], (x, y), fn_output_signature=tf.int32), numbers(tf), tf.constant([10, 20, 30])),
        map_fn_to_structures=lambda tf: (lambda x: tf.map_fn(lambda row: {"n": tf.size(row), "r": row}, x, fn_output_signature={"n": tf.int32, "r": tf.RaggedTensorSpec([None], tf.int32)}), numbers(tf)),
        map_fn_of_unsaid_dtype=lambda tf: (lambda x: tf.map_fn(lambda row: tf.cast(row, tf.float32), x), numbers(tf)),
        map_fn_of_wrong_rank=lambda tf: (lambda x: tf.map_fn(lambda row: row, x, fn_output_signature=tf.int32), numbers(tf)),
        map_fn_of_empty=lambda tf: (lambda x: tf.map_fn(lambda row: row + 1, x), tf.ragged.constant([], tf.int32, ragged_rank=1)),
        map_fn_of_uniform=lambda tf: (lambda x: tf.map_fn(lambda row: row + 1, x), wide(tf)),
        map_fn_of_text=lambda tf: (lambda x: tf.map_fn(lambda row: tf.strings.reduce_join(row), x), words(tf)),
        map_fn_gradient=lambda tf: (lambda v: _map_gradient(tf, v), tf.constant([1.0, 2.0, 3.0])),
        vectorized_map=lambda tf: (lambda x: tf.vectorized_map(lambda row: row * 2, x), numbers(tf)),
        vectorized_map_of_sums=lambda tf: (lambda x: tf.vectorized_map(tf.reduce_sum, x), numbers(tf)),
        vectorized_map_to_ragged=lambda tf: (lambda x: tf.vectorized_map(lambda row: tf.RaggedTensor.from_row_lengths(row, [1, 1]), x), tf.constant([[1, 2], [3, 4]])),
        scan=lambda tf: (lambda x: tf.scan(lambda a, b: a + tf.reduce_sum(b), x, initializer=0), numbers(tf)),
        foldl=lambda tf: (lambda x: [tf.foldl(lambda a, b: a + tf.reduce_sum(b), x, initializer=0), tf.foldr(lambda a, b: a + tf.reduce_sum(b), x, initializer=0)], numbers(tf)),
        py_function_of_ragged=lambda tf: (lambda x: tf.py_function(lambda r: tf.reduce_sum(r), [x], tf.int32), numbers(tf)),
        py_function_to_ragged=lambda tf: (lambda x: tf.py_function(lambda t: tf.RaggedTensor.from_row_lengths(t, [1, 2]), [x], tf.RaggedTensorSpec([2, None], tf.int32)), tf.constant([1, 2, 3])),
        numpy_function_of_ragged=lambda tf: (lambda x: tf.numpy_function(lambda v: v, [x], tf.int32), numbers(tf)),
        control_dependencies=lambda tf: (lambda x: _controlled(tf, x), numbers(tf)),
        name_scope=lambda tf: (lambda x: _named(tf, x), numbers(tf)),
        device=lambda tf: (lambda x: _placed(tf, x), numbers(tf)),
        grad_pass_through=lambda tf: (lambda x: tf.grad_pass_through(lambda t: t * 2.0)(x), floats(tf)),
        tuple=lambda tf: (lambda x: tf.tuple([x, x.values]), numbers(tf)),
        group=lambda tf: (lambda x: [x, tf.group(x)][:1], numbers(tf)),
        gradient_of_values=lambda tf: (lambda v: _values_gradient(tf, v), tf.constant([1.0, 2.0, 3.0])),
        second_gradient=lambda tf: (lambda v: _second_gradient(tf, v), tf.constant([1.0, 2.0, 3.0])),
    )
)
globals().update(
    staged(
        "graph",
        "xla",
        cond_compiled=lambda tf: (lambda x, p: tf.cond(p, lambda: x + 1, lambda: x * 10), numbers(tf), tf.constant(True)),
        while_loop_compiled=lambda tf: (_in_while(tf, lambda y: y * 2, None), numbers(tf)),
        row_lengths_compiled=lambda tf: (lambda x: [x.row_lengths(), x.row_starts(), x.nrows()], numbers(tf)),
        argument_and_result_compiled=lambda tf: (lambda x: {"same": x, "more": x * 2}, numbers(tf)),
        from_row_lengths_compiled=lambda tf: (lambda v, n: tf.RaggedTensor.from_row_lengths(v, n, validate=False), tf.constant([1, 2, 3]), tf.constant([1, 2])),
        value_rowids_compiled=lambda tf: (lambda x: x.value_rowids(), numbers(tf)),
        to_tensor_compiled=lambda tf: (lambda x: x.to_tensor(shape=[3, 4]), numbers(tf)),
        gradient_compiled=lambda tf: (lambda v: _values_gradient(tf, v), tf.constant([1.0, 2.0, 3.0])),
        gather_compiled=lambda tf: (lambda x: tf.gather(x, [2, 0]), numbers(tf)),
        slice_compiled=lambda tf: (lambda x: [x[1:], x[0]], numbers(tf)),
        concat_compiled=lambda tf: (lambda x: tf.concat([x, x], 0), numbers(tf)),
    )
)


def _map_gradient(tf, values):
    with tf.GradientTape() as tape:
        tape.watch(values)
        x = tf.RaggedTensor.from_row_lengths(values, [2, 0, 1])
        y = tf.map_fn(lambda row: tf.reduce_sum(row * row), x, fn_output_signature=tf.float32)
        total = tf.reduce_sum(y * [1.0, 2.0, 3.0])
    return tape.gradient(total, values)


def _values_gradient(tf, values):
    with tf.GradientTape() as tape:
        tape.watch(values)
        x = tf.RaggedTensor.from_row_lengths(values, [2, 0, 1], validate=False)
        total = tf.reduce_sum((x * x + tf.exp(x)).values)
    return tape.gradient(total, values)


def _second_gradient(tf, values):
    with tf.GradientTape() as outer:
        outer.watch(values)
        with tf.GradientTape() as inner:
            inner.watch(values)
            y = tf.reduce_sum(tf.RaggedTensor.from_row_lengths(values, [2, 0, 1]) ** 3)
        gradient = inner.gradient(y, values)
    return [gradient, outer.gradient(gradient, values)]


def _controlled(tf, x):
    with tf.control_dependencies([x]):
        return tf.identity(x)


def _named(tf, x):
    with tf.name_scope("scope"):
        return x + 1


def _placed(tf, x):
    with tf.device("/cpu:0"):
        return x + 1
