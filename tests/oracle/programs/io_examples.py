"""Reading Examples and SequenceExamples: layouts, defaults, kinds, counts, and bytes that are not as they should be."""

from __future__ import annotations

from tests.oracle.programs._list_helpers import outcome
from tests.oracle.programs._messages import (
    block,
    bytes_values,
    entry,
    example,
    features,
    float_values,
    floats,
    int_values,
    ints,
    sequence,
    texts,
    varint,
)
from tests.oracle.support import attempt


def _fixed(tf, dtype="int64", shape=(), **more):
    return {"a": tf.io.FixedLenFeature(list(shape), dtype, **more)}


def _both(tf, data, described, words=12):
    """A batch of twenty, a batch of one, and no batch: each reader of Examples once."""
    read = tf.io.parse_example
    return [attempt(lambda: read([data] * 20, described), words), attempt(lambda: read([data], described), words), attempt(lambda: read(data, described), words)]


def _parts(tf, data, dtype, words=12):
    """The sparse and ragged parts of the feature `a`."""
    def call(serialized):
        return tf.raw_ops.ParseExampleV2(serialized=serialized, names=tf.constant([], tf.string), sparse_keys=["a"], dense_keys=tf.constant([], tf.string), ragged_keys=["a2"], dense_defaults=[], num_sparse=1, sparse_types=[dtype], ragged_value_types=[dtype], ragged_split_types=["int64"], dense_shapes=[])

    return [attempt(lambda: [list(part) for part in call(data)], words), attempt(lambda: [list(part)[:1] for part in call([data, b"", data])], words)]


def prog_scalars_of_each_kind(tf, np):
    """One value: of int64, float, bytes."""
    return [_both(tf, example(a=ints(-5)), _fixed(tf)), _both(tf, example(a=floats(1.5)), _fixed(tf, "float32")), _both(tf, example(a=texts(b"x\0y")), _fixed(tf, "string"))]


def prog_shapes(tf, np):
    """Matrices, vectors, empty shapes."""
    return [_both(tf, example(a=ints(1, 2, 3, 400)), _fixed(tf, "int64", [2, 2])), _both(tf, example(a=floats(1, 2)), _fixed(tf, "float32", [1, 2])), _both(tf, example(a=ints()), _fixed(tf, "int64", [0])), _both(tf, example(a=floats()), _fixed(tf, "float32", [0, 2])), _both(tf, example(a=texts(b"p", b"")), _fixed(tf, "string", [2]))]


def prog_large_numbers(tf, np):
    """The ends of the range of int64."""
    return _both(tf, example(a=ints(2**63 - 1, -(2**63), 0, 127, 128, 300, -1)), _fixed(tf, "int64", [7]))


def prog_unpacked(tf, np):
    """A tag in front of every number."""
    return [_both(tf, example(a=ints(5, 600, packed=False)), _fixed(tf, "int64", [2])), _both(tf, example(a=floats(5, 6, packed=False)), _fixed(tf, "float32", [2])), _parts(tf, example(a=ints(5, 6, packed=False)), tf.int64)]


def prog_different_examples_in_a_batch(tf, np):
    """Orders of keys, missing and unwanted keys, sizes of numbers."""
    data = [features(*[entry(b"abc"[k : k + 1], v) for k, v in order]) for order in ([(0, ints(1)), (1, texts(b"x")), (2, floats(2))], [(2, floats(3)), (0, ints(300)), (1, texts(b"long text" * 30))], [(1, texts(b"")), (0, ints(-1))])]
    described = {"a": tf.io.FixedLenFeature([], tf.int64), "b": tf.io.FixedLenFeature([], tf.string), "c": tf.io.FixedLenFeature([], tf.float32, -1.0)}
    return [tf.io.parse_example(data, described), tf.io.parse_example(data * 10, described)]


def prog_defaults(tf, np):
    """Defaults of each kind and shape; a scalar for one value."""
    f = tf.io.FixedLenFeature
    return [_both(tf, example(b=ints(1)), d) for d in (_fixed(tf, default_value=7), _fixed(tf, "float32", [2], default_value=[1, 2]), _fixed(tf, "string", [2], default_value=["x", b"y"]), {"a": f([1], tf.int64, 3)}, {"a": f([2, 2], tf.int64, [1, 2, 3, 4])}, {"a": f([], tf.int64, tf.constant(3, tf.int64))}, {"a": f([2], tf.string, "x")}, {"a": f([2], tf.int64, [1, 2, 3])}, {"a": f([], tf.int64, "x")}, {"a": f([0], tf.int64, [])})]


def prog_missing(tf, np):
    """Required features that are not there: no entry, no list, no bytes."""
    return [_both(tf, data, _fixed(tf)) for data in (b"", example(), example(b=ints(1)), example(a=b""), features(entry(b"a", b""), entry(b"a", b"")), b"\0\0")]


def prog_missing_with_default(tf, np):
    """What counts as missing."""
    return [_both(tf, data, _fixed(tf, default_value=7)) for data in (b"", example(), example(a=b""), example(a=ints()), example(a=block(3, b"")))]


def prog_first_of_several_complaints(tf, np):
    """Which feature an error names."""
    i, f = tf.int64, tf.io.FixedLenFeature
    both = features(entry(b"a", ints(1, 2)), entry(b"c", floats(1, 2)))
    return [_both(tf, b"", {"b": f([], i), "a": f([], i)}), _both(tf, both, {"b": f([], i), "a": f([], i), "c": f([], tf.float32)}), attempt(lambda: tf.io.parse_example([example(a=ints(1)), example(a=ints(1, 2)), b""], _fixed(tf)), 12)]


