"""Objects that act as variables, as Keras's do: they hold a `tf.Variable` and derive from TensorFlow's tensor interface."""

from __future__ import annotations

from tests.oracle.support import attempt


def _kind(tf):
    class Wrapped(tf.__internal__.types.Tensor):
        _should_act_as_resource_variable = True

        def __init__(self, value):
            self.value = tf.Variable(value)
            self.trainable = True

        handle = property(lambda self: self.value.handle)
        dtype = property(lambda self: self.value.dtype.name)
        shape = property(lambda self: self.value.shape)
        _shared_name = property(lambda self: self.value._shared_name)

        def assign(self, value):
            return self.value.assign(value)

        def numpy(self):
            return self.value.numpy()

        def __tf_tensor__(self, dtype=None, name=None):
            return tf.convert_to_tensor(self.value, dtype=dtype, name=name)

    return Wrapped


def _several(tf, *values):
    return [_kind(tf)(value) for value in values]


def prog_argument(tf, np):
    """A traced function sees the object; a new value is no new trace, another object of the same kind neither."""
    (a,) = _several(tf, 2.0)
    seen = []

    @tf.function
    def f(x):
        seen.append([type(x).__name__, x is a, tf.is_tensor(x), isinstance(x, tf.Variable)])
        return tf.convert_to_tensor(x) * 2

    found = [f(a), f(a)]
    a.assign(5.0)
    return found, f(a), seen


def prog_traces(tf, np):
    """How often a function of two such objects is traced."""
    a = _kind(tf)(2.0)
    b = type(a)(3.0)
    f = tf.function(lambda x, y: tf.convert_to_tensor(x) + tf.convert_to_tensor(y))
    counts = []
    for x, y in ((a, b), (b, a), (a, a), (b, b), (a, b)):
        counts.append((f(x, y), f.experimental_get_tracing_count()))
    return counts


def prog_keyword_and_nest(tf, np):
    """By keyword, in dictionaries and lists."""
    (a,) = _several(tf, 2.0)
    b = type(a)(3.0)
    f = tf.function(lambda x, *, y: tf.convert_to_tensor(x["a"][0]) * tf.convert_to_tensor(y))
    return f({"a": [a, 1]}, y=b), f({"a": [b, 1]}, y=b), f({"a": [a, 1]}, y=b)


def prog_beside_tensors(tf, np):
    """Beside tensors and numbers."""
    (a,) = _several(tf, 2.0)
    f = tf.function(lambda x, y: tf.convert_to_tensor(x) + tf.convert_to_tensor(y))
    return f(a, tf.constant(1.0)), f(tf.constant(1.0), a), f(1.0, a), f.experimental_get_tracing_count()


def prog_assigned_in_the_body(tf, np):
    """An argument that the body assigns."""
    (a,) = _several(tf, 2.0)

    @tf.function
    def f(x):
        x.assign(x.value + 1)
        return x.value * 1

    return f(a), f(a), a.numpy()


def prog_input_signature(tf, np):
    """A signature of tensors takes the value."""
    (a,) = _several(tf, 2.0)
    f = tf.function(lambda x: x * 2, input_signature=[tf.TensorSpec([], tf.float32)])
    bad = tf.function(lambda x: x * 2, input_signature=[tf.TensorSpec([2], tf.float32)])
    return attempt(lambda: f(a), 0), attempt(lambda: bad(a), 0)


def prog_gradients(tf, np):
    """Gradients by such an object, by its variable, in lists and dictionaries."""
    (a,) = _several(tf, 2.0)
    b = type(a)(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.convert_to_tensor(a) * b.value
    return tape.gradient(y, a), tape.gradient(y, a.value), tape.gradient(y, [a, b]), tape.gradient(y, {"b": b})


def prog_gradient_inside_and_through(tf, np):
    """In the function and through the function."""
    (a,) = _several(tf, 2.0)

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            y = tf.convert_to_tensor(x) ** 2
        return tape.gradient(y, x)

    through = tf.function(lambda x: tf.convert_to_tensor(x) ** 3)
    with tf.GradientTape() as tape:
        y = through(a)
    return inside(a), tape.gradient(y, a)


def prog_watched_variables(tf, np):
    """What a tape names as watched."""
    (a,) = _several(tf, 2.0)
    with tf.GradientTape() as tape:
        tf.convert_to_tensor(a)
    return len(tape.watched_variables()), tape.watched_variables()[0] is a.value


def prog_slices(tf, np):
    """Gradients of gathers are IndexedSlices."""
    (a,) = _several(tf, np.ones((4, 2), np.float32))

    def gradient(x):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(x.value, [1, 1, 3]))
        return tape.gradient(y, x)

    eager, traced = gradient(a), tf.function(gradient)(a)
    return [(type(g).__name__, g.indices, g.values) for g in (eager, traced)]


def prog_in_branches(tf, np):
    """Read in branches of tf.cond, as argument and as capture."""
    (a,) = _several(tf, 2.0)
    b = type(a)(3.0)
    f = tf.function(lambda p, x: tf.cond(p, lambda: tf.convert_to_tensor(x) * 2, lambda: tf.convert_to_tensor(b) + x.value))
    g = tf.function(lambda p: tf.cond(p, lambda: a, lambda: b))
    return [f(tf.constant(p), a) for p in (True, False)], attempt(lambda: [g(tf.constant(p)) for p in (True, False)], 0)


def prog_loop_variable(tf, np):
    """The start of a loop variable."""
    (a,) = _several(tf, 2.0)
    f = tf.function(lambda x: tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2.0), (tf.constant(0), x)))
    return attempt(lambda: f(a), 0)


def prog_autograph_loop(tf, np):
    """Read and assigned in AutoGraph's loop."""
    (a,) = _several(tf, 2.0)

    @tf.function
    def f(x, n):
        y = tf.convert_to_tensor(x)
        for _ in tf.range(n):
            y = y + x.value
            x.assign(x.value + 1.0)
        return y

    return f(a, tf.constant(3)), a.numpy()


def prog_returned(tf, np):
    """A function that returns its argument."""
    (a,) = _several(tf, 2.0)
    f = tf.function(lambda x: {"x": x, "list": [x]})
    found = attempt(lambda: f(a), 0)
    return tf.nest.map_structure(lambda t: type(t).__name__, found) if isinstance(found, dict) else found


def prog_compiled_and_nested(tf, np):
    """Compiled, and passed on to an inner function."""
    (a,) = _several(tf, 2.0)
    inner = tf.function(lambda y: tf.convert_to_tensor(y) + 1.0)
    return tf.function(lambda x: inner(x))(a), tf.function(lambda x: tf.convert_to_tensor(x) * 2, jit_compile=True)(a)


def prog_operands(tf, np):
    """Functions of tensors take them."""
    (a,) = _several(tf, [1.0, 2.0])
    return tf.add(a, 1.0), tf.reduce_sum(a), tf.cast(a, tf.int32), tf.identity(a), tf.shape(a), tf.zeros_like(a), tf.where([True, False], a, a), tf.map_fn(lambda x: x * 2.0, a)
