"""custom_gradient in custom_gradient, in control flow, in plain graphs; grad_pass_through and stop_gradient."""

from __future__ import annotations

from tests.oracle.programs._gradient_helpers import (
    by_nested_tapes,
    make_cube,
    make_triple,
    modes,
    taped,
    value_and_gradient,
)
from tests.oracle.support import attempt

# --- nested, control flow


def _scaled(tf):
    """A variable, and a function that multiplies by it, with a gradient of its own."""
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def scaled(x):
        return x * v, lambda dy, variables=None: (dy * v * 10.0, [dy * x])

    return v, scaled


def prog_nested_in_the_function(tf, np):
    """A decorated function calls another one: only the outer gradient counts."""
    triple = make_triple(tf)

    @tf.custom_gradient
    def outer(x):
        return triple(x) * 2.0, lambda dy: dy * 100.0

    return [taped(tf, g, tf.constant(1.0), order=2) for g in modes(tf, lambda x: outer(x * x))]


def prog_nested_in_the_gradient(tf, np):
    """A gradient function that calls a decorated function has its gradient by it."""

    def make():
        @tf.custom_gradient
        def slope(x):
            return 2.0 * x, lambda dy: dy * 50.0

        @tf.custom_gradient
        def square(x):
            return x * x, lambda dy: dy * slope(x)

        return square

    return [taped(tf, g, tf.constant(3.0), order=3) for g in modes(tf, make())]


def prog_nested_decoration_of_the_gradient(tf, np):
    """A whole gradient function that is decorated, the way the guide does it."""

    @tf.custom_gradient
    def square(x):
        @tf.custom_gradient
        def first(dy):
            def second(ddy):
                return ddy * 1000.0

            return dy * 2.0 * x, second

        return x * x, first

    return [attempt(lambda g=g: taped(tf, g, tf.constant(3.0), order=2), words=3) for g in modes(tf, square)]


def prog_transpose_pattern(tf, np):
    """Function and gradient that are each other's gradients, to any order."""

    @tf.custom_gradient
    def forward(x):
        return x * 2.0, lambda dy: backward(dy)

    @tf.custom_gradient
    def backward(y):
        return y * 2.0, lambda dx: forward(dx)

    return [taped(tf, g, tf.constant(3.0), order=2) for g in modes(tf, lambda x: forward(x * x))]


def prog_chain(tf, np):
    """Several in a row."""
    triple, cube = make_triple(tf), make_cube(tf)
    return [taped(tf, g, tf.constant(2.0), order=2) for g in modes(tf, lambda x: triple(cube(triple(cube(x)))))]


def prog_in_cond(tf, np):
    """In one branch of a cond."""
    triple = make_triple(tf)

    def f(x):
        return tf.cond(x > 0.0, lambda: triple(x) * x, lambda: x * 5.0)

    return [taped(tf, g, tf.constant(v), order=2) for g in modes(tf, f) for v in (2.0, -2.0)]


def prog_in_while_loop(tf, np):
    """In the body of a while loop."""
    triple = make_triple(tf)

    def f(x):
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, triple(y) * x), (tf.constant(0), x))[1]

    return [taped(tf, g, tf.constant(2.0)) for g in modes(tf, f)]


def prog_in_while_loop_second_order(tf, np):
    """The gradient of a loop with a decorated function in its body, twice."""
    cube = make_cube(tf)

    def f(x):
        return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, cube(y)), (tf.constant(0), x))[1]

    return [g(tf.constant(1.1)) for g in modes(tf, lambda x: by_nested_tapes(tf, f, x))]


def prog_with_variables_in_a_loop(tf, np):
    """A loop whose body has a decorated function with a variable."""
    v, scaled = _scaled(tf)

    def f(x):
        return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, scaled(y)), (tf.constant(0), x))[1]

    x = tf.constant(3.0)
    return tuple(value_and_gradient(tf, f, x, [x, v]))


def prog_with_variables_in_a_branch(tf, np):
    """A branch with a decorated function with a variable."""
    v, scaled = _scaled(tf)

    def f(x):
        return tf.cond(x > 0.0, lambda: scaled(x), lambda: x)

    x = tf.constant(3.0)
    return tuple(value_and_gradient(tf, f, x, [x, v]))


def prog_control_flow_in_the_gradient(tf, np):
    """A gradient function with a loop and a condition of its own."""

    @tf.custom_gradient
    def f(x):
        def grad(dy):
            total = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + x), (tf.constant(0), dy))[1]
            return tf.cond(x > 0.0, lambda: total, lambda: -total)

        return x * x, grad

    return [taped(tf, g, tf.constant(v)) for g in modes(tf, f) for v in (2.0, -2.0)], taped(tf, f, tf.constant(2.0), order=2)


