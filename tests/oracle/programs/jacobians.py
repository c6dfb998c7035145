"""jacobian and batch_jacobian: shapes, structures, modes, unknown shapes, second order, errors."""

from __future__ import annotations

from tests.oracle.modes import in_modes
from tests.oracle.support import attempt


def _x(tf):
    return tf.constant([0.5, -1.2, 2.0])


def _matrix(tf):
    return tf.constant([[0.5, -1.0], [1.5, 0.7], [-0.4, 2.0]])


def _jacobians(tf, f, *sources, batch=False, **options):
    """The jacobian at once and by a loop."""
    found = []
    for use_pfor in (True, False):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(sources)
            y = f(*sources)
        if batch:
            found.append(tape.batch_jacobian(y, sources[0], experimental_use_pfor=use_pfor, **options))
        else:
            found.append(tape.jacobian(y, list(sources), experimental_use_pfor=use_pfor, **options))
    return found


def _add(name, function, arguments, batch=False, modes=("eager", "graph", "xla"), **options):
    """Programs for the jacobian of `function(tf, *arguments)`."""

    def computation(tf, np):
        tensors = [tf.constant(a) for a in arguments(np)]
        return lambda *a: _jacobians(tf, lambda *b: function(tf, *b), *a, batch=batch, **options), tensors

    computation.__name__ = name
    in_modes(*modes)(computation)


_VECTOR = lambda np: [np.array([0.5, -1.2, 2.0], np.float32)]
_MATRIX = lambda np: [np.array([[0.5, -1.0], [1.5, 0.7], [-0.4, 2.0]], np.float32)]
_TWO = lambda np: [*_VECTOR(np), np.array([0.3, 0.8, -0.6], np.float32)]
_WEIGHTS = lambda np: [*_MATRIX(np), np.array([[0.5, -0.2, 0.1], [0.1, 0.9, -0.7]], np.float32)]

