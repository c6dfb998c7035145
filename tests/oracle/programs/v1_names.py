"""Names of the root of `tf.compat.v1` and of its small namespaces."""

from __future__ import annotations

from tests.oracle.support import attempt, nodes


def _both(tf, program):
    """What a program says eagerly and in a graph."""
    eager = program(tf.compat.v1)
    with tf.Graph().as_default():
        return [eager, program(tf.compat.v1)]


def prog_cond_with_old_names(tf, np):
    """`fn1` and `fn2`."""
    v1 = tf.compat.v1
    one, two = lambda: tf.constant(1), lambda: tf.constant(2)
    return [
        v1.cond(tf.constant(True), one, two),
        v1.cond(tf.constant(False), fn1=one, fn2=two),
        v1.cond(tf.constant(True), true_fn=one, fn2=two, name="choice"),
        attempt(lambda: v1.cond(tf.constant(True), one, two, fn1=one)),
        attempt(lambda: v1.cond(tf.constant(True), one, two, fn2=one)),
        attempt(lambda: v1.cond(tf.constant(True), one)),
        attempt(lambda: v1.cond(tf.constant(True), false_fn=one)),
        attempt(lambda: v1.cond(tf.constant(True), 1, two)),
    ]


def prog_cond_and_lists_of_one(tf, np):
    """A list of one loses its list in eager mode, unless the call is strict."""
    v1 = tf.compat.v1
    return [
        v1.cond(tf.constant(True), lambda: [tf.constant(1)], lambda: [tf.constant(2)]),
        v1.cond(tf.constant(True), lambda: [tf.constant(1)], lambda: [tf.constant(2)], strict=True),
        v1.cond(tf.constant(True), lambda: [[tf.constant(1)]], lambda: [[tf.constant(2)]]),
        v1.cond(tf.constant(True), lambda: (tf.constant(1), tf.constant(3)), lambda: (tf.constant(2), tf.constant(4))),
    ]


def prog_cond_in_a_graph(tf, np):
    """The nodes; a Python bool is refused."""
    v1 = tf.compat.v1
    one, two = lambda: tf.constant(1), lambda: tf.constant(2)
    with tf.Graph().as_default() as graph:
        pred = v1.placeholder(tf.bool, [])
        v1.cond(pred, fn1=one, fn2=two)
        v1.cond(pred, one, two, name="choice")
        return [nodes(graph), attempt(lambda: v1.cond(True, one, two))]


def prog_convert_to_tensor(tf, np):
    """The name comes third; `preferred_dtype` is `dtype_hint`."""

    def program(v1):
        return [
            v1.convert_to_tensor([1], tf.int64, "numbers").dtype,
            v1.convert_to_tensor(1, preferred_dtype=tf.float32).dtype,
            v1.convert_to_tensor(1, dtype_hint=tf.float32).dtype,
            v1.convert_to_tensor("a", preferred_dtype=tf.float32).dtype,
            attempt(lambda: v1.convert_to_tensor(1, preferred_dtype=tf.float32, dtype_hint=tf.float32)),
        ]

    return _both(tf, program)


def prog_convert_to_tensor_or_indexed_slices(tf, np):
    """Composites stay."""

    def program(v1):
        slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
        f = v1.convert_to_tensor_or_indexed_slices
        return [
            f([1, 2], name="numbers").dtype,
            f([1, 2], tf.float32).dtype,
            f(slices) is slices,
            f(slices, tf.float32) is slices,
            attempt(lambda: f(slices, tf.int32)),
            type(f(tf.sparse.from_dense([1.0]))).__name__,
        ]

    return _both(tf, program)


