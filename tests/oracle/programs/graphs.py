"""tf.Graph: operations, names, lookup, control dependencies, GraphDef."""

from __future__ import annotations

from tests.oracle.support import attempt, graph_text, nodes


def prog_names_are_made_unique(tf, np):
    """Repeated names count up."""
    with tf.Graph().as_default() as g:
        xs = [tf.constant(1), tf.constant(2), tf.constant(3, name="c"), tf.constant(4, name="c"), tf.constant(5, name="c_1"), tf.constant(6, name="Const")]
        return [[x.name for x in xs], [x.op.name for x in xs], len(g.get_operations())]


def prog_names_ignore_case(tf, np):
    """Names differing in case only are made unique."""
    with tf.Graph().as_default():
        return [tf.constant(1, name=n).name for n in ("x", "X", "x", "x_1", "X_1")]


def prog_unique_name(tf, np):
    """Graph.unique_name marks names as used."""
    g = tf.Graph()
    return [g.unique_name("a"), g.unique_name("a"), g.unique_name("a", mark_as_used=False), g.unique_name("a"), g.unique_name("b/c")]


def prog_invalid_names(tf, np):
    """Names with forbidden characters."""
    with tf.Graph().as_default():
        return [attempt(lambda n=n: tf.constant(1, name=n).name, words=6) for n in ("a b", "a:0", "_a", "a-b", "a.b", "a/b", "", "é", "a\\b", ">x")]


def prog_name_scopes(tf, np):
    """Nested, repeated, absolute and empty scopes."""
    with tf.Graph().as_default():
        out = []
        with tf.name_scope("a") as s:
            out += [s, tf.constant(1).name]
            with tf.name_scope("b"):
                out.append(tf.constant(1, name="c").name)
            with tf.name_scope("b") as s2:
                out += [s2, tf.constant(1, name="c").name]
        with tf.name_scope("a") as s3:
            out += [s3, tf.constant(1).name]
        with tf.name_scope(s):
            out.append(tf.constant(1).name)
        with tf.name_scope("q"), tf.name_scope("/") if False else tf.name_scope("r"):
            out.append(tf.constant(1).name)
        return out + [attempt(lambda: tf.name_scope("bad scope!").__enter__(), words=3), attempt(lambda: tf.name_scope(None), words=3)]


def prog_graph_name_scope_method(tf, np):
    """Graph.name_scope and get_name_scope."""
    g = tf.Graph()
    with g.as_default():
        with g.name_scope("one"):
            a = tf.constant(1).name
            with g.name_scope(None):
                b = tf.constant(1).name
            with tf.name_scope("two"):
                c = [g.get_name_scope(), tf.constant(1).name]
        return [a, b, c, g.get_name_scope()]


def prog_name_scope_in_eager(tf, np):
    """Scopes in eager mode prefix variable names only."""
    with tf.name_scope("eager") as s:
        v = tf.Variable(1)
        with tf.name_scope("sub") as t:
            pass
    return [s, t, v.name]


def prog_operations_and_lookup(tf, np):
    """get_operation_by_name, get_tensor_by_name, as_graph_element."""
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1, 2], name="a")
        b = tf.add(a, 1, name="b")
    return [
        g.get_operation_by_name("b"),
        g.get_tensor_by_name("b:0"),
        g.as_graph_element("a"),
        g.as_graph_element("a:0"),
        g.as_graph_element(b) is b,
        attempt(lambda: g.get_operation_by_name("zz")),
        attempt(lambda: g.get_tensor_by_name("b:1")),
        attempt(lambda: g.get_tensor_by_name("b")),
        attempt(lambda: g.get_operation_by_name("b:0")),
        attempt(lambda: g.get_tensor_by_name(5)),
        attempt(lambda: g.as_graph_element("a:x:y")),
    ]


def prog_operation_properties(tf, np):
    """type, inputs, outputs, control_inputs, node_def, graph, device."""
    with tf.Graph().as_default() as g:
        x = tf.constant([1.0, 2.0], name="x")
        y = tf.multiply(x, x, name="y")
        op = y.op
        return [op.name, op.type, list(op.inputs), op.outputs, op.control_inputs, op.graph is g, op.device, y.consumers(), [c.name for c in x.consumers()], y.value_index, op.values(), str(op.node_def), x.graph is g]


