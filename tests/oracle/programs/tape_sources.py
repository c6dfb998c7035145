"""Sources and targets of a tape: structures, repeats, dtypes, weights, unconnected ones, variables of all kinds."""

from __future__ import annotations

from tests.oracle.modes import in_modes
from tests.oracle.support import attempt


def _x(tf):
    return tf.constant([0.5, -1.2, 2.0])


# --- sources and targets ----------------------------------------------------------------------------------------------


@in_modes()
def repeated_sources(tf, np):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3
        return tape.gradient(y, [x, x, {"again": x}])

    return f, [_x(tf)]


@in_modes()
def repeated_targets(tf, np):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3
        return tape.gradient([y, y, y], x)

    return f, [_x(tf)]


@in_modes()
def target_is_the_source(tf, np):
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * 2.0
        return tape.gradient(x, x), tape.gradient(y, y), tape.gradient([x, y], [x, y]), tape.gradient(x, y)

    return f, [_x(tf)]


@in_modes()
def unwatched_target_is_the_source(tf, np):
    def f(x, z):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(z)
            y = x * z
        return tape.gradient(x, x), tape.gradient(y, [x, z])

    return f, [_x(tf), tf.constant(2.0)]


def prog_unwatched_target_beside_a_recorded_one(tf, np):
    """A target that is a source counts 1, whatever else is differentiated."""
    x, z = _x(tf), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = x * z
    return tape.gradient([x, y], [x, z])


@in_modes()
def structures(tf, np):
    def f(x, y):
        with tf.GradientTape() as tape:
            tape.watch((x, y))
            found = {"a": [x * y, x], "b": (y**2,)}
        return tape.gradient(found, {"first": (x, [y]), "second": x})

    return f, [_x(tf), tf.constant(2.0)]


@in_modes()
def empty_structures(tf, np):
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, []), tape.gradient(y, {}), tape.gradient([], x), tape.gradient([y, {}], [x, ()])

    return f, [_x(tf)]


@in_modes()
def output_gradients(tf, np):
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x**2
            z = x**3
        w = tf.constant([1.0, 0.0, -2.0])
        return (
            tape.gradient(y, x, output_gradients=w),
            tape.gradient([y, z], x, output_gradients=[w, 3.0 * w]),
            tape.gradient({"y": y, "z": z}, x, output_gradients={"y": w, "z": w * 2.0}),
            tape.gradient(y, x, output_gradients=tf.zeros([3])),
            tape.gradient(y, x, output_gradients=2.0 * tf.ones([3])),
        )

    return f, [_x(tf)]


@in_modes()
def output_gradients_must_be_given(tf, np):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = [x**2, x**3]
        return tape.gradient(y, x, output_gradients=[None, x])

    return f, [_x(tf)]


@in_modes()
def output_gradients_are_differentiable(tf, np):
    """Double backward gives the product with the Jacobian."""

    def f(x, v):
        with tf.GradientTape() as outer:
            outer.watch(v)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.sin(x) * x[0]
            g = inner.gradient(y, x, output_gradients=v)
        return outer.gradient(g, v)

    return f, [_x(tf), tf.constant([1.0, 0.5, -1.0])]


@in_modes()
def output_gradients_of_another_dtype(tf, np):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cast(x, tf.float64) ** 2
        return tape.gradient(y, x, output_gradients=tf.constant([1.0, 2.0, 3.0], tf.float64))

    return f, [_x(tf)]


@in_modes()
def unconnected(tf, np):
    def f(x, z):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, z])
            y = x * 2.0
        modes = ("none", "zero", tf.UnconnectedGradients.NONE, tf.UnconnectedGradients.ZERO)
        return [tape.gradient(y, [x, z], unconnected_gradients=m) for m in modes]

    return f, [_x(tf), tf.constant([[1.0, 2.0]])]


@in_modes()
def unconnected_of_every_kind(tf, np):
    v = tf.Variable([[1.0], [2.0]])

    def f(x, n, z):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * 2.0
        return tape.gradient(y, [v, n, z, x], unconnected_gradients="zero")

    return f, [_x(tf), tf.constant([1, 2]), tf.constant([1 + 1j])]


