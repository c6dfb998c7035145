"""tensor[...]: every form of subscript, on eager and symbolic tensors, and its errors."""

from __future__ import annotations

from tests.oracle.support import attempt


def _cube(tf):
    return tf.reshape(tf.range(24), [2, 3, 4])


def prog_single_integers(tf, np):
    """Integers, negative ones too, drop dimensions."""
    x = _cube(tf)
    return [x[0], x[-1], x[1][2], x[1, 2, 3], x[0, -1], x[-1, -2, -3]]


def prog_simple_slices(tf, np):
    """start:stop with missing and negative ends."""
    x = tf.range(10)
    return [x[:], x[2:], x[:3], x[2:5], x[-3:], x[:-3], x[-5:-2], x[5:2], x[20:], x[-20:3]]


def prog_strided_slices(tf, np):
    """Positive and negative steps."""
    x = tf.range(10)
    return [x[::2], x[1::3], x[::-1], x[8:2:-2], x[2:8:-1], x[-1:-5:-1], x[::20], x[::-20], x[:3:-1]]


def prog_multi_dimensional(tf, np):
    """Slices and integers mixed."""
    x = _cube(tf)
    return [x[:, 1], x[0, :, 1:3], x[:, ::2, ::-1], x[1, 1:], x[:1, :1, :1], x[:, -1, -1], x[0:2, 1, 0:4:2]]


def prog_ellipsis(tf, np):
    """An ellipsis fills the missing dimensions."""
    x = _cube(tf)
    return [x[...], x[..., 0], x[0, ...], x[0, ..., 1], x[..., 1:3], x[0, 1, 2, ...], x[1:, ..., ::2], tf.constant(5)[...]]


def prog_newaxis(tf, np):
    """tf.newaxis and None insert ones."""
    x = tf.constant([[1, 2], [3, 4]])
    return [x[tf.newaxis], x[:, None], x[..., None], x[None, ..., None], x[0, None], x[:, tf.newaxis, 1], x[None, None, 0, 0], tf.constant(1)[None]]


def prog_ellipsis_with_newaxis(tf, np):
    """newaxis on both sides of the ellipsis."""
    x = _cube(tf)
    return [x[None, ..., 0, None].shape, x[..., None, 0].shape, x[0, None, ...].shape, x[:, None, ..., None, 1:2].shape, x[None, 0, ..., None, 1]]


def prog_tensor_index(tf, np):
    """A scalar tensor as an index."""
    x = _cube(tf)
    i = tf.constant(1)
    return [x[i], x[i, tf.constant(2)], x[tf.constant(-1)], x[0, i, :], x[tf.constant(1, tf.int64)], x[np.int32(1)], x[np.int64(0), 1], x[tf.constant(1, tf.int16)]]


def prog_tensor_bounds(tf, np):
    """Tensors as slice bounds and steps."""
    x = tf.range(10)
    a, b, s = tf.constant(2), tf.constant(8), tf.constant(3)
    return [x[a:], x[:b], x[a:b], x[a:b:s], x[::s], x[b:a:-1], x[tf.constant(2, tf.int64) : 5], x[a : np.int64(7)]]


def prog_variable_bounds(tf, np):
    """Variables as bounds."""
    x = tf.range(6)
    v = tf.Variable(2)
    return [x[v], x[v:], x[:v], x[v : v + 2]]


def prog_numpy_integer_kinds(tf, np):
    """NumPy integers of all kinds as subscripts."""
    x = tf.range(5)
    return [attempt(lambda k=k: x[k(2)]) for k in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.uint32)] + [x[np.array(1)]]


def prog_wrong_index_types(tf, np):
    """Floats, strings, bools and lists are not indices."""
    x = tf.range(5)
    return [attempt(lambda i=i: x[i], words=4) for i in (1.0, "a", True, [0, 1], np.array([0, 1]), tf.constant([0, 1]), tf.constant(1.0), {}, (0, "a"))]


