"""`tf.range` of floats: how many elements there are is decided in the dtype of the bounds."""

from __future__ import annotations

from tests.oracle.support import attempt

TRIPLES = [(0.1, 1.1, 0.1), (0, 1, 0.1), (0, 3, 0.3), (-1, 1, 0.2), (0, 10, 0.7), (1, 2, 1 / 3), (0, 0.9, 0.3), (2, -1, -0.3), (0.1, 8.5, 0.7), (-1, 72.5, 0.7), (0, -11.7, -0.3), (0.5, 1, 0.1)]


def _ranges(tf, dtype):
    return [tf.range(tf.constant(a, dtype), tf.constant(b, dtype), tf.constant(d, dtype)) for a, b, d in TRIPLES]


def _random_triples(np):
    random = np.random.RandomState(7)
    for _ in range(60):
        start, delta = random.choice([0.0, 0.1, -1.0, random.uniform(-3, 3)]), random.choice([0.1, 0.3, 0.7, 1 / 3, -0.1, random.uniform(0.01, 1)])
        yield float(start), float(start + delta * random.randint(0, 40)), float(delta)


def prog_float32(tf, np):
    """float32, eagerly."""
    return _ranges(tf, tf.float32)


def prog_float64(tf, np):
    """float64, eagerly."""
    return _ranges(tf, tf.float64)


def prog_float16(tf, np):
    """float16, eagerly: each step of the division is rounded to half precision."""
    return _ranges(tf, tf.float16)


def prog_bfloat16(tf, np):
    """bfloat16, eagerly."""
    return _ranges(tf, tf.bfloat16)


def prog_python_bounds(tf, np):
    """Python numbers, with and without a dtype; mixed with tensors."""
    return [tf.range(0.1, 1.1, 0.1), tf.range(0.1, 1.1, 0.1, dtype=tf.float64), tf.range(tf.constant(0.1, tf.float64), 1.1, 0.1), tf.range(3, 0, -0.3), tf.range(1.7)]


def prog_random_sizes(tf, np):
    """Many bounds, three dtypes: the sizes and the last elements."""
    found = []
    for start, limit, delta in _random_triples(np):
        for dtype in (tf.float32, tf.float64, tf.bfloat16):
            row = tf.range(tf.constant(start, dtype), tf.constant(limit, dtype), tf.constant(delta, dtype))
            found.append((row.shape[0], row[-1:]))
    return found


def prog_static_shapes(tf, np):
    """The shape that a graph knows."""
    with tf.Graph().as_default():
        return [_ranges(tf, dtype)[i].shape for dtype in (tf.float32, tf.float64, tf.bfloat16) for i in range(len(TRIPLES))]


def prog_in_a_function(tf, np):
    """Bounds that are arguments of a function: the size is found when the graph runs."""
    f = tf.function(lambda a, b, d: tf.range(a, b, d))
    return [[f(tf.constant(a, dtype), tf.constant(b, dtype), tf.constant(d, dtype)) for a, b, d in TRIPLES] for dtype in (tf.float32, tf.float64, tf.float16, tf.bfloat16)]


def prog_compiled_with_known_bounds(tf, np):
    """Compiled by XLA: the bounds must be known."""
    return [tf.function(lambda a=a, b=b, d=d: tf.range(a, b, d, dtype=tf.float32), jit_compile=True)() for a, b, d in TRIPLES[:4]]


def prog_integers(tf, np):
    """Bounds far apart do not overflow."""
    big = 2**31 - 1
    return [tf.range(-big - 1, big, 2**30), tf.range(tf.constant(2**63 - 1, tf.int64), -(2**63), -(2**62)), tf.range(5, 0, -2), tf.range(0, 7, 3)]


def prog_refusals(tf, np):
    """Bounds that contradict the step are shown with six digits; not-a-number contradicts any step."""
    inf, nan = float("inf"), float("nan")
    bad = [(0.1, -1, 0.1), (-0.1, 1.123456789, -0.3), (0, 1, 0.0), (nan, 1, 1), (0, nan, 1), (0, 1, nan), (0, inf, 1), (inf, inf, 1), (1234567, 1, 1), (1e10, -1e10, 1)]
    return [attempt(lambda a=a, b=b, d=d, t=t: tf.range(tf.constant(a, t), tf.constant(b, t), tf.constant(d, t))) for a, b, d in bad for t in (tf.float32, tf.float64)] + [tf.range(0.0, 1.0, inf)]


def prog_too_long(tf, np):
    """More elements than an int64 counts."""
    return [attempt(lambda: tf.range(tf.constant(-(2**63), tf.int64), 2**63 - 1)), attempt(lambda: tf.range(tf.constant(0, tf.float16), tf.constant(60000, tf.float16), tf.constant(0.001, tf.float16)))]


def prog_refusals_while_tracing(tf, np):
    """The same in a graph, where the shape rule refuses."""
    with tf.Graph().as_default():
        return [attempt(lambda a=a, b=b, d=d: tf.range(a, b, d)) for a, b, d in [(0.1, -1.0, 0.1), (-0.1, 1.123456789, -0.3), (0.0, 1.0, 0.0), (0.0, float("inf"), 1.0)]]


def prog_loop_over_a_float_range(tf, np):
    """AutoGraph's loop over such a range."""

    @tf.function
    def rounds():
        count, last = 0, 0.0
        for i in tf.range(0.1, 1.1, 0.1):
            count, last = count + 1, i
        return count, last

    return rounds()
