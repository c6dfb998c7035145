"""Derivatives of first, second and third order through cond, case, loops, TensorArrays, scans and maps."""

from __future__ import annotations

from tests.oracle.modes import ALL_MODES, UNCOMPILED, derivatives, in_modes


def _x(tf):
    return tf.constant([0.5, -1.2, 2.0])


# --- branches --------------------------------------------------------------------------------------------------------


@derivatives(3, modes=ALL_MODES)
def cond_true(tf, np):
    return lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x**4, lambda: -x), [_x(tf)]


@derivatives(3)
def cond_false(tf, np):
    return lambda x: tf.cond(tf.reduce_sum(x) < 0.0, lambda: x, lambda: tf.exp(x) * x), [_x(tf)]


@derivatives(2)
def cond_with_several_outputs(tf, np):
    def f(x, y):
        return tf.cond(y > 1.0, lambda: (x * y, tf.sin(x)), lambda: (x, x * x))

    return f, [_x(tf), tf.constant(2.0)]


@derivatives(2)
def cond_with_structures(tf, np):
    def f(x):
        return tf.cond(x[0] > 0.0, lambda: {"a": x * x, "b": [x**3]}, lambda: {"a": x, "b": [x]})

    return f, [_x(tf)]


@derivatives(2)
def cond_one_branch_constant(tf, np):
    return lambda x: tf.cond(x[0] < 0.0, lambda: x * x, lambda: tf.constant([1.0, 2.0, 3.0])), [_x(tf)]


@derivatives(2)
def cond_capturing_different_tensors(tf, np):
    def f(x, y, z):
        return tf.cond(x[0] > 0.0, lambda: x * y, lambda: x * z)

    return f, [_x(tf), tf.constant(3.0), tf.constant(5.0)]


@derivatives(2)
def cond_nested(tf, np):
    def f(x, k):
        def deep():
            return tf.cond(k > 2.0, lambda: x**3 * k, lambda: x * k**2)

        return tf.cond(k > 0.0, deep, lambda: x)

    return f, [_x(tf), tf.constant(1.5)]


@derivatives(2)
def cond_after_cond(tf, np):
    def f(x):
        y = tf.cond(x[0] > 0.0, lambda: x * x, lambda: x)
        return tf.cond(y[1] > 2.0, lambda: y, lambda: tf.sin(y) * x)

    return f, [_x(tf)]


@derivatives(2)
def cond_with_integer_output(tf, np):
    def f(x):
        y, n = tf.cond(x[0] > 0.0, lambda: (x * x, tf.constant(2)), lambda: (x, tf.constant(1)))
        return y * tf.cast(n, tf.float32), n

    return f, [_x(tf)]


@derivatives(2)
def cond_on_a_python_value(tf, np):
    return lambda x: tf.cond(True, lambda: x**3, lambda: x), [_x(tf)]


@derivatives(2)
def case_first_true(tf, np):
    def f(x):
        pairs = [(x[0] > 1.0, lambda: x), (x[0] > 0.0, lambda: x**3), (x[0] > -1.0, lambda: tf.exp(x))]
        return tf.case(pairs, default=lambda: -x)

    return f, [_x(tf)]


@derivatives(2)
def case_default(tf, np):
    def f(x):
        return tf.case([(x[0] > 1.0, lambda: x), (x[0] > 0.8, lambda: x**3)], default=lambda: tf.sinh(x))

    return f, [_x(tf)]


@derivatives(3, modes=ALL_MODES)
def switch_case(tf, np):
    def f(x, i):
        return tf.switch_case(i, [lambda: x, lambda: x**4, lambda: tf.sin(x)])

    return f, [_x(tf), tf.constant(1)]


@derivatives(2)
def switch_case_out_of_range(tf, np):
    def f(x, i):
        return tf.switch_case(i, {0: lambda: x, 1: lambda: x**3}, default=lambda: tf.cos(x))

    return f, [_x(tf), tf.constant(7)]


@derivatives(2)
def switch_case_nested_in_cond(tf, np):
    def f(x, i):
        return tf.cond(x[0] > 0.0, lambda: tf.switch_case(i, [lambda: x * x, lambda: x**3 * x[0]]), lambda: x)

    return f, [_x(tf), tf.constant(1)]


# --- while_loop ------------------------------------------------------------------------------------------------------


@derivatives(3, modes=ALL_MODES)
def while_power(tf, np):
    def f(x):
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1]

    return f, [_x(tf)]


@derivatives(2, modes=ALL_MODES)
def while_bounded(tf, np):
    def f(x):
        loop = tf.while_loop(
            lambda y: tf.reduce_max(tf.abs(y)) < 50.0, lambda y: (y * y + x,), (x,), maximum_iterations=5
        )
        return loop[0]

    return f, [tf.constant([0.5, -1.2, 1.5])]


