"""GraphDefs of functions and control flow: text, bytes, libraries, round trips through import_graph_def."""

from __future__ import annotations

import re

from tests.oracle.support import attempt, graph_text, nodes


def _library(graph):
    """Names and node lists of the functions a GraphDef carries, serial numbers taken out."""
    out = []
    for function in graph.as_graph_def().library.function:
        name = re.sub(r"_\d+$", "_N", function.signature.name)
        body = [f"{n.name} {n.op} {list(n.input)}" for n in function.node_def]
        arguments = [f"{a.name}:{a.type}" for a in function.signature.input_arg]
        results = [f"{a.name}:{a.type}" for a in function.signature.output_arg]
        out.append([name, arguments, results, body, sorted(dict(function.ret).items()), sorted(dict(function.control_ret).items())])
    return sorted(out, key=str)


def prog_serialized_nodes(tf, np):
    """The bytes of each NodeDef of a small graph."""
    with tf.Graph().as_default() as g:
        x = tf.compat.v1.placeholder(tf.float32, [None, 2], name="x")
        w = tf.constant([[1.0], [2.0]], name="w")
        tf.nn.relu(tf.matmul(x, w) + 0.5, name="y")
        tf.reshape(x, [-1], name="flat")
    return [(n.name, n.SerializeToString(deterministic=True).hex()) for n in g.as_graph_def().node]


def prog_serialized_constants(tf, np):
    """The bytes of constants of each dtype."""
    with tf.Graph().as_default() as g:
        for d in "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128".split():
            tf.cast(np.array([0, 1, 1]), d) if False else tf.constant(np.array([0, 1, 1]).astype(tf.as_dtype(d).as_numpy_dtype), name=d)
        tf.constant(["a", "bc"], name="strings")
        tf.constant(7, name="scalar")
        tf.constant(np.zeros([3, 3], np.float32), name="zeros")
        tf.constant([[1, 2], [3, 4]], name="matrix")
        tf.constant([5] * 10, name="repeated")
        tf.constant([1, 2, 2, 2, 2], name="tail")
    return [(n.name, n.SerializeToString(deterministic=True).hex()) for n in g.as_graph_def().node]


def prog_library_of_nested_function(tf, np):
    """A function called in a graph is in its library."""

    @tf.function(autograph=False)
    def inner(x):
        return x * x + 1.0

    @tf.function(autograph=False)
    def outer(x):
        return inner(x) - inner(x * 2.0)

    graph = outer.get_concrete_function(tf.TensorSpec([None])).graph
    return [nodes(graph), _library(graph)]


def prog_library_of_cond(tf, np):
    """Branches of a cond as library functions."""

    @tf.function(autograph=False)
    def f(x):
        return tf.cond(tf.greater(x, 0), lambda: x + 1, lambda: 0)

    graph = f.get_concrete_function(tf.TensorSpec([], tf.int32)).graph
    return [nodes(graph), _library(graph)]


def prog_library_of_while(tf, np):
    """Condition and body of a loop as library functions."""

    @tf.function(autograph=False)
    def f(n):
        return tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), [0, 0])

    graph = f.get_concrete_function(tf.TensorSpec([], tf.int32)).graph
    return [nodes(graph), _library(graph)]


def prog_cond_node_text(tf, np):
    """Attributes of If nodes."""

    @tf.function(autograph=False)
    def f(x, y):
        return tf.cond(x > 0.0, lambda: (x * y, y), lambda: (x, x))

    graph = f.get_concrete_function(tf.TensorSpec([]), tf.TensorSpec([])).graph
    op = next(o for o in graph.get_operations() if "If" in o.type)
    return [op.type, [i.name for i in op.inputs], op.get_attr("Tcond"), op.get_attr("Tin"), op.get_attr("Tout"), len(op.get_attr("output_shapes")), sorted(op.node_def.attr)]


def prog_while_node_text(tf, np):
    """Attributes of While nodes."""

    @tf.function(autograph=False)
    def f(x):
        return tf.while_loop(lambda v: tf.reduce_sum(v) < 10.0, lambda v: [v * 2.0], [x], parallel_iterations=3, maximum_iterations=7)

    graph = f.get_concrete_function(tf.TensorSpec([None])).graph
    op = next(o for o in graph.get_operations() if "While" in o.type)
    return [op.type, [i.name for i in op.inputs], op.get_attr("T"), op.get_attr("parallel_iterations"), sorted(op.node_def.attr), [o.shape for o in op.outputs]]


def prog_call_node_text(tf, np):
    """PartitionedCall and StatefulPartitionedCall attributes."""
    v = tf.Variable(1.0)
    pure = tf.function(lambda x: x + 1.0, autograph=False)
    stateful = tf.function(lambda x: v.assign_add(x), autograph=False)

    @tf.function(autograph=False)
    def f(x):
        return pure(x), stateful(x)

    graph = f.get_concrete_function(tf.TensorSpec([])).graph
    calls = [o for o in graph.get_operations() if "Call" in o.type]
    return [(o.name, o.type, [i.name for i in o.inputs], sorted(o.node_def.attr), o.get_attr("Tin"), o.get_attr("Tout")) for o in calls]