def prog_in_nested_functions(tf, np):
    """A decorated function in a function in a function."""
    triple = make_triple(tf)
    inner = tf.function(lambda x: triple(x) * x)
    outer = tf.function(lambda x: inner(x) * 2.0)
    return taped(tf, outer, tf.constant(2.0), order=2)


def prog_tape_in_the_function(tf, np):
    """A tape inside of the decorated function."""

    @tf.custom_gradient
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
        slope = tape.gradient(y, x)
        return y, lambda dy: dy * slope * 10.0

    return [taped(tf, g, tf.constant(2.0), order=2) for g in modes(tf, f)]


def prog_map_fn(tf, np):
    """Under map_fn."""
    triple = make_triple(tf)
    return [taped(tf, g, tf.constant([1.0, 2.0, 3.0])) for g in modes(tf, lambda x: tf.map_fn(lambda r: triple(r * r), x))]


def prog_unknown_shapes(tf, np):
    """With an input signature that leaves the shape open."""
    f = tf.function(lambda x: make_triple(tf)(x * x), input_signature=[tf.TensorSpec(None)])
    return [taped(tf, f, tf.constant(v)) for v in (2.0, [1.0, 2.0], [[3.0]])]


def prog_jacobian(tf, np):
    """A Jacobian through the given gradient."""
    cube = make_cube(tf)
    out = []
    for g in modes(tf, cube):
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = g(x)
        out.append(tape.jacobian(y, x, experimental_use_pfor=False))
    return out


def prog_output_gradients(tf, np):
    """`output_gradients` reach the gradient function."""
    seen = []

    @tf.custom_gradient
    def f(x):
        def grad(dy):
            seen.append(dy.numpy())
            return dy * 2.0

        return x * 1.0, grad

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x, output_gradients=tf.constant([5.0, 6.0])), seen


def prog_gradient_function_is_called_when_needed(tf, np):
    """Not without a tape, not for an unwatched argument, once per gradient."""
    calls = []

    @tf.custom_gradient
    def f(x):
        def grad(dy):
            calls.append(1)
            return dy

        return x * 1.0, grad

    x = tf.constant(1.0)
    f(x)
    with tf.GradientTape() as tape:
        y = f(x)
    counts = [len(calls), tape.gradient(y, x), len(calls)]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    tape.gradient(y, x), tape.gradient(y, x)
    return [*counts, len(calls)]


def prog_log1pexp(tf, np):
    """The example of the documentation, first and second derivative at a large value."""

    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)

        def grad(upstream):
            return upstream * (1 - 1 / (1 + e))

        return tf.math.log(1 + e), grad

    return [taped(tf, g, tf.constant(v), order=2) for g in modes(tf, log1pexp) for v in (1.0, 100.0)]


def prog_clip_gradients(tf, np):
    """The usual clip of a gradient."""

    @tf.custom_gradient
    def clipped(x):
        return tf.identity(x), lambda dy: tf.clip_by_norm(dy, 0.5)

    return [taped(tf, g, tf.constant([2.0, 3.0])) for g in modes(tf, lambda x: tf.reduce_sum(clipped(x * x)))]


def prog_gradient_reversal(tf, np):
    """The layer that turns gradients around."""

    def reverse(x, weight):
        @tf.custom_gradient
        def f(x):
            return x, lambda dy: -weight * dy

        return f(x)

    return [taped(tf, g, tf.constant([2.0, 3.0])) for g in modes(tf, lambda x: reverse(x * x, 0.5))]


def prog_straight_through(tf, np):
    """Straight-through estimator two ways."""

    @tf.custom_gradient
    def sign(x):
        return tf.sign(x), lambda dy: dy * tf.cast(tf.abs(x) <= 1.0, dy.dtype)

    x = tf.constant([-2.0, -0.5, 0.5, 2.0])
    return [taped(tf, g, x) for f in (sign, lambda x: x + tf.stop_gradient(tf.round(x) - x)) for g in modes(tf, f)]


def prog_symbolic_gradients(tf, np):
    """tf.gradients of a decorated function in a function."""
    cube = make_cube(tf)

    @tf.function
    def f(x):
        y = cube(x)
        first = tf.gradients(y, x)[0]
        return y, first, tf.gradients(first, x)[0]

    return f(tf.constant(2.0))


def prog_symbolic_gradients_with_variables(tf, np):
    """tf.gradients by a variable."""
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def scaled(x):
        return x * v, lambda dy, variables=None: (dy * v * 10.0, [dy * x * 7.0])

    @tf.function
    def f(x):
        return tf.gradients(scaled(x), [x, v])

    return f(tf.constant(3.0))


def prog_symbolic_gradients_by_the_result(tf, np):
    """tf.gradients by what a decorated function returned."""
    cube = make_cube(tf)

    @tf.function
    def f(x):
        y = cube(x)
        return tf.gradients(y * y, [y, x])

    return f(tf.constant(2.0))


