"""tf.summary.scalar, histogram, image, audio, text, write: the bytes of their events, and what is refused."""

from __future__ import annotations

import sys

from tests.oracle.programs._summary_helpers import add_programs

S = lambda tf: tf.summary

SCALARS = {
    "scalar_float": lambda tf, np: S(tf).scalar("a", 1.5, step=1),
    "scalar_int": lambda tf, np: S(tf).scalar("a", 3, step=0),
    "scalar_bool": lambda tf, np: S(tf).scalar("a", True, step=1),
    "scalar_variable": lambda tf, np: S(tf).scalar("a", tf.Variable(2.0), step=1),
    "scalar_double": lambda tf, np: S(tf).scalar("a", tf.constant(0.1, tf.float64), step=1),
    "scalar_numpy": lambda tf, np: S(tf).scalar("a", np.float16(0.1), step=np.int64(5)),
    "scalar_nan_and_inf": lambda tf, np: [S(tf).scalar("a", x, step=1) for x in (float("nan"), float("inf"), -float("inf"))],
    "scalar_complex": lambda tf, np: S(tf).scalar("a", 1 + 2j, step=1),
    "scalar_description": lambda tf, np: S(tf).scalar("a/b", 2, step=2, description="hello *x* é"),
    "scalar_of_a_vector": lambda tf, np: S(tf).scalar("a", [1.0, 2.0], step=1),
    "scalar_of_text": lambda tf, np: S(tf).scalar("a", "x", step=1),
    "scalar_of_none": lambda tf, np: S(tf).scalar("a", None, step=1),
    "scalar_name_none": lambda tf, np: S(tf).scalar(None, 1.0, step=1),
    "scalar_name_empty": lambda tf, np: S(tf).scalar("", 1.0, step=1),
    "scalar_name_number": lambda tf, np: S(tf).scalar(3, 1.0, step=1),
    "scalar_names_odd": lambda tf, np: [S(tf).scalar(name, 1.0, step=1) for name in ("a b:c/d é", "/lead", "x/", "a//b", ".", "-a", " ", "a\nb")],
    "scalar_steps": lambda tf, np: [S(tf).scalar("a", 1.0, step=step) for step in (0, 1, -3, 2**40, 2**62, tf.constant(7, tf.int64), tf.Variable(9, dtype=tf.int64), np.int32(4))],
    "scalar_no_step": lambda tf, np: S(tf).scalar("a", 1.0),
}


def _steps_refused(tf, np):
    out = []
    for step in (1.5, "x", tf.constant(1), tf.constant([1, 2], tf.int64), None):
        try:
            out.append(tf.summary.write("a", 1.0, step=step))
        except Exception as error:
            out.append([type(error).__name__, str(error).split(":")[0][:60]])
    return out


def _in_scopes(tf, np):
    with tf.name_scope("out"):
        tf.summary.scalar("in", 1.0, step=1)
        tf.summary.scalar("in", 2.0, step=1)
        with tf.name_scope("deep"):
            tf.summary.scalar("in", 3.0, step=1)
            tf.summary.write("in", 3.0, step=1)
        with tf.summary.experimental.summary_scope("q") as x, tf.summary.experimental.summary_scope(None, "d") as y:
            return [x, y]


def _scope_names(tf, np):
    out = []
    with tf.name_scope("out"):
        for name in ("a", "a b", "", None, "/in", "é", "..x", "a:b", "a>b", "1"):
            with tf.summary.experimental.summary_scope(name, "dflt", values=[1]) as scope:
                out.append(list(scope))
    return out


