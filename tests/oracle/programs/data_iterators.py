"""Iterators and what they give: get_next, Optional, NumPy values, specs, structures."""

from __future__ import annotations

import collections

from tests.oracle.programs._data_helpers import cases, each, errors, numbers, order, outcome

_Point = collections.namedtuple("_Point", "x y")


def _spec(tf, *shape):
    return tf.TensorSpec(shape, tf.int64)


globals().update(
    cases(
        next_gives_tensors=lambda tf: next(iter(numbers(tf))),
        next_after_the_end=lambda tf: each(iter(numbers(tf, 2)), 5),
        get_next=lambda tf: (lambda i: [i.get_next(), i.get_next()])(iter(numbers(tf))),
        get_next_after_the_end=lambda tf: (lambda i: [outcome(i.get_next) for _ in range(4)])(iter(numbers(tf, 2))),
        get_next_as_optional=lambda tf: (lambda i: [o.has_value() for o in [i.get_next_as_optional() for _ in range(3)]])(iter(numbers(tf, 2))),
        optional_value=lambda tf: iter(numbers(tf)).get_next_as_optional().get_value(),
        optional_value_at_the_end=lambda tf: outcome(lambda: iter(numbers(tf, 0)).get_next_as_optional().get_value()),
        iterator_is_its_own=lambda tf: (lambda i: iter(i) is i)(iter(numbers(tf))),
        iterator_spec=lambda tf: [iter(numbers(tf)).element_spec, tf.data.IteratorSpec.from_value(iter(numbers(tf))), tf.type_spec_from_value(iter(numbers(tf)))],
        iterator_is_an_iterator=lambda tf: [isinstance(iter(numbers(tf)), tf.data.Iterator), isinstance(iter(numbers(tf)), collections.abc.Iterator), type(iter(numbers(tf))).__name__],
        iterator_in_a_for_loop=lambda tf: (lambda i: [int(next(i)), [int(x) for x in i]])(iter(numbers(tf))),
        iterator_names=lambda tf: sorted(name for name in dir(iter(numbers(tf))) if not name.startswith("_")),
        iterators_are_independent=lambda tf: (lambda d: (lambda a, b: [int(next(a)), int(next(a)), int(next(b)), int(next(a))])(iter(d), iter(d)))(numbers(tf)),
        iterator_of_tuples=lambda tf: next(iter(tf.data.Dataset.from_tensor_slices(([1], ["a"])))),
        iterator_of_dicts=lambda tf: next(iter(tf.data.Dataset.from_tensor_slices({"b": [1], "a": (["x"],)}))),
        iterator_of_named_tuples=lambda tf: next(iter(tf.data.Dataset.from_tensor_slices(_Point([1], [2])))),
        iterator_of_ordered_dicts=lambda tf: next(iter(tf.data.Dataset.from_tensor_slices(collections.OrderedDict([("b", [1]), ("a", [2])])))),
        iterator_of_datasets=lambda tf: [type(next(iter(numbers(tf).window(2)))).__name__, next(iter(numbers(tf).window(2))).element_spec],
        iterator_goes_on_after_an_error=lambda tf: each(iter(numbers(tf, 4).map(lambda x: tf.debugging.check_numerics(1 / (x - 1), "division"))), 6, words=4),
        numpy_iterator=lambda tf: [list(numbers(tf, 3).as_numpy_iterator()), type(numbers(tf).as_numpy_iterator()).__name__],
        numpy_iterator_structures=lambda tf: list(tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": (["x", "y"], [[1.0], [2.0]])}).as_numpy_iterator()),
        numpy_iterator_strings=lambda tf: list(tf.data.Dataset.from_tensor_slices(["a", "é"]).as_numpy_iterator()),
        numpy_iterator_vectors=lambda tf: list(numbers(tf).batch(2).as_numpy_iterator()),
        numpy_iterator_of_none=lambda tf: list(tf.data.Dataset.from_tensors((1, None)).as_numpy_iterator()),
        numpy_iterator_types=lambda tf: [type(x) for x in (next(numbers(tf).as_numpy_iterator()), next(tf.data.Dataset.from_tensors("a").as_numpy_iterator()), next(tf.data.Dataset.from_tensors([1]).as_numpy_iterator()))],
        numpy_iterator_is_read_only=lambda tf: next(numbers(tf).batch(2).as_numpy_iterator()).flags.writeable,
        numpy_iterator_next=lambda tf: (lambda i: [next(i), i.next(), *each(i, 2)])(numbers(tf, 3).as_numpy_iterator()),
        numpy_iterator_save_and_restore=lambda tf: (lambda i: [next(i), (lambda s: [next(i), next(i), i.restore(s), next(i)])(i.save())])(numbers(tf).as_numpy_iterator()),
        numpy_iterator_starts_over=lambda tf: (lambda d: [list(d.as_numpy_iterator()), list(d.as_numpy_iterator())])(numbers(tf, 2)),
        list_of_a_dataset=lambda tf: list(numbers(tf, 2)),
        enumerate_in_python=lambda tf: [(i, int(x)) for i, x in enumerate(numbers(tf, 3))],
        zip_in_python=lambda tf: [(int(a), int(b)) for a, b in zip(numbers(tf, 3), numbers(tf, 3).skip(1))],
        membership=lambda tf: [3 in numbers(tf), 9 in numbers(tf)],
        unpacking=lambda tf: (lambda a, b, *rest: [int(a), int(b), len(rest)])(*numbers(tf)),
        optional_from_value=lambda tf: (lambda o: [o.has_value(), o.get_value(), o.element_spec])(tf.experimental.Optional.from_value({"a": 1, "b": ("x", [2.0])})),
        optional_empty=lambda tf: (lambda o: [o.has_value(), o.element_spec])(tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32))),
        optional_empty_value=lambda tf: outcome(lambda: tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32)).get_value()),
        optional_classes=lambda tf: [type(tf.experimental.Optional.from_value(1)).__name__, tf.data.experimental.Optional is tf.experimental.Optional, isinstance(tf.experimental.Optional.from_value(1), tf.experimental.Optional)],
        optional_specs=lambda tf: [tf.OptionalSpec(tf.TensorSpec([], tf.int32)), tf.OptionalSpec.from_value(tf.experimental.Optional.from_value((1, "a")))],
        optional_spec_compares=lambda tf: (lambda s: [s == tf.OptionalSpec(tf.TensorSpec([], tf.int32)), s == tf.OptionalSpec(tf.TensorSpec([], tf.int64)), s.is_compatible_with(tf.experimental.Optional.from_value(1)), s.is_compatible_with(tf.experimental.Optional.from_value("a"))])(tf.OptionalSpec(tf.TensorSpec([], tf.int32))),
        optional_spec_value_type=lambda tf: tf.OptionalSpec(tf.TensorSpec([], tf.int32)).value_type,
        optional_through_a_function=lambda tf: tf.function(lambda o: o.get_value() + 1)(tf.experimental.Optional.from_value(3)),
        optional_out_of_a_function=lambda tf: tf.function(lambda x: tf.experimental.Optional.from_value((x, x * 2)))(tf.constant(3)).get_value(),
        optional_of_experimental=lambda tf: tf.data.experimental.get_next_as_optional(iter(numbers(tf))).get_value(),
        optional_in_a_dataset=lambda tf: [tf.data.Dataset.from_tensors(tf.experimental.Optional.from_value(1)).element_spec, [o.get_value() for o in tf.data.Dataset.from_tensors(tf.experimental.Optional.from_value(1))]],
        optional_from_map=lambda tf: [o.get_value() for o in numbers(tf, 2).map(lambda x: tf.experimental.Optional.from_value(x * 10))],
        optional_of_a_dataset=lambda tf: order(tf.experimental.Optional.from_value(numbers(tf, 3)).get_value()),
        dataset_spec=lambda tf: [tf.data.DatasetSpec(_spec(tf)), tf.data.DatasetSpec.from_value(numbers(tf)), tf.type_spec_from_value(numbers(tf).batch(2))],
        dataset_spec_parts=lambda tf: [tf.data.DatasetSpec(_spec(tf, 3)).element_spec, tf.data.DatasetSpec(_spec(tf)).value_type],
        dataset_spec_compares=lambda tf: (lambda s: [s == tf.data.DatasetSpec(_spec(tf)), s == tf.data.DatasetSpec(_spec(tf, 1)), hash(s) == hash(tf.data.DatasetSpec(_spec(tf)))])(tf.data.DatasetSpec(_spec(tf))),
        dataset_spec_compatible=lambda tf: [tf.data.DatasetSpec(s).is_compatible_with(d) for s in (_spec(tf), tf.TensorSpec(None, tf.int64)) for d in (numbers(tf), numbers(tf).batch(2), tf.data.Dataset.from_tensors("a"))],
        dataset_spec_supertypes=lambda tf: [tf.data.DatasetSpec(_spec(tf, 1)).most_specific_common_supertype([tf.data.DatasetSpec(_spec(tf, 2))]), tf.data.DatasetSpec(_spec(tf, 1)).most_specific_common_supertype([tf.data.DatasetSpec(tf.TensorSpec([1], tf.int32))])],
        dataset_spec_subtypes=lambda tf: [tf.data.DatasetSpec(_spec(tf, 1)).is_subtype_of(tf.data.DatasetSpec(tf.TensorSpec([None], tf.int64))), tf.data.DatasetSpec(tf.TensorSpec([None], tf.int64)).is_subtype_of(tf.data.DatasetSpec(_spec(tf, 1)))],
        iterator_specs=lambda tf: [tf.data.IteratorSpec(_spec(tf)), tf.data.IteratorSpec(_spec(tf)) == tf.data.IteratorSpec(_spec(tf)), tf.data.IteratorSpec(_spec(tf)).is_compatible_with(iter(numbers(tf))), tf.data.IteratorSpec(_spec(tf)).value_type],
        structure_of=lambda tf: [tf.data.experimental.get_structure(numbers(tf)), tf.data.experimental.get_structure(iter(numbers(tf).batch(2)))],
        dataset_is_composite=lambda tf: [isinstance(numbers(tf), tf.__internal__.CompositeTensor), tf.nest.flatten(numbers(tf))[0] is not None, tf.is_tensor(numbers(tf)), [t.dtype for t in tf.nest.flatten(numbers(tf), expand_composites=True)]],
        dataset_is_trackable=lambda tf: [isinstance(numbers(tf), tf.__internal__.tracking.Trackable), isinstance(iter(numbers(tf)), tf.__internal__.tracking.Trackable)],
        dataset_ancestors=lambda tf: [cls.__name__ for cls in type(numbers(tf)).__mro__ if cls.__name__ in ("_RangeDataset", "DatasetSource", "Iterable")],
        dataset_is_a_dataset=lambda tf: [isinstance(d, tf.data.Dataset) for d in (numbers(tf), numbers(tf).map(lambda x: x), tf.data.TFRecordDataset([]), 3)],
        dataset_methods=lambda tf: sorted(name for name in dir(numbers(tf)) if not name.startswith("_")),
        dataset_equality=lambda tf: (lambda d: [d == d, d == numbers(tf), isinstance(hash(d), int), str(d) == repr(d)])(numbers(tf)),
        constants=lambda tf: [tf.data.AUTOTUNE, tf.data.INFINITE_CARDINALITY, tf.data.UNKNOWN_CARDINALITY, tf.data.experimental.AUTOTUNE, tf.data.experimental.INFINITE_CARDINALITY, tf.data.experimental.UNKNOWN_CARDINALITY, tf.data.experimental.SHARD_HINT],
        cardinality_is_a_tensor=lambda tf: numbers(tf).cardinality(),
        elements_are_not_shared=lambda tf: (lambda d: [x is y for x, y in zip(d, d)])(numbers(tf, 2)),
    )
)