def prog_name_scope(tf, np):
    """Names, defaults and values."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        found = []
        with v1.name_scope("outer") as outer:
            with v1.name_scope(None, "inner") as inner, v1.name_scope("deep", values=[1]) as deep:
                found += [outer, inner, deep, tf.constant(1).name]
            with v1.name_scope(None, "inner") as again, v1.name_scope(outer) as back:
                found += [again, back, tf.constant(1).name]
            with v1.name_scope(None) as root:
                found += [root, tf.constant(1).name]
        scope = v1.name_scope("x", "y")
        return [found, nodes(graph), scope.name, v1.name_scope(None, "y").name]


def prog_name_scope_refused(tf, np):
    """Names that are no strings, values of two graphs."""

    def program(v1):
        def enter(*args):
            with v1.name_scope(*args) as scope:
                return scope

        return [
            attempt(lambda: enter(3)),
            attempt(lambda: enter(None, 3)),
            attempt(lambda: enter(None, None, [tf.constant(1)])),
            attempt(lambda: v1.name_scope("a")(lambda: 1), words=0),
        ]

    return _both(tf, program)


def prog_name_scope_of_other_graphs(tf, np):
    """The graph of the values is entered; values of two graphs are refused."""
    v1 = tf.compat.v1
    first, second = tf.Graph(), tf.Graph()
    with first.as_default():
        a = tf.constant(1)
    with second.as_default():
        b = tf.constant(2)
        with v1.name_scope(None, "in_first", [a]) as scope:
            found = [scope, v1.get_default_graph() is first, tf.constant(3).graph is first]

        def mixed():
            with v1.name_scope(None, "mixed", [a, b]):
                pass

        return [found, attempt(mixed, words=0), v1.get_default_graph() is second]


def prog_op_scope(tf, np):
    """The values come first."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        a = tf.constant(1)
        with v1.op_scope([a], None, "plain") as scope, v1.op_scope([a], "named", "plain") as named:
            return [scope, named, tf.constant(1).name]


def prog_gradients(tf, np):
    """The colocation of gradients has a place among the arguments."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2])
        v1.gradients(x * x, x, None, "slopes", True, False, None)
        v1.gradients([x * 2.0], [x], colocate_gradients_with_ops=False, stop_gradients=[x])
        found = [op.name for op in graph.get_operations()]
        curves = v1.hessians(tf.reduce_sum(x * x), x, "curves", colocate_gradients_with_ops=False)
        return [found, curves[0].shape]


def prog_gradients_eager(tf, np):
    """Eager mode has no gradients of graphs."""
    v1 = tf.compat.v1
    return [attempt(lambda: v1.gradients(tf.constant(1.0), tf.constant(1.0)))]


def prog_colocate_with(tf, np):
    """Groups of colocation."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        a = tf.constant(1, name="a")
        with v1.colocate_with(a):
            b = tf.constant(2, name="b")
            with v1.colocate_with(tf.constant(3, name="c"), ignore_existing=True):
                d = tf.constant(4, name="d")
        return [t.op.colocation_groups() for t in (a, b, d)]


def prog_container(tf, np):
    """The container that queues and tables show."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        with v1.container("outer"):
            a = v1.FIFOQueue(2, ["float32"])
            with graph.container("inner") as name:
                b = v1.FIFOQueue(2, ["float32"], shared_name="q")
            c = v1.FIFOQueue(2, ["float32"])
        d = v1.FIFOQueue(2, ["float32"])
        return [name, *[q.queue_ref.op.get_attr("container") for q in (a, b, c, d)]]


def prog_add_check_numerics_ops(tf, np):
    """A check for each floating tensor, one after the other."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2], name="x")
        tf.cast(tf.sqrt(x), tf.int32)
        v1.placeholder(tf.float64, name="y") * 2
        check = v1.add_check_numerics_ops()
        messages = [op.get_attr("message") for op in graph.get_operations() if op.type == "CheckNumerics"]
        return [nodes(graph), messages, check.type]


def prog_add_check_numerics_ops_eager(tf, np):
    """Refused in eager mode."""
    return attempt(lambda: tf.compat.v1.add_check_numerics_ops())


def prog_dimensions(tf, np):
    """Dimensions taken from shapes."""
    v1 = tf.compat.v1
    three, unknown = v1.Dimension(3), v1.Dimension(None)
    shape = tf.TensorShape([3, None])
    return [
        [v1.dimension_value(d) for d in (three, unknown, 4, None)],
        [str(v1.dimension_at_index(shape, i)) for i in (0, 1, -1)],
        str(v1.dimension_at_index(tf.TensorShape(None), 5)),
        attempt(lambda: v1.dimension_at_index(shape, 2), words=0),
        tf.constant([three, 4]),
        tf.constant(three),
        tf.convert_to_tensor([three], tf.int64),
        tf.reshape(tf.zeros([2, 3]), [three, -1]),
        tf.zeros([three, 1]),
        tf.constant(2) * three,
        tf.stack([three, tf.constant(4)]),
    ]


