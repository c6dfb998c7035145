"""The ops that write to a writer, and those that return summaries: bytes, and what is refused."""

from __future__ import annotations

import sys

from tests.oracle.programs._summary_helpers import add_programs, events, folder, written


def _writes(op, **arguments):
    """A body that calls an op with a writer; arguments are functions of `(tf, np)`."""
    def body(tf, np, writer):
        return getattr(tf.raw_ops, op)(writer=writer._resource, **{k: make(tf, np) for k, make in arguments.items()})
    return body


def _constant(value):
    return lambda tf, np: value


_STEP = {"step": _constant(3), "tag": _constant("x")}
_COLOR = {"bad_color": lambda tf, np: tf.constant([1, 2, 3, 4], tf.uint8)}
WRITES = {
    "scalar": _writes("WriteScalarSummary", **_STEP, value=_constant(2.5)),
    "scalar_of_integers": _writes("WriteScalarSummary", **_STEP, value=lambda tf, np: tf.constant(2**40, tf.int64)),
    "scalar_of_halves": _writes("WriteScalarSummary", **_STEP, value=lambda tf, np: tf.constant(0.1, tf.float16)),
    "histogram": _writes("WriteHistogramSummary", **_STEP, values=_constant([1.0, 2.0, 2.0])),
    "histogram_of_truth": _writes("WriteHistogramSummary", **_STEP, values=_constant([True, False])),
    "histogram_of_nothing": _writes("WriteHistogramSummary", **_STEP, values=_constant([])),
    "histogram_of_nan": _writes("WriteHistogramSummary", **_STEP, values=_constant([float("nan")])),
    "image": _writes("WriteImageSummary", **_STEP, **_COLOR, tensor=lambda tf, np: np.linspace(0, 1, 24).reshape(2, 2, 2, 3)),
    "image_alone": _writes("WriteImageSummary", **_STEP, **_COLOR, tensor=lambda tf, np: np.zeros((2, 2, 2, 3), np.uint8), max_images=_constant(1)),
    "image_bad": _writes("WriteImageSummary", **_STEP, **_COLOR, tensor=lambda tf, np: np.full((1, 2, 2, 3), np.nan, np.float32)),
    "image_half": _writes("WriteImageSummary", **_STEP, **_COLOR, tensor=lambda tf, np: np.array([0, 1, 100, 300], np.float16).reshape(1, 2, 2, 1)),
    "image_of_few_colors": _writes("WriteImageSummary", **_STEP, bad_color=lambda tf, np: tf.constant([1, 2], tf.uint8), tensor=lambda tf, np: np.zeros((1, 2, 2, 3), np.float32)),
    "audio": _writes("WriteAudioSummary", **_STEP, tensor=lambda tf, np: np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3, 1), sample_rate=_constant(8000.0)),
    "audio_alone": _writes("WriteAudioSummary", **_STEP, tensor=lambda tf, np: np.zeros((2, 3), np.float32), sample_rate=_constant(16000.0), max_outputs=_constant(1)),
    "audio_without_rate": _writes("WriteAudioSummary", **_STEP, tensor=lambda tf, np: np.zeros((2, 3), np.float32), sample_rate=_constant(0.0)),
    "event_damaged": _writes("ImportEvent", event=_constant(b"\xff\xff")),
    "event": _writes("ImportEvent", event=lambda tf, np: tf.compat.v1.Event(wall_time=1.0, step=9, file_version="v").SerializeToString()),
    "raw_damaged": _writes("WriteRawProtoSummary", step=_constant(3), tensor=_constant(b"\xff\xff")),
    "graph_damaged": _writes("WriteGraphSummary", step=_constant(3), tensor=_constant(b"\xff\xff")),
    "graph": _writes("WriteGraphSummary", step=_constant(3), tensor=lambda tf, np: tf.compat.v1.GraphDef(node=[tf.compat.v1.NodeDef(name="n", op="NoOp")]).SerializeToString()),
}
for _name, _body in WRITES.items():
    def _program(tf, np, body=_body):
        return written(tf, lambda writer: body(tf, np, writer))

    _program.__name__ = f"prog_write_{_name}"
    setattr(sys.modules[__name__], _program.__name__, _program)
del _program

R = lambda tf: tf.raw_ops
RETURNS = {
    "scalar_summary": lambda tf, np: R(tf).ScalarSummary(tags="x", values=2.5),
    "scalar_summaries": lambda tf, np: R(tf).ScalarSummary(tags=[["x"], ["y"]], values=[[2.5], [3.0]]),
    "scalar_summaries_refused": lambda tf, np: R(tf).ScalarSummary(tags=["x", "y"], values=[2.5]),
    "histogram_summary": lambda tf, np: R(tf).HistogramSummary(tag="x", values=2.5),
    "histogram_summary_of_tags": lambda tf, np: R(tf).HistogramSummary(tag=["x", "y"], values=2.5),
    "merge_summary_damaged": lambda tf, np: R(tf).MergeSummary(inputs=[b"\xff"]),
    "merge_summary_of_vectors": lambda tf, np: R(tf).MergeSummary(inputs=[[b"", R(tf).ScalarSummary(tags="x", values=2.5)], b""]),
    "tensor_summary": lambda tf, np: R(tf).TensorSummaryV2(tag="t", tensor=[[1, 2]], serialized_summary_metadata=b"\xff"),
    "tensor_summary_of_text": lambda tf, np: R(tf).TensorSummaryV2(tag="t", tensor=["s", ""], serialized_summary_metadata=b""),
    "audio_summary": lambda tf, np: R(tf).AudioSummaryV2(tag="t", tensor=np.zeros((2, 3, 1), np.float32), sample_rate=[1.0]),
}
add_programs(sys.modules[__name__], RETURNS)


def prog_closed(tf, np):
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"))
        handle = writer._resource
        tf.raw_ops.WriteScalarSummary(writer=handle, step=1, tag="a", value=1.0)
        tf.raw_ops.CloseSummaryWriter(writer=handle)
        found = [f.attempt(lambda: tf.raw_ops.FlushSummaryWriter(writer=handle))[0], f.attempt(lambda: tf.raw_ops.WriteScalarSummary(writer=handle, step=1, tag="a", value=1.0))[0]]
        return [found, events(f("w"))]


def prog_opened_again(tf, np):
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"))
        handle = writer._resource
        tf.raw_ops.CloseSummaryWriter(writer=handle)
        for name in ("v", "u"):
            tf.raw_ops.CreateSummaryFileWriter(writer=handle, logdir=f(name), max_queue=1, flush_millis=1000, filename_suffix=".z")
        tf.raw_ops.WriteScalarSummary(writer=handle, step=1, tag="a", value=1.0)
        tf.raw_ops.FlushSummaryWriter(writer=handle)
        return [events(f("w")), events(f("v"))]
