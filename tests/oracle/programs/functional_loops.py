"""`tf.map_fn`, `tf.foldl`, `tf.foldr`, `tf.scan`, and the details of `tf.while_loop`."""

from __future__ import annotations

from typing import Any

from tests.oracle.programs._list_helpers import both, outcome
from tests.oracle.support import nodes


def _traced(tf: Any, call: Any, *arguments: Any) -> Any:
    """The nodes of a function's graph and the static shapes of its results."""
    concrete = tf.function(call, autograph=False).get_concrete_function(*arguments)
    return nodes(concrete.graph), [t.shape for t in tf.nest.flatten(concrete.structured_outputs)]


def _matrix(tf: Any) -> Any:
    return tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def prog_map(tf: Any, np: Any) -> Any:
    return both(tf, lambda: tf.map_fn(lambda e: e * 2.0, _matrix(tf)))


def prog_map_signatures(tf: Any, np: Any) -> Any:
    x = _matrix(tf)
    return [
        both(tf, lambda: tf.map_fn(lambda e: tf.cast(e, tf.int32), x, fn_output_signature=tf.int32)),
        both(tf, lambda: tf.map_fn(lambda e: tf.cast(e, tf.int32), x, dtype=tf.int32)),
        both(tf, lambda: tf.map_fn(lambda e: (e, e[0]), x, fn_output_signature=(tf.float32, tf.float32))),
        both(tf, lambda: tf.map_fn(lambda e: e, x, fn_output_signature=tf.TensorSpec([2]))),
        both(tf, lambda: tf.map_fn(lambda e: e, x, fn_output_signature=tf.TensorSpec([3]))),
        both(tf, lambda: tf.map_fn(lambda e: 1.0, x)),
    ]


def prog_map_structures(tf: Any, np: Any) -> Any:
    x = _matrix(tf)
    return [
        both(
            tf,
            lambda: tf.map_fn(lambda e: {"s": e["a"] + e["b"]}, {"a": x, "b": x}, fn_output_signature={"s": x.dtype}),
        ),
        both(tf, lambda: tf.map_fn(lambda e: [e[1], e[0]], [x, x * 2.0])),
        both(tf, lambda: tf.map_fn(lambda e: e[0], [x], fn_output_signature=tf.float32)),
        both(tf, lambda: tf.map_fn(lambda e: (e[0], (e[1][0], e[1][1])), (x, (x, x)))),
        both(
            tf,
            lambda: tf.map_fn(
                lambda e: e[0] + e[1], (np.array([1, 2]), np.array([3, 4])), fn_output_signature=tf.int64
            ),
        ),
    ]


def prog_map_refusals(tf: Any, np: Any) -> Any:
    x = _matrix(tf)
    return [
        both(tf, lambda: tf.map_fn(lambda e: e, tf.constant(3.0))),
        both(tf, lambda: tf.map_fn(lambda e: e, [1, 2, 3])),
        both(tf, lambda: tf.map_fn(lambda e: e, [])),
        both(tf, lambda: tf.map_fn(lambda e: e[0], (x, x[:2]), fn_output_signature=tf.float32)),
        both(tf, lambda: tf.map_fn(lambda e: tf.cast(e, tf.int32), x)),
        both(tf, lambda: tf.map_fn(lambda e: (e, e), x), 9),
        both(tf, lambda: tf.map_fn(3, x), 5),
        both(tf, lambda: tf.map_fn(lambda e: tf.range(e), tf.constant([2, 3]))),
    ]


def prog_map_lengths(tf: Any, np: Any) -> Any:
    return [
        both(tf, lambda: tf.map_fn(lambda n: tf.range(n), tf.constant([2, 2]))),
        both(tf, lambda: tf.map_fn(lambda n: tf.range(n), tf.constant([2, 2]), infer_shape=False)),
        both(tf, lambda: tf.map_fn(lambda e: e * 2.0, tf.zeros([0, 2]))),
        both(tf, lambda: tf.map_fn(lambda e: e * 2.0, tf.zeros([0, 2]), fn_output_signature=tf.TensorSpec([2]))),
        both(tf, lambda: tf.map_fn(lambda e: e, _matrix(tf), parallel_iterations=0)),
        both(tf, lambda: tf.map_fn(lambda e: e, _matrix(tf), back_prop=False, swap_memory=True, name="m")),
    ]


