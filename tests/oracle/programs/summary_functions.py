"""Summaries in functions: what is captured, conditions, loops, branches, datasets, the nodes of graphs."""

from __future__ import annotations

from tests.oracle.programs._summary_helpers import events, folder, written
from tests.oracle.support import nodes


def prog_captured_writer_and_step(tf, np):
    step = tf.Variable(0, dtype=tf.int64)
    def body(writer):
        @tf.function
        def f(x):
            with writer.as_default(step):
                return tf.summary.scalar("a", x)
        out = []
        for number in range(3):
            out.append(f(tf.constant(number * 0.5)))
            step.assign_add(10)
        return out
    return written(tf, body)


def prog_writer_in_force_at_the_trace(tf, np):
    def body(writer):
        @tf.function
        def f(step):
            return tf.summary.write("a", [1, 2], step=step)
        return [f(tf.constant(step, tf.int64)) for step in (1, 2)]
    return written(tf, body)


def prog_no_writer_at_the_trace(tf, np):
    @tf.function
    def f():
        return tf.summary.write("a", 1, step=1)
    first = f()
    return [first, written(tf, lambda writer: f())]


def prog_python_steps_are_fixed(tf, np):
    def body(writer):
        @tf.function
        def f():
            tf.summary.scalar("a", 1.0)
        for step in (3, 4):
            tf.summary.experimental.set_step(step)
            f()
    return written(tf, body)


def prog_all_kinds(tf, np):
    def body(writer):
        @tf.function
        def f(x):
            s = tf.summary
            return [s.scalar("s", x[0], 1), s.histogram("h", x, 2, buckets=3), s.text("t", tf.strings.as_string(x), 3), s.image("i", tf.reshape(x, [1, 2, 2, 1]), 4), s.audio("a", tf.reshape(x, [2, 2, 1]), 8000, 5), s.write("w", x, 6)]
        return f(tf.constant([0.1, 0.2, 0.3, 1.0]))
    return written(tf, body)


def prog_all_kinds_of_unknown_shape(tf, np):
    def body(writer):
        @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec([None, None, None, 1]), tf.TensorSpec([None, None, 1])])
        def f(x, i, a):
            s = tf.summary
            return [s.histogram("h", x, 2, buckets=3), s.image("i", i, 4), s.audio("a", a, 8000, 5), s.write("w", x, 6)]
        x = tf.constant([0.1, 0.2, 0.3, 1.0])
        return [f(x, tf.reshape(x, [1, 2, 2, 1]), tf.reshape(x, [2, 2, 1])), f(x[:0], tf.reshape(x, [4, 1, 1, 1]), tf.zeros([0, 2, 1]))]
    return written(tf, body)


def prog_condition_of_a_tensor(tf, np):
    def body(writer):
        @tf.function
        def f(x, condition):
            with tf.summary.record_if(condition):
                return tf.summary.scalar("a", x, step=1)
        return [f(tf.constant(float(n)), tf.constant(n % 2 == 0)) for n in range(4)]
    return written(tf, body)


def prog_condition_of_a_function(tf, np):
    step = tf.Variable(0, dtype=tf.int64)
    def body(writer):
        tf.summary.experimental.set_step(step)
        @tf.function
        def f():
            with tf.summary.record_if(lambda: tf.equal(step % 2, 0)):
                return tf.summary.scalar("a", 1.0)
        out = []
        for _ in range(4):
            out.append(f())
            step.assign_add(1)
        return out
    return written(tf, body)


def prog_loops(tf, np):
    def body(writer):
        @tf.function
        def f(n):
            for i in tf.range(n):
                tf.summary.scalar("l", tf.cast(i, tf.float32), step=tf.cast(i, tf.int64))
                if i > 1:
                    tf.summary.write("c", i, step=tf.cast(i, tf.int64))
        f(4)
        f(tf.constant(3))
    return written(tf, body)


def prog_conds(tf, np):
    def body(writer):
        @tf.function
        def f(x):
            return tf.cond(x > 0, lambda: tf.summary.write("pos", x, step=1), lambda: tf.summary.write("neg", -x, step=2))
        return [f(tf.constant(1.0)), f(tf.constant(-1.0))]
    return written(tf, body)


def prog_order_of_effects(tf, np):
    v = tf.Variable(1.0)
    def body(writer):
        @tf.function
        def f():
            tf.summary.scalar("a", v, step=1)
            v.assign_add(1.0)
            tf.summary.scalar("b", v, step=1)
            writer.flush()
            tf.summary.scalar("a", v * 2, step=2)
        f()
        f()
    return written(tf, body)