_JACOBIANS = {
    "elementwise": (lambda tf, x: x**3, _VECTOR),
    "scalar_target": (lambda tf, x: tf.reduce_sum(x * x), _VECTOR),
    "of_a_matrix": (lambda tf, x: tf.matmul(x, x, transpose_a=True), _MATRIX),
    "two_sources": (lambda tf, x, y: tf.concat([x * y, tf.sin(x)], 0), _TWO),
    "outer_product": (lambda tf, x, y: x[:, None] * y, _TWO),
    "dense_layer": (lambda tf, x, w: tf.tanh(x @ w), _WEIGHTS),
    "softmax": (lambda tf, x: tf.nn.softmax(x), _VECTOR),
    "log_softmax": (lambda tf, x: tf.nn.log_softmax(x * x), _MATRIX),
    "relu": (lambda tf, x: tf.nn.relu(x) + tf.nn.leaky_relu(x) + tf.nn.elu(x) + tf.nn.selu(x), _VECTOR),
    "sigmoids": (lambda tf, x: tf.sigmoid(x) * tf.nn.softplus(x) + tf.nn.gelu(x), _VECTOR),
    "gather": (lambda tf, x: tf.gather(x, [2, 0, 2]), _MATRIX),
    "gather_columns": (lambda tf, x: tf.gather(x, [1, 1, 0], axis=1) ** 2, _MATRIX),
    "gather_nd": (lambda tf, x: tf.gather_nd(x * x, [[0, 1], [2, 0], [0, 1]]), _MATRIX),
    "slices": (lambda tf, x: x[1:, ::-1] * x[:1], _MATRIX),
    "concat": (lambda tf, x: tf.concat([x, x * x], 1), _MATRIX),
    "stack_unstack": (lambda tf, x: tf.stack(tf.unstack(x, axis=1), axis=0), _MATRIX),
    "split": (lambda tf, x: tf.split(x, [1, 2])[1] * x[0], _MATRIX),
    "pad_tile": (lambda tf, x: tf.tile(tf.pad(x, [[1, 0], [0, 1]]), [1, 2]) ** 2, _MATRIX),
    "transpose_reshape": (lambda tf, x: tf.reshape(tf.transpose(x), [2, 3]) * x[0, 0], _MATRIX),
    "reductions": (lambda tf, x: tf.reduce_sum(x**2, 0) * tf.reduce_mean(x, 0) + tf.reduce_max(x, 0), _MATRIX),
    "reduce_prod": (lambda tf, x: tf.reduce_prod(x, 1) + tf.reduce_min(x, 1), _MATRIX),
    "logsumexp": (lambda tf, x: tf.reduce_logsumexp(x, 1), _MATRIX),
    "cumsum": (lambda tf, x: tf.cumsum(x, reverse=True) * tf.math.cumprod(x), _VECTOR),
    "where": (lambda tf, x: tf.where(x > 0.0, x * x, tf.exp(x)), _MATRIX),
    "maximum": (lambda tf, x, y: tf.maximum(x, y) * tf.minimum(x, y), _TWO),
    "division_and_power": (lambda tf, x, y: x / y + tf.abs(y) ** 1.5, _TWO),
    "einsum": (lambda tf, x, w: tf.einsum("ij,jk->ki", x, w), _WEIGHTS),
    "batched_matmul": (lambda tf, x, w: tf.stack([x, x * 2.0]) @ w, _WEIGHTS),
    "inverse": (lambda tf, x: tf.linalg.inv(tf.matmul(x, x, transpose_a=True)), _MATRIX),
    "cholesky": (lambda tf, x: tf.linalg.cholesky(tf.matmul(x, x, transpose_a=True) + tf.eye(2)), _MATRIX),
    "solve": (lambda tf, x: tf.linalg.solve(tf.matmul(x, x, transpose_a=True), x[:2]), _MATRIX),
    "segment_sum": (lambda tf, x: tf.math.segment_sum(x * x, [0, 0, 1]), _MATRIX),
    "scatter": (lambda tf, x: tf.tensor_scatter_nd_update(x * x, [[1]], x[:1]), _MATRIX),
    "sort": (lambda tf, x: tf.sort(x * x) * x, _VECTOR),
    "cross_entropy": (
        lambda tf, x: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 0, 1], logits=x * x),
        _MATRIX,
    ),
    "convolution": (lambda tf, x: tf.nn.conv1d(x[None], (x * x)[:2, :, None], 1, "SAME"), _MATRIX),
    "pooling": (lambda tf, x: tf.nn.max_pool1d(x[None] * x, 2, 1, "VALID"), _MATRIX),
    "layer_norm": (
        lambda tf, x: tf.nn.batch_normalization(x, *tf.nn.moments(x, [1], keepdims=True), 0.1, 2.0, 1e-3),
        _MATRIX,
    ),
    "stop_gradient": (lambda tf, x: x * tf.stop_gradient(x), _VECTOR),
    "cond": (lambda tf, x: tf.cond(x[0] > 0.0, lambda: x**3, lambda: x), _VECTOR),
    "while": (lambda tf, x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1], _VECTOR),
    "map_fn": (lambda tf, x: tf.map_fn(lambda r: tf.reduce_prod(r) * r, x), _MATRIX),
    "scan": (lambda tf, x: tf.scan(lambda a, e: tf.tanh(a * e), x), _MATRIX),
    "inner_function": (lambda tf, x: tf.function(lambda z: tf.sin(z) * z, autograph=False)(x), _VECTOR),
    "complex_and_back": (lambda tf, x: tf.math.abs(tf.complex(x, x * x)), _VECTOR),
    "matrix_diag": (lambda tf, x: tf.linalg.diag(x) @ tf.linalg.diag(x * x), _VECTOR),
}
for _name, (_function, _arguments) in _JACOBIANS.items():
    _add(_name, _function, _arguments, modes=("eager", "graph", "xla") if _name != "map_fn" else ("eager", "graph"))

