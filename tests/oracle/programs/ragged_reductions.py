"""Reductions, sorting, counting and segments of ragged tensors, along every axis and with empty rows."""

from __future__ import annotations

from tests.oracle.programs._composite_helpers import deep, floats, numbers, staged, wide, words

_NUMERIC = ("sum", "prod", "max", "min", "mean", "variance", "std")


def _full(tf):
    return tf.ragged.constant([[[1.0], [2.0, 3.0]], [[4.0]], [[5.0, 6.0, 7.0], [8.0], [9.0]]])


def _over(name, axis, make, **options):
    return lambda tf: (lambda x: getattr(tf.math, f"reduce_{name}")(x, axis=axis, **options), make(tf))


def _label(axis):
    return "all" if axis is None else "".join(f"_{a}" for a in axis).strip("_") if isinstance(axis, list) else str(axis)


for _name in _NUMERIC:
    globals().update(staged(**{f"{_name}_of_axis_{_label(a)}".replace("-", "minus_"): _over(_name, a, _full) for a in (None, 0, 1, 2, -1, [0, 1], [1, 2], [0, 2], [0, 1, 2], [])}))
    globals().update(
        staged(
            **{
                f"{_name}_of_rows": _over(_name, 1, floats),
                f"{_name}_of_columns": _over(_name, 0, floats),
                f"{_name}_keepdims": _over(_name, 1, _full, keepdims=True),
                f"{_name}_keepdims_of_two": _over(_name, [0, 2], _full, keepdims=True),
                f"{_name}_of_integers": _over(_name, 1, numbers),
                f"{_name}_of_uniform": _over(_name, 2, wide),
            }
        )
    )
for _name in ("any", "all"):
    globals().update(staged(**{f"{_name}_of_axis_{_label(a)}": _over(_name, a, lambda tf: tf.ragged.constant([[True, False], [], [True]])) for a in (None, 0, 1)}))

