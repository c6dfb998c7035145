"""Tensors made from Python and NumPy values: tf.constant, tf.convert_to_tensor, fill, zeros, range, eye, cast."""

from __future__ import annotations

from tests.oracle.support import attempt


def prog_constant_infers_dtypes(tf, np):
    """Python values get int32, float32, bool, string, complex128."""
    return [tf.constant(v) for v in (1, 1.5, True, "a", b"b", 1j, [1, 2], [1, 2.5], [True, False], ["x", b"y"])]


def prog_constant_of_big_ints(tf, np):
    """Ints that do not fit int32 become int64; beyond that they are refused."""
    return [tf.constant(2**31 - 1), tf.constant(2**31), tf.constant([-(2**31) - 1, 0]), attempt(lambda: tf.constant(2**63))]


def prog_constant_of_nested_lists(tf, np):
    """Nested lists and tuples become ranks; rows may mix lists and tuples."""
    return [tf.constant([[1, 2], [3, 4]]), tf.constant([(1, 2), [3, 4]]), tf.constant((((1,),),)), tf.constant([[], []])]


def prog_constant_of_ragged_list(tf, np):
    """Rows of different length are refused."""
    return [attempt(lambda: tf.constant([[1, 2], [3]])), attempt(lambda: tf.constant([1, [2]])), attempt(lambda: tf.constant([[1], 2]))]


def prog_constant_with_every_number_dtype(tf, np):
    """An explicit dtype converts Python ints."""
    names = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bfloat16 complex64 complex128".split()
    return [tf.constant([0, 1, 100], dtype=name) for name in names]


def prog_constant_int_does_not_fit_dtype(tf, np):
    """Python ints outside the range of the dtype are refused."""
    pairs = [(300, tf.uint8), (-1, tf.uint16), (128, tf.int8), (2**40, tf.int32), (-1, tf.uint32)]
    return [attempt(lambda v=v, d=d: tf.constant(v, d), words=3) for v, d in pairs]


def prog_constant_float_to_int_is_refused(tf, np):
    """A Python float is not silently truncated."""
    return [attempt(lambda: tf.constant(1.5, tf.int32)), attempt(lambda: tf.constant([1, 2.0], tf.int64)), attempt(lambda: tf.constant(1.0, tf.uint8))]


def prog_constant_wrong_python_types(tf, np):
    """Strings, bools, None and objects where numbers are due."""
    values = [("a", tf.int32), (True, tf.int32), (None, tf.float32), (object(), None), ("a", tf.float32), (1, tf.string), (1, tf.bool), ({}, None)]
    return [attempt(lambda v=v, d=d: tf.constant(v, d), words=3) for v, d in values]


def prog_constant_mixed_list(tf, np):
    """Lists mixing kinds."""
    lists = [[1, "a"], ["a", 1], [1.0, True], [True, 1], [True, 1.0], [None, 1], [1, None]]
    return [attempt(lambda v=v: tf.constant(v), words=3) for v in lists]


def prog_constant_with_shape(tf, np):
    """`shape=` fills from a scalar or reshapes."""
    return [
        tf.constant(3, shape=[2, 3]),
        tf.constant([1, 2, 3, 4], shape=(2, 2)),
        tf.constant(1.5, shape=[]),
        tf.constant([], shape=[0, 3]),
        attempt(lambda: tf.constant([1, 2, 3], shape=[2, 2])),
        attempt(lambda: tf.constant([1, 2], shape=[2, 2])),
    ]


def prog_constant_of_numpy_arrays(tf, np):
    """NumPy arrays keep their dtype, also float64 and small ones."""
    dtypes = [np.int8, np.uint16, np.int64, np.float16, np.float32, np.float64, np.bool_, np.complex64]
    return [tf.constant(np.array([[0, 1]], dtype)) for dtype in dtypes]


def prog_constant_of_numpy_strings(tf, np):
    """NumPy unicode, bytes and object arrays become string tensors."""
    return [tf.constant(np.array(["a", "bc"])), tf.constant(np.array([b"a", b"bc"])), tf.constant(np.array(["x", b"y"], object)), tf.constant(np.str_("z"))]


def prog_constant_of_numpy_scalars(tf, np):
    """NumPy scalars keep their dtype; inside lists too."""
    return [tf.constant(np.float32(1)), tf.constant(np.int64(2)), tf.constant([np.int8(1), np.int8(2)]), tf.constant([np.float64(1.0)]), tf.constant(np.bool_(True))]


