"""input_signature, get_concrete_function, ConcreteFunction."""

from __future__ import annotations

from tests.oracle.support import Leading, attempt, nodes, printed


def prog_input_signature_accepts(tf, np):
    """Unknown dims; lists and arrays are cast."""

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x):
        return x * 2

    return [f(tf.constant([1.0])), f([1, 2]), f(np.array([1.0, 2.0], np.float32)), f([1.5]), f.experimental_get_tracing_count(), attempt(lambda: f(np.array([1.0, 2.0])), words=8), f(x=tf.zeros([0]))]


def prog_input_signature_rejects(tf, np):
    """Wrong dtype, shape, count."""

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x):
        return x

    return [attempt(lambda: f(tf.constant([1])), words=14), attempt(lambda: f(tf.constant(1.0)), words=14), attempt(lambda: f(tf.constant([[1.0]])), words=14), attempt(lambda: f(), words=10), attempt(lambda: f([1.0], [2.0]), words=10), attempt(lambda: f("a"), words=6)]


def prog_input_signature_structures(tf, np):
    """Nested signatures."""
    spec = tf.TensorSpec

    @tf.function(autograph=False, input_signature=[{"a": spec([], tf.int32), "b": [spec([2]), spec(None, tf.string)]}, (spec([]),)])
    def f(d, t):
        return d["a"] + 1, d["b"][0] * t[0], d["b"][1]

    good = {"a": tf.constant(1), "b": [tf.constant([1.0, 2.0]), tf.constant("s")]}
    return [f(good, (2.0,)), attempt(lambda: f({"a": 1}, (2.0,)), words=6), attempt(lambda: f(good, [2.0]), words=6)]


def prog_input_signature_and_defaults(tf, np):
    """Defaults beyond the signature; kwargs."""

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([], tf.int32)])
    def f(x, y=10):
        return x + y

    return [f(tf.constant(1)), attempt(lambda: f(tf.constant(1), 20), words=8), f.experimental_get_tracing_count()]


def prog_input_signature_fewer_specs(tf, np):
    """A signature that does not cover the arguments."""
    return [attempt(lambda: tf.function(lambda x, y: x, autograph=False, input_signature=[tf.TensorSpec([])]), words=8), attempt(lambda: tf.function(lambda x: x, autograph=False, input_signature=[tf.TensorSpec([]), tf.TensorSpec([])]), words=8)]


def prog_input_signature_on_method(tf, np):
    """self is skipped."""

    class M(tf.Module):
        @tf.function(autograph=False, input_signature=[tf.TensorSpec([None], tf.float32)])
        def f(self, x):
            return x + 1

    return [M().f([1.0]), attempt(lambda: M().f([[1.0]]), words=6)]


def prog_symbolic_argument_names(tf, np):
    """Placeholders are named after arguments or specs."""
    names = []

    @tf.function(autograph=False)
    def f(first, second, *rest, key=None):
        names.append([t.name for t in (first, second[0], second[1], *rest, key)])
        return first

    c = tf.constant
    f(c(1), [c(1), c(2)], c(3), c(4), key=c(5))

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([], name="given"), tf.TensorSpec([])])
    def g(x, y):
        names.append([x.name, y.name])
        return x

    g(1.0, 2.0)
    return names


def prog_get_concrete_function_forms(tf, np):
    """From specs, values, Python values, keywords."""

    @tf.function(autograph=False)
    def f(x, k=2):
        return x * k

    spec = tf.TensorSpec([None], tf.int32)
    cfs = [f.get_concrete_function(spec), f.get_concrete_function(tf.constant([1, 2])), f.get_concrete_function(spec, 3), f.get_concrete_function(x=spec, k=4), f.get_concrete_function(spec, k=tf.TensorSpec([], tf.int32))]
    x = tf.constant([1, 2])
    return [cf(x) for cf in cfs[:4]] + [cfs[4](x, tf.constant(10)), f.experimental_get_tracing_count()]


def prog_concrete_function_fixed_python_values(tf, np):
    """Python arguments are part of the signature."""

    @tf.function(autograph=False)
    def f(x, k):
        return x * k

    cf = f.get_concrete_function(tf.TensorSpec([], tf.int32), 3)
    x = tf.constant(2)
    return [cf(x), cf(x=x), attempt(lambda: cf(x, 3)), attempt(lambda: cf(x, 4), words=6), attempt(lambda: cf(x, k=5), words=6)]


def prog_concrete_function_call_errors(tf, np):
    """Wrong dtype, shape, count, names."""

    @tf.function(autograph=False)
    def double(x):
        return x * 2

    cf = double.get_concrete_function(tf.TensorSpec([2], tf.float32))
    return [cf(tf.constant([1.0, 2.0])), attempt(lambda: cf(tf.constant([1, 2])), words=8), attempt(lambda: cf(tf.constant([1.0])), words=8), attempt(lambda: cf(), words=8), attempt(lambda: cf(tf.zeros([2]), tf.zeros([2])), words=8), attempt(lambda: cf(y=tf.zeros([2])), words=8), attempt(lambda: cf("a"), words=4), attempt(lambda: cf([1.0, 2.0]), words=4)]