def prog_operation_text(tf, np):
    """str and repr of operations."""
    with tf.Graph().as_default():
        op = tf.add(tf.constant(1, name="p"), 2, name="sum").op
        return [repr(op), str(op), str(tf.constant("s", name="k").op)]


def prog_get_attr(tf, np):
    """Attributes of nodes."""
    with tf.Graph().as_default():
        m = tf.matmul([[1.0]], [[2.0]], transpose_b=True).op
        c = tf.constant([1, 2]).op
        k = tf.cast(1, tf.float32).op
        s = tf.split([1, 2], 2)[0].op
        return [m.get_attr("transpose_a"), m.get_attr("transpose_b"), m.get_attr("T"), c.get_attr("dtype"), k.get_attr("DstT"), s.get_attr("num_split"), attempt(lambda: m.get_attr("nothing")), tf.concat([[1], [2]], 0).op.get_attr("N")]


def prog_multiple_outputs(tf, np):
    """Outputs are numbered."""
    with tf.Graph().as_default():
        parts = tf.split([1, 2, 3], 3)
        values, indices = tf.math.top_k([1.0, 2.0], 1)
        return [[p.name for p in parts], values.name, indices.name, len(parts[0].op.outputs), parts[2].value_index]


def prog_control_dependencies(tf, np):
    """control_dependencies adds control inputs."""
    with tf.Graph().as_default() as g:
        a = tf.constant(1, name="a")
        b = tf.constant(2, name="b")
        with tf.control_dependencies([a, b.op]):
            c = tf.constant(3, name="c")
            d = tf.add(a, c, name="d")
            with tf.control_dependencies([c]):
                tf.constant(4, name="e")
            with tf.control_dependencies(None):
                tf.constant(5, name="f")
        with g.control_dependencies([d]):
            tf.identity(a, name="g")
        return [nodes(g), attempt(lambda: tf.control_dependencies([5]).__enter__(), words=3)]


def prog_control_dependencies_in_eager(tf, np):
    """In eager mode they do nothing; callables run."""
    calls = []
    with tf.control_dependencies([tf.constant(1)]):
        x = tf.constant(2)
    with tf.control_dependencies([lambda: calls.append(1)]):
        pass
    return [x, calls]


def prog_default_graph(tf, np):
    """as_default, executing_eagerly, get_default_graph."""
    g, h = tf.Graph(), tf.Graph()
    out = [tf.executing_eagerly()]
    with g.as_default():
        out.append(tf.executing_eagerly())
        with h.as_default():
            x = tf.constant(1)
            out.append(x.graph is h)
        y = tf.constant(1)
        out.append(y.graph is g)
        with tf.init_scope():
            out.append(tf.executing_eagerly())
    return out + [tf.executing_eagerly(), tf.compat.v1.get_default_graph() is g]


def prog_mixing_graphs(tf, np):
    """Tensors of two graphs do not meet."""
    g, h = tf.Graph(), tf.Graph()
    with g.as_default():
        a = tf.constant(1)
    with h.as_default():
        b = tf.constant(2)
        return [attempt(lambda: a + b, words=6)]


def prog_eager_tensor_in_graph(tf, np):
    """An eager tensor used in a plain Graph."""
    e = tf.constant([1, 2])
    with tf.Graph().as_default() as g:
        r = attempt(lambda: e + 1, words=6)
        return [r, nodes(g)]


def prog_symbolic_tensor_in_eager(tf, np):
    """A graph's tensor used outside."""
    with tf.Graph().as_default():
        x = tf.constant(1)
    return [attempt(lambda: x + 1, words=4), attempt(lambda: x.numpy(), words=3), attempt(lambda: tf.identity(x), words=3), attempt(lambda: int(x), words=3)]


def prog_collections(tf, np):
    """Graph collections."""
    g = tf.Graph()
    g.add_to_collection("k", 1)
    g.add_to_collections(["k", "m"], 2)
    return [g.get_collection("k"), g.get_collection("m"), g.get_collection("none"), g.get_collection_ref("k"), sorted(g.get_all_collection_keys()), g.clear_collection("k"), g.get_collection("k")]


