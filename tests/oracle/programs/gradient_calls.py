"""Gradients through calls: nested functions, concrete functions, recursion, captures, side effects, polymorphism."""

from __future__ import annotations

from tests.oracle.modes import ALL_MODES, derivatives, in_modes


def _x(tf):
    return tf.constant([0.5, -1.2, 2.0])


def _nested(tf, f, x, order):
    found = []

    def nth(n):
        if n == 0:
            return f(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = nth(n - 1)
        return tape.gradient(y, x)

    for n in range(order + 1):
        found.append(nth(n))
    return found


# --- nested functions -------------------------------------------------------------------------------------------------


@derivatives(3, modes=ALL_MODES)
def one_inside_another(tf, np):
    inner = tf.function(lambda x: tf.sin(x) * x, autograph=False)
    return lambda x: inner(x) * inner(x * 2.0), [_x(tf)]


@derivatives(2)
def three_deep(tf, np):
    a = tf.function(lambda x: x**3, autograph=False)
    b = tf.function(lambda x: a(x) + tf.exp(x), autograph=False)
    c = tf.function(lambda x: b(a(x) * 0.1), autograph=False)
    return lambda x: c(x), [_x(tf)]


@derivatives(2)
def same_function_many_times(tf, np):
    layer = tf.function(lambda x, w: tf.tanh(tf.linalg.matvec(w, x)), autograph=False)

    def f(x, w):
        for _ in range(4):
            x = layer(x, w)
        return x

    return f, [_x(tf), tf.constant([[0.5, 0.1, -0.3], [0.2, 0.9, 0.4], [-0.6, 0.3, 0.8]])]


@derivatives(2)
def function_returning_structures(tf, np):
    inner = tf.function(lambda d: {"s": d["a"] * d["b"], "t": [tf.sin(d["a"]), d["b"]]}, autograph=False)

    def f(x, y):
        found = inner({"a": x, "b": y})
        return found["s"] * found["t"][0], found["t"][1]

    return f, [_x(tf), tf.constant(2.0)]


@derivatives(2)
def function_with_unused_outputs(tf, np):
    inner = tf.function(lambda x: (x * x, tf.cast(x, tf.int32), tf.exp(x), tf.constant(3.0)), autograph=False)
    return lambda x: inner(x)[0] * inner(x)[3], [_x(tf)]


@derivatives(2)
def function_with_unused_inputs(tf, np):
    inner = tf.function(lambda x, y, n: x * x, autograph=False)
    return lambda x, y: inner(x, y, 3) * y, [_x(tf), tf.constant(2.0)]


@derivatives(2)
def identity_function(tf, np):
    inner = tf.function(lambda x: x, autograph=False)
    return lambda x: inner(x) * x, [_x(tf)]


@derivatives(2)
def constant_function(tf, np):
    inner = tf.function(lambda x: tf.constant([1.0, 2.0, 3.0]), autograph=False)
    return lambda x: inner(x) * x, [_x(tf)]


@derivatives(2)
def function_passing_an_argument_through(tf, np):
    inner = tf.function(lambda x, y: (y, x * y, x), autograph=False)

    def f(x, y):
        a, b, c = inner(x, y)
        return a * b + c

    return f, [_x(tf), tf.constant(2.0)]


@derivatives(2)
def captured_from_the_outer_function(tf, np):
    def f(x, k):
        inner = tf.function(lambda y: y * k + x, autograph=False)
        return inner(x * x) * inner(k)

    return f, [_x(tf), tf.constant(2.0)]


@derivatives(2)
def captured_constant(tf, np):
    k = tf.constant([2.0, 3.0, 4.0])
    inner = tf.function(lambda y: y * k, autograph=False)
    return lambda x: inner(x * x), [_x(tf)]


@derivatives(2)
def function_in_a_branch(tf, np):
    inner = tf.function(lambda y: tf.sin(y) * y, autograph=False)
    return lambda x: tf.cond(x[0] > 0.0, lambda: inner(x), lambda: x), [_x(tf)]


@derivatives(2)
def branch_in_a_function(tf, np):
    inner = tf.function(lambda y: tf.cond(y[0] > 0.0, lambda: y**3, lambda: y), autograph=False)
    return lambda x: inner(x) * inner(-x), [_x(tf)]


@derivatives(2)
def loop_in_a_function(tf, np):
    def power(y):
        return tf.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, z * y), (0, y))[1]

    inner = tf.function(power, autograph=False)
    return lambda x: inner(x) + inner(tf.sin(x)), [_x(tf)]


@derivatives(2)
def function_in_a_loop(tf, np):
    inner = tf.function(lambda y, x: tf.sin(y) * x, autograph=False)

    def f(x):
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, inner(y, x)), (0, x))[1]

    return f, [_x(tf)]


@derivatives(2)
def gradient_inside_an_inner_function(tf, np):
    @tf.function(autograph=False)
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**4)
        return tape.gradient(y, x)

    return lambda x: slope(x) * x, [_x(tf)]


@derivatives(2)
def tf_gradients_inside_an_inner_function(tf, np):
    slope = tf.function(lambda x: tf.gradients(x**4, x)[0], autograph=False)
    return lambda x: slope(x) * tf.sin(x), [_x(tf)]


@derivatives(2)
def unknown_shapes(tf, np):
    spec = [tf.TensorSpec(None), tf.TensorSpec([None])]
    inner = tf.function(lambda x, y: tf.reduce_sum(x * y, 0) * tf.nn.softmax(x), autograph=False, input_signature=spec)
    return lambda x: inner(x, x * 2.0), [_x(tf)]


@derivatives(2)
def compiled_function_in_a_plain_one(tf, np):
    inner = tf.function(lambda x: tf.sin(x) * x, autograph=False, jit_compile=True)
    return lambda x: inner(x) + x, [_x(tf)]