@derivatives(2)
def while_of_unknown_length(tf, np):
    def f(x):
        return tf.while_loop(lambda y: tf.reduce_sum(tf.abs(y)) < 50.0, lambda y: (y * x * 2.0,), (x,))[0]

    return f, [tf.constant([1.5, -1.2])]


@derivatives(2, modes=ALL_MODES)
def while_counted_by_an_argument(tf, np):
    def f(x, n):
        return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.sin(y) * x), (0, x))[1]

    return f, [_x(tf), tf.constant(4)]


@derivatives(2)
def while_without_iterations(tf, np):
    def f(x):
        return tf.while_loop(lambda i, y: i < 0, lambda i, y: (i + 1, y * x), (0, x))[1]

    return f, [_x(tf)]


@derivatives(2)
def while_with_several_variables(tf, np):
    def f(x, k):
        def body(i, a, b):
            return i + 1, a * b + k, tf.tanh(b * x)

        return tf.while_loop(lambda i, a, b: i < 3, body, (0, x, x * k))[1:]

    return f, [_x(tf), tf.constant(0.7)]


@derivatives(2)
def while_with_structures(tf, np):
    def f(x):
        start = {"i": tf.constant(0), "p": (x, [x * 2.0])}

        def body(s):
            a, (b,) = s["p"]
            return ({"i": s["i"] + 1, "p": (a * b, [b + x])},)

        return tf.while_loop(lambda s: s["i"] < 2, body, (start,))[0]["p"]

    return f, [_x(tf)]


@derivatives(2, modes=ALL_MODES)
def while_nested(tf, np):
    def f(x):
        def inner(y):
            return tf.while_loop(lambda j, z: j < 2, lambda j, z: (j + 1, z * x + y), (0, y))[1]

        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.tanh(inner(y))), (0, x))[1]

    return f, [_x(tf)]


@derivatives(2)
def while_nested_thrice(tf, np):
    def f(x):
        def loop(n, step, start):
            return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, step(y)), (0, start))[1]

        return loop(2, lambda a: loop(2, lambda b: loop(2, lambda c: tf.sin(c) * x, b), a), x)

    return f, [_x(tf)]


@derivatives(2)
def while_triangular(tf, np):
    def f(x):
        def inner(i, y):
            return tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * x), (0, y))[1]

        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, inner(i, y) * 0.5), (0, x))[1]

    return f, [_x(tf)]


@derivatives(2)
def cond_in_while(tf, np):
    def f(x):
        def body(i, y):
            return i + 1, tf.cond(i % 2 == 0, lambda: y * x, lambda: tf.sin(y))

        return tf.while_loop(lambda i, y: i < 4, body, (0, x))[1]

    return f, [_x(tf)]


@derivatives(2)
def while_in_cond(tf, np):
    def f(x):
        def loop():
            return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1]

        return tf.cond(x[0] > 0.0, loop, lambda: x)

    return f, [_x(tf)]


@derivatives(2)
def while_in_switch_in_while(tf, np):
    def f(x):
        def power(y, n):
            return tf.while_loop(lambda j, z: j < n, lambda j, z: (j + 1, z * x * 0.9), (0, y))[1]

        def body(i, y):
            return i + 1, tf.switch_case(tf.convert_to_tensor(i), [lambda: power(y, 1), lambda: y + x, lambda: power(y, 2)])

        return tf.while_loop(lambda i, y: i < 3, body, (0, x))[1]

    return f, [_x(tf)]


@derivatives(2)
def loop_after_loop(tf, np):
    def f(x):
        y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * x), (0, x))[1]
        return tf.while_loop(lambda i, z: i < 2, lambda i, z: (i + 1, z + y * tf.cos(z)), (0, x))[1]

    return f, [_x(tf)]


@derivatives(2)
def while_with_matrices(tf, np):
    def f(x, w):
        return tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, tf.tanh(h @ w + x)), (0, x))[1]

    rng = np.random.RandomState(0)
    return f, [tf.constant(rng.randn(2, 3), tf.float32), tf.constant(rng.randn(3, 3) * 0.5, tf.float32)]


@derivatives(2, modes=UNCOMPILED)
def while_growing_shape(tf, np):
    def f(x):
        shapes = (tf.TensorShape([]), tf.TensorShape([None]))
        loop = tf.while_loop(
            lambda i, y: i < 2, lambda i, y: (i + 1, tf.concat([y, y * x[0]], 0)), (0, x), shape_invariants=shapes
        )
        return loop[1]

    return f, [_x(tf)]


@derivatives(2)
def while_invariant_variable(tf, np):
    def f(x, k):
        return tf.while_loop(lambda i, y, c: i < 3, lambda i, y, c: (i + 1, y * c, c), (0, x, k))[1:]

    return f, [_x(tf), tf.constant(1.3)]