HISTOGRAMS = {
    f"histogram_{name}": (lambda tf, np, values=values: tf.summary.histogram("h", values(tf, np), step=1, buckets=3))
    for name, values in {
        "numbers": lambda tf, np: [1.0, 2.0, 3.0, 4.0],
        "empty": lambda tf, np: [],
        "one": lambda tf, np: [1.0],
        "equal": lambda tf, np: [2.0, 2.0, 2.0],
        "nan": lambda tf, np: [float("nan"), 1.0],
        "infinite": lambda tf, np: [float("inf"), 1.0],
        "both_infinite": lambda tf, np: [float("inf"), -float("inf"), 0.0],
        "integers": lambda tf, np: [1, 2, 3],
        "truth": lambda tf, np: [True, False, True],
        "matrix": lambda tf, np: np.arange(10).reshape(2, 5),
        "small": lambda tf, np: np.linspace(-1e-30, 1e-30, 7),
        "large": lambda tf, np: np.array([-1e308, 1e308]),
        "halves": lambda tf, np: tf.constant([0.1, 0.2, 0.7], tf.float16),
        "variable": lambda tf, np: tf.Variable([1.0, 5.0]),
        "many": lambda tf, np: np.sin(np.arange(1000.0)),
        "text": lambda tf, np: "x",
    }.items()
} | {
    "histogram_buckets": lambda tf, np: [tf.summary.histogram("h", [1.0, 2.0, 4.0], step=1, buckets=n) for n in (None, 0, -1, 1, 2, tf.constant(4))],
    "histogram_buckets_refused": lambda tf, np: tf.summary.histogram("h", [1.0], step=1, buckets=2.5),
    "histogram_described": lambda tf, np: tf.summary.histogram("h", [1.0, 2.0], step=1, buckets=2, description="d"),
}

_IMAGES = {
    "float": lambda np: np.linspace(0, 1, 24, dtype=np.float32).reshape(2, 2, 2, 3),
    "double": lambda np: np.array([-1.0, 0, 0.5, 1.0, 2.0, 0.25, 0.1, 0.9]).reshape(1, 2, 4, 1),
    "half": lambda np: np.linspace(0, 1, 8).astype(np.float16).reshape(1, 2, 4, 1),
    "uint8": lambda np: np.arange(48, dtype=np.uint8).reshape(1, 4, 4, 3),
    "uint16": lambda np: (np.arange(16) * 4000).astype(np.uint16).reshape(1, 4, 4, 1),
    "int32": lambda np: (np.arange(16) * 100000000).astype(np.int32).reshape(1, 4, 4, 1),
    "int8": lambda np: np.arange(-8, 8, dtype=np.int8).reshape(1, 4, 4, 1),
    "opacity": lambda np: np.arange(32, dtype=np.uint8).reshape(1, 2, 4, 4),
    "gray_opacity": lambda np: np.arange(16, dtype=np.uint8).reshape(1, 2, 4, 2),
    "five_channels": lambda np: np.zeros((1, 2, 2, 5), np.uint8),
    "many": lambda np: np.zeros((7, 1, 1, 1), np.uint8),
    "none": lambda np: np.zeros((0, 2, 2, 3), np.uint8),
    "one_pixel": lambda np: np.full((1, 1, 1, 4), 50, np.uint8),
    "vector": lambda np: np.zeros(3, np.uint8),
    "truth": lambda np: np.zeros((1, 2, 2, 1), bool),
}
IMAGES = {
    f"image_{name}": (lambda tf, np, make=make: tf.summary.image("i", make(np), step=1)) for name, make in _IMAGES.items()
} | {
    "image_outputs": lambda tf, np: [tf.summary.image("i", np.zeros((3, 1, 2, 1), np.uint8), step=1, max_outputs=n) for n in (0, 1, 2, 9)],
    "image_outputs_negative": lambda tf, np: tf.summary.image("i", np.zeros((3, 1, 2, 1), np.uint8), step=1, max_outputs=-1),
    "image_described": lambda tf, np: tf.summary.image("i", np.zeros((1, 1, 2, 1), np.uint8), step=1, description="d"),
}

SOUNDS = {
    "audio_mono": lambda tf, np: tf.summary.audio("a", np.linspace(-1, 1, 5, dtype=np.float32).reshape(1, 5, 1), 8000, step=1),
    "audio_stereo": lambda tf, np: tf.summary.audio("a", np.linspace(-2, 2, 24, dtype=np.float32).reshape(4, 3, 2), 44100, step=1, max_outputs=2, description="x"),
    "audio_none": lambda tf, np: tf.summary.audio("a", np.zeros((0, 3, 1), np.float32), 8000, step=1),
    "audio_encoding": lambda tf, np: tf.summary.audio("a", np.zeros((1, 3, 1), np.float32), 8000, step=1, encoding="wav"),
    "audio_unknown_encoding": lambda tf, np: tf.summary.audio("a", np.zeros((1, 3, 1), np.float32), 8000, step=1, encoding="mp3"),
    "audio_double": lambda tf, np: tf.summary.audio("a", np.zeros((1, 3, 1)), 8000, step=1),
    "audio_rate_refused": lambda tf, np: tf.summary.audio("a", np.zeros((1, 3, 1), np.float32), 8000.5, step=1),
    "audio_vector": lambda tf, np: tf.summary.audio("a", np.zeros(3, np.float32), 8000, step=1),
}

