"""Activations, softmaxes and their gradients."""

from __future__ import annotations

from tests.oracle.support import attempt

X = [-10.0, -3.5, -1.0, -0.1, 0.0, 0.1, 1.0, 3.5, 6.5, 10.0]


def _each(tf, f, dtypes=("float16", "bfloat16", "float32", "float64")):
    return [f(tf.constant(X, d)) for d in dtypes]


def prog_relu_family(tf, np):
    """relu, relu6, leaky_relu over float dtypes."""
    n = tf.nn
    return [_each(tf, f) for f in (n.relu, n.relu6, n.leaky_relu, lambda x: n.leaky_relu(x, alpha=0.5))]


def prog_relu_of_ints(tf, np):
    """relu of integer dtypes; nan passes through."""
    return [tf.nn.relu(tf.constant([-1, 0, 5], d)) for d in "int8 int16 int32 int64 uint8".split()] + [tf.nn.relu([np.nan, -np.inf, np.inf]), attempt(lambda: tf.nn.relu(["a"]), words=0), attempt(lambda: tf.nn.relu([1j]), words=0), tf.nn.relu6([-1, 7])]


def prog_elu_selu_gelu_silu(tf, np):
    """The smooth ones."""
    n = tf.nn
    return [_each(tf, f) for f in (n.elu, n.selu, n.gelu, lambda x: n.gelu(x, approximate=True), n.silu, n.swish, lambda x: n.silu(x, 0.5))]


def prog_crelu(tf, np):
    """crelu concatenates both signs."""
    return [tf.nn.crelu([[-1.0, 2.0]]), tf.nn.crelu([[-1.0], [2.0]], axis=0)]


def prog_softplus_softsign_sigmoid(tf, np):
    """Saturating functions."""
    n = tf.nn
    return [_each(tf, f) for f in (n.softplus, n.softsign, n.sigmoid, n.tanh)] + [attempt(lambda: n.softplus([1]), words=0)]


def prog_softmax(tf, np):
    """Axes, large values, ranks, dtypes."""
    x = tf.constant([[1.0, 2.0, 3.0], [1000.0, 1000.0, -1000.0]])
    return [tf.nn.softmax(x), tf.nn.softmax(x, axis=0), tf.nn.softmax([1.0, 2.0]), tf.nn.softmax(x[None], axis=1), tf.nn.softmax(tf.constant([1.0, 2.0], tf.float16)), tf.nn.softmax(tf.zeros([2, 0])), tf.nn.softmax(tf.constant([0.5], tf.float64)), tf.nn.softmax([-np.inf, 0.0])]


def prog_softmax_errors(tf, np):
    """Ints, scalars, wrong axes."""
    return [attempt(lambda: tf.nn.softmax([1, 2]), words=0), attempt(lambda: tf.nn.softmax(5.0), words=0), attempt(lambda: tf.nn.softmax([1.0], axis=1), words=0), attempt(lambda: tf.nn.softmax([[1.0]], axis=-3), words=0)]


def prog_log_softmax(tf, np):
    """log_softmax and log_sigmoid stay finite."""
    x = tf.constant([[1.0, 2.0, 3.0], [1000.0, 0.0, -1000.0]])
    return [tf.nn.log_softmax(x), tf.nn.log_softmax(x, axis=0), tf.math.log_softmax(tf.constant([1.0, 2.0], tf.float64)), tf.math.log_sigmoid([-1000.0, 0.0, 1000.0])]


def prog_activation_gradients(tf, np):
    """Derivatives of all activations."""
    n = tf.nn
    x = tf.constant([-4.0, -1.0, -0.2, 0.0, 0.3, 2.0, 7.0])
    fs = [n.relu, n.relu6, n.leaky_relu, n.elu, n.selu, n.gelu, lambda v: n.gelu(v, approximate=True), n.silu, n.softplus, n.softsign, n.sigmoid, n.tanh, n.log_softmax, n.softmax, tf.math.log_sigmoid]
    out = []
    for f in fs:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x) * [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
        out.append(tape.gradient(y, x))
    return out


def prog_second_derivatives_of_activations(tf, np):
    """Second derivatives through nested tapes."""
    x = tf.constant([-1.0, 0.5, 2.0], tf.float64)
    n = tf.nn
    out = []
    for f in (n.elu, n.selu, n.softplus, n.sigmoid, n.tanh, n.relu, n.softmax, n.log_softmax, n.silu):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(f(x) ** 2)
            g = inner.gradient(y, x)
        out.append(outer.gradient(g, x))
    return out


def prog_sigmoid_cross_entropy(tf, np):
    """Stable at large logits; weighted form; errors."""
    z, l = tf.constant([1.0, 0.0, 1.0, 0.3]), tf.constant([-100.0, 50.0, 0.5, 0.0])
    f = tf.nn.sigmoid_cross_entropy_with_logits
    return [f(labels=z, logits=l), tf.nn.weighted_cross_entropy_with_logits(labels=z, logits=l, pos_weight=2.0), attempt(lambda: f(labels=z, logits=l[:2])), attempt(lambda: f(z), words=0), f(labels=[[1.0]], logits=[[2.0]])]


def prog_softmax_cross_entropy(tf, np):
    """Dense labels, axes, broadcasting, gradients stop or not at the labels."""
    labels, logits = tf.constant([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]]), tf.constant([[1.0, 2.0, 3.0], [-1.0, 100.0, 0.0]])
    f = tf.nn.softmax_cross_entropy_with_logits
    out = [f(labels, logits), f(tf.transpose(labels), tf.transpose(logits), axis=0), f([0.0, 1.0], [3.0, 4.0]), f(labels[None], logits[None]), attempt(lambda: f(labels, logits[:, :2]))]
    with tf.GradientTape() as tape:
        tape.watch([labels, logits])
        y = f(labels, logits)
    return [out, tape.gradient(y, [labels, logits])]


