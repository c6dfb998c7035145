"""tf.Variable: creation, assignment, scatter, reading, names, text, errors."""

# ruff: noqa: C416 (programs write what users write)
from __future__ import annotations

import copy
import pickle

from tests.oracle.support import attempt


def prog_creation_forms(tf, np):
    """From numbers, lists, arrays, tensors, callables, other variables."""
    v = tf.Variable
    return [v(1), v(1.5), v([1, 2]), v("a"), v(True), v(np.array([1.0])), v(tf.constant([1])), v(lambda: tf.ones([2])), v([1, 2], dtype=tf.float32), v(v(3)), v(np.float16(2)), v(1 + 1j), v([[1], [2]], dtype="int64")]


def prog_creation_errors(tf, np):
    """No value, None, wrong shapes and dtypes."""
    v = tf.Variable
    return [attempt(lambda: v()), attempt(lambda: v(None)), attempt(lambda: v([1, 2], shape=[3])), attempt(lambda: v([1.5], dtype=tf.int32)), attempt(lambda: v([1, [2]]), words=3), attempt(lambda: v(tf.constant(1), dtype=tf.float32), words=3)]


def prog_properties(tf, np):
    """name, dtype, shape, trainable, device, handle, op."""
    v = tf.Variable([[1.0, 2.0]], name="weights", trainable=False)
    return [v.name, v.dtype, v.shape, v.trainable, v.shape.rank, v.synchronization.name, v.aggregation.name, v.handle.dtype, v.constraint, v.device.endswith("CPU:0"), v.get_shape(), tf.is_tensor(v), isinstance(v, tf.Tensor), isinstance(v, tf.Variable), v.ndim if hasattr(v, "ndim") else None]


def prog_names(tf, np):
    """Names in eager mode do not become unique; scopes prefix them."""
    a, b = tf.Variable(1), tf.Variable(1)
    with tf.name_scope("outer"):
        c = tf.Variable(1, name="c")
        with tf.name_scope("inner"):
            d = tf.Variable(1)
    return [a.name, b.name, c.name, d.name, tf.Variable(1, name="my var") if False else tf.Variable(1, name="x/y").name, attempt(lambda: tf.Variable(1, name="bad name").name)]


def prog_repr_and_str(tf, np):
    """Text forms of variables."""
    values = [tf.Variable(1.0), tf.Variable([1, 2], name="n"), tf.Variable("s"), tf.Variable([[1.5], [2.5]]), tf.Variable(tf.zeros([0]))]
    return [(repr(v), str(v), f"{v}") for v in values]


def prog_assign(tf, np):
    """assign, assign_add, assign_sub and what they return."""
    v = tf.Variable([1.0, 2.0])
    r = v.assign([3.0, 4.0])
    a = [tf.convert_to_tensor(r), r is v]
    s = v.assign_add([1.0, 1.0])
    a += [tf.convert_to_tensor(s), tf.convert_to_tensor(v.assign_sub(tf.ones([2])))]
    return a + [v, v.assign(np.array([9.0, 9.0])).numpy(), v.assign([7, 8]), v.read_value(), v.value()]


def prog_assign_read_value_false(tf, np):
    """read_value=False returns nothing to read in eager."""
    v = tf.Variable(1)
    return [v.assign(2, read_value=False), v.assign_add(1, read_value=False), v]


def prog_assign_errors(tf, np):
    """Shapes, dtypes; the variable stays as it was."""
    v = tf.Variable([1.0, 2.0])
    errors = [attempt(lambda: v.assign([1.0, 2.0, 3.0])), attempt(lambda: v.assign(1.0)), attempt(lambda: v.assign(["a", "b"]), words=3), attempt(lambda: v.assign(tf.constant([1, 2])), words=3), attempt(lambda: v.assign_add([1.0, 2.0, 3.0])), attempt(lambda: v.assign_add(tf.ones([2], tf.float64)), words=3), attempt(lambda: v.assign(None), words=3)]
    return [errors, v]


def prog_assign_add_broadcast(tf, np):
    """assign_add does not broadcast."""
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    return [attempt(lambda: v.assign_add(1.0)), attempt(lambda: v.assign_sub([1.0, 1.0])), v, tf.Variable([1, 2]).assign_add([10, 20])]


