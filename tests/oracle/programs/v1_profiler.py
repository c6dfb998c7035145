"""tf.compat.v1.profiler: parameters and float operations of graphs."""

from __future__ import annotations

from tests.oracle.support import attempt


def quiet(tf, options):
    """Options without output."""
    return tf.compat.v1.profiler.ProfileOptionBuilder(options).with_empty_output().build()


def float_operations(tf, make):
    """The float operations of a graph, by op."""
    profiler = tf.compat.v1.profiler
    with tf.Graph().as_default() as graph:
        make()
        options = quiet(tf, profiler.ProfileOptionBuilder.float_operation())
        found = profiler.profile(graph, cmd="op", options=options)
    counts = {}
    node = found
    while node.children:
        (node,) = node.children
        counts[node.name] = node.float_ops
    return [found.total_float_ops, sorted(counts.items())]


def model(tf):
    """A graph with two variables."""
    x = tf.compat.v1.placeholder(tf.float32, [2, 3], name="x")
    with tf.compat.v1.variable_scope("dense"):
        w = tf.compat.v1.get_variable("w", [3, 4])
        b = tf.compat.v1.get_variable("b", [4])
        y = tf.nn.bias_add(tf.matmul(x, w, name="mm"), b)
    return tf.reduce_sum(tf.tanh(y), name="loss")


def prog_parameters_by_scope(tf, np):
    """The parameters of trainable variables, as a tree."""
    profiler = tf.compat.v1.profiler
    with tf.Graph().as_default() as graph:
        model(tf)
        found = profiler.profile(graph, options=quiet(tf, profiler.ProfileOptionBuilder.trainable_variables_parameter()))

    def tree(node):
        return [node.name, node.parameters, node.total_parameters, node.total_definition_count, [tree(child) for child in node.children]]

    return tree(found)


def prog_variables_that_are_not_trained(tf, np):
    """... do not count."""
    profiler = tf.compat.v1.profiler
    with tf.Graph().as_default() as graph:
        tf.compat.v1.get_variable("a", [5])
        tf.compat.v1.get_variable("b", [7], trainable=False)
        found = profiler.profile(graph, options=quiet(tf, profiler.ProfileOptionBuilder.trainable_variables_parameter()))
    return [found.total_parameters, [child.name for child in found.children]]


def prog_float_operations_of_a_model(tf, np):
    """The ops of a model and of its initializers."""
    return float_operations(tf, lambda: model(tf))


def prog_float_operations_of_elements(tf, np):
    """Ops on elements, counted and not counted."""

    def make():
        a = tf.compat.v1.placeholder(tf.float32, [2, 3, 4])
        for f in (tf.square, tf.negative, tf.math.log, tf.math.rsqrt, tf.math.reciprocal, tf.exp, tf.tanh, tf.nn.relu, tf.sqrt, tf.abs):
            f(a)
        for f in (tf.add, tf.subtract, tf.multiply, tf.divide, tf.pow, tf.maximum, tf.minimum, tf.less, tf.greater_equal, tf.math.squared_difference):
            f(a, a)
        tf.raw_ops.Equal(x=a, y=a)
        tf.add_n([a, a, a])
        tf.nn.l2_loss(a)

    return float_operations(tf, make)


def prog_float_operations_of_reductions(tf, np):
    """Sums and means along axes."""

    def make():
        a = tf.compat.v1.placeholder(tf.float32, [2, 3, 4])
        tf.reduce_sum(a, 1), tf.reduce_sum(a), tf.reduce_mean(a, [0, 2]), tf.argmax(a, 1), tf.reduce_max(a, 1)
        tf.nn.softmax(tf.reshape(a, [6, 4]))

    return float_operations(tf, make)


def prog_float_operations_of_products(tf, np):
    """Products, transposed ones and batches of them."""

    def make():
        m, k = tf.compat.v1.placeholder(tf.float32, [5, 3]), tf.compat.v1.placeholder(tf.float32, [3, 7])
        tf.matmul(m, k), tf.matmul(k, m, transpose_a=True, transpose_b=True), tf.matmul(m, m, transpose_a=True)
        tf.matmul(tf.zeros([2, 3, 5]), tf.zeros([2, 5, 4])), tf.nn.bias_add(m, tf.zeros([3]))

    return float_operations(tf, make)


