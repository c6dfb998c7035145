"""Gradients inside, outside and through tf.function."""

from __future__ import annotations

from tests.oracle.programs._gradient_helpers import by_nested_tapes, value_and_gradient
from tests.oracle.support import Approx, attempt


def prog_tape_inside_function(tf, np):
    """The whole computation in one graph."""
    v = tf.Variable(3.0)

    @tf.function(autograph=False)
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = v * x * x
        return [y] + tape.gradient(y, [x, v])

    return f(tf.constant(2.0))


def prog_tape_outside_function(tf, np):
    """The tape sees through the call."""
    v = tf.Variable(1.0)
    add = tf.function(lambda a, b: a + b, autograph=False)
    with tf.GradientTape() as tape:
        y = add(v, 1.0)
    return [y, tape.gradient(y, v)]


def prog_tape_through_concrete_function(tf, np):
    """Calls of concrete functions are differentiable."""
    f = tf.function(lambda x: tf.sin(x) * x, autograph=False).get_concrete_function(tf.TensorSpec([None]))
    x = tf.constant([0.5, 1.5])
    return value_and_gradient(tf, f, x, x)


def prog_tape_across_several_calls(tf, np):
    """Two calls of one function under one tape."""
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tf.function(autograph=False)
    def layer(x):
        return tf.nn.tanh(x @ w)

    x = tf.constant([[0.1, -0.2]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(layer(x))
    return [y, tape.gradient(y, [x, w])]


def prog_second_order_through_function(tf, np):
    """Second derivatives across a call."""
    f = tf.function(lambda x: x**3 + tf.exp(x), autograph=False)
    x = tf.constant(1.0)
    return [*by_nested_tapes(tf, f, x)[1:]]


def prog_function_with_several_outputs(tf, np):
    """Outputs differentiable and not, used and unused."""

    @tf.function(autograph=False)
    def f(x):
        return x * 2.0, tf.cast(x, tf.int32), x * x, tf.constant(5.0)

    x = tf.constant([1.5, 2.5])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a, b, c, d = f(x)
        s = a + c
    return [tape.gradient(t, x) for t in (a, b, c, d, s)] + [b]


def prog_gradient_of_captured_tensor(tf, np):
    """Captured eager tensors get gradients."""
    c = tf.constant([1.0, 2.0])
    f = tf.function(lambda x: tf.reduce_sum(x * c), autograph=False)
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = f(tf.constant([3.0, 4.0]))
    return [y, tape.gradient(y, c)]


def prog_gradient_of_nested_functions(tf, np):
    """A function inside a function."""
    inner = tf.function(lambda x: x * x, autograph=False)
    outer = tf.function(lambda x: inner(x) + inner(x * 2.0), autograph=False)
    x = tf.constant(3.0)
    return value_and_gradient(tf, outer, x, x)


def prog_gradient_with_embedding(tf, np):
    """IndexedSlices cross the call boundary."""
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    @tf.function(autograph=False)
    def look(ids):
        return tf.nn.embedding_lookup(table, ids)

    with tf.GradientTape() as tape:
        y = look(tf.constant([2, 0, 2]))
    g = tape.gradient(y, table)

    @tf.function(autograph=False)
    def inside(ids):
        with tf.GradientTape() as t:
            y = tf.reduce_sum(tf.gather(table, ids))
        return t.gradient(y, table)

    h = inside(tf.constant([1, 1]))
    return [type(g).__name__, tf.convert_to_tensor(g), type(h).__name__, tf.convert_to_tensor(h)]


def prog_none_gradients_in_function(tf, np):
    """None results and unconnected zeros in a graph."""

    @tf.function(autograph=False)
    def f(x, y):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, y])
            z = x * 2.0
        return tape.gradient(z, y), tape.gradient(z, [x, y]), tape.gradient(z, y, unconnected_gradients="zero")

    return f(tf.constant(1.0), tf.constant([5.0, 6.0]))


def prog_unused_function_arguments(tf, np):
    """Arguments that do not matter: None or zeros."""
    f = tf.function(lambda x, y: x * 2.0, autograph=False)
    x, y = tf.constant(1.0), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        z = f(x, y)
    return [tape.gradient(z, [x, y]), tape.gradient(z, y, unconnected_gradients="zero")]


def prog_gradients_with_unknown_shapes(tf, np):
    """Broadcasting, reductions and reshapes of unknown shapes."""

    @tf.function(autograph=False, input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
    def f(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = tf.reduce_mean(x * y, axis=0) + tf.reduce_sum(tf.reshape(x, [-1])) - tf.reduce_max(y)
        return tape.gradient(z, [x, y])

    return [f(tf.ones([2, 3]), tf.constant([1.0, 2.0, 3.0])), f(tf.constant([[1.0], [2.0]]), tf.constant([[3.0, 4.0]]))]


def prog_matmul_gradient_unknown_shapes(tf, np):
    """matmul, concat, gather, transpose with unknown dims."""

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None, None])])
    def f(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            z = tf.concat([a @ b, tf.transpose(a @ b)], 0)
            w = tf.gather(z, [0, 1]) * tf.cast(tf.shape(z)[0], tf.float32)
        return tape.gradient(w, [a, b])

    return f(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[0.5, 1.0], [2.0, -1.0]]))


def prog_training_loop_in_function(tf, np):
    """Gradient descent on a quadratic."""
    w = tf.Variable([5.0, -3.0])

    @tf.function(autograph=False)
    def step(rate):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w * [1.0, 10.0])
        w.assign_sub(rate * tape.gradient(loss, w))
        return loss

    return [[step(tf.constant(0.02)) for _ in range(10)], w]