def prog_names(tf, np):
    """Names of Examples in messages."""
    read, good = tf.io.parse_example, example(a=ints(1))
    return [attempt(lambda: read([good, data], _fixed(tf), example_names=["n0", "n1"]), 12) for data in (b"", example(a=ints(1, 2)), example(a=floats(1)), b"hello")] + [attempt(lambda: read([good, good], _fixed(tf), ["n0"]), 9), attempt(lambda: read(b"", _fixed(tf), "n"), 9), attempt(lambda: read(b"", _fixed(tf), ["n"]), 9)]


def prog_wrong_kinds(tf, np):
    """Values of another kind."""
    kinds = {"int64": ints(1), "float32": floats(1), "string": texts(b"1")}
    return [_both(tf, example(a=value), _fixed(tf, dtype)) for dtype in kinds for name, value in kinds.items() if name != dtype] + [_both(tf, example(a=block(2, b"")), _fixed(tf)), _both(tf, example(a=floats(1)), _fixed(tf, default_value=7))]


def prog_wrong_kinds_of_parts(tf, np):
    """Values of another kind, in sparse and ragged features."""
    return [_parts(tf, example(a=floats(1)), tf.int64), _parts(tf, example(a2=floats(1)), tf.string), _parts(tf, example(a=texts(b"")), tf.float32)]


def prog_wrong_counts(tf, np):
    """Too few and too many values, of each kind, packed and not."""
    return [_both(tf, example(a=ints(*v, packed=p)), _fixed(tf, "int64", [2]), 18) for v in ([1], [1, 2, 3], []) for p in (True, False)] + [_both(tf, example(a=floats(*v, packed=p)), _fixed(tf, "float32", [2]), 18) for v in ([1], [1, 2, 3]) for p in (True, False)] + [_both(tf, example(a=texts(*v)), _fixed(tf, "string", [2]), 18) for v in ([], [b"1"], [b"1", b"2", b"3"])] + [_both(tf, example(a=ints(1, 2)), _fixed(tf), 18), _both(tf, example(a=ints()), _fixed(tf, default_value=1), 18)]


def prog_rows(tf, np):
    """Any number of rows, padded in a batch."""
    def read(values, shape, dtype="int64", default=None):
        described = {"a": tf.io.FixedLenSequenceFeature(shape, dtype, True, default)}
        return [attempt(lambda: tf.io.parse_example(values, described), 18), attempt(lambda: tf.io.parse_example(values * 8, described)["a"][-3:], 18), attempt(lambda: tf.io.parse_single_example(values[0], described), 18)]

    one, two, four = example(a=ints(1)), example(a=ints(1, 2)), example(a=ints(3, 4, 5, 6))
    words = [example(a=texts(b"1", b"2")), example(a=texts(b"3")), b""]
    return [read([two, one, b""], []), read([two, four, b""], [2]), read([two, one], [2]), read([one], [2]), read([two, one, b""], [], default=9), read([two, four], [2], default=9), read([two, four], [2], default=[8, 9]), read(words, [], "string"), read(words, [], "string", "q"), read(words, [2], "string"), read([example(a=floats(1, 2)), example(a=floats(3))], [], "float32", -1), read([b"", b""], [3]), read([example(a=floats(1))], []), read([], []) if False else None]


def prog_refused_descriptions(tf, np):
    """Descriptions that say too little, or of the wrong kind."""
    f, s, v, x = tf.io.FixedLenFeature, tf.io.FixedLenSequenceFeature, tf.io.VarLenFeature, tf.io.SparseFeature
    described = [None, {}, {"a": 3}, {"a": f(None, tf.int64)}, {"a": f([None], tf.int64)}, {"a": f([1], None)}, {"a": f([], tf.int32)}, {"a": v(tf.int32)}, {"a": v(None)}, {"a": s([], tf.int64)}, {"a": s([None], tf.int64, True)}, {"a": s([], None, True)}, {3: f([], tf.int64)}, {"a": x(None, "v", tf.int64, 3)}, {"a": x("i", None, tf.int64, 3)}, {"a": x("i", "v", None, 3)}, {"v": v(tf.float32), "a": x("i", "v", tf.int64, 3)}, {"v": tf.io.RaggedFeature(tf.float32), "a": tf.io.RaggedFeature(tf.int64, "v")}, {"v": v(tf.int64), "a": tf.io.RaggedFeature(tf.int64, "v")}, {"a": f([], tf.int64), "b": x("i", "a", tf.int64, 4)}]
    return [attempt(lambda d=d: tf.io.parse_example([b""], d), 9) for d in described]


def prog_descriptions(tf, np):
    """The classes of descriptions: fields, text, equality, refusals."""
    r = tf.io.RaggedFeature
    refused = [lambda: r(tf.int64, partitions="a"), lambda: r(tf.int64, partitions=["a"]), lambda: r(tf.int64, row_splits_dtype=tf.float32), lambda: r(tf.int64, validate=3), lambda: r(tf.int64, value_key=3), lambda: r(None)]
    made = [r(tf.int64), r("float32", "v", [r.RowSplits("a"), r.UniformRowLength(2)], tf.int64, True), tf.io.FixedLenFeature([2], tf.int64), tf.io.SparseFeature("a", "b", tf.int64, 4), tf.io.VarLenFeature(tf.string), tf.io.FixedLenSequenceFeature([], tf.string, True, ""), r.RowLengths("k"), r.RowStarts("k"), r.RowLimits("k"), r.ValueRowIds("k")]
    return [[repr(d) for d in made], [d._fields for d in made], made[2] == tf.io.FixedLenFeature([2], tf.int64), [attempt(c, 5) for c in refused]]