# the name says that it compiles in every mode
for _name in [n for n in dir() if n.startswith("prog_compiled_function_in_a_plain_one")]:
    globals()[f"{_name}_xla"] = globals().pop(_name)


@derivatives(2)
def no_gradient_through_numpy_values(tf, np):
    scale = np.array([1.0, 2.0, 3.0], np.float32)
    inner = tf.function(lambda x, s: x * s, autograph=False)
    return lambda x: inner(x * x, scale), [_x(tf)]


@in_modes()
def python_arguments(tf, np):
    """A trace per value; each with its own gradient."""
    power = tf.function(lambda x, n, flip=False: -(x**n) if flip else x**n, autograph=False)

    def f(x):
        found = []
        for arguments, keywords in (((2,), {}), ((3.0,), {}), ((2,), {"flip": True}), ((2,), {})):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = power(x, *arguments, **keywords)
            found.append(tape.gradient(y, x))
        return found

    return f, [_x(tf)]


@in_modes()
def recursion_over_python_numbers(tf, np):
    @tf.function(autograph=False)
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    return lambda x: _nested(tf, lambda z: power(z, 4), x, 2), [_x(tf)]


@in_modes()
def mutual_recursion(tf, np):
    @tf.function(autograph=False)
    def even(x, n):
        return tf.sin(x) if n == 0 else odd(x * 1.5, n - 1)

    @tf.function(autograph=False)
    def odd(x, n):
        return tf.cos(x) if n == 0 else even(x * x, n - 1)

    return lambda x: _nested(tf, lambda z: even(z, 3), x, 2), [_x(tf)]


@in_modes()
def variables_captured_by_inner_functions(tf, np):
    v, w = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(0.5)
    inner = tf.function(lambda x: x * v, autograph=False)
    outer = tf.function(lambda x: inner(x) * w + inner(inner(x)), autograph=False)

    def f(x):
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = outer(x)
            g = first.gradient(y, [v, w, x])
            total = tf.add_n([tf.reduce_sum(p * p) for p in g])
        return g, second.gradient(total, [v, w, x])

    return f, [_x(tf)]


@in_modes()
def variable_changed_inside(tf, np):
    v = tf.Variable(2.0)

    @tf.function(autograph=False)
    def inner(x):
        y = x * v
        v.assign_add(1.0)
        return y + x * v

    def f(x):
        v.assign(2.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = inner(x)
            z = inner(y)
        return tape.gradient(y, [x, v]), tape.gradient(z, [x, v]), v.read_value()

    return f, [_x(tf)]


@in_modes()
def function_of_a_variable_argument(tf, np):
    v = tf.Variable([1.0, 2.0, 3.0])
    inner = tf.function(lambda u, x: u * x, autograph=False)

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(v, x) * v
        return tape.gradient(y, [v, x])

    return f, [_x(tf)]


@in_modes()
def persistent_tape_over_calls(tf, np):
    inner = tf.function(lambda x: (x * x, tf.exp(x)), autograph=False)

    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            a, b = inner(x)
            c = inner(a)[1]
        return [tape.gradient(t, s) for t in (a, b, c) for s in (x, a)]

    return f, [_x(tf)]


@in_modes()
def gradient_only_of_some_outputs(tf, np):
    inner = tf.function(lambda x, y: (x * y, x + y, x / y, tf.cast(x, tf.int32)), autograph=False)

    def f(x, y):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, y])
            found = inner(x, y)
        return [tape.gradient(found[i], [x, y]) for i in range(3)] + [tape.gradient(found[:2], y)]

    return f, [_x(tf), tf.constant(2.0)]


@in_modes()
def output_gradients_through_a_call(tf, np):
    inner = tf.function(lambda x: (x * x, tf.exp(x)), autograph=False)

    def f(x, v):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x)
        return tape.gradient(y, x, output_gradients=(v, 2.0 * v))

    return f, [_x(tf), tf.constant([1.0, 0.0, -1.0])]


@in_modes()
def intermediate_of_two_calls_as_source(tf, np):
    inner = tf.function(lambda x: tf.sin(x) * x, autograph=False)

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            a = inner(x)
            b = inner(a)
        return tape.gradient(b, [x, a])

    return f, [_x(tf)]


@in_modes()
def tape_passed_into_a_function(tf, np):
    """The tape is made outside and watches inside."""

    def f(x):
        tape = tf.GradientTape()

        def inner(z):
            tape.watch(z)
            return z * z

        with tape:
            y = inner(x)
        return tape.gradient(y, x)

    return f, [_x(tf)]


@in_modes()
def stop_gradient_inside(tf, np):
    inner = tf.function(lambda x: tf.stop_gradient(tf.sin(x)) * x, autograph=False)
    return lambda x: _nested(tf, inner, x, 2), [_x(tf)]


@in_modes()
def integer_arguments(tf, np):
    inner = tf.function(lambda x, n: x * tf.cast(n, tf.float32), autograph=False)

    def f(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x, n)
        return tape.gradient(y, [x, n])

    return f, [_x(tf), tf.constant(3)]


@in_modes()
def higher_orders(tf, np):
    inner = tf.function(lambda x: x**5 + tf.sin(x), autograph=False)
    return lambda x: _nested(tf, inner, x, 4), [_x(tf)]


@in_modes()
def through_a_call_and_back(tf, np):
    """The gradient is taken by a function, of a value made by another one."""
    value = tf.function(lambda x: tf.reduce_sum(x**4), autograph=False)

    @tf.function(autograph=False)
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = value(x)
        return tape.gradient(y, x)

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = slope(x)
        return y, tape.gradient(y, x)

    return f, [_x(tf)]
