"""Lists that hold tensors of another dtype than is asked for, or of several dtypes."""

from __future__ import annotations

from tests.oracle.support import attempt

DTYPES = (None, "int32", "float32", "int64", "bool", "string", "complex64", "uint8")


def _tensors(tf):
    return {"i": tf.constant(3), "l": tf.constant(3, tf.int64), "f": tf.constant(2.0), "b": tf.constant(True), "v": tf.Variable(1), "h": tf.constant(1, tf.float16)}


def _shapes(tf):
    t = _tensors(tf)
    return {"il": [t["i"], t["l"]], "li": [t["l"], t["i"]], "f3": [t["f"], 3], "3i": [3, t["i"]], "l3": (t["l"], 3), "if": [t["i"], t["f"]], "i2.5": [t["i"], 2.5]}


def _every_shape(tf, call):
    return {key: attempt(lambda s=s: call(s), 20) for key, s in _shapes(tf).items()}


def _in_graphs(tf, call, keys=("il", "li", "f3", "3i", "l3", "if", "i2.5")):
    """What becomes of each list in a graph: the shape of the result and the operations, or the error."""

    def build(key):
        with tf.Graph().as_default() as graph:
            with tf.init_scope():
                pass
            tensors = {"i": tf.constant(3), "l": tf.constant(3, tf.int64), "f": tf.constant(2.0)}
            parts = {"il": "il", "li": "li", "f3": "f3", "3i": "3i", "l3": "l3", "if": "if"}.get(key)
            value = [tensors["i"], 2.5] if parts is None else [tensors.get(part, 3) for part in parts]
            before = len(graph.get_operations())
            result = call(value)
            return result.shape, result.dtype, [(o.name, o.type) for o in graph.get_operations()[before:]]

    return {key: attempt(lambda key=key: build(key), 9) for key in keys}


def prog_one_tensor_and_a_number(tf, np):
    """Each tensor beside a number, in each dtype."""
    return {f"{n} {d}": attempt(lambda t=t, d=d: tf.convert_to_tensor([t, 1], d), 9) for n, t in _tensors(tf).items() for d in DTYPES}


def prog_a_number_and_one_tensor(tf, np):
    """The other order."""
    return {f"{n} {d}": attempt(lambda t=t, d=d: tf.convert_to_tensor([1, t], d), 9) for n, t in _tensors(tf).items() for d in DTYPES}


def prog_two_tensors(tf, np):
    """Two tensors: of several dtypes they are refused unless another dtype is asked for."""
    t = _tensors(tf)
    return {f"{a}{b} {d}": attempt(lambda x=x, y=y, d=d: tf.convert_to_tensor([x, y], d), 20) for a, x in t.items() for b, y in t.items() for d in (None, "float32", "float64")}


def prog_hints(tf, np):
    """A hint casts where that is possible."""
    t = _tensors(tf)
    return {f"{a}{b}": attempt(lambda x=x, y=y: tf.convert_to_tensor([x, y], dtype_hint=tf.float32), 9) for a, x in t.items() for b, y in t.items()}


def prog_nested_lists(tf, np):
    """Lists in lists: the first tensor decides, lists of numbers are constants."""
    t = _tensors(tf)
    i, l, f, b = t["i"], t["l"], t["f"], t["b"]
    lists = [[[i, 2], [3, 4.0]], [[i], [2]], [[1, 2], [i, l]], [[i, l], [1, 2]], [[i, 2], [l, 1]], [[[1, f]], [[2, 3]]], [[[1, f]], [[l, 2]]], [[1, 2], [b, i]], [tf.ones(2), [1, 2]], [tf.ones(2, tf.int32), [1.0, 2]], [[i, 1], (2, l)]]
    return [[attempt(lambda x=x, d=d: tf.convert_to_tensor(x, d), 20) for d in (None, "int32", "float32", "int64")] for x in lists]


def prog_numpy_and_big_numbers(tf, np):
    """NumPy scalars and arrays, numbers that do not fit."""
    i, f = tf.constant(3), tf.constant(2.0)
    lists = [[i, np.float64(2)], [np.float64(2), i], [np.int64(2), f], [np.ones(2, "f4"), tf.ones(2)], [i, 2**40], [tf.constant(1, tf.uint8), 300], [i, "a"], [i, None]]
    return [[attempt(lambda x=x, d=d: tf.convert_to_tensor(x, d), 9) for d in (None, "int32", "float32", "int64")] for x in lists]