def prog_wrong_bound_types(tf, np):
    """Float and string bounds."""
    x = tf.range(5)
    return [attempt(lambda: x[1.0:], words=4), attempt(lambda: x["a":], words=4), attempt(lambda: x[: tf.constant(2.0)], words=4), attempt(lambda: x[::1.5], words=4), attempt(lambda: x[True:], words=4)]


def prog_out_of_range(tf, np):
    """Integers outside the dimension raise; slices do not."""
    x = tf.range(3)
    return [attempt(lambda: x[3]), attempt(lambda: x[-4]), x[5:], x[-9:2], attempt(lambda: x[tf.constant(7)]), attempt(lambda: tf.zeros([0])[0])]


def prog_too_many_indices(tf, np):
    """More subscripts than dimensions."""
    return [attempt(lambda: tf.range(3)[0, 0], words=5), attempt(lambda: tf.constant(1)[0], words=5), attempt(lambda: tf.zeros([2, 2])[0, :, 1], words=5), attempt(lambda: tf.zeros([2])[..., ...], words=4)]


def prog_zero_step(tf, np):
    """A step of zero is refused."""
    return [attempt(lambda: tf.range(3)[::0]), attempt(lambda: tf.range(3)[:: tf.constant(0)])]


def prog_boolean_tensor_mask(tf, np):
    """A bool tensor of the same shape selects elements."""
    x = tf.constant([[1, 2], [3, 4]])
    return [attempt(lambda: x[x > 2]), tf.boolean_mask(x, x > 2), attempt(lambda: x[tf.constant([True, False])])]


def prog_empty_results(tf, np):
    """Slices that select nothing keep the other dimensions."""
    x = _cube(tf)
    return [x[2:], x[:, 3:], x[..., 4:, None], x[1:1], tf.zeros([0, 3])[:, 1], tf.zeros([3, 0])[1]]


def prog_slices_of_strings_and_bools(tf, np):
    """All dtypes can be sliced."""
    return [tf.constant(["a", "b", "c"])[1:], tf.constant(["a", "b"])[-1], tf.constant([True, False])[::-1], tf.constant([1j, 2j])[0], tf.constant([1, 2], tf.bfloat16)[1:]]


def prog_index_names_in_graph(tf, np):
    """The nodes a subscript adds."""
    with tf.Graph().as_default() as g:
        x = tf.zeros([2, 3, 4], name="x")
        x[0]
        x[:, 1:2]
        x[..., None]
        return [f"{o.name} {o.type}" for o in g.get_operations()]


def prog_strided_slice_attributes(tf, np):
    """The masks of the StridedSlice node."""
    keys = ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"]
    with tf.Graph().as_default():
        x = tf.zeros([2, 3, 4])
        forms = [x[0], x[:, 1:], x[..., None], x[None, ..., 0], x[1:, :, 2], x[::-1], x[0, ..., None, 1:2]]
        return [[f.op.get_attr(k) for k in keys] + [tf.get_static_value(i) for i in list(f.op.inputs)[1:]] for f in forms]


def prog_static_shapes_of_slices(tf, np):
    """Static shapes with unknown dimensions."""
    out = []

    @tf.function(autograph=False)
    def f(x, n):
        forms = [x[0], x[:, 1], x[1:], x[:, 1:2], x[..., None], x[::2], x[:n], x[:, :, :n], x[:, :, 1:3], x[None, n], x[-1, ..., ::-1], x[:, n:, 0]]
        out.extend(form.shape for form in forms)
        return x

    f.get_concrete_function(tf.TensorSpec([None, 3, 4]), tf.TensorSpec([], tf.int32))
    return out


def prog_slices_of_unknown_rank(tf, np):
    """Static shapes when the rank is unknown."""
    out = []

    @tf.function(autograph=False)
    def f(x):
        out.extend(form.shape for form in [x[0], x[:, 1], x[..., None], x[None], x[1:2], x[..., 0]])
        return x[0, ...]

    return [f(tf.constant([[1, 2], [3, 4]])) if False else f.get_concrete_function(tf.TensorSpec(None, tf.int32))(tf.constant([[1, 2], [3, 4]])), out]


