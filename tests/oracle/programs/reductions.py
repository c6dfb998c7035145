"""Reductions, arg-reductions, cumulative sums and segment sums."""

from __future__ import annotations

from tests.oracle.support import attempt


def _grid(tf, dtype="float32"):
    return tf.constant([[1, 2, 3], [4, 5, 6]], dtype)


def prog_reduce_axes(tf, np):
    """Axis None, ints, negatives, lists, tensors."""
    x = tf.reshape(tf.range(24.0), [2, 3, 4])
    return [tf.reduce_sum(x, axis=a) for a in (None, 0, 1, -1, [0], [0, 2], [-1, 0], [], (1, 2), tf.constant(1), tf.constant([0, 1]), np.array([2]))]


def prog_reduce_keepdims(tf, np):
    """keepdims keeps ones."""
    x = tf.reshape(tf.range(6.0), [2, 3])
    fs = (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_prod, tf.reduce_logsumexp, tf.math.reduce_std, tf.math.reduce_variance, tf.norm)
    return [[f(x, axis=a, keepdims=True) for a in (None, 0, 1, [0, 1])] for f in fs]


def prog_reduce_sum_dtypes(tf, np):
    """sum and prod keep the dtype, wrapping."""
    names = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128".split()
    return [[tf.reduce_sum(tf.constant([100, 100, 100], d)) if d != "int8" else tf.reduce_sum(tf.constant([100, 100], d)), tf.reduce_prod(tf.constant([2, 3], d))] for d in names]


def prog_reduce_mean_dtypes(tf, np):
    """The mean of ints is an int, rounded towards zero."""
    return [tf.reduce_mean(tf.constant([1, 2, 4], d)) for d in "int8 uint8 int16 int32 int64 float16 float32 float64 complex64".split()] + [tf.reduce_mean([-1, -2]), tf.reduce_mean([1, 2], 0), tf.reduce_mean([[1, 2], [3, 5]], axis=1)]


def prog_reduce_min_max(tf, np):
    """min and max with nan, ints, infinities."""
    return [tf.reduce_max([1.0, np.nan, 2.0]), tf.reduce_min([1.0, np.nan]), tf.reduce_max([[1, 9], [5, 2]], 0), tf.reduce_min(tf.constant([200, 3], tf.uint8)), tf.reduce_max([-np.inf, -1.0]), attempt(lambda: tf.reduce_max(["a"]), words=0), attempt(lambda: tf.reduce_max([True]), words=0)]


def prog_reduce_empty(tf, np):
    """Reducing nothing gives the neutral element."""
    e = tf.zeros([0, 3])
    fs = (tf.reduce_sum, tf.reduce_prod, tf.reduce_max, tf.reduce_min, tf.reduce_mean, tf.reduce_logsumexp)
    return [[f(e), f(e, axis=0), f(e, axis=1)] for f in fs] + [tf.reduce_max(tf.zeros([0], tf.int32)), tf.reduce_min(tf.zeros([0], tf.int8)), tf.reduce_all(tf.zeros([0], tf.bool)), tf.reduce_any(tf.zeros([0], tf.bool))]


def prog_reduce_scalars(tf, np):
    """0-d tensors reduce to themselves."""
    return [f(5.0) for f in (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_prod, tf.reduce_logsumexp)] + [tf.reduce_sum(3, axis=[]), attempt(lambda: tf.reduce_sum(3, axis=0))]


def prog_reduce_errors(tf, np):
    """Axis out of range, repeated, of wrong type; non-numeric input."""
    x = _grid(tf)
    return [attempt(lambda: tf.reduce_sum(x, axis=2)), attempt(lambda: tf.reduce_sum(x, axis=-3)), attempt(lambda: tf.reduce_sum(x, axis=[0, 0])), attempt(lambda: tf.reduce_sum(x, axis=1.5), words=0), attempt(lambda: tf.reduce_sum("a"), words=0), attempt(lambda: tf.reduce_sum([True]), words=0), attempt(lambda: tf.reduce_sum(x, axis="a"), words=0)]


def prog_reduce_errors_in_graph(tf, np):
    """The same from the shape rule."""
    with tf.Graph().as_default():
        x = tf.zeros([2, 3])
        return [attempt(lambda: tf.reduce_sum(x, axis=2), words=6), attempt(lambda: tf.reduce_mean(x, axis=[0, -3]), words=6), attempt(lambda: tf.argmax(x, axis=5), words=6)]


def prog_reduce_logical(tf, np):
    """reduce_all and reduce_any."""
    x = [[True, False], [True, True]]
    return [f(x, axis=a, keepdims=k) for f in (tf.reduce_all, tf.reduce_any) for a in (None, 0, 1) for k in (False, True)] + [attempt(lambda: tf.reduce_all([1]), words=4)]


def prog_logsumexp(tf, np):
    """logsumexp is stable."""
    return [tf.reduce_logsumexp([1000.0, 1000.0]), tf.reduce_logsumexp([-np.inf, -np.inf]), tf.reduce_logsumexp([[0.0, 1.0], [2.0, 3.0]], axis=1), tf.reduce_logsumexp([np.inf, 1.0]), tf.reduce_logsumexp(tf.constant([1.0, 2.0], tf.float64), keepdims=True)]


