"""tf.vectorized_map: ops of every family, conditionals and loops, structures, random numbers, what it refuses and logs."""

from __future__ import annotations

from tests.oracle.modes import in_modes
from tests.oracle.support import attempt, logged


def _x(np):
    return np.array([[0.5, 1.0, 2.0], [1.5, -0.7, 3.0], [4.0, 2.5, -1.0], [0.3, 0.2, 0.1]], np.float32)


def _square(tf, e):
    return tf.linalg.diag(tf.abs(e) + 1.0) + 0.1 * tf.tensordot(e, e, 0)


def _image(tf, e):
    return tf.reshape(tf.tensordot(e, tf.constant([[0.1, 0.4, -0.3]]), 0), [1, 3, 3, 1])


def _network(tf, e):
    with tf.GradientTape() as tape:
        tape.watch(e)
        y = tf.nn.softmax(tf.tanh(e[None] @ tf.constant([[0.1, 0.3], [0.2, -0.4], [0.5, 0.6]])))
    return tape.gradient(y[0, 0], e)


_FUNCTIONS = {
    "arithmetic": lambda tf, e: e * 2.0 - e[::-1] / 3.0,
    "comparison": lambda tf, e: (e > e[0], tf.where(e > 1.0, e, -e), tf.reduce_any(e < 0.0)),
    "reductions": lambda tf, e: (tf.reduce_sum(e), tf.reduce_max(e, keepdims=True), tf.norm(e), tf.argmax(e)),
    "shapes": lambda tf, e: (tf.shape(e), tf.size(e), tf.rank(e), tf.reshape(e, [3, -1]), e[:, None, None]),
    "joins": lambda tf, e: (tf.stack([e, e * 2.0], 1), tf.concat([e, [9.0]], 0), tf.split(e, [1, 2]), tf.unstack(e)),
    "padding": lambda tf, e: (tf.pad(e, [[1, 2]]), tf.tile(e, [2]), tf.roll(e, 1, 0), tf.reverse(e, [0])),
    "gather": lambda tf, e: (
        tf.gather(e, [2, 0]),
        tf.gather_nd(e, [[1]]),
        tf.gather([[1.0, 2.0], [3.0, 4.0]], [0], axis=1),
    ),
    "own_places": lambda tf, e: (
        tf.gather(e, tf.cast(e > 1.0, tf.int32)),
        tf.gather([5.0, 6.0, 7.0], tf.cast(e > 1.0, tf.int32)),
    ),
    "scatter": lambda tf, e: (
        tf.scatter_nd([[1], [3], [1]], e, [4]),
        tf.tensor_scatter_nd_add(tf.zeros([4]), [[1], [3], [1]], e),
        tf.math.unsorted_segment_sum(e, [0, 1, 0], 2),
    ),
    "cumulative": lambda tf, e: (tf.cumsum(e), tf.math.cumprod(e, reverse=True), tf.sort(e), tf.math.top_k(e, 2)),
    "products": lambda tf, e: (
        e[None] @ tf.ones([3, 2]),
        tf.einsum("i,j->ij", e, tf.constant([1.0, 2.0])),
        tf.tensordot(e, e, 1),
        tf.linalg.matvec(tf.ones([2, 3]), e),
    ),
    "linear_algebra": lambda tf, e: (
        tf.linalg.inv(_square(tf, e)),
        tf.linalg.cholesky(_square(tf, e)),
        tf.linalg.solve(_square(tf, e), e[:, None]),
        tf.linalg.det(_square(tf, e)),
        tf.linalg.diag_part(_square(tf, e)),
    ),
    "convolution": lambda tf, e: (
        tf.nn.conv2d(_image(tf, e), tf.ones([2, 2, 1, 3]), 1, "SAME"),
        tf.nn.max_pool2d(_image(tf, e), 2, 1, "VALID"),
        tf.nn.avg_pool2d(_image(tf, e), 2, 1, "VALID"),
    ),
    "activations": lambda tf, e: (tf.nn.softmax(e), tf.nn.relu(e), tf.nn.log_softmax(e), tf.nn.elu(e)),
    "losses": lambda tf, e: tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(e), e * 2.0),
    "casts": lambda tf, e: (
        tf.cast(e, tf.int32),
        tf.cast(e, tf.bool),
        tf.complex(e, -e),
        tf.one_hot(tf.cast(e, tf.int32), 3),
    ),
    "constants": lambda tf, e: (tf.constant(7), tf.zeros([2]), tf.range(3), 5, None),
    "gradient": _network,
    "cond": lambda tf, e: tf.cond(e[0] > 1.0, lambda: e * 2.0, lambda: -e),
    "cond_for_all": lambda tf, e: tf.cond(tf.reduce_sum(tf.ones([2])) > 1.0, lambda: e * 2.0, lambda: -e),
    "switch": lambda tf, e: tf.switch_case(tf.cast(e[0] > 1.0, tf.int32), [lambda: e, lambda: e * 3.0]),
    "while_of_its_own": lambda tf, e: tf.while_loop(
        lambda i, a: tf.reduce_sum(a) < 20.0, lambda i, a: (i + 1, tf.abs(a) * 2.0), (tf.constant(0), e)
    ),
    "while_for_all": lambda tf, e: tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, a * e), (tf.constant(0), tf.ones([3]))
    ),
    "function": lambda tf, e: tf.function(lambda z: tf.sin(z) * z, autograph=False)(e),
    "scan": lambda tf, e: tf.scan(lambda a, z: a * z + 1.0, e),
    "clip": lambda tf, e: (tf.clip_by_value(e, -0.5, e[0]), tf.clip_by_norm(e, 1.0)),
}