def prog_sparse_softmax_cross_entropy(tf, np):
    """Class numbers; label out of range; ranks; gradient."""
    logits = tf.constant([[1.0, 2.0, 3.0], [-1.0, 100.0, 0.0]])
    f = tf.nn.sparse_softmax_cross_entropy_with_logits
    out = [f([2, 0], logits), f(tf.constant([1, 1], tf.int64), logits), f(1, [1.0, 2.0]), f([[0, 1]], logits[None]), attempt(lambda: f([3, 0], logits)), attempt(lambda: f([0], logits)), attempt(lambda: f([[0], [1]], logits)), attempt(lambda: f([0.0, 1.0], logits), words=0)]
    with tf.GradientTape() as tape:
        tape.watch(logits)
        y = f([2, 0], logits)
    return [out, tape.gradient(y, logits)]


def prog_other_losses(tf, np):
    """l2_loss, log_poisson_loss, nce-free losses."""
    return [tf.nn.l2_loss([3.0, 4.0]), tf.nn.log_poisson_loss([1.0, 2.0], [0.5, 0.1]), tf.nn.log_poisson_loss([1.0, 2.0], [0.5, 0.1], compute_full_loss=True), tf.nn.l2_loss(tf.constant([[1.0, 2.0]], tf.float64)), attempt(lambda: tf.nn.l2_loss([1]), words=0)]


def prog_bias_add(tf, np):
    """Channel positions and errors."""
    x = tf.zeros([1, 2, 2, 3])
    return [tf.nn.bias_add(x, [1.0, 2.0, 3.0]), tf.nn.bias_add(tf.zeros([1, 3, 2]), [1.0, 2.0, 3.0], data_format="NC..."), tf.nn.bias_add([[1, 2]], [10, 20]), attempt(lambda: tf.nn.bias_add(x, [1.0])), attempt(lambda: tf.nn.bias_add(x, [1.0, 2.0, 3.0], data_format="bad")), attempt(lambda: tf.nn.bias_add([1.0], [1.0]))]


def prog_bias_add_gradient(tf, np):
    """The bias gets the sum over all other dimensions."""
    x, b = tf.ones([2, 2, 3]), tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch([x, b])
        y = tf.nn.bias_add(x, b) * [1.0, 2.0, 3.0]
    return tape.gradient(y, [x, b])


def prog_xw_plus_b_and_friends(tf, np):
    """A dense layer by hand, scale_regularization_loss."""
    x, w, b = tf.constant([[1.0, 2.0]]), tf.constant([[1.0, -1.0, 0.5], [2.0, 0.0, 1.0]]), tf.constant([0.1, 0.2, 0.3])
    return [tf.nn.relu(x @ w + b), tf.nn.softmax(tf.matmul(x, w) + b), tf.nn.bias_add(tf.matmul(x, w), b), tf.nn.scale_regularization_loss(3.0)]


def prog_activation_names_in_graph(tf, np):
    """Node names of nn functions."""
    with tf.Graph().as_default() as g:
        x = tf.zeros([2, 3], name="x")
        for f in (tf.nn.relu, tf.nn.softmax, tf.nn.elu, tf.nn.leaky_relu, tf.nn.softplus, tf.nn.log_softmax, tf.nn.tanh, tf.nn.sigmoid, tf.nn.gelu, tf.nn.silu):
            f(x)
        tf.nn.bias_add(x, [1.0, 2.0, 3.0])
        tf.nn.softmax_cross_entropy_with_logits(x, x)
        tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1], x)
        tf.nn.sigmoid_cross_entropy_with_logits(x, x)
        return [f"{o.name} {o.type}" for o in g.get_operations()]