def prog_serialized_of_other_shapes(tf, np):
    """Scalars, matrices, empty vectors; numbers."""
    data = example(a=ints(1))
    return [attempt(lambda: tf.io.parse_example([[data]], _fixed(tf))), tf.io.parse_example(tf.constant([], tf.string), {"a": tf.io.FixedLenFeature([2], tf.int64), "b": tf.io.FixedLenSequenceFeature([2], tf.string, True)}), attempt(lambda: tf.io.parse_single_example([data], _fixed(tf))), attempt(lambda: tf.io.parse_single_example(data, {}), 2)]


def prog_old_names(tf, np):
    """tf.compat.v1 has the last two arguments the other way round."""
    v1, data = tf.compat.v1, example(a=ints(1))
    return [v1.parse_example([data], _fixed(tf), "name", ["n"]), v1.io.parse_single_example(data, _fixed(tf), "name", "n"), v1.parse_single_sequence_example(sequence({"a": ints(1)}), _fixed(tf)), v1.io.parse_sequence_example([sequence({"a": ints(1)})], _fixed(tf)), v1.FixedLenFeature is tf.io.FixedLenFeature, v1.io.RaggedFeature is tf.io.RaggedFeature, hasattr(v1, "RaggedFeature")]


# --- the bytes -------------------------------------------------------------------------------------------------------

_ODD = {
    "two entries": features(entry(b"a", ints(1)), entry(b"a", ints(2))), "two entries of two kinds": features(entry(b"a", floats(1)), entry(b"a", ints(2))), "the wrong kind last": features(entry(b"a", ints(2)), entry(b"a", floats(1))), "an empty entry last": features(entry(b"a", ints(2)), entry(b"a", b"")),
    "two lists": example(a=floats(1) + ints(2)), "two lists, the right one first": example(a=ints(2) + floats(1)), "two lists of one kind": example(a=ints(2) + ints(3)), "two packed pieces": example(a=block(3, int_values(2) + int_values(3))), "two maps": example(b=ints(1)) + example(a=ints(2)), "two maps with one key": example(a=ints(1)) + example(a=ints(2)),
    "an unknown block": block(5, b"xyz") + example(a=ints(5)), "an unknown number": b"\x28\x05" + example(a=ints(5)), "an unknown float": b"\x2d1234" + example(a=ints(5)), "an unknown double": b"\x2912345678" + example(a=ints(5)), "a group": b"\x2b\x08\x01\x2c" + example(a=ints(5)), "a number in field 1": b"\x08\x01" + example(a=ints(5)), "a float in field 1": b"\x0d1234" + example(a=ints(5)), "a large field number": varint(((1 << 29) - 1) << 3 | 2) + b"\x01x" + example(a=ints(5)),
    "unknown in the map": block(1, block(7, b"zz") + entry(b"a", ints(3))), "a number in the map": block(1, b"\x28\x05" + entry(b"a", ints(3))), "unknown in an entry": block(1, block(1, block(1, b"a") + block(3, b"q") + block(2, ints(3)))), "the value first": block(1, block(1, block(2, ints(3)) + block(1, b"a"))), "no value": block(1, block(1, block(1, b"a"))), "no key": block(1, block(1, block(2, ints(3)))), "two keys": block(1, block(1, block(1, b"b") + block(1, b"a") + block(2, ints(3)))), "a key for a value": block(1, block(1, block(1, b"q") + block(1, b"a"))), "a value for a key": block(1, block(1, block(2, ints(4)) + block(2, ints(3)))), "two values": block(1, block(1, block(1, b"a") + block(2, ints(3)) + block(2, ints(4)))),
    "unknown in a Feature": example(a=block(9, b"q") + ints(3)), "unknown behind the list": example(a=ints(3) + block(9, b"q")), "unknown in a list": example(a=block(3, block(7, b"q") + int_values(3))), "unknown behind the values": example(a=block(3, int_values(3) + block(7, b"q"))), "a list of the wrong type": example(a=block(3, b"\x0d1234")), "a number for a list": example(a=b"\x08\x01"), "packed after unpacked": example(a=block(3, int_values(3, packed=False) + int_values(1))),
    "a number cut off": example(a=block(3, block(1, b"\x85"))), "a number of ten bytes": example(a=block(3, block(1, b"\xff" * 9 + b"\x7f"))), "a number of eleven bytes": example(a=block(3, block(1, b"\xff" * 10 + b"\x01"))), "a long form of a number": example(a=block(3, block(1, b"\x85\x80\x80\x00"))), "a number beyond its list": example(a=block(3, b"\x0a\x01\x85\x01")),
    "an unwanted list that is broken": features(entry(b"z", block(3, block(1, b"\x85"))), entry(b"a", ints(1))), "an unwanted Feature that is broken": features(entry(b"z", b"\x1a\x7f"), entry(b"a", ints(1))), "an unwanted entry that is broken": features(block(1, b"\x0a\x7f"), entry(b"a", ints(1))), "a key that is no text": features(entry(b"\xff", ints(1)), entry(b"a", ints(1))), "a key with a zero": features(entry(b"a\0", ints(1)), entry(b"a", ints(2))), "a long tag": b"\x8a\x00" + example(a=ints(3))[1:], "a zero in the map": block(1, b"\x00" + entry(b"a", ints(3))), "the end of a group": b"\x0c" + example(a=ints(3)), "a wire type there is not": b"\x0e" + example(a=ints(3)),
    "cut off": example(a=ints(5))[:-1], "cut off early": example(a=ints(5))[:3], "no Example": b"hello", "a list longer than its Feature": example(a=b"\x1a\x10" + int_values(3)), "a list shorter than its values": example(a=b"\x1a\x02" + int_values(3)), "a Feature without length": example(a=b"\x1a"), "an entry shorter than its content": block(1, b"\x0a\x01" + block(1, b"a") + block(2, ints(3))), "an entry longer than its content": block(1, b"\x0a\x7f" + block(1, b"a") + block(2, ints(3))), "a map longer than its content": b"\x0a\x7f" + entry(b"a", ints(3)), "a map of no length": b"\x0a\x00" + entry(b"a", ints(3)), "a key longer than its entry": block(1, block(1, b"\x0a\x7fa" + block(2, ints(3)))), "a value longer than its entry": block(1, block(1, block(1, b"a") + b"\x12\x7f" + ints(3))),
    "a zero behind": example(a=ints(3)) + b"\0", "a tag behind": example(a=ints(3)) + b"\x12", "a block behind that is cut off": example(a=ints(3)) + b"\x12\x05a", "a float behind that is cut off": example(a=ints(3)) + b"\x2d12", "a zero behind in the map": block(1, entry(b"a", ints(3)) + b"\0"), "a huge length behind": example(a=ints(3)) + b"\x2a" + varint(2**40), "a group that stays open": b"\x2b\x08\x01" + example(a=ints(5)),
}  # fmt: skip