def prog_shapes_with_dimensions(tf, np):
    """What shapes say in TensorFlow 1's manner."""
    v1 = tf.compat.v1
    v1.disable_v2_tensorshape()
    try:
        known, partly, unknown = tf.TensorShape([2, 3]), tf.TensorShape([2, None]), tf.TensorShape(None)
        x = tf.zeros([2, 3])
        return [
            [repr(s) for s in (known, partly, unknown)],
            [str(s) for s in (known, partly, unknown, tf.TensorShape([4]), tf.TensorShape([]))],
            [repr(partly[0]), repr(partly[1]), repr(partly[:1]), repr(unknown[0])],
            [d.value for d in known],
            [repr(d) for d in partly.dims],
            x.shape[1].value,
            x.get_shape().as_list(),
            int(x.shape[-1]),
            tf.reshape(x, [-1, x.shape[1] * x.shape[0]]),
            np.zeros(known).shape,
            partly[0] == 2,
            known == [2, 3],
            tf.TensorShape([x.shape[0], None]).as_list(),
            tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 3, 1]), 1, "SAME").shape.as_list(),
        ]
    finally:
        v1.enable_v2_tensorshape()


def prog_functions_with_dimensions(tf, np):
    """Shapes inside of a function in TensorFlow 1's manner."""
    v1 = tf.compat.v1
    v1.disable_v2_tensorshape()
    try:
        seen = []

        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def f(x):
            seen.append([str(x.shape), x.shape[0].value, x.shape[1].value])
            return tf.reshape(x, [-1, x.shape[1]]) * 2.0

        return [f(tf.ones([2, 3])), seen]
    finally:
        v1.enable_v2_tensorshape()


def prog_equality_of_objects(tf, np):
    """Tensors and variables as keys."""
    v1 = tf.compat.v1
    v1.disable_tensor_equality()
    try:
        a, b, v, w = tf.constant([1, 2]), tf.constant([1, 2]), tf.Variable([1]), tf.Variable([1])
        return [
            [a == b, a == a, a != b, a != a, a == None, a == [1, 2]],  # noqa: E711
            [v == w, v == v, v != w, {v: 2}[v]],
            [hash(v) == id(v), a in [b, a], len({v, w})],
            tf.equal(a, b),
        ]
    finally:
        v1.enable_tensor_equality()


def prog_equality_of_elements(tf, np):
    """The same with equality by elements."""
    tf.compat.v1.enable_tensor_equality()
    a, v = tf.constant([1, 2]), tf.Variable([1, 2])
    return [a == [1, 3], v == [1, 3], attempt(lambda: hash(a)), attempt(lambda: hash(v))]


def prog_constants(tf, np):
    """Numbers and sets."""
    v1 = tf.compat.v1
    return [
        sorted(d.name for d in v1.QUANTIZED_DTYPES),
        v1.QUANTIZED_DTYPES == v1.dtypes.QUANTIZED_DTYPES,
        [v1.GRAPH_DEF_VERSION_MIN_CONSUMER, v1.GRAPH_DEF_VERSION_MIN_PRODUCER, v1.GRAPH_DEF_VERSION],
        [v1.CXX11_ABI_FLAG, v1.CXX_VERSION, v1.MONOLITHIC_BUILD, v1.sysconfig.CXX_VERSION],
        [type(v1.VERSION).__name__, type(v1.GIT_VERSION).__name__, type(v1.COMPILER_VERSION).__name__],
        v1.OpError is tf.errors.OpError,
        v1.user_ops.my_fact(),
        v1.dtypes.as_string([1.5, 2.0], precision=2),
    ]


def prog_stubs(tf, np):
    """Attributes replaced and put back."""

    class Thing:
        a = 1

    thing, stubs, found = Thing(), tf.compat.v1.test.StubOutForTesting(), []
    thing.b = 2
    stubs.Set(thing, "b", 3)
    stubs.Set(thing, "b", 4)
    stubs.SmartSet(thing, "a", 5)
    found += [thing.b, thing.a, Thing.a]
    stubs.UnsetAll()
    found += [thing.b, thing.a]
    stubs.SmartUnsetAll()
    found += [thing.a, Thing.a]
    with tf.compat.v1.test.StubOutForTesting() as inner:
        inner.Set(Thing, "a", 9)
        found.append(Thing.a)
    found.append(Thing.a)
    found.append(attempt(lambda: stubs.SmartSet(thing, "missing", 3)))
    found.append(attempt(lambda: stubs.Set(thing, "missing", 3), words=0))
    return found


