"""tf.compat.v1.summary: what summaries are as messages, names of nodes, merging, FileWriter."""

from __future__ import annotations

import os
import sys
import warnings

from tests.oracle.programs._summary_helpers import events, folder, names, records
from tests.oracle.support import nodes


def _run(tf, build):
    """The nodes of a graph, and what a session makes of the summary."""
    with tf.Graph().as_default() as graph:
        try:
            tensor = build(tf.compat.v1.summary)
        except Exception as error:
            return ["build", type(error).__name__, str(error).split("\n")[0][:60]]
        with tf.compat.v1.Session() as session:
            try:
                found = session.run(tensor)
            except tf.errors.OpError as error:
                words = next((w for w in _COMPLAINTS if w in str(error)), str(error)[:80])
                return [nodes(graph), type(error).__name__, words]
        return [nodes(graph), found, tensor.dtype, tensor.shape]


_COMPLAINTS = ("tags and values are not the same shape", "Nan in summary histogram for: h", "Infinity in Histogram for: h", "Tensor must be 4-D with last dim 1, 3, or 4, not", "sample_rate must be > 0")

_BUILDS = {
    "scalar": lambda S, tf, np: S.scalar("a", 1.5),
    "scalar_tensor": lambda S, tf, np: S.scalar("a", tf.constant(2, tf.int64)),
    "scalar_vector": lambda S, tf, np: S.scalar("a", tf.constant([1.5, 2.0])),
    "scalar_illegal_name": lambda S, tf, np: S.scalar("a b:c", 1.5),
    "scalar_slash": lambda S, tf, np: S.scalar("/a/b", 1.5),
    "scalar_none": lambda S, tf, np: S.scalar(None, 1.5),
    "scalar_number_name": lambda S, tf, np: S.scalar(3, 1.5),
    "scalar_text": lambda S, tf, np: S.scalar("a", tf.constant("s")),
    "scalar_family": lambda S, tf, np: S.scalar("a", 3, family="fam"),
    "scalar_illegal_family": lambda S, tf, np: S.scalar("a b", 3.0, family="x y"),
    "scalar_half": lambda S, tf, np: S.scalar("a", tf.constant(0.1, tf.float16)),
    "histogram": lambda S, tf, np: S.histogram("h", [1.0, 1.0, 2.0]),
    "histogram_empty": lambda S, tf, np: S.histogram("h", []),
    "histogram_nan": lambda S, tf, np: S.histogram("h", [np.nan]),
    "histogram_infinite": lambda S, tf, np: S.histogram("h", [np.inf]),
    "histogram_integers": lambda S, tf, np: S.histogram("h", [[1, 2], [3, -4]]),
    "histogram_signs": lambda S, tf, np: S.histogram("h", tf.constant([0.0, -1.0, 1e300, -1e300, 1e-300], tf.float64)),
    "histogram_many": lambda S, tf, np: S.histogram("h", np.sin(np.arange(500.0)) * 100, family="f"),
    "histogram_tiny": lambda S, tf, np: S.histogram("h", [1e-13, -1e-13]),
    "image_float": lambda S, tf, np: S.image("i", np.linspace(0, 1, 24, dtype=np.float32).reshape(2, 2, 2, 3)),
    "image_bad_pixels": lambda S, tf, np: S.image("i", np.array([-1.0, 0, 0.5, 1.0, 2.0, np.nan, 3.0, np.inf], np.float32).reshape(1, 2, 4, 1), max_outputs=1),
    "image_positive": lambda S, tf, np: S.image("i", np.array([0, 0.5, 1.0, 2.0], np.float32).reshape(1, 2, 2, 1)),
    "image_negative": lambda S, tf, np: S.image("i", np.array([-4, -3, -2, -1], np.float32).reshape(1, 2, 2, 1)),
    "image_dark": lambda S, tf, np: S.image("i", np.full((1, 2, 2, 1), 1e-7, np.float32)),
    "image_half": lambda S, tf, np: S.image("i", np.array([0, 0.25, 0.5, 1.0], np.float16).reshape(1, 2, 2, 1)),
    "image_double": lambda S, tf, np: S.image("i", np.array([0, 0.25, 0.5, 1.0]).reshape(1, 2, 2, 1)),
    "image_uint8": lambda S, tf, np: S.image("i", np.arange(32, dtype=np.uint8).reshape(2, 2, 2, 4), max_outputs=1),
    "image_two_channels": lambda S, tf, np: S.image("i", np.zeros((1, 2, 2, 2), np.uint8)),
    "image_matrix": lambda S, tf, np: S.image("i", np.zeros((2, 2), np.uint8)),
    "image_none": lambda S, tf, np: S.image("i", np.zeros((0, 2, 2, 1), np.uint8)),
    "image_no_outputs": lambda S, tf, np: S.image("i", np.zeros((1, 2, 2, 1), np.uint8), max_outputs=0),
    "image_family": lambda S, tf, np: S.image("i", np.zeros((4, 1, 2, 1), np.uint8), max_outputs=3, family="f"),
    "audio": lambda S, tf, np: S.audio("a", np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4, 1), 8000),
    "audio_one": lambda S, tf, np: S.audio("a", np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4), 8000.0, max_outputs=1),
    "audio_no_rate": lambda S, tf, np: S.audio("a", np.zeros((1, 2, 1), np.float32), 0.0),
    "text": lambda S, tf, np: S.text("t", tf.constant(["x", "é"])),
    "text_refused": lambda S, tf, np: S.text("t", tf.constant(1.0)),
    "tensor": lambda S, tf, np: S.tensor_summary("t", [1.0, 2.0]),
    "tensor_described": lambda S, tf, np: S.tensor_summary("t", ["x"], display_name="dn", summary_description="sd", summary_metadata=tf.compat.v1.SummaryMetadata(display_name="k"), family="f"),
    "merge": lambda S, tf, np: S.merge([S.scalar("a", 3.0), S.scalar("a", 4.0), S.histogram("h", [1.0])]),
    "merge_named": lambda S, tf, np: S.merge([S.scalar("a", 3.0)], name="mm"),
    "merge_nothing": lambda S, tf, np: S.merge([]),
    "merge_all_in_scope": lambda S, tf, np: _in_scopes(S, tf),
}


