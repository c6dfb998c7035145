"""Errors while a dataset is iterated: what the functions of a dataset raise, where they reach the user, what goes on."""

from __future__ import annotations

from tests.oracle.programs._data_helpers import cases, each, elements, errors, numbers, order, outcome, rows


def _inverse(tf, x):
    return tf.debugging.check_numerics(1 / tf.cast(x, tf.float32), "no inverse")


def _failing(tf, *values):
    """A dataset whose elements at zeros are errors."""
    return tf.data.Dataset.from_tensor_slices(list(values)).map(lambda x: _inverse(tf, x))


def _raise(error):
    raise error


def _from_python(tf, error):
    dataset = numbers(tf).map(lambda x: tf.py_function(lambda _: _raise(error), [x], tf.int64))
    return outcome(lambda: elements(dataset), 5)


globals().update(
    cases(
        error_in_the_middle=lambda tf: each(iter(_failing(tf, 1.0, 0.0, 2.0)), 5, words=5),
        error_in_a_parallel_map=lambda tf: each(iter(tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0]).map(lambda x: _inverse(tf, x), num_parallel_calls=2)), 5, words=5),
        error_in_get_next=lambda tf: outcome(iter(_failing(tf, 0.0)).get_next, 5),
        error_in_get_next_as_optional=lambda tf: outcome(iter(_failing(tf, 0.0)).get_next_as_optional, 5),
        error_before_a_batch=lambda tf: each(iter(_failing(tf, 1.0, 0.0, 2.0, 4.0).batch(2, num_parallel_calls=1)), 4, words=3),
        error_before_a_filter=lambda tf: each(iter(_failing(tf, 1.0, 0.0, 2.0).filter(lambda x: x > 0)), 4, words=5),
        error_before_a_prefetch=lambda tf: each(iter(_failing(tf, 1.0, 0.0, 2.0).prefetch(2)), 4, words=5),
        error_before_a_repeat=lambda tf: each(iter(_failing(tf, 1.0, 0.0).repeat(2)), 5, words=5),
        error_before_a_take=lambda tf: each(iter(_failing(tf, 1.0, 0.0, 2.0).take(2)), 4, words=5),
        error_before_a_zip=lambda tf: each(iter(tf.data.Dataset.zip(_failing(tf, 1.0, 0.0, 2.0), numbers(tf))), 4, words=5),
        error_before_a_concatenate=lambda tf: each(iter(_failing(tf, 0.0).concatenate(_failing(tf, 1.0))), 3, words=5),
        error_before_a_skip=lambda tf: outcome(lambda: order(_failing(tf, 0.0, 1.0).skip(1)), 5),
        error_before_a_cache=lambda tf: each(iter(_failing(tf, 1.0, 0.0).cache()), 3, words=5),
        error_in_a_filter=lambda tf: each(iter(numbers(tf, 3).filter(lambda x: _inverse(tf, x - 1) > 0)), 4, words=5),
        error_in_a_flat_map=lambda tf: each(iter(numbers(tf, 3).flat_map(lambda x: tf.data.Dataset.from_tensors(_inverse(tf, x - 1)))), 4, words=5),
        error_inside_of_a_flat_map=lambda tf: each(iter(numbers(tf, 2).flat_map(lambda x: _failing(tf, 1.0, 0.0))), 5, words=5),
        error_in_a_scan=lambda tf, np: each(iter(numbers(tf, 3).scan(np.float32(0), lambda s, x: (s, _inverse(tf, x - 1)))), 4, words=3),
        error_in_a_take_while=lambda tf: outcome(lambda: order(numbers(tf, 3).take_while(lambda x: _inverse(tf, x - 1) < 5)), 3),
        error_in_a_reduce=lambda tf: outcome(lambda: numbers(tf).reduce(0.0, lambda s, x: s + _inverse(tf, x)), 3),
        error_before_a_reduce=lambda tf: outcome(lambda: _failing(tf, 0.0).reduce(0.0, lambda s, x: s + x), 5),
        error_in_a_key_function=lambda tf: outcome(lambda: order(numbers(tf, 3).group_by_window(lambda x: tf.cast(_inverse(tf, x), tf.int64), lambda k, g: g, 2)), 0)[0],
        error_in_a_window_reduction=lambda tf: outcome(lambda: order(numbers(tf, 3).group_by_window(lambda x: x, lambda k, g: g.map(lambda x: _inverse(tf, x)), 1)), 0)[0],
        error_ignored=lambda tf: order(_failing(tf, 1.0, 0.0, 2.0, 0.0).ignore_errors()),
        error_ignored_in_parallel=lambda tf: order(tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0]).map(lambda x: _inverse(tf, x), num_parallel_calls=2).ignore_errors()),
        error_ignored_then_batched=lambda tf: order(_failing(tf, 1.0, 0.0, 2.0, 4.0).ignore_errors().batch(2)),
        error_ignored_by_experimental=lambda tf: order(_failing(tf, 1.0, 0.0, 2.0).apply(tf.data.experimental.ignore_errors())),
        error_of_an_index=lambda tf: outcome(lambda: elements(numbers(tf).map(lambda x: tf.gather([1, 2], x))), 5),
        error_of_a_number=lambda tf: outcome(lambda: elements(tf.data.Dataset.from_tensors("x").map(tf.strings.to_number)), 5),
        error_of_a_shape=lambda tf: outcome(lambda: elements(rows(tf, 3).map(lambda x: tf.ensure_shape(x, [0]))), 5),
        error_of_a_division=lambda tf: outcome(lambda: elements(numbers(tf, 1).map(lambda x: 5 // x)), 5),
        errors_of_python_functions=lambda tf: [_from_python(tf, error) for error in (ValueError("a"), TypeError("a"), KeyError("a"), IndexError("a"), NotImplementedError("a"), RuntimeError("a"), StopIteration("a"), MemoryError("a"))],
        errors_of_tensorflow_in_python=lambda tf: [_from_python(tf, error(None, None, "a"))[0] for error in (tf.errors.NotFoundError, tf.errors.OutOfRangeError, tf.errors.DataLossError, tf.errors.CancelledError)],
        errors_of_generators=lambda tf: [_generator_outcome(tf, error) for error in (ValueError("a"), TypeError("a"), KeyError("a"), RuntimeError("a"), ZeroDivisionError("a"), OSError("a"))],
        out_of_range_in_a_map_ends_nothing=lambda tf: each(iter(numbers(tf, 3).map(lambda x: _out_of_range(tf, x))), 4, words=5),
        cardinality_too_small=lambda tf: each(iter(numbers(tf, 3).apply(tf.data.experimental.assert_cardinality(2))), 4, words=20),
        cardinality_too_large=lambda tf: each(iter(numbers(tf, 1).apply(tf.data.experimental.assert_cardinality(2))), 3, words=20),
        cardinality_not_infinite=lambda tf: outcome(lambda: order(numbers(tf, 1).apply(tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY))), 20),
        selector_out_of_range=lambda tf: each(iter(tf.data.Dataset.choose_from_datasets([numbers(tf), numbers(tf)], tf.data.Dataset.range(0, 3))), 4, words=8),
        error_is_a_tensorflow_error=lambda tf: _error_of(tf, _failing(tf, 0.0)),
        end_is_out_of_range=lambda tf: _error_of(tf, numbers(tf, 0)),
    )
)