def prog_map_dtypes(tf: Any, np: Any) -> Any:
    return [
        both(tf, lambda: tf.map_fn(lambda s: s + "x", tf.constant(["a", "b"]))),
        both(tf, lambda: tf.map_fn(lambda b: tf.logical_not(b), tf.constant([True, False]))),
        both(tf, lambda: tf.map_fn(lambda c: c * 1j, tf.constant([1 + 2j, 3j]))),
    ]


def prog_map_unknown_rows(tf: Any, np: Any) -> Any:
    f = tf.function(
        lambda x: tf.map_fn(lambda e: e * 2.0, x), autograph=False, input_signature=[tf.TensorSpec([None, 2])]
    )
    return [f(_matrix(tf)), f(tf.zeros([0, 2])), f.get_concrete_function().structured_outputs.shape]


def prog_map_unknown_rank(tf: Any, np: Any) -> Any:
    f = tf.function(lambda x: tf.map_fn(lambda e: e * 2.0, x), autograph=False, input_signature=[tf.TensorSpec(None)])
    return [f(_matrix(tf)), f(tf.constant([1.0, 2.0])), f.get_concrete_function().structured_outputs.shape]


def prog_map_nested(tf: Any, np: Any) -> Any:
    return both(tf, lambda: tf.map_fn(lambda row: tf.map_fn(lambda e: e * e, row), _matrix(tf)))


def prog_map_captures(tf: Any, np: Any) -> Any:
    v = tf.Variable(2.0)

    @tf.function(autograph=False)
    def f(x: Any, k: Any) -> Any:
        return tf.map_fn(lambda e: e * v + k, x)

    x, k = _matrix(tf), tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch([x, k])
        y = f(x, k)
    return y, tape.gradient(y, [x, k, v])


def prog_map_gradient(tf: Any, np: Any) -> Any:
    found = []
    for run in (lambda f: f, lambda f: tf.function(f, autograph=False)):
        x = _matrix(tf)
        f = run(lambda x: tf.map_fn(lambda e: tf.reduce_sum(e**3), x))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        found.append([y, tape.gradient(y, x)])
    return found


def prog_map_second_order(tf: Any, np: Any) -> Any:
    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        y = tf.reduce_sum(tf.map_fn(lambda e: e**3, x))
        first = tf.gradients(y, x)[0]
        return first, tf.gradients(first, x)[0]

    return f(tf.constant([1.0, 2.0]))


def prog_map_nodes(tf: Any, np: Any) -> Any:
    return _traced(tf, lambda x: tf.map_fn(lambda e: e * 2.0, x), tf.TensorSpec([3, 2]))


def prog_map_nodes_unknown(tf: Any, np: Any) -> Any:
    return _traced(tf, lambda x: tf.map_fn(lambda e: e * 2.0, x), tf.TensorSpec([None, 2]))


def prog_map_nodes_two(tf: Any, np: Any) -> Any:
    def f(x: Any, y: Any) -> Any:
        signature = (tf.float32, tf.int64)
        return tf.map_fn(lambda e: (e[0], tf.cast(e[1], tf.int64)), (x, y), fn_output_signature=signature, name="mm")

    return _traced(tf, f, tf.TensorSpec([3, 2]), tf.TensorSpec([3], tf.int32))


def prog_foldl(tf: Any, np: Any) -> Any:
    x = _matrix(tf)
    return [
        both(tf, lambda: tf.foldl(lambda a, e: a * 2.0 + e, x)),
        both(tf, lambda: tf.foldl(lambda a, e: a * 2.0 + tf.reduce_sum(e), x, initializer=1.0)),
        both(tf, lambda: tf.foldl(lambda a, e: a + e[0] * e[1], (x, x), initializer=tf.zeros([2]))),
        both(tf, lambda: tf.foldl(lambda a, e: (a[0] + e[0], a[1] - e[1]), (x, x))),
        both(tf, lambda: tf.foldl(lambda a, e: {"s": a["s"] + e}, x, initializer={"s": tf.zeros([2])})),
        both(tf, lambda: tf.foldl(lambda a, e: a + e, tf.zeros([0, 2]), initializer=tf.ones([2]))),
    ]


