"""recompute_grad, gradient rules by name, and both under jit_compile."""

from __future__ import annotations

from tests.oracle.programs._gradient_helpers import (
    by_nested_tapes,
    make_cube,
    make_triple,
    modes,
    taped,
    value_and_gradient,
)
from tests.oracle.support import attempt, logged

# --- recompute_grad


def _block(tf):
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
    b = tf.Variable([0.5, -0.5], name="b")

    def block(x):
        return tf.tanh(tf.matmul(x, w) + b)

    return block, [w, b]


def prog_recompute(tf, np):
    """Values and gradients are those of the plain function."""
    block, variables = _block(tf)
    out = []
    for f in (block, tf.recompute_grad(block)):
        for g in (f, tf.function(lambda x, f=f: f(x))):
            x = tf.constant([[0.1, 0.2]])
            out.append(value_and_gradient(tf, g, x, [x, *variables]))
    return out


def prog_recompute_counts(tf, np):
    """How often the function runs: forward, backward."""
    calls = []

    def f(x):
        calls.append(1)
        return tf.exp(x)

    g = tf.recompute_grad(f)
    x = tf.constant(1.0)
    g(x)
    counts = [len(calls)]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = g(x)
    counts.append(len(calls))
    return [tape.gradient(y, x), counts, len(calls)]


def prog_recompute_chain(tf, np):
    """Several in a row, one in the other."""
    f = tf.recompute_grad(lambda x: tf.sin(x) * x)
    g = tf.recompute_grad(lambda x: f(f(x)) * 2.0)
    return [taped(tf, h, tf.constant(2.0)) for h in modes(tf, lambda x: g(f(x)))]


def prog_recompute_arguments(tf, np):
    """Several arguments, structures, results that are structures."""
    two = tf.recompute_grad(lambda a, b: a * b * b)
    pair = tf.recompute_grad(lambda a, b: (a * b, a + b))
    named = tf.recompute_grad(lambda p: {"y": p["a"] * p["b"]})

    def all_of(a, b):
        p, q = pair(a, b)
        return two(a, b) + p * q + named({"a": a, "b": b})["y"]

    a, b = tf.constant(2.0), tf.constant(3.0)
    return [attempt(lambda g=g: taped(tf, g, a, b), words=6) for g in modes(tf, all_of)]


def prog_recompute_keywords(tf, np):
    """Keyword arguments in eager mode and in a graph."""
    f = tf.recompute_grad(lambda x, scale=1.0, on=True: x * x * scale if on else x)
    return [attempt(lambda g=g: taped(tf, g, tf.constant(2.0)), words=14) for g in modes(tf, lambda x: f(x, scale=3.0, on=True))]


def prog_recompute_tensor_keyword(tf, np):
    """A tensor as a keyword argument has no gradient."""
    f = tf.recompute_grad(lambda x, scale=1.0: x * x * scale)
    return attempt(lambda: taped(tf, lambda x, s: f(x, scale=s), tf.constant(2.0), tf.constant(5.0)), words=6)


def prog_recompute_second_order(tf, np):
    """A second derivative through recompute_grad."""
    f = tf.recompute_grad(lambda x: x * x * x)

    found = modes(tf, lambda x: by_nested_tapes(tf, f, x)[1:])
    return [attempt(lambda g=g: g(tf.constant(2.0)), words=6) for g in found]


def prog_recompute_in_control_flow(tf, np):
    """In a loop and in a branch, eagerly: in graphs TensorFlow fails (AssertionError in a branch)."""
    f = tf.recompute_grad(lambda x: tf.sin(x) * x)

    def loop(x):
        return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, f(y)), (tf.constant(0), x))[1]

    def branch(x):
        return tf.cond(x > 0.0, lambda: f(x), lambda: x)

    return [taped(tf, h, tf.constant(2.0)) for h in (loop, branch)]


def prog_recompute_attributes(tf, np):
    """What a recomputed function says of itself."""

    def named(x):
        """The doc."""
        return x

    f = tf.recompute_grad(named)
    return [callable(f), getattr(f, "__name__", None), getattr(f, "__wrapped__", None) is named]


def prog_recompute_variables_without_arguments(tf, np):
    """A function of variables only."""
    v = tf.Variable(3.0)
    f = tf.recompute_grad(lambda: v * v)

    def run(g):
        with tf.GradientTape() as tape:
            y = g()
        return y, tape.gradient(y, v)

    return [attempt(lambda g=g: run(g), words=6) for g in modes(tf, lambda: f())]


def prog_recompute_integer_argument(tf, np):
    """An integer argument and an integer result."""
    f = tf.recompute_grad(lambda x, n: x * tf.cast(n, tf.float32))
    g = tf.recompute_grad(lambda x: (x * x, tf.constant(3)))

    def run(h):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = h(x)
        return y, tape.gradient(y, x)

    return [*[run(h) for h in modes(tf, lambda x: f(x, tf.constant(4)))], run(lambda x: g(x)[0])]