def prog_unknown_shape_variable(tf, np):
    """shape=None dims accept values of several sizes."""
    v = tf.Variable([1.0, 2.0], shape=[None])
    w = tf.Variable(1.0, shape=tf.TensorShape(None))
    out = [v.shape, w.shape, v.assign([1.0, 2.0, 3.0]).numpy(), w.assign([[1.0]]).numpy(), w.assign(5.0).numpy(), attempt(lambda: v.assign([[1.0]])), tf.shape(v), v.read_value().shape]
    return out + [repr(v)]


def prog_assign_with_shape_override(tf, np):
    """validate_shape=False and set_shape."""
    v = tf.Variable([1.0], validate_shape=False)
    u = tf.Variable([[1.0]], shape=[None, None])
    u.set_shape([1, None])
    return [v.shape, u.shape, attempt(lambda: u.set_shape([2, 2]), words=3)]


def prog_scatter_updates(tf, np):
    """scatter_update, add, sub, min, max, mul, div with IndexedSlices."""
    s = tf.IndexedSlices(tf.constant([10.0, 20.0]), tf.constant([0, 2]))
    out = []
    for name in "scatter_update scatter_add scatter_sub scatter_min scatter_max scatter_mul scatter_div batch_scatter_update".split():
        v = tf.Variable([1.0, 2.0, 30.0])
        if name == "batch_scatter_update":
            v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
            out.append(v.batch_scatter_update(tf.IndexedSlices(tf.constant([[9.0], [8.0]]), tf.constant([[0], [1]]))).numpy())
        else:
            out.append(getattr(v, name)(s).numpy())
    return out


def prog_scatter_nd_methods(tf, np):
    """scatter_nd_update, add, sub, min, max."""
    out = []
    for name in "scatter_nd_update scatter_nd_add scatter_nd_sub scatter_nd_min scatter_nd_max".split():
        v = tf.Variable([1, 2, 3, 4])
        r = getattr(v, name)([[1], [3], [1]] if "update" not in name else [[1], [3]], [10, -20, 30] if "update" not in name else [10, -20])
        out.append([tf.convert_to_tensor(r), v])
    return out


def prog_scatter_errors(tf, np):
    """Out of range, not IndexedSlices, wrong shapes."""
    v = tf.Variable([1.0, 2.0])
    return [attempt(lambda: v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([5])))), attempt(lambda: v.scatter_add([1.0]), words=5), attempt(lambda: v.scatter_nd_add([[7]], [1.0])), attempt(lambda: v.scatter_update(tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]))), words=3), v]


def prog_sparse_update_of_rows(tf, np):
    """Row updates add duplicates."""
    v = tf.Variable(tf.zeros([3, 2]))
    s = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1, 1]))
    return [v.scatter_add(s).numpy(), v.scatter_update(tf.IndexedSlices(tf.constant([5.0, 6.0])[None], [0])).numpy()]


def prog_numpy_and_conversions(tf, np):
    """numpy, int, float, bool, len, iteration, array."""
    v = tf.Variable([3.0, 4.0])
    return [v.numpy(), np.array(v), np.asarray(v, dtype=np.int32), float(tf.Variable(2.5)), int(tf.Variable(3)), bool(tf.Variable(0)), [x for x in v], attempt(lambda: len(v), words=4), tf.convert_to_tensor(v), attempt(lambda: tf.convert_to_tensor(v, tf.int32), words=3), np.sum(v), attempt(lambda: hash(v), words=4), {v.ref(): 1}[v.ref()]]


def prog_numpy_copy_is_snapshot(tf, np):
    """Values taken earlier do not change with later assigns."""
    v = tf.Variable([1.0, 2.0])
    a, b, c = v.numpy(), tf.convert_to_tensor(v), v + 0.0
    v.assign([5.0, 6.0])
    v.assign_add([1.0, 1.0])
    return [a, b, c, v]


def prog_equality_and_ref(tf, np):
    """== is elementwise; is, in lists by ref."""
    v, w = tf.Variable([1, 2]), tf.Variable([1, 3])
    return [v == w, v != w, v == v, v is v, v.ref() == v.ref(), v.ref() == w.ref(), v == 1, attempt(lambda: v == None)]  # noqa: E711


