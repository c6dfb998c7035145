"""Tapes around calls: concrete functions, methods, tracing, side effects, randomness, Python, errors."""

from __future__ import annotations

from tests.oracle.programs._gradient_helpers import value_and_gradient
from tests.oracle.support import attempt


def _x(tf):
    return tf.constant([0.5, -1.2, 2.0])


def _nested(tf, f, x, order):
    """`f(x)` and its derivatives up to `order`."""
    if order == 0:
        return f(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = _nested(tf, f, x, order - 1)
    return tape.gradient(y, x)


# --- eager only -------------------------------------------------------------------------------------------------------


def prog_concrete_functions(tf, np):
    """By position, by name, with captures, of several specs."""
    v = tf.Variable(2.0)
    f = tf.function(lambda x, y: x * y * v, autograph=False)
    known = f.get_concrete_function(tf.TensorSpec([3], name="x"), tf.TensorSpec([], name="y"))
    unknown = f.get_concrete_function(tf.TensorSpec(None), tf.TensorSpec(None))
    x, y = _x(tf), tf.constant(3.0)
    out = []
    for call in (lambda: known(x, y), lambda: known(x=x, y=y), lambda: unknown(x, y)):
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch([x, y])
                z = call()
            g = first.gradient(z, [x, y, v])
        out.append([g, second.gradient(g[1], [x, y, v])])
    return out


def prog_methods_as_functions(tf, np):
    """A decorated method, two instances."""

    class Model(tf.Module):
        def __init__(self, k):
            super().__init__()
            self.w = tf.Variable(k)

        @tf.function(autograph=False)
        def __call__(self, x):
            return tf.sin(x * self.w)

    x = _x(tf)
    out = []
    for model in (Model(1.0), Model(2.0)):
        out.append(value_and_gradient(tf, model, x, [x, model.w])[1])
    return out


def prog_tracing_counts(tf, np):
    """A gradient does not trace the function again."""
    count = []

    @tf.function(autograph=False)
    def f(x):
        count.append(1)
        return x**3

    x = _x(tf)
    for order in (0, 1, 2, 1, 0):
        _nested(tf, f, x, order)
    return len(count)


def prog_side_effects_happen_once(tf, np):
    """The forward pass with a gradient is run once."""
    v = tf.Variable(0.0)
    seen = []

    @tf.function(autograph=False)
    def f(x):
        v.assign_add(1.0)
        tf.py_function(lambda: seen.append(1), [], [])
        return x * x

    x = _x(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    g = tape.gradient(y, x)
    return g, v, len(seen)


def prog_variable_created_on_the_first_call(tf, np):
    """A gradient by a variable that the function makes."""
    holder = {}

    @tf.function(autograph=False)
    def f(x):
        if "v" not in holder:
            holder["v"] = tf.Variable([1.0, 2.0, 3.0])
        return x * holder["v"]

    x = _x(tf)
    out = []
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        out.append(tape.gradient(y, [x, holder["v"]]))
    return out


def prog_random_numbers_are_the_same_in_both_passes(tf, np):
    """The backward pass sees the forward pass's draw."""

    @tf.function(autograph=False)
    def f(x):
        mask = tf.cast(tf.random.uniform([100]) > 0.5, tf.float32)
        return x * mask, mask

    x = tf.ones([100])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, mask = f(x)
    return tf.reduce_all(tape.gradient(y, x) == mask)


def prog_dropout(tf, np):
    """So does that of a stateless dropout."""
    x = tf.ones([20])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 2])
    return tf.reduce_all(tape.gradient(y, x) == y)


def prog_py_function(tf, np):
    """Python in the middle, eager and in a function."""
    x = _x(tf)
    run = lambda x: tf.py_function(lambda z: tf.sin(z) * z, [x * 2.0], tf.float32) * x
    out = []
    for f in (run, tf.function(run, autograph=False)):
        out.append(value_and_gradient(tf, f, x, x)[1])
    return out