def prog_recompute_with_random_state(tf, np):
    """Stateless randomness recomputes to the same numbers."""
    f = tf.recompute_grad(lambda x: x * tf.random.stateless_uniform([3], seed=[1, 2]))
    x = tf.constant([1.0, 2.0, 3.0])
    value, gradients = taped(tf, f, x)
    return [value, gradients, bool(np.allclose(value, np.asarray(gradients[0]) * x.numpy()))]


def prog_recompute_of_a_function(tf, np):
    """A tf.function that is recomputed."""
    f = tf.recompute_grad(tf.function(lambda x: x * x * x))
    return [attempt(lambda g=g: taped(tf, g, tf.constant(2.0)), words=6) for g in modes(tf, lambda x: f(x))]


# --- rules of the registry


def prog_register_gradient(tf, np):
    """A rule for an op of another name, used through gradient_override_map."""

    @tf.RegisterGradient("OracleTimesTen")
    def rule(op, dy):
        return dy * 10.0

    @tf.function(autograph=False)
    def f(x):
        with tf.compat.v1.get_default_graph().gradient_override_map({"Square": "OracleTimesTen"}):
            y = tf.square(x)
        z = tf.square(x)
        return tf.gradients(y, x)[0], tf.gradients(z, x)[0]

    return f(tf.constant(3.0))


def prog_override_with_a_tape(tf, np):
    """The map with a tape, inside of the function and around it."""

    @tf.RegisterGradient("OracleTimesEleven")
    def rule(op, dy):
        return dy * 11.0

    def f(x):
        with tf.compat.v1.get_default_graph().gradient_override_map({"Square": "OracleTimesEleven"}):
            return tf.square(x)

    @tf.function(autograph=False)
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return inside(tf.constant(3.0)), taped(tf, tf.function(f), tf.constant(3.0))


def prog_rule_sees_the_operation(tf, np):
    """A rule reads inputs, outputs, type and attributes."""
    seen = []

    @tf.RegisterGradient("OracleLooks")
    def rule(op, dy):
        seen.append([op.type, len(op.inputs), len(op.outputs), op.get_attr("transpose_a"), op.get_attr("_gradient_op_type")])
        return dy * op.inputs[1], dy * op.outputs[0]

    @tf.function(autograph=False)
    def f(a, b):
        with tf.compat.v1.get_default_graph().gradient_override_map({"MatMul": "OracleLooks"}):
            y = tf.matmul(a, b)
        return tf.gradients(y, [a, b])

    return f(tf.constant([[2.0]]), tf.constant([[3.0]])), seen


def prog_set_attribute_of_an_operation(tf, np):
    """`_gradient_op_type` set on one operation."""
    if "OracleTimesTwelve" not in seen_names:

        @tf.RegisterGradient("OracleTimesTwelve")
        def rule(op, dy):
            return dy * 12.0

        seen_names.add("OracleTimesTwelve")

    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2])
        with graph.gradient_override_map({"Tanh": "OracleTimesTwelve", "Identity": "OracleTimesTwelve"}):
            y = tf.tanh(x)
            z = tf.sin(x)
        w = tf.tanh(x)
        types = [y.op.get_attr("_gradient_op_type"), attempt(lambda: z.op.get_attr("_gradient_op_type"), words=4), attempt(lambda: w.op.get_attr("_gradient_op_type"), words=4)]
        made = [tf.gradients(t, x)[0].op.type for t in (y, z, w)]
    return types, made


seen_names = set()


def prog_override_map_errors(tf, np):
    """What gradient_override_map refuses."""
    graph = tf.Graph()

    def enter(mapping):
        with graph.as_default(), graph.gradient_override_map(mapping):
            return tf.square(tf.constant(1.0)).op.get_attr("_gradient_op_type")

    return [attempt(lambda m=m: enter(m), words=8) for m in (["Square"], {"Square": 5}, {5: "Square"}, {}, {"Square": "Never registered"})]


def prog_override_with_an_unknown_rule(tf, np):
    """An override that nobody registered."""

    @tf.function(autograph=False)
    def f(x):
        with tf.compat.v1.get_default_graph().gradient_override_map({"Square": "OracleNobody"}):
            y = tf.square(x)
        return tf.gradients(y, x)

    return attempt(lambda: f(tf.constant(3.0)), words=6)


def prog_register_twice(tf, np):
    """One name, two rules."""
    tf.RegisterGradient("OracleTwice")(lambda op, dy: dy)
    return attempt(lambda: tf.RegisterGradient("OracleTwice")(lambda op, dy: dy), words=6)


def prog_register_for_an_existing_op(tf, np):
    """A rule for an op that has one."""
    return attempt(lambda: tf.RegisterGradient("Square")(lambda op, dy: dy), words=6)


def prog_register_wrong_arguments(tf, np):
    """Names and rules of wrong types."""
    return [attempt(lambda: tf.RegisterGradient(5), words=3), attempt(lambda: tf.RegisterGradient("OracleNotAFunction")(5), words=3), attempt(lambda: tf.no_gradient(5), words=3), attempt(lambda: tf.RegisterGradient("OracleReturned")(len) is len)]


