"""Where NaN comes in sorts, in the largest elements, and in other ops that compare."""

from __future__ import annotations

NAN, INF = float("nan"), float("inf")
DTYPES = ("float16", "bfloat16", "float32", "float64")


def _each(tf, call, values):
    return [tf.cast(call(tf.constant(values, dtype)), "float64") for dtype in DTYPES]


def prog_ascending_sorts_end_with_nan(tf, np):
    """In rows whose order TensorFlow's comparisons find."""
    rows = ([3.0, NAN, 1.0], [1.0, 3.0, NAN], [1.0, 2.0, NAN, NAN])
    return [_each(tf, call, row) for row in rows for call in (tf.sort, tf.argsort)]


def prog_ascending_sorts_end_with_nan_compiled(tf, np):
    """XLA's order is a function of the numbers alone."""
    rows = ([3.0, NAN, 1.0], [NAN, 3.0, 1.0], [NAN, NAN, 1.0, 2.0], [INF, NAN, -INF, 4.0])
    compiled = [tf.function(call, jit_compile=True) for call in (tf.sort, tf.argsort)]
    return [_each(tf, call, row) for row in rows for call in compiled]


def prog_descending_sorts_end_with_nan(tf, np):
    """Where NaN stands at the end already."""
    return [_each(tf, lambda x: tf.sort(x, direction="DESCENDING"), row) for row in ([1.0, 3.0, NAN], [5.0, NAN])]


def prog_few_of_many_pass_over_nan(tf, np):
    """The largest of long rows."""
    values = np.random.RandomState(0).permutation(400).astype(np.float64)
    values[[50, 300]] = NAN
    return [_each(tf, lambda x, k=k: tf.math.top_k(x, k).values, values) for k in (1, 2)]


def prog_extremes_with_nan(tf, np):
    """Reductions keep NaN, argmax passes over it."""
    rows = ([3.0, NAN, 1.0], [NAN, 3.0, 1.0], [NAN, NAN], [INF, NAN, -INF])
    calls = (tf.reduce_max, tf.reduce_min, tf.argmax, tf.argmin, lambda x: tf.maximum(x, 2), lambda x: tf.minimum(x, 2))
    return [_each(tf, call, row) for row in rows for call in calls]


def prog_clipping_nan(tf, np):
    """Values and limits."""
    rows = ([3.0, NAN, 1.0], [INF, NAN, -INF])
    return [_each(tf, lambda x: tf.clip_by_value(x, 0, 2), row) for row in rows]


def prog_searching_for_nan(tf, np):
    """NaN is before everything on the left and behind everything on the right; buckets."""
    x = [3.0, NAN, 1.0, -INF]
    edges = [1.0, 2.0, 3.0]
    return [
        tf.searchsorted(edges, x),
        tf.searchsorted(edges, x, side="right"),
        tf.raw_ops.Bucketize(input=x, boundaries=edges),
        tf.histogram_fixed_width(x, [0.0, 5.0], nbins=4),
        tf.histogram_fixed_width_bins([3.0, 1.0], [0.0, 5.0], nbins=4),
    ]


def prog_distinct_elements_with_nan(tf, np):
    """Each NaN is distinct."""
    x = tf.constant([NAN, 1.0, NAN, 1.0])
    return [tf.unique(x), tf.unique_with_counts(x), tf.raw_ops.ListDiff(x=x, y=x)]


def prog_in_top_k_with_nan(tf, np):
    """A row with NaN has no top."""
    x = [[3.0, NAN, 1.0], [1.0, 3.0, 2.0]]
    return [tf.nn.in_top_k([t, t], x, k) for t in range(3) for k in (1, 2)]


def prog_suppression_of_nan_scores(tf, np):
    """A score of NaN is not above the threshold."""
    boxes = tf.constant([[0, 0, 1, 1], [0, 0, 1, 1.1], [2, 2, 3, 3.0]])
    return [tf.image.non_max_suppression(boxes, scores, 3) for scores in ([3.0, NAN, 1.0], [NAN, 3.0, 1.0])]


def prog_greedy_labels_with_nan(tf, np):
    """The decoder of CTC passes over NaN."""
    rows = ([3.0, NAN, 1.0], [NAN, 3.0, 1.0], [1.0, 3.0, NAN], [-1.0, NAN, -2.0])
    return [tf.raw_ops.CTCGreedyDecoder(inputs=[[row]], sequence_length=[1], blank_index=1)[1] for row in rows]


def prog_gradient_of_a_sort_with_nan(tf, np):
    """The gradient follows the elements."""
    x = tf.constant([3.0, NAN, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sort(x) * [0.0, 1.0, 2.0]
    return tape.gradient(y, x)