_BATCHES = {
    "elementwise": (lambda tf, x: x**3, _MATRIX),
    "rows": (lambda tf, x: tf.stack([x[:, 0] * x[:, 1], tf.sin(x[:, 0]), x[:, 1] ** 2], 1), _MATRIX),
    "dense": (lambda tf, x: tf.tanh(x @ tf.constant([[0.5, -0.2, 0.1], [0.1, 0.9, -0.7]])), _MATRIX),
    "matrices": (lambda tf, x: x[:, :, None] * x[:, None, :], _MATRIX),
    "softmax": (lambda tf, x: tf.nn.softmax(x), _MATRIX),
    "mixing_entries": (lambda tf, x: x * tf.reduce_sum(x), _MATRIX),
    "map_fn": (lambda tf, x: tf.map_fn(lambda r: r * r[0], x), _MATRIX),
}
for _name, (_function, _arguments) in _BATCHES.items():
    _add(f"batch_{_name}", _function, _arguments, batch=True)


@in_modes()
def unconnected(tf, np):
    def f(x, z):
        out = []
        for mode in ("none", "zero"):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch([x, z])
                y = x * 2.0
            out.append(tape.jacobian(y, [x, z], unconnected_gradients=mode))
            out.append(tape.jacobian(y, [z], unconnected_gradients=mode, experimental_use_pfor=False))
            out.append(tape.batch_jacobian(y, z, unconnected_gradients=mode))
        return out

    return f, [_matrix(tf), tf.constant([[1.0], [2.0], [3.0]])]


@in_modes()
def structures_of_sources(tf, np):
    v = tf.Variable([1.0, 2.0])

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * v
        return tape.jacobian(y, {"x": x, "rest": [v, (x, tf.constant(1.0))]})

    return f, [_matrix(tf)]


@in_modes()
def variables(tf, np):
    v, w = tf.Variable([[1.0, 2.0]]), tf.Variable(3.0)

    def f():
        with tf.GradientTape() as tape:
            y = tf.matmul(v, v, transpose_a=True) * w
        return tape.jacobian(y, [v, w])

    return f, []


@in_modes()
def dtypes(tf, np):
    def f():
        out = []
        for dtype in (tf.float16, tf.bfloat16, tf.float64, tf.complex64, tf.complex128):
            x = tf.cast([1.0, 2.0], dtype)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x * x
            out.append(tape.jacobian(y, x))
        return out

    return f, []


@in_modes()
def hessian_by_jacobian_of_gradient(tf, np):
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(x**3) * x[0] + tf.sin(x[1])
            g = inner.gradient(y, x)
        return outer.jacobian(g, x)

    return f, [_x(tf)]


@in_modes()
def jacobian_of_a_jacobian(tf, np):
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x**3 * x[0]
            j = inner.jacobian(y, x)
        return j, outer.jacobian(j, x)

    return f, [_x(tf)]


@in_modes()
def gradient_of_a_jacobian(tf, np):
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.tanh(x) * x[1]
            j = inner.jacobian(y, x)
        return outer.gradient(j, x)

    return f, [_x(tf)]


@in_modes()
def gradient_of_a_batch_jacobian(tf, np):
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.exp(x) * x[:, :1]
            j = inner.batch_jacobian(y, x)
        return outer.gradient(j, x)

    return f, [_matrix(tf)]


@in_modes()
def gradient_of_a_looped_jacobian(tf, np):
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape(persistent=True) as inner:
                inner.watch(x)
                y = tf.tanh(x) * x[1]
            j = inner.jacobian(y, x, experimental_use_pfor=False)
        return outer.gradient(j, x)

    return f, [_x(tf)]


@in_modes()
def third_order(tf, np):
    def f(x):
        with tf.GradientTape() as third:
            third.watch(x)
            with tf.GradientTape() as second:
                second.watch(x)
                with tf.GradientTape() as first:
                    first.watch(x)
                    y = tf.reduce_prod(x) * tf.reduce_sum(x**2)
                g = first.gradient(y, x)
            h = second.jacobian(g, x)
        return third.jacobian(h, x)

    return f, [_x(tf)]


