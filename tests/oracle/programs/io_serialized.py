"""serialize_tensor and parse_tensor of all dtypes; what is left of JSON, record iterators, kept names and gfile."""

from __future__ import annotations

import gzip
import os

from tests.oracle.programs._file_helpers import folder
from tests.oracle.programs._messages import block, varint
from tests.oracle.support import attempt

_NUMBERS = "float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128 bool".split()


def _round(tf, value):
    text = tf.io.serialize_tensor(value)
    return [text, tf.io.parse_tensor(text, value.dtype)]


def prog_every_number(tf, np):
    """Vectors of each dtype, there and back."""
    return [_round(tf, tf.cast([0, 1, 2, 3], dtype)) for dtype in _NUMBERS]


def prog_every_number_scalar(tf, np):
    """Scalars."""
    return [_round(tf, tf.cast(1, dtype)) for dtype in _NUMBERS]


def prog_every_number_empty(tf, np):
    """Nothing, with a shape."""
    return [_round(tf, tf.zeros([2, 0, 3], dtype)) for dtype in _NUMBERS]


def prog_all_equal(tf, np):
    """Values that are all the same are not shortened."""
    return [_round(tf, tf.ones([2, 3], dtype)) for dtype in _NUMBERS]


def prog_special_floats(tf, np):
    """Infinities, the not-a-number, negative zero, the smallest."""
    values = [np.inf, -np.inf, np.nan, -0.0, 1e-45, 3.4e38]
    return [_round(tf, tf.constant(values, dtype)) for dtype in ("float16", "float32", "float64", "bfloat16")]


def prog_strings(tf, np):
    """Strings: empty, long, with zero bytes, no text, of several ranks."""
    values = ["", "a", b"\x00\xff", "é", "x" * 300]
    shapes = [tf.constant(values), tf.constant("one"), tf.constant([["a", "b"], ["c", "d"]]), tf.zeros([0], tf.string), tf.zeros([2, 0], tf.string)]
    return [_round(tf, value) for value in shapes]


def prog_ranks(tf, np):
    """Many dimensions."""
    return [_round(tf, tf.reshape(tf.range(8), shape)) for shape in ([8], [2, 4], [2, 2, 2], [1, 2, 1, 4], [1] * 7 + [8])]


def prog_values_that_become_tensors(tf, np):
    """Lists, arrays, numbers, variables."""
    s = tf.io.serialize_tensor
    return [s([1, 2]), s(3.5), s(np.array([[1, 2]], np.int16)), s("text"), s(tf.Variable([1.0, 2.0])), s(True), s([[1.0], [2.0]])]


def prog_names(tf, np):
    """Names of nodes, of attributes."""
    with tf.Graph().as_default() as g:
        s = tf.io.serialize_tensor(tf.constant([1, 2]), name="mine")
        p = tf.io.parse_tensor(s, tf.int32)
        return [s.name, s.shape, p.name, p.shape, p.dtype, [(n.name, n.op, sorted(n.attr)) for n in g.as_graph_def().node]]


def prog_in_functions(tf, np):
    """In a graph: static shapes, and run."""
    @tf.function
    def f(x):
        text = tf.io.serialize_tensor(x)
        back = tf.io.parse_tensor(text, tf.float32)
        return text, back, back + 1.0

    return [f(tf.constant([1.0, 2.0])), f.get_concrete_function(tf.TensorSpec([2])).structured_outputs]


def prog_loops_of_tensors(tf, np):
    """Mapped over a vector of texts."""
    texts = tf.stack([tf.io.serialize_tensor([i, i + 1]) for i in range(3)])
    return [texts, tf.map_fn(lambda t: tf.ensure_shape(tf.io.parse_tensor(t, tf.int32), [2]), texts, fn_output_signature=tf.int32)]


def prog_wrong_dtypes(tf, np):
    """Another dtype than was written."""
    texts = {d: tf.io.serialize_tensor(tf.cast([1, 2], d)) for d in ("float32", "int32", "int64", "bool", "bfloat16")} | {"string": tf.io.serialize_tensor(["a"])}
    return [attempt(lambda t=t, o=o: tf.io.parse_tensor(t, o), 12) for d, t in texts.items() for o in texts if o != d]


def prog_texts_that_are_none(tf, np):
    """Broken bytes."""
    good = tf.io.serialize_tensor([1.0, 2.0]).numpy()
    cases = [b"", b"x", b"\xff" * 9, good[:-1], good[:1], good + b"\x00", b"\x08\x01", good[:-4] + b"\x00\x00"]
    return [attempt(lambda c=c: tf.io.parse_tensor(c, tf.float32), 3) for c in cases]