@derivatives(2)
def while_swapping_variables(tf, np):
    def f(x, y):
        return tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b * 2.0, a * b), (0, x, y))[1:]

    return f, [_x(tf), tf.constant([1.1, 0.4, -0.3])]


@derivatives(2)
def while_variable_not_changed_by_the_source(tf, np):
    def f(x):
        def body(i, a, b):
            return i + 1, a + 1.0, b * a

        return tf.while_loop(lambda i, a, b: i < 3, body, (0, tf.constant(1.0), x))[1:]

    return f, [_x(tf)]


@derivatives(2)
def while_stopped_gradient(tf, np):
    def f(x):
        def body(i, y):
            return i + 1, tf.stop_gradient(y) * x + y

        return tf.while_loop(lambda i, y: i < 3, body, (0, x))[1]

    return f, [_x(tf)]


@derivatives(2)
def while_counting_in_floats(tf, np):
    def f(x):
        return tf.while_loop(lambda t, y: t < 1.0, lambda t, y: (t + 0.25, y + 0.25 * tf.sin(y) * x), (0.0, x))[1]

    return f, [_x(tf)]


@derivatives(2, modes=UNCOMPILED)
def while_no_back_prop(tf, np):
    def f(x):
        loop = (lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))
        return tf.while_loop(*loop, parallel_iterations=1, back_prop=False, swap_memory=True, name="l")[1]

    return f, [_x(tf)]


@derivatives(2)
def while_v1(tf, np):
    def f(x):
        return tf.compat.v1.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])[1]

    return f, [_x(tf)]


@derivatives(2)
def newton_iteration(tf, np):
    """A square root by iteration: the derivative is that of the root."""

    def f(a):
        return tf.while_loop(lambda i, y: i < 6, lambda i, y: (i + 1, 0.5 * (y + a / y)), (0, a * 0.5 + 0.5))[1]

    return f, [tf.constant([2.0, 9.0, 0.25])]


@derivatives(2)
def euler_steps(tf, np):
    """A pendulum, integrated."""

    def f(angle, length):
        def body(i, a, v):
            return i + 1, a + 0.1 * v, v - 0.1 * tf.sin(a) / length

        return tf.while_loop(lambda i, a, v: i < 10, body, (0, angle, tf.zeros_like(angle)))[1]

    return f, [tf.constant([0.3, 1.0]), tf.constant(1.5)]


# --- variables in loops ----------------------------------------------------------------------------------------------


def _variable_gradients(tf, f, variables):
    def run():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = f()
            first = inner.gradient(y, variables)
            total = tf.add_n([tf.reduce_sum(g * g) for g in first])
        return y, first, outer.gradient(total, variables)

    return run


@in_modes()
def variable_in_while(tf, np):
    v = tf.Variable(1.2)
    x = _x(tf)
    loop = lambda: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * v), (0, x))[1]
    return _variable_gradients(tf, loop, [v]), []


@in_modes()
def variables_in_nested_loops(tf, np):
    v, w = tf.Variable(1.2), tf.Variable([0.5, 0.3, -0.2])
    x = _x(tf)

    def f():
        def inner(y):
            return tf.while_loop(lambda j, z: j < 2, lambda j, z: (j + 1, z * v + w), (0, y))[1]

        return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, inner(y) * w), (0, x))[1]

    return _variable_gradients(tf, f, [v, w]), []


@in_modes()
def variable_in_cond(tf, np):
    v, w = tf.Variable(1.2), tf.Variable(0.4)
    f = lambda: tf.cond(v > 1.0, lambda: v * v * w, lambda: w)
    return _variable_gradients(tf, f, [v, w]), []


@in_modes()
def variable_in_switch_case(tf, np):
    v, w = tf.Variable(1.2), tf.Variable(0.4)
    f = lambda: tf.switch_case(tf.constant(1), [lambda: v * v * v, lambda: w**3 * v])
    return _variable_gradients(tf, f, [v, w]), []


@in_modes()
def variable_in_map(tf, np):
    v = tf.Variable([1.2, 0.3])
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    f = lambda: tf.map_fn(lambda row: tf.reduce_sum(row * v * v), x)
    return _variable_gradients(tf, f, [v]), []


@in_modes()
def variable_in_scan(tf, np):
    v = tf.Variable(0.8)
    x = _x(tf)
    f = lambda: tf.scan(lambda a, e: a * v + tf.sin(e * v), x)
    return _variable_gradients(tf, f, [v]), []


@in_modes("graph", "xla")
def variable_assigned_in_loop(tf, np):
    """Reads before and after an assignment in the body."""
    v = tf.Variable(2.0)

    def f(x):
        def body(i, y):
            z = y * v.read_value()
            with tf.control_dependencies([z]):
                v.assign_add(1.0)
            return i + 1, z

        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.while_loop(lambda i, y: i < 3, body, (0, x))[1]
        return y, tape.gradient(y, x), v.read_value()

    return f, [_x(tf)]