def _in_scopes(S, tf):
    S.scalar("a", 1.0)
    S.scalar("b", 2.0, collections=["k"])
    with tf.name_scope("sc"):
        S.scalar("c", 2.0)
    return S.merge_all(scope="sc")


for _name, _build in _BUILDS.items():
    def _program(tf, np, build=_build):
        return _run(tf, lambda S: build(S, tf, np))

    _program.__name__ = f"prog_{_name}"
    setattr(sys.modules[__name__], _program.__name__, _program)
del _program


def prog_collections(tf, np):
    S, v1 = tf.compat.v1.summary, tf.compat.v1
    with tf.Graph().as_default():
        found = [S.merge_all(), S.merge_all("none")]
        S.scalar("a", 1.0)
        S.scalar("b", 2.0, collections=["k", "l"])
        S.scalar("c", 2.0, collections=[])
        S.merge([S.histogram("h", [1.0])], collections=["m"])
        found += [[t.name for t in v1.get_collection(key)] for key in (v1.GraphKeys.SUMMARIES, "k", "l", "m")]
        return [*found, S.merge_all().name, S.merge_all("k", name="named").name]


def prog_merging_in_eager_mode(tf, np):
    S = tf.compat.v1.summary
    out = []
    for call in (lambda: S.merge([b"x"]), S.merge_all, lambda: S.FileWriter("x")):
        try:
            out.append(call())
        except RuntimeError as error:
            out.append(str(error))
    return out


def prog_eager_without_a_writer(tf, np):
    S = tf.compat.v1.summary
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = [S.scalar("a", 1.0), S.histogram("h", [1.0]), S.tensor_summary("t", [1.0]), S.text("t", tf.constant("x"))]
    return [found, [str(w.message) for w in caught if w.category is UserWarning]]


def prog_eager_without_a_step(tf, np):
    with folder() as f, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with tf.summary.create_file_writer(f("w")).as_default():
            found = tf.compat.v1.summary.scalar("a", 1.0)
        return [found, [str(w.message) for w in caught if w.category is UserWarning], events(f("w"))]


