"""Random numbers: the bits are a function of the seed, eager and in functions."""

from __future__ import annotations

from tests.oracle.support import attempt, same


def prog_stateless_uniform(tf, np):
    """Float dtypes, ranges, shapes, seeds of both int widths."""
    f = tf.random.stateless_uniform
    return [f([4], [1, 2]), f([2, 3], [1, 2]), f([4], [1, 2], dtype=tf.float64), f([4], [1, 2], dtype=tf.float16), f([4], [1, 2], dtype=tf.bfloat16), f([3], [0, 0], minval=-5.0, maxval=5.0), f([], seed=[7, -3]), f([2], tf.constant([2**40, 5], tf.int64)), f([0], [1, 2])]


def prog_stateless_uniform_ints(tf, np):
    """Integer ranges and full-range integers."""
    f = tf.random.stateless_uniform
    return [f([8], [1, 2], 0, 10, tf.int32), f([4], [3, 4], -100, 100, tf.int64), f([4], [1, 2], minval=None, maxval=None, dtype=tf.int32), f([4], [1, 2], minval=None, maxval=None, dtype=tf.uint64), f([4], [1, 2], minval=None, maxval=None, dtype=tf.int64), attempt(lambda: f([4], [1, 2], dtype=tf.int32)), attempt(lambda: f([2], [1, 2], 5, 5, tf.int32))]


def prog_stateless_normal(tf, np):
    """Normals of each float dtype, mean and stddev."""
    f = tf.random.stateless_normal
    return [f([5], [1, 2]), f([5], [1, 2], dtype=tf.float64), f([5], [1, 2], dtype=tf.float16), f([2, 2], [9, 9], mean=10.0, stddev=0.5), f([3], [1, 2], dtype=tf.bfloat16)]


def prog_stateless_truncated_normal(tf, np):
    """Within two standard deviations."""
    return [tf.random.stateless_truncated_normal([20], [1, 2]), tf.random.stateless_truncated_normal([3], [4, 5], 1.0, 2.0, tf.float64)]


def prog_stateless_other_distributions(tf, np):
    """gamma, poisson, binomial, categorical."""
    return [tf.random.stateless_categorical(tf.math.log([[0.1, 0.2, 0.7], [0.5, 0.5, 0.0]]), 6, [1, 2]), tf.random.stateless_gamma([3], [1, 2], alpha=2.0), tf.random.stateless_poisson([5], [1, 2], lam=3.0, dtype=tf.int32), tf.random.stateless_binomial([5], [1, 2], counts=10.0, probs=0.4), tf.random.stateless_parameterized_truncated_normal([3], [1, 2])]


def prog_stateless_seed_errors(tf, np):
    """Seeds must be two integers."""
    f = tf.random.stateless_uniform
    return [attempt(lambda: f([2], [1])), attempt(lambda: f([2], [1, 2, 3])), attempt(lambda: f([2], 5)), attempt(lambda: f([2], [1.0, 2.0]), words=0), attempt(lambda: f([-1], [1, 2]))]


def prog_stateless_in_function_equals_eager(tf, np):
    """The graph gives the same bits."""

    @tf.function(autograph=False)
    def f(seed):
        return tf.random.stateless_uniform([3], seed), tf.random.stateless_normal([3], seed), tf.random.stateless_uniform([3], seed, 0, 100, tf.int32)

    return f(tf.constant([5, 6]))


def prog_stateless_split_and_fold(tf, np):
    """split and fold_in make new seeds."""
    r = tf.random
    return [r.split([1, 2], 3), r.fold_in([1, 2], 7), r.fold_in([1, 2], tf.constant(8)), r.split(r.fold_in([3, 4], 1), 2), r.experimental.stateless_split([1, 2], 2), r.experimental.stateless_fold_in([1, 2], 3)]


def prog_stateless_shuffle(tf, np):
    """experimental.stateless_shuffle."""
    return [tf.random.experimental.stateless_shuffle(tf.range(8), [1, 2]), tf.random.experimental.stateless_shuffle([[1, 2], [3, 4], [5, 6]], [3, 4])]


def prog_stateless_algorithms(tf, np):
    """philox and auto_select."""
    return [tf.random.stateless_uniform([3], [1, 2], alg=a) for a in ("philox", "auto_select", tf.random.Algorithm.PHILOX)] + [attempt(lambda: tf.random.stateless_uniform([3], [1, 2], alg="no"))]