def prog_arguments_that_do_not_fit(tf, np):
    """Vectors of texts, numbers, no dtype."""
    p = tf.io.parse_tensor
    good = tf.io.serialize_tensor([1])
    no_dtypes = [attempt(lambda t=t: p(good, t), 0) for t in ("nope", int, None)]
    return [no_dtypes, [attempt(c, 8) for c in (lambda: p([good, good], tf.int32), lambda: p(3, tf.int32), lambda: p(good, np.int32), lambda: p([good], tf.int32))]]


def prog_shapes_while_tracing(tf, np):
    """Ranks that do not fit, in graphs."""
    def trace(spec):
        return tf.function(lambda x: tf.io.parse_tensor(x, tf.int32)).get_concrete_function(spec).structured_outputs.shape

    return [attempt(lambda s=s: trace(tf.TensorSpec(s, tf.string)), 8) for s in ([], [2], None, [1])]


def _field(number, kind, data):
    return varint(number << 3 | kind) + data


def prog_other_ways_to_write(tf, np):
    """Protos that hold values in lists, packed or not, fewer than the shape says."""
    def proto(dtype, shape, *fields):
        dims = b"".join(block(2, b"\x08" + varint(d)) for d in shape)
        return b"\x08" + varint(dtype) + block(2, dims) + b"".join(fields)

    import struct

    f = struct.pack
    cases = [
        (proto(1, [3], block(5, f("<3f", 1, 2, 3))), tf.float32),
        (proto(1, [3], _field(5, 5, f("<f", 7))), tf.float32),
        (proto(1, [3], block(5, f("<2f", 1, 2))), tf.float32),
        (proto(3, [2, 2], block(7, b"\x05\x06")), tf.int32),
        (proto(3, [2], _field(7, 0, b"\x05"), _field(7, 0, b"\x06")), tf.int32),
        (proto(9, [2], block(10, b"\x05\x06")), tf.int64),
        (proto(10, [2], block(11, b"\x01\x00")), tf.bool),
        (proto(2, [2], block(6, f("<2d", 1.5, 2.5))), tf.float64),
        (proto(19, [2], block(13, varint(15360) + varint(16384))), tf.float16),
        (proto(14, [2], block(13, varint(16256) + varint(16384))), tf.bfloat16),
        (proto(8, [1], block(9, f("<2f", 1, 2))), tf.complex64),
        (proto(18, [1], block(12, f("<2d", 1, 2))), tf.complex128),
        (proto(7, [2], block(8, b"a"), block(8, b"bc")), tf.string),
        (proto(7, [3], block(8, b"a")), tf.string),
        (proto(23, [2], block(17, b"\x01\x02")), tf.uint64),
        (proto(22, [2], block(16, b"\x01\x02")), tf.uint32),
        (proto(3, [2]), tf.int32),
        (proto(7, [2]), tf.string),
        (proto(3, [1], block(7, b"\x05\x06")), tf.int32),
        (proto(3, [], block(7, b"\x05")), tf.int32),
        (proto(3, [2], block(4, f("<2i", 5, 6))), tf.int32),
        (proto(3, [2], block(4, f("<i", 5))), tf.int32),
        (proto(3, [2**62, 4], block(7, b"\x05")), tf.int32),
        (b"\x08\x03\x12\x0b\x12\x09\x08\xff\xff\xff\xff\xff\xff\xff\xff\x01", tf.int32),
        (b"\x08\x03\x12\x02\x18\x01", tf.int32),
    ]
    return [attempt(lambda c=c, d=d: tf.io.parse_tensor(c, d), 5) for c, d in cases]


def prog_old_names(tf, np):
    """tf.compat.v1."""
    v = tf.compat.v1
    return [v.serialize_tensor is tf.io.serialize_tensor, v.parse_tensor is tf.io.parse_tensor, v.io.serialize_tensor([1]), v.io.parse_tensor(v.io.serialize_tensor([1]), tf.int32), v.decode_json_example is tf.io.decode_json_example]


def prog_gradients(tf, np):
    """There are none."""
    x = tf.Variable([1.0])
    with tf.GradientTape() as tape:
        y = tf.io.parse_tensor(tf.io.serialize_tensor(x), tf.float32)
    return tape.gradient(y, x)