def prog_odd_bytes_dense(tf, np):
    """Unusual and broken bytes, one value."""
    return {name: _both(tf, data, _fixed(tf), 5) for name, data in _ODD.items()}


def prog_odd_bytes_with_default(tf, np):
    """Unusual and broken bytes, one value with a default."""
    return {name: _both(tf, data, _fixed(tf, default_value=7), 5) for name, data in _ODD.items()}


def prog_odd_bytes_in_parts(tf, np):
    """Unusual and broken bytes, sparse and ragged."""
    return {name: _parts(tf, data, tf.int64, 5) for name, data in _ODD.items()}


def prog_odd_lists(tf, np):
    """Unusual and broken lists of floats and bytes."""
    odd_floats = [block(1, b"12345"), block(1, b"123"), b"\x0a\x081234", b"\x0a\x071234", b"\x08\x01", b"\x0d123", float_values(1, 2, packed=False) + block(7, b"q"), float_values(3, packed=False) + float_values(1), float_values(1, 2) + b"\xff"]
    odd_bytes = [bytes_values(b"x") + b"\x0a\x05ab", b"\x0a\x05ab", b"\x08\x01", bytes_values(b"x", b"y") + block(7, b"q"), block(7, b"q") + bytes_values(b"x")]
    return [[_both(tf, example(a=block(2, v)), _fixed(tf, "float32"), 5), _parts(tf, example(a=block(2, v)), tf.float32)] for v in odd_floats] + [[_both(tf, example(a=block(1, v)), _fixed(tf, "string"), 14), _parts(tf, example(a=block(1, v)), tf.string)] for v in odd_bytes]


def _damaged(np, data, count, seed):
    """Copies of serialized bytes, each with a byte changed, left out, doubled, or cut off there."""
    rng = np.random.RandomState(seed)
    for _ in range(count):
        place, kind = rng.randint(len(data)), rng.randint(4)
        middle = [bytes([rng.randint(128)]), b"", data[place : place + 1] * 2, None][kind]
        yield data[:place] if middle is None else data[:place] + middle + data[place + 1 :]


def prog_damaged_examples(tf, np):
    """Good Examples with one byte damaged: what TensorFlow still reads is read the same."""
    data = example(a=ints(1, 2), b=texts(b"x", b"yy"), c=floats(1, 2))
    f = tf.io.FixedLenFeature
    described = {"a": f([2], tf.int64, [8, 9]), "b": f([2], tf.string, ["p", "q"]), "c": f([2], tf.float32, [7, 7])}
    return [attempt(lambda d=d: [part for _, part in sorted(tf.io.parse_example([d], described).items())], 3) for d in _damaged(np, data, 300, 0)]


def prog_damaged_parts(tf, np):
    """Good Examples with one byte damaged, sparse features."""
    data = example(a=ints(1, 2), a2=ints(7, 100, packed=False))
    return [_parts(tf, d, tf.int64, 3)[0] for d in _damaged(np, data, 200, 1)]


# --- raw ops ---------------------------------------------------------------------------------------------------------


def _v2(tf, serialized, names=(), sparse=(), dense=(), ragged=(), defaults=(), **more):
    def keys(values):
        return tf.constant(list(values), tf.string)

    attrs = {"num_sparse": len(sparse), "sparse_types": ["int64"] * len(sparse), "ragged_value_types": ["int64"] * len(ragged), "ragged_split_types": ["int32"] * len(ragged), "dense_shapes": [[]] * len(dense), **more}
    names = names if isinstance(names, str) else keys(names)
    return [list(part) for part in tf.raw_ops.ParseExampleV2(serialized=serialized, names=names, sparse_keys=keys(sparse), dense_keys=keys(dense), ragged_keys=keys(ragged), dense_defaults=list(defaults), **attrs)]


def prog_parse_example_v2(tf, np):
    """All layouts at once: a batch, a large batch, a single Example, an empty batch."""
    data = [example(a=ints(1), b=ints(1, 2), c=ints(4, 5, 6)), example(a=ints(2), b=ints(300)), example(a=ints(3), c=ints(-1))]
    options = {"sparse": ["b", "z"], "dense": ["a"], "ragged": ["c", "y"], "defaults": [tf.constant([], tf.int64)]}
    return [_v2(tf, data, **options), _v2(tf, data * 7, **options), _v2(tf, data[0], **options)[:5], _v2(tf, tf.constant([], tf.string), **options)]