def prog_global_seed_eager(tf, np):
    """set_seed fixes the sequence of eager ops."""
    tf.random.set_seed(1)
    first = [tf.random.uniform([2]), tf.random.uniform([2]), tf.random.normal([2])]
    tf.random.set_seed(1)
    again = [tf.random.uniform([2]), tf.random.uniform([2])]
    tf.random.set_seed(1234)
    return [first, again, tf.random.uniform([3])]


def prog_global_and_op_seed_eager(tf, np):
    """An op seed alone, a global seed alone, and both."""
    tf.random.set_seed(5)
    a = [tf.random.uniform([1], seed=3), tf.random.uniform([1], seed=3), tf.random.uniform([1], seed=4)]
    tf.random.set_seed(5)
    b = [tf.random.uniform([1], seed=3), tf.random.normal([1], seed=3)]
    return [a, b]


def prog_uniform_forms(tf, np):
    """Ranges, ints, dtypes after one seed."""
    tf.random.set_seed(7)
    return [tf.random.uniform([2], 1.0, 5.0), tf.random.uniform([4], maxval=10, dtype=tf.int32), tf.random.uniform([2], -5, 5, tf.int64), tf.random.uniform([2], dtype=tf.float64), tf.random.uniform([2], dtype=tf.float16), tf.random.uniform([]), tf.random.uniform([3], [0, 10, 20], 30, tf.int32) if False else tf.random.uniform((1, 2)), attempt(lambda: tf.random.uniform([2], dtype=tf.int32)), attempt(lambda: tf.random.uniform([2], 5, 1, tf.int32)), attempt(lambda: tf.random.uniform([-2])), attempt(lambda: tf.random.uniform([2], dtype=tf.string), words=0)]


def prog_normal_forms(tf, np):
    """normal and truncated_normal after one seed."""
    tf.random.set_seed(7)
    return [tf.random.normal([3]), tf.random.normal([2], 10.0, 2.0), tf.random.normal([2], dtype=tf.float64), tf.random.truncated_normal([3]), tf.random.truncated_normal([2], 5.0, 0.1), tf.random.normal([2], [0.0, 100.0], 1.0), attempt(lambda: tf.random.normal([2], dtype=tf.int32), words=0)]


def prog_other_distributions(tf, np):
    """gamma, poisson, categorical, shuffle after one seed."""
    tf.random.set_seed(11)
    return [tf.random.shuffle(tf.range(6)), tf.random.categorical([[0.0, 1.0, 2.0]], 5), tf.random.gamma([2], 2.0), tf.random.poisson([3], 4.0), tf.random.shuffle([[1, 2], [3, 4], [5, 6]]), tf.random.categorical(tf.math.log([[0.5, 0.5]]), 3, dtype=tf.int32)]


def prog_function_seeds(tf, np):
    """In a function the op seed counts from the trace."""
    tf.random.set_seed(1)

    @tf.function(autograph=False)
    def f():
        return tf.random.uniform([2]), tf.random.uniform([2])

    first = [f(), f()]
    tf.random.set_seed(1)
    return [first, f()]


def prog_two_functions_same_seed(tf, np):
    """Two functions under one global seed restart their counters."""
    tf.random.set_seed(9)

    @tf.function(autograph=False)
    def f():
        return tf.random.normal([2])

    @tf.function(autograph=False)
    def g():
        return tf.random.normal([2])

    return [f(), g(), f(), g()]


def prog_op_seed_in_function(tf, np):
    """An op seed in a function."""
    tf.random.set_seed(3)

    @tf.function(autograph=False)
    def f(x):
        return x + tf.random.uniform([], seed=42)

    return [f(tf.constant(0.0)), f(tf.constant(0.0)), f(tf.constant(10.0))]


def prog_function_retrace_keeps_stream(tf, np):
    """A second trace starts its own counters."""
    tf.random.set_seed(2)

    @tf.function(autograph=False)
    def f(n):
        return tf.random.uniform([2], maxval=float(n))

    return [f(1), f(2), f(1), f(2)]


def prog_seed_attributes_in_graph(tf, np):
    """The seeds of the node in a graph."""
    out = []
    tf.random.set_seed(87)
    with tf.Graph().as_default():
        tf.random.set_seed(5)
        for x in (tf.random.uniform([1]), tf.random.normal([1]), tf.random.uniform([1], seed=9)):
            node = [o for o in x.graph.get_operations() if o.type.startswith("Random")][-1]
            out.append((node.name, node.type, node.get_attr("seed"), node.get_attr("seed2")))
    return out