def prog_datasets_of_tensors(tf, np):
    """Written to records and read."""
    with folder() as f:
        with tf.io.TFRecordWriter(f("r")) as w:
            for i in range(3):
                w.write(tf.io.serialize_tensor(tf.range(i)).numpy())
        ds = tf.data.TFRecordDataset(f("r")).map(lambda t: tf.io.parse_tensor(t, tf.int32))
        return [list(ds.as_numpy_iterator()), ds.element_spec]


def prog_ragged_and_sparse(tf, np):
    """Composites."""
    return [attempt(lambda: tf.io.serialize_tensor(tf.ragged.constant([[1], [2, 3]])), 0), attempt(lambda: tf.io.serialize_tensor(tf.sparse.from_dense([1, 0])), 0)]


# --- JSON ---


def prog_json_values(tf, np):
    """Numbers, strings, bytes in base64, empty lists, names with dots."""
    def d(text):
        features = tf.train.Example.FromString(tf.io.decode_json_example(text).numpy()).features.feature
        return [(name, features[name].WhichOneof("kind"), str(features[name])) for name in sorted(features)]

    texts = [
        '{"features": {"feature": {"a": {"bytesList": {"value": ["aGk=", ""]}}}}}',
        '{"features": {"feature": {"a": {"floatList": {"value": [1, 2.5, "NaN", "Infinity", -1e-3]}}}}}',
        '{"features": {"feature": {"a": {"int64List": {"value": ["1", 2, -3]}}}}}',
        '{"features": {"feature": {"a": {"int64_list": {"value": [1]}}}}}',
        '{"features": {"feature": {"b": {}, "a": {"int64List": {}}}}}',
        '{"features": {"feature": {}}}',
        '{"features": {}}',
        "{}",
        ' \n {} \t',
    ]
    return [attempt(lambda t=t: d(t), 4) for t in texts]


def prog_json_refusals(tf, np):
    """No JSON, no Example."""
    d = tf.io.decode_json_example
    texts = ["", "[]", "3", "{", "nope", '{"a": 1}', '{"features": 3}', '{"features": {"feature": {"a": {"int64List": {"value": ["x"]}}}}}', '{"features": {"feature": {"a": {"int64List": {"value": [1.5]}}}}}', '{"features": {"feature": {"a": {"bytesList": {"value": [3]}}}}}', '["a"]', ' "{}"']
    return [attempt(lambda t=t: d(t), 4) for t in texts]


def prog_json_shapes(tf, np):
    """Element by element."""
    d = tf.io.decode_json_example
    return [d([["{}", "{}"]]), d(tf.zeros([0, 2], tf.string)), attempt(lambda: d(3), 5), tf.io.parse_example(d(['{"features": {"feature": {"a": {"int64List": {"value": [7]}}}}}']), {"a": tf.io.FixedLenFeature([], tf.int64)})]


# --- records, one by one ---


def prog_iterator_of_records(tf, np):
    """Compression by option, by name; nothing; text."""
    with folder() as f:
        it = tf.compat.v1.io.tf_record_iterator
        for kind in ("", "GZIP", "ZLIB"):
            with tf.io.TFRecordWriter(f("r" + kind), kind) as w:
                for r in ("a", b"\x00", ""):
                    w.write(r)
        f.write("none", b"")
        o, c = tf.io.TFRecordOptions, tf.compat.v1.io.TFRecordCompressionType
        return [list(it(f("r"))), list(it(f("rGZIP"), o("GZIP"))), list(it(f("rZLIB"), options=o(c.ZLIB))), list(it(f("none"))), list(it(f("r"), None)), tf.compat.v1.python_io.tf_record_iterator is it, f.attempt(lambda: list(it(f("r"), o("GZIP")))), f.attempt(lambda: list(it(f("rGZIP")))), f.attempt(lambda: list(it(f.path)))]


def prog_iterator_follows_a_growing_file(tf, np):
    """Records that are written later."""
    with folder() as f:
        w = tf.io.TFRecordWriter(f("r"))
        w.write(b"one")
        w.flush()
        i = tf.compat.v1.io.tf_record_iterator(f("r"))
        out = [next(i)]
        w.close()
        return [*out, f.attempt(lambda: next(i))]


# --- files ---


def prog_names_kept_once(tf, np):
    """Several patterns; none that match."""
    with folder() as f:
        m = tf.io.match_filenames_once
        v = m([f("a*"), f("d/*")])
        return [f.hidden(v.numpy().tolist()), v.dtype, v.shape, m(f("no*")).numpy().tolist(), f.hidden(v.read_value().numpy().tolist()), tf.compat.v1.train.match_filenames_once is m, f.attempt(lambda: m(3))]