def prog_copy_and_pickle(tf, np):
    """deepcopy makes an independent variable; pickling."""
    v = tf.Variable([1.0], name="p", trainable=False)
    d = copy.deepcopy(v)
    d.assign([5.0])
    p = attempt(lambda: pickle.loads(pickle.dumps(v)), words=0)
    return [v, d, d.name, d.trainable, p]


def prog_deepcopy_in_structures(tf, np):
    """One variable twice in a structure stays one."""
    v = tf.Variable(1)
    c = copy.deepcopy([v, v])
    c[0].assign(7)
    return [c, c[0] is c[1], v]


def prog_initial_value_and_initialized(tf, np):
    """initialized_value-like accessors in eager."""
    v = tf.Variable(2.0)
    return [attempt(lambda: v.initial_value, words=4), attempt(lambda: v.initializer, words=4), attempt(lambda: v.is_initialized()), attempt(lambda: v.graph, words=3), attempt(lambda: v.op, words=3), attempt(lambda: v.eval(), words=3)]


def prog_constraint(tf, np):
    """A constraint is kept, not applied."""
    v = tf.Variable(-1.0, constraint=lambda x: tf.maximum(x, 0.0))
    return [v, v.constraint(tf.constant(-5.0)), attempt(lambda: tf.Variable(1.0, constraint=3), words=4)]


def prog_synchronization_and_aggregation(tf, np):
    """Enumerations kept on the variable."""
    v = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.MEAN)
    return [v.synchronization.name, v.aggregation.name, v.trainable, tf.Variable(1.0).trainable, tf.Variable(1).trainable, [a.name for a in tf.VariableAggregation], [s.name for s in tf.VariableSynchronization]]


def prog_arithmetic(tf, np):
    """Operators and functions take variables."""
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    return [v + 1, 2 * v, v @ v, tf.reduce_sum(v), tf.matmul(v, v), -v, v**2, v / 2, v[0], tf.nn.relu(v), 1 - v, v > 2, tf.stack([v, v]).shape, tf.add(v, v), tf.concat([v, v], 0).shape]


def prog_inplace_operator_rebinds(tf, np):
    """v += 1 makes a tensor."""
    v = tf.Variable([1.0])
    w = v

    def run():
        x = v
        x += 1.0
        return x

    r = attempt(run)
    return [r, isinstance(r, tf.Variable), w]


def prog_trainable_watched(tf, np):
    """Tapes watch trainable variables only."""
    a, b = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = a * b
    return [tape.gradient(y, [a, b]), [v.name for v in tape.watched_variables()], len(tape.watched_variables())]


def prog_in_function_by_reference(tf, np):
    """Functions see later assigns; assigns inside are seen outside."""
    v = tf.Variable(1)

    @tf.function(autograph=False)
    def f():
        return v.assign_add(10)

    @tf.function(autograph=False)
    def g():
        return v * 2

    return [f(), g(), v.assign(100).numpy(), f(), g(), v]


def prog_program_order_in_function(tf, np):
    """Reads and writes keep program order."""
    a, b = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function(autograph=False)
    def f(x, y):
        a.assign(y * b)
        b.assign_add(x * a)
        return a + b

    return [f(1.0, 2.0), a, b]


def prog_read_between_writes(tf, np):
    """Each read sees the value at its place."""
    v = tf.Variable(1)

    @tf.function(autograph=False)
    def f():
        first = v.read_value()
        v.assign(5)
        second = v + 0
        v.assign_add(1)
        return first, second, v.read_value(), v

    return [f(), v]


def prog_variable_returned_from_function(tf, np):
    """Returning a variable gives its value."""
    v = tf.Variable([1, 2])

    @tf.function(autograph=False)
    def f():
        return v, [v], {"v": v}

    return f()


def prog_repr_in_function(tf, np):
    """How a variable looks while tracing."""
    v = tf.Variable(1.0, name="w")
    out = []

    @tf.function(autograph=False)
    def f():
        out.extend([repr(v), str(v.shape), v.name, v.dtype.name, repr(v.value())])
        return v

    f()
    return out


