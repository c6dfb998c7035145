"""State and effects in tf.function: variables, lists, lifted initialisers, py_function, run_functions_eagerly, init_scope."""

from __future__ import annotations

from tests.oracle.support import Approx, attempt, printed


def prog_variable_created_each_call(tf, np):
    """Creating a variable on every call is refused."""

    @tf.function(autograph=False)
    def f(x):
        v = tf.Variable(1.0)
        return v + x

    return attempt(lambda: f(tf.constant(1.0)), words=10)


def prog_variable_created_once(tf, np):
    """On the first call only it is fine; the body is traced twice then."""
    state, traces = [], [0]

    @tf.function(autograph=False)
    def f(x):
        traces[0] += 1
        if not state:
            state.append(tf.Variable(2.0))
        return state[0] * x

    return [f(tf.constant(1.0)), f(tf.constant(2.0)), traces[0], f.experimental_get_tracing_count(), len(state)]


def prog_variable_on_object(tf, np):
    """The usual pattern with an attribute."""

    class Count:
        def __init__(self):
            self.v = None

        @tf.function(autograph=False)
        def __call__(self):
            if self.v is None:
                self.v = tf.Variable(0)
            return self.v.assign_add(1)

    c, d = Count(), Count()
    return [c(), c(), d(), c.v, d.v]


def prog_lifted_initialisers(tf, np):
    """Initial values may depend on arguments and other new variables."""
    state = []

    @tf.function(autograph=False)
    def fn(x):
        if not state:
            state.append(tf.Variable(2.0 * x))
            state.append(tf.Variable(state[0] * 3.0))
        return state[0] * x * state[1]

    return [fn(tf.constant(1.0)), fn(tf.constant(3.0)), state]


def prog_later_creation_refused(tf, np):
    """A second trace may not create variables."""
    made = []

    @tf.function(autograph=False)
    def f(x):
        if len(made) < 2 or x.dtype == tf.int32:
            made.append(tf.Variable(tf.zeros_like(x)))
        return made[0] * 1.0

    return [attempt(lambda: f(tf.constant([1.0])), words=4), attempt(lambda: f(tf.constant([1])), words=6)]


def prog_list_appends_at_trace(tf, np):
    """Appending to outer lists happens while tracing."""
    items = []

    @tf.function(autograph=False)
    def f(x):
        items.append(x)
        return x

    for v in (1.0, 2.0):
        f(tf.constant(v))
    return [len(items), items[0]]


def prog_iterator_advances_at_trace(tf, np):
    """next(iterator) runs while tracing only."""
    it = iter([10, 20, 30])
    v = tf.Variable(0)

    @tf.function(autograph=False)
    def f():
        return v.assign_add(next(it))

    return [f(), f(), f(), next(it)]


def prog_numpy_random_is_frozen(tf, np):
    """np.random inside a function is a constant of the trace."""
    rng = np.random.RandomState(0)

    @tf.function(autograph=False)
    def f():
        return tf.constant(rng.randint(0, 1000))

    a, b = f(), f()
    return [a, b, a == b]


def prog_global_counter(tf, np):
    """Python counters count traces."""
    counter = {"n": 0}

    @tf.function(autograph=False)
    def f(x):
        counter["n"] += 1
        return x + counter["n"]

    return [f(tf.constant(0)), f(tf.constant(0)), f(tf.constant(0.0)), counter]


def prog_run_functions_eagerly(tf, np):
    """With the switch on, bodies run as Python on every call."""
    seen = []

    @tf.function(autograph=False)
    def f(x):
        seen.append(hasattr(x, "numpy"))
        return x + 1

    tf.config.run_functions_eagerly(True)
    try:
        r = [tf.config.functions_run_eagerly(), f(tf.constant(1)), f(tf.constant(2))]
        cf = f.get_concrete_function(tf.TensorSpec([], tf.int32))
        r.append(cf(tf.constant(5)))
    finally:
        tf.config.run_functions_eagerly(False)
    r += [tf.config.functions_run_eagerly(), f(tf.constant(1))]
    return [r, seen]


def prog_run_functions_eagerly_python_if(tf, np):
    """Eagerly a tensor condition is plain Python."""

    @tf.function(autograph=False)
    def f(x):
        return "positive" if x > 0 else "other"

    tf.config.run_functions_eagerly(True)
    try:
        r = [f(tf.constant(1)), f(tf.constant(-1))]
    finally:
        tf.config.run_functions_eagerly(False)
    return [r, attempt(lambda: f(tf.constant(1)), words=6)]


def prog_init_scope(tf, np):
    """init_scope lifts out of the function."""
    out = []

    @tf.function(autograph=False)
    def f(x):
        out.append(tf.executing_eagerly())
        out.append(tf.inside_function())
        with tf.init_scope():
            out.append(tf.executing_eagerly())
            c = tf.constant(5)
            out.append(c)
        return x + c

    return [f(tf.constant(1)), out, tf.executing_eagerly(), tf.inside_function()]