def prog_concrete_function_text(tf, np):
    """str and repr of concrete functions."""
    v = tf.Variable(1.0)

    @tf.function(autograph=False)
    def f(x, y=2, *, z="s"):
        return {"a": x + v, "b": [y]}

    cf = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    g = tf.function(lambda: None, autograph=False).get_concrete_function()
    return [str(cf), repr(cf), cf.pretty_printed_signature(), cf.pretty_printed_signature(verbose=False), str(g), repr(g)]


def prog_concrete_function_structure(tf, np):
    """inputs, outputs, structured_*, captures, variables."""
    v, c = tf.Variable(1.0), tf.constant([5.0])

    @tf.function(autograph=False)
    def f(x, d):
        return {"sum": x + v, "list": [d["k"] * 2, c]}

    cf = f.get_concrete_function(tf.TensorSpec([None], tf.float32), {"k": tf.TensorSpec([], tf.int32)})
    return [cf.inputs, cf.outputs, cf.structured_input_signature, cf.structured_outputs, cf.output_shapes, cf.output_dtypes, cf.captured_inputs[1:], len(cf.captured_inputs), [w.name for w in cf.variables], [w.name for w in cf.trainable_variables], [t.name for t in cf.graph.inputs], [t.name for t in cf.graph.outputs]]


def prog_concrete_function_names(tf, np):
    """name, function_def, graph operations."""

    @tf.function(autograph=False)
    def my_fn(x):
        return tf.identity(x + 1, name="result")

    cf = my_fn.get_concrete_function(tf.TensorSpec([], tf.int32, name="number"))
    return [cf.name.decode() if isinstance(cf.name, bytes) else cf.name, nodes(cf.graph), cf.graph.name, cf.inputs[0].name]


def prog_function_graph_nodes(tf, np):
    """The nodes of a traced body with a capture, constants, outputs."""
    w = tf.constant([[1.0], [2.0]])

    @tf.function(autograph=False)
    def f(x, y):
        h = tf.matmul(x, w)
        return tf.nn.relu(h + y), y

    return nodes(f.get_concrete_function(tf.TensorSpec([None, 2]), tf.TensorSpec([])).graph)


def prog_function_graph_nodes_with_variable(tf, np):
    """Reads and assigns of variables in the graph."""
    v = tf.Variable(1.0)

    @tf.function(autograph=False)
    def f(x):
        y = v * x
        v.assign_add(y)
        return v + 1.0

    return nodes(f.get_concrete_function(tf.TensorSpec([])).graph)


def prog_function_graph_nodes_nested_call(tf, np):
    """A call of an inner function."""

    @tf.function(autograph=False)
    def inner(x):
        return x + 1

    @tf.function(autograph=False)
    def outer(x):
        return inner(inner(x))

    return nodes(outer.get_concrete_function(tf.TensorSpec([], tf.int32)).graph)


def prog_function_graph_control_dependencies(tf, np):
    """Automatic control dependencies between prints and assigns."""
    v = tf.Variable(1)

    @tf.function(autograph=False)
    def f(x):
        v.assign(x)
        v.assign_add(2)
        a = v.read_value()
        v.assign(a * 3)
        return a

    return nodes(f.get_concrete_function(tf.TensorSpec([], tf.int32)).graph)


def prog_output_structures(tf, np):
    """Python numbers become tensors; None stays; nested output."""

    @tf.function(autograph=False)
    def f(x):
        return {"n": 1, "f": 2.5, "s": "text", "none": None, "b": True, "x": x, "l": [x, (x, None)], "np": np.ones(2)}

    cf = f.get_concrete_function(tf.TensorSpec([], tf.int32))
    return [f(tf.constant(1)), cf.structured_outputs]


def prog_no_output(tf, np):
    """Functions without result return None."""

    @tf.function(autograph=False)
    def f(x):
        x + 1

    return [f(tf.constant(1)), f.get_concrete_function(tf.TensorSpec([])).outputs]


def prog_bad_outputs(tf, np):
    """Objects that are not tensors cannot be returned."""
    fs = [lambda x: object(), lambda x: [x, {1, 2}], lambda x: "ok", lambda x: lambda y: y]
    return [attempt(lambda f=f: tf.function(f, autograph=False)(tf.constant(1)), words=5) for f in fs]


def prog_modified_inputs(tf, np):
    """Functions may not change the structure of their arguments."""

    @tf.function(autograph=False)
    def f(items):
        items.append(tf.constant(1))
        return items[0]

    return attempt(lambda: f([tf.constant(0)]), words=6)


def prog_leaked_symbolic_tensor(tf, np):
    """A tensor of a trace used outside."""
    leak = []

    @tf.function(autograph=False)
    def f(x):
        leak.append(x + 1)
        return x

    f(tf.constant(1))
    t = leak[0]
    return [str(t), attempt(lambda: t + 1, words=6), attempt(lambda: t.numpy(), words=3), attempt(lambda: tf.reduce_sum(t), words=5), attempt(lambda: bool(t), words=5)]


