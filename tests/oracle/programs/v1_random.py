"""Random functions of `tf.compat.v1`: old names, seeds of graphs, bits."""

from __future__ import annotations

from tests.oracle.support import attempt, nodes


def prog_get_seed_eager(tf, np):
    """The two seeds of an op."""
    v1 = tf.compat.v1
    v1.set_random_seed(7)
    return [v1.get_seed(None), v1.get_seed(3), v1.get_seed(None), v1.random.get_seed(0), v1.random.get_seed(2**31 + 5)]


def prog_get_seed_in_a_graph(tf, np):
    """In a graph the number of operations is the second seed."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        found = [v1.get_seed(None), v1.get_seed(3)]
        v1.set_random_seed(7)
        found += [v1.get_seed(None), v1.get_seed(3)]
        tf.constant(1)
        found.append(v1.get_seed(None))
        v1.random.set_random_seed(0)
        return [*found, v1.get_seed(0)]


def prog_seeds_of_nodes(tf, np):
    """The seeds that ops keep as attributes."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        v1.random_uniform([2])
        v1.set_random_seed(7)
        v1.random_normal([2], seed=5)
        v1.truncated_normal([2])
        v1.multinomial([[0.5, 0.5]], 3, seed=1)
        v1.random_shuffle([1, 2, 3])
        v1.random_gamma([2], 1.0, seed=2)
        v1.random_poisson(1.0, [2])
        drawing = [op for op in graph.get_operations() if "seed2" in op.node_def.attr]
        return [[op.name, op.type, op.get_attr("seed"), op.get_attr("seed2")] for op in drawing], nodes(graph)


def prog_bits_eager(tf, np):
    """Numbers that follow from the seeds."""
    v1 = tf.compat.v1
    v1.set_random_seed(11)
    return [
        v1.random_uniform([3], 1.0, 2.0, seed=1),
        v1.random_uniform([3], maxval=100, dtype=tf.int32, seed=1),
        v1.random_normal([3], mean=1.0, stddev=2.0, seed=2),
        v1.truncated_normal([3], 0.0, 1.0, tf.float64, 3),
        v1.random_gamma([2], [1.0, 2.0], beta=3.0, seed=4),
        v1.random_poisson([1.0, 5.0], [3], seed=5),
        v1.random.poisson(lam=4.0, shape=[3], dtype=tf.int32, seed=5),
        v1.random_shuffle([1, 2, 3, 4], seed=6),
        v1.multinomial(tf.math.log([[0.2, 0.8]]), 6, 7, "draws", tf.int32),
        v1.random.multinomial(tf.math.log([[0.2, 0.8]]), num_samples=6, seed=7),
        v1.random.stateless_multinomial(tf.math.log([[0.2, 0.8]]), 6, [1, 2]),
        v1.random.stateless_multinomial(tf.math.log([[0.2, 0.8]]), 6, [1, 2], output_dtype=tf.int32),
    ]


def prog_refused(tf, np):
    """Arguments that no distribution takes."""
    v1 = tf.compat.v1
    return [
        attempt(lambda: v1.random_uniform([2], dtype=tf.int32)),
        attempt(lambda: v1.random_uniform([2], dtype=tf.complex64)),
        attempt(lambda: v1.multinomial([[0.5]], 2, output_dtype=tf.float32), words=0),
        attempt(lambda: v1.random_normal([2], dtype=tf.int32), words=0),
    ]


def prog_names_of_scopes(tf, np):
    """The scopes that draws make."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        v1.multinomial([[0.5, 0.5]], 3)
        v1.multinomial([[0.5, 0.5]], 3, name="draw")
        v1.random.stateless_multinomial([[0.5, 0.5]], 3, [1, 2])
        v1.random_poisson([1.0], [2])
        v1.random.poisson(1.0, [2], name="events")
        return nodes(graph)


def prog_same_functions(tf, np):
    """Names for one function."""
    v1 = tf.compat.v1
    return [
        v1.random_normal is v1.random.normal,
        v1.random_uniform is v1.random.uniform,
        v1.truncated_normal is v1.random.truncated_normal,
        v1.random_gamma is v1.random.gamma,
        v1.random_shuffle is v1.random.shuffle,
        v1.set_random_seed is v1.random.set_random_seed,
    ]