def prog_numpy_function_has_no_gradient(tf, np):
    """It is cut there."""
    x = _x(tf)
    run = lambda x: tf.numpy_function(lambda z: z * 2.0, [x], tf.float32)
    out = []
    for f in (run, tf.function(run, autograph=False)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        out.append(attempt(lambda: tape.gradient(y, x), 3))
    return out


def prog_print_and_assert_inside(tf, np):
    """Effects do not disturb the gradient."""

    @tf.function(autograph=False)
    def f(x):
        tf.debugging.assert_less(x, 100.0)
        return x**3

    x = _x(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def prog_error_in_the_backward_pass(tf, np):
    """An op without gradient, met in a function."""
    f = tf.function(lambda x: tf.math.nextafter(x, 5.0), autograph=False)
    x = tf.constant([1.0], tf.float64)

    def run():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return attempt(run, 4)


def prog_error_in_the_forward_pass(tf, np):
    """The tape is left in order."""
    f = tf.function(lambda x: tf.debugging.check_numerics(x, "bad"), autograph=False)
    x = tf.constant([1.0, float("nan")])
    with tf.GradientTape() as tape:
        tape.watch(x)
        failed = attempt(lambda: f(x), 2)
        y = x * 2.0
    return [type(failed.error).__name__, tape.gradient(y, x)]


def prog_tape_of_a_function_used_outside(tf, np):
    """The tape lives in the trace; its tensors too."""
    kept = {}

    @tf.function(autograph=False)
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
        kept.update(tape=tape, y=y, x=x)
        return tape.gradient(y, x)

    x = _x(tf)
    g = f(x)
    return [g, kept["tape"].gradient(x, x)]


def prog_gradient_by_the_argument_of_a_trace(tf, np):
    """Watched outside, differentiated by the outside tensor."""

    @tf.function(autograph=False)
    def f(x):
        return x * outside

    outside = tf.constant([1.0, 2.0, 3.0])
    x = _x(tf)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, outside])
        y = f(x)
    return [tape.gradient(y, outside), tape.gradient(y, x)]


def prog_tape_around_a_trace_sees_only_the_call(tf, np):
    """Tracing under a tape records nothing of the trace."""
    f = tf.function(lambda x: x**2, autograph=False)
    x = _x(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        f.get_concrete_function(tf.TensorSpec([3]))
        y = x * 2.0
    return tape.gradient(y, x)


def prog_retracing_with_other_shapes(tf, np):
    """One function, three shapes, gradients of each."""
    f = tf.function(lambda x: tf.reduce_sum(x**3, -1), autograph=False, reduce_retracing=True)
    out = []
    for x in (tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0]), tf.constant([[1.0], [2.0]])):
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = f(x)
            g = first.gradient(y, x)
        out.append([g, second.gradient(g, x)])
    return out


def prog_composite_arguments(tf, np):
    """IndexedSlices in and out."""
    f = tf.function(lambda s: tf.IndexedSlices(s.values * 2.0, s.indices, s.dense_shape), autograph=False)
    values = tf.constant([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        tape.watch(values)
        found = f(tf.IndexedSlices(values, tf.constant([0, 2]), tf.constant([3, 1])))
        y = tf.reduce_sum(tf.convert_to_tensor(found) ** 2)
    return tape.gradient(y, values)


def prog_watched_variables_of_nested_functions(tf, np):
    """Every trainable variable that a call reads."""
    a, b, c = (tf.Variable(float(i + 1), name=n) for i, n in enumerate("abc"))
    inner = tf.function(lambda x: x * a, autograph=False)
    outer = tf.function(lambda x: tf.cond(x > 0.0, lambda: inner(x) * b, lambda: x), autograph=False)
    with tf.GradientTape() as tape:
        y = outer(tf.constant(2.0)) * c
    return [sorted(v.name for v in tape.watched_variables()), tape.gradient(y, [a, b, c])]