def prog_gfile_binary(tf, np):
    """Bytes and text, lines with carriage returns, no newline at the end."""
    with folder() as f:
        f.write("t", b"a\r\nb\n\nc")
        g = tf.io.gfile.GFile
        return [g(f("t")).readlines(), g(f("t"), "rb").readlines(), g(f("t")).read(), g(f("t"), "rb").read(2), list(g(f("t"))), g(f("t"), "rb").read(0), g(f("t")).size(), f.attempt(lambda: g(f("t")).read(-2))]


def prog_gfile_unicode(tf, np):
    """Text that is no ASCII, in names and contents."""
    with folder() as f:
        g = tf.io.gfile
        with g.GFile(f("ä.txt"), "w") as file:
            file.write("grüße\n")
        return [g.GFile(f("ä.txt")).read(), g.GFile(f("ä.txt"), "rb").read(), g.exists(f("ä.txt")), g.exists(f("ä.txt").encode()), sorted(n for n in g.listdir(f.path) if "t" in n), f.hidden(g.glob(f("ä*"))), tf.io.read_file(f("ä.txt"))]


def prog_gfile_append_and_overwrite(tf, np):
    """Modes one after the other."""
    with folder() as f:
        g = tf.io.gfile.GFile
        out = []
        for mode, text in (("w", "one"), ("a", "two"), ("a+", "three"), ("w", "four"), ("r+", "five"), ("w+", "six"), ("wb", b"\x00"), ("ab", b"\x01")):
            out.append(f.attempt(lambda m=mode, t=text: g(f("x"), m).write(t)))
            out.append(f.read("x"))
        return out


def prog_gfile_deep_trees(tf, np):
    """Removed, renamed, copied with what is in them."""
    with folder() as f:
        g = tf.io.gfile
        g.makedirs(f("p/q/r"))
        f.write("p/q/r/file", b"x")
        out = [f.attempt(lambda: g.rename(f("p"), f("s"))), g.exists(f("s/q/r/file")), f.attempt(lambda: g.rename(f("s"), f("d"))), f.attempt(lambda: g.rename(f("s"), f("d"), True)), f.attempt(lambda: g.remove(f("s"))), f.attempt(lambda: g.rmtree(f("s"))), g.exists(f("s"))]
        return [*out, f.attempt(lambda: g.rename(f("no"), f("t"))), f.attempt(lambda: g.rename(f("a.txt"), f("no/t"))), f.attempt(lambda: g.copy(f("a.txt"), f("no/t"))), f.attempt(lambda: g.copy(f("no"), f("t")))]


def prog_gfile_links(tf, np):
    """Links to files, to folders, to nothing."""
    with folder() as f:
        g = tf.io.gfile
        os.symlink(f("a.txt"), f("lf"))
        os.symlink(f("d"), f("ld"))
        os.symlink(f("nothing"), f("ln"))
        names = [f("lf"), f("ld"), f("ln")]
        return [[g.exists(n) for n in names], [g.isdir(n) for n in names], [f.attempt(lambda n=n: g.stat(n).length > 0) for n in names], f.attempt(lambda: g.remove(f("ln"))), f.attempt(lambda: sorted(g.listdir(f("ld")))), f.attempt(lambda: g.GFile(f("lf")).read())]


def prog_gfile_bytes_and_paths(tf, np):
    """Names as bytes and as path objects."""
    from pathlib import Path

    with folder() as f:
        g = tf.io.gfile
        out = [g.GFile(Path(f("a.txt"))).read(), g.GFile(f("a.txt").encode()).read(), g.stat(Path(f("a.txt"))).length, sorted(g.listdir(f("d").encode())), sorted(g.listdir(Path(f("d"))))]
        g.copy(Path(f("a.txt")), f("c").encode())
        g.rename(f("c").encode(), Path(f("e")))
        return [*out, f.read("e"), f.hidden([list(map(str, w)) for w in g.walk(Path(f("d")))])]


def prog_compressed_text_files(tf, np):
    """Lines of compressed files."""
    with folder() as f:
        f.write("z", gzip.compress(b"a\nb\r\nc"))
        return [list(tf.data.TextLineDataset(f("z"), "GZIP").as_numpy_iterator()), list(tf.data.TextLineDataset(["file://" + f("a.txt"), f("b.txt")]).as_numpy_iterator())]
