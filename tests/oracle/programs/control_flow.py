"""tf.cond, tf.case, tf.switch_case, tf.while_loop, eager and in functions."""

# ruff: noqa: PIE807 (programs write what users write)
from __future__ import annotations

from tests.oracle.support import attempt, nodes


def _both(tf, f, *args):
    """Runs f eagerly and as a function."""
    return [attempt(lambda: f(*args), words=6), attempt(lambda: tf.function(f, autograph=False)(*args), words=6)]


def prog_cond_values(tf, np):
    """Predicates as tensors, Python bools, numbers."""
    f = lambda p: tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2))
    return [_both(tf, f, tf.constant(True)), _both(tf, f, tf.constant(False)), attempt(lambda: f(True), words=4), attempt(lambda: f(1), words=4), attempt(lambda: f("a"), words=4), attempt(lambda: f(tf.constant([True, False])), words=4), attempt(lambda: f(np.bool_(True)), words=4), attempt(lambda: f(tf.constant(3)), words=4)]


def prog_cond_structures(tf, np):
    """Branches return lists, dicts, None, nothing."""
    x = tf.constant(5)
    fs = [
        lambda x: tf.cond(x > 3, lambda: (x, [x * 2]), lambda: (x, [x])),
        lambda x: tf.cond(x > 3, lambda: {"a": x, "b": 1.0}, lambda: {"a": -x, "b": 2.0}),
        lambda x: tf.cond(x > 3, lambda: None, lambda: None),
        lambda x: tf.cond(x > 3, lambda: x + 1, lambda: x - 1),
        lambda x: tf.cond(x > 3, lambda: [], lambda: []),
        lambda x: tf.cond(x > 3, lambda: 1, lambda: 2),
    ]
    return [_both(tf, f, x) for f in fs]


def prog_cond_branch_mismatch(tf, np):
    """Different structures and dtypes in the branches."""
    x = tf.constant(1)
    fs = [
        lambda x: tf.cond(x > 0, lambda: x, lambda: tf.cast(x, tf.float32)),
        lambda x: tf.cond(x > 0, lambda: [x], lambda: (x,)),
        lambda x: tf.cond(x > 0, lambda: x, lambda: None),
        lambda x: tf.cond(x > 0, lambda: {"a": x}, lambda: {"b": x}),
    ]
    return [_both(tf, f, x)[1] for f in fs]


def prog_cond_shapes(tf, np):
    """Branches of different shapes give unknown static dims."""
    shapes = []

    @tf.function(autograph=False)
    def f(p):
        y = tf.cond(p, lambda: tf.zeros([2, 3]), lambda: tf.zeros([4, 3]))
        z = tf.cond(p, lambda: tf.zeros([2]), lambda: tf.zeros([2, 2]))
        shapes.extend([y.shape, z.shape])
        return y, z

    return [f(tf.constant(True)), f(tf.constant(False)), shapes]


def prog_cond_errors(tf, np):
    """Non-callables."""
    t = tf.constant(True)
    return [attempt(lambda: tf.cond(t, 1, lambda: 2), words=3), attempt(lambda: tf.cond(t, lambda: 1), words=3), attempt(lambda: tf.cond(t), words=3), attempt(lambda: tf.cond(t, lambda x: 1, lambda: 2), words=0)]


def prog_cond_both_traced(tf, np):
    """In a graph both branches trace, one runs."""
    log, v = [], tf.Variable(0)

    @tf.function(autograph=False)
    def f(p):
        def yes():
            log.append("yes")
            return v.assign_add(1)

        def no():
            log.append("no")
            return v.assign_sub(10)

        return tf.cond(p, yes, no)

    return [f(tf.constant(True)), f(tf.constant(False)), log, v]


def prog_cond_static_predicate(tf, np):
    """A constant predicate in a function."""
    log = []

    @tf.function(autograph=False)
    def f(x):
        y = tf.cond(tf.constant(True), lambda: (log.append("t"), x)[1], lambda: (log.append("f"), -x)[1])
        return y, y.op.type

    return [attempt(lambda: f(tf.constant(1)), words=0), log]


def prog_cond_nodes(tf, np):
    """The graph of a function with a cond."""

    @tf.function(autograph=False)
    def f(x, y):
        return tf.cond(tf.reduce_sum(x) > 0.0, lambda: x + y, lambda: x * y)

    return nodes(f.get_concrete_function(tf.TensorSpec([None]), tf.TensorSpec([])).graph)


def prog_cond_nodes_stateful(tf, np):
    """A branch with effects makes If instead of StatelessIf."""
    v = tf.Variable(1.0)

    @tf.function(autograph=False)
    def f(x):
        return tf.cond(x > 0.0, lambda: v.assign(x), lambda: v.assign_add(1.0), name="mine")

    return [(o.name, o.type) for o in f.get_concrete_function(tf.TensorSpec([])).graph.get_operations()]


