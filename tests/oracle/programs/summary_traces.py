"""tf.summary.graph, trace_on, trace_export: events, nodes of functions, what is refused."""

from __future__ import annotations

import os

from tests.oracle.programs._summary_helpers import events, folder, records, written


def _graphs(tf, f):
    """The nodes of the functions in each trace that was written, as they were before optimization."""
    found = []
    for record in records(f("w/" + os.listdir(f("w"))[0]))[1:]:
        event = tf.compat.v1.Event.FromString(record)
        for value in event.summary.value:
            message = tf.compat.v1.RunMetadata.FromString(value.tensor.string_val[0])
            graphs = [sorted([n.name, n.op, sorted(n.input)] for n in g.pre_optimization_graph.node) for g in message.function_graphs]
            graphs = sorted(g for g in graphs if any(name.startswith("sc/") for name, _, _ in g))
            found.append([event.step, value.tag, value.metadata.SerializeToString(), graphs])
    return found


def _traced(tf, act, **options):
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"))
        tf.summary.trace_on(**options)
        act()
        with writer.as_default(step=4):
            tf.summary.trace_export("traced")
        writer.close()
        return _graphs(tf, f)


def _scoped(tf):
    @tf.function
    def scoped(x):
        with tf.name_scope("sc"):
            return x * 2.0 + 1.0
    return scoped


def prog_trace_of_a_function(tf, np):
    return _traced(tf, lambda: _scoped(tf)(tf.constant(1.0)))


def prog_trace_of_two_traces(tf, np):
    scoped = _scoped(tf)
    return _traced(tf, lambda: [scoped(tf.constant(1.0)), scoped(tf.constant([1.0]))])


def prog_trace_of_variables(tf, np):
    v = tf.Variable(1.0)
    @tf.function
    def count(x):
        with tf.name_scope("sc"):
            v.assign_add(x)
            return v.read_value() * 2.0
    return _traced(tf, lambda: count(tf.constant(1.0)))


def prog_trace_of_a_module(tf, np):
    class Demo(tf.Module):
        def __init__(self):
            super().__init__(name="sc")
            with self.name_scope:
                self.x = tf.Variable(0.0)
        @tf.function
        def add(self, a):
            with self.name_scope:
                self.x.assign_add(a)
                return self.x * 1.0
    demo = Demo()
    return _traced(tf, lambda: demo.add(tf.constant(5.0)))


def prog_trace_of_several_results(tf, np):
    @tf.function
    def parts(x):
        with tf.name_scope("sc"):
            a, b = tf.split(x, 2)
            return {"a": a, "b": b}
    return _traced(tf, lambda: parts(tf.constant([1.0, 2.0])))


def prog_trace_that_is_off(tf, np):
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"))
        with writer.as_default(step=4):
            found = [f.attempt(lambda: tf.summary.trace_export("x"))]
            tf.summary.trace_on()
            tf.summary.trace_off()
            found.append(f.attempt(lambda: tf.summary.trace_export("x")))
            found.append(tf.summary.trace_off())
        writer.close()
        return [found, events(f("w"))]


def prog_trace_without_a_writer(tf, np):
    with folder() as f:
        tf.summary.trace_on()
        return [tf.summary.trace_export("x", step=1), f.attempt(lambda: tf.summary.trace_export("x", step=1))]


def prog_trace_without_a_graph(tf, np):
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"))
        tf.summary.trace_on(graph=False)
        with writer.as_default(step=4):
            tf.summary.trace_export("x")
        writer.close()
        return events(f("w"))


def prog_trace_in_a_function(tf, np):
    @tf.function
    def f():
        tf.summary.trace_on()
        tf.summary.trace_export("x", step=1)
        tf.summary.trace_off()
        return 1
    with folder() as g:
        return [f(), g.attempt(lambda: tf.summary.trace_export("x", step=1))]


def prog_trace_of_unknown_arguments(tf, np):
    with folder() as f:
        return f.attempt(lambda: tf.summary.trace_export("x", step=1, profile_outdir="y"))[0]


def prog_trace_with_a_profile(tf, np):
    with folder() as f:
        tf.summary.trace_on(profiler=True, profiler_outdir=f("p"))
        _scoped(tf)(tf.constant(1.0))
        with tf.summary.create_file_writer(f("w")).as_default(1):
            tf.summary.trace_export("x")
        files = [name for _, _, names in os.walk(f("p")) for name in names]
        return any(name.endswith(".xplane.pb") for name in files)


def prog_graphs(tf, np):
    def body(writer):
        with tf.Graph().as_default() as graph:
            tf.constant(1.0, name="k")
        return [tf.summary.graph(graph), tf.summary.graph(graph.as_graph_def())]
    found, files = written(tf, body)
    attributes = []
    for record in files[0][1][1:]:  # the order of attributes differs from run to run
        message = tf.compat.v1.GraphDef.FromString(tf.compat.v1.Event.FromString(b"\x09" + bytes(8) + record).graph_def)
        attributes.append([[n.name, n.op, sorted(n.attr)] for n in message.node])
    return [found, attributes]


def prog_graphs_refused(tf, np):
    def body(writer):
        try:
            return tf.summary.graph("x")
        except ValueError as error:
            return str(error)
    return written(tf, body)


def prog_graphs_of_functions(tf, np):
    @tf.function
    def f(x):
        return tf.cond(x > 0, lambda: x, lambda: -x)
    def body(writer):
        return tf.summary.graph(f.get_concrete_function(tf.TensorSpec([])).graph)
    found, files = written(tf, body)
    event = tf.compat.v1.Event.FromString(b"\x09" + bytes(8) + files[0][1][1])
    message = tf.compat.v1.GraphDef.FromString(event.graph_def)
    return [found, [[n.name, n.op] for n in message.node], len(message.library.function)]
