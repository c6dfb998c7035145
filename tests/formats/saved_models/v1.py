"""SavedModels of TensorFlow 1, written by a session and read through their signatures."""

from __future__ import annotations

from typing import Any

from tests.formats.saved_models.model import Models, file_with

V1 = Models("v1")


def _outline(tf: Any, m: Any) -> Any:
    return {
        key: [_specs(f.structured_input_signature[1]), _specs(f.structured_outputs)]
        for key, f in sorted(m.signatures.items())
    }


def _specs(specs: Any) -> list[Any]:
    return [[name, spec.dtype, spec.shape] for name, spec in sorted(specs.items())]


def _serve(**inputs: Any) -> Any:
    def call(tf: Any, m: Any) -> Any:
        return m.signatures["serving_default"](**{name: tf.constant(value) for name, value in inputs.items()})

    return call


def _variables(tf: Any, m: Any) -> Any:
    return sorted([v.name, v.numpy().tolist()] for v in m.variables)


def _saved(tf: Any, folder: str, build: Any, **arguments: Any) -> None:
    """Builds a graph that returns inputs and outputs by name, initializes it and saves it."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        inputs, outputs = build(v1)
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        signature = v1.saved_model.predict_signature_def(inputs, outputs)
        builder = v1.saved_model.Builder(folder)
        builder.add_meta_graph_and_variables(
            session, ["serve"], {"serving_default": signature}, main_op=v1.tables_initializer(), **arguments
        )
        builder.save()


@V1(writes_files=True, needs="session", outline=_outline, served=_serve(x=[1.0, 2.0]), variables=_variables)
def simple_save(tf: Any, folder: str) -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], "x")
        w = v1.get_variable("w", initializer=3.0, use_resource=True)
        y = v1.identity(x * w, "y")
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, folder, {"x": x}, {"y": y})


@V1(writes_files=True, needs="session", outline=_outline, served=_serve(x=[1.0, 2.0]), variables=_variables)
def reference_variables(tf: Any, folder: str) -> None:
    def build(v1):
        x = v1.placeholder(tf.float32, [None], "x")
        w = v1.get_variable("layer/w", initializer=[2.0, 5.0], use_resource=False)
        return {"x": x}, {"y": x * w, "w": v1.identity(w)}

    _saved(tf, folder, build)


@V1(
    writes_files=True,
    needs="session",
    outline=_outline,
    pruned=lambda tf, m: m.prune("x:0", "y:0")(tf.constant([3.0])),
    several=lambda tf, m: m.prune(["x:0"], {"a": "y:0", "b": "mul:0"})(tf.constant([3.0])),
    served=_serve(x=[1.0]),
)
def pruned(tf: Any, folder: str) -> None:
    def build(v1):
        x = v1.placeholder(tf.float32, [None], "x")
        w = v1.get_variable("w", initializer=2.0, use_resource=False)
        y = v1.identity(x * w + 1.0, "y")
        return {"x": x}, {"y": y}

    _saved(tf, folder, build)


@V1(
    writes_files=True,
    needs="session",
    served=_serve(words=["b", "z"]),
    assets=lambda tf, m: [path.asset_path.numpy().decode().rsplit("/", 2)[-2:] for path in m.asset_paths],
)
def table_of_an_asset(tf: Any, folder: str) -> None:
    path = file_with("v1/words.txt", "a\nb\nc\n")

    def build(v1):
        name = tf.constant(path)
        v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, name)
        initializer = tf.lookup.TextFileInitializer(name, tf.string, -2, tf.int64, -1)
        table = tf.lookup.StaticHashTable(initializer, -1)
        words = v1.placeholder(tf.string, [None], "words")
        return {"words": words}, {"ids": table.lookup(words)}

    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        inputs, outputs = build(v1)
        session.run(v1.tables_initializer())
        builder = v1.saved_model.Builder(folder)
        signature = v1.saved_model.predict_signature_def(inputs, outputs)
        assets = v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS)
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": signature},
            assets_collection=assets,
            main_op=v1.tables_initializer(),
        )
        builder.save()


@V1(writes_files=True, needs="session", served=_serve(words=["x", "nothing"]))
def table_of_values(tf: Any, folder: str) -> None:
    def build(v1):
        initializer = tf.lookup.KeyValueTensorInitializer(["x"], tf.constant([7], tf.int64))
        table = tf.lookup.StaticHashTable(initializer, -1)
        words = v1.placeholder(tf.string, [None], "words")
        return {"words": words}, {"ids": table.lookup(words)}

    _saved(tf, folder, build)


@V1(writes_files=True, needs="session", yes=_serve(x=3.0), no=_serve(x=-3.0))
def conditions(tf: Any, folder: str) -> None:
    """`Switch` and `Merge`."""

    def build(v1):
        x = v1.placeholder(tf.float32, [], "x")
        w = v1.get_variable("w", initializer=2.0, use_resource=True)
        return {"x": x}, {"y": v1.cond(x > 0.0, lambda: x * w, lambda: x - w)}

    _with_old_control_flow(tf, folder, build)


@V1(writes_files=True, needs="session", five=_serve(n=5), none=_serve(n=0))
def loops(tf: Any, folder: str) -> None:
    """`Enter`, `NextIteration` and `Exit`."""

    def build(v1):
        n = v1.placeholder(tf.int32, [], "n")
        w = v1.get_variable("w", initializer=2, use_resource=True)
        final = v1.while_loop(lambda i, s: i < n, lambda i, s: [i + 1, s + i * w], [tf.constant(0), tf.constant(0)])
        return {"n": n}, {"sum": final[1]}

    _with_old_control_flow(tf, folder, build)


@V1(writes_files=True, needs="session", table=_serve(n=4), none=_serve(n=0))
def nested_loops(tf: Any, folder: str) -> None:
    """A loop in a loop, with a condition inside."""

    def build(v1):
        n = v1.placeholder(tf.int32, [], "n")

        def inner(i):
            body = [lambda j, s: j < i, lambda j, s: [j + 1, s + v1.cond(j > 1, lambda: j * 10, lambda: j)]]
            return v1.while_loop(*body, [tf.constant(0), tf.constant(0)])[1]

        final = v1.while_loop(lambda i, s: i < n, lambda i, s: [i + 1, s + inner(i)], [tf.constant(0), tf.constant(0)])
        return {"n": n}, {"sum": final[1]}

    _with_old_control_flow(tf, folder, build)


@V1(writes_files=True, needs="session", stacked=_serve(x=[1.0, 2.0, 3.0]))
def tensor_arrays(tf: Any, folder: str) -> None:
    def build(v1):
        x = v1.placeholder(tf.float32, [None], "x")
        return {"x": x}, {"squares": v1.map_fn(lambda item: item * item, x)}

    _with_old_control_flow(tf, folder, build)


def _with_old_control_flow(tf: Any, folder: str, build: Any) -> None:
    v1 = tf.compat.v1
    v1.disable_control_flow_v2()
    try:
        _saved(tf, folder, build)
    finally:
        v1.enable_control_flow_v2()


@V1(
    writes_files=True,
    needs="session",
    yes=_serve(x=3.0),
    no=_serve(x=-3.0),
    loop=lambda tf, m: m.signatures["loop"](n=tf.constant(4)),
)
def functional_control_flow(tf: Any, folder: str) -> None:
    """`If` and `While` in a graph of TensorFlow 1."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x, n = v1.placeholder(tf.float32, [], "x"), v1.placeholder(tf.int32, [], "n")
        y = v1.cond(x > 0.0, lambda: x * 2.0, lambda: -x)
        total = v1.while_loop(lambda i, s: i < n, lambda i, s: [i + 1, s + i], [tf.constant(0), tf.constant(0)])[1]
        builder = v1.saved_model.Builder(folder)
        define = v1.saved_model.predict_signature_def
        signatures = {"serving_default": define({"x": x}, {"y": y}), "loop": define({"n": n}, {"total": total})}
        builder.add_meta_graph_and_variables(session, ["serve"], signatures)
        builder.save()


