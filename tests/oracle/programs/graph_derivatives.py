"""tf.gradients and tf.hessians with every argument, in functions, in plain graphs, under XLA."""

from __future__ import annotations

from tests.oracle.modes import in_modes
from tests.oracle.support import attempt, nodes


def _x(tf):
    return tf.constant([0.5, -1.2, 2.0])


def _graphs(computation):
    """The computation in a graph and compiled."""
    return in_modes("graph", "xla")(computation)


@_graphs
def single_source(tf, np):
    return lambda x: tf.gradients(x**3, x), [_x(tf)]


@_graphs
def several_sources(tf, np):
    return lambda x, y: tf.gradients(x * y + tf.sin(y), [x, y]), [_x(tf), tf.constant(2.0)]


@_graphs
def several_targets(tf, np):
    return lambda x: tf.gradients([x**2, tf.reduce_sum(x**3), x[0]], x), [_x(tf)]


@_graphs
def tuples(tf, np):
    return lambda x, y: tf.gradients((x * y, y), (x, y)), [_x(tf), tf.constant(2.0)]


@_graphs
def grad_ys_of_each_target(tf, np):
    def f(x):
        ys = [x**2, x**3]
        return tf.gradients(ys, x, grad_ys=[tf.constant([1.0, 0.0, 2.0]), tf.constant([0.5, 1.0, 0.0])])

    return f, [_x(tf)]


@_graphs
def grad_ys_with_none(tf, np):
    return lambda x: tf.gradients([x**2, x**3], x, grad_ys=[None, tf.constant([0.5, 1.0, 0.0])]), [_x(tf)]


@_graphs
def grad_ys_of_python_numbers(tf, np):
    return lambda x: tf.gradients(tf.reduce_sum(x * x), x, grad_ys=[5.0]), [_x(tf)]


@_graphs
def grad_ys_is_differentiable(tf, np):
    """A product of Jacobian and vector by differentiating twice."""

    def f(x, v):
        dummy = tf.ones_like(x)
        g = tf.gradients(x**3 * x[0], x, grad_ys=dummy)[0]
        return tf.gradients(g, dummy, grad_ys=v)

    return f, [_x(tf), tf.constant([1.0, 0.5, -1.0])]


@_graphs
def stop_gradients_on_a_source(tf, np):
    def f(x):
        a = x * 2.0
        b = a * x
        return [tf.gradients(a * b, [x, a, b], stop_gradients=s) for s in (None, [a], [b], [a, b], [x], a)]

    return f, [_x(tf)]


@_graphs
def stop_gradients_inside(tf, np):
    def f(x):
        a = tf.sin(x)
        b = a * x
        c = b * a
        return tf.gradients(c, [x, a, b], stop_gradients=[b]), tf.gradients(c, x, stop_gradients=[c])

    return f, [_x(tf)]


@_graphs
def unconnected_modes(tf, np):
    def f(x, z):
        y = x * 2.0
        zero = tf.UnconnectedGradients.ZERO
        return (
            tf.gradients(y, [x, z]),
            tf.gradients(y, [x, z], unconnected_gradients="zero"),
            tf.gradients(y, [x, z], unconnected_gradients=zero),
            tf.gradients(y, [z], unconnected_gradients=tf.UnconnectedGradients.NONE),
        )

    return f, [_x(tf), tf.constant([[1.0]])]


@_graphs
def gates_and_aggregation(tf, np):
    def f(x):
        y = x * x + tf.sin(x) + x
        out = [tf.gradients(y, x, gate_gradients=gate) for gate in (False, True)]
        methods = ("DEFAULT", "ADD_N", "EXPERIMENTAL_TREE", "EXPERIMENTAL_ACCUMULATE_N")
        return out + [tf.gradients(y, x, aggregation_method=getattr(tf.AggregationMethod, m)) for m in methods]

    return f, [_x(tf)]


