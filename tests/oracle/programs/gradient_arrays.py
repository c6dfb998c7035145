"""Derivatives of first, second and third order through TensorArrays, maps, scans and folds."""

from __future__ import annotations

from tests.oracle.modes import ALL_MODES, UNCOMPILED, derivatives


def _x(tf):
    return tf.constant([0.5, -1.2, 2.0])


# --- TensorArray -----------------------------------------------------------------------------------------------------


@derivatives(2)
def array_written_and_stacked(tf, np):
    def f(x):
        ta = tf.TensorArray(tf.float32, 3)
        for i in range(3):
            ta = ta.write(i, x[i] * x)
        return ta.stack()

    return f, [_x(tf)]


@derivatives(2)
def array_unstacked_and_read(tf, np):
    def f(x):
        ta = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
        return ta.read(0) * ta.read(1) * ta.read(0)

    return f, [_x(tf)]


@derivatives(2)
def array_gathered(tf, np):
    def f(x):
        return tf.TensorArray(tf.float32, 3).unstack(x * x).gather([2, 0]) * x[0]

    return f, [_x(tf)]


@derivatives(2)
def array_gathered_with_repeats(tf, np):
    def f(x):
        ta = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x * x)
        return ta.gather([2, 0, 2]) * x

    return f, [_x(tf)]


@derivatives(2)
def array_scattered(tf, np):
    def f(x):
        return tf.TensorArray(tf.float32, 3).scatter([2, 0, 1], x**3).stack() * x

    return f, [_x(tf)]


@derivatives(2)
def array_split_and_concatenated(tf, np):
    def f(x):
        ta = tf.TensorArray(tf.float32, 2, infer_shape=False).split(x * x, [1, 2])
        return ta.concat() * x

    return f, [_x(tf)]


@derivatives(2, modes=ALL_MODES)
def array_in_a_loop(tf, np):
    def f(x):
        def body(i, ta, s):
            s = tf.tanh(s * x + tf.cast(i, tf.float32))
            return i + 1, ta.write(i, s), s

        return tf.while_loop(lambda i, *_: i < 4, body, (0, tf.TensorArray(tf.float32, 4), x))[1].stack()

    return f, [_x(tf)]


@derivatives(2)
def array_read_in_a_loop(tf, np):
    def f(x):
        ta = tf.TensorArray(tf.float32, 3).unstack(x)
        return tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * ta.read(i) + s), (0, tf.ones([])))[1]

    return f, [_x(tf)]


@derivatives(2)
def array_copied_in_a_loop(tf, np):
    def f(x):
        source = tf.TensorArray(tf.float32, 3).unstack(x * x)
        target = tf.TensorArray(tf.float32, 3)
        loop = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t.write(2 - i, source.read(i) * x)), (0, target))
        return loop[1].stack()

    return f, [_x(tf)]


@derivatives(2, modes=UNCOMPILED)
def array_of_dynamic_size(tf, np):
    def f(x):
        start = (0, tf.TensorArray(tf.float32, 0, dynamic_size=True), x)
        return tf.while_loop(lambda i, *_: i < 3, lambda i, t, s: (i + 1, t.write(i, s), s * x), start)[1].stack()

    return f, [_x(tf)]


@derivatives(2, modes=UNCOMPILED)
def array_with_gaps(tf, np):
    def f(x):
        ta = tf.TensorArray(tf.float32, 3, element_shape=[3])
        return ta.write(0, x * x).write(2, x**3).stack()

    return f, [_x(tf)]


@derivatives(2)
def array_in_nested_loops(tf, np):
    def f(x):
        def row(i):
            start = (0, tf.TensorArray(tf.float32, 3))
            return tf.while_loop(lambda j, t: j < 3, lambda j, t: (j + 1, t.write(j, x[i] * x[j])), start)[1].stack()

        start = (0, tf.TensorArray(tf.float32, 3))
        return tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t.write(i, row(i) * x)), start)[1].stack()

    return f, [_x(tf)]


# --- map_fn, scan, folds, vectorized_map -----------------------------------------------------------------------------


def _matrix(tf):
    return tf.constant([[0.5, -1.0], [1.5, 0.7], [-0.4, 2.0]])


@derivatives(3, modes=ALL_MODES)
def map_fn(tf, np):
    return lambda x: tf.map_fn(lambda row: tf.reduce_sum(row**4) * row[0], x), [_matrix(tf)]


@derivatives(2)
def map_fn_with_captures(tf, np):
    return lambda x, k: tf.map_fn(lambda row: tf.sin(row * k), x), [_matrix(tf), tf.constant([1.0, 2.0])]


