"""Batches: batch, padded_batch, unbatch, rebatch, window, group_by_window, bucket_by_sequence_length."""

from __future__ import annotations

from tests.oracle.programs._data_helpers import about, cases, elements, errors, numbers, order, rows

_BUCKETS = {"bucket_boundaries": [2, 4], "bucket_batch_sizes": [2, 2, 2]}


def _bucketed(tf, count, **arguments):
    dataset = rows(tf, count)
    return order(dataset.bucket_by_sequence_length(lambda x: tf.shape(x)[0], **{**_BUCKETS, **arguments}))


def _windows(dataset):
    return [order(window) for window in dataset]


def _grouped(tf, count, size, **arguments):
    return order(numbers(tf, count).group_by_window(lambda x: x % 3, lambda key, group: group.batch(10), size, **arguments))


globals().update(
    cases(
        batch=lambda tf: [about(numbers(tf).batch(2)), elements(numbers(tf).batch(2))],
        batch_drop_remainder=lambda tf: [about(numbers(tf).batch(2, drop_remainder=True)), elements(numbers(tf).batch(2, True))],
        batch_larger_than_the_input=lambda tf: [elements(numbers(tf).batch(9)), elements(numbers(tf).batch(9, drop_remainder=True)), int(numbers(tf).batch(9, True).cardinality())],
        batch_of_one=lambda tf: order(numbers(tf, 2).batch(1)),
        batch_of_nothing=lambda tf: [about(numbers(tf, 0).batch(2)), elements(numbers(tf, 0).batch(2))],
        batch_exact=lambda tf: [int(numbers(tf, 4).batch(2).cardinality()), order(numbers(tf, 4).batch(2))],
        batch_tuple=lambda tf: elements(tf.data.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"])).batch(2)),
        batch_dict=lambda tf: elements(tf.data.Dataset.from_tensor_slices({"z": [1, 2, 3], "a": [[1.0], [2.0], [3.0]]}).batch(2)),
        batch_strings=lambda tf: elements(tf.data.Dataset.from_tensor_slices(["a", "", "long"]).batch(2)),
        batch_matrices=lambda tf, np: elements(tf.data.Dataset.from_tensor_slices(np.arange(12).reshape(3, 2, 2)).batch(2)),
        batch_of_batches=lambda tf: [about(numbers(tf, 8).batch(2).batch(2)), order(numbers(tf, 8).batch(2).batch(2))],
        batch_small_dtypes=lambda tf: [elements(numbers(tf, 3).map(lambda x: tf.cast(x, d)).batch(2)) for d in (tf.bool, tf.uint8, tf.bfloat16, tf.complex64)],
        batch_of_none=lambda tf: elements(tf.data.Dataset.from_tensor_slices(([1, 2, 3], None)).batch(2)),
        batch_parallel=lambda tf: [about(numbers(tf).batch(2, num_parallel_calls=2)), order(numbers(tf).batch(2, num_parallel_calls=2))],
        batch_parallel_autotune=lambda tf: [about(numbers(tf).batch(2, num_parallel_calls=tf.data.AUTOTUNE)), order(numbers(tf).batch(2, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True))],
        batch_size_tensor=lambda tf: [about(numbers(tf).batch(tf.constant(2, tf.int64))), about(numbers(tf).batch(tf.constant(2, tf.int64), drop_remainder=True))],
        batch_named=lambda tf: about(numbers(tf).batch(2, name="pairs")),
        batch_spec_of_partly_known=lambda tf: rows(tf).batch(2).element_spec,
        batch_infinite=lambda tf: [int(numbers(tf).repeat().batch(2).cardinality()), order(numbers(tf, 3).repeat().batch(2), 3)],
        batch_then_repeat=lambda tf: order(numbers(tf, 3).batch(2).repeat(2)),
        repeat_then_batch=lambda tf: order(numbers(tf, 3).repeat(2).batch(4)),
        padded_batch=lambda tf: [about(rows(tf).padded_batch(2)), elements(rows(tf).padded_batch(2))],
        padded_batch_fixed=lambda tf: [about(rows(tf).padded_batch(2, [5])), elements(rows(tf).padded_batch(2, [5]))],
        padded_batch_drop=lambda tf: [about(rows(tf).padded_batch(2, drop_remainder=True)), order(rows(tf).padded_batch(2, drop_remainder=True))],
        padded_batch_value=lambda tf, np: order(rows(tf).padded_batch(5, padding_values=np.int64(-1))),
        padded_batch_tensor_value=lambda tf: order(rows(tf, 3).padded_batch(3, padding_values=tf.constant(7, tf.int64))),
        padded_batch_minus_one_and_none=lambda tf: [order(rows(tf, 3).padded_batch(3, shape)) for shape in ([-1], [None], tf.TensorShape([None]), tf.constant([-1], tf.int64))],
        padded_batch_scalars=lambda tf: [about(numbers(tf).padded_batch(2)), order(numbers(tf).padded_batch(2))],
        padded_batch_tuple=lambda tf: order(tf.data.Dataset.zip(rows(tf, 4), numbers(tf, 4)).padded_batch(2, ([4], []))),
        padded_batch_tuple_values=lambda tf, np: order(tf.data.Dataset.zip(rows(tf, 3), rows(tf, 3)).padded_batch(3, ([3], [None]), (np.int64(8), None))),
        padded_batch_dict=lambda tf: [rows(tf).map(lambda x: {"a": x, "b": 1}).padded_batch(2, {"a": [5], "b": []}).element_spec, order(rows(tf, 3).map(lambda x: {"a": x, "b": 1}).padded_batch(2))],
        padded_batch_strings=lambda tf: elements(numbers(tf, 3).map(lambda x: tf.fill([x], "s")).padded_batch(3)),
        padded_batch_string_value=lambda tf: elements(numbers(tf, 3).map(lambda x: tf.fill([x], "s")).padded_batch(3, padding_values="-")),
        padded_batch_bools_and_floats=lambda tf: [elements(numbers(tf, 3).map(lambda x: tf.fill([x], v)).padded_batch(3)) for v in (True, 1.5)],
        padded_batch_matrices=lambda tf: elements(numbers(tf, 3).map(lambda x: tf.fill([x, 2 * x], x)).padded_batch(3)),
        padded_batch_one_dimension_fixed=lambda tf: elements(numbers(tf, 3).map(lambda x: tf.fill([x, 2], x)).padded_batch(3, [None, 3])),
        padded_batch_of_empties=lambda tf: elements(tf.data.Dataset.from_tensors(tf.zeros([0])).repeat(2).padded_batch(2)),
        padded_batch_of_nothing=lambda tf: elements(rows(tf, 0).padded_batch(2)),
        unbatch=lambda tf: [about(numbers(tf).batch(2).unbatch()), elements(numbers(tf).batch(2).unbatch())],
        unbatch_tuples=lambda tf: elements(tf.data.Dataset.from_tensors(([1, 2], ["a", "b"])).unbatch()),
        unbatch_dicts=lambda tf: order(tf.data.Dataset.from_tensors({"a": [1, 2], "b": [[1], [2]]}).unbatch()),
        unbatch_static=lambda tf: about(numbers(tf, 6).batch(2, drop_remainder=True).unbatch()),
        unbatch_rows=lambda tf: order(rows(tf).unbatch()),
        unbatch_matrices=lambda tf: elements(tf.data.Dataset.from_tensors([[1, 2], [3, 4]]).unbatch()),
        rebatch_larger=lambda tf: [about(numbers(tf, 7).batch(2).rebatch(3)), elements(numbers(tf, 7).batch(2).rebatch(3))],
        rebatch_smaller=lambda tf: order(numbers(tf, 7).batch(4).rebatch(3)),
        rebatch_drop=lambda tf: [about(numbers(tf, 7).batch(4).rebatch(3, drop_remainder=True)), order(numbers(tf, 7).batch(4).rebatch(3, drop_remainder=True))],
        rebatch_list=lambda tf: [about(numbers(tf, 9).batch(4).rebatch([2, 1])), order(numbers(tf, 9).batch(4).rebatch([2, 1]))],
        rebatch_tuples=lambda tf: order(tf.data.Dataset.zip(numbers(tf, 4), numbers(tf, 4)).batch(2).rebatch(3)),
        window=lambda tf: [about(numbers(tf).window(2)), _windows(numbers(tf).window(2))],
        window_shift=lambda tf: [about(numbers(tf).window(3, shift=1)), _windows(numbers(tf).window(3, shift=1))],
        window_shift_drop=lambda tf: _windows(numbers(tf).window(3, shift=1, drop_remainder=True)),
        window_stride=lambda tf: [_windows(numbers(tf, 7).window(3, 1, 2)), _windows(numbers(tf, 7).window(3, 1, 2, drop_remainder=True))],
        window_gaps=lambda tf: _windows(numbers(tf, 10).window(2, shift=4)),
        window_larger_than_the_input=lambda tf: [_windows(numbers(tf, 3).window(5)), _windows(numbers(tf, 3).window(5, drop_remainder=True))],
        window_tuples=lambda tf: [about(tf.data.Dataset.zip(numbers(tf), numbers(tf)).window(2)), [[order(a), order(b)] for a, b in tf.data.Dataset.zip(numbers(tf), numbers(tf)).window(2)]],
        window_dicts=lambda tf: [{k: order(v) for k, v in w.items()} for w in tf.data.Dataset.from_tensor_slices({"a": [1, 2, 3]}).window(2)],
        window_flat_map=lambda tf: order(numbers(tf, 6).window(3, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(3))),
        window_sub_to_batch=lambda tf: order(numbers(tf, 4).window(2).flat_map(lambda w: w.map(lambda x: x * 10))),
        window_cardinality=lambda tf: [[int(w.cardinality()) for w in numbers(tf).window(2)]],
        group_by_window=lambda tf: [about(numbers(tf, 10).group_by_window(lambda x: x % 2, lambda k, g: g.batch(3), 3)), order(numbers(tf, 10).group_by_window(lambda x: x % 2, lambda k, g: g.batch(3), 3))],
        group_by_window_leftovers=lambda tf: [_grouped(tf, 11, 3), _grouped(tf, 7, 2), _grouped(tf, 2, 5)],
        group_by_window_size_of_key=lambda tf: _grouped(tf, 12, None, window_size_func=lambda key: key + 1),
        group_by_window_key_in_reduce=lambda tf: order(numbers(tf, 6).group_by_window(lambda x: x % 2, lambda key, group: group.map(lambda x: (key, x)), 2)),
        group_by_window_of_tuples=lambda tf: order(tf.data.Dataset.zip(numbers(tf, 6), numbers(tf, 6)).group_by_window(lambda x, y: x % 2, lambda key, group: group.batch(2), 2)),
        group_by_window_reduce_empty=lambda tf: order(numbers(tf, 6).group_by_window(lambda x: x % 2, lambda key, group: group.take(0), 2)),
        group_by_window_of_nothing=lambda tf: _grouped(tf, 0, 2),
        bucket=lambda tf: _bucketed(tf, 7),
        bucket_spec=lambda tf: about(rows(tf).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [2], [2, 2])),
        bucket_drop_remainder=lambda tf: _bucketed(tf, 7, drop_remainder=True),
        bucket_pad_to_boundary=lambda tf: _bucketed(tf, 4, pad_to_bucket_boundary=True),
        bucket_padding_value=lambda tf, np: _bucketed(tf, 6, padding_values=np.int64(-1)),
        bucket_padded_shapes=lambda tf: _bucketed(tf, 6, padded_shapes=[6]),
        bucket_no_padding=lambda tf: order(tf.data.Dataset.from_tensor_slices([[1], [2], [3]]).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [2], [2, 2], no_padding=True)),
        bucket_uneven_sizes=lambda tf: _bucketed(tf, 7, bucket_batch_sizes=[3, 1, 2]),
    )
)