_LOOPED = ("scatter", "linear_algebra")
"""What TensorFlow does row by row, in part."""


def _add(name, function):
    def computation(tf, np):
        may_loop = name in _LOOPED
        run = lambda x: tf.vectorized_map(lambda e: function(tf, e), x, fallback_to_while_loop=may_loop, warn=False)
        return run, [tf.constant(_x(np))]

    computation.__name__ = name
    modes = ("eager", "graph") if name in (*_LOOPED, "switch", "cond", "while_of_its_own") else ()
    in_modes(*modes)(computation)


for _name, _function in _FUNCTIONS.items():
    _add(_name, _function)


@in_modes("eager", "graph")
def structures(tf, np):
    def f(x, y):
        found = tf.vectorized_map(lambda d: {"s": d["a"] - d["b"][0], "t": (d["a"], None)}, {"a": x, "b": [y]})
        pair = tf.vectorized_map(lambda p: p[0] * p[1], (x, y))
        return found, pair

    return f, [tf.constant(_x(np)), tf.constant(_x(np)[:1])]


@in_modes("eager", "graph")
def composites(tf, np):
    def f(x):
        return tf.vectorized_map(lambda e: tf.reduce_sum(tf.gather(e, [0, 2])), x), tf.vectorized_map(
            lambda e: e, x[:0]
        )

    return f, [tf.constant(_x(np))]


def prog_unknown_number_of_rows(tf, np):
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def f(x):
        found = tf.vectorized_map(lambda e: (tf.reduce_sum(e), tf.constant(1.0), tf.reshape(e, [-1, 1])), x)
        return found, [t.shape.as_list() for t in found]

    concrete = f.get_concrete_function()
    return f(tf.constant(_x(np)))[0], [t.shape for t in concrete.outputs[:2]]


def prog_gradients_through_it(tf, np):
    x, v = tf.constant(_x(np)), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.vectorized_map(lambda e: tf.reduce_sum(tf.sin(e) * v) * e[0], x)
    return tape.gradient(y, [x, v])


def prog_random_numbers(tf, np):
    x = tf.constant(_x(np))
    found = []
    for draw in (
        lambda e: tf.random.uniform([2]),
        lambda e: tf.random.normal([2]) + e[0],
        lambda e: tf.random.stateless_uniform([2], [1, 2]) + 0.0 * e[0],
        lambda e: tf.nn.dropout(e, 0.5),
        lambda e: tf.random.gamma([2], tf.abs(e)),
        lambda e: tf.random.categorical(e[None], 3),
    ):
        tf.random.set_seed(3)
        found.append(tf.vectorized_map(draw, x))
    return found


def prog_what_it_refuses(tf, np):
    x = tf.constant(_x(np))
    no_loop = lambda f: attempt(lambda: tf.vectorized_map(f, x, fallback_to_while_loop=False), words=0)
    return [
        no_loop(lambda e: tf.strings.as_string(e)),
        no_loop(lambda e: tf.unique(e)[0]),
        no_loop(lambda e: tf.random.shuffle(e)),
        no_loop(lambda e: tf.py_function(lambda z: z, [e], tf.float32)),
        attempt(lambda: tf.vectorized_map(lambda e: e, tf.constant(1.0)), words=4),
    ]


def prog_what_it_logs(tf, np):
    x = tf.constant(_x(np))

    def f():
        tf.vectorized_map(lambda e: tf.strings.length(tf.strings.as_string(e)), x)
        tf.vectorized_map(lambda e: tf.random.shuffle(e), x, warn=False)
        tf.vectorized_map(lambda e: tf.random.shuffle(e), x)

    return logged(tf, f, words=20)
