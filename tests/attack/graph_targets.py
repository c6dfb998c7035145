"""Graphs: imported under a policy that allows nothing, written again, and run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import millrace as tf
from millrace._src.core.op_capabilities import Capability
from millrace._src.graph.import_graph_def import import_under
from millrace._src.graph.op_policy import OpPolicy
from millrace._src.proto import graph_pb2
from tests.attack.mutations import damaged
from tests.attack.target import Files, Target, of_message, single
from tests.formats.canonical_text import parse_graph_text

RECORDED = Path(__file__).parents[1] / "formats" / "recorded"
_NOT_WRITTEN = [tf.dtypes.as_dtype(n) for n in ("float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz")]
"""The dtypes of which TensorFlow's Python writes no scalar, nor does Millrace."""

POLICY = OpPolicy(allowed=Capability.NOTHING, advice=lambda refused: f"It reaches {refused.name}.", gradient_rules={})


def _graphs(folder: Path) -> Sequence[Files]:
    text = (RECORDED / "graphs.txt").read_text(encoding="utf-8")
    parts = [part.split("\n", 1)[1] for part in text.split("== ")[1:]]
    protos = [parse_graph_text(part, graph_pb2.GraphDef()) for part in parts]
    return single("g", [*(proto.SerializeToString() for proto in protos), *_worldly_graphs()])


def _worldly_graphs() -> list[bytes]:
    """Graphs with ops that reach files and Python."""

    @tf.function(autograph=False)
    def written(name: Any) -> Any:
        tf.io.write_file(name, "x")
        tf.print("x", output_stream="file:///tmp/millrace_escaped")
        lines = tf.data.TextLineDataset(name).cache("/tmp/millrace_escaped").reduce("", lambda a, b: a + b)
        return tf.numpy_function(lambda x: x, [tf.io.read_file(name) + lines], tf.string)

    graphs = [written.get_concrete_function(tf.TensorSpec([], tf.string)).graph]
    return [graph.as_graph_def().SerializeToString() for graph in graphs]


def _read(folder: Path) -> None:
    proto = graph_pb2.GraphDef()
    try:
        proto.ParseFromString((folder / "g").read_bytes())
    except Exception as error:  # protobuf's own class of errors: the caller of import_graph_def parses
        raise ValueError(f"no GraphDef: {error}") from None
    graph = tf.Graph()
    with graph.as_default():
        import_under(POLICY, proto, name="")
    if not any(op.outputs and op.outputs[0].dtype in _NOT_WRITTEN for op in graph.get_operations()):
        graph.as_graph_def(add_shapes=True)
    _run(proto)


def _run(proto: Any) -> None:
    """Runs the last node of the graph on ones."""
    feeds = {f"{node.name}:0": _fed(node) for node in proto.node if node.op == "Placeholder"}
    last = proto.node[-1].name if proto.node else None

    @tf.function(autograph=False)
    def run() -> Any:
        values = {name: value for name, value in feeds.items() if value is not None}
        found = import_under(POLICY, proto, values, [last], name="x")
        return [t for op in found for t in op.outputs if t.dtype not in (tf.resource, tf.variant)]

    if last is not None:
        run()


def _fed(node: Any) -> Any:
    """A value for a placeholder; None where there is none."""
    try:
        dtype = tf.dtypes.as_dtype(node.attr["dtype"].type)
        dims = [2 if d.size < 0 else d.size for d in node.attr["shape"].shape.dim]
        if dtype in (tf.resource, tf.variant) or np.prod(dims, dtype=object) > 1 << 16:
            return None
        return tf.fill(dims, "/etc/passwd") if dtype is tf.string else tf.cast(tf.ones(dims), dtype)
    except (TypeError, tf.errors.OpError):
        return None


GRAPHS = Target(
    "graphs",
    _graphs,
    {"": (of_message(graph_pb2.GraphDef), of_message(graph_pb2.GraphDef), damaged)},
    _read,
    may_run_on=True,
)

TARGETS = (GRAPHS,)