globals().update(
    errors(
        numpy_iterator_of_datasets=lambda tf: list(numbers(tf).window(2).as_numpy_iterator()),
        numpy_iterator_of_optionals=lambda tf: list(tf.data.Dataset.from_tensors(tf.experimental.Optional.from_value(1)).as_numpy_iterator()),
        get_next_with_a_name=lambda tf: iter(numbers(tf)).get_next(name="x"),
        length_of_an_iterator=lambda tf: len(iter(numbers(tf))),
        structure_of_a_number=lambda tf: tf.data.experimental.get_structure(3),
        reversed_dataset=lambda tf: list(reversed(numbers(tf))),
        tensor_of_a_dataset=lambda tf: tf.convert_to_tensor(numbers(tf)),
        iterate_in_a_graph=lambda tf: _in_graph(tf, iter),
        length_in_a_graph=lambda tf: _in_graph(tf, len),
        numpy_iterator_in_a_graph=lambda tf: _in_graph(tf, lambda d: d.as_numpy_iterator()),
    )
)


def _in_graph(tf, call):
    with tf.Graph().as_default():
        return call(tf.data.Dataset.range(3))


def prog_next_with_default(tf, np):
    """Python's next takes a default."""
    iterator = iter(numbers(tf, 1))
    return [next(iterator, "end"), next(iterator, "end"), next(iterator, "end")]


def prog_save_and_restore_in_mid_shuffle(tf, np):
    """A restored iterator continues the same order."""
    tf.random.set_seed(5)
    iterator = numbers(tf, 10).shuffle(5, 3).batch(2).as_numpy_iterator()
    first = [next(iterator).tolist() for _ in range(2)]
    state = iterator.save()
    rest = [batch.tolist() for batch in iterator]
    iterator.restore(state)
    again = [batch.tolist() for batch in iterator]
    return [sorted(x for batch in first + rest for x in batch), rest == again]


def prog_iterator_outlives_its_dataset(tf, np):
    """Deleting the dataset does not stop an iterator."""
    dataset = numbers(tf)
    iterator = iter(dataset)
    del dataset
    return [int(x) for x in iterator]


def prog_iterator_dropped_half_way(tf, np):
    """A dataset can be iterated again after an iterator is dropped."""
    dataset = numbers(tf, 1000).prefetch(10)
    for x in dataset:
        if x == 3:
            break
    return order(dataset, 3)