def prog_leaked_tensor_between_functions(tf, np):
    """A tensor of one trace used in another."""
    leak = []

    @tf.function(autograph=False)
    def f(x):
        leak.append(x + 1)
        return x

    @tf.function(autograph=False)
    def g(x):
        return x + leak[0]

    f(tf.constant(1))
    return attempt(lambda: g(tf.constant(1)), words=5)


def prog_captures(tf, np):
    """Eager tensors by value, variables by reference, nothing twice."""
    c, v = tf.constant([1.0, 2.0]), tf.Variable(3.0)

    @tf.function(autograph=False)
    def f(x):
        return x * v + c + c

    cf = f.get_concrete_function(tf.TensorSpec([]))
    before = f(1.0)
    v.assign(10.0)
    return [before, f(1.0), len(cf.captured_inputs), [t.name for t in cf.inputs], [op.type for op in cf.graph.get_operations()]]


def prog_captures_of_outer_function(tf, np):
    """Inner functions capture tensors of the outer trace."""

    @tf.function(autograph=False)
    def outer(x):
        y = x * 10

        @tf.function(autograph=False)
        def inner(z):
            return z + y

        return inner(x) + inner(tf.constant(1))

    return outer(tf.constant(2))


def prog_closure_rebinding_unseen(tf, np):
    """Rebinding a Python name after tracing changes nothing."""
    k = 1

    @tf.function(autograph=False)
    def f(x):
        return x + k

    a = f(tf.constant(1))
    k = 100
    return [a, f(tf.constant(1)), f(tf.constant(1.0))]


def prog_concrete_function_outlives(tf, np):
    """A concrete function works after its function is gone."""

    def make():
        v = tf.Variable(5)

        @tf.function(autograph=False)
        def f(x):
            return x + v

        return f.get_concrete_function(tf.TensorSpec([], tf.int32)), v

    cf, v = make()
    return [cf(tf.constant(1)), v.assign(6).numpy(), cf(tf.constant(1))]


def prog_print_of_function(tf, np):
    """print of a function and of a symbolic list."""

    @tf.function(autograph=False)
    def f(x):
        print([x], {"k": x})
        return x

    return printed(lambda: f(tf.constant(1.0)))


def prog_concrete_function_with_variables_argument(tf, np):
    """Variables as arguments are passed by reference."""
    v, w = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function(autograph=False)
    def f(a, b):
        a.assign_add(b)
        return a * 1.0

    return [f(v, w), f(w, v), v, w]


def prog_method_concrete_function(tf, np):
    """get_concrete_function of a bound method."""

    class C:
        @tf.function(autograph=False)
        def f(self, x):
            return x + 1

    cf = C().f.get_concrete_function(tf.TensorSpec([None], tf.int32))
    return [cf(tf.constant([1])), cf.structured_input_signature[0][-1], [t.name for t in cf.inputs]]


def prog_spec_from_concrete_function(tf, np):
    """A retraced spec call through values with the same spec."""
    f = tf.function(lambda x: x * x, autograph=False)
    a = f.get_concrete_function(tf.TensorSpec([None, None], tf.float32))
    b = f.get_concrete_function(tf.TensorSpec([None, None], tf.float32))
    return [a is b, f(tf.ones([1, 2])), f.experimental_get_tracing_count(), a(tf.ones([2, 1]))]


def prog_runtime_error_in_function(tf, np):
    """An error at run time names the node."""

    @tf.function(autograph=False)
    def f(x):
        return tf.reshape(x, [2, 2], name="my_reshape")

    g = tf.function(f.python_function, autograph=False, input_signature=[tf.TensorSpec([None], tf.int32)])
    return [attempt(lambda: g(tf.constant([1, 2, 3])), words=6), attempt(lambda: f(tf.constant([1, 2, 3])), words=8)]


def prog_static_error_in_function(tf, np):
    """Shape errors while tracing keep their class."""

    @tf.function(autograph=False)
    def f(x):
        return tf.matmul(x, x)

    return [attempt(lambda: f(tf.ones([2, 3])), words=6), f(tf.ones([2, 2]))]


def prog_unknown_shapes_inside(tf, np):
    """Static shapes while tracing with specs."""
    seen = []

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec(None), tf.TensorSpec([], tf.int32)])
    def f(x, y, n):
        seen.extend([x.shape, y.shape, n.shape, (x @ tf.ones([3, 2])).shape, (y + 1).shape, tf.reshape(x, [n, 3]).shape])
        return tf.shape(x)

    return [f(tf.ones([4, 3]), tf.ones([1]), 4), seen]


def prog_experimental_attributes(tf, np):
    """experimental_implements and friends are accepted."""

    @tf.function(autograph=False, experimental_implements="my_op")
    def f(x):
        return x + 1

    return [f(tf.constant(1)), tf.function(lambda x: x, experimental_follow_type_hints=True, autograph=False)(1) if False else None]


def prog_signature_missing_argument_message(tf, np):
    """The leading words of binding errors."""

    @tf.function(autograph=False)
    def f(x, y):
        return x

    try:
        f(tf.constant(1))
    except TypeError as e:
        return Leading(str(e), 11)