def prog_variance_std(tf, np):
    """variance and std over axes, complex too; ints refused."""
    x = tf.constant([[1.0, 2.0], [3.0, 7.0]])
    return [tf.math.reduce_variance(x), tf.math.reduce_std(x, axis=0), tf.math.reduce_variance(tf.constant([1 + 1j, 2 - 1j])), tf.math.reduce_std(tf.constant([1.0], tf.float64)), attempt(lambda: tf.math.reduce_std([1, 2])), attempt(lambda: tf.math.reduce_variance([1, 2]))]


def prog_norms(tf, np):
    """tf.norm with its orders."""
    x = tf.constant([[3.0, -4.0], [1.0, 2.0]])
    return [tf.norm(x), tf.norm(x, ord=1), tf.norm(x, ord=np.inf), tf.norm(x, ord=2, axis=1), tf.norm(x, ord=3, axis=0), tf.norm(x, ord="fro", axis=[0, 1]), tf.norm(x, ord=1, axis=[0, 1]), tf.norm(x, ord=np.inf, axis=[-2, -1]), tf.norm(x, ord=2, axis=[0, 1]), attempt(lambda: tf.norm(x, ord="bad")), tf.norm([1 + 1j, 2j]), tf.math.reduce_euclidean_norm(x, 1)]


def prog_argmax_argmin(tf, np):
    """argmax and argmin: ties, axes, output types, dtypes."""
    x = tf.constant([[1, 5, 5], [7, 2, 7]])
    return [tf.argmax(x), tf.argmax(x, 1), tf.argmin(x, axis=-1), tf.argmax(x, output_type=tf.int32), tf.argmax([1.0, np.nan, 2.0]), tf.argmax([True, False]) if False else tf.argmin([3.0, 1.0]), tf.argmax(tf.constant([1, 3], tf.uint8)), tf.argmax(x, axis=tf.constant(1)), tf.argmin(tf.zeros([2, 0, 3]), axis=0), tf.argmax(x, 0, tf.uint16)]


def prog_argmax_errors(tf, np):
    """Scalars, empties along the axis, wrong axes."""
    return [attempt(lambda: tf.argmax(3)), attempt(lambda: tf.argmax([1, 2], axis=1)), attempt(lambda: tf.argmax(tf.zeros([0]))), attempt(lambda: tf.argmax([1], output_type=tf.float32), words=0), attempt(lambda: tf.argmax(["a"]), words=0)]


def prog_count_nonzero(tf, np):
    """count_nonzero over numbers, bools, strings."""
    return [tf.math.count_nonzero([[0, 1], [2, 0]]), tf.math.count_nonzero([[0.0, 1.0]], axis=0), tf.math.count_nonzero([True, False]), tf.math.count_nonzero(["", "a"]), tf.math.count_nonzero([1, 2], dtype=tf.int32), tf.math.count_nonzero([[1, 0]], axis=1, keepdims=True)]


def prog_cumsum(tf, np):
    """cumsum: axis, exclusive, reverse."""
    x = tf.constant([[1, 2, 3], [4, 5, 6]])
    return [tf.cumsum(x, axis=a, exclusive=e, reverse=r) for a in (0, 1, -1) for e in (False, True) for r in (False, True)] + [tf.cumsum([1.5, 2.5]), tf.cumsum(tf.zeros([0])), tf.cumsum(tf.constant([100, 100], tf.uint8)), attempt(lambda: tf.cumsum(x, axis=2)), attempt(lambda: tf.cumsum(5))]


def prog_cumprod(tf, np):
    """cumprod: axis, exclusive, reverse, dtypes."""
    x = tf.constant([1, 2, 3, 4])
    return [tf.math.cumprod(x, exclusive=e, reverse=r) for e in (False, True) for r in (False, True)] + [tf.math.cumprod(tf.constant([2, 3], d)) for d in "int8 int64 float16 float64 complex64".split()]


def prog_cumulative_logsumexp(tf, np):
    """cumulative_logsumexp."""
    x = tf.constant([0.0, 1.0, 2.0])
    return [tf.math.cumulative_logsumexp(x, exclusive=e, reverse=r) for e in (False, True) for r in (False, True)] + [tf.math.cumulative_logsumexp([[0.0, 100.0], [1.0, 2.0]], axis=1)]


def prog_segment_functions(tf, np):
    """The sorted segment reductions, with a gap."""
    x, ids = tf.constant([[1, 2], [3, 4], [5, 6], [7, 8]]), tf.constant([0, 0, 2, 3])
    m = tf.math
    return [f(x, ids) for f in (m.segment_sum, m.segment_prod, m.segment_max, m.segment_min, m.segment_mean)] + [m.segment_sum([1.5, 2.5], [0, 0]), m.segment_mean([1, 2], [0, 0]), m.segment_sum(tf.zeros([0]), tf.zeros([0], tf.int32))]