TEXTS = {
    "text_scalar": lambda tf, np: tf.summary.text("t", "hello é", step=1),
    "text_vector": lambda tf, np: tf.summary.text("t", ["a", "", "b" * 200], step=1, description="d"),
    "text_matrix": lambda tf, np: tf.summary.text("t", np.array([["a", "b"], ["c", "d"]]), step=1),
    "text_empty": lambda tf, np: tf.summary.text("t", tf.constant([], tf.string), step=1),
    "text_refused": lambda tf, np: tf.summary.text("t", 1.0, step=1),
}


def _metadata(tf):
    data = tf.compat.v1.SummaryMetadata.PluginData(plugin_name="p", content=b"\x01\xff")
    return tf.compat.v1.SummaryMetadata(plugin_data=data, display_name="q", summary_description="r")


_TENSORS = {
    "text": lambda tf, np: "x",
    "integer": lambda tf, np: 1,
    "vector": lambda tf, np: [1, 2],
    "truth": lambda tf, np: [True, False],
    "float": lambda tf, np: 1.5,
    "complex": lambda tf, np: [1j, 2.0],
    "half": lambda tf, np: np.float16(2),
    "bfloat16": lambda tf, np: tf.constant([3.0, 1.0], tf.bfloat16),
    "empty": lambda tf, np: np.zeros((2, 0)),
    "no_texts": lambda tf, np: tf.constant([], tf.string),
    "uint16": lambda tf, np: np.array([2, 3], np.uint16),
    "int8": lambda tf, np: np.array([[[-2]]], np.int8),
    "uint64": lambda tf, np: np.array([2**63], np.uint64),
    "float8": lambda tf, np: tf.cast([1.0, 2.0], tf.dtypes.experimental.float8_e5m2),
    "transposed": lambda tf, np: np.arange(6).reshape(2, 3).T,
    "variable": lambda tf, np: tf.Variable([1.0, 2.0]),
    "function": lambda tf, np: (lambda: tf.constant(4)),
    "large": lambda tf, np: np.arange(1000.0),
    "none": lambda tf, np: None,
}
WRITES = {
    f"write_{name}": (lambda tf, np, make=make: tf.summary.write("w", make(tf, np), step=1)) for name, make in _TENSORS.items()
} | {
    "write_metadata": lambda tf, np: tf.summary.write("w", 1, step=1, metadata=_metadata(tf)),
    "write_serialized_metadata": lambda tf, np: tf.summary.write("w", 1, step=1, metadata=_metadata(tf).SerializeToString()),
    "write_damaged_metadata": lambda tf, np: [tf.summary.write("w", 1, step=1, metadata=m) for m in (b"\xff\xff", b"")],
    "write_metadata_refused": lambda tf, np: tf.summary.write("w", 1, step=1, metadata=3),
    "write_tag_refused": lambda tf, np: tf.summary.write(3, 1, step=1),
    "write_tags": lambda tf, np: [tf.summary.write(tag, 1, step=1) for tag in ("", "é", b"bytes", "a" * 300)],
    "write_steps_refused": _steps_refused,
    "scalars_in_scopes": _in_scopes,
    "summary_scopes": _scope_names,
}


def _raw(tf, count=1):
    Summary = tf.compat.v1.Summary
    return Summary(value=[Summary.Value(tag=f"r{i}", simple_value=2.0 + i) for i in range(count)]).SerializeToString()


RAW = {
    "raw_pb": lambda tf, np: tf.summary.experimental.write_raw_pb(_raw(tf), step=4),
    "raw_pb_of_several": lambda tf, np: tf.summary.experimental.write_raw_pb(tf.constant([_raw(tf), _raw(tf, 2)]), step=4),
    "raw_pb_empty": lambda tf, np: tf.summary.experimental.write_raw_pb(b"", step=4),
    "raw_pb_damaged": lambda tf, np: tf.summary.experimental.write_raw_pb(b"\xff\xff", step=4),
    "raw_pb_refused": lambda tf, np: tf.summary.experimental.write_raw_pb(3, step=4),
    "raw_pb_no_step": lambda tf, np: tf.summary.experimental.write_raw_pb(_raw(tf)),
}

add_programs(sys.modules[__name__], SCALARS | HISTOGRAMS | IMAGES | SOUNDS | TEXTS | WRITES | RAW)