@derivatives(2)
def map_fn_of_structures(tf, np):
    def f(x, y):
        signature = {"p": tf.float32, "q": tf.float32}
        return tf.map_fn(lambda e: {"p": e[0] * e[1], "q": tf.exp(e[1])}, (x, y), fn_output_signature=signature)

    return f, [_matrix(tf), tf.constant([0.1, 0.2, 0.3])]


@derivatives(2)
def map_fn_nested(tf, np):
    return lambda x: tf.map_fn(lambda row: tf.map_fn(lambda e: e**3, row) * row, x), [_matrix(tf)]


@derivatives(2)
def map_fn_over_indices(tf, np):
    def f(x):
        return tf.map_fn(lambda i: x[i] * x[2 - i], tf.range(3), fn_output_signature=tf.float32)

    return f, [_matrix(tf)]


@derivatives(3, modes=ALL_MODES)
def scan(tf, np):
    return lambda x: tf.scan(lambda a, e: a * e + a, x), [tf.constant([0.5, -1.2, 2.0, 0.7])]


@derivatives(2)
def scan_with_initializer(tf, np):
    def f(x, h):
        return tf.scan(lambda a, e: tf.tanh(a * 0.5 + e), x, initializer=h)

    return f, [_matrix(tf), tf.constant([0.3, -0.3])]


@derivatives(2)
def scan_reversed(tf, np):
    return lambda x: tf.scan(lambda a, e: tf.sin(a) * e, x, reverse=True), [_matrix(tf)]


@derivatives(2)
def scan_of_structures(tf, np):
    def f(x):
        return tf.scan(lambda a, e: (a[0] * e, a[1] + a[0]), x, initializer=(tf.ones([2]), tf.zeros([2])))

    return f, [_matrix(tf)]


@derivatives(2)
def scan_nested(tf, np):
    def f(x):
        return tf.scan(lambda a, row: tf.scan(lambda b, e: b * e + a[0], row), x)

    return f, [_matrix(tf)]


@derivatives(3)
def foldl(tf, np):
    return lambda x: tf.foldl(lambda a, e: a * e + e, x), [tf.constant([0.5, -1.2, 2.0, 0.7])]


@derivatives(2)
def foldl_with_initializer(tf, np):
    return lambda x, h: tf.foldl(lambda a, e: tf.cos(a * e), x, initializer=h), [_matrix(tf), tf.constant([0.3, 2.0])]


@derivatives(2)
def foldr(tf, np):
    return lambda x: tf.foldr(lambda a, e: a * e - tf.sin(e), x), [_matrix(tf)]


@derivatives(3)
def vectorized_map(tf, np):
    return lambda x: tf.vectorized_map(lambda row: tf.reduce_sum(row**4) * row, x), [_matrix(tf)]


@derivatives(2, modes=ALL_MODES)
def vectorized_map_with_captures(tf, np):
    def f(x, w):
        return tf.vectorized_map(lambda row: tf.linalg.matvec(w, tf.tanh(row)), x)

    return f, [_matrix(tf), tf.constant([[1.0, 2.0], [0.5, -0.7]])]


@derivatives(2)
def vectorized_map_of_gradients(tf, np):
    """Per-example gradients, differentiated."""

    def f(x, w):
        def one(row):
            with tf.GradientTape() as tape:
                tape.watch(w)
                loss = tf.reduce_sum(tf.sin(row * w)) ** 2
            return tape.gradient(loss, w)

        return tf.vectorized_map(one, x)

    return f, [_matrix(tf), tf.constant([1.0, 0.5])]


@derivatives(2)
def gradient_inside_map_fn(tf, np):
    def f(x):
        def one(row):
            with tf.GradientTape() as tape:
                tape.watch(row)
                y = tf.reduce_prod(row) * tf.reduce_sum(row**3)
            return tape.gradient(y, row)

        return tf.map_fn(one, x)

    return f, [_matrix(tf)]


@derivatives(2, modes=ALL_MODES)
def gradient_inside_while(tf, np):
    """Gradient descent unrolled in a loop: the derivative of a training run."""

    def f(w, rate):
        def body(i, w):
            with tf.GradientTape() as tape:
                tape.watch(w)
                loss = tf.reduce_sum(w**4 + w)
            return i + 1, w - rate * tape.gradient(loss, w)

        return tf.while_loop(lambda i, w: i < 3, body, (0, w))[1]

    return f, [tf.constant([0.5, -0.3]), tf.constant(0.1)]