def prog_init_scope_variable(tf, np):
    """A variable made in init_scope on every trace is allowed."""
    made = []

    @tf.function(autograph=False)
    def f(x):
        with tf.init_scope():
            made.append(tf.Variable(7.0))
        return x + made[0]

    return [f(tf.constant(1.0)), f(tf.constant(2.0)), len(made)]


def prog_init_scope_nested(tf, np):
    """init_scope in nested functions goes to the outermost eager context."""
    out = []

    @tf.function(autograph=False)
    def inner(x):
        with tf.init_scope():
            out.append(tf.executing_eagerly())
        return x

    @tf.function(autograph=False)
    def outer(x):
        return inner(x)

    outer(tf.constant(1))
    with tf.Graph().as_default():
        with tf.init_scope():
            out.append(tf.executing_eagerly())
    return out


def prog_py_function(tf, np):
    """py_function runs Python on every call with eager tensors."""
    seen = []

    def body(x, k):
        seen.append((type(x).__name__, x.numpy().tolist(), int(k)))
        return x * 2

    @tf.function(autograph=False)
    def f(x):
        y = tf.py_function(body, [x, 3], tf.float32)
        return y, y.shape if False else tf.constant(0)

    return [f(tf.constant([1.0, 2.0]))[0], f(tf.constant([5.0, 6.0]))[0], seen]


def prog_py_function_outputs(tf, np):
    """Several outputs, none, wrong types."""
    py = tf.py_function
    return [py(lambda x: (x, x + 1), [tf.constant(1)], [tf.int32, tf.int32]), py(lambda: None, [], []), py(lambda x: x + 0.5, [1.0], tf.float32), attempt(lambda: py(lambda: "a", [], tf.int32), words=0), attempt(lambda: py(lambda: 1 / 0, [], tf.int32), words=0), py(lambda s: s, ["text"], tf.string), py(lambda x: [x, x], [tf.constant(1)], tf.int32)]


def prog_py_function_gradient(tf, np):
    """py_function is differentiable."""
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda v: v * v, [x], tf.float32)

    @tf.function(autograph=False)
    def f(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.py_function(lambda v: v**3, [x], tf.float32)
        return t.gradient(y, x)

    return [y, tape.gradient(y, x), f(x)]


def prog_numpy_function(tf, np):
    """numpy_function gets arrays and is not differentiable."""
    kinds = []

    def body(a, b):
        kinds.append((type(a).__name__, a.dtype.name if hasattr(a, "dtype") else None))
        return np.sinh(a) + b

    @tf.function(autograph=False)
    def f(x):
        return tf.numpy_function(body, [x, np.float32(1.0)], tf.float32)

    x = tf.constant([0.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return [y, kinds, attempt(lambda: tape.gradient(y, x), words=0), tf.numpy_function(lambda: np.int64(4), [], tf.int64), attempt(lambda: tf.numpy_function(lambda: 1.5, [], tf.float32), words=0)]


def prog_numpy_function_static_shape(tf, np):
    """The static shape is unknown until set."""
    shapes = []

    @tf.function(autograph=False)
    def f(x):
        y = tf.numpy_function(lambda a: a + 1, [x], tf.float32)
        z = tf.py_function(lambda a: a + 1, [x], tf.float32)
        shapes.extend([y.shape, z.shape])
        y.set_shape([2])
        shapes.append(y.shape)
        return y

    return [f(tf.ones([2])), shapes]


def prog_py_function_errors_in_function(tf, np):
    """Python errors inside py_function keep their words."""

    def bad(x):
        raise ValueError("my own words")

    @tf.function(autograph=False)
    def f(x):
        return tf.py_function(bad, [x], tf.float32)

    return [attempt(lambda: f(tf.constant(1.0)), words=0), attempt(lambda: tf.py_function(bad, [1.0], tf.float32), words=0), attempt(lambda: tf.numpy_function(bad, [1.0], tf.float32), words=0)]


def prog_side_effect_only_function(tf, np):
    """py_function without outputs runs although unused."""
    log = []

    @tf.function(autograph=False)
    def f(x):
        tf.py_function(lambda v: log.append(int(v)), inp=[x], Tout=[])
        return x

    f(tf.constant(1))
    f(tf.constant(2))
    return log


def prog_stateful_order(tf, np):
    """Effects of py_function, print and assign keep program order."""
    log, v = [], tf.Variable(0)

    @tf.function(autograph=False)
    def f():
        tf.py_function(lambda: log.append("first"), [], [])
        v.assign_add(1)
        tf.py_function(lambda x: log.append(int(x)), [v], [])
        v.assign_add(1)
        tf.py_function(lambda x: log.append(int(x)), [v.read_value()], [])

    f()
    f()
    return log


def prog_failed_assign_leaves_variable(tf, np):
    """Nothing after the failing op is done."""
    v = tf.Variable([1.0, 2.0])

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None])])
    def f(x):
        v.assign(tf.ensure_shape(x, [2]))
        return v + 0.0

    return [f(tf.constant([3.0, 4.0])), attempt(lambda: f(tf.constant([1.0])), words=0), v]