globals().update(
    errors(
        batch_of_size_zero=lambda tf: numbers(tf).batch(0),
        batch_of_negative_size=lambda tf: numbers(tf).batch(-1),
        batch_of_a_string_size=lambda tf: numbers(tf).batch("a"),
        batch_of_a_float_size=lambda tf: numbers(tf).batch(1.5),
        batch_of_size_none=lambda tf: numbers(tf).batch(None),
        batch_of_a_vector_size=lambda tf: numbers(tf).batch([2]),
        batch_of_int32_size=lambda tf: numbers(tf).batch(tf.constant(2)),
        batch_of_different_lengths=lambda tf: elements(rows(tf).batch(2, num_parallel_calls=1)),
        batch_of_different_ranks=lambda tf: elements(tf.data.Dataset.from_generator(lambda: [1, [1]], tf.int32).batch(2, num_parallel_calls=1)),
        padded_batch_too_small=lambda tf: elements(rows(tf).padded_batch(5, [2])),
        padded_batch_of_other_rank=lambda tf: rows(tf).padded_batch(2, [2, 2]),
        padded_batch_smaller_than_static=lambda tf: numbers(tf).map(lambda x: tf.fill([3], x)).padded_batch(2, [2]),
        padded_batch_value_of_other_dtype=lambda tf: rows(tf).padded_batch(2, padding_values=1.0),
        padded_batch_int32_value=lambda tf: rows(tf).padded_batch(2, padding_values=7),
        padded_batch_vector_value=lambda tf: rows(tf).padded_batch(2, padding_values=[1, 2]),
        padded_batch_unknown_rank=lambda tf: tf.data.Dataset.from_generator(lambda: [[1]], tf.int32).padded_batch(2),
        padded_batch_of_size_zero=lambda tf: rows(tf).padded_batch(0),
        padded_batch_shape_minus_two=lambda tf: rows(tf).padded_batch(2, [-2]),
        padded_batch_shape_of_text=lambda tf: rows(tf).padded_batch(2, "a"),
        padded_batch_rank_that_varies=lambda tf: elements(tf.data.Dataset.from_generator(lambda: [[1], 2], tf.int32).padded_batch(2, [4])),
        unbatch_scalars=lambda tf: numbers(tf).unbatch(),
        unbatch_different_sizes=lambda tf: tf.data.Dataset.from_tensors(([1, 2], [1, 2, 3])).unbatch(),
        unbatch_sizes_that_vary=lambda tf: elements(numbers(tf, 3).map(lambda x: (tf.fill([x], 1), tf.fill([2], x))).unbatch()),
        rebatch_scalars=lambda tf: numbers(tf).rebatch(2),
        rebatch_of_a_matrix=lambda tf: numbers(tf).batch(2).rebatch([[1]]),
        window_of_size_zero=lambda tf: numbers(tf).window(0),
        window_of_shift_zero=lambda tf: numbers(tf).window(2, 0),
        window_of_stride_zero=lambda tf: numbers(tf).window(2, 1, 0),
        group_by_window_without_size=lambda tf: numbers(tf).group_by_window(lambda x: x, lambda k, g: g),
        group_by_window_with_two_sizes=lambda tf: numbers(tf).group_by_window(lambda x: x, lambda k, g: g, 2, lambda k: k),
        group_by_window_of_size_zero=lambda tf: elements(numbers(tf).group_by_window(lambda x: x % 2, lambda k, g: g, 0)),
        group_by_window_vector_key=lambda tf: numbers(tf).group_by_window(lambda x: [x], lambda k, g: g, 2),
        group_by_window_reduce_to_a_tensor=lambda tf: numbers(tf).group_by_window(lambda x: x, lambda k, g: k, 2),
        bucket_of_wrong_sizes=lambda tf: numbers(tf).bucket_by_sequence_length(lambda x: 1, [2, 4], [2, 2]),
        bucket_too_long_for_its_boundary=lambda tf: _bucketed(tf, 6, pad_to_bucket_boundary=True)[0] and 0,
    )
)
