"""How tensors look: repr, str, print, format, and how they convert back to Python."""

# ruff: noqa: C417, UP031, UP032 (programs write what users write)
from __future__ import annotations

import copy
import pickle

from tests.oracle.support import attempt, printed


def prog_repr_of_scalars(tf, np):
    """repr of 0-d tensors of each kind."""
    return [repr(tf.constant(v)) for v in (1, 1.5, True, "a", 1 + 2j, float("nan"), float("inf"), 1e-10, 1e10, 123456789)]


def prog_str_of_scalars(tf, np):
    """str of 0-d tensors of each kind."""
    return [str(tf.constant(v)) for v in (1, 1.5, True, "a", 1 + 2j, 1e-10, 3.4e38)]


def prog_repr_of_vectors(tf, np):
    """repr of vectors of each dtype."""
    dtypes = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 bfloat16 complex64".split()
    return [repr(tf.constant([1, 2], dtype=d)) for d in dtypes] + [repr(tf.constant([True, False])), repr(tf.constant(["a", b"b\xff"]))]


def prog_repr_of_matrices(tf, np):
    """repr of ranks two and three starts the array on its own line."""
    return [repr(tf.constant([[1, 2], [3, 4]])), repr(tf.constant([[1.5, -2.0]])), repr(tf.zeros([2, 1, 2])), repr(tf.constant([["a"], ["bc"]]))]


def prog_repr_of_empty(tf, np):
    """repr of tensors without elements."""
    return [repr(tf.zeros(s)) for s in ([0], [0, 3], [2, 0])] + [str(tf.zeros([0])), str(tf.zeros([2, 0], tf.int32)), repr(tf.constant([], tf.string))]


def prog_repr_of_long(tf, np):
    """Long tensors are cut as NumPy cuts them."""
    return [repr(tf.range(2000)), str(tf.range(1001)), repr(tf.range(20)), str(tf.ones([40, 40]))]


def prog_str_of_vectors(tf, np):
    """str shows the array, shape and dtype."""
    return [str(tf.constant([1, 2])), str(tf.constant([[1.0], [2.5]])), str(tf.constant(["a"])), str(tf.constant([True])), str(tf.constant([1.0, 1e-8, 1e8]))]


def prog_print_tensor(tf, np):
    """Python's print."""
    return printed(lambda: print(tf.constant([1, 2]), tf.constant(3.0), tf.constant("x"), sep="|"))


def prog_format_tensors(tf, np):
    """format, f-strings and % on scalar tensors."""
    x, n = tf.constant(3.14159), tf.constant(7)
    return [f"{x}", f"{n}", attempt(lambda: f"{x:.2f}"), attempt(lambda: f"{n:03d}"), "%s" % n, attempt(lambda: "%d" % n), "{}".format(x), attempt(lambda: f"{tf.constant([1.0]):.2f}")]


def prog_python_conversions(tf, np):
    """int, float, bool, complex, len, index, hash and iteration."""
    x = tf.constant([3, 4])
    return [
        int(tf.constant(3)),
        float(tf.constant(2.5)),
        bool(tf.constant(0)),
        complex(tf.constant(1.0)),
        len(x),
        list(range(10))[tf.constant(2)],
        int(tf.constant([5])) if False else attempt(lambda: int(tf.constant([5, 6])), words=2),
        attempt(lambda: len(tf.constant(3))),
        attempt(lambda: hash(x)),
        [int(v) for v in x],
        attempt(lambda: float(tf.constant("a")), words=2),
        attempt(lambda: iter(tf.constant(1)).__next__()),
    ]


def prog_bool_of_tensors(tf, np):
    """Truth of eager tensors."""
    return [
        bool(tf.constant(True)),
        bool(tf.constant(2.0)),
        bool(tf.constant([1])),
        attempt(lambda: bool(tf.constant([1, 2])), words=3),
        attempt(lambda: bool(tf.constant([])), words=3),
        bool(tf.constant("a")),
        bool(tf.constant("")),
        not tf.constant(0),
    ]


def prog_numpy_method(tf, np):
    """numpy() gives an array, or a scalar for rank zero."""
    return [tf.constant([1, 2]).numpy(), tf.constant(1.0).numpy(), tf.constant("a").numpy(), tf.constant([["a"]]).numpy(), tf.constant(True).numpy(), tf.zeros([0, 2]).numpy(), type(tf.constant(1).numpy()).__name__]


def prog_numpy_copy_is_independent(tf, np):
    """np.array copies; writing into it leaves the tensor."""
    x = tf.constant([1.0, 2.0])
    a = np.array(x)
    a[0] = 9
    return [x, a, np.asarray(x, dtype=np.int32), np.asarray(x), np.array(x, copy=True)]