@in_modes()
def unconnected_in_the_middle(tf, np):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * 2.0
            z = tf.stop_gradient(y) * 3.0
        return tape.gradient(z, [x, y], unconnected_gradients="zero")

    return f, [_x(tf)]


@in_modes()
def integer_paths(tf, np):
    def f(x, n):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            whole = tf.cast(x, tf.int32)
            back = tf.cast(whole, tf.float32)
            y = x * tf.cast(n, tf.float32)
        return (
            tape.gradient(whole, x),
            tape.gradient(back, x),
            tape.gradient(y, [x, n]),
            tape.gradient([y, whole], x),
            tape.gradient(whole, x, unconnected_gradients="zero"),
        )

    return f, [_x(tf), tf.constant(3)]


@in_modes()
def boolean_paths(tf, np):
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            above = x > 0.0
            y = tf.where(above, x * x, -x)
        return tape.gradient(y, x), tape.gradient(above, x), tape.gradient(tf.cast(above, tf.float32), x)

    return f, [_x(tf)]


@in_modes()
def paths_without_gradient(tf, np):
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            found = [
                tf.round(x),
                tf.sign(x),
                tf.floor(x),
                tf.math.ceil(x),
                tf.math.rint(x),
                tf.stop_gradient(x),
                tf.zeros_like(x),
                tf.ones_like(x),
                tf.cast(tf.argmax(x), tf.float32),
                tf.cast(tf.shape(x), tf.float32),
                tf.cast(tf.size(x), tf.float32),
                tf.cast(tf.rank(x), tf.float32),
                tf.cast(tf.equal(x, x), tf.float32),
                tf.cast(tf.argsort(x), tf.float32),
            ]
        return [tape.gradient(y, x) for y in found]

    return f, [_x(tf)]


@in_modes()
def complex_values(tf, np):
    def f(z):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(z)
            found = [
                z * z,
                tf.math.real(z),
                tf.math.imag(z * z),
                tf.abs(z),
                tf.math.conj(z) * z,
                tf.math.angle(z),
                tf.exp(z),
                tf.sqrt(z),
                tf.complex(tf.math.real(z) ** 2, tf.math.imag(z)),
                z / (z + 1.0),
                tf.reduce_sum(z * (1 - 2j)),
                tf.linalg.matvec(z[None], z),
            ]
        return [tape.gradient(y, z) for y in found]

    return f, [tf.constant([1 + 2j, -0.5 + 0.3j], tf.complex64)]


@in_modes()
def complex_second_order(tf, np):
    def f(z):
        with tf.GradientTape() as outer:
            outer.watch(z)
            with tf.GradientTape() as inner:
                inner.watch(z)
                y = z**3
            g = inner.gradient(y, z)
        return g, outer.gradient(g, z)

    return f, [tf.constant([1 + 2j, -0.5 + 0.3j], tf.complex64)]


@in_modes()
def real_and_complex_together(tf, np):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = tf.complex(x, x * x) * tf.cast(x, tf.complex64)
        return tape.gradient(z, x)

    return f, [_x(tf)]


@in_modes()
def dtypes_of_gradients(tf, np):
    def f():
        found = []
        for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128):
            x = tf.cast([1.0, 2.0], dtype)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x + x
            found.append(tape.gradient(y, x))
        return found

    return f, []


@in_modes()
def mixed_precision(tf, np):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            h = tf.cast(x, tf.float16) * 2.0
            loss = tf.reduce_sum(tf.cast(h, tf.float32) ** 2) * 64.0
        return tape.gradient(loss, x) / 64.0

    return f, [_x(tf)]


@in_modes()
def scalars_vectors_and_empties(tf, np):
    def f(s, e):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([s, e])
            y = s * s
            z = e * s
            r = tf.reduce_sum(z)
            m = tf.reduce_prod(z)
        return tape.gradient(y, s), tape.gradient(z, [s, e]), tape.gradient(r, [s, e]), tape.gradient(m, [s, e])

    return f, [tf.constant(2.0), tf.zeros([0, 3])]


# --- variables --------------------------------------------------------------------------------------------------------


@in_modes()
def variables_without_watch(tf, np):
    v, w = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(0.5, trainable=False)

    def f(x):
        with tf.GradientTape() as tape:
            y = x * v * w
        return tape.gradient(y, [v, w, x])

    return f, [_x(tf)]