def prog_finalize(tf, np):
    """A finalized graph refuses operations."""
    g = tf.Graph()
    g.finalize()
    with g.as_default():
        return [g.finalized, attempt(lambda: tf.constant(1), words=5)]


def prog_version_and_seed(tf, np):
    """version grows with operations; seed belongs to the graph."""
    with tf.Graph().as_default() as g:
        versions = [g.version]
        tf.constant(1)
        versions.append(g.version)
        tf.random.set_seed(4)
        return [versions, g.seed, g.building_function, len(g.get_operations())]


def prog_prevent_feeding_fetching(tf, np):
    """is_feedable, is_fetchable."""
    with tf.Graph().as_default() as g:
        x = tf.constant(1)
        out = [g.is_feedable(x), g.is_fetchable(x)]
        g.prevent_feeding(x)
        g.prevent_fetching(x.op)
        return out + [g.is_feedable(x), g.is_fetchable(x.op)]


def prog_graph_def_of_constants(tf, np):
    """The GraphDef text of constants of several dtypes."""
    with tf.Graph().as_default() as g:
        tf.constant(1, name="i")
        tf.constant([1.5, 2.0], name="f")
        tf.constant([[True], [False]], name="b")
        tf.constant(["x", "yz"], name="s")
        tf.constant([], name="empty")
        tf.constant(5, tf.int64, name="l")
    return graph_text(g)


def prog_graph_def_of_constants_more_dtypes(tf, np):
    """More constant dtypes, splats and big arrays."""
    with tf.Graph().as_default() as g:
        for d in "float16 bfloat16 float64 int8 uint8 int16 uint16 uint32 uint64 complex64 complex128".split():
            tf.constant([1, 2], d, name=d)
        tf.constant(7.0, shape=[4], name="splat")
        tf.constant(np.zeros([2, 2], np.float32), name="zeros")
    return graph_text(g)


def prog_graph_def_of_arithmetic(tf, np):
    """The GraphDef text of a small computation."""
    with tf.Graph().as_default() as g:
        x = tf.constant([[1.0, 2.0]], name="x")
        w = tf.constant([[3.0], [4.0]], name="w")
        y = tf.nn.relu(tf.matmul(x, w, name="product") + 1.0, name="y")
        tf.reduce_sum(y, axis=0, keepdims=True)
    return graph_text(g)


def prog_graph_def_of_shapes(tf, np):
    """Shape-like attributes and list attributes."""
    with tf.Graph().as_default() as g:
        x = tf.zeros([1, 4, 4, 1])
        tf.nn.max_pool2d(x, 2, 2, "VALID")
        x[0, ..., 1:]
        tf.squeeze(x, [0])
        tf.concat([x, x], 3)
        tf.split(x, 2, axis=1)
        tf.cast(x, tf.int32)
        tf.transpose(x)
    return graph_text(g)


def prog_graph_def_with_control_inputs(tf, np):
    """Control inputs appear after data inputs."""
    with tf.Graph().as_default() as g:
        a = tf.constant(1, name="a")
        with tf.control_dependencies([a]):
            tf.no_op(name="nothing")
            tf.group(a.op, name="together")
            tf.tuple([a, a], name="pair")
    return graph_text(g)


def prog_graph_def_with_device(tf, np):
    """Devices are written into nodes."""
    with tf.Graph().as_default() as g:
        with tf.device("/cpu:0"):
            tf.constant(1, name="a")
            with tf.device("/job:worker/task:1"):
                tf.constant(1, name="b")
        with g.device("/gpu:1"):
            tf.constant(1, name="c")
        with tf.device(None):
            tf.constant(1, name="d")
        return [(o.name, o.device) for o in g.get_operations()]


def prog_graph_def_of_function_graph(tf, np):
    """A traced function's GraphDef."""

    @tf.function(autograph=False)
    def f(x, y=2.0):
        return x * y + 1.0

    return graph_text(f.get_concrete_function(tf.TensorSpec([None], tf.float32, name="input")).graph)