def prog_constant_numpy_with_other_dtype(tf, np):
    """An explicit dtype casts NumPy arrays."""
    return [
        tf.constant(np.array([1.0, 2.0]), tf.float32),
        tf.constant(np.array([1, 2]), tf.float64),
        attempt(lambda: tf.constant(np.array([1.5, 2.5]), tf.int32)),
        attempt(lambda: tf.constant(np.array([1, 2]), tf.int8)),
        attempt(lambda: tf.constant(np.array(["a"]), tf.int32)),
    ]


def prog_constant_copies_numpy(tf, np):
    """Writing into the array afterwards does not change the tensor."""
    array = np.arange(4, dtype=np.float32)
    made = [tf.constant(array), tf.convert_to_tensor(array)]
    array[0] = 99
    return made


def prog_constant_numpy_layouts(tf, np):
    """Transposed, strided and 0-d arrays."""
    base = np.arange(12).reshape(3, 4)
    return [tf.constant(base.T), tf.constant(base[::2, ::-1]), tf.constant(np.array(5.0)), tf.constant(np.asfortranarray(base)), tf.constant(base.astype(">i4"))]


def prog_constant_unsupported_numpy(tf, np):
    """Dates, records and void have no tensor form."""
    values = [np.array(["2020-01-01"], "datetime64[D]"), np.zeros(2, [("a", "i4")]), np.array([object()])]
    return [attempt(lambda v=v: tf.constant(v), words=3) for v in values]


def prog_constant_of_tensors(tf, np):
    """A tensor, and lists of tensors, as the value."""
    x = tf.constant([1.0, 2.0])
    return [tf.constant(x), tf.convert_to_tensor([x, x]), tf.convert_to_tensor([tf.constant(1), 2]), attempt(lambda: tf.constant(x, tf.float64))]


def prog_convert_to_tensor_hints(tf, np):
    """dtype forces, dtype_hint only suggests."""
    return [
        tf.convert_to_tensor([1, 2], dtype_hint=tf.float32),
        tf.convert_to_tensor([1.5], dtype_hint=tf.int32),
        tf.convert_to_tensor([1, 2], tf.float64),
        tf.convert_to_tensor(np.float64(2), dtype_hint=tf.float32),
        tf.convert_to_tensor("a", dtype_hint=tf.int32),
    ]


def prog_convert_tensor_of_other_dtype(tf, np):
    """Tensors are never converted silently."""
    x = tf.constant([1, 2])
    return [
        tf.convert_to_tensor(x, tf.int32),
        attempt(lambda: tf.convert_to_tensor(x, tf.float32)),
        attempt(lambda: tf.convert_to_tensor(tf.Variable(1.0), tf.int32)),
        tf.convert_to_tensor(x, dtype_hint=tf.float32),
    ]


def prog_convert_returns_same_tensor(tf, np):
    """A tensor converts to itself."""
    x = tf.constant([1.0])
    return [tf.convert_to_tensor(x) is x, tf.convert_to_tensor(x, tf.float32) is x, tf.identity(x) is x, tf.is_tensor(x), tf.is_tensor([1]), tf.is_tensor(np.ones(1))]


def prog_convert_objects_with_array_interface(tf, np):
    """Objects with __array__ convert through it."""

    class Arrayish:
        def __array__(self, dtype=None, copy=None):
            return np.array([1, 2, 3], dtype or np.int64)

    return [tf.convert_to_tensor(Arrayish()), tf.convert_to_tensor(Arrayish(), tf.float32), tf.add(Arrayish(), tf.constant([1, 1, 1], tf.int64))]


def prog_convert_tensorshape_and_dtype(tf, np):
    """TensorShapes convert to int32 vectors; unknown ones are refused."""
    return [
        tf.convert_to_tensor(tf.TensorShape([2, 3])),
        tf.convert_to_tensor(tf.TensorShape([2, 3]), tf.int64),
        tf.convert_to_tensor(tf.TensorShape([])),
        attempt(lambda: tf.convert_to_tensor(tf.TensorShape([None, 1]))),
        attempt(lambda: tf.convert_to_tensor(tf.TensorShape(None))),
        tf.constant([2**40]).dtype,
    ]


def prog_zeros_ones_all_dtypes(tf, np):
    """zeros and ones of every dtype."""
    names = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128".split()
    return [[tf.zeros([2], name), tf.ones([1, 2], name)] for name in names] + [tf.zeros([2], tf.string)]


def prog_zeros_shapes(tf, np):
    """Shapes as lists, tuples, tensors, TensorShapes, ints."""
    return [
        tf.zeros([]),
        tf.zeros((2, 0)),
        tf.zeros(tf.constant([1, 2])),
        tf.zeros(tf.TensorShape([3])),
        attempt(lambda: tf.zeros(3)),
        attempt(lambda: tf.zeros([-1])),
        tf.zeros([tf.constant(2), 1]),
        tf.ones(np.array([2, 1])),
        attempt(lambda: tf.zeros(["a"])),
        attempt(lambda: tf.ones([2], tf.string)),
    ]