@V1(writes_files=True, needs="session", served=_serve(x=[[1.0, 2.0, 3.0, 4.0]]), variables=_variables)
def partitioned_variable(tf: Any, folder: str) -> None:
    def build(v1):
        x = v1.placeholder(tf.float32, [None, 4], "x")
        partitioner = v1.fixed_size_partitioner(2)
        initial = tf.reshape(tf.range(8.0), [4, 2])

        def part(shape, dtype=None, partition_info=None):
            return _part(initial, shape, partition_info)

        w = v1.get_variable("w", [4, 2], initializer=part, partitioner=partitioner, use_resource=True)
        return {"x": x}, {"y": tf.matmul(x, tf.convert_to_tensor(w))}

    _saved(tf, folder, build)


def _part(initial: Any, shape: Any, partition_info: Any) -> Any:
    start = partition_info.var_offset[0]
    return initial[start : start + shape[0]]


@V1(
    writes_files=True,
    needs="session",
    served=_serve(x=[2.0]),
    variables=_variables,
    graph=lambda tf, m: m.graph is not None,
)
def frozen(tf: Any, folder: str) -> None:
    """A graph whose variables became constants: there is no checkpoint."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], "x")
        w = v1.get_variable("w", initializer=3.0, use_resource=True)
        v1.identity(x * w, "y")
        session.run(v1.global_variables_initializer())
        constant = v1.graph_util.convert_variables_to_constants(session, session.graph_def, ["y"])
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.import_graph_def(constant, name="")
        tensors = [graph.get_tensor_by_name(name) for name in ("x:0", "y:0")]
        v1.saved_model.simple_save(session, folder, {"x": tensors[0]}, {"y": tensors[1]})


@V1(
    writes_files=True,
    needs="session",
    tags=["serve", "fast"],
    outline=_outline,
    served=_serve(x=[2.0]),
)
def several_meta_graphs(tf: Any, folder: str) -> None:
    v1 = tf.compat.v1
    builder = v1.saved_model.Builder(folder)
    for tags, factor in ((["serve"], 2.0), (["serve", "fast"], 20.0)):
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None], "x")
            w = v1.get_variable("w", initializer=5.0, use_resource=True)
            signature = v1.saved_model.predict_signature_def({"x": x}, {"y": x * w * factor})
            session.run(v1.global_variables_initializer())
            if len(tags) == 1:
                builder.add_meta_graph_and_variables(session, tags, {"serving_default": signature})
            else:
                builder.add_meta_graph(tags, {"serving_default": signature})
    builder.save()


@V1(
    writes_files=True,
    needs="session",
    outline=_outline,
    regressed=lambda tf, m: m.signatures["regress"](inputs=tf.constant(["1.5"])),
    classified=lambda tf, m: m.signatures["classify"](inputs=tf.constant(["1.5"])),
    served=_serve(number=[1.0]),
)
def methods_of_serving(tf: Any, folder: str) -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        texts = v1.placeholder(tf.string, [None], "texts")
        number = v1.placeholder_with_default(tf.strings.to_number(texts), [None], "number")
        w = v1.get_variable("w", initializer=2.0, use_resource=False)
        y = number * w
        classes = tf.fill([1, 1], "positive")
        define = v1.saved_model
        signatures = {
            "regress": define.regression_signature_def(texts, y),
            "classify": define.classification_signature_def(texts, classes, y[:, None]),
            "serving_default": define.predict_signature_def({"number": number}, {"y": y}),
        }
        session.run(v1.global_variables_initializer())
        builder = define.Builder(folder)
        builder.add_meta_graph_and_variables(session, ["serve"], signatures, strip_default_attrs=True)
        builder.save()


@V1(
    writes_files=True,
    needs="session",
    served=_serve(serialized=[b"", b"\n\x0e\n\x0c\n\x01a\x12\x07\x1a\x05\n\x03\x01\x02\x03"]),
)
def parsed_examples(tf: Any, folder: str) -> None:
    def build(v1):
        serialized = v1.placeholder(tf.string, [None], "serialized")
        parsed = v1.parse_example(serialized, {"a": v1.VarLenFeature(tf.int64)})
        return {"serialized": serialized}, {"dense": tf.sparse.to_dense(parsed["a"])}

    _saved(tf, folder, build, strip_default_attrs=True)


@V1(
    writes_files=True,
    needs="session",
    outline=_outline,
    served=lambda tf, m: m.signatures["serving_default"](x=tf.reshape(tf.range(50.0) / 10, [1, 5, 5, 2])),
)
def convolution_network(tf: Any, folder: str) -> None:
    def build(v1):
        x = v1.placeholder(tf.float32, [None, 5, 5, 2], "x")
        kernel = v1.get_variable(
            "kernel", initializer=tf.reshape(tf.range(36.0), [3, 3, 2, 2]) / 36.0, use_resource=False
        )
        y = v1.nn.max_pool(
            v1.nn.relu(v1.nn.conv2d(x, kernel, [1, 1, 1, 1], "VALID")), [1, 3, 3, 1], [1, 1, 1, 1], "VALID"
        )
        y, *_ = v1.nn.fused_batch_norm(y, [1.0, 1.0], [0.0, 0.0], [0.5, 0.5], [1.0, 1.0], is_training=False)
        return {"x": x}, {"y": y, "total": tf.reduce_sum(y)}

    _saved(tf, folder, build, strip_default_attrs=True)
