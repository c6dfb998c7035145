"""Elementwise functions of two or more tensors."""

from __future__ import annotations

from tests.oracle.support import attempt

NUMBERS = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128".split()


def prog_named_arithmetic(tf, np):
    """add, subtract, multiply, divide with lists and scalars."""
    return [tf.add([1, 2], [3, 4]), tf.subtract(5, [1, 2]), tf.multiply([1.5], 2), tf.divide([3, 4], 2), tf.divide(3, 4), tf.divide(6.0, 4), tf.truediv([1], [2]), tf.realdiv(1.0, 4.0), tf.math.floordiv(-7, 2), tf.math.mod(-7, 3), tf.math.floormod(7.5, 2.0)]


def prog_add_every_dtype(tf, np):
    """add and multiply of each dtype."""
    return [[tf.add(tf.constant([1, 2], d), tf.constant([3, 4], d)), tf.multiply(tf.constant([1, 2], d), tf.constant([3, 4], d))] for d in NUMBERS]


def prog_subtract_every_dtype(tf, np):
    """subtract and squared_difference of each dtype that has them."""
    return [tf.subtract(tf.constant([9, 5], d), tf.constant([3, 4], d)) for d in NUMBERS] + [tf.math.squared_difference(tf.constant([9, 5], d), tf.constant([3, 7], d)) for d in "int32 int64 float16 float32 float64 complex64".split()]


def prog_truediv_result_types(tf, np):
    """Integers divide into floats."""
    return [tf.truediv(tf.constant([7], d), tf.constant([2], d)) for d in "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 complex64".split()]


def prog_maximum_minimum(tf, np):
    """maximum and minimum with nan, lists, broadcasting, ints."""
    x = tf.constant([1.0, np.nan, 3.0])
    return [tf.maximum(x, 2.0), tf.minimum(x, 2.0), tf.maximum(0.0, [1, -1]), tf.minimum([[1], [5]], [3, 4]), tf.maximum(tf.constant([1], tf.int8), 0), attempt(lambda: tf.maximum(tf.constant([True]), True), words=0), attempt(lambda: tf.maximum([1j], [2j]), words=0), attempt(lambda: tf.maximum([1], [1.5]), words=0)]


def prog_pow_function(tf, np):
    """pow over dtypes and broadcasting."""
    return [tf.pow(2, 10), tf.pow([2.0, 3.0], [[1.0], [2.0]]), tf.pow(tf.constant([2], tf.int64), 3), tf.pow(tf.constant([1j, 2 + 1j]), 2), tf.pow(-2.0, 3.0), tf.pow(-2.0, 0.5), tf.pow(0.0, 0.0), tf.pow(tf.constant(2.0, tf.bfloat16), 0.5)]


def prog_atan2_hypot(tf, np):
    """atan2 in all quadrants."""
    y, x = [1.0, 1.0, -1.0, -1.0, 0.0, 0.0, -0.0], [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, -1.0]
    return [tf.atan2(tf.constant(y, d), tf.constant(x, d)) for d in ("float16", "float32", "float64")]


def prog_comparison_functions(tf, np):
    """less, greater, equal ... with broadcasting and strings."""
    x, y = tf.constant([[1], [2]]), tf.constant([1, 2])
    fs = (tf.less, tf.less_equal, tf.greater, tf.greater_equal, tf.equal, tf.not_equal)
    return [f(x, y) for f in fs] + [tf.equal("a", ["a", "b"]), tf.not_equal([True], [False]), tf.equal([1j], 1j), tf.equal(np.nan, np.nan), attempt(lambda: tf.less(1, 2.5)), attempt(lambda: tf.less("a", "b"), words=4)]


def prog_equal_incompatible_shapes(tf, np):
    """tf.equal, unlike ==, on incompatible shapes."""
    return [attempt(lambda: tf.equal([1, 2], [1, 2, 3])), attempt(lambda: tf.not_equal([1, 2], [1, 2, 3])), tf.equal([[1], [2]], [1, 2])]


def prog_squared_difference_broadcast(tf, np):
    """squared_difference broadcasts."""
    return [tf.math.squared_difference([[1.0], [4.0]], [1.0, 2.0]), tf.math.squared_difference([1 + 1j], [0j]), tf.math.squared_difference(3, 5)]