def prog_segment_errors(tf, np):
    """Unsorted, negative, wrong length."""
    return [attempt(lambda: tf.math.segment_sum([1, 2], [1, 0])), attempt(lambda: tf.math.segment_sum([1, 2], [0])), attempt(lambda: tf.math.segment_sum([1, 2], [-1, 0])), attempt(lambda: tf.math.segment_sum([1, 2], [[0, 1]])), attempt(lambda: tf.math.segment_sum(5, 0))]


def prog_unsorted_segments(tf, np):
    """Unsorted segment reductions; negative ids are dropped."""
    x, ids = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.constant([2, 0, 2])
    m = tf.math
    fs = (m.unsorted_segment_sum, m.unsorted_segment_prod, m.unsorted_segment_max, m.unsorted_segment_min, m.unsorted_segment_mean, m.unsorted_segment_sqrt_n)
    return [f(x, ids, 4) for f in fs] + [m.unsorted_segment_sum([1, 2, 3], [0, -1, 0], 2), m.unsorted_segment_sum([[1, 2], [3, 4]], [[0, 1], [1, 1]], 2), attempt(lambda: m.unsorted_segment_sum([1, 2], [0, 5], 2)), attempt(lambda: m.unsorted_segment_sum([1], [0], -1)), m.unsorted_segment_max([1, 2], [0, 0], 2)]


def prog_segment_gradients(tf, np):
    """Gradients of segment reductions."""
    x, ids = tf.constant([1.0, 5.0, 3.0, 5.0]), tf.constant([0, 0, 1, 1])
    out = []
    for f in (tf.math.segment_sum, tf.math.segment_mean, tf.math.segment_max, tf.math.segment_min):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, ids) * [1.0, 10.0]
        out.append(tape.gradient(y, x))
    for f in (tf.math.unsorted_segment_sum, tf.math.unsorted_segment_max, tf.math.unsorted_segment_prod, tf.math.unsorted_segment_mean):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, ids, 2) * [1.0, 10.0]
        out.append(tape.gradient(y, x))
    return out


def prog_reduction_gradients(tf, np):
    """Gradients of each reduction, with ties for max."""
    x = tf.constant([[1.0, 3.0, 3.0], [2.0, 4.0, 1.0]])
    fs = (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_prod, tf.reduce_logsumexp, tf.math.reduce_std, tf.math.reduce_variance, tf.norm, tf.math.reduce_euclidean_norm)
    out = []
    for f in fs:
        row = []
        for axis in (None, 1):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x, axis=axis)
            row.append(tape.gradient(y, x))
        out.append(row)
    return out


def prog_gradient_of_prod_with_zeros(tf, np):
    """prod's gradient is right when some elements are zero."""
    out = []
    for row in ([2.0, 0.0, 4.0], [0.0, 0.0, 3.0], [1.0, 2.0, 3.0]):
        x = tf.constant(row)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_prod(x)
        out.append(tape.gradient(y, x))
    return out


def prog_cumulative_gradients(tf, np):
    """Gradients of cumsum and cumprod in all four modes."""
    x = tf.constant([1.0, 2.0, 3.0])
    out = []
    for f in (tf.cumsum, tf.math.cumprod, tf.math.cumulative_logsumexp):
        for e in (False, True):
            for r in (False, True):
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = f(x, exclusive=e, reverse=r) * [1.0, 2.0, 3.0]
                out.append(tape.gradient(y, x))
    return out


def prog_reduction_names_in_graph(tf, np):
    """Node names: Sum, Mean, and the Consts for their axes."""
    with tf.Graph().as_default() as g:
        x = tf.zeros([2, 3], name="x")
        tf.reduce_sum(x)
        tf.reduce_mean(x, axis=1)
        tf.reduce_max(x, [0, 1], keepdims=True)
        tf.reduce_all(x > 0, name="every")
        tf.argmax(x, 1)
        tf.cumsum(x)
        tf.math.reduce_std(x)
        tf.reduce_logsumexp(x)
        return [f"{o.name} {o.type}" for o in g.get_operations()]


def prog_reduction_static_shapes(tf, np):
    """Static shapes of reductions with unknown dims and axes."""
    out = []

    @tf.function(autograph=False)
    def f(x, y, axis):
        forms = [tf.reduce_sum(x), tf.reduce_sum(x, 1), tf.reduce_sum(x, [0, -1], keepdims=True), tf.reduce_sum(x, axis), tf.reduce_sum(x, axis, keepdims=True), tf.reduce_sum(y), tf.reduce_sum(y, 0), tf.reduce_sum(y, keepdims=True), tf.argmax(x, 1), tf.argmax(y), tf.cumsum(x), tf.math.segment_sum(x, [0, 1])]
        out.extend(v.shape for v in forms)
        return x

    f.get_concrete_function(tf.TensorSpec([None, 3, 4]), tf.TensorSpec(None), tf.TensorSpec([], tf.int32))
    return out


def prog_bfloat16_and_half_sums(tf, np):
    """Low precision sums accumulate as TensorFlow does."""
    return [tf.reduce_sum(tf.ones([1000], d)) for d in (tf.float16, tf.bfloat16)] + [tf.reduce_mean(tf.fill([300], tf.constant(0.1, d))) for d in (tf.float16, tf.bfloat16)]