globals().update(
    staged(
        logsumexp=lambda tf: (lambda x: tf.reduce_logsumexp(x, 1), floats(tf)),
        count_nonzero=lambda tf: (lambda x: tf.math.count_nonzero(x), numbers(tf)),
        zero_fraction=lambda tf: (lambda x: tf.math.zero_fraction(x), floats(tf)),
        axis_as_tensor=lambda tf: (lambda x: tf.reduce_sum(x, tf.constant(1)), numbers(tf)),
        axis_as_tensor_argument=lambda tf: (lambda x, a: tf.reduce_sum(x, a), numbers(tf), tf.constant(1)),
        axis_out_of_range=lambda tf: (lambda x: tf.reduce_sum(x, 2), numbers(tf)),
        axis_below_range=lambda tf: (lambda x: tf.reduce_sum(x, -3), numbers(tf)),
        axis_twice=lambda tf: (lambda x: tf.reduce_sum(x, [1, 1]), numbers(tf)),
        axis_of_text=lambda tf: (lambda x: tf.reduce_sum(x, "a"), numbers(tf)),
        sum_of_text=lambda tf: (lambda x: tf.reduce_sum(x, 1), words(tf)),
        any_of_numbers=lambda tf: (lambda x: tf.reduce_any(x, 1), numbers(tf)),
        sum_of_no_rows=lambda tf: (lambda x: [tf.reduce_sum(x, 0), tf.reduce_sum(x, 1), tf.reduce_sum(x)], tf.ragged.constant([], tf.float32, ragged_rank=1)),
        mean_of_no_rows=lambda tf: (lambda x: [tf.reduce_mean(x, 0), tf.reduce_mean(x, 1), tf.reduce_mean(x)], tf.ragged.constant([], tf.float32, ragged_rank=1)),
        max_of_no_rows=lambda tf: (lambda x: [tf.reduce_max(x, 0), tf.reduce_max(x, 1), tf.reduce_max(x)], tf.ragged.constant([], tf.float32, ragged_rank=1)),
        sum_of_deep_integers=lambda tf: (lambda x: [tf.reduce_sum(x, a) for a in (0, 1, 2)], deep(tf)),
        sum_of_complex=lambda tf: (lambda x: tf.reduce_sum(x, 1), tf.ragged.constant([[1 + 2j, 3.0], []])),
        argmax=lambda tf: (lambda x: [tf.argmax(x, 1), tf.argmin(x, 1), tf.argmax(x, 0)], numbers(tf)),
        reduce_join=lambda tf: (lambda x: [tf.strings.reduce_join(x), tf.strings.reduce_join(x, axis=1), tf.strings.reduce_join(x, axis=-1, separator="|"), tf.strings.reduce_join(x, 0)], tf.ragged.constant([["a", "b"], [], ["c"]])),
        reduce_join_keepdims=lambda tf: (lambda x: tf.strings.reduce_join(x, axis=1, keepdims=True), tf.ragged.constant([["a", "b"], [], ["c"]])),
        sort=lambda tf: (lambda x: tf.sort(x), numbers(tf)),
        argsort=lambda tf: (lambda x: tf.argsort(x), numbers(tf)),
        top_k=lambda tf: (lambda x: tf.math.top_k(x, 1), numbers(tf)),
        cumsum=lambda tf: (lambda x: tf.cumsum(x, 1), numbers(tf)),
        unique=lambda tf: (lambda x: tf.unique(x), numbers(tf)),
        segment_sum=lambda tf: (lambda x: [getattr(tf.math, f"segment_{n}")(x, [0, 0, 1]) for n in ("sum", "max")], tf.ragged.constant([[1, 2], [], [3]])),
        unsorted_segment_sum=lambda tf: (lambda x: tf.math.unsorted_segment_sum(x, tf.ragged.constant([[0, 1], [], [0]]), 3), numbers(tf)),
        unsorted_segment_all=lambda tf: (lambda x: [getattr(tf.math, f"unsorted_segment_{n}")(x, tf.ragged.constant([[0, 1], [], [0]]), 2) for n in ("sum", "prod", "max", "min", "mean", "sqrt_n")], floats(tf)),
        unsorted_segment_of_rows=lambda tf: (lambda x: [getattr(tf.math, f"unsorted_segment_{n}")(x, [2, 0, 2], 3) for n in ("sum", "prod", "max", "min", "mean", "sqrt_n")], floats(tf)),
        unsorted_segment_of_rows_out_of_range=lambda tf: (lambda x: tf.math.unsorted_segment_sum(x, [5, 0, 2], 3), floats(tf)),
        unsorted_segment_of_other_splits=lambda tf: (lambda x: tf.math.unsorted_segment_sum(x, tf.ragged.constant([[0], [], [0, 1]]), 3), numbers(tf)),
        unsorted_segment_of_float_ids=lambda tf: (lambda x: tf.math.unsorted_segment_sum(x, tf.ragged.constant([[0.0, 1.0], [], [0.0]]), 3), numbers(tf)),
        bincount=lambda tf: (lambda x: [tf.math.bincount(x), tf.math.bincount(x, axis=-1), tf.math.bincount(x, minlength=6), tf.math.bincount(x, maxlength=2)], numbers(tf)),
        bincount_weights=lambda tf: (lambda x: [tf.math.bincount(x, weights=tf.cast(x, tf.float32)), tf.math.bincount(x, binary_output=True, axis=-1)], numbers(tf)),
        sparse_bincount=lambda tf: (lambda x: [tf.sparse.bincount(x), tf.sparse.bincount(x, axis=-1), tf.sparse.bincount(x, weights=tf.cast(x, tf.float32), axis=-1)], numbers(tf)),
        gradient_of_sums=lambda tf: (lambda v: _gradient(tf, v, tf.reduce_sum), tf.constant([1.0, 2.0, 3.0, 4.0])),
        gradient_of_means=lambda tf: (lambda v: _gradient(tf, v, tf.reduce_mean), tf.constant([1.0, 2.0, 3.0, 4.0])),
        gradient_of_max=lambda tf: (lambda v: _gradient(tf, v, tf.reduce_max), tf.constant([1.0, 4.0, 3.0, 4.0])),
        gradient_of_prod=lambda tf: (lambda v: _gradient(tf, v, tf.reduce_prod), tf.constant([1.0, 4.0, 3.0, 4.0])),
    )
)
globals().update(
    staged(
        "graph",
        "xla",
        sum_compiled=lambda tf: (lambda x: [tf.reduce_sum(x), tf.reduce_sum(x, 1)], floats(tf)),
        mean_compiled=lambda tf: (lambda x: tf.reduce_mean(x, 1), floats(tf)),
        max_compiled=lambda tf: (lambda x: [tf.reduce_max(x), tf.reduce_max(x, 1)], floats(tf)),
        deep_sum_compiled=lambda tf: (lambda x: [tf.reduce_sum(x, 2), tf.reduce_sum(x, -1)], _full(tf)),
        gradient_of_sums_compiled=lambda tf: (lambda v: _gradient(tf, v, tf.reduce_sum), tf.constant([1.0, 2.0, 3.0, 4.0])),
    )
)


def _gradient(tf, values, reduce):
    with tf.GradientTape() as tape:
        tape.watch(values)
        x = tf.RaggedTensor.from_row_lengths(values, [2, 1, 1])
        total = tf.reduce_sum(reduce(x, 1) * [1.0, 2.0, 3.0]) + reduce(x)
    return tape.gradient(total, values)