def prog_numpy_functions_on_tensors(tf, np):
    """NumPy functions accept eager tensors."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return [np.sum(x), np.dot(x, x), np.square(x), np.concatenate([x, x]), np.mean(x, axis=0), np.shape(x), np.ndim(x), np.max(x)]


def prog_numpy_operators_with_tensors(tf, np):
    """array op tensor gives a tensor, thanks to the array priority."""
    x, a = tf.constant([1.0, 2.0]), np.array([10.0, 20.0], np.float32)
    return [a + x, x + a, a * x, a - x, a / x, a @ x[:, None] if False else x * a, a > x, np.float32(2) * x, 2 * x]


def prog_tolist_and_attributes(tf, np):
    """NumPy-style attributes that tensors do not have."""
    x = tf.constant([[1, 2]])
    names = ["T", "reshape", "astype", "size", "ravel", "transpose", "clip", "max", "mean", "tolist", "data", "nothing"]
    return [attempt(lambda n=n: getattr(x, n), words=4) for n in names]


def prog_pickle_roundtrip(tf, np):
    """Eager tensors survive pickle."""
    values = [tf.constant([1, 2]), tf.constant("a"), tf.constant(1.5, tf.bfloat16), tf.constant([[True]]), tf.zeros([0, 2])]
    return [pickle.loads(pickle.dumps(v)) for v in values]


def prog_copy_and_deepcopy(tf, np):
    """Copies of tensors, alone and inside structures."""
    x = tf.constant([1, 2])
    deep = copy.deepcopy({"a": [x, 1]})
    return [copy.copy(x), copy.deepcopy(x), deep, deep["a"][0] is x]


def prog_pickle_of_symbolic_fails(tf, np):
    """A tensor of a graph cannot be pickled."""
    with tf.Graph().as_default():
        x = tf.constant(1)
    return attempt(lambda: pickle.dumps(x), words=0)


def prog_pickle_vocabulary(tf, np):
    """DType, TensorShape, TensorSpec survive pickle and deepcopy."""
    values = [tf.float32, tf.TensorShape([1, None]), tf.TensorShape(None), tf.TensorSpec([None], tf.int32, "n")]
    return [[pickle.loads(pickle.dumps(v)), copy.deepcopy(v)] for v in values]


def prog_repr_of_symbolic(tf, np):
    """repr and str of symbolic tensors."""
    out = []

    @tf.function(autograph=False)
    def f(x, y):
        z = x + 1
        out.extend([repr(x), str(x), repr(z), str(z), repr(y), str(y), f"{z}"])
        return z

    f.get_concrete_function(tf.TensorSpec([None, 2], tf.int32), tf.TensorSpec(None, tf.string))
    return out


def prog_python_print_while_tracing(tf, np):
    """print shows symbolic tensors once."""

    @tf.function(autograph=False)
    def f(a):
        print("Tracing", a)
        return a

    return printed(lambda: [f(tf.constant(1)), f(tf.constant(2)), f(tf.constant([1.0]))])


def prog_repr_of_other_objects(tf, np):
    """repr of shapes, dtypes, specs and slices."""
    return [
        repr(tf.TensorShape([1, None])),
        str(tf.TensorShape([1, None])),
        repr(tf.TensorShape(None)),
        str(tf.TensorShape(None)),
        repr(tf.float32),
        str(tf.bfloat16),
        repr(tf.TensorSpec([2], tf.int32, "a")),
        repr(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))),
        str(tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([2, 1]))),
    ]


def prog_dlpack_roundtrip(tf, np):
    """Tensors pass through DLPack and keep values."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    capsule = tf.experimental.dlpack.to_dlpack(x)
    return [tf.experimental.dlpack.from_dlpack(capsule), np.from_dlpack(tf.constant([1, 2, 3]))]


def prog_string_numpy_types(tf, np):
    """String tensors are object arrays of bytes."""
    x = tf.constant([["a", "é"]])
    a = x.numpy()
    return [a, a.dtype, type(a[0, 0]), a[0, 1].decode("utf-8"), tf.constant("é").numpy()]


def prog_equality_identity(tf, np):
    """== is elementwise, `is` is identity, `in` on lists is awkward."""
    x, y = tf.constant([1, 2]), tf.constant([1, 3])
    return [x == y, x != y, x == 1, x is x, x == None, x != None, tf.constant(1) in [tf.constant(1)], x == "a" if False else (x == [1, 2])]  # noqa: E711


def prog_ref_and_dict_keys(tf, np):
    """ref() makes tensors usable as keys."""
    x = tf.constant(1)
    table = {x.ref(): "one"}
    return [table[x.ref()], x.ref().deref() is x, x.ref() == x.ref(), x.ref() == tf.constant(1).ref(), attempt(lambda: {x: 1})]


def prog_contains_operator(tf, np):
    """`in` on a tensor iterates and compares."""
    x = tf.constant([1, 2, 3])
    return [attempt(lambda: 2 in x), attempt(lambda: 5 in x), attempt(lambda: 1 in tf.constant(1))]


def prog_unpacking(tf, np):
    """Unpacking rows, star unpacking, zip."""
    x = tf.constant([[1, 2], [3, 4], [5, 6]])
    a, *b = x
    return [a, b, list(zip(x[0], x[1])), attempt(lambda: (lambda p, q: p)(*x)), dict(enumerate(x[0]))]


def prog_sum_max_sorted_builtins(tf, np):
    """Python's builtins over an eager vector."""
    x = tf.constant([3, 1, 2])
    return [sum(x), max(x), min(x), sorted(x), any(x > 2), all(x > 2), list(map(lambda v: v * 2, x)), list(reversed(x)), abs(-x), round(tf.constant(2.5)) if False else divmod(7, 2)]


def prog_strings_of_sorts(tf, np):
    """Multi-line reprs of strings and bools with mixed widths."""
    return [repr(tf.constant([["a", "long string"], ["", "b"]])), repr(tf.constant([[True, False], [False, True]])), str(tf.constant([[-1, 100], [20, 3]])), repr(tf.constant([1e-5, 1.0, 1e5]))]
