"""Functions with `jit_compile=True` called in other functions: values, variables, gradients, refusals, graphs."""

from __future__ import annotations

from tests.oracle.modes import derivatives
from tests.oracle.support import attempt

_MODES = ("inside", "through", "gradients")


def _x(tf):
    return tf.constant([0.5, -1.2, 2.0])


def _compiled(tf, f):
    return tf.function(f, autograph=False, jit_compile=True)


def _plain(tf, f):
    return tf.function(f, autograph=False)


# --- gradients --------------------------------------------------------------------------------------------------------


@derivatives(2, modes=_MODES)
def compiled_once(tf, np):
    inner = _compiled(tf, lambda x: tf.sin(x) * x)
    return lambda x: inner(x) * inner(x * 2.0), [_x(tf)]


@derivatives(2, modes=_MODES)
def compiled_in_a_branch(tf, np):
    inner = _compiled(tf, lambda x: tf.exp(x) * x)
    return lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: inner(x), lambda: x), [_x(tf)]


@derivatives(1, modes=_MODES)
def compiled_in_a_loop(tf, np):
    inner = _compiled(tf, lambda x: tf.sin(x) * x)

    def f(x):
        return tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, inner(x)), [0, x], maximum_iterations=3)[1]

    return f, [_x(tf)]


@derivatives(2, modes=_MODES)
def compiled_around_a_plain_and_a_compiled_one(tf, np):
    plain, compiled = _plain(tf, lambda x: x * x), _compiled(tf, tf.sin)
    outer = _compiled(tf, lambda x: plain(compiled(x)) + compiled(plain(x)))
    return lambda x: outer(x), [_x(tf)]


# --- state ------------------------------------------------------------------------------------------------------------


def prog_compiled_updates(tf, np):
    """A compiled update between reads and updates of the caller, twice."""
    v = tf.Variable([1.0, 2.0])
    add = _compiled(tf, lambda x: v.assign_add(x).read_value() * 10.0)

    @tf.function(autograph=False)
    def outer(x):
        before = v.read_value()
        first = add(x)
        between = v.read_value()
        v.assign(between * 2.0)
        return before, first, between, add(x), v.read_value()

    return [outer(tf.ones([2])), v.assign_add([1.0, 1.0]).numpy(), outer(tf.ones([2])), v.numpy()]


def prog_compiled_function_of_variables(tf, np):
    """Variables are arguments of both functions; the same one twice."""
    add = _compiled(tf, lambda v, x: v.assign_add(x).read_value())
    outer = _plain(tf, lambda v, w: (add(v, 1.0), add(w, 10.0), add(v, 100.0)))
    v, w = tf.Variable(0.0), tf.Variable(0.0)
    return [outer(v, w), outer(v, v), v.numpy(), w.numpy()]


def prog_compiled_in_datasets(tf, np):
    """A compiled function in a map, and one in a loop over a dataset."""
    total = tf.Variable(0.0)
    scale = _compiled(tf, lambda x: tf.cast(x, tf.float32) * 1.5)
    add = _compiled(tf, lambda x: total.assign_add(tf.reduce_sum(x)).read_value())

    @tf.function
    def run(dataset):
        last = 0.0
        for batch in dataset:
            last = add(batch)
        return last

    dataset = tf.data.Dataset.range(7).map(lambda x: scale(x)).batch(3)
    return [list(dataset), run(dataset), total.numpy()]


# --- refusals ---------------------------------------------------------------------------------------------------------


def prog_compiled_refusals(tf, np):
    """What XLA cannot take is refused when the call is reached."""
    text = _compiled(tf, lambda x: tf.strings.length(tf.strings.as_string(x)))
    python = _compiled(tf, lambda x: tf.py_function(lambda y: y, [x], tf.float32))
    branch = _plain(tf, lambda p, x: tf.cond(p, lambda: python(x), lambda: x))
    x = tf.constant(1.0)

    def refusal(call):
        raised = attempt(call, 0)
        message = str(raised.error)  # TensorFlow puts the places of operations before or after it
        return [raised, *[words in message for words in ("Detected unsupported operations", "AsString", "EagerPyFunc")]]

    return [
        refusal(lambda: _plain(tf, lambda x: text(x))(x)),
        branch(tf.constant(False), x),
        refusal(lambda: branch(tf.constant(True), x)),
    ]


# --- graphs -----------------------------------------------------------------------------------------------------------


def prog_compiled_calls_in_graphs(tf, np):
    """The call, its function, and their attributes."""
    v = tf.Variable(1.0)
    pure, stateful = _compiled(tf, lambda x: x * 2.0), _compiled(tf, lambda x: v.assign_add(x).read_value())
    graph = _plain(tf, lambda x: pure(x) + stateful(x)).get_concrete_function(tf.TensorSpec([])).graph
    message = graph.as_graph_def()
    calls = [(n.op, n.attr["_XlaMustCompile"].b) for n in message.node if "Call" in n.op]
    names = ("_XlaMustCompile", "_noinline")
    functions = sorted([f.attr[name].b for name in names] for f in message.library.function)
    return [calls, functions]
