"""TensorShape, TensorSpec and DType as Python objects."""

# ruff: noqa: E721 (programs write what users write)
from __future__ import annotations

from tests.oracle.support import attempt


def prog_shape_construction(tf, np):
    """From lists, tuples, None, ints, other shapes, arrays."""
    sources = [[1, 2], (3, None), None, [], 5, tf.TensorShape([4]), np.array([1, 2]), [np.int64(3)], [-1], "ab", [1.5], {"a": 1}, [None, None]]
    return [attempt(lambda s=s: tf.TensorShape(s), words=3) for s in sources]


def prog_shape_construction_errors(tf, np):
    """Dimensions must be non-negative integers."""
    return [attempt(lambda s=s: tf.TensorShape(s), words=4) for s in ([-2], ["x"], [1.5], [[1]], object())]


def prog_shape_queries(tf, np):
    """rank, ndims, dims, is_fully_defined, num_elements, as_list, len."""
    shapes = [tf.TensorShape(s) for s in ([2, 3], [None, 3], [], None, [0, 5])]
    return [[s.rank, s.ndims, s.is_fully_defined(), s.num_elements(), attempt(lambda s=s: len(s)), attempt(lambda s=s: s.as_list()), bool(s), s.dims is None] for s in shapes]


def prog_shape_indexing(tf, np):
    """Items, slices, iteration."""
    s = tf.TensorShape([2, None, 4])
    u = tf.TensorShape(None)
    return [s[0], s[1], s[-1], s[1:], s[:0], list(s), u[0], u[1:], u[:2], attempt(lambda: s[5]), attempt(lambda: list(u)), s[::2], attempt(lambda: u[::2])]


def prog_shape_equality(tf, np):
    """== with shapes, lists, tuples, None; unknown parts."""
    s = tf.TensorShape([1, 2])
    return [s == [1, 2], s == (1, 2), s == tf.TensorShape([1, 2]), s != [1, 3], s == None, s == 3, tf.TensorShape([None]) == [None], tf.TensorShape(None) == tf.TensorShape(None), s == "x", s in ([1, 2], 5), tf.TensorShape([None]) == [1]]  # noqa: E711


def prog_shape_hash(tf, np):
    """Shapes are dictionary keys."""
    table = {tf.TensorShape([1, None]): 1, tf.TensorShape(None): 2}
    return [table[tf.TensorShape([1, None])], table[tf.TensorShape(None)], hash(tf.TensorShape([2])) == hash(tf.TensorShape([2]))]


def prog_shape_compatibility(tf, np):
    """is_compatible_with over a grid of shapes."""
    shapes = [tf.TensorShape(s) for s in ([2, 3], [None, 3], [2, None], [3], None, [2, 4], [])]
    return [[a.is_compatible_with(b) for b in shapes] for a in shapes]


def prog_shape_subtype(tf, np):
    """is_subtype_of and most_specific_common_supertype over a grid."""
    shapes = [tf.TensorShape(s) for s in ([2, 3], [None, 3], [3], None, [])]
    return [[(a.is_subtype_of(b), a.most_specific_common_supertype([b])) for b in shapes] for a in shapes]


def prog_shape_merge(tf, np):
    """merge_with joins what is known."""
    s = tf.TensorShape
    return [
        s([2, None]).merge_with([None, 3]),
        s(None).merge_with([1, 2]),
        s([1]).merge_with(None),
        s([]).merge_with([]),
        attempt(lambda: s([2]).merge_with([3])),
        attempt(lambda: s([2]).merge_with([2, 3])),
    ]


def prog_shape_concatenate(tf, np):
    """concatenate and +."""
    s = tf.TensorShape
    return [s([1]).concatenate([2, None]), s([1]).concatenate(None), s(None).concatenate([1]), s([1]) + [2], [1] + s([2]), s([1]) + s([2]), s([]) + (3,), attempt(lambda: s([1]) + 2), s([1]).concatenate(5)]


def prog_shape_with_rank(tf, np):
    """with_rank and its two bounds."""
    s = tf.TensorShape
    return [
        s([1, 2]).with_rank(2),
        s(None).with_rank(2),
        attempt(lambda: s([1]).with_rank(2)),
        s([1, 2]).with_rank_at_least(1),
        attempt(lambda: s([]).with_rank_at_least(1)),
        s([1]).with_rank_at_most(2),
        attempt(lambda: s([1, 2, 3]).with_rank_at_most(2)),
    ]