def prog_shapes_differ(tf, np):
    """Elements of several shapes."""
    return [attempt(lambda: tf.convert_to_tensor([tf.ones(2), tf.ones(3)]), 20), attempt(lambda: tf.convert_to_tensor([[tf.constant(1)], [1, 2]], tf.float32), 20)]


def prog_reshape(tf, np):
    """Shapes of reshape."""
    return _every_shape(tf, lambda s: tf.reshape(tf.zeros([9]), s))


def prog_zeros_and_ones(tf, np):
    """Shapes of zeros and ones are read as numbers."""
    return [_every_shape(tf, tf.zeros), _every_shape(tf, tf.ones)]


def prog_fill_and_broadcast(tf, np):
    """Shapes of fill and broadcast_to."""
    return [_every_shape(tf, lambda s: tf.fill(s, 1)), _every_shape(tf, lambda s: tf.broadcast_to(1.0, s))]


def prog_scatter_nd(tf, np):
    """The shape takes the dtype of the indices."""
    return [_every_shape(tf, lambda s, d=d: tf.scatter_nd(tf.constant([[0, 0]], d), [1.0], s)) for d in ("int32", "int64")]


def prog_pad_tile_roll(tf, np):
    """Paddings, multiples, shifts."""
    return [_every_shape(tf, lambda s: tf.pad(tf.zeros([2]), [s])), _every_shape(tf, lambda s: tf.tile([[1]], s))]


def prog_slices(tf, np):
    """Bounds of slices."""
    x = tf.reshape(tf.range(81), [9, 9])
    return [{k: v for k, v in _every_shape(tf, lambda s: tf.slice(x, s, [1, 1])).items() if k != "f3"}, _every_shape(tf, lambda s: tf.slice(x, [0, 0], s)), _every_shape(tf, lambda s: tf.strided_slice(x, [0, 0], s)), _every_shape(tf, lambda s: tf.strided_slice(x, s, [9, 9]))]


def prog_random_shapes(tf, np):
    """Shapes of random numbers."""
    return [_every_shape(tf, lambda s, f=f: f(s).shape) for f in (tf.random.uniform, tf.random.normal, lambda s: tf.random.stateless_uniform(s, [1, 2]))]


def prog_stacks(tf, np):
    """Stacks are named in the error."""
    return _every_shape(tf, tf.stack)


def prog_operands(tf, np):
    """Operands of operators and functions."""
    return [_every_shape(tf, f) for f in (lambda s: tf.add(s, [1, 2]), lambda s: tf.constant([1.0, 2.0]) + s, tf.reduce_sum, lambda s: tf.cast(s, tf.float32), tf.square, lambda s: tf.expand_dims(s, 0))]


def prog_graph_conversions(tf, np):
    """Casts in a graph, with their names."""
    return [_in_graphs(tf, lambda s, d=d: tf.convert_to_tensor(s, d, name=n)) for d, n in ((None, None), ("float32", None), ("int64", "q"), ("float64", "a/b"))]


def prog_graph_reshape(tf, np):
    """The first try leaves its operations behind."""
    return _in_graphs(tf, lambda s: tf.reshape(tf.zeros([s.shape[0] if hasattr(s, "shape") else 9]), s), ("il", "li", "3i", "l3", "if"))


def prog_graph_shapes(tf, np):
    """Shapes of zeros, fill, broadcast_to and scatter_nd in a graph."""
    calls = (tf.zeros, lambda s: tf.fill(s, 1.0), lambda s: tf.broadcast_to(1.0, s), lambda s: tf.scatter_nd(tf.constant([[0, 0]], tf.int64), [1.0], s), tf.stack)
    return [_in_graphs(tf, call) for call in calls]


def prog_graph_nested(tf, np):
    """Names of nested lists in a graph."""
    return [_in_graphs(tf, lambda s, d=d: tf.convert_to_tensor([[1, 2], s], d)) for d in (None, "float32")] + [_in_graphs(tf, lambda s: tf.convert_to_tensor([s, [1, 2]]))]


def prog_variables_in_functions(tf, np):
    """Variables in lists, cast while a function is traced."""
    v, f = tf.Variable(4), tf.constant(2.5)

    @tf.function
    def lists():
        return tf.convert_to_tensor([v, 1]), tf.convert_to_tensor([v, 1.5], tf.float32), tf.convert_to_tensor([v, f], tf.float64)

    return lists(), [(o.name, o.type) for o in lists.get_concrete_function().graph.get_operations()]