def prog_foldl_refusals(tf: Any, np: Any) -> Any:
    x = _matrix(tf)
    return [
        both(tf, lambda: tf.foldl(3, x), 5),
        both(tf, lambda: tf.foldl(lambda a, e: a + e, tf.constant(1.0)), 4),
        both(tf, lambda: tf.foldl(lambda a, e: a + e, tf.zeros([0, 2]))),
        both(tf, lambda: tf.foldl(lambda a, e: tf.concat([a, e], 0), x)),
        outcome(lambda: tf.function(lambda: tf.foldl(lambda a, e: tf.cast(a + e, tf.int32), x), autograph=False)(), 8),
    ]


def prog_foldr(tf: Any, np: Any) -> Any:
    x = _matrix(tf)
    return [
        both(tf, lambda: tf.foldr(lambda a, e: a * 2.0 + e, x)),
        both(tf, lambda: tf.foldr(lambda a, e: a * 2.0 + tf.reduce_sum(e), x, initializer=1.0)),
        both(tf, lambda: tf.foldr(lambda a, e: (a[0] + e, a[1] - e), x, initializer=(tf.zeros([2]), tf.ones([2])))),
        both(tf, lambda: tf.foldr(lambda a, e: a + e, tf.zeros([0, 2]))),
    ]


def prog_fold_gradients(tf: Any, np: Any) -> Any:
    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        y = tf.foldl(lambda a, e: a * e, x)
        z = tf.foldr(lambda a, e: a * e + a, x)
        return tf.gradients(y, x)[0], tf.gradients(z, x)[0]

    return f(tf.constant([2.0, 3.0, 4.0]))


def prog_foldl_nodes(tf: Any, np: Any) -> Any:
    return _traced(tf, lambda x: tf.foldl(lambda a, e: a + e, x), tf.TensorSpec([3, 2]))


def prog_foldl_nodes_initializer(tf: Any, np: Any) -> Any:
    def f(x: Any, a: Any) -> Any:
        return tf.foldl(lambda a, e: a + e, x, initializer=a, name="ff")

    return _traced(tf, f, tf.TensorSpec([None, 2]), tf.TensorSpec([2]))


def prog_foldr_nodes(tf: Any, np: Any) -> Any:
    return _traced(tf, lambda x: tf.foldr(lambda a, e: a + e, x), tf.TensorSpec([3, 2]))


def prog_foldr_nodes_unknown(tf: Any, np: Any) -> Any:
    return _traced(tf, lambda x: tf.foldr(lambda a, e: a + e, x), tf.TensorSpec([None, 2]))


def prog_scan(tf: Any, np: Any) -> Any:
    x = _matrix(tf)
    return [
        both(tf, lambda: tf.scan(lambda a, e: a * 2.0 + e, x)),
        both(tf, lambda: tf.scan(lambda a, e: a * 2.0 + e, x, reverse=True)),
        both(tf, lambda: tf.scan(lambda a, e: a + tf.reduce_sum(e), x, initializer=1.0)),
        both(tf, lambda: tf.scan(lambda a, e: a + tf.reduce_sum(e), x, initializer=1.0, reverse=True)),
        both(tf, lambda: tf.scan(lambda a, e: (a[0] + e[0], a[1] * e[1]), (x, x))),
        both(tf, lambda: tf.scan(lambda a, e: {"s": a["s"] + e[0] * e[1]}, (x, x), initializer={"s": tf.zeros([2])})),
        both(tf, lambda: tf.scan(lambda a, e: a + e, x, infer_shape=False)),
        both(tf, lambda: tf.scan(lambda a, e: a + e, tf.zeros([0, 2]), initializer=tf.ones([2]))),
    ]


def prog_scan_refusals(tf: Any, np: Any) -> Any:
    x = _matrix(tf)
    return [
        both(tf, lambda: tf.scan(3, x), 5),
        both(tf, lambda: tf.scan(lambda a, e: a + e, tf.constant(1.0)), 4),
        both(tf, lambda: tf.scan(lambda a, e: a + e, tf.zeros([0, 2]))),
        both(tf, lambda: tf.scan(lambda a, e: tf.concat([a, e], 0), x)),
        both(tf, lambda: tf.scan(lambda a, e: (a, a), x), 9),
        both(tf, lambda: tf.scan(lambda a, e: a + e[0], (x, x[:2]), initializer=tf.zeros([2]))),
    ]