def prog_eager_with_a_writer(tf, np):
    S = tf.compat.v1.summary
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"))
        with writer.as_default(3):
            found = [
                S.scalar("a", 1.0, family="f"),
                S.histogram("h", [1.0, 2.0]),
                S.image("i", np.zeros((1, 2, 2, 1), np.uint8)),
                S.audio("au", tf.zeros([1, 2, 1]), 8000),
                S.text("t", tf.constant("x")),
                S.tensor_summary("ts", [1.0]),
            ]
            with tf.name_scope("sc"):
                found.append(S.scalar("b c", 2.0))
            @tf.function
            def g():
                with tf.name_scope("q"):
                    return S.scalar("inf", 1.0)
            found.append(g())
        writer.close()
        return [found, events(f("w"))]


def _summary(tf, tag="q", value=1.0, **options):
    Summary = tf.compat.v1.Summary
    return Summary(value=[Summary.Value(tag=tag, simple_value=value, **options)])


def prog_file_writer(tf, np):
    v1 = tf.compat.v1
    with folder() as f, tf.Graph().as_default():
        writer = v1.summary.FileWriter(f("w"))
        found = [os.path.isdir(f("w")), writer.get_logdir() == f("w")]
        writer.add_summary(_summary(tf), 3)
        writer.add_summary(_summary(tf).SerializeToString())
        writer.add_summary(_summary(tf), np.int64(4))
        writer.add_run_metadata(v1.RunMetadata(), "step1", global_step=2)
        writer.add_session_log(v1.SessionLog(status=v1.SessionLog.START), 1)
        writer.add_event(v1.Event(wall_time=1.0, step=8, file_version="q"))
        found.append(f.attempt(lambda: writer.add_run_metadata(v1.RunMetadata(), "step1")))
        writer.flush()
        found.append(events(f("w")))
        writer.close()
        return found


def prog_file_writer_tells_metadata_once(tf, np):
    v1 = tf.compat.v1
    with folder() as f, tf.Graph().as_default(), v1.summary.FileWriter(f("w")) as writer:
        for step, name in enumerate(("first", "first", "other")):
            writer.add_summary(_summary(tf, metadata=v1.SummaryMetadata(display_name=name)), step)
        writer.add_summary(_summary(tf, "r", metadata=v1.SummaryMetadata(display_name="r")), 9)
        writer.flush()
        return events(f("w"))


def prog_file_writer_graph(tf, np):
    v1 = tf.compat.v1
    with folder() as f, tf.Graph().as_default() as graph:
        c = tf.constant(1.0, name="c")
        writer = v1.summary.FileWriter(f("w"), graph)
        c + 2.0
        writer.add_graph(graph, 7)
        writer.add_graph(None, graph_def=v1.GraphDef())
        writer.close()
        path = f("w/" + os.listdir(f("w"))[0])
        out = []
        for event in v1.train.summary_iterator(path):
            kind = event.WhichOneof("what")
            data = getattr(event, kind)
            if kind == "graph_def":
                data = [node.name for node in v1.GraphDef.FromString(data).node]
            if kind == "meta_graph_def":
                message = v1.MetaGraphDef.FromString(data)
                data = [[node.name for node in message.graph_def.node], [op.name for op in message.meta_info_def.stripped_op_list.op], message.meta_info_def.tensorflow_version]
            out.append([event.step, kind, data])
        return out


def prog_file_writer_refuses(tf, np):
    v1 = tf.compat.v1
    with folder() as f, tf.Graph().as_default() as graph:
        writer = v1.summary.FileWriter(f("w"))
        calls = [
            lambda: writer.add_graph("x"),
            lambda: writer.add_graph(None),
            lambda: writer.add_graph(graph, graph_def=v1.GraphDef()),
            lambda: writer.add_summary(b"\xff\xff"),
            lambda: writer.add_summary(3),
            lambda: writer.add_summary(_summary(tf), "x"),
            lambda: v1.summary.FileWriter(f("w"), graph, graph_def=v1.GraphDef()),
            lambda: v1.summary.FileWriter(f("w"), "x"),
            lambda: v1.summary.FileWriter("/proc/nope"),
        ]
        return [[found[0], found[1].split(":")[0]] if (found := f.attempt(call)) else found for call in calls]


def prog_file_writer_closed(tf, np):
    v1 = tf.compat.v1
    with folder() as f, tf.Graph().as_default():
        writer = v1.summary.FileWriter(f("w"))
        writer.add_summary(_summary(tf), 1)
        writer.close()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = [writer.add_summary(_summary(tf), 2), writer.flush(), writer.close()]
        return [found, [str(w.message) for w in caught if w.category is UserWarning], events(f("w"))]