@in_modes()
def variable_not_trainable_but_watched(tf, np):
    w = tf.Variable(0.5, trainable=False)

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = x * w
        return tape.gradient(y, w)

    return f, [_x(tf)]


@in_modes()
def nothing_watched_by_itself(tf, np):
    v, w = tf.Variable(1.5), tf.Variable(0.5)

    def f(x):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(v)
            y = x * w * v
        return tape.gradient(y, [v, w, x])

    return f, [_x(tf)]


@in_modes()
def variable_as_target(tf, np):
    v = tf.Variable([1.5, 2.0])

    def f():
        with tf.GradientTape(persistent=True) as tape:
            y = v * v
        return tape.gradient(v, v), tape.gradient([v, y], v)

    return f, []


@in_modes()
def variable_read_in_several_ways(tf, np):
    v = tf.Variable([1.0, 2.0])

    def f():
        with tf.GradientTape() as tape:
            y = v * v.read_value() + v.value() + tf.identity(v) * v[0] + tf.convert_to_tensor(v)
        return tape.gradient(y, v)

    return f, []


@in_modes()
def variable_assigned_between_reads(tf, np):
    v = tf.Variable(2.0)

    def f(x):
        v.assign(2.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = v * x
            v.assign_add(3.0)
            z = v * x
        return tape.gradient(y, [v, x]), tape.gradient(z, [v, x]), tape.gradient([y, z], v)

    return f, [_x(tf)]


@in_modes()
def assignment_cuts_the_path(tf, np):
    v = tf.Variable([0.0, 0.0, 0.0])

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            v.assign(x * 2.0)
            y = v * x
        return tape.gradient(y, [x, v])

    return f, [_x(tf)]


@in_modes("eager", "graph")
def variables_of_all_kinds(tf, np):
    kinds = [
        tf.Variable(1.5),
        tf.Variable([1.0, 2.0], dtype=tf.float64),
        tf.Variable(2 + 1j, dtype=tf.complex64),
        tf.Variable(3),
        tf.Variable([1.0], shape=[None]),
        tf.Variable([1.0], shape=tf.TensorShape(None)),
        tf.Variable([1.0], trainable=False),
        tf.Variable(True),
    ]

    def f():
        with tf.GradientTape() as tape:
            total = tf.zeros([])
            for v in kinds:
                total += tf.reduce_sum(tf.cast(tf.math.real(tf.cast(v, tf.complex64) ** 2), tf.float32))
        return tape.gradient(total, kinds)

    return f, []


def prog_watched_variables(tf, np):
    """In the order of access, once each, with and without watch."""
    a, b, c = (tf.Variable(float(i), name=n) for i, n in enumerate("abc"))
    d = tf.Variable(1.0, trainable=False, name="d")
    out = []
    with tf.GradientTape() as tape:
        out.append([v.name for v in tape.watched_variables()])
        y = b * a + b
        out.append([v.name for v in tape.watched_variables()])
        tape.watch(d)
        z = y * c * d
    out.append([v.name for v in tape.watched_variables()])
    tape.gradient(z, a)
    out.append([v.name for v in tape.watched_variables()])
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(c)
        a * b
    out.append([v.name for v in tape.watched_variables()])
    return out


def prog_watched_variables_after_reset(tf, np):
    """reset forgets them."""
    a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b")
    with tf.GradientTape() as tape:
        a * 2.0
        tape.reset()
        b * 2.0
    return [v.name for v in tape.watched_variables()]


def prog_watched_variables_of_a_new_tape(tf, np):
    """None before the first scope."""
    return attempt(lambda: tf.GradientTape().watched_variables())


def prog_module_variables(tf, np):
    """Sources from a module."""

    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([[1.0, 2.0]], name="w")
            self.parts = [tf.Variable(0.5, name="p"), {"q": tf.Variable(3.0, name="q")}]

        def __call__(self, x):
            return x @ self.w * self.parts[0] + self.parts[1]["q"]

    layer = Layer()
    with tf.GradientTape() as tape:
        y = layer(tf.constant([[2.0]]))
    return tape.gradient(y, layer.trainable_variables)