def prog_scan_fibonacci(tf: Any, np: Any) -> Any:
    start = (np.array(1), np.array(0))
    return both(tf, lambda: tf.scan(lambda a, _: (a[0] + a[1], a[0]), np.zeros(6), initializer=start)[0])


def prog_scan_gradient(tf: Any, np: Any) -> Any:
    found = []
    for run in (lambda f: f, lambda f: tf.function(f, autograph=False)):
        x = tf.constant([2.0, 3.0, 4.0])
        f = run(lambda x: tf.scan(lambda a, e: a * e, x, reverse=True))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        found.append([y, tape.gradient(y, x)])
    return found


def prog_scan_unknown(tf: Any, np: Any) -> Any:
    f = tf.function(
        lambda x: tf.scan(lambda a, e: a + e, x), autograph=False, input_signature=[tf.TensorSpec([None, 2])]
    )
    return [f(_matrix(tf)), f.get_concrete_function().structured_outputs.shape]


def prog_scan_nodes(tf: Any, np: Any) -> Any:
    return _traced(tf, lambda x: tf.scan(lambda a, e: a + e, x), tf.TensorSpec([3, 2]))


def prog_scan_nodes_reverse(tf: Any, np: Any) -> Any:
    def f(x: Any, a: Any, b: Any) -> Any:
        return tf.scan(lambda a, e: (a[0] + e, a[1]), x, initializer=(a, b), reverse=True)

    return _traced(tf, f, tf.TensorSpec([3, 2]), tf.TensorSpec([2]), tf.TensorSpec([], tf.int32))


def prog_scan_nodes_unknown(tf: Any, np: Any) -> Any:
    return _traced(tf, lambda x: tf.scan(lambda a, e: a + e, x), tf.TensorSpec([None, 2]))


def prog_vectorized(tf: Any, np: Any) -> Any:
    x = _matrix(tf)

    def run(f: Any, elems: Any = x) -> Any:
        return both(tf, lambda: tf.vectorized_map(f, elems, warn=False))

    return [
        run(lambda e: e * 2.0 + 1.0),
        run(lambda e: (e[0] * 2.0 + 1.0, tf.reduce_sum(e[1])), (x, x)),
        run(lambda e: e[0] + e[1], (x, x[:1])),
        run(lambda d: {"s": d["a"] - d["b"]}, {"a": x, "b": x}),
        run(lambda e: None),
        run(lambda e: tf.constant(1.0)),
        run(lambda e: 1),
        run(lambda e: e * 2.0, tf.zeros([0, 2])),
        run(lambda e: tf.cond(e[0] > 2.0, lambda: e, lambda: -e)),
        run(lambda e: tf.while_loop(lambda a: tf.reduce_sum(a) < 10.0, lambda a: (a * 2.0,), (e,))[0]),
        run(lambda e: tf.matmul(e[None], tf.constant([[1.0, 2.0], [3.0, 4.0]]), transpose_b=True)),
        run(lambda e: e[0] * tf.ones([2, 2]) + e),
        run(lambda i: tf.gather([10.0, 20.0, 30.0], i), tf.constant([2, 0])),
        run(lambda e: tf.where(e > 2.0, e, 0.0)),
        run(lambda e: tf.argmax(e)),
        run(lambda e: tf.strings.as_string(e)),
    ]


def prog_vectorized_gradients(tf: Any, np: Any) -> Any:
    x, k, v = _matrix(tf), tf.constant([2.0, 3.0]), tf.Variable(2.0)

    def power(e: Any) -> Any:
        with tf.GradientTape() as inner:
            inner.watch(e)
            y = tf.reduce_sum(e**3)
        return inner.gradient(y, e)

    with tf.GradientTape() as tape:
        tape.watch([x, k])
        y = tf.vectorized_map(lambda e: tf.reduce_sum(e * k * k) * v, x)
    return [y, tape.gradient(y, [x, k, v]), both(tf, lambda: tf.vectorized_map(power, x))]