def prog_parse_example_v2_refusals(tf, np):
    """Numbers of keys, types, shapes and defaults that do not fit."""
    none, data = tf.constant([], tf.int64), [example(a=ints(1))]
    calls = [{"sparse": ["b"], "num_sparse": 2}, {"sparse": ["b"], "sparse_types": ["int64", "int64"]}, {"sparse": ["b", "c"], "num_sparse": 1, "sparse_types": ["int64"]}, {"dense": ["b", "c"], "defaults": [none], "dense_shapes": [[]]}, {"dense": ["b"], "defaults": [none], "dense_shapes": [[], []]}, {"ragged": ["b", "c"], "ragged_value_types": ["int64"], "ragged_split_types": ["int64"]}, {"ragged": ["b"], "ragged_split_types": ["int64", "int64"]}, {"dense": ["a"], "defaults": [none], "dense_shapes": [None]}, {"dense": ["a"], "defaults": [none], "dense_shapes": [[2, None]]}, {"dense": ["a"], "defaults": [tf.constant([1, 2, 3], tf.int64)], "dense_shapes": [[2]]}, {"dense": ["a"], "defaults": [none], "dense_shapes": [[None]]}, {"dense": ["a"], "defaults": [none], "names": ["p", "q"]}]
    return [attempt(lambda c=c: _v2(tf, data, **c), 9) for c in calls]


def prog_parse_example_v1(tf, np):
    """The older op, with its keys as a list of inputs."""
    def call(serialized, names=(), sparse=(), dense=(), defaults=(), types=(), shapes=()):
        return [list(p) for p in tf.raw_ops.ParseExample(serialized=serialized, names=tf.constant(list(names), tf.string), sparse_keys=list(sparse), dense_keys=list(dense), dense_defaults=list(defaults), sparse_types=list(types), dense_shapes=list(shapes))]

    data, none = [example(a=ints(1), b=floats(1, 2)), example(a=ints(2), b=floats(3))], tf.constant([], tf.int64)
    return [call(data, sparse=["b"], dense=["a"], defaults=[none], types=["float32"], shapes=[[]]), call([b""], dense=["a"], defaults=[tf.constant([[1, 2]], tf.int64)], shapes=[[1, 2]]), attempt(lambda: call(data[0], dense=["a"], defaults=[none], shapes=[[]]), 9), attempt(lambda: call(data, dense=["a", "b"], defaults=[none], shapes=[[]])), attempt(lambda: call(data, dense=["a"], defaults=[none], shapes=[[], []])), attempt(lambda: call(data, sparse=["a", "b"], types=["int64"])), attempt(lambda: call(data, ["1"], dense=["a"], defaults=[none], shapes=[[]])), attempt(lambda: call([b""], dense=["a"], defaults=[none], shapes=[[]]))]


def prog_parse_single_example(tf, np):
    """The op for one Example, with its keys as attributes."""
    def call(serialized, sparse=(), dense=(), defaults=(), types=(), shapes=(), **more):
        return [list(p) for p in tf.raw_ops.ParseSingleExample(serialized=serialized, dense_defaults=list(defaults), **{"num_sparse": len(sparse), **more}, sparse_keys=list(sparse), dense_keys=list(dense), sparse_types=list(types), dense_shapes=list(shapes))]

    data, none, empty = example(a=ints(1), b=floats(1, 2)), tf.constant([], tf.int64), tf.constant([], tf.float32)
    return [call(data, ["b"], ["a"], [none], ["float32"], [[]]), call(b"", ["b"], types=["float32"]), attempt(lambda: call([data], ["b"], types=["float32"])), attempt(lambda: call(b"", dense=["a"], defaults=[none], shapes=[[]])), attempt(lambda: call(data, dense=["b"], defaults=[none], shapes=[[]]), 9), attempt(lambda: call(data, dense=["b"], defaults=[empty], shapes=[[]]), 9), attempt(lambda: call(b"hello", ["b"], types=["float32"])), attempt(lambda: call(data, ["b"], types=["float32"], num_sparse=2)), attempt(lambda: call(data, dense=["b", "c"], defaults=[empty], shapes=[[]])), attempt(lambda: call(data, dense=["b"], defaults=[empty], shapes=[[], []])), attempt(lambda: call(data, dense=["b"], defaults=[empty], shapes=[[None]]), 9)]


# --- graphs ----------------------------------------------------------------------------------------------------------


def _nodes(tf, function, shape):
    graph = tf.function(function, autograph=False).get_concrete_function(tf.TensorSpec(shape, tf.string)).graph
    made = [op for op in graph.get_operations() if op.type not in ("Identity", "NoOp", "Placeholder")]
    return [[op.name, op.type, [t.name for t in op.inputs], [str(t.shape) for t in op.outputs], sorted((k, repr(op.get_attr(k)).replace("tensorflow", "tf")) for k in ("Tdense", "num_sparse", "sparse_types", "ragged_value_types", "ragged_split_types", "Tcontext_dense", "Nfeature_list_dense", "feature_list_dense_types") if k in op.node_def.attr)] for op in made]


def _layouts(tf):
    f = tf.io.FixedLenFeature
    return {"a": f([], tf.int64), "c&": tf.io.FixedLenSequenceFeature([2], tf.float32, True, 3.0), "d": f([2], tf.string, ["x", "y"]), "f": tf.io.FixedLenSequenceFeature([], tf.string, True), "g": f([2, 3], tf.float32), "h": f([], tf.string, "zz")}


def prog_graph_of_parse_example(tf, np):
    """Nodes, names, attributes and shapes; batches of known and unknown size; names."""
    return [_nodes(tf, lambda s: tf.io.parse_example(s, _layouts(tf)), shape) for shape in ([None], [3], [], None)] + [_nodes(tf, lambda s: tf.io.parse_example(s, _fixed(tf), ["x", "y", "z"], name="Foo"), [3])]


def prog_graph_of_parse_single_example(tf, np):
    """Nodes and names; a single ragged feature is a vector; a scalar that may be none."""
    ragged = {"a": tf.io.FixedLenFeature([], tf.int64), "e": tf.io.RaggedFeature(tf.int64)}
    single = tf.io.parse_single_example
    return [_nodes(tf, lambda s: single(s, _layouts(tf)), []), _nodes(tf, lambda s: single(s, ragged, name="Foo"), []), _nodes(tf, lambda s: single(s, _fixed(tf)), []), _nodes(tf, lambda s: tf.compat.v1.parse_single_example(s, _fixed(tf), "Foo", "nm"), [])]


