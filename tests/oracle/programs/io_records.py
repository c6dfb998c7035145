"""TFRecord files: writer, options, iterator, damage; decode_compressed."""

from __future__ import annotations

import gzip
import zlib

from tests.oracle.programs._file_helpers import folder

_RECORDS = [bytes([65 + i]) * 10 for i in range(5)]


def _file(tf, f, records=_RECORDS, options=None, name="r"):
    with tf.io.TFRecordWriter(f(name), options) as w:
        for record in records:
            w.write(record)
    return f.read(name)


def _read(tf, f, data, compression=None):
    """The records, and the error after them."""
    path = f.write("b", data)
    out = []
    def go():
        for record in tf.compat.v1.io.tf_record_iterator(path, compression and tf.io.TFRecordOptions(compression)):
            out.append(record)
    return [out, f.attempt(go)]


def _flipped(data, offset):
    return data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1 :]


def prog_bytes_of_records(tf, np):
    """The file, byte by byte."""
    with folder() as f:
        return [_file(tf, f), _file(tf, f, [b"", "é", b"\0\xff", bytearray(b"ab")]), _file(tf, f, [])]


def prog_bytes_of_compressed_records(tf, np):
    """Decompressed, the same file."""
    with folder() as f:
        return [zlib.decompress(_file(tf, f, options="ZLIB")), gzip.decompress(_file(tf, f, options="GZIP")), gzip.decompress(_file(tf, f, options=tf.io.TFRecordOptions("GZIP", compression_level=9)))]


def prog_formats_of_window_bits(tf, np):
    """window_bits decide the format."""
    with folder() as f:
        return [_file(tf, f, options=tf.io.TFRecordOptions(kind, window_bits=bits))[:2] for kind in ("ZLIB", "GZIP") for bits in (9, 15, 31)]


def prog_compression_types(tf, np):
    """Names and numbers of compression types."""
    with folder() as f:
        O, T = tf.io.TFRecordOptions, tf.compat.v1.io.TFRecordCompressionType
        name = O.get_compression_type_string
        return [T.NONE, T.ZLIB, T.GZIP, [name(x) for x in (None, "", "GZIP", "ZLIB", 1, T.GZIP, 0, O(), O("GZIP"), O(1))], [f.attempt(lambda x=x: O(x)) for x in ("LZ4", "gzip", 7)], f.attempt(lambda: tf.io.TFRecordWriter(f("w"), "LZ4"))]


def prog_option_attributes(tf, np):
    """What options remember."""
    return [vars(tf.io.TFRecordOptions()), vars(tf.io.TFRecordOptions("ZLIB", 1, 2, 3, 4, 5, 6, 7, 8))]


def prog_writers_that_are_closed(tf, np):
    """Closed twice, written after."""
    with folder() as f:
        w = tf.io.TFRecordWriter(f("w"))
        w.write(b"a")
        w.flush()
        out = [f.read("w"), w.close(), w.close()]
        return [*out, f.attempt(lambda: w.write(b"b")), f.attempt(w.flush)]


def prog_writers_that_cannot_open(tf, np):
    """Missing directories and others."""
    with folder() as f:
        return [f.attempt(lambda p=p: tf.io.TFRecordWriter(p)) for p in (f("n/w"), f.path, "nope://a/b", "", 3)]


def prog_records_that_are_none(tf, np):
    """Neither text nor bytes."""
    with folder() as f:
        w = tf.io.TFRecordWriter(f("w"))
        return [f.attempt(lambda r=r: w.write(r))[0] for r in (3, None, [b"a"], memoryview(b"a"))]


def prog_files_cut_off(tf, np):
    """At every kind of place."""
    with folder() as f:
        d = _file(tf, f)
        return [_read(tf, f, d[:n]) for n in (0, 1, 11, 12, 25, 26, 27, 34, 37, 38, 39, 48, 51, 52)]


def prog_files_with_damage(tf, np):
    """A bit turned over."""
    with folder() as f:
        d = _file(tf, f)
        return [_read(tf, f, _flipped(d, n)) for n in (0, 8, 12, 22, 52, 61, 65, 77, 104, 129)]


def prog_files_of_other_kinds(tf, np):
    """No record files."""
    with folder() as f:
        d = _file(tf, f)
        return [_read(tf, f, b"hello world, this is no record file"), _read(tf, f, gzip.compress(d)), _read(tf, f, d, "GZIP"), _read(tf, f, d, "ZLIB"), _read(tf, f, zlib.compress(d), "GZIP"), _read(tf, f, gzip.compress(d), "ZLIB")]


def prog_compressed_files(tf, np):
    """Whole, cut, damaged, several members."""
    with folder() as f:
        d = _file(tf, f)
        g, z = gzip.compress(d), zlib.compress(d)
        cases = [(g, "GZIP"), (z, "ZLIB"), (b"", "GZIP"), (b"", "ZLIB"), (gzip.compress(b""), "GZIP"), (g[:-4], "GZIP"), (g[:-12], "GZIP"), (z[:-4], "ZLIB"), (z[:-8], "ZLIB"), (g + g, "GZIP"), (z + z, "ZLIB"), (g + b"junkjunk", "GZIP"), (gzip.compress(d[:-3]), "GZIP"), (gzip.compress(d + b"12345"), "GZIP"), (gzip.compress(_flipped(d, 65)), "GZIP")]
        return [_read(tf, f, *case) for case in cases]


def prog_iterators(tf, np):
    """Errors at once and later, again and again."""
    with folder() as f:
        it = tf.compat.v1.io.tf_record_iterator
        path = f.write("x", _flipped(_file(tf, f), 38))
        i = it(path)
        return [iter(i) is i, next(i), f.attempt(lambda: next(i)), f.attempt(lambda: next(i)), [f.attempt(lambda p=p: it(p)) for p in (f("no"), "nope://a")], f.attempt(lambda: it(path, tf.io.TFRecordOptions("LZ4")))]


def prog_decode_compressed(tf, np):
    """Strings."""
    with folder() as f:
        d = tf.io.decode_compressed
        out = [d(["a", ""])]
        for kind, compress in (("ZLIB", zlib.compress), ("GZIP", gzip.compress)):
            out += [d([compress(b"hello"), compress(b"")], kind), d(["", compress(b"a")], kind), d(compress(b"ab") + compress(b"cd"), kind), d(compress(b"hello" * 100)[:-4], kind), f.attempt(lambda: d("junkjunk", kind)), f.attempt(lambda: d(compress(b"abc")[:-1] + b"w", kind))]
        return [*out, f.attempt(lambda: d("x", "LZ4")), f.attempt(lambda: d(gzip.compress(b"ab") + b"junk", "GZIP")), d([["a", "b"]])]