def prog_concrete_function(tf, np):
    """Through a ConcreteFunction, and its graph."""
    concrete = tf.function(make_cube(tf)).get_concrete_function(tf.TensorSpec([], tf.float32))
    return taped(tf, concrete, tf.constant(2.0), order=2), "IdentityN" in [op.type for op in concrete.graph.get_operations()]


# --- graphs of version 1


def prog_v1_graph_shapes(tf, np):
    """In a plain graph: which gradients exist, their shapes and dtypes."""
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 2])
        y = make_cube(tf)(x)
        first = tf.gradients(y, x)[0]
        second = tf.gradients(first, x)[0]
        return [(t.shape, t.dtype) for t in (y, first, second)]


def prog_v1_graph_none(tf, np):
    """None in a plain graph."""

    @tf.custom_gradient
    def f(a, b):
        return a * b, lambda dy: (None, dy)

    with tf.Graph().as_default():
        a, b = tf.constant(1.0), tf.constant(2.0)
        return [g is None for g in tf.gradients(f(a, b), [a, b])]


def prog_v1_graph_keywords(tf, np):
    """Keyword arguments in a plain graph."""

    @tf.custom_gradient
    def f(a, b=2.0):
        return a * b, lambda dy: dy

    with tf.Graph().as_default():
        return attempt(lambda: f(tf.constant(1.0), b=3.0), words=14)


def prog_v1_graph_count(tf, np):
    """The wrong number of gradients in a plain graph."""

    @tf.custom_gradient
    def f(a, b):
        return a * b, lambda dy: dy

    with tf.Graph().as_default():
        a, b = tf.constant(1.0), tf.constant(2.0)
        y = f(a, b)
        return attempt(lambda: tf.gradients(y, [a, b]), words=12)


# --- grad_pass_through


def prog_pass_through(tf, np):
    """The gradient of the identity, to second order."""
    return [taped(tf, g, tf.constant([1.3, 2.6]), order=2) for g in modes(tf, lambda x: tf.grad_pass_through(tf.round)(x * x))]


def prog_pass_through_variables(tf, np):
    """With a variable in the function, and a variable as the argument."""
    v = tf.Variable(2.0)
    out = []
    for g in modes(tf, lambda x: tf.grad_pass_through(lambda z: z * v)(x)):
        x = tf.constant(3.0)
        out.append(value_and_gradient(tf, g, x, [x, v]))
    return out


def prog_pass_through_several(tf, np):
    """Two arguments; two results."""
    two = tf.grad_pass_through(lambda a, b: (a * b, a + b))
    one = tf.grad_pass_through(lambda a, b: a * b)
    a, b = tf.constant(2.0), tf.constant(3.0)
    seen = [attempt(lambda g=g: taped(tf, g, a, b), words=10) for g in modes(tf, lambda a, b: one(a, b))]

    def run(g):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([a, b])
            p, q = g(a, b)
        return p, q, tape.gradient(p, [a, b]), tape.gradient(q, [a, b])

    return [*seen, *[run(g) for g in modes(tf, lambda a, b: two(a, b))]]


def prog_pass_through_module(tf, np):
    """Around a module's variables, the way of the documentation."""
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.grad_pass_through(tf.round)(v * 0.9)
    return y, tape.gradient(y, v)


# --- stop_gradient


def prog_stop_gradient(tf, np):
    """Values pass, gradients do not; other paths stay."""

    def f(x):
        return tf.stop_gradient(x * x) * x

    return [taped(tf, g, tf.constant(3.0), order=2) for g in modes(tf, f)]


def prog_stop_gradient_structures(tf, np):
    """Lists, strings, integers, names."""
    return [attempt(lambda: tf.stop_gradient([tf.constant(1.0), tf.constant(2.0)]), words=3), tf.stop_gradient(tf.constant("a")), tf.stop_gradient(3), tf.stop_gradient(tf.Variable(2.0)), attempt(lambda: tf.stop_gradient(None), words=3), attempt(lambda: tf.stop_gradient({"a": 1.0}), words=3)]


def prog_stop_gradient_in_loops(tf, np):
    """In a while loop: only the last step is differentiated."""

    def f(x):
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.stop_gradient(y) * x), (tf.constant(0), x))[1]

    return [taped(tf, g, tf.constant(2.0)) for g in modes(tf, f)]


def prog_stop_gradient_of_a_function(tf, np):
    """Around a call of a function, and as a target or a source."""
    square = tf.function(lambda x: x * x)
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.stop_gradient(square(x))
        z = y * y * x
    return [tape.gradient(y, x), tape.gradient(z, x), tape.gradient(z, y), tape.gradient(y, x, unconnected_gradients="zero")]