def prog_no_gradient(tf, np):
    """An override without a gradient: None, as for an op that has none."""
    tf.no_gradient("OracleWithout")

    @tf.function(autograph=False)
    def f(x):
        with tf.compat.v1.get_default_graph().gradient_override_map({"Square": "OracleWithout"}):
            y = tf.square(x)
        return [g is None for g in (tf.gradients(y, x)[0], tf.gradients(y * x, x)[0])], tf.gradients(y * x, x)[0]

    return f(tf.constant(3.0))


def prog_no_gradient_names(tf, np):
    """The names it goes by, and giving one twice."""
    v1 = tf.compat.v1
    tf.no_gradient("OracleGone")
    return [v1.NoGradient is v1.NotDifferentiable, v1.no_gradient is tf.no_gradient, v1.RegisterGradient is tf.RegisterGradient, attempt(lambda: tf.no_gradient("OracleGone"), words=6), hasattr(tf, "NoGradient"), hasattr(tf, "NotDifferentiable")]


def prog_override_several_results(tf, np):
    """A rule of an op with several inputs and results; one input without a gradient."""

    @tf.RegisterGradient("OracleSplit")
    def rule(op, *dys):
        return None, tf.concat([d * 2.0 for d in dys], 0)

    @tf.function(autograph=False)
    def f(x):
        with tf.compat.v1.get_default_graph().gradient_override_map({"Split": "OracleSplit"}):
            a, b = tf.split(x, 2)
        return tf.gradients(a * 3.0 + b * 5.0, x)[0], tf.gradients(b * 5.0, x)[0]

    return f(tf.constant([1.0, 2.0]))


def prog_override_wrong_count(tf, np):
    """A rule that returns too few gradients."""

    @tf.RegisterGradient("OracleTooFew")
    def rule(op, dy):
        return [dy]

    @tf.function(autograph=False)
    def f(a, b):
        with tf.compat.v1.get_default_graph().gradient_override_map({"MatMul": "OracleTooFew"}):
            y = tf.matmul(a, b)
        return tf.gradients(y, [a, b])

    return attempt(lambda: f(tf.constant([[2.0]]), tf.constant([[3.0]])), words=8)


def prog_override_second_order(tf, np):
    """The gradient of an overridden gradient."""

    @tf.RegisterGradient("OracleQuartic")
    def rule(op, dy):
        return dy * op.inputs[0] ** 4.0

    @tf.function(autograph=False)
    def f(x):
        with tf.compat.v1.get_default_graph().gradient_override_map({"Square": "OracleQuartic"}):
            y = tf.square(x)
        first = tf.gradients(y, x)[0]
        return first, tf.gradients(first, x)[0]

    return f(tf.constant(2.0))


def prog_override_nested_maps(tf, np):
    """Maps in maps: the inner one wins, the outer one comes back."""
    graph = tf.Graph()
    names = []
    with graph.as_default():
        x = tf.constant(1.0)
        with graph.gradient_override_map({"Square": "A", "Tanh": "T"}):
            names.append(tf.square(x).op.get_attr("_gradient_op_type"))
            with graph.gradient_override_map({"Square": "B"}):
                names += [t.op.get_attr("_gradient_op_type") for t in (tf.square(x), tf.tanh(x))]
            names.append(tf.square(x).op.get_attr("_gradient_op_type"))
        names.append(attempt(lambda: tf.square(x).op.get_attr("_gradient_op_type"), words=4))
    return names


# --- compiled


def prog_compiled(tf, np):
    """Under jit_compile: plain, second order, with a variable."""
    cube = make_cube(tf)
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def scaled(x):
        return x * v, lambda dy, variables=None: (dy * v * 10.0, [dy * x * 7.0])

    @tf.function(jit_compile=True)
    def inside(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = cube(x) + scaled(x)
            first = inner.gradient(y, [x, v])
        return y, first, outer.gradient(first[0], x)

    x = tf.constant(3.0)
    f = tf.function(lambda x: cube(x) + scaled(x), jit_compile=True)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return inside(x), y, tape.gradient(y, [x, v])


def prog_compiled_recompute(tf, np):
    """recompute_grad under jit_compile, the tape inside and outside."""
    block, variables = _block(tf)
    f = tf.recompute_grad(block)
    x = tf.constant([[0.1, 0.2]])

    @tf.function(jit_compile=True)
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return y, tape.gradient(y, [x, *variables])

    outside = tf.function(lambda x: f(x), jit_compile=True)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = outside(x)
    return inside(x), y, tape.gradient(y, [x, *variables])


def prog_compiled_pass_through_and_stop(tf, np):
    """grad_pass_through and stop_gradient under jit_compile."""

    def f(x):
        return tf.grad_pass_through(tf.round)(x * x) * tf.stop_gradient(x)

    return taped(tf, tf.function(f, jit_compile=True), tf.constant([1.3, 2.6]))


def prog_warnings(tf, np):
    """A decorated function logs nothing of itself."""
    triple = make_triple(tf)
    return logged(tf, lambda: taped(tf, tf.function(lambda x: triple(x)), tf.constant(2.0)))