@_graphs
def target_is_a_source(tf, np):
    def f(x):
        y = x * 2.0
        return tf.gradients(x, x), tf.gradients([x, y], [x, y]), tf.gradients(y, [y]), tf.gradients([y, y], x)

    return f, [_x(tf)]


@_graphs
def repeated_sources(tf, np):
    return lambda x: tf.gradients(x**3, [x, x, x]), [_x(tf)]


@_graphs
def intermediate_sources(tf, np):
    def f(x):
        a = tf.exp(x)
        b = a * a
        return tf.gradients(b * x, [a, b, x])

    return f, [_x(tf)]


@_graphs
def higher_orders(tf, np):
    def f(x):
        found = [x**5 + tf.exp(x)]
        for _ in range(4):
            found.append(tf.gradients(found[-1], x)[0])
        return found

    return f, [_x(tf)]


@_graphs
def of_variables(tf, np):
    v, w = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(0.5)

    def f(x):
        return tf.gradients(x * v * w + v**2, [v, w, x])

    return f, [_x(tf)]


@_graphs
def of_a_captured_tensor(tf, np):
    c = tf.constant([1.0, 2.0, 3.0])

    def f(x):
        inner = tf.identity(c)
        return tf.gradients(x * inner, [inner, x])

    return f, [_x(tf)]


@_graphs
def through_stop_gradient_and_casts(tf, np):
    def f(x):
        y = tf.stop_gradient(x) * x + tf.cast(tf.cast(x, tf.float64) ** 2, tf.float32)
        return tf.gradients(y, x), tf.gradients(tf.cast(tf.cast(x, tf.int32), tf.float32), x), tf.gradients(tf.round(x), x)

    return f, [_x(tf)]


@_graphs
def through_gather(tf, np):
    def f(x):
        (g,) = tf.gradients(tf.gather(x, [0, 2, 0]) ** 2, x)
        (h,) = tf.gradients(tf.gather(x, [1]) + x, x)
        return tf.convert_to_tensor(g), h

    return f, [_x(tf)]


@_graphs
def complex_sources(tf, np):
    def f(z):
        return tf.gradients(z * z * (1 + 2j), z, grad_ys=tf.ones_like(z)), tf.gradients(tf.math.real(z) * tf.abs(z), z), tf.gradients(tf.math.imag(z * z), z)

    return f, [tf.constant([1 + 2j, -0.5 + 0.3j], tf.complex64)]


@_graphs
def integer_sources(tf, np):
    return lambda x, n: (tf.gradients(x * tf.cast(n, tf.float32), [x, n]),), [_x(tf), tf.constant(3)]


@_graphs
def several_dtypes(tf, np):
    def f():
        out = []
        for dtype in (tf.float16, tf.bfloat16, tf.float64, tf.complex128):
            x = tf.cast([1.0, 2.0], dtype)
            out.append(tf.gradients(x * x * x, x, grad_ys=tf.ones_like(x))[0])
        return out

    return f, []


@_graphs
def of_the_loss_of_a_network(tf, np):
    rng = np.random.RandomState(3)
    a, b, x = (tf.constant(rng.randn(*s).astype(np.float32)) for s in ((4, 5), (5, 2), (3, 4)))

    def f(x, a, b):
        hidden = tf.nn.relu(x @ a)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1, 1], logits=hidden @ b))
        return tf.gradients(loss, [a, b, x, hidden])

    return f, [x, a, b]


@_graphs
def inside_a_branch(tf, np):
    def f(x):
        return tf.cond(x[0] > 0.0, lambda: tf.gradients(x**3, x)[0], lambda: x)

    return f, [_x(tf)]


@_graphs
def inside_a_loop(tf, np):
    def f(w):
        def body(i, w):
            return i + 1, w - 0.1 * tf.gradients(tf.reduce_sum(w**4), w)[0]

        return tf.while_loop(lambda i, w: i < 3, body, (0, w))[1]

    return f, [_x(tf)]


@_graphs
def mixed_with_a_tape(tf, np):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3
            g = tf.gradients(y, x)[0]
        return g, tape.gradient(y, x)

    return f, [_x(tf)]


