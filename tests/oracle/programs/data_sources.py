"""Datasets from nothing: range, tensors, slices, lists, generators, counters; zip and concatenate."""

from __future__ import annotations

import collections

from tests.oracle.programs._data_helpers import about, cases, elements, errors, order, outcome

_Point = collections.namedtuple("_Point", "x y")


def _generated(tf, values, limit=20, **arguments):
    return elements(tf.data.Dataset.from_generator(lambda: iter(values), **arguments), limit)


globals().update(
    cases(
        range_stop=lambda tf: [about(tf.data.Dataset.range(5)), elements(tf.data.Dataset.range(5))],
        range_start_stop=lambda tf: [about(tf.data.Dataset.range(2, 5)), order(tf.data.Dataset.range(2, 5))],
        range_step=lambda tf: [about(tf.data.Dataset.range(1, 10, 3)), order(tf.data.Dataset.range(1, 10, 3))],
        range_down=lambda tf: [about(tf.data.Dataset.range(5, 0, -2)), order(tf.data.Dataset.range(5, 0, -2))],
        range_negative_bounds=lambda tf: [order(tf.data.Dataset.range(-3, 3, 2)), order(tf.data.Dataset.range(3, -4, -3))],
        range_empty=lambda tf: [[about(d), elements(d)] for d in (tf.data.Dataset.range(0), tf.data.Dataset.range(5, 1), tf.data.Dataset.range(1, 5, -1), tf.data.Dataset.range(-4))],
        range_int32=lambda tf: elements(tf.data.Dataset.range(3, output_type=tf.int32)),
        range_small_ints=lambda tf: [elements(tf.data.Dataset.range(3, output_type=t)) for t in (tf.int8, tf.uint8, tf.int16, tf.uint16)],
        range_floats=lambda tf: [elements(tf.data.Dataset.range(1, 4, output_type=t)) for t in (tf.float32, tf.float64, tf.bfloat16, tf.half)],
        range_wraps_around=lambda tf: elements(tf.data.Dataset.range(126, 130, output_type=tf.int8)),
        range_of_tensors=lambda tf: order(tf.data.Dataset.range(tf.constant(1, tf.int64), tf.constant(4, tf.int64))),
        range_named=lambda tf: about(tf.data.Dataset.range(3, name="numbers")),
        from_tensors_scalar=lambda tf: [about(tf.data.Dataset.from_tensors(1)), elements(tf.data.Dataset.from_tensors(1))],
        from_tensors_list=lambda tf: [about(tf.data.Dataset.from_tensors([1, 2])), elements(tf.data.Dataset.from_tensors([1, 2]))],
        from_tensors_tuple=lambda tf: [about(tf.data.Dataset.from_tensors((1, 2.0, "a"))), elements(tf.data.Dataset.from_tensors((1, 2.0, "a")))],
        from_tensors_dict=lambda tf: elements(tf.data.Dataset.from_tensors({"b": 1, "a": ([1.0], "x")})),
        from_tensors_lists_are_tensors=lambda tf: elements(tf.data.Dataset.from_tensors([(1, 2), (3, 4)])),
        from_tensors_numpy=lambda tf, np: elements(tf.data.Dataset.from_tensors((np.float32(1.5), np.arange(3, dtype=np.uint8)))),
        from_tensors_none=lambda tf: [about(tf.data.Dataset.from_tensors((1, None))), elements(tf.data.Dataset.from_tensors((1, None)))],
        from_tensors_named_tuple=lambda tf: elements(tf.data.Dataset.from_tensors(_Point(1, [2]))),
        from_tensors_ordered_dict=lambda tf: elements(tf.data.Dataset.from_tensors(collections.OrderedDict([("z", 1), ("a", 2)]))),
        from_tensors_default_dict=lambda tf: [type(e).__name__ for e in tf.data.Dataset.from_tensors(collections.defaultdict(int, a=1))],
        from_tensors_variable=lambda tf: elements(tf.data.Dataset.from_tensors(tf.Variable([1.0]))),
        from_tensors_bytes=lambda tf: elements(tf.data.Dataset.from_tensors((b"\xff", "é", ["a", "bc"]))),
        from_tensors_bool_and_complex=lambda tf: elements(tf.data.Dataset.from_tensors((True, 1 + 2j))),
        from_tensors_of_a_dataset=lambda tf: [order(d) for d in tf.data.Dataset.from_tensors(tf.data.Dataset.range(3))],
        slices_list=lambda tf: [about(tf.data.Dataset.from_tensor_slices([1, 2, 3])), elements(tf.data.Dataset.from_tensor_slices([1, 2, 3]))],
        slices_matrix=lambda tf: [about(tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])), elements(tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]))],
        slices_tuple=lambda tf: elements(tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"]))),
        slices_tuple_of_one=lambda tf: elements(tf.data.Dataset.from_tensor_slices(([1, 2],))),
        slices_dict=lambda tf: elements(tf.data.Dataset.from_tensor_slices({"z": [1, 2], "a": [[1.0], [2.0]]})),
        slices_nested=lambda tf: elements(tf.data.Dataset.from_tensor_slices(({"a": [1, 2]}, ([3, 4], ["x", "y"])))),
        slices_named_tuple=lambda tf: elements(tf.data.Dataset.from_tensor_slices(_Point([1, 2], [3, 4]))),
        slices_none=lambda tf: elements(tf.data.Dataset.from_tensor_slices(([1, 2], None))),
        slices_empty=lambda tf: [about(tf.data.Dataset.from_tensor_slices([])), elements(tf.data.Dataset.from_tensor_slices([]))],
        slices_empty_rows=lambda tf, np: elements(tf.data.Dataset.from_tensor_slices(np.zeros([2, 0], np.float32))),
        slices_numpy=lambda tf, np: elements(tf.data.Dataset.from_tensor_slices(np.arange(6, dtype=np.int16).reshape(3, 2))),
        slices_list_of_tensors=lambda tf: elements(tf.data.Dataset.from_tensor_slices([tf.constant([1, 2]), tf.constant([3, 4])])),
        slices_list_of_tuples=lambda tf: elements(tf.data.Dataset.from_tensor_slices([(1, 2), (3, 4)])),
        slices_strings=lambda tf: elements(tf.data.Dataset.from_tensor_slices([["a", "b"], ["c", "d"]])),
        slices_variable=lambda tf: elements(tf.data.Dataset.from_tensor_slices(tf.Variable([1, 2]))),
        slices_of_a_named_dataset=lambda tf: about(tf.data.Dataset.from_tensor_slices([1], name="slices")),
        slices_split_features_and_labels=lambda tf, np: order(tf.data.Dataset.from_tensor_slices((np.eye(2, dtype=np.float32), np.array([0, 1])))),
        generator_signature=lambda tf: [about(tf.data.Dataset.from_generator(lambda: iter([1, 2]), output_signature=tf.TensorSpec([], tf.int32))), _generated(tf, [1, 2], output_signature=tf.TensorSpec([], tf.int32))],
        generator_types=lambda tf: [about(tf.data.Dataset.from_generator(lambda: iter([1, 2]), tf.int32)), _generated(tf, [1, [2, 3]], output_types=tf.int32)],
        generator_types_and_shapes=lambda tf: [about(tf.data.Dataset.from_generator(lambda: iter([]), (tf.int32, tf.float32), ([], [None]))), _generated(tf, [(1, [2.0, 3.0]), (2, [])], output_types=(tf.int32, tf.float32), output_shapes=([], [None]))],
        generator_dict=lambda tf: _generated(tf, [{"a": 1, "b": "x"}, {"b": "y", "a": 2}], output_signature={"b": tf.TensorSpec([], tf.string), "a": tf.TensorSpec([], tf.int64)}),
        generator_tuple=lambda tf: _generated(tf, [(1, "x"), (2, "y")], output_signature=(tf.TensorSpec([], tf.int8), tf.TensorSpec([], tf.string))),
        generator_list_is_one_tensor=lambda tf: _generated(tf, [[1, 2], [3, 4]], output_signature=tf.TensorSpec([2], tf.int32)),
        generator_varying_lengths=lambda tf: _generated(tf, [[1], [1, 2], []], output_signature=tf.TensorSpec([None], tf.int32)),
        generator_converts_floats=lambda tf: _generated(tf, [1.5, 2.9], output_signature=tf.TensorSpec([], tf.int32)),
        generator_numpy_values=lambda tf, np: _generated(tf, [np.float64(1), np.ones(2)[0]], output_signature=tf.TensorSpec([], tf.float32)),
        generator_strings=lambda tf: _generated(tf, ["a", b"\xfe", "é"], output_signature=tf.TensorSpec([], tf.string)),
        generator_of_tensors=lambda tf: _generated(tf, [tf.constant(1), tf.constant(2)], output_signature=tf.TensorSpec([], tf.int32)),
        generator_starts_over=lambda tf: (lambda d: [order(d), order(d), order(d.repeat(2))])(tf.data.Dataset.from_generator(lambda: iter([1, 2]), output_signature=tf.TensorSpec([], tf.int32))),
        generator_range_object=lambda tf: elements(tf.data.Dataset.from_generator(lambda: range(3), output_signature=tf.TensorSpec([], tf.int64))),
        generator_list_returned=lambda tf: elements(tf.data.Dataset.from_generator(lambda: [5, 6], output_types=tf.int64, output_shapes=[])),
        generator_type_by_name=lambda tf: about(tf.data.Dataset.from_generator(lambda: [1], "int32")),
        generator_empty=lambda tf: _generated(tf, [], output_signature=tf.TensorSpec([], tf.int32)),
        generator_nested=lambda tf: _generated(tf, [(1, {"a": (2, 3)})], output_signature=(tf.TensorSpec([], tf.int32), {"a": (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32))})),
        counter=lambda tf: [about(tf.data.Dataset.counter()), elements(tf.data.Dataset.counter(), 3)],
        counter_start_step=lambda tf: [elements(tf.data.Dataset.counter(5, -2), 3), elements(tf.data.Dataset.counter(start=1, step=3, dtype=tf.int32), 3)],
        counter_floats=lambda tf: elements(tf.data.Dataset.counter(0.5, 0.25, tf.float32), 4),
        zip_tuple=lambda tf: [about(tf.data.Dataset.zip((tf.data.Dataset.range(3), tf.data.Dataset.range(5, 9)))), order(tf.data.Dataset.zip((tf.data.Dataset.range(3), tf.data.Dataset.range(5, 9))))],
        zip_arguments=lambda tf: [about(tf.data.Dataset.zip(tf.data.Dataset.range(3), tf.data.Dataset.range(2))), order(tf.data.Dataset.zip(tf.data.Dataset.range(3), tf.data.Dataset.range(2)))],
        zip_keyword=lambda tf: about(tf.data.Dataset.zip(datasets=(tf.data.Dataset.range(3), tf.data.Dataset.range(2)))),
        zip_dict=lambda tf: order(tf.data.Dataset.zip({"b": tf.data.Dataset.range(2), "a": tf.data.Dataset.range(5, 7)})),
        zip_nested=lambda tf: order(tf.data.Dataset.zip((tf.data.Dataset.range(2), {"a": (tf.data.Dataset.range(2, 4), tf.data.Dataset.range(4, 6))}))),
        zip_of_one=lambda tf: [about(tf.data.Dataset.zip(tf.data.Dataset.range(2))), about(tf.data.Dataset.zip((tf.data.Dataset.range(2),)))],
        zip_of_tuples=lambda tf: about(tf.data.Dataset.zip(tf.data.Dataset.from_tensors((1, "a")), tf.data.Dataset.range(2))),
        zip_infinite=lambda tf: [int(tf.data.Dataset.zip(tf.data.Dataset.range(2), tf.data.Dataset.counter()).cardinality()), order(tf.data.Dataset.zip(tf.data.Dataset.range(2), tf.data.Dataset.counter()))],
        concatenate=lambda tf: [about(tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(8, 10))), order(tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(8, 10)))],
        concatenate_shapes_relax=lambda tf: [tf.data.Dataset.from_tensors([1]).concatenate(tf.data.Dataset.from_tensors([1, 2])).element_spec, tf.data.Dataset.from_tensors([1]).concatenate(tf.data.Dataset.from_tensors(1)).element_spec],
        concatenate_infinite=lambda tf: [int(tf.data.Dataset.counter().concatenate(tf.data.Dataset.range(2)).cardinality()), int(tf.data.Dataset.range(2).concatenate(tf.data.Dataset.counter()).cardinality())],
        concatenate_dicts=lambda tf: order(tf.data.Dataset.from_tensors({"a": 1}).concatenate(tf.data.Dataset.from_tensors({"a": 2}))),
        from_list_scalars=lambda tf: [about(tf.data.experimental.from_list([1, 2, 3])), elements(tf.data.experimental.from_list([1, 2, 3]))],
        from_list_tuples=lambda tf: elements(tf.data.experimental.from_list([(1, "a"), (2, "b")])),
        from_list_dicts=lambda tf: elements(tf.data.experimental.from_list([{"a": 1}, {"a": 2}])),
        from_list_shapes_relax=lambda tf: [tf.data.experimental.from_list([[1], [2, 3]]).element_spec, elements(tf.data.experimental.from_list([[1], [2, 3]]))],
    )
)