def prog_cond_gradients(tf, np):
    """Gradients through the branch taken."""
    w = tf.Variable(3.0)

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(x > 0.0, lambda: x * x * w, lambda: x * 5.0)
        return [y] + tape.gradient(y, [x, w])

    return [_both(tf, f, tf.constant(2.0)), attempt(lambda: f(tf.constant(-2.0))), attempt(lambda: tf.function(f, autograph=False)(tf.constant(-2.0)))]


def prog_nested_conds(tf, np):
    """A cond in a cond."""

    def f(x):
        return tf.cond(x > 0, lambda: tf.cond(x > 10, lambda: x * 100, lambda: x * 10), lambda: tf.cond(x < -10, lambda: x - 100, lambda: x - 10))

    return [_both(tf, f, tf.constant(v)) for v in (20, 5, -5, -20)]


def prog_case(tf, np):
    """tf.case: first true wins, default, exclusive."""

    def f(x):
        return tf.case([(x > 10, lambda: tf.constant("big")), (x > 5, lambda: tf.constant("middle"))], default=lambda: tf.constant("small"))

    out = [_both(tf, f, tf.constant(v)) for v in (20, 7, 1)]
    t, n = tf.constant(True), tf.constant(False)
    return out + [attempt(lambda: tf.case([(t, lambda: 1), (t, lambda: 2)], exclusive=True), words=4), attempt(lambda: tf.case([(n, lambda: 1)]), words=4), attempt(lambda: tf.case([(n, lambda: 1), (t, lambda: 2)])), attempt(lambda: tf.case([1]), words=4), attempt(lambda: tf.case([]), words=4)]


def prog_switch_case(tf, np):
    """Index in and out of range, defaults, dicts."""

    def f(i):
        return tf.switch_case(i, [lambda: tf.constant(10), lambda: tf.constant(20), lambda: tf.constant(30)])

    def g(i):
        return tf.switch_case(i, {0: lambda: i, 1: lambda: i * 2}, default=lambda: tf.constant(-1))

    def gap(i):
        return tf.switch_case(i, {0: lambda: i, 5: lambda: i * 2})

    return [[_both(tf, f, tf.constant(v)) for v in (0, 2, 7, -1)], [_both(tf, g, tf.constant(v)) for v in (0, 1, 3)], attempt(lambda: gap(tf.constant(0)), words=4), attempt(lambda: tf.switch_case(tf.constant(0), []), words=3), attempt(lambda: tf.switch_case(tf.constant(0.5), [lambda: 1]), words=3), attempt(lambda: tf.switch_case(tf.constant(0), [1]), words=3)]


def prog_switch_case_nodes_and_gradient(tf, np):
    """The Case node and gradients of the branch."""

    @tf.function(autograph=False)
    def f(i, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.switch_case(i, [lambda: x, lambda: x * x, lambda: tf.exp(x)])
        return y, tape.gradient(y, x)

    types = sorted({o.type for o in f.get_concrete_function(tf.TensorSpec([], tf.int32), tf.TensorSpec([])).graph.get_operations() if "Case" in o.type})
    return [[f(tf.constant(i), tf.constant(2.0)) for i in (0, 1, 2)], types]


def prog_while_loop_values(tf, np):
    """Counting, accumulating, several variables."""

    def f(n):
        return tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), [tf.constant(0), tf.constant(0)])

    def g(n):
        return tf.while_loop(lambda i: i < n, lambda i: [i + 3], [tf.constant(0)])

    def h(n):
        return tf.while_loop(lambda i: i < n, lambda i: i * 2, [tf.constant(1)])

    return [_both(tf, f, tf.constant(5)), _both(tf, f, tf.constant(0)), _both(tf, g, tf.constant(7)), _both(tf, h, tf.constant(100))]


def prog_while_loop_structures(tf, np):
    """Loop variables in dicts, tuples, nests."""

    def f(n):
        return tf.while_loop(lambda i, d: i < n, lambda i, d: (i + 1, {"a": d["a"] * 2, "b": [d["b"][0] + 1.0]}), (tf.constant(0), {"a": tf.constant(1), "b": [tf.constant(0.5)]}))

    return _both(tf, f, tf.constant(3))


def prog_while_loop_maximum_iterations(tf, np):
    """maximum_iterations stops early."""

    def f(n):
        return tf.while_loop(lambda i: True if False else i < n, lambda i: [i + 1], [tf.constant(0)], maximum_iterations=3)

    return [_both(tf, f, tf.constant(10)), _both(tf, f, tf.constant(2)), tf.while_loop(lambda i: i < 5, lambda i: [i + 1], [tf.constant(0)], maximum_iterations=tf.constant(2))]