def prog_generator_from_seed(tf, np):
    """Generator: state moves with each call."""
    g = tf.random.Generator.from_seed(1234)
    return [g.normal([2]), g.normal([2]), g.uniform([3]), g.uniform([3], 0, 10, tf.int32), g.state, g.key, g.algorithm, g.uniform_full_int([2]), g.truncated_normal([2]), g.binomial([2], 5.0, 0.5)]


def prog_generator_from_state(tf, np):
    """from_state, reset, reset_from_seed, reset_from_key_counter."""
    g = tf.random.Generator.from_state([1, 2, 3], alg="philox")
    a = g.uniform([2])
    g.reset_from_seed(5)
    b = g.uniform([2])
    g.reset([4, 5, 6])
    c = [g.uniform([2]), g.state]
    g.reset_from_key_counter(7, [1, 2])
    return [a, b, c, g.uniform([2]), attempt(lambda: tf.random.Generator.from_state([1, 2], alg="philox"), words=0)]


def prog_generator_split_and_skip(tf, np):
    """split makes independent generators; skip jumps ahead; make_seeds."""
    g = tf.random.Generator.from_seed(3)
    parts = g.split(2)
    h = tf.random.Generator.from_seed(3)
    h.skip(10)
    return [[p.normal([1]) for p in parts], h.state, h.normal([1]), tf.random.Generator.from_seed(3).make_seeds(2)]


def prog_generator_in_function(tf, np):
    """A captured generator moves on in a function."""
    g = tf.random.Generator.from_seed(1)

    @tf.function(autograph=False)
    def f():
        return g.normal([2])

    return [f(), f(), g.normal([2]), g.state]


def prog_global_generator(tf, np):
    """get and set the global generator."""
    tf.random.set_global_generator(tf.random.Generator.from_seed(42))
    g = tf.random.get_global_generator()
    return [g.uniform([2]), tf.random.get_global_generator().uniform([2]), tf.random.create_rng_state(1, "philox")]


def prog_random_shapes_and_dtypes(tf, np):
    """Shapes as tensors; results' shapes and dtypes without seeds."""
    n = tf.constant(2)
    return same(tf, tf.random.uniform([n, 3]), tf.random.normal(tf.constant([1, 2])), tf.random.uniform([n], maxval=5, dtype=tf.int64), tf.random.gamma([2], [1.0, 2.0]), tf.random.poisson([2], [[1.0], [2.0]]), tf.random.truncated_normal([0]))


def prog_random_static_shapes_in_function(tf, np):
    """Static shapes when the shape is dynamic."""
    out = []

    @tf.function(autograph=False)
    def f(n, x):
        forms = [tf.random.uniform([n, 3]), tf.random.normal(tf.shape(x)), tf.random.stateless_normal([n], [1, 2]), tf.random.shuffle(x), tf.random.categorical(x, 4), tf.random.uniform([2, 2])]
        out.extend(v.shape for v in forms)
        return n

    f.get_concrete_function(tf.TensorSpec([], tf.int32), tf.TensorSpec([None, 3]))
    return out


def prog_random_names_in_graph(tf, np):
    """The nodes of random functions."""
    with tf.Graph().as_default() as g:
        tf.random.uniform([2])
        tf.random.uniform([2], 1.0, 3.0, name="u")
        tf.random.normal([2])
        tf.random.uniform([2], maxval=5, dtype=tf.int32)
        tf.random.shuffle([1, 2])
        tf.random.truncated_normal([2])
        tf.random.stateless_uniform([2], [1, 2])
        return [f"{o.name} {o.type}" for o in g.get_operations()]


def prog_random_statistics(tf, np):
    """Coarse statistics of large samples."""
    tf.random.set_seed(0)
    u, n = tf.random.uniform([10000]), tf.random.normal([10000])
    return [tf.round(tf.reduce_mean(u) * 10), tf.reduce_min(u) >= 0, tf.reduce_max(u) < 1, tf.round(tf.math.reduce_std(n) * 10), tf.abs(tf.reduce_mean(n)) < 0.05]


def prog_initializers_by_seed(tf, np):
    """tf.random_normal_initializer and friends are deterministic in their seed."""
    return [tf.random_normal_initializer(seed=1)([2]), tf.random_uniform_initializer(-1.0, 1.0, seed=2)([3]), tf.zeros_initializer()([2]), tf.ones_initializer()([2], dtype=tf.int32), tf.constant_initializer(3.0)([2]), tf.constant_initializer([1, 2])([2], tf.int32)]