def prog_shape_assertions(tf, np):
    """assert_* methods raise ValueError."""
    s = tf.TensorShape([2, None])
    return [
        attempt(lambda: s.assert_has_rank(2)),
        attempt(lambda: s.assert_has_rank(3)),
        attempt(lambda: s.assert_same_rank([1])),
        attempt(lambda: s.assert_is_compatible_with([3, 1])),
        attempt(lambda: s.assert_is_fully_defined()),
        attempt(lambda: tf.TensorShape([1]).assert_is_fully_defined()),
    ]


def prog_shape_text(tf, np):
    """str and repr."""
    return [(str(tf.TensorShape(s)), repr(tf.TensorShape(s))) for s in ([1, 2], [None], [], None, [1], [None, 2, None])]


def prog_shape_as_proto(tf, np):
    """as_proto as text, and back."""
    shapes = [tf.TensorShape(s) for s in ([1, None], [], None)]
    return [[str(s.as_proto()), tf.TensorShape(s.as_proto())] for s in shapes]


def prog_shape_pickles_as_tuple(tf, np):
    """tuple(), list comprehension and numpy of a shape."""
    s = tf.TensorShape([2, 3])
    return [tuple(s), [d * 2 for d in s], np.prod(s), np.array(s), np.zeros(s).shape, [*s, 1], tf.zeros(s + [1]).shape, s.as_list() + [5], max(s)]


def prog_spec_construction(tf, np):
    """TensorSpec from shapes, dtypes, names, values."""
    return [
        tf.TensorSpec([1, None]),
        tf.TensorSpec([], tf.int32, "n"),
        tf.TensorSpec(None, "string"),
        tf.TensorSpec(shape=(2,), dtype=np.float64),
        tf.TensorSpec.from_spec(tf.TensorSpec([1], tf.int32, "a"), "b"),
        tf.TensorSpec.from_tensor(tf.constant([1.0])),
        tf.TensorSpec.from_tensor(tf.constant([1]), "x"),
        attempt(lambda: tf.TensorSpec([1], "nonsense"), words=3),
        attempt(lambda: tf.TensorSpec()),
    ]


def prog_spec_properties(tf, np):
    """shape, dtype, name, value_type, equality, hash."""
    a, b = tf.TensorSpec([1], tf.int32, "a"), tf.TensorSpec([1], tf.int32, "b")
    return [a.shape, a.dtype, a.name, a == b, a == tf.TensorSpec([1], tf.int32, "a"), a != b, hash(a) == hash(tf.TensorSpec([1], tf.int32, "a")), a.value_type.__name__, a == 1, a.is_compatible_with(b)]


def prog_spec_compatibility(tf, np):
    """is_compatible_with specs, tensors and values."""
    s = tf.TensorSpec([None, 2], tf.float32)
    values = [tf.zeros([3, 2]), tf.zeros([2]), tf.zeros([1, 2], tf.int32), tf.TensorSpec([5, 2]), tf.TensorSpec(None), np.zeros((1, 2), np.float32), [[1.0, 2.0]], "a"]
    return [attempt(lambda v=v: s.is_compatible_with(v), words=2) for v in values]


def prog_spec_subtype(tf, np):
    """is_subtype_of and most_specific_common_supertype."""
    specs = [tf.TensorSpec([1, 2]), tf.TensorSpec([None, 2]), tf.TensorSpec(None), tf.TensorSpec([1, 2], tf.int32), tf.TensorSpec([1, 2], name="q")]
    return [[(a.is_subtype_of(b), a.most_specific_common_supertype([b])) for b in specs] for a in specs]


def prog_bounded_spec(tf, np):
    """tf.TensorSpec with bounds lives elsewhere; IndexedSlicesSpec is public."""
    s = tf.IndexedSlicesSpec([None, 2], tf.float32, tf.int32)
    return [s, s.value_type.__name__, s.is_compatible_with(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0])))]


def prog_type_spec_from_value(tf, np):
    """tf.type_spec_from_value of many values."""
    values = [tf.constant([1.0]), np.ones((2, 2)), 3, 1.5, "a", [1, 2], tf.IndexedSlices(tf.ones([1]), tf.constant([0])), object(), tf.Variable(1.0)]
    return [attempt(lambda v=v: tf.type_spec_from_value(v), words=3) for v in values]