globals().update(
    errors(
        range_without_arguments=lambda tf: tf.data.Dataset.range(),
        range_of_four=lambda tf: tf.data.Dataset.range(1, 2, 3, 4),
        range_of_a_float=lambda tf: tf.data.Dataset.range(1.5),
        range_of_a_string=lambda tf: tf.data.Dataset.range("a"),
        range_of_int32_tensor=lambda tf: tf.data.Dataset.range(tf.constant(3)),
        range_of_a_vector=lambda tf: tf.data.Dataset.range([2]),
        range_of_step_zero=lambda tf: tf.data.Dataset.range(1, 5, 0),
        slices_of_a_scalar=lambda tf: tf.data.Dataset.from_tensor_slices(1),
        slices_of_a_string=lambda tf: tf.data.Dataset.from_tensor_slices("abc"),
        slices_of_a_scalar_in_a_tuple=lambda tf: tf.data.Dataset.from_tensor_slices(([1], 2)),
        slices_of_different_sizes=lambda tf: tf.data.Dataset.from_tensor_slices(([1, 2], [1, 2, 3])),
        slices_of_different_sizes_in_a_dict=lambda tf: tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [[1]]}),
        slices_of_a_ragged_list=lambda tf: tf.data.Dataset.from_tensor_slices([[1], [2, 3]]),
        slices_of_mixed_types=lambda tf: tf.data.Dataset.from_tensor_slices(["a", 1]),
        slices_of_nothing=lambda tf: tf.data.Dataset.from_tensor_slices(()),
        slices_of_none=lambda tf: tf.data.Dataset.from_tensor_slices(None),
        slices_of_an_empty_dict=lambda tf: tf.data.Dataset.from_tensor_slices({}),
        from_list_of_nothing=lambda tf: tf.data.experimental.from_list([]),
        from_list_of_a_number=lambda tf: tf.data.experimental.from_list(3),
        from_list_of_different_structures=lambda tf: tf.data.experimental.from_list([(1, 2), (3,)]),
        generator_that_is_a_list=lambda tf: tf.data.Dataset.from_generator([1], tf.int32),
        generator_without_types=lambda tf: tf.data.Dataset.from_generator(lambda: [1]),
        generator_with_types_and_signature=lambda tf: tf.data.Dataset.from_generator(lambda: [1], tf.int32, output_signature=tf.TensorSpec([], tf.int32)),
        generator_with_shapes_and_signature=lambda tf: tf.data.Dataset.from_generator(lambda: [1], output_shapes=[], output_signature=tf.TensorSpec([], tf.int32)),
        generator_with_a_dtype_as_signature=lambda tf: tf.data.Dataset.from_generator(lambda: [1], output_signature=tf.int32),
        generator_with_an_argument_that_is_no_tuple=lambda tf: tf.data.Dataset.from_generator(lambda a: [a], tf.int32, args=1),
        zip_of_nothing=lambda tf: tf.data.Dataset.zip(),
        zip_of_a_number=lambda tf: tf.data.Dataset.zip(1),
        zip_of_a_list=lambda tf: tf.data.Dataset.zip([tf.data.Dataset.range(1), tf.data.Dataset.range(1)]),
        zip_of_a_dataset_and_a_number=lambda tf: tf.data.Dataset.zip((tf.data.Dataset.range(1), 1)),
        zip_of_both_forms=lambda tf: tf.data.Dataset.zip(tf.data.Dataset.range(1), datasets=(tf.data.Dataset.range(1),)),
        concatenate_other_types=lambda tf: tf.data.Dataset.range(1).concatenate(tf.data.Dataset.from_tensors("a")),
        concatenate_other_structures=lambda tf: tf.data.Dataset.range(1).concatenate(tf.data.Dataset.from_tensors((1, 2))),
    )
)