@_graphs
def through_a_nested_function(tf, np):
    inner = tf.function(lambda x: tf.sin(x) * x, autograph=False)

    def f(x):
        g = tf.gradients(inner(x), x)[0]
        return g, tf.gradients(g, x)[0]

    return f, [_x(tf)]


@_graphs
def tensors_watched_nowhere(tf, np):
    """Everything made in the graph can be a source."""

    def f():
        a = tf.range(3.0)
        b = a * 2.0
        c = b * b
        return tf.gradients(c, [a, b])

    return f, []


# --- hessians --------------------------------------------------------------------------------------------------------


@_graphs
def hessian_of_a_vector(tf, np):
    return lambda x: tf.hessians(tf.reduce_sum(x**3) * x[0], x), [_x(tf)]


@_graphs
def hessian_of_a_matrix(tf, np):
    return lambda x: tf.hessians(tf.reduce_sum(tf.matmul(x, x) ** 2), x), [tf.constant([[1.0, 0.5], [-0.3, 2.0]])]


@_graphs
def hessian_of_a_scalar(tf, np):
    return lambda x: tf.hessians(x**4, x), [tf.constant(1.5)]


@_graphs
def hessians_of_several_sources(tf, np):
    return lambda x, y: tf.hessians(tf.reduce_sum(x**2 * y**3), [x, y]), [_x(tf), tf.constant([1.0, 2.0, 3.0])]


@_graphs
def hessian_of_a_linear_function(tf, np):
    return lambda x: tf.hessians(tf.reduce_sum(x * 3.0), x), [_x(tf)]


@_graphs
def hessian_with_arguments(tf, np):
    def f(x):
        return tf.hessians(tf.reduce_sum(x**3), [x], gate_gradients=True, aggregation_method=2, name="h")

    return f, [_x(tf)]


@_graphs
def hessian_of_several_targets(tf, np):
    return lambda x: tf.hessians([tf.reduce_sum(x**3), x[0] * x[1]], x), [_x(tf)]


@_graphs
def hessian_of_a_network(tf, np):
    def f(w):
        h = tf.tanh(tf.constant([[0.5, -1.0], [2.0, 0.3]]) @ tf.reshape(w, [2, 2]))
        return tf.hessians(tf.reduce_mean(h**2), w)

    return f, [tf.constant([0.3, -0.1, 0.8, 0.5])]


@_graphs
def hessian_through_a_loop(tf, np):
    def f(x):
        y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1]
        return tf.hessians(tf.reduce_sum(y), x)

    return f, [_x(tf)]


def prog_hessian_of_unknown_shape(tf, np):
    """The size may be found while running."""
    f = tf.function(lambda x: tf.hessians(tf.reduce_sum(x**3), x), autograph=False, input_signature=[tf.TensorSpec([None])])
    return [f(_x(tf)), f(tf.constant([1.0, 2.0])), f.get_concrete_function().structured_outputs[0].shape]


def prog_hessian_of_unknown_rank(tf, np):
    """So may its rank."""
    f = tf.function(lambda x: tf.hessians(tf.reduce_sum(x**3), x), autograph=False, input_signature=[tf.TensorSpec(None)])
    return [f(_x(tf)), f(tf.constant([[1.0, 2.0]])), f(tf.constant(3.0))]


def prog_hessian_of_an_unconnected_source(tf, np):
    """No gradient, no Hessian."""
    f = tf.function(lambda x, z: tf.hessians(tf.reduce_sum(x**3), z), autograph=False)
    return attempt(lambda: f(_x(tf), _x(tf)), 0)


def prog_hessians_eagerly(tf, np):
    """They belong to graphs."""
    x = _x(tf)
    return [attempt(lambda: tf.hessians(x, x), 8), attempt(lambda: tf.gradients(x, x), 14)]


# --- refusals and static facts -----------------------------------------------------------------------------------------


