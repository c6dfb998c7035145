"""Features of Examples that become sparse and ragged tensors."""

from __future__ import annotations

from tests.oracle.programs._messages import example, floats, ints, sequence, texts
from tests.oracle.support import attempt

FULL = example(v=floats(1, 2, 3), i=ints(5, 0, 2), j=ints(1, 1, 0), s=ints(0, 2, 3), k=ints(0, 1, 2), n=ints(2, 1), b=ints(0, 2), e=ints(2, 3), r=ints(0, 0, 1), t=texts(b"a", b"b"))
SHORT = example(v=floats(4), i=ints(3), j=ints(2), s=ints(0, 1), k=ints(0, 1), n=ints(1), b=ints(0), e=ints(1), r=ints(0))
BATCH = [FULL, example(), SHORT]
SEQUENCES = [sequence({"c": floats(1, 2), "a": ints(7)}, {"v": [floats(1, 2), floats(3)], "n": [ints(1, 1), ints(1)], "r": [ints(0, 0), ints(0)]}), sequence({}, {"v": [floats(4)], "n": [ints(1)], "r": [ints(0)]})]


def _partitions(tf):
    r = tf.io.RaggedFeature
    return [[], [r.RowSplits("s")], [r.RowLengths("n")], [r.RowStarts("b")], [r.RowLimits("e")], [r.ValueRowIds("r")], [r.UniformRowLength(1)], [r.RowSplits("k"), r.RowLengths("n")], [r.RowLengths("n"), r.UniformRowLength(1)], [r.UniformRowLength(1), r.RowLengths("n")]]


def prog_var_len(tf, np):
    """Features of any length, of a batch and of one Example."""
    features = {"v": tf.io.VarLenFeature(tf.float32), "t": tf.io.VarLenFeature(tf.string)}
    return [tf.io.parse_example(BATCH, features), tf.io.parse_single_example(FULL, features)]


def prog_sparse(tf, np):
    """Indices and values of different features."""
    s = tf.io.SparseFeature
    features = [s("i", "v", tf.float32, 10), s("i", "v", tf.float32, 10, True), s(["i", "j"], "v", tf.float32, [10, 4]), s(["i"], "v", tf.float32, [10]), s("i", "v", tf.float32, 3)]
    found = [[tf.io.parse_example(data, {"x": f})["x"] for data in (BATCH, FULL)] for f in features]
    return [*found, attempt(lambda: tf.io.parse_example(BATCH, {"x": s(["i", "j"], "v", tf.float32, [10])}))]


def prog_ragged(tf, np):
    """Partitions of every kind, of a batch and of one Example."""
    return [[tf.io.parse_example(data, {"x": tf.io.RaggedFeature(tf.float32, "v", p)})["x"] for data in (BATCH, FULL)] for p in _partitions(tf)]


def prog_ragged_int64(tf, np):
    """Row splits of int64, checked."""
    return [tf.io.parse_example([FULL, SHORT], {"x": tf.io.RaggedFeature(tf.float32, "v", p, tf.int64, True)})["x"] for p in _partitions(tf)]


def prog_ragged_refused(tf, np):
    """Partitions that are none."""
    r = tf.io.RaggedFeature
    return [attempt(lambda d=d, p=p: tf.io.parse_example(d, {"x": r(tf.float32, "v", [p], validate=True)}), words=5) for d, p in ((BATCH, r.RowLengths("i")), (FULL, r.RowSplits("i")), (FULL, r.RowLengths("i")))]


def prog_functions(tf, np):
    """The same in a graph, with the shapes known there."""
    features = {"a": tf.io.VarLenFeature(tf.int64), "x": tf.io.SparseFeature("i", "v", tf.float32, 10), "y": tf.io.RaggedFeature(tf.float32, "v", [tf.io.RaggedFeature.RowLengths("n")])}
    features.pop("a")
    sparse = tf.function(lambda d: tf.io.parse_example(d, {"x": features["x"]}), input_signature=[tf.TensorSpec([None], tf.string)])
    ragged = tf.function(lambda d: tf.io.parse_example(d, {"y": features["y"]}), input_signature=[tf.TensorSpec([None], tf.string)])
    shapes = [f.get_concrete_function().structured_outputs for f in (sparse, ragged)]
    return [sparse(tf.constant(BATCH)), ragged(tf.constant(BATCH)), shapes[0]["x"].shape, shapes[1]["y"].shape]


def prog_sequences(tf, np):
    """Feature lists and contexts."""
    r = tf.io.RaggedFeature
    lists = [[], [r.RowLengths("n")], [r.ValueRowIds("r")], [r.UniformRowLength(1)]]
    ragged = [[tf.io.parse_sequence_example(SEQUENCES, None, {"x": r(tf.float32, "v", p)})[1], tf.io.parse_single_sequence_example(SEQUENCES[0], None, {"x": r(tf.float32, "v", p)})[1]] for p in lists]
    context, sparse = {"a": tf.io.VarLenFeature(tf.int64), "c": r(tf.float32)}, {"v": tf.io.VarLenFeature(tf.float32)}
    return [ragged, tf.io.parse_sequence_example(SEQUENCES, context, sparse)[:2], tf.io.parse_single_sequence_example(SEQUENCES[0], context, sparse)]