def prog_graph_def_versions(tf, np):
    """The producer version is a number above 2000."""
    with tf.Graph().as_default() as g:
        tf.constant(1)
    return [g.as_graph_def().versions.producer > 2000, len(g.as_graph_def().node), g.as_graph_def().node[0].op]


def prog_import_graph_def(tf, np):
    """A GraphDef comes back under a prefix."""
    with tf.Graph().as_default() as g:
        a = tf.constant([1.0, 2.0], name="a")
        tf.add(a, a, name="b")
    with tf.Graph().as_default() as h:
        (b,) = tf.graph_util.import_graph_def(g.as_graph_def(), return_elements=["b:0"], name="imported") if hasattr(tf.graph_util, "import_graph_def") else tf.import_graph_def(g.as_graph_def(), return_elements=["b:0"], name="imported")
        tf.import_graph_def(g.as_graph_def())
        return [b, nodes(h)]


def prog_import_graph_def_input_map(tf, np):
    """input_map replaces inputs; unknown ones are refused."""
    with tf.Graph().as_default() as g:
        a = tf.constant([1.0, 2.0], name="a")
        tf.add(a, a, name="b")
    with tf.Graph().as_default() as h:
        mine = tf.zeros([2], name="mine")
        tf.import_graph_def(g.as_graph_def(), input_map={"a:0": mine}, name="")
        return [nodes(h), attempt(lambda: tf.import_graph_def(g.as_graph_def(), input_map={"zz:0": mine}), words=4), attempt(lambda: tf.import_graph_def(g.as_graph_def(), return_elements=["none"]), words=4), attempt(lambda: tf.import_graph_def(5), words=3)]


def prog_placeholder_node(tf, np):
    """compat.v1.placeholder makes a Placeholder."""
    with tf.Graph().as_default() as g:
        x = tf.compat.v1.placeholder(tf.float32, [None, 2], name="x")
        y = tf.compat.v1.placeholder(tf.string)
        return [x, y, x.op.get_attr("shape"), nodes(g), graph_text(g)]


def prog_group_and_no_op(tf, np):
    """group, no_op, tuple in graph and eager."""
    with tf.Graph().as_default() as g:
        a, b = tf.constant(1), tf.constant(2)
        tf.group(a, b)
        tf.group()
        tf.no_op()
        tf.tuple([a, b])
        tf.group([a, [b]], name="nested")
        listing = nodes(g)
    return [listing, tf.group(tf.constant(1)), tf.no_op(), tf.tuple([tf.constant(1)])]


def prog_get_operations_order(tf, np):
    """Operations are listed in creation order, inputs first."""
    with tf.Graph().as_default() as g:
        tf.reduce_mean(tf.square(tf.range(3.0) - 1.0), name="m")
        return nodes(g)


def prog_tensor_attributes(tf, np):
    """name, shape, dtype, set_shape, graph of symbolic tensors."""
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, None])
        x.set_shape([3, None])
        y = tf.ensure_shape(x, [None, 4])
        return [x.shape, y.shape, attempt(lambda: x.set_shape([2, 2])), x.get_shape(), x.dtype, tf.is_symbolic_tensor(x), hasattr(x, "numpy"), x.ndim, tf.is_tensor(x)]


def prog_graph_util(tf, np):
    """extract_sub_graph-like walks over inputs by hand."""
    with tf.Graph().as_default() as g:
        a = tf.constant(1.0, name="a")
        b = tf.add(a, 1.0, name="b")
        tf.multiply(a, 3.0, name="unused")
        seen, todo = [], [b.op]
        while todo:
            op = todo.pop()
            seen.append(op.name)
            todo.extend(t.op for t in op.inputs)
        return [sorted(seen), len(g.get_operations())]


def prog_tf_device_eager(tf, np):
    """tf.device in eager mode."""
    with tf.device("CPU:0"):
        x = tf.constant(1)
    with tf.device("/cpu:0"):
        y = x + 1
    return [x.device.split("/")[-1], y.device.split("/")[-1], attempt(lambda: tf.device("/cpu:99").__enter__() and None, words=0) if False else None, attempt(lambda: tf.device("nonsense").__enter__(), words=0)]