def prog_file_writer_suffix(tf, np):
    with folder() as f, tf.Graph().as_default():
        for suffix in (".sfx", "sfx", None):
            with tf.compat.v1.summary.FileWriter(f("w"), filename_suffix=suffix) as writer:
                writer.add_summary(_summary(tf), 3)
        return sorted(names(f("w")))


def prog_file_writer_cache(tf, np):
    Cache = tf.compat.v1.summary.FileWriterCache
    with folder() as f, tf.Graph().as_default():
        first = Cache.get(f("w"))
        found = [Cache.get(f("w")) is first, type(first).__name__]
        Cache.clear()
        found.append(Cache.get(f("w")) is first)
        Cache.clear()
        return found


def prog_file_writer_with_a_session(tf, np):
    v1 = tf.compat.v1
    with folder() as f, tf.Graph().as_default() as graph, v1.Session() as session:
        writer = v1.summary.FileWriter(f("w"), session=session)
        writer.add_summary(_summary(tf), 3)
        writer.flush()
        first = events(f("w"))
        writer.close()
        return [first, sorted({n.split(" = ")[1].split("(")[0] for n in nodes(graph)})]


def prog_training_loop(tf, np):
    v1 = tf.compat.v1
    with folder() as f, tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [], name="x")
        v1.summary.scalar("loss", x * x)
        v1.summary.histogram("xs", [x, x + 1])
        merged = v1.summary.merge_all()
        with v1.Session() as session, v1.summary.FileWriter(f("w")) as writer:
            for step in range(3):
                writer.add_summary(session.run(merged, {x: float(step)}), step)
        return [events(f("w")), [op.type for op in graph.get_operations()]]


def prog_v2_writers_in_a_graph(tf, np):
    v1 = tf.compat.v1
    with folder() as f, tf.Graph().as_default() as graph:
        writer = tf.summary.create_file_writer(f("w"))
        found = [writer.init() is writer.init(), os.path.exists(f("w"))]
        with writer.as_default(step=2):
            tf.summary.write("x", 1.0)
            tf.summary.scalar("y", tf.constant(3.0), step=4)
        summaries = v1.summary.all_v2_summary_ops()
        found.append([t.name for t in summaries])
        with v1.Session() as session:
            session.run(writer.init())
            found.append([session.run(summary) for summary in summaries])
            session.run(writer.flush())
            found.append(events(f("w")))
            session.run(writer.close())
        return [*found, [n.split(" = ")[0] for n in nodes(graph)][:8]]


def prog_initialize(tf, np):
    v1 = tf.compat.v1
    with folder() as f:
        found = [v1.summary.initialize(), v1.summary.all_v2_summary_ops()]
        with tf.Graph().as_default() as graph:
            tf.constant(1.0, name="c")
            found.append(f.attempt(v1.summary.initialize))
            writer = tf.summary.create_file_writer(f("w"))
            with writer.as_default(1):
                found.append(f.attempt(v1.summary.initialize))
                with v1.Session() as session:
                    found.append(v1.summary.initialize(graph=graph))
                    session.run(writer.flush())
        return [*found, [len(file[1]) for file in events(f("w"))]]


def prog_summary_description(tf, np):
    v1 = tf.compat.v1
    with folder() as f, tf.Graph().as_default():
        node = v1.NodeDef(op="TensorSummary", name="t")
        node.attr["description"].s = b'{"type_hint": "x"}'
        other = tf.constant(1, name="k").op.node_def
        get = v1.summary.get_summary_description
        return [get(node).type_hint, f.attempt(lambda: get(other))]


def prog_summary_iterator(tf, np):
    v1 = tf.compat.v1
    with folder() as f, tf.Graph().as_default():
        with v1.summary.FileWriter(f("w")) as writer:
            for step in range(20):
                writer.add_summary(_summary(tf), step)
        path = f("w/" + os.listdir(f("w"))[0])
        found = [[e.step, e.WhichOneof("what")] for e in v1.train.summary_iterator(path)]
        return [found, len(records(path)), f.attempt(lambda: list(v1.train.summary_iterator(f("none"))))[0]]