def prog_like_functions(tf, np):
    """zeros_like and ones_like with and without dtype."""
    x = tf.constant([[1.5, 2.0]])
    return [tf.zeros_like(x), tf.ones_like(x), tf.zeros_like(x, tf.int64), tf.ones_like([1, 2], dtype=tf.bool), tf.zeros_like(["a"]), tf.zeros_like(3), tf.ones_like(np.float16(2))]


def prog_fill(tf, np):
    """fill takes shape and dtype from its value."""
    return [
        tf.fill([2, 2], 7),
        tf.fill([0], 1.5),
        tf.fill([], "a"),
        tf.fill(tf.constant([1, 3], tf.int64), True),
        tf.fill([2], tf.constant(3, tf.uint8)),
        attempt(lambda: tf.fill([2], [1, 2])),
        attempt(lambda: tf.fill([-2], 1)),
        attempt(lambda: tf.fill([[2]], 1)),
    ]


def prog_range_forms(tf, np):
    """range with one, two, three arguments and every number kind."""
    return [
        tf.range(5),
        tf.range(1, 4),
        tf.range(10, 0, -3),
        tf.range(0.0, 1.0, 0.25),
        tf.range(3, dtype=tf.float64),
        tf.range(start=2, limit=9, delta=4),
        tf.range(5, 5),
        tf.range(0),
        tf.range(tf.constant(2, tf.int64), 5),
        tf.range(1, 2.5),
        tf.range(limit=3, start=1),
    ]


def prog_range_errors(tf, np):
    """Zero or wrong-signed steps and non-scalars."""
    return [
        attempt(lambda: tf.range(0, 5, 0)),
        attempt(lambda: tf.range(5, 0)),
        attempt(lambda: tf.range(0, 5, -1)),
        attempt(lambda: tf.range([1, 2])),
    ]


def prog_linspace(tf, np):
    """linspace over scalars, vectors and axes."""
    return [
        tf.linspace(0.0, 1.0, 5),
        tf.linspace(1, 10, 4),
        tf.linspace([0.0, 10.0], [1.0, 20.0], 3),
        tf.linspace([0.0, 10.0], [1.0, 20.0], 3, axis=-1),
        tf.linspace(tf.constant(0.0, tf.float64), 1.0, 2),
        tf.linspace(2.0, 3.0, 1),
        attempt(lambda: tf.linspace(0.0, 1.0, 0)),
    ]


def prog_eye(tf, np):
    """Identity matrices: rectangular, batched, of other dtypes."""
    return [tf.eye(2), tf.eye(2, 3), tf.eye(2, dtype=tf.int32), tf.eye(2, batch_shape=[2]), tf.eye(0), tf.eye(3, 2, [1, 2], tf.complex64), tf.eye(tf.constant(2)), tf.eye(1, dtype=tf.bool)]


def prog_cast_between_numbers(tf, np):
    """Casts truncate towards zero and wrap small ints."""
    x = tf.constant([-1.9, -0.5, 0.0, 0.5, 1.9, 100.7])
    return [tf.cast(x, d) for d in (tf.int8, tf.int32, tf.int64, tf.float64, tf.float16, tf.bfloat16, tf.bool, tf.complex64)]


def prog_cast_ints_wrap(tf, np):
    """Integer casts keep the low bits."""
    x = tf.constant([-1, 0, 127, 128, 255, 256, 70000])
    return [tf.cast(x, d) for d in (tf.int8, tf.uint8, tf.int16, tf.uint16, tf.uint32, tf.int64, tf.uint64, tf.bool)]


def prog_cast_of_other_values(tf, np):
    """Cast accepts lists, numpy, bools, complex; refuses strings."""
    return [
        tf.cast([1, 2], tf.float32),
        tf.cast(True, tf.int32),
        tf.cast(np.array([1.5]), "int32"),
        tf.cast(tf.constant([1 + 2j]), tf.float32),
        tf.cast(tf.constant([2.0]), tf.float32),
        tf.cast([True, False], tf.float16),
        attempt(lambda: tf.cast("1", tf.int32)),
        attempt(lambda: tf.cast(1, tf.string)),
        attempt(lambda: tf.cast(1, "nothing")),
    ]


def prog_cast_special_floats(tf, np):
    """inf and nan survive float casts; overflow to half gives inf."""
    x = tf.constant([np.inf, -np.inf, np.nan, 1e6, 1e-10])
    return [tf.cast(x, tf.float64), tf.cast(x, tf.float16), tf.cast(x, tf.bfloat16), tf.cast(x, tf.bool)]