@in_modes()
def laplacian(tf, np):
    """The trace of the Hessian of a small network by its input."""

    def f(x, w):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.tanh(x @ w) ** 2, 1)
            g = inner.gradient(y, x)
        return tf.linalg.trace(outer.batch_jacobian(g, x))

    return f, [_matrix(tf), tf.constant([[0.5, -0.2, 0.1], [0.1, 0.9, -0.7]])]


@in_modes()
def gauss_newton_step(tf, np):
    def f(x, w):
        with tf.GradientTape() as tape:
            tape.watch(w)
            r = tf.exp(-x * w[0]) * w[1] - tf.constant([0.9, 0.6, 0.3])
        j = tape.jacobian(r, w)
        return tf.linalg.lstsq(j, r[:, None], fast=True)

    return f, [_x(tf), tf.constant([0.5, 1.2])]


@in_modes("eager", "graph")
def inside_the_scope_of_a_persistent_tape(tf, np):
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x**3
            j = tape.jacobian(y, x)
        return j, tape.gradient(j, x), tape.jacobian(j, x)

    return f, [_x(tf)]


@in_modes("eager", "graph")
def parallel_iterations(tf, np):
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x**2
        found = [tape.jacobian(y, x, parallel_iterations=n, experimental_use_pfor=p) for n in (2, 10) for p in (True, False)]
        found.append(tape.jacobian(y, x, parallel_iterations=1, experimental_use_pfor=False))
        refused = [attempt(lambda n=n, p=p: tape.jacobian(y, x, parallel_iterations=n, experimental_use_pfor=p)) for n, p in ((0, True), (1, True), (0, False))]
        return found, [type(getattr(r, "error", r)).__name__ for r in refused]

    return f, [_x(tf)]


def _spec_program(specs, compute, *calls):
    def program(tf, np):
        signature = [tf.TensorSpec(s, tf.float32) for s in specs]
        f = tf.function(lambda *a: compute(tf, *a), autograph=False, input_signature=signature)
        shapes = [t.shape for t in tf.nest.flatten(f.get_concrete_function().structured_outputs)]
        return shapes, [f(*[tf.constant(a) for a in call]) for call in calls]

    return program


def _one(tf, g, *sources, method="jacobian", **options):
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = g(*sources)
    return getattr(tape, method)(y, sources[0], **options)


_V, _W = [0.5, -1.2, 2.0], [1.0, 2.0]
_M, _N = [[0.5, -1.0], [1.5, 0.7], [-0.4, 2.0]], [[0.1, 0.2, 0.3]]
for _pfor in (True, False):
    _kind = "at_once" if _pfor else "looped"
    _options = {"experimental_use_pfor": _pfor}
    globals().update(
        {
            f"prog_unknown_length_{_kind}": _spec_program([[None]], lambda tf, x, o=_options: _one(tf, lambda x: x**3, x, **o), [_V], [_W]),
            f"prog_unknown_rank_{_kind}": _spec_program([None], lambda tf, x, o=_options: _one(tf, lambda x: x**3, x, **o), [_V], [_M], [2.0]),
            f"prog_unknown_matrix_{_kind}": _spec_program(
                [[None, None]], lambda tf, x, o=_options: _one(tf, lambda x: tf.matmul(x, x, transpose_b=True), x, **o), [_M], [_N]
            ),
            f"prog_unknown_sum_{_kind}": _spec_program(
                [[None, 2]], lambda tf, x, o=_options: _one(tf, lambda x: tf.reduce_sum(x * x, 0), x, **o), [_M]
            ),
            f"prog_unknown_batch_{_kind}": _spec_program(
                [[None, 2]], lambda tf, x, o=_options: _one(tf, lambda x: x**3 * x[:, :1], x, method="batch_jacobian", **o), [_M]
            ),
            f"prog_unknown_batch_and_row_{_kind}": _spec_program(
                [[None, None]], lambda tf, x, o=_options: _one(tf, lambda x: x**3, x, method="batch_jacobian", **o), [_M], [_N]
            ),
            f"prog_unknown_gather_{_kind}": _spec_program(
                [[None, None]], lambda tf, x, o=_options: _one(tf, lambda x: tf.gather(x, [0, 0]), x, **o), [_M]
            ),
            f"prog_unknown_softmax_{_kind}": _spec_program(
                [[None, None]], lambda tf, x, o=_options: _one(tf, lambda x: tf.nn.softmax(x * x), x, **o), [_M]
            ),
        }
    )