def prog_clip_by_value(tf, np):
    """Clipping to scalars, tensors, ints; swapped bounds."""
    x = tf.constant([-5.0, 0.5, 7.0])
    return [tf.clip_by_value(x, 0.0, 1.0), tf.clip_by_value([1, 5, 9], 2, 6), tf.clip_by_value(x, [0.0, 1.0, 2.0], 5.0), tf.clip_by_value(x, 2.0, 1.0), tf.clip_by_value(x, 0, 1), attempt(lambda: tf.clip_by_value(x, tf.zeros([2]), 1.0)), tf.clip_by_value(tf.zeros([0]), 0.0, 1.0), attempt(lambda: tf.clip_by_value([1, 2], 0.5, 1.5), words=0)]


def prog_clip_by_norm(tf, np):
    """clip_by_norm over all or some axes."""
    x = tf.constant([[3.0, 4.0], [0.3, 0.4]])
    return [tf.clip_by_norm(x, 1.0), tf.clip_by_norm(x, 1.0, axes=[1]), tf.clip_by_norm(x, 100.0), tf.clip_by_norm(tf.zeros([2]), 1.0), tf.clip_by_norm(x, 2.0, axes=0)]


def prog_clip_by_global_norm(tf, np):
    """clip_by_global_norm over lists with None, and global_norm."""
    a, b = tf.constant([3.0]), tf.constant([[4.0]])
    return [tf.clip_by_global_norm([a, b], 1.0), tf.clip_by_global_norm([a, None, b], 10.0), tf.linalg.global_norm([a, b]), tf.clip_by_global_norm([a, b], 1.0, use_norm=tf.constant(2.0)), attempt(lambda: tf.clip_by_global_norm(a, 1.0)), tf.clip_by_global_norm([tf.constant([np.inf])], 1.0)]


def prog_cross_and_dot(tf, np):
    """Cross products and tensordot of vectors."""
    return [tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), tf.linalg.cross([[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [1, 2, 3]]), tf.tensordot([1, 2], [3, 4], 1), attempt(lambda: tf.linalg.cross([1.0, 2.0], [1.0, 2.0]), words=3)]


def prog_binary_empty(tf, np):
    """Empty operands broadcast."""
    return [tf.zeros([0]) + tf.zeros([1]), tf.maximum(tf.zeros([2, 0]), tf.zeros([1, 1])), tf.equal(tf.zeros([0]), 1.0), tf.pow(tf.zeros([0, 3]), 2.0), attempt(lambda: tf.zeros([0]) + tf.zeros([2]))]


def prog_binary_names_in_graph(tf, np):
    """Default node names of the named functions."""
    fs = (tf.add, tf.subtract, tf.multiply, tf.divide, tf.truediv, tf.pow, tf.maximum, tf.minimum, tf.less, tf.greater_equal, tf.equal, tf.not_equal, tf.atan2, tf.math.floordiv, tf.math.floormod, tf.math.squared_difference, tf.math.divide_no_nan, tf.math.xlogy)
    with tf.Graph().as_default() as g:
        x, y = tf.constant([1.0], name="x"), tf.constant([2.0], name="y")
        return [[f(x, y).name for f in fs], [f(x, y, name="n").name for f in fs], [(o.name, o.type) for o in g.get_operations()]]


def prog_binary_constants_in_graph(tf, np):
    """A Python operand becomes a Const named after the op's argument."""
    with tf.Graph().as_default() as g:
        x = tf.constant([1.0], name="x")
        tf.greater(x, 0)
        attempt(lambda: tf.add(2, x))
        tf.add(2.0, x)
        x * 3
        tf.maximum(x, [4, 5])
        tf.pow(x, 2.0, name="squared")
        return [f"{o.name} {o.type} {[i.name for i in o.inputs]}" for o in g.get_operations()]


def prog_binary_static_shapes(tf, np):
    """Broadcast shapes with unknown dimensions."""
    out = []

    @tf.function(autograph=False)
    def f(a, b, c, d):
        out.extend((x + y).shape for x in (a, b, c, d) for y in (a, b, c, d))
        return a

    spec = tf.TensorSpec
    f.get_concrete_function(spec([None, 3]), spec([1, 3]), spec([None, None]), spec(None))
    return out


def prog_binary_gradients(tf, np):
    """Gradients with broadcasting on either side."""
    x, y = tf.constant([[1.0], [2.0]]), tf.constant([3.0, 4.0, 5.0])
    fs = (tf.add, tf.subtract, tf.multiply, tf.divide, tf.pow, tf.maximum, tf.minimum, tf.math.squared_difference, tf.atan2, tf.math.floormod, tf.math.divide_no_nan, tf.math.xlogy, tf.math.xdivy, tf.math.floordiv)
    out = []
    for f in fs:
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = f(x, y)
        out.append(tape.gradient(z, [x, y]))
    return out