def prog_index_inside_function(tf, np):
    """Values of dynamic subscripts in a graph."""

    @tf.function(autograph=False)
    def f(x, i, n):
        return x[i], x[:n], x[i:n], x[:, ::-1], x[i, n - 1], x[..., i]

    return f(tf.reshape(tf.range(12), [3, 4]), tf.constant(1), tf.constant(2))


def prog_out_of_range_in_graph(tf, np):
    """With a known shape the error comes while tracing."""
    with tf.Graph().as_default():
        x = tf.zeros([3])
        return [attempt(lambda: x[3], words=6), attempt(lambda: x[0, 0], words=6), attempt(lambda: x[::0], words=4)]


def prog_iteration(tf, np):
    """Eager tensors iterate over rows; scalars and symbolic tensors do not."""
    out = []

    @tf.function(autograph=False)
    def f(x):
        out.append(attempt(lambda: list(x), words=6))
        out.append(attempt(lambda: len(x), words=3))
        return x

    f(tf.constant([1, 2]))
    return [list(tf.constant([[1, 2], [3, 4]])), list(tf.zeros([0, 2])), attempt(lambda: list(tf.constant(1)), words=4), out]


def prog_gradient_of_slices(tf, np):
    """The gradient of a subscript scatters into zeros."""
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    forms = [lambda v: v[0], lambda v: v[:, 1:], lambda v: v[::-1, ::2], lambda v: v[..., None, 0], lambda v: v[1, -1]]
    out = []
    for form in forms:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(form(x) * 2.0)
        out.append(tape.gradient(y, x))
    return out


def prog_variable_indexing(tf, np):
    """Subscripts of variables, and sliced assignment."""
    v = tf.Variable([[1, 2, 3], [4, 5, 6]])
    first = [v[0], v[:, 1], v[..., None].shape]
    v[0, 1].assign(20)
    v[1, :].assign([7, 8, 9])
    v[:, ::2].assign([[0, 0], [1, 1]])
    return [first, v, attempt(lambda: v[0, 0].assign([1, 2]), words=3)]


def prog_variable_sliced_assign_result(tf, np):
    """The value and errors of sliced assignment."""
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])
    r = v[1:3].assign([9.0, 8.0])
    return [r is v, type(r).__name__ if r is None else tf.convert_to_tensor(r), v, attempt(lambda: v[:2].assign([1.0, 2.0, 3.0]), words=3), attempt(lambda: v[7].assign(0.0), words=3)]


def prog_strided_slice_function(tf, np):
    """tf.strided_slice with explicit masks."""
    x = _cube(tf)
    return [
        tf.strided_slice(x, [0, 1, 0], [2, 3, 4], [1, 1, 2]),
        tf.strided_slice(x, [1], [2]),
        tf.strided_slice(x, [0, 0], [1, 2], begin_mask=1, end_mask=2),
        tf.strided_slice(x, [1, 0], [2, 1], shrink_axis_mask=1),
        tf.strided_slice(x, [0, 0], [0, 1], ellipsis_mask=1),
        attempt(lambda: tf.strided_slice(x, [0], [1, 2], [1]), words=3),
    ]


def prog_slice_function(tf, np):
    """tf.slice with begin and size, -1 meaning the rest."""
    x = _cube(tf)
    return [
        tf.slice(x, [0, 1, 2], [1, 2, -1]),
        tf.slice(x, [1, 0, 0], [1, 1, 4]),
        tf.slice(tf.range(5), [2], [0]),
        tf.slice(x, tf.constant([0, 0, 0], tf.int64), tf.constant([1, 1, 1], tf.int64)),
        attempt(lambda: tf.slice(x, [0, 0, 2], [1, 1, 3])),
        attempt(lambda: tf.slice(x, [0, 0], [1, 1])),
        attempt(lambda: tf.slice(tf.range(3), [-1], [1])),
    ]


def prog_numpy_agreement(tf, np):
    """A hundred forms computed from a small grid."""
    x = tf.range(7)
    ends = [None, -8, -3, 0, 2, 7, 9]
    return [x[a:b:c] for a in ends for b in ends for c in (None, 2, -1, -3)]