def prog_generator_arguments(tf, np):
    """args reach the generator as NumPy values."""
    seen = []

    def generate(a, b):
        seen.append([type(a).__name__, np.asarray(a).dtype.name, type(b).__name__])
        yield a + 1

    dataset = tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int32), args=(1, "x"))
    return [elements(dataset), seen]


def prog_generator_is_called_at_iteration(tf, np):
    """The generator is called once an iteration, and not before."""
    calls = []

    def generate():
        calls.append(len(calls))
        return iter([1])

    dataset = tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int32))
    before = list(calls)
    return [before, order(dataset), order(dataset), calls]


def prog_generator_of_unfinished_iterations(tf, np):
    """Two iterators at once have generators of their own."""
    dataset = tf.data.Dataset.from_generator(lambda: iter(range(5)), output_signature=tf.TensorSpec([], tf.int32))
    first, second = iter(dataset), iter(dataset)
    return [int(next(first)), int(next(first)), int(next(second)), int(next(first))]


def prog_generator_bad_elements(tf, np):
    """Elements of wrong type, shape and structure stop the iteration."""
    scalar, pair = tf.TensorSpec([], tf.int32), (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32))
    trials = [(["a"], scalar), ([[1, 2]], scalar), ([None], scalar), ([1], pair), ([(1,)], pair), ([[1, 2]], pair)]
    return [outcome(lambda: _generated(tf, values, output_signature=spec), 14) for values, spec in trials]


def prog_generator_that_raises(tf, np):
    """Elements before the exception arrive; its class decides the error."""

    def generate():
        yield 1
        raise ValueError("broken generator")

    iterator = iter(tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int32)))
    return [int(next(iterator)), outcome(lambda: next(iterator), 3)]