def prog_function_graph_text(tf, np):
    """The text of a function's graph with variables and control dependencies."""
    v = tf.Variable([1.0, 2.0], name="v")

    @tf.function(autograph=False)
    def f(x):
        v.assign(x * 2.0)
        return v + 1.0

    return graph_text(f.get_concrete_function(tf.TensorSpec([2], name="x")).graph)


def prog_import_of_function_graph(tf, np):
    """A graph with a library comes back into another graph."""
    inner = tf.function(lambda x: x * 3.0, autograph=False)
    with tf.Graph().as_default() as g:
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        tf.identity(inner(x), name="y")
    with tf.Graph().as_default() as h:
        y = tf.graph_util.import_graph_def(g.as_graph_def(), return_elements=["y:0"], name="back")[0]
        return [y.shape, y.dtype, [(o.name, o.type) for o in h.get_operations()], len(h.as_graph_def().library.function)]


def prog_round_trip_is_stable(tf, np):
    """Exporting an imported graph gives the same nodes."""
    with tf.Graph().as_default() as g:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
        with tf.name_scope("layer"):
            h = tf.nn.softmax(x @ tf.ones([3, 2]) + [1.0, 2.0])
        with tf.control_dependencies([h]):
            tf.identity(x, name="after")
        tf.concat([h, h], 1, name="both")
    definition = g.as_graph_def()
    with tf.Graph().as_default() as k:
        tf.graph_util.import_graph_def(definition, name="")
    again = {n.name: n.SerializeToString(deterministic=True) for n in k.as_graph_def().node}
    return [all(again[n.name] == n.SerializeToString(deterministic=True) for n in definition.node), [t.shape for t in k.get_operation_by_name("both").outputs]]


def prog_import_errors(tf, np):
    """Broken GraphDefs."""
    with tf.Graph().as_default() as g:
        a = tf.constant(1.0, name="a")
        tf.add(a, a, name="b")
    good = g.as_graph_def()

    def broken(change):
        d = type(good)()
        d.CopyFrom(good)
        change(d)
        with tf.Graph().as_default():
            return attempt(lambda: tf.graph_util.import_graph_def(d), words=4)

    def wrong_input(d):
        d.node[1].input[0] = "missing"

    def wrong_op(d):
        d.node[1].op = "NoSuchOp"

    def no_type(d):
        del d.node[1].attr["T"]

    def twice(d):
        d.node.add().CopyFrom(d.node[0])

    return [broken(change) for change in (wrong_input, wrong_op, twice)]


def prog_run_imported_graph(tf, np):
    """wrap_function runs an imported GraphDef."""
    with tf.Graph().as_default() as g:
        x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        tf.multiply(x, 2.0, name="y")
    definition = g.as_graph_def()

    @tf.function(autograph=False)
    def f(v):
        return tf.graph_util.import_graph_def(definition, input_map={"x:0": v}, return_elements=["y:0"])[0]

    return f(tf.constant([1.0, 2.0]))


def prog_shapes_in_graph_def(tf, np):
    """add_shapes writes _output_shapes."""
    with tf.Graph().as_default() as g:
        x = tf.compat.v1.placeholder(tf.float32, [None, 2], name="x")
        tf.reduce_sum(x, 1, name="s")
    d = g.as_graph_def(add_shapes=True)
    return [(n.name, str(n.attr["_output_shapes"])) for n in d.node]


def prog_attributes_as_protos(tf, np):
    """AttrValues of lists, shapes, types, strings, floats, functions."""
    with tf.Graph().as_default() as g:
        x = tf.zeros([1, 4, 4, 1], name="x")
        tf.nn.max_pool2d(x, [2, 2], 1, "SAME", name="p")
        tf.nn.leaky_relu(x, 0.3, name="l")
        tf.squeeze(x, [0, 3], name="s")
        tf.strings.join(["a", "b"], separator="-", name="j")
        tf.one_hot([1], 2, name="o")
    return {n.name: {k: str(v) for k, v in sorted(n.attr.items())} for n in g.as_graph_def().node if n.op != "Const"}


def prog_function_def_signature(tf, np):
    """The signature and attributes of a concrete function's definition."""

    @tf.function(autograph=False)
    def my_function(first, second=2.0):
        return first + second, first

    definition = my_function.get_concrete_function(tf.TensorSpec([None, 3])).function_def
    s = definition.signature
    return [re.sub(r"_\d+$", "_N", s.name), [(a.name, a.type) for a in s.input_arg], [(a.name, a.type) for a in s.output_arg], sorted(definition.attr), [f"{n.name} {n.op} {list(n.input)}" for n in definition.node_def], sorted(dict(definition.ret).items())]