def prog_momentum_by_hand(tf, np):
    """Slots as variables of a class."""

    class Momentum:
        def __init__(self, variables):
            self.slots = [tf.Variable(tf.zeros_like(v)) for v in variables]

        def apply(self, grads, variables):
            for s, g, v in zip(self.slots, grads, variables):
                s.assign(0.9 * s + g)
                v.assign_sub(0.1 * s)

    v = [tf.Variable(1.0), tf.Variable([2.0, 3.0])]
    opt = Momentum(v)

    @tf.function(autograph=False)
    def step():
        with tf.GradientTape() as tape:
            loss = v[0] ** 2 + tf.reduce_sum(v[1] ** 2)
        opt.apply(tape.gradient(loss, v), v)
        return loss

    return [[step() for _ in range(5)], v, opt.slots]


def prog_jacobian_in_function(tf, np):
    """jacobian inside a function."""

    @tf.function(autograph=False)
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.stack([x[0] * x[1], x[0] + x[1], x[1] ** 2])
        return tape.jacobian(y, x)

    return f(tf.constant([2.0, 3.0]))


def prog_persistent_tape_in_function(tf, np):
    """Several gradient calls in one trace."""

    @tf.function(autograph=False)
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            z = y * y
        return tape.gradient(y, x), tape.gradient(z, x), tape.gradient(z, y)

    return f(tf.constant(3.0))


def prog_per_example_norms(tf, np):
    """Gradients by example in Python loops equal the batch sum."""
    w = tf.Variable([[1.0], [2.0]])
    xs = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    single = []
    for i in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((xs[i : i + 1] @ w) ** 2)
        single.append(tape.gradient(loss, w))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((xs @ w) ** 2)
    return [single, tape.gradient(loss, w), tf.add_n(single)]


def prog_softmax_classifier_step(tf, np):
    """Weights after three full steps of a two-layer network."""
    rng = np.random.RandomState(1)
    x = tf.constant(rng.randn(8, 4).astype(np.float32))
    t = tf.constant(rng.randint(0, 3, 8))
    w1, b1 = tf.Variable(rng.randn(4, 5).astype(np.float32)), tf.Variable(tf.zeros([5]))
    w2, b2 = tf.Variable(rng.randn(5, 3).astype(np.float32)), tf.Variable(tf.zeros([3]))
    variables = [w1, b1, w2, b2]

    @tf.function(autograph=False)
    def step():
        with tf.GradientTape() as tape:
            h = tf.nn.relu(x @ w1 + b1)
            logits = h @ w2 + b2
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=t, logits=logits))
        for v, g in zip(variables, tape.gradient(loss, variables)):
            v.assign_sub(0.1 * g)
        return loss, tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), t), tf.float32))

    return Approx([[step() for _ in range(3)], variables], 1e-4, 1e-5)


def prog_gradient_accumulation_with_cond(tf, np):
    """Accumulate, apply every second step."""
    v, acc, n = tf.Variable(10.0), tf.Variable(0.0), tf.Variable(0)

    @tf.function(autograph=False)
    def step(x):
        with tf.GradientTape() as tape:
            loss = (v - x) ** 2
        acc.assign_add(tape.gradient(loss, v))
        n.assign_add(1)

        def apply():
            v.assign_sub(0.1 * acc)
            acc.assign(0.0)
            return v.read_value()

        return tf.cond(n % 2 == 0, apply, lambda: v.read_value())

    return [step(tf.constant(float(i))) for i in range(4)] + [acc]


def prog_gradient_through_py_function(tf, np):
    """py_function inside a differentiated function."""

    @tf.function(autograph=False)
    def f(x):
        return tf.py_function(lambda v: v * v * v, [x], tf.float32)

    x = tf.constant(2.0)
    return value_and_gradient(tf, f, x, x)


def prog_gradient_error_for_missing_gradient(tf, np):
    """Ops without gradient raise LookupError in the sweep."""
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.nn.dilation2d(tf.reshape(x, [1, 1, 2, 1]), tf.zeros([1, 1, 1]), [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1])
        z = tf.math.nextafter(x, 5.0)
        w = tf.searchsorted([0.0, 1.5], x)
    return [attempt(lambda: tape.gradient(y, x), words=4), attempt(lambda: tape.gradient(z, x), words=4), attempt(lambda: tape.gradient(w, x), words=4)]


def prog_function_backward_graph_counts(tf, np):
    """Tracing counts stay the same with and without tapes."""
    count = [0]

    @tf.function(autograph=False)
    def f(x):
        count[0] += 1
        return x * x

    x = tf.constant(2.0)
    f(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return [count[0], tape.gradient(y, x), f(x), count[0]]


def prog_variables_watched_through_function(tf, np):
    """watched_variables after a call."""
    v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w", trainable=False)
    f = tf.function(lambda x: x * v * w, autograph=False)
    with tf.GradientTape() as tape:
        y = f(tf.constant(3.0))
    return [[u.name for u in tape.watched_variables()], tape.gradient(y, [v, w])]


def prog_gradient_of_assign_in_function(tf, np):
    """Reads after an assign inside a differentiated function."""
    v = tf.Variable(2.0)

    @tf.function(autograph=False)
    def f(x):
        y = v * x
        v.assign(5.0)
        return y + v * x

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return [y, tape.gradient(y, [x, v]), v]
