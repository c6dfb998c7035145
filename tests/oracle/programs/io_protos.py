"""decode_proto and encode_proto: fields of every kind, sizes, defaults, bytes that are not as they should be."""

from __future__ import annotations

from tests.oracle.programs._messages import block, varint
from tests.oracle.programs._proto_sets import SOURCE, M
from tests.oracle.support import attempt

_A = M(double=[1.5, 2], float=[0.5], int64=[-1], uint64=[2**64 - 1], int32=[-3, 4], fixed64=[7], fixed32=[8], bool=[True, False], string=["x"], bytes=[b"y\0"], uint32=[2**32 - 1], sfixed32=[-9], sfixed64=[-10], sint32=[-5], sint64=[-6], enum=0, one="q", m=[M(int32=[9])]).SerializeToString()
_B = M(int32=[1, 2, 3]).SerializeToString()
_TYPES = {"double": "float64", "float": "float32", "int64": "int64", "uint64": "uint64", "int32": "int32", "fixed64": "uint64", "fixed32": "uint32", "bool": "bool", "string": "string", "bytes": "string", "uint32": "uint32", "sfixed32": "int32", "sfixed64": "int64", "sint32": "int32", "sint64": "int64", "enum": "int32", "m": "string", "default": "int32", "one": "string"}


def _decode(tf, messages, fields, **more):
    found = tf.io.decode_proto(messages, "p.M", list(fields), [tf.as_dtype(t) for t in fields.values()], SOURCE, **more)
    return [found.sizes, list(found.values)]


def prog_decode_every_kind(tf, np):
    """Values of each kind; messages that lack them."""
    return [_decode(tf, [_A, _B], _TYPES), _decode(tf, _A, {"int32": "int32"}), _decode(tf, [[_A, _B]], {"int32": "int32", "one": "string"})]


def prog_decode_wider(tf, np):
    """Dtypes that hold the values of a field, and dtypes that do not."""
    pairs = [(name, dtype) for name in ("int32", "uint32", "uint64", "float", "double", "int64", "enum", "bool", "string", "fixed32", "sfixed32", "m") for dtype in ("int64", "uint64", "int32", "float64", "float32", "string", "uint8")]
    return [attempt(lambda n=n, d=d: _decode(tf, [_A], {n: d}), 8) for n, d in pairs]


_ODD = [block(5, b"\x05\x06"), b"\x28" + varint(2**40 + 5), b"\x40\x05", b"\x2d1234", b"\xf8\x3f\x05" + _B, block(23, b"1") + block(23, b"2"), block(21, b"\xf8\x3f\x05"), b"\xa0\x01\x07", b"\x2b\x2c", b"\xff", b"\x00\x05", b"\x4a\x05ab", b"\x28\x85", b"\x0c", _A[:-1], b""]


def prog_decode_odd_bytes(tf, np):
    """Packed, unknown, repeated and broken fields."""
    return [attempt(lambda d=d: _decode(tf, [d], {"int32": "int32", "bool": "bool", "m": "string", "enum": "int32", "one": "string"}), 5) for d in _ODD]


def prog_decode_refusals(tf, np):
    """Types, fields, sources and formats that are not known."""
    d = tf.io.decode_proto
    calls = [lambda: d([b""], "p.M", ["a"], [tf.int32], SOURCE), lambda: d([b""], "p.Z", ["a"], [tf.int32], SOURCE), lambda: d([b""], "no.Such", ["a"], [tf.int32]), lambda: d([b""], "p.M", ["a"], [tf.int32], "x://"), lambda: d([b""], "p.M", ["one", "int32"], [tf.string], SOURCE), lambda: d(tf.constant([], tf.string), "p.M", ["one"], [tf.string], SOURCE), lambda: d([b""], "p.M", ["one"], [tf.string], SOURCE, "json"), lambda: d(["?"], "p.M", ["one"], [tf.string], SOURCE, "text")]
    return [attempt(c, 7) for c in calls]


def prog_decode_text_and_local(tf, np):
    """Messages in text; sanitized ones; TensorFlow's own message types."""
    d = tf.io.decode_proto
    return [_decode(tf, ["int32: 5 int32: 6"], {"int32": "int32"}, message_format="text"), _decode(tf, [_A], {"int32": "int32"}, sanitize=True), list(d([tf.train.Int64List(value=[1, 300]).SerializeToString()], "tensorflow.Int64List", ["value"], [tf.int64]).values), tf.compat.v1.io.decode_proto is d]


def prog_encode(tf, np):
    """Values of each kind, fewer than there are, several messages, packed lists."""
    def e(sizes, **values):
        return attempt(lambda: tf.io.encode_proto(sizes, list(values.values()), list(values), "p.M", SOURCE), 8)

    c = tf.constant
    return [e([[2, 1], [0, 1]], int32=c([[1, 2], [3, 4]]), one=c([["a"], ["b"]])), e([[1, 1]], one=c([["a"]]), int32=c([[1]])), e([[1]], m=c([[_B]])), e([[2]], one=c([["a", "b"]])), e([[1]], int32=c([[-1]])), e([[1]], int32=c([[2**40]], tf.int64)), e([[1]], double=c([[1.5]], tf.float64)), e([[1]], float=c([[1.5]], tf.float64)), e([[1, 1, 1]], sint32=c([[-5]]), sfixed32=c([[-5]]), bool=c([[True]])), e([[-1]], int32=c([[1]])), e([[[1]], [[1]]], int32=c([[[1]], [[2]]])), e(tf.zeros([0, 1], tf.int32), int32=tf.zeros([0, 1], tf.int32)), tf.io.encode_proto([[2]], [c([[5, 300]], tf.int64)], ["value"], "tensorflow.Int64List")]


def prog_encode_refusals(tf, np):
    """Shapes, sizes and dtypes that do not fit."""
    def e(sizes, names, *values):
        return attempt(lambda: tf.io.encode_proto(sizes, list(values), names, "p.M", SOURCE), 8)

    c = tf.constant
    return [e([1], ["int32"], c([1])), e([[3]], ["int32"], c([[1, 2]])), e([[1]], ["int32"], c([["a"]])), e([[1]], ["zz"], c([[1]])), e([[1], [1]], ["int32"], c([[1]])), e(1, ["int32"], c([[1]])), e([[1, 1]], ["int32", "enum"], c([[1]])), e([[1]], ["double"], c([[1.5]])), e([[1]], ["int32"], c([[1]], tf.uint8))]