def prog_datasets(tf, np):
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"))
        def note(x):
            with writer.as_default():
                tf.summary.scalar("m", x, step=x)
            return x
        out = list(tf.data.Dataset.range(3).map(note).as_numpy_iterator())
        writer.close()
        return [out, events(f("w"))]


def prog_nested_functions(tf, np):
    def body(writer):
        @tf.function
        def inner(x):
            tf.summary.scalar("inner", x, step=1)
            return x * 2
        @tf.function
        def outer(x):
            with tf.name_scope("outer"):
                return inner(x) + inner(x + 1)
        return outer(tf.constant(1.0))
    return written(tf, body)


def prog_scopes(tf, np):
    def body(writer):
        @tf.function
        def f():
            with tf.name_scope("out"):
                tf.summary.scalar("x", 1.0, step=1)
                tf.summary.scalar("x", 2.0, step=1)
                with tf.name_scope("deep"):
                    tf.summary.write("x", 3.0, step=1)
        f()
    return written(tf, body)


def prog_gradients(tf, np):
    v = tf.Variable(2.0)
    def body(writer):
        @tf.function
        def f():
            with tf.GradientTape() as tape:
                y = v * v
                tf.summary.scalar("y", y, step=1)
                tf.summary.histogram("h", [y, v], step=1, buckets=2)
            return tape.gradient(y, v)
        return f()
    return written(tf, body)


def prog_closed_writer(tf, np):
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"))
        @tf.function
        def g():
            with writer.as_default(1):
                tf.summary.write("a", 1)
        g()
        writer.close()
        return f.attempt(g)[0]


def prog_errors_of_traces(tf, np):
    def refused(writer, make):
        try:
            tf.function(make).get_concrete_function()
        except Exception as error:
            return [type(error).__name__, str(error).strip().split("\n")[-1].strip().removeprefix("ValueError: ")]
        return None
    def body(writer):
        s = tf.summary
        return [
            refused(writer, lambda: s.scalar("a", 1.0)),
            refused(writer, lambda: s.scalar("a", tf.constant(1.0), step=tf.constant([1, 2], tf.int64))),
            refused(writer, lambda: s.graph(tf.Graph())),
        ]
    return written(tf, body)


def prog_writers_made_in_a_function(tf, np):
    with folder() as f:
        kept = []
        @tf.function
        def g():
            writer = tf.summary.create_file_writer(f("w"))
            kept.append(writer)
            with writer.as_default(1):
                tf.summary.scalar("a", 1.0)
        g()
        g()
        return events(f("w"))


def _nodes(tf, body, *signature):
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"))
        step = tf.Variable(3, dtype=tf.int64)
        def g(*args):
            with writer.as_default(step):
                return body(*args)
        return nodes(tf.function(g, autograph=False).get_concrete_function(*signature).graph)


def prog_nodes_of_scalar(tf, np):
    return _nodes(tf, lambda: tf.summary.scalar("a", 1.5))


def prog_nodes_of_text(tf, np):
    return _nodes(tf, lambda: tf.summary.text("a", "x"))


def prog_nodes_of_write(tf, np):
    return _nodes(tf, lambda x: tf.summary.write("a", x, name="named"), tf.TensorSpec([2]))


def prog_nodes_of_image(tf, np):
    return _nodes(tf, lambda x: tf.summary.image("a", x), tf.TensorSpec([3, 2, 2, 1]))


def prog_nodes_of_histogram(tf, np):
    return _nodes(tf, lambda x: tf.summary.histogram("a", x), tf.TensorSpec([3]))


def prog_nodes_of_raw_pb(tf, np):
    return _nodes(tf, lambda: tf.summary.experimental.write_raw_pb(tf.constant(b"")))


def prog_nodes_of_a_condition(tf, np):
    def body(condition):
        with tf.summary.record_if(condition):
            return tf.summary.scalar("a", 1.5)
    return _nodes(tf, body, tf.TensorSpec([], tf.bool))


def prog_nodes_of_a_constant_condition(tf, np):
    def body():
        with tf.summary.record_if(False):
            return tf.summary.scalar("a", 1.5)
    return _nodes(tf, body)


def prog_nodes_of_several(tf, np):
    def body():
        with tf.name_scope("outer"):
            tf.summary.scalar("x", 1.0)
            tf.summary.scalar("x", 1.0)
            tf.summary.write("x", 1.0)
    return _nodes(tf, body)


def prog_nodes_of_flushes(tf, np):
    return _nodes(tf, lambda: tf.summary.flush() and None)


def prog_nodes_of_scopes(tf, np):
    def body():
        with tf.summary.experimental.summary_scope("foo", "bar", values=[tf.constant(1)]) as (tag, scope):
            return tag, scope, tf.summary.should_record_summaries()
    return _nodes(tf, body)