def prog_while_loop_python_values(tf, np):
    """Python numbers as loop variables."""

    def f(n):
        return tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, x * 1.5), [0, 1.0])

    return _both(tf, f, tf.constant(3))


def prog_while_loop_shape_invariants(tf, np):
    """Growing tensors need shape invariants in a graph."""

    def f(n):
        return tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, tf.concat([x, x], 0)), [tf.constant(0), tf.ones([1])], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])

    def g(n):
        return tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, tf.concat([x, x], 0)), [tf.constant(0), tf.ones([1])])

    return [_both(tf, f, tf.constant(3)), _both(tf, g, tf.constant(2))]


def prog_while_loop_errors(tf, np):
    """Dtype changes, structure changes, no variables, non-callables."""
    c = tf.constant
    fs = [
        lambda n: tf.while_loop(lambda i: i < n, lambda i: tf.cast(i, tf.float32), [c(0)]),
        lambda n: tf.while_loop(lambda i, j: i < n, lambda i, j: (i + 1,), [c(0), c(0)]),
        lambda n: tf.while_loop(1, lambda i: i, [c(0)]),
        lambda n: tf.while_loop(lambda i: i < n, 1, [c(0)]),
    ]
    return [attempt(lambda f=f: tf.function(f, autograph=False)(c(3)), words=4) for f in fs]


def prog_while_loop_captures(tf, np):
    """The body reads outer tensors and variables."""
    v = tf.Variable(2)

    def f(n):
        k = n * 10
        r = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + k + v), [tf.constant(0), tf.constant(0)])
        return r[1]

    return _both(tf, f, tf.constant(3))


def prog_while_loop_effects(tf, np):
    """Assigns inside the body happen every iteration."""
    v = tf.Variable(0)

    def f(n):
        def body(i):
            v.assign_add(i)
            return [i + 1]

        tf.while_loop(lambda i: i < n, body, [tf.constant(0)])
        return v.read_value()

    return _both(tf, f, tf.constant(4))


def prog_while_loop_nodes(tf, np):
    """The graph of a function with a loop."""

    @tf.function(autograph=False)
    def f(x, n):
        return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 2.0), [0, x])

    return nodes(f.get_concrete_function(tf.TensorSpec([2]), tf.TensorSpec([], tf.int32)).graph)


def prog_while_loop_gradients(tf, np):
    """Gradients through loops, with captures."""
    w = tf.Variable(1.5)

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x * w), [tf.constant(0), tf.constant(1.0)])
        return [y] + tape.gradient(y, [x, w])

    return _both(tf, f, tf.constant(2.0))


def prog_while_loop_gradient_dynamic_count(tf, np):
    """The number of iterations depends on data."""

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            (y,) = tf.while_loop(lambda y: y < 100.0, lambda y: [y * x], [x])
        return y, tape.gradient(y, x)

    return [tf.function(f, autograph=False)(tf.constant(v)) for v in (2.0, 3.0, 50.0)]


def prog_nested_while_loops(tf, np):
    """A multiplication table by two loops."""

    def f(n):
        def outer(i, s):
            _, s = tf.while_loop(lambda j, s: j < n, lambda j, s: (j + 1, s + i * j), [0, s])
            return i + 1, s

        return tf.while_loop(lambda i, s: i < n, outer, [0, 0])

    return _both(tf, f, tf.constant(4))


def prog_while_with_cond_inside(tf, np):
    """Collatz steps."""

    def f(n):
        def body(n, k):
            return tf.cond(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1), k + 1

        return tf.while_loop(lambda n, k: n > 1, body, [n, tf.constant(0)])

    return [_both(tf, f, tf.constant(v)) for v in (6, 27)]


def prog_while_loop_second_order(tf, np):
    """Second derivative through a loop."""

    @tf.function(autograph=False)
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])
            g = inner.gradient(y, x)
        return y, g, outer.gradient(g, x)

    return f(tf.constant(2.0))


def prog_loop_in_plain_graph(tf, np):
    """cond and while_loop in a tf.Graph keep static shapes."""
    with tf.Graph().as_default():
        x = tf.zeros([2, 3])
        y = tf.cond(tf.reduce_sum(x) > 0, lambda: x, lambda: x + 1)
        z = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2.0), [0, x])
        return [y.shape, y.dtype, z[1].shape, z[0].dtype]


def prog_parallel_iterations_and_swap(tf, np):
    """Tuning arguments do not change the result."""
    return [tf.while_loop(lambda i: i < 5, lambda i: [i + 1], [tf.constant(0)], parallel_iterations=p, swap_memory=True) for p in (1, 10)] + [attempt(lambda: tf.while_loop(lambda i: i < 5, lambda i: [i + 1], [0], parallel_iterations=0), words=3)]