def prog_graph_of_sequences(tf, np):
    """Nodes, names, attributes and shapes."""
    context = {"a": tf.io.FixedLenFeature([], tf.int64), "h": tf.io.FixedLenFeature([2], tf.string, ["x", "y"])}
    lists = {"c": tf.io.FixedLenSequenceFeature([2], tf.float32), "d": tf.io.FixedLenSequenceFeature([], tf.string, True)}
    return [_nodes(tf, lambda s: tf.io.parse_sequence_example(s, context, lists), shape) for shape in ([None], [2], [], None)] + [_nodes(tf, lambda s: tf.io.parse_sequence_example(s, None, lists, ["k"], "Foo"), [1]), _nodes(tf, lambda s: tf.io.parse_single_sequence_example(s, context, lists), []), _nodes(tf, lambda s: tf.io.parse_single_sequence_example(s, context, lists, "nm", "Foo"), [])]


def prog_in_functions(tf, np):
    """Values and errors inside functions."""
    data = [example(a=ints(1)), example(a=ints(2))]
    batch = tf.function(lambda s: tf.io.parse_example(s, _fixed(tf))["a"], autograph=False)
    single = tf.function(lambda s: tf.io.parse_single_example(s, _fixed(tf))["a"], [tf.TensorSpec(None, tf.string)], autograph=False)
    return [batch(data), batch(data * 10), batch(tf.constant(data[0])), single(data[1]), outcome(lambda: single(data)), outcome(lambda: batch([data]), 8), outcome(lambda: batch([b""]))]


def prog_mapped(tf, np):
    """One Example after the other, by map_fn and vectorized_map."""
    data = tf.constant([example(a=ints(n, n * n)) for n in range(15)])
    read = lambda s: tf.io.parse_single_example(s, _fixed(tf, "int64", [2]))["a"]
    return [tf.map_fn(read, data, fn_output_signature=tf.int64), tf.vectorized_map(read, data)]


# --- SequenceExamples ------------------------------------------------------------------------------------------------


def _read_sequences(tf, data, context, lists, words=12, **more):
    single = tf.io.parse_single_sequence_example
    return [attempt(lambda: tf.io.parse_sequence_example(data, context, lists, **more), words), attempt(lambda: single(data[0], context, lists), words)]


def _list(tf, dtype="int64", shape=(), **more):
    return {"x": tf.io.FixedLenSequenceFeature(list(shape), dtype, **more)}


def prog_sequences(tf, np):
    """Contexts and lists of each kind, padded to the longest."""
    good = sequence({"a": ints(1)}, {"x": [ints(1), ints(2)]})
    return [_read_sequences(tf, [good, sequence({"a": ints(2)}, {"x": [ints(3)]})], _fixed(tf), _list(tf)), _read_sequences(tf, [sequence({"a": ints(1)}, {"x": [floats(1, 2), floats(3, 4)]}), sequence({"a": ints(2)}, {"x": [floats(3, 4)]})], _fixed(tf), _list(tf, "float32", [2])), _read_sequences(tf, [sequence({}, {"x": [texts(b"x"), texts(b"y")]}), sequence({}, {"x": [texts(b"z")]})], None, _list(tf, "string")), _read_sequences(tf, [good], _fixed(tf), None), _read_sequences(tf, [sequence({"a": ints(1, packed=False)}, {"x": [ints(1, packed=False)]})], _fixed(tf), _list(tf))]


def prog_sequences_that_lack_something(tf, np):
    """Missing contexts and lists, defaults, empty Features."""
    good, may = sequence({"a": ints(1)}, {"x": [ints(1), ints(2)]}), _list(tf, allow_missing=True)
    no_context, no_list, default = sequence({}, {"x": [ints(1)]}), sequence({"a": ints(1)}, {}), _fixed(tf, default_value=7)
    return [_read_sequences(tf, *args) for args in (([no_context], _fixed(tf), _list(tf)), ([good, no_context], _fixed(tf), _list(tf)), ([no_context], default, _list(tf)), ([sequence(None, {"x": [ints(1)]})], default, _list(tf)), ([no_list], _fixed(tf), _list(tf)), ([no_list, good], _fixed(tf), may), ([sequence({"a": ints(1)}, None)], _fixed(tf), may), ([sequence({"a": ints(1)}, {"x": []})], _fixed(tf), _list(tf)), ([b""], default, may), ([sequence({"a": ints(1)}, {"x": [b"", ints(1)]})], _fixed(tf), _list(tf)), ([sequence({"a": b""}, {})], default, may), ([sequence({"a": ints()}, {})], default, may))]


def prog_sequences_of_wrong_kinds_and_counts(tf, np):
    """Values of another kind, too few, too many."""
    def one(a=None, x=None):
        return [sequence({"a": a or ints(1)}, {"x": x or [ints(1)]})]

    c, f, f2 = _fixed(tf), _list(tf), _list(tf, "float32", [2])
    c2, may = _fixed(tf, "int64", [2]), _list(tf, allow_missing=True)
    return [_read_sequences(tf, *args, words=16) for args in ((one(floats(1)), c, f), (one(x=[floats(1)]), c, f), (one(x=[ints(1), floats(1)]), c, f), (one(floats(1), [floats(1)]), c, f), (one(ints(1, 2)), c, f), (one(texts(b"1", b"2")), _fixed(tf, "string"), f), (one(x=[ints(1, 2)]), c, f), (one(x=[floats(1, 2), floats(1)]), c, f2), (one(x=[floats(1, 2, 3), floats(1)]), c, f2), (one(x=[floats(1)]), c, f2), (one(x=[b"", floats(1, 2)]), c, f2), (one(x=[texts(b"x", b"y")]), c, _list(tf, "string")), (one(x=[texts()]), c, _list(tf, "string")), (one(ints(1)) + one(ints(1, 2)), c2, may), (one(ints(1, 2)) + one(ints()), c2, may), (one(ints(1, 2)) + one(ints(1, 2, 3)), c2, may))]