def prog_float_operations_of_images(tf, np):
    """Convolutions and pools."""

    def make():
        image = tf.compat.v1.placeholder(tf.float32, [2, 8, 8, 3])
        tf.nn.conv2d(image, tf.zeros([3, 3, 3, 6]), 1, "SAME"), tf.nn.conv2d(image, tf.zeros([3, 3, 3, 6]), 2, "VALID")
        tf.nn.depthwise_conv2d(image, tf.zeros([3, 3, 3, 2]), [1, 1, 1, 1], "SAME")
        tf.nn.max_pool2d(image, 3, 2, "VALID"), tf.nn.avg_pool2d(image, 2, 2, "SAME")
        tf.nn.conv3d(tf.zeros([2, 4, 4, 4, 3]), tf.zeros([2, 2, 2, 3, 5]), [1] * 5, "SAME")

    return float_operations(tf, make)


def prog_float_operations_of_a_function(tf, np):
    """How programs of TensorFlow 2 count the float operations of a model."""
    f = tf.function(lambda x: tf.matmul(x, tf.ones([4, 5])) + 1.0)
    graph = f.get_concrete_function(tf.TensorSpec([3, 4])).graph
    profiler = tf.compat.v1.profiler
    options = quiet(tf, profiler.ProfileOptionBuilder.float_operation())
    return profiler.profile(graph=graph, run_meta=tf.compat.v1.RunMetadata(), cmd="op", options=options).total_float_ops


def prog_options(tf, np):
    """What builders build."""
    builder = tf.compat.v1.profiler.ProfileOptionBuilder
    made = [
        builder.trainable_variables_parameter(),
        builder.float_operation(),
        builder.time_and_memory(),
        builder.time_and_memory(min_micros=5, min_bytes=7),
        builder(builder.float_operation()).with_max_depth(3).with_min_memory(1, 2, 3, 4).with_min_execution_time(5, 6, 7).build(),
        builder(builder.float_operation()).with_min_parameters(1).with_min_occurrence(2).with_min_float_operations(3).build(),
        builder(builder.float_operation()).with_node_names(show_name_regexes=["a.*"], hide_name_regexes=["b"]).build(),
        builder(builder.float_operation()).with_accounted_types(["MatMul"]).account_displayed_op_only(False).order_by("name").build(),
        builder(builder.float_operation()).select(["params", "micros"]).with_step(3).with_empty_output().build(),
        builder(builder.float_operation()).with_file_output("out").build(),
        builder(builder.float_operation()).with_timeline_output("line").build(),
        builder(builder.float_operation()).with_pprof_output("pprof").with_stdout_output().build(),
    ]
    return [sorted(options.items()) for options in made]


def prog_shown_and_hidden_nodes(tf, np):
    """Regexes of names and of types."""
    profiler = tf.compat.v1.profiler
    builder = profiler.ProfileOptionBuilder
    with tf.Graph().as_default() as graph:
        model(tf)
        chosen = [
            builder(builder.float_operation()).with_accounted_types(["MatMul"]),
            builder(builder.float_operation()).with_node_names(hide_name_regexes=[".*Initializer.*"]),
            builder(builder.float_operation()).with_min_float_operations(8),
        ]
        return [profiler.profile(graph, cmd="op", options=b.with_empty_output().build()).total_float_ops for b in chosen]


def prog_an_unknown_command(tf, np):
    """A command that there is not."""
    profiler = tf.compat.v1.profiler
    with tf.Graph().as_default() as graph:
        return attempt(lambda: profiler.profile(graph, cmd="nope", options=quiet(tf, profiler.ProfileOptionBuilder.float_operation())), words=3)


def prog_several_steps(tf, np):
    """A Profiler of a graph."""
    profiler = tf.compat.v1.profiler
    with tf.Graph().as_default() as graph:
        model(tf)
        one = profiler.Profiler(graph)
        options = quiet(tf, profiler.ProfileOptionBuilder.float_operation())
        return [one.profile_operations(options).total_float_ops, one.profile_name_scope(options).total_float_ops, type(one.profile_python(options)).__name__]