def prog_dtype_table(tf, np):
    """Name, size, enum, numpy dtype and the flags of every dtype."""
    names = "float16 bfloat16 float32 float64 int8 uint8 int16 uint16 int32 uint32 int64 uint64 bool string complex64 complex128 resource variant qint8 quint8 qint32 qint16 quint16".split()
    out = {}
    for name in names:
        d = getattr(tf, name)
        np_name = np.dtype(d.as_numpy_dtype).name if name not in ("resource", "variant") else None
        out[name] = [d.name, attempt(lambda d=d: d.size), d.as_datatype_enum, np_name, d.is_floating, d.is_integer, d.is_unsigned, d.is_bool, d.is_complex, d.is_quantized, attempt(lambda d=d: d.is_numeric)]
    return out


def prog_dtype_limits(tf, np):
    """min, max and limits."""
    names = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 bfloat16".split()
    out = [[float(getattr(tf, n).min), float(getattr(tf, n).max)] for n in names]
    return [out, tf.uint8.limits, tf.float32.limits, attempt(lambda: tf.bool.max), attempt(lambda: tf.string.min), attempt(lambda: tf.complex64.max)]


def prog_dtype_equality(tf, np):
    """Comparison with names, numpy and Python types."""
    return [tf.float32 == "float32", tf.float32 == np.float32, tf.float32 == np.dtype("float32"), tf.int32 == int, tf.bool == bool, tf.float32 != tf.float64, tf.float32 is tf.dtypes.float32, tf.float32 == None, tf.float32 == "nonsense", {tf.int8: 1}[tf.int8], hash(tf.int32) == hash(tf.dtypes.as_dtype("int32"))]  # noqa: E711


def prog_as_dtype(tf, np):
    """as_dtype of names, enums, numpy, Python types and nonsense."""
    values = ["float32", "half", "double", "float", "int", "complex", "bool", "string", 1, 3, np.int8, np.dtype("uint16"), bool, float, int, str, complex, tf.int64, "float32_ref", "x", 999, None, object]
    return [attempt(lambda v=v: tf.as_dtype(v), words=3) for v in values]


def prog_dtype_derived(tf, np):
    """real_dtype, base_dtype, is_compatible_with, as_numpy_dtype."""
    return [tf.complex64.real_dtype, tf.complex128.real_dtype, tf.float32.real_dtype, tf.int8.base_dtype, tf.float32.is_compatible_with(tf.float32), tf.float32.is_compatible_with("float64"), tf.int32.as_numpy_dtype, tf.string.as_numpy_dtype, tf.bool.as_numpy_dtype, tf.half is tf.float16, tf.double is tf.float64]


def prog_dtype_text(tf, np):
    """str and repr of dtypes."""
    return [(str(getattr(tf, n)), repr(getattr(tf, n))) for n in "float32 half bool string bfloat16 resource variant complex64 qint8".split()]


def prog_static_broadcast_shape(tf, np):
    """broadcast_static_shape and broadcast_dynamic_shape."""
    s = tf.TensorShape
    return [
        tf.broadcast_static_shape(s([2, 1]), s([3])),
        tf.broadcast_static_shape(s([None, 1]), s([1, 4])),
        tf.broadcast_static_shape(s(None), s([1])),
        tf.broadcast_static_shape(s([None]), s([3])),
        attempt(lambda: tf.broadcast_static_shape(s([2]), s([3]))),
        tf.broadcast_dynamic_shape([2, 1], [3]),
        tf.broadcast_dynamic_shape(tf.constant([1], tf.int64), tf.constant([5, 1], tf.int64)),
        attempt(lambda: tf.broadcast_dynamic_shape([2], [3])),
    ]


def prog_get_static_value(tf, np):
    """get_static_value of eager tensors, constants and placeholders."""
    out = []

    @tf.function(autograph=False)
    def f(x):
        values = [tf.constant([1, 2]), tf.constant([1, 2]) + 1, tf.shape(x), tf.shape(x)[0], x, tf.zeros([2]), tf.range(3), tf.stack([1, tf.shape(x)[0]]), tf.rank(x), tf.size(x), tf.cast(tf.constant(2), tf.float32)]
        out.extend(tf.get_static_value(v) for v in values)
        return x

    f(tf.zeros([2, 3]))
    return [tf.get_static_value(tf.constant([3])), out, tf.get_static_value(tf.Variable(1)) if False else None]