def prog_compiled(tf: Any, np: Any) -> Any:
    def jit(f: Any) -> Any:
        return tf.function(f, jit_compile=True, autograph=False)(tf.constant([1.0, 2.0, 3.0]))

    return [
        jit(lambda x: tf.map_fn(lambda e: e * e, x)),
        jit(lambda x: tf.gradients(tf.map_fn(lambda e: e * e, x), x)[0]),
        jit(lambda x: tf.scan(lambda a, e: a * e, x)),
        jit(lambda x: tf.gradients(tf.scan(lambda a, e: a * e, x), x)[0]),
        jit(lambda x: tf.foldl(lambda a, e: a * 2.0 - e, x)),
        jit(lambda x: tf.foldr(lambda a, e: a * 2.0 - e, x)),
        jit(lambda x: tf.map_fn(lambda e: tf.foldl(lambda a, b: a + b * e, x), x)),
    ]


def prog_maximum_iterations(tf: Any, np: Any) -> Any:
    def run(limit: Any) -> Any:
        return tf.while_loop(lambda i: i < 10, lambda i: (i + 1,), (tf.constant(0),), maximum_iterations=limit)

    limits = (3, 0, -1, None, tf.constant(4), True)
    found = [both(tf, lambda limit=limit: run(limit)) for limit in limits]
    return [*found, outcome(lambda: run(tf.constant([1]))), outcome(lambda: run(2.5))]


def prog_while_loop_v1(tf: Any, np: Any) -> Any:
    def run(same: Any) -> Any:
        return tf.compat.v1.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], return_same_structure=same)

    def graph(same: Any) -> Any:
        with tf.Graph().as_default() as g:
            found = run(same)
            return found, nodes(g)

    two = tf.compat.v1.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, j), (tf.constant(0), tf.constant(1)))
    inside = [tf.function(lambda same=same: run(same), autograph=False)() for same in (False, True)]
    return [run(False), outcome(lambda: run(True)), two, inside, graph(False), graph(True)]


def prog_while_loop_structures(tf: Any, np: Any) -> Any:
    def run(returned: Any) -> Any:
        return tf.while_loop(lambda i, _: i < 3, returned, (tf.constant(0), tf.constant(1)))

    return [
        both(tf, lambda: run(lambda i, j: (i + 1, j))),
        outcome(lambda: tf.function(lambda: run(lambda i, j: [i + 1, j]), autograph=False)()[0]),
        both(tf, lambda: run(lambda i, j: (i + 1, j, j)), 8),
        both(
            tf, lambda: tf.while_loop(lambda d: d["i"] < 3, lambda d: ({"i": d["i"] + 1},), ({"i": tf.constant(0)},))
        ),
    ]


def prog_compiled_arrays(tf: Any, np: Any) -> Any:
    def jit(f: Any, *arguments: Any) -> Any:
        return tf.function(f, jit_compile=True, autograph=False)(*arguments)

    def written(x: Any, n: Any) -> Any:
        ta = tf.TensorArray(tf.float32, n)
        return tf.while_loop(
            lambda i, _: i < n,
            lambda i, t: (i + 1, t.write(i, x * tf.cast(i, tf.float32))),
            (0, ta),
            maximum_iterations=n,
        )[1].stack()

    def array(x: Any) -> Any:
        return tf.TensorArray(tf.float32, 3).unstack(x)

    x = tf.constant([1.0, 2.0, 3.0])
    return [
        jit(lambda x: array(x).write(1, x[0] * 5.0).stack(), x),
        jit(lambda x: written(x, 3), x),
        jit(written, x, tf.constant(3)),
        jit(lambda x: tf.TensorArray(tf.float32, 3).write(1, x).stack(), x),
        jit(lambda x: tf.TensorArray(tf.float32, 3).unstack(x[:, None]).concat(), x),
        jit(lambda x: tf.TensorArray(tf.float32, 3).split(x, [1, 1, 1]).concat(), x),
        jit(lambda x: array(x).gather([2, 0]), x),
        jit(lambda x: tf.gradients(written(x * x, 3), x)[0], x),
        outcome(lambda: jit(lambda x: tf.TensorArray(tf.float32, 3).read(0), x), 4),
        outcome(lambda: jit(lambda x: tf.TensorArray(tf.float32, 3).stack(), x), 4),
    ]