def prog_refused_sequence_descriptions(tf, np):
    """Descriptions that do not belong there."""
    data, c, f = [sequence({"a": ints(1)}, {"x": [ints(1)]})], _fixed(tf), _list(tf)
    pairs = [(None, None), ({}, {}), ({"a": 3}, f), (c, {"x": 3}), (_list(tf), f), (c, {"x": tf.io.FixedLenFeature([], tf.int64)}), (c, _list(tf, default_value=3)), (_fixed(tf, None), f), (c, _list(tf, None)), (c, {"x": tf.io.FixedLenSequenceFeature(None, tf.int64)}), (c, _list(tf, "int64", [None])), (_fixed(tf, "int64", [None]), f), ({"a": tf.io.SparseFeature("a", "a", tf.int64, 3)}, f)]
    return [_read_sequences(tf, data, *pair, words=9) for pair in pairs] + [_read_sequences(tf, data, c, f, example_names=["p", "q"])[0], attempt(lambda: tf.io.parse_sequence_example([data], c, f)), attempt(lambda: tf.io.parse_single_sequence_example(data, c, f))]


_ODD_SEQUENCES = {
    "two entries": block(1, entry(b"a", ints(1)) + entry(b"a", ints(2))) + sequence(None, {"x": [ints(1)]}), "an empty entry last": block(1, entry(b"a", ints(1)) + entry(b"a", b"")) + sequence(None, {"x": [ints(1)]}), "two lists of one name": sequence({"a": ints(1)}, {"x": [ints(1)]}) + sequence(None, {"x": [ints(5), ints(6)]}), "two contexts": sequence({"a": ints(1)}) + sequence({"a": ints(2)}) + sequence(None, {"x": [ints(1)]}), "two kinds": sequence({"a": floats(1) + ints(1)}, {"x": [ints(1)]}), "two kinds in a list": sequence({"a": ints(1)}, {"x": [ints(1) + floats(1)]}), "unknown in a Feature": sequence({"a": block(9, b"q") + ints(1)}, {"x": [ints(1)]}), "unknown": block(5, b"zz") + sequence({"a": ints(1)}, {"x": [ints(1)]}), "unknown in the context": block(1, block(5, b"zz") + entry(b"a", ints(1))) + sequence(None, {"x": [ints(1)]}), "the value first": block(1, block(1, block(2, ints(3)) + block(1, b"a"))) + sequence(None, {"x": [ints(1)]}), "no value": block(1, block(1, block(1, b"a"))) + sequence(None, {"x": [ints(1)]}), "unknown in a list": sequence({"a": ints(1)}) + block(2, entry(b"x", block(7, b"z") + block(1, ints(4)))), "a number cut off": sequence({"a": ints(1)}, {"x": [block(3, block(1, b"\x85"))]}), "something behind a Feature": sequence({"a": ints(1)}, {"x": [ints(1) + b"\xff"]}), "an unwanted list that is broken": sequence({"a": ints(1)}, {"x": [ints(1)], "z": [block(3, block(1, b"\x85"))]}), "a wrong list replaced": sequence({"a": ints(1)}, {"x": [floats(1)]}) + sequence(None, {"x": [ints(1)]}), "a group": b"\x1b\x08\x01\x1c" + sequence({"a": ints(1)}), "no SequenceExample": b"hello", "cut off": sequence({"a": ints(1)}, {"x": [ints(1)]})[:-1], "a zero behind": sequence({"a": ints(1)}, {"x": [ints(1)]}) + b"\0",
}  # fmt: skip


def prog_odd_sequences(tf, np):
    """Unusual and broken bytes."""
    return {name: _read_sequences(tf, [data], _fixed(tf), _list(tf), 6) for name, data in _ODD_SEQUENCES.items()}


def prog_damaged_sequences(tf, np):
    """Good SequenceExamples with one byte damaged."""
    data = sequence({"a": ints(1, 2)}, {"x": [ints(3), ints(4)]})
    context, lists = _fixed(tf, "int64", [2], default_value=[8, 9]), _list(tf, allow_missing=True)
    return [_read_sequences(tf, [d], context, lists, 2)[0] for d in _damaged(np, data, 200, 2)]


_EVERY = sequence({"a": ints(1), "b": ints(1, 2), "c": ints(3)}, {"d": [ints(1), ints(2, 3)], "e": [ints(1, 2, 3)], "f": [ints(4), b"", ints(5, 6)]})