def prog_saturate_cast(tf, np):
    """saturate_cast clamps to the range of the target."""
    x = tf.constant([-300.0, -1.0, 0.4, 127.5, 300.0])
    return [tf.saturate_cast(x, d) for d in (tf.int8, tf.uint8, tf.int16, tf.float16)] + [tf.saturate_cast([-5, 70000], tf.uint16)]


def prog_bitcast(tf, np):
    """bitcast reinterprets bytes and changes the last dimension when sizes differ."""
    return [
        tf.bitcast(tf.constant([1.0, -2.0]), tf.int32),
        tf.bitcast(tf.constant([1, 2], tf.int32), tf.uint8),
        tf.bitcast(tf.constant([[1, 0, 0, 0]], tf.uint8), tf.int32),
        tf.bitcast(tf.constant(1.0, tf.float64), tf.int32),
        tf.bitcast(tf.constant([1.5], tf.float16), tf.bfloat16),
        attempt(lambda: tf.bitcast(tf.constant([1, 2, 3], tf.uint8), tf.int32)),
    ]


def prog_dtype_argument_forms(tf, np):
    """dtypes as objects, names, numpy types, Python types."""
    return [attempt(lambda d=d: tf.constant(1, d)) for d in (tf.float32, "float64", np.float16, float, int, np.dtype("int8"), complex, "half", 3)] + [tf.constant(True, bool)]


def prog_identity_and_identity_n(tf, np):
    """identity copies anything convertible."""
    return [tf.identity([1, 2]), tf.identity("a"), tf.identity_n([[1], 2.0]), tf.identity(tf.Variable(3.0)), tf.stop_gradient([1.0]), tf.grad_pass_through(lambda x: x * 2)(tf.constant(3.0))]


def prog_one_element_and_empty_strings(tf, np):
    """Empty strings, embedded zeros, unicode and raw bytes survive."""
    x = tf.constant(["", "a\0b", "héé", b"\xff\xfe", "日本"])
    return [x, x.shape, x[2], x.numpy()[3], tf.constant("")]


def prog_very_nested_empty(tf, np):
    """Empty lists have float32 dtype at any depth."""
    return [tf.constant([]), tf.constant([[]]), tf.constant([[[], []]]), tf.constant([], tf.int32), tf.constant(()), tf.constant(np.zeros((0, 2), np.int16))]


def prog_complex_function(tf, np):
    """tf.complex joins two real tensors."""
    return [
        tf.complex([1.0, 2.0], [3.0, 4.0]),
        tf.complex(tf.constant(1.0, tf.float64), tf.constant(2.0, tf.float64)),
        tf.complex(1.0, [1.0, 2.0]),
        attempt(lambda: tf.complex(1, 2)),
        attempt(lambda: tf.complex(tf.constant(1.0), tf.constant(1.0, tf.float64))),
    ]


def prog_special_python_floats(tf, np):
    """inf, nan and signed zero in lists."""
    x = tf.constant([float("inf"), float("-inf"), float("nan"), -0.0, 1e-45, 3.4e38])
    return [x, tf.constant([float("nan")], tf.float16), tf.constant(1e300, tf.float64), attempt(lambda: tf.constant(1e300))]


def prog_shape_size_rank(tf, np):
    """shape, shape_n, size and rank as tensors, with out_type."""
    x = tf.zeros([2, 0, 3])
    return [tf.shape(x), tf.shape(x, tf.int64), tf.size(x), tf.size(x, out_type=tf.int64), tf.rank(x), tf.shape(3), tf.rank([[1]]), tf.shape_n([x, [1, 2]]), tf.size("a")]


def prog_tensor_properties(tf, np):
    """dtype, shape, ndim, device attributes of an eager tensor."""
    x = tf.constant([[1.0, 2.0]])
    return [x.dtype, x.shape, x.ndim, x.get_shape(), x.shape.rank, x._shape_tuple() if hasattr(x, "_shape_tuple") else (1, 2), x.device.endswith("CPU:0"), attempt(lambda: x.name), attempt(lambda: x.op), attempt(lambda: x.graph)]


def prog_set_shape_on_eager(tf, np):
    """set_shape on an eager tensor only checks."""
    x = tf.constant([1, 2])
    return [x.set_shape([2]), x.set_shape([None]), x.set_shape(None), attempt(lambda: x.set_shape([3])), attempt(lambda: x.set_shape([2, 1])), tf.ensure_shape(x, [None]), attempt(lambda: tf.ensure_shape(x, [3]))]
