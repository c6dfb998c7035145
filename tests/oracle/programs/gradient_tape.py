"""GradientTape: what is watched, what is None, persistence, errors, IndexedSlices."""

from __future__ import annotations

from tests.oracle.support import attempt, logged


def prog_simple_gradients(tf, np):
    """Polynomials, several sources, nests of sources."""
    x, y = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        z = x * x * y + tf.sin(y)
    return [tape.gradient(z, x), tape.gradient(z, [x, y]), tape.gradient(z, {"x": x, "y": [y]}), tape.gradient(z, (x,)), tape.gradient([z, x], x)]


def prog_variables_are_watched(tf, np):
    """Trainable variables without watch; constants with."""
    v, c = tf.Variable(2.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        y = v * v * c
    return tape.gradient(y, [v, c])


def prog_watch_accessed_variables_false(tf, np):
    """Nothing is watched by itself."""
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(w)
        y = v * w
    return [tape.gradient(y, [v, w]), len(tape.watched_variables())]


def prog_none_gradients(tf, np):
    """Unconnected, non-differentiable and integer paths."""
    x, v = tf.constant(1.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a = tf.constant(1.0) * 2.0
        b = tf.cast(tf.cast(x, tf.int32), tf.float32)
        c = tf.stop_gradient(x * v)
        d = tf.constant(x.numpy()) * 2.0
        e = tf.cast(tf.argmax([x, v]), tf.float32)
        f = tf.round(x) * 1.0
        g = tf.cast(x > 0, tf.float32)
    return [tape.gradient(t, [x, v]) for t in (a, b, c, d, e, f, g)]


def prog_unconnected_gradients(tf, np):
    """UnconnectedGradients.ZERO, as enum and as text."""
    x, y = tf.constant([1.0, 2.0]), tf.Variable([[3.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        z = x * 2.0
    return [tape.gradient(z, y), tape.gradient(z, y, unconnected_gradients=tf.UnconnectedGradients.ZERO), tape.gradient(z, [x, y], unconnected_gradients="zero"), tape.gradient(z, y, unconnected_gradients="none"), attempt(lambda: tape.gradient(z, x, unconnected_gradients="bad"), words=3)]


def prog_non_persistent_errors(tf, np):
    """A second gradient call is refused."""
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return [tape.gradient(y, x), attempt(lambda: tape.gradient(y, x), words=8)]


def prog_gradient_inside_context(tf, np):
    """Calling gradient inside the with block."""
    x = tf.constant(3.0)
    out = []
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        out.append(tape.gradient(y, x))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        out.append(tape.gradient(y, x))
        z = y * x
    out.append(tape.gradient(z, x))
    return out


def prog_wrong_sources_and_targets(tf, np):
    """Integers, strings, Python numbers, None."""
    x, i = tf.constant(1.0), tf.constant(1)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * 2.0
    return [attempt(lambda: tape.gradient(y, 5.0), words=0), attempt(lambda: tape.gradient(y, None), words=0), attempt(lambda: tape.gradient(None, x), words=4), attempt(lambda: tape.gradient(5.0, x), words=0), tape.gradient(y, i), tape.gradient(i, x), attempt(lambda: tape.gradient(y, "a"), words=0), tape.gradient([], x) if False else None]


def prog_integer_watch_warns(tf, np):
    """Watching an int or string logs a warning."""

    def run():
        with tf.GradientTape() as tape:
            tape.watch(tf.constant(1))
            tape.watch(tf.constant("a"))

    return logged(tf, run, words=6)


def prog_watch_errors(tf, np):
    """Watching things that are not tensors."""
    with tf.GradientTape() as tape:
        return [attempt(lambda: tape.watch(5), words=5), attempt(lambda: tape.watch("x"), words=5), attempt(lambda: tape.watch([tf.constant(1.0), 3]), words=5), attempt(lambda: tape.watch(np.ones(2)), words=5)]


def prog_target_equals_source(tf, np):
    """The gradient of x by x is one."""
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.identity(x)
    return [tape.gradient(x, x), tape.gradient(y, y), tape.gradient(y, x), tape.gradient(y, [x, x])]


def prog_output_gradients(tf, np):
    """output_gradients weigh the target; shapes must fit."""
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = x * 3.0
    return [tape.gradient(y, x, output_gradients=tf.constant([10.0, 100.0])), tape.gradient([y, z], x, output_gradients=[tf.constant([1.0, 0.0]), tf.constant([0.0, 1.0])]), tape.gradient(y, x, output_gradients=[tf.constant([1.0, 1.0])] if False else tf.ones([2])), attempt(lambda: tape.gradient(y, x, output_gradients=tf.constant([1, 2])), words=0)]


def prog_vector_targets_are_summed(tf, np):
    """Non-scalar targets sum up."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.matmul(x, x)
    return tape.gradient(y, x)


def prog_higher_order(tf, np):
    """Third derivative by nested tapes."""
    x = tf.constant(2.0)
    with tf.GradientTape() as t3:
        t3.watch(x)
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                y = x**4
            d1 = t1.gradient(y, x)
        d2 = t2.gradient(d1, x)
    return [d1, d2, t3.gradient(d2, x)]


def prog_persistent_tape_higher_order(tf, np):
    """gradient of a gradient computed inside one persistent tape."""
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x**3
        g = tape.gradient(y, x)
    return [g, tape.gradient(g, x)]


def prog_stop_recording(tf, np):
    """Operations inside stop_recording are invisible."""
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = y * 100.0
        w = y + z
    return tape.gradient(w, x)


def prog_reset(tf, np):
    """reset forgets everything, also watches."""
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        tape.watch(x)
        z = x * 3.0
        w = y + z
    return [tape.gradient(w, x)]


def prog_reentering_a_tape(tf, np):
    """A tape may be entered twice, not nested in itself."""
    x = tf.constant(2.0)
    tape = tf.GradientTape(persistent=True)
    with tape:
        tape.watch(x)
        y = x * x
    with tape:
        z = y * x

    def enter_twice():
        with tf.GradientTape() as other:
            with other:
                return "entered"

    return [tape.gradient(z, x), attempt(lambda: enter_twice(), words=4)]


def prog_tape_not_recording(tf, np):
    """Operations outside the context are not seen."""
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    z = y * 3.0
    return [tape.gradient(z, x)]


def prog_gather_gives_indexed_slices(tf, np):
    """Sparse gradients: one gather, two gathers, gather plus dense."""
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape(persistent=True) as tape:
        a = tf.gather(v, [0, 2, 0])
        b = tf.gather(v, [0]) * 2.0 + tf.gather(v, [1])
        c = tf.reduce_sum(v) + tf.reduce_sum(tf.gather(v, [1]))
    grads = [tape.gradient(t, v) for t in (a, b, c)]
    return [grads, [type(g).__name__ for g in grads], [tf.convert_to_tensor(g) for g in grads]]


def prog_indexed_slices_objects(tf, np):
    """Fields, conversion, negation, text of IndexedSlices."""
    s = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1, 1]), tf.constant([3, 2]))
    u = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    return [s.values, s.indices, s.dense_shape, s.shape, s.dtype, tf.convert_to_tensor(s), -s, attempt(lambda: tf.convert_to_tensor(u), words=4), s.device.endswith("0"), tf.add_n([s, s]) if False else tf.convert_to_tensor(s) * 2, attempt(lambda: s * 2, words=0)]


def prog_gradient_of_assigned_variable(tf, np):
    """Reads before and after an assign inside the tape."""
    v, x = tf.Variable(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = v * x
        v.assign(10.0)
        z = v * x
    return [tape.gradient(y, [v, x]), tape.gradient(z, [v, x]), tape.gradient(y + z if False else z, v)]


def prog_assign_cuts_gradient(tf, np):
    """Values pass through assign without gradient."""
    v, x = tf.Variable(0.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        v.assign(x * 2.0)
        y = v * 5.0
    return [y, tape.gradient(y, x)]


def prog_jacobian(tf, np):
    """jacobian and batch_jacobian."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = tf.stack([x[:, 0] * x[:, 1], x[:, 0]], 1)
    return [tape.jacobian(y, x), tape.batch_jacobian(z, x), tape.jacobian(z, x, experimental_use_pfor=False)]


def prog_hessian(tf, np):
    """jacobian of a gradient."""
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x[0] ** 2 * x[1] + x[1] ** 3
        g = inner.gradient(y, x)
    return outer.jacobian(g, x)


def prog_tf_gradients_in_function(tf, np):
    """tf.gradients works in graphs only."""

    @tf.function(autograph=False)
    def f(x):
        y = x * x
        return tf.gradients(y, [x]), tf.gradients(y, x, grad_ys=tf.constant(10.0)), tf.gradients(x, y)

    return [f(tf.constant(3.0)), attempt(lambda: tf.gradients(tf.constant(1.0), tf.constant(1.0)), words=4)]


def prog_tf_gradients_stop_gradients(tf, np):
    """stop_gradients holds tensors constant."""

    @tf.function(autograph=False)
    def f(x):
        a = 2.0 * x
        b = a + x
        return tf.gradients(a + b, [x, a, b], stop_gradients=[a, b]), tf.gradients(a + b, [x, a]), tf.gradients(tf.constant(1.0), [x], unconnected_gradients="zero")

    return f(tf.constant(1.0))


def prog_forward_accumulator(tf, np):
    """Forward-mode products."""
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
        y = x * x * tf.sin(x)
    return [acc.jvp(y), acc.jvp(tf.constant(1.0)), acc.jvp(tf.constant(1.0), unconnected_gradients=tf.UnconnectedGradients.ZERO)]


def prog_gradients_keep_dtype(tf, np):
    """Gradients have the dtype of their source."""
    out = []
    for d in (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64):
        x = tf.cast([1.0, 2.0], d)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        out.append(tape.gradient(y, x))
    return out


def prog_cast_gradient(tf, np):
    """Casts between floats pass gradients back in the source's dtype."""
    x = tf.constant([1.0, 2.0], tf.float16)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x, tf.float64) ** 2
    return tape.gradient(y, x)


def prog_accumulation(tf, np):
    """A source used several times accumulates."""
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x + x * x + tf.exp(x) * 0.0 + x
        for _ in range(3):
            y = y * x
    return [y, tape.gradient(y, x)]


def prog_gradient_of_structures(tf, np):
    """Sources in modules, dicts, nested lists."""
    params = {"w": tf.Variable([[1.0, 2.0]]), "b": [tf.Variable(0.5), (tf.Variable(3.0),)]}
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(params["w"]) * params["b"][0]
    return tape.gradient(y, params)


def prog_two_tapes_side_by_side(tf, np):
    """Tapes do not disturb each other."""
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as t1, tf.GradientTape() as t2:
        t1.watch(x)
        t2.watch(y)
        z = x * y
    return [t1.gradient(z, [x, y]), t2.gradient(z, [x, y])]


def prog_broadcast_gradients_shapes(tf, np):
    """Broadcast operands get gradients of their own shape."""
    a, b, c = tf.ones([3, 1]), tf.ones([2]), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b, c])
        y = a * b * c
    return tape.gradient(y, [a, b, c])


def prog_empty_tensors(tf, np):
    """Gradients of empty tensors are empty."""
    x = tf.zeros([0, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x)
    return [y, tape.gradient(y, x)]


def prog_nan_safe_where(tf, np):
    """The known nan through where and its double-where cure."""
    x = tf.constant([0.0, 4.0])
    out = []
    for f in (lambda v: tf.where(v > 0, tf.sqrt(v), 0.0), lambda v: tf.where(v > 0, tf.sqrt(tf.where(v > 0, v, 1.0)), 0.0)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        out.append(tape.gradient(y, x))
    return out