def prog_parse_sequence_example_v2(tf, np):
    """All layouts at once, and what does not fit together."""
    i, k = tf.int64, lambda *keys: tf.constant(list(keys), tf.string)
    full = {"serialized": [_EVERY, b""], "debug_name": k(), "context_sparse_keys": k("a"), "context_dense_keys": k("b"), "context_ragged_keys": k("c"), "feature_list_sparse_keys": k("d"), "feature_list_dense_keys": k("e"), "feature_list_ragged_keys": k("f"), "feature_list_dense_missing_assumed_empty": [True], "context_dense_defaults": [tf.constant([8, 9], i)], "Ncontext_sparse": 1, "context_sparse_types": [i], "context_ragged_value_types": [i], "context_ragged_split_types": [i], "context_dense_shapes": [[2]], "Nfeature_list_sparse": 1, "Nfeature_list_dense": 1, "feature_list_dense_types": [i], "feature_list_sparse_types": [i], "feature_list_ragged_value_types": [i], "feature_list_ragged_split_types": [tf.int32], "feature_list_dense_shapes": [[3]]}
    changes = [{}, {"serialized": tf.constant([], tf.string)}, {"Ncontext_sparse": 2}, {"context_sparse_types": [i, i]}, {"context_sparse_keys": k("a", "b")}, {"context_dense_keys": k("a", "b")}, {"context_dense_shapes": [[2], [2]]}, {"context_ragged_keys": k("a", "b")}, {"context_ragged_split_types": [i, i]}, {"feature_list_sparse_keys": k("a", "b")}, {"Nfeature_list_sparse": 2}, {"feature_list_dense_keys": k("a", "b")}, {"Nfeature_list_dense": 2}, {"feature_list_dense_shapes": [[3], [3]]}, {"feature_list_ragged_keys": k("a", "b")}, {"feature_list_ragged_split_types": [i, i]}, {"feature_list_dense_missing_assumed_empty": [False]}, {"context_dense_shapes": [[None]]}, {"feature_list_dense_shapes": [[None]]}, {"context_dense_defaults": [tf.constant([8, 9, 10], i)]}, {"debug_name": ["a"]}, {"serialized": [[_EVERY]]}]
    return [attempt(lambda c=c: [list(p) for p in tf.raw_ops.ParseSequenceExampleV2(**{**full, **c})], 6) for c in changes]


def prog_parse_sequence_example_v1(tf, np):
    """The older op, with its keys as attributes."""
    i = tf.int64
    full = {"serialized": [_EVERY], "debug_name": tf.constant([], tf.string), "feature_list_dense_missing_assumed_empty": [], "context_sparse_keys": ["a"], "context_dense_keys": ["b"], "feature_list_sparse_keys": ["d"], "feature_list_dense_keys": ["e"], "context_dense_defaults": [tf.constant([8, 9], i)], "Ncontext_sparse": 1, "Ncontext_dense": 1, "context_sparse_types": [i], "context_dense_shapes": [[2]], "Nfeature_list_sparse": 1, "Nfeature_list_dense": 1, "feature_list_dense_types": [i], "feature_list_sparse_types": [i], "feature_list_dense_shapes": [[3]]}
    changes = [{}, {"serialized": _EVERY}, {"serialized": [b""]}, {"serialized": [b""], "feature_list_dense_missing_assumed_empty": ["e"]}, *({n: 2} for n in ("Ncontext_sparse", "Ncontext_dense", "Nfeature_list_sparse", "Nfeature_list_dense")), {"context_sparse_types": [i, i]}, {"context_dense_shapes": [[2], [2]]}, {"feature_list_dense_types": [i, i]}, {"debug_name": ["1", "2"]}]
    return [attempt(lambda c=c: [list(p) for p in tf.raw_ops.ParseSequenceExample(**{**full, **c})], 9) for c in changes]


def prog_parse_single_sequence_example(tf, np):
    """The oldest op, which protobuf reads."""
    i, none = tf.int64, tf.constant([], tf.int64)
    base = {"debug_name": "", "context_dense_defaults": [], "feature_list_dense_missing_assumed_empty": tf.constant([], tf.string), "context_sparse_keys": [], "context_dense_keys": [], "feature_list_sparse_keys": [], "feature_list_dense_keys": []}
    dense = {"context_dense_keys": ["a"], "context_dense_defaults": [none], "context_dense_shapes": [[]], "feature_list_dense_keys": ["x"], "feature_list_dense_types": [i], "feature_list_dense_shapes": [[]]}
    sparse = {"feature_list_sparse_keys": ["x"], "feature_list_sparse_types": [i], "context_sparse_keys": ["a"], "context_sparse_types": [i]}
    good = sequence({"a": ints(1)}, {"x": [ints(1), ints(2)]})
    default, may = {"context_dense_defaults": [tf.constant(5, i)]}, {"feature_list_dense_missing_assumed_empty": ["x"]}
    calls = [(good, dense), (good, sparse), (b"", sparse), (sequence({"a": floats(1)}), sparse), (sequence({}, {"x": [ints(1), floats(1)]}), sparse), (sequence({"a": b""}, {"x": [b"", ints(3, 4)]}), sparse), ([good], dense), (sequence({}, {"x": [ints(1)]}), dense), (sequence({}, {"x": [ints(1)]}), dense | default), (sequence({"a": b""}), dense | default), (sequence({"a": floats(1)}), dense), (sequence({"a": floats(1)}), dense | {"debug_name": "nm"}), (sequence({"a": ints(1, 2)}), dense), (sequence({"a": ints(1)}), dense), (sequence({"a": ints(1)}), dense | may), (sequence({"a": ints(1)}, {"x": [ints(1), floats(1)]}), dense), (sequence({"a": ints(1)}, {"x": [ints(1), ints(1, 2)]}), dense), (sequence({"a": ints(1)}, {"x": [ints(1), b""]}), dense), (b"hello", dense), (sequence({"a": block(3, int_values(1) + int_values(2))}), sparse), (sequence({"a": ints(1) + floats(1) + ints(2)}), sparse), (good, dense | {"context_dense_shapes": [[], []]}), (block(1, block(5, b"zz") + entry(b"a", ints(1))) + sequence(None, {"x": [ints(1)]}), dense), (sequence({"a": ints(1)}, {"x": [ints(1, 2), ints(3, 4)]}), dense | {"feature_list_dense_shapes": [[2]]})]
    return [attempt(lambda d=d, o=o: [list(p) for p in tf.raw_ops.ParseSingleSequenceExample(serialized=d, **{**base, **o})], 6) for d, o in calls]