def prog_gradient_of_maximum_ties(tf, np):
    """Equal operands: who gets the gradient."""
    x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 3.0, 2.0])
    out = []
    for f in (tf.maximum, tf.minimum):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = f(x, y)
        out.append(tape.gradient(z, [x, y]))
    return out


def prog_gradient_of_clip(tf, np):
    """clip_by_value passes gradients inside the bounds only."""
    x = tf.constant([-1.0, 0.0, 0.5, 1.0, 2.0])
    lo, hi = tf.constant(0.0), tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch([x, lo, hi])
        y = tf.clip_by_value(x, lo, hi)
    return tape.gradient(y, [x, lo, hi])


def prog_gradient_of_pow_special(tf, np):
    """pow at zero and at negative bases."""
    x, y = tf.constant([0.0, 0.0, -2.0, 4.0]), tf.constant([2.0, 0.0, 3.0, 0.5])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = x**y
    return [z, tape.gradient(z, [x, y])]


def prog_complex_gradients(tf, np):
    """Gradients of complex functions follow TensorFlow's convention."""
    z = tf.constant([1 + 2j, 3 - 1j], tf.complex64)
    out = []
    for f in (lambda v: v * v, tf.abs, tf.math.real, tf.math.conj, lambda v: v * tf.math.conj(v), tf.exp, lambda v: 1.0 / v):
        with tf.GradientTape() as tape:
            tape.watch(z)
            y = f(z)
        out.append(tape.gradient(y, z))
    return out


def prog_bitwise_functions(tf, np):
    """tf.bitwise on several integer dtypes."""
    out = []
    for d in "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split():
        x, y = tf.constant([12, 7, 1], d), tf.constant([10, 1, 3], d)
        b = tf.bitwise
        out.append([b.bitwise_and(x, y), b.bitwise_or(x, y), b.bitwise_xor(x, y), b.left_shift(x, y), b.right_shift(x, y), b.invert(x)])
    return out


def prog_name_argument_and_keywords(tf, np):
    """Keyword arguments have TensorFlow's names."""
    return [tf.add(x=1, y=2), tf.math.pow(x=2, y=3), tf.maximum(x=1, y=2, name="m"), tf.clip_by_value(t=[1.0], clip_value_min=0.0, clip_value_max=0.5), tf.less(x=1, y=2), attempt(lambda: tf.add(1), words=0), attempt(lambda: tf.add(1, 2, z=3), words=0), attempt(lambda: tf.exp(), words=0)]


def prog_mixed_python_types(tf, np):
    """Two Python values with no tensor among them."""
    return [tf.add(1, 2), tf.add(1.0, 2), attempt(lambda: tf.add(1, 2.0)), tf.multiply([1, 2], 3), attempt(lambda: tf.multiply([1, 2], 1.5)), tf.add("a", "b"), attempt(lambda: tf.add("a", 1)), tf.subtract(1, True) if False else tf.subtract(3, 1)]


def prog_is_strictly_increasing(tf, np):
    """is_non_decreasing and is_strictly_increasing."""
    rows = [[1, 2, 3], [1, 1, 2], [3, 2], [], [5], [[1, 2], [3, 4]]]
    return [[tf.math.is_non_decreasing(tf.constant(r, tf.int32)), tf.math.is_strictly_increasing(tf.constant(r, tf.int32))] for r in rows]


def prog_confusion_and_bincount(tf, np):
    """confusion_matrix, bincount, zero_fraction, in_top_k."""
    return [
        tf.math.confusion_matrix([1, 2, 4], [2, 2, 4]),
        tf.math.confusion_matrix([0, 1], [1, 1], num_classes=3, weights=[0.5, 2.0], dtype=tf.float32),
        tf.math.bincount([1, 1, 3]),
        tf.math.bincount([1, 1, 3], minlength=6),
        tf.math.bincount([1, 1, 3], maxlength=2),
        tf.math.bincount([0, 2], weights=[1.5, 2.5]),
        tf.math.zero_fraction([0.0, 1.0, 0.0, 2.0]),
        tf.math.in_top_k([1, 0], [[0.1, 0.9, 0.2], [0.5, 0.6, 0.1]], 1),
    ]