def prog_tensor_array(tf, np):
    """TensorArray in eager and in a function."""
    a = tf.TensorArray(tf.float32, size=3)
    for i in range(3):
        a = a.write(i, tf.constant([float(i), i * 10.0]))

    @tf.function(autograph=False)
    def f(n):
        ta = tf.TensorArray(tf.int32, size=n)
        _, ta = tf.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, t.write(i, i * i)), [0, ta])
        return ta.stack(), ta.size(), ta.read(1)

    u = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False).unstack([[1.0], [2.0]])
    return [a.stack(), a.size() if False else 3, f(tf.constant(4)), u.stack(), u.gather([1, 0]), u.concat(), u.size(), attempt(lambda: u.read(9), words=0)]


def prog_map_fn_and_scan(tf, np):
    """map_fn, foldl, foldr, scan, vectorized_map."""
    x = tf.constant([1.0, 2.0, 3.0])
    return [tf.map_fn(lambda v: v * v, x), tf.map_fn(lambda v: (v, -v), x, fn_output_signature=(tf.float32, tf.float32)), tf.foldl(lambda a, v: a + v, x), tf.foldr(lambda a, v: a * v, x), tf.scan(lambda a, v: a + v, x), tf.scan(lambda a, v: a * v, x, initializer=2.0), tf.foldl(lambda a, v: a - v, x, initializer=10.0), tf.map_fn(lambda t: t[0] + t[1], (x, x * 10.0), fn_output_signature=tf.float32), tf.scan(lambda a, v: a + v, x, reverse=True)]


def prog_map_fn_in_function(tf, np):
    """The same in a graph with unknown length."""

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None])])
    def f(x):
        return tf.map_fn(lambda v: v + 1.0, x), tf.scan(lambda a, v: a + v, x), tf.foldl(lambda a, v: a * v, x)

    return f(tf.constant([1.0, 2.0, 3.0]))


def prog_vectorized_map(tf, np):
    """vectorized_map of simple bodies."""
    x = tf.reshape(tf.range(6.0), [3, 2])
    return [tf.vectorized_map(lambda r: tf.reduce_sum(r), x), tf.vectorized_map(lambda r: r * 2.0, x), tf.vectorized_map(lambda t: t[0] + t[1], (x, x))]


def prog_custom_gradient(tf, np):
    """custom_gradient in eager and in functions."""

    @tf.custom_gradient
    def f(x):
        def grad(dy):
            return dy * 100.0

        return x * x, grad

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)

    @tf.function(autograph=False)
    def g(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        return t.gradient(y, x)

    return [y, tape.gradient(y, x), g(x)]


def prog_custom_gradient_with_variables(tf, np):
    """A custom gradient that touches variables takes `variables`."""
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            return dy * 10.0, [dy * 20.0 for _ in variables]

        return x * v, grad

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return [y, tape.gradient(y, [x, v])]


def prog_recompute_grad(tf, np):
    """recompute_grad gives the same gradients."""
    v = tf.Variable(2.0)
    f = tf.recompute_grad(lambda x: tf.sin(x) * v)
    x = tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return Approx([y, tape.gradient(y, [x, v])], 1e-5)


def prog_print_during_functions(tf, np):
    """Interleaving of Python print and tf.print on stdout."""
    import sys

    @tf.function(autograph=False)
    def f(x):
        print("trace")
        tf.print("run", x, output_stream=sys.stdout)
        return x

    def run():
        f(1)
        print("--", flush=True)
        f(1)
        f(2)

    return printed(run)


def prog_is_function_traced_flags(tf, np):
    """executing_eagerly and inside_function in nested contexts."""
    out = []

    @tf.function(autograph=False)
    def f(x):
        out.append((tf.executing_eagerly(), tf.inside_function()))
        return tf.cond(x > 0, lambda: (out.append((tf.executing_eagerly(), tf.inside_function())), x)[1], lambda: x)

    f(tf.constant(1))
    with tf.Graph().as_default():
        out.append((tf.executing_eagerly(), tf.inside_function()))
    return out + [(tf.executing_eagerly(), tf.inside_function())]


def prog_jit_compile(tf, np):
    """jit_compile=True gives the same numbers; strings are refused."""

    @tf.function(autograph=False, jit_compile=True)
    def f(x, y):
        return tf.nn.relu(x @ y) + 1.0, tf.reduce_sum(x)

    @tf.function(autograph=False, jit_compile=True)
    def g(s):
        return tf.strings.length(s)

    return [f(tf.constant([[1.0, -2.0]]), tf.constant([[3.0], [1.0]])), attempt(lambda: g(tf.constant("abc")), words=0)]