globals().update(
    errors(
        words=5,
        raised_while_tracing=lambda tf: numbers(tf).map(lambda x: _raise(ValueError("while tracing"))),
        symbolic_index_of_a_list=lambda tf: numbers(tf).map(lambda x: [1, 2][x]),
        symbolic_value_as_int=lambda tf: numbers(tf).map(lambda x: int(x)),
        symbolic_value_as_numpy=lambda tf: numbers(tf).map(lambda x: x.numpy()),
        missing_key=lambda tf: tf.data.Dataset.from_tensors({"a": 1}).map(lambda d: d["b"]),
        mixed_dtypes=lambda tf: numbers(tf).map(lambda x: x + 1.5),
        shapes_that_cannot_be=lambda tf: tf.data.Dataset.from_tensors([1, 2]).map(lambda x: x + tf.constant([1, 2, 3])),
        branches_of_different_dtypes=lambda tf: numbers(tf).map(lambda x: tf.cond(x > 1, lambda: 1, lambda: 1.5)),
    )
)


def _out_of_range(tf, x):
    return tf.py_function(lambda v: _raise(tf.errors.OutOfRangeError(None, None, "here")) if v == 1 else v, [x], tf.int64)


def _error_of(tf, dataset):
    try:
        iter(dataset).get_next()
    except tf.errors.OpError as error:
        return [type(error).__name__, error.error_code, error.op, error.node_def is None]


def _generator_outcome(tf, error):
    dataset = tf.data.Dataset.from_generator(lambda: _raise(error), output_signature=tf.TensorSpec([], tf.int32))
    return outcome(lambda: elements(dataset), 2)


def prog_error_in_a_for_loop_of_a_function(tf, np):
    """An error in the dataset stops the loop and the call."""

    @tf.function
    def total(dataset):
        result = tf.constant(0.0)
        for x in dataset:
            result += x
        return result

    return outcome(lambda: total(_failing(tf, 1.0, 0.0)), 0)[0]


def prog_dataset_is_usable_after_an_error(tf, np):
    """A new iteration starts from the beginning."""
    dataset = _failing(tf, 4.0, 0.0, 2.0)
    return [outcome(lambda: order(dataset), 5), outcome(lambda: order(dataset), 5), order(dataset.take(1))]


def prog_error_of_another_iterator(tf, np):
    """An error in one iterator leaves others alone."""
    dataset = _failing(tf, 4.0, 0.0, 2.0)
    first, second = iter(dataset), iter(dataset)
    return [each(first, 3, words=3), each(second, 4, words=3)]