def prog_errors_in_function(tf, np):
    """Shape errors of assigns while tracing."""
    v = tf.Variable([1.0, 2.0])
    out = []

    @tf.function(autograph=False)
    def f(x):
        out.append(attempt(lambda: v.assign([1.0]), words=5))
        out.append(attempt(lambda: v.assign_add(x), words=5))
        out.append(attempt(lambda: v.numpy(), words=4))
        return x

    f(tf.constant([1]))
    return [out, v]


def prog_lifetime_of_values(tf, np):
    """A chain of a thousand assigns."""
    v = tf.Variable(0)
    for _ in range(1000):
        v.assign_add(1)
    return [v, v.assign(v * 2), tf.Variable(v) is v]


def prog_variable_of_every_dtype(tf, np):
    """Create, assign and add for each dtype."""
    out = []
    for d in "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128".split():
        v = tf.Variable(tf.zeros([2], d))
        v.assign(tf.ones([2], d))
        out.append([v, attempt(lambda: v.assign_add(tf.ones([2], d)).numpy().tolist(), words=0) if d not in ("bool", "uint16", "uint32", "bfloat16") else None])
    return out


def prog_placeholder_free_variable_creator(tf, np):
    """variable_creator_scope sees each creation."""
    seen = []

    def creator(next_creator, **kwargs):
        seen.append((kwargs.get("name"), kwargs.get("trainable"), callable(kwargs["initial_value"])))
        kwargs["name"] = "made"
        return next_creator(**kwargs)

    with tf.variable_creator_scope(creator):
        v = tf.Variable(1.0, name="x")
    return [v.name, seen, tf.Variable(1.0).name]


def prog_experimental_ref_and_swap(tf, np):
    """Swapping two variables by hand."""
    a, b = tf.Variable([1]), tf.Variable([2])
    t = tf.identity(a)
    a.assign(b)
    b.assign(t)
    return [a, b, a.count_up_to(5) if hasattr(a, "count_up_to_") else None]


def _holder_class(tf, declares, converts):
    class Holder:
        def __init__(self, value):
            self.variable = tf.Variable(value)

        handle = property(lambda self: self.variable.handle)
        dtype = property(lambda self: self.variable.dtype)
        shape = property(lambda self: self.variable.shape)
        trainable = property(lambda self: self.variable.trainable)
        name = property(lambda self: self.variable.name)

        def assign(self, value):
            return self.variable.assign(value)

        def read_value(self):
            return self.variable.read_value()

    if declares:
        Holder._should_act_as_resource_variable = True
    if converts:
        Holder.__tf_tensor__ = lambda self, dtype=None, name=None: tf.convert_to_tensor(self.variable, dtype, name=name)
    return Holder


def prog_objects_that_declare_themselves_variables(tf, np):
    """A class says that it acts as a variable; methods of the same names do not make it one."""
    shown = []
    for declares, converts in ((True, True), (True, False), (False, True)):
        holder = _holder_class(tf, declares, converts)

        def source(holder=holder):
            x = holder(2.0)
            with tf.GradientTape() as tape:
                y = x.read_value() * 3.0
            return tape.gradient(y, x)

        def forward(holder=holder):
            x = holder(2.0)
            with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
                y = x.variable * 3.0
            return accumulator.jvp(y)

        def in_graph(holder=holder):
            x = holder(2.0)
            return tf.function(lambda: tf.gradients(x.variable * 3.0, x))()

        def recomputed(holder=holder):
            x = holder(2.0)
            with tf.GradientTape() as tape:
                y = tf.recompute_grad(lambda a: tf.convert_to_tensor(a) * 2.0)(x)
            return [y, tape.gradient(y, x)]

        wanted = [source, in_graph, recomputed] if declares and converts else [source] if declares else []
        shown.append([call() for call in wanted] + ([forward()] if declares else []))
        shown.append(attempt(lambda holder=holder: tf.constant(1.0) + holder(2.0), words=3) if converts else None)
        shown.append([tf.is_tensor(holder(2.0)) if not converts else None, len(_module_with(tf, holder(2.0)).variables)])
    return shown


def _module_with(tf, value):
    module = tf.Module()
    module.held = value
    return module