def _in_graph(tf, call, *shapes, words=9):
    """What a call in a plain graph with placeholders returns."""
    graph = tf.Graph()
    with graph.as_default():
        inputs = [tf.compat.v1.placeholder(tf.float32, s, name=f"p{i}") for i, s in enumerate(shapes)]
        return attempt(lambda: call(*inputs), words)


def prog_refused_arguments(tf, np):
    """Numbers of weights, modes, kinds of targets and sources."""
    return [
        _in_graph(tf, lambda x: tf.gradients(x, x, grad_ys=[None, None]), [2]),
        _in_graph(tf, lambda x: tf.gradients([x, x], x, grad_ys=[None]), [2]),
        _in_graph(tf, lambda x: tf.gradients(x, x, unconnected_gradients="nothing"), [2]),
        _in_graph(tf, lambda x: tf.gradients(x, None), [2], words=6),
        _in_graph(tf, lambda x: tf.gradients(None, x), [2], words=6),
        _in_graph(tf, lambda x: [g is None for g in tf.gradients(tf.cast(x, tf.int32), x)], [2]),
        _in_graph(tf, lambda x: [g is None for g in tf.gradients(x, tf.cast(x, tf.int32))], [2]),
        _in_graph(tf, lambda x: tf.gradients(tf.strings.as_string(x), x), [2]),
        _in_graph(tf, lambda x: tf.gradients(x, x, grad_ys=tf.constant([1, 2])), [2]),
        _in_graph(tf, lambda x: tf.gradients(x, x, grad_ys=tf.constant([1.0, 2.0], tf.float64)), [2]),
        _in_graph(tf, lambda x: tf.gradients(tf.cast(x, tf.complex64), x), [2]),
        _in_graph(tf, lambda x: tf.gradients(x, x, grad_ys=tf.constant([1j, 2j])), [2]),
        _in_graph(tf, lambda x: tf.gradients(tf.cast(x, tf.complex64), x, grad_ys=tf.ones([2])), [2]),
        _in_graph(tf, lambda x: tf.gradients(x, []), [2]),
        _in_graph(tf, lambda x: tf.gradients([], x), [2]),
    ]


def prog_static_shapes(tf, np):
    """Shapes and dtypes of the gradients are those of the sources."""

    def shapes(*found):
        return [(g.shape, g.dtype) for g in found]

    return [
        _in_graph(tf, lambda x: shapes(*tf.gradients(x * 2.0, x)), [2, None]),
        _in_graph(tf, lambda x: shapes(*tf.gradients(tf.reduce_sum(x, 0), x)), [None, 3]),
        _in_graph(tf, lambda x: shapes(*tf.gradients(tf.nn.softmax(x), x)), None),
        _in_graph(tf, lambda x, y: shapes(*tf.gradients(x * y, [x, y])), [None, 3], [3]),
        _in_graph(tf, lambda x, y: shapes(*tf.gradients(tf.matmul(x, y), [x, y])), [None, 3], [3, None]),
        _in_graph(tf, lambda x: shapes(*tf.gradients(tf.transpose(x), x)), [4, None]),
        _in_graph(tf, lambda x: shapes(*tf.hessians(tf.reduce_sum(x**2), x)), [3]),
        _in_graph(tf, lambda x: shapes(*tf.hessians(tf.reduce_sum(x**2), x)), [None]),
    ]


def prog_names_of_gradients(tf, np):
    """The scope of the new nodes."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        y = tf.multiply(x, x, name="y")
        first = tf.gradients(y, x)
        second = tf.gradients(y, x)
        named = tf.gradients(y, x, name="mine")
        with tf.name_scope("outer"):
            scoped = tf.gradients(y, x)
        return [g[0].name.split("/")[:2] for g in (first, second, named, scoped)]


def prog_nodes_of_gradients(tf, np):
    """The nodes of simple gradients, by name."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2, 2], name="x")
        tf.gradients(tf.sin(x, name="s"), x)
        return [line.split("(")[0] for line in nodes(graph)]