def prog_equal_graph_defs(tf, np):
    """The actual graph comes first; names that chance chose may differ."""
    v1 = tf.compat.v1

    def graph(op, key, value):
        graph_def = v1.GraphDef()
        node = graph_def.node.add(name="a", op=op)
        if key == "value":
            node.attr[key].tensor.CopyFrom(tf.make_tensor_proto(value))
        else:
            node.attr[key].s = value
        return graph_def

    def compare(first, second, **options):
        return attempt(lambda: v1.test.assert_equal_graph_def(first, second, **options), words=8)

    def tables(op="HashTableV2"):
        return [graph(op, "shared_name", b"hash_table_" + end) for end in (b"1", b"2")]

    def files():
        return [graph("Const", "value", b"_temp_" + digit * 32 + b"/part") for digit in (b"0", b"1")]

    return [
        compare(tables()[0], tables()[0]),
        compare(*tables()),
        compare(*tables(), hash_table_shared_name=True),
        compare(*tables("HashTable"), hash_table_shared_name=True),
        compare(*files(), checkpoint_v2=True),
        compare(*files(), hash_table_shared_name=True),
        compare(tables()[0], v1.GraphDef()),
        compare(v1.GraphDef(), tables()[0]),
        compare("no graph", tables()[0]),
    ]


def prog_autograph_arguments(tf, np):
    """Arguments that no longer mean anything."""
    v1 = tf.compat.v1

    def f(x):
        return x if x > 0 else -x

    converted = v1.autograph.to_graph(f, True, {"x": 1}, {"x": int})
    return tf.function(converted, autograph=False)(tf.constant(-3))


def prog_flags(tf, np):
    """Flags of the command line, with old names of arguments."""
    import logging

    flags = tf.compat.v1.flags
    logging.disable(logging.CRITICAL)
    try:
        flags.DEFINE_string("oracle_text", "default", "A text.")
        flags.DEFINE_integer(flag_name="oracle_number", default_value=3, docstring="A number.")
        flags.DEFINE_bool("oracle_switch", False, "A switch.")
        flags.DEFINE_float("oracle_rate", 0.5, "A rate.")
        flags.DEFINE_enum("oracle_kind", "a", ["a", "b"], "A kind.")
        flags.DEFINE_list("oracle_items", ["x"], "Items.")
        rest = flags.FLAGS(["program", "--oracle_text=given", "--oracle_switch", "--oracle_rate", "2", "argument"])
        known = flags.FLAGS
        found = [known.oracle_text, known.oracle_number, known.oracle_switch, known.oracle_rate, known.oracle_kind]
        known.oracle_number = 7
        found += [known.oracle_items, rest, known["oracle_number"].value, "oracle_rate" in known]
        found.append(attempt(lambda: flags.DEFINE_string("oracle_text", "twice", "A text."), words=0))
        found.append(attempt(lambda: known.oracle_missing))
        found.append(tf.compat.v1.app.flags is flags)
        return found
    finally:
        logging.disable(logging.NOTSET)
        for name in ("text", "number", "switch", "rate", "kind", "items"):
            delattr(flags.FLAGS, f"oracle_{name}")


def prog_app_run(tf, np):
    """A program is run with the arguments that are no flags, and ends the process."""
    found = []
    try:
        tf.compat.v1.app.run(lambda arguments: found.append(arguments) or 3, ["program", "first", "--unheard_of=1"])
    except SystemExit as stop:
        found.append(stop.code)
    return found


def prog_resources(tf, np):
    """Files beside the program."""
    import os
    import tempfile

    loader = tf.compat.v1.resource_loader
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.bin")
        with open(path, "wb") as file:
            file.write(b"abc")
        return [
            loader.load_resource(path),
            os.path.basename(loader.get_data_files_path()),
            os.path.relpath(loader.get_path_to_datafile("a/b.txt"), loader.get_data_files_path()),
            loader.readahead_file_path("a/b", "1M"),
            attempt(lambda: loader.load_resource("missing/file"), words=0),
        ]


def prog_compute_gradient(tf, np):
    """Jacobians in a session, by gradients and by differences."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session():
        x, w = v1.placeholder(tf.float64, [2, 3]), v1.placeholder(tf.float64)
        c = v1.placeholder(tf.complex128, [2])
        f = v1.test.compute_gradient
        start = np.arange(6.0).reshape(2, 3)
        number = np.array([1 + 2j, 3 - 1j])
        return [
            f(x, [2, 3], tf.reduce_sum(x * x, 1), [2], start),
            f([x], [[2, 3]], x * w, [2, 3], [start], 1e-2, extra_feed_dict={w: 2.0}),
            f(c, [2], c * c, [2], x_init_value=number),
            f(x, [2, 3], tf.gather(x, [1, 1]), [2, 3], x_init_value=start),
            bool(v1.test.compute_gradient_error(x, [2, 3], tf.sin(x), [2, 3]) < 1e-5),
            attempt(lambda: f(x, [2, 3], x * x, [2, 3], np.zeros([3, 3]))),
            attempt(lambda: f(v1.placeholder(tf.int32, [2]), [2], x, [2])),
        ]