def prog_through_a_function(tf, np):
    """The tape outside, the computation in a function; also a concrete one."""
    f = tf.function(lambda x: tf.stack([tf.reduce_prod(x), tf.reduce_sum(x**3)]), autograph=False)
    g = f.get_concrete_function(tf.TensorSpec([None]))
    x = _x(tf)
    out = []
    for call in (f, g):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = call(x)
        out += [tape.jacobian(y, x), tape.jacobian(y, x, experimental_use_pfor=False)]
    return out


def prog_of_a_custom_gradient(tf, np):
    """A rule of the user's own."""

    @tf.custom_gradient
    def clipped(x):
        return tf.identity(x), lambda dy: tf.clip_by_value(dy, -0.5, 0.5) * x

    x = _x(tf)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = clipped(x) * 2.0
    return [tape.jacobian(y, x), tape.jacobian(y, x, experimental_use_pfor=False)]


def prog_refusals(tf, np):
    """Targets and sources of other kinds."""
    x = _matrix(tf)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        whole = tf.cast(x, tf.int32)
        s = tf.reduce_sum(x)
        short = y[:1]
    return [
        tape.jacobian(whole, x),
        tape.jacobian(tf.constant("a"), x),
        tape.jacobian(y, tf.constant(1)),
        attempt(lambda: tape.jacobian(None, x)),
        attempt(lambda: tape.jacobian(3.0, x)),
        attempt(lambda: tape.jacobian([y, y], x)),
        attempt(lambda: tape.jacobian(y, x, unconnected_gradients="bad"), words=14),
        attempt(lambda: tape.batch_jacobian(y[:, 0], x)),
        attempt(lambda: tape.batch_jacobian(short, x), words=20),
        attempt(lambda: tape.batch_jacobian(y, [x])),
        attempt(lambda: tape.batch_jacobian(None, x)),
        attempt(lambda: tape.batch_jacobian(y, x, unconnected_gradients="bad"), words=14),
        tape.batch_jacobian(whole, x),
        tape.jacobian(s, x),
        tape.jacobian(y[:0], x),
        tape.batch_jacobian(y[:, :0], x),
    ]


def prog_tapes_used_up(tf, np):
    """A tape that is not persistent serves once."""
    x = _matrix(tf)

    def tape_of(persistent=False):
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(x)
            y = x * x
        return tape, y

    out = []
    for first in ("gradient", "jacobian", "batch_jacobian"):
        for second in ("gradient", "jacobian"):
            tape, y = tape_of()
            getattr(tape, first)(y, x)
            out.append(attempt(lambda: getattr(tape, second)(y, x), words=14))
    for method in ("jacobian", "batch_jacobian"):
        tape, y = tape_of()
        out.append(attempt(lambda: getattr(tape, method)(y, x, experimental_use_pfor=False), words=12))
        out.append(getattr(tape, method)(y, x))
    return out


def prog_inside_the_scope_of_a_plain_tape(tf, np):
    """The jacobian ends the recording."""
    x = _x(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        j = tape.jacobian(y, x)
        z = y * x
    return [j, attempt(lambda: tape.gradient(z, x), words=14)]


def prog_watched_variables_afterwards(tf, np):
    """They are remembered."""
    v = tf.Variable([1.0, 2.0], name="v")
    with tf.GradientTape() as tape:
        y = v * v
    return [tape.jacobian(y, v), [w.name for w in tape.watched_variables()]]
