"""Type specs of every kind: construction, printing, compatibility, supertypes, components, batching, functions."""

from __future__ import annotations

import copy
import pickle

from tests.oracle.programs._composite_helpers import deep, numbers, outcome, plain, sparse


def _specs(tf):
    """One or two specs of every public kind."""
    return {
        "dense": tf.TensorSpec([2, None], tf.int32, name="t"),
        "bounded": tf.TensorSpec([], tf.float32),
        "unknown": tf.TensorSpec(None, tf.string),
        "ragged": tf.RaggedTensorSpec([None, None], tf.int32),
        "ragged_deep": tf.RaggedTensorSpec([2, None, None, 3], tf.float32, ragged_rank=2, row_splits_dtype=tf.int32),
        "sparse": tf.SparseTensorSpec([3, None], tf.int32),
        "sparse_unknown": tf.SparseTensorSpec(None, tf.float32),
        "slices": tf.IndexedSlicesSpec([None, 2], tf.float32),
        "array": tf.TensorArraySpec([2], tf.int32),
        "optional": tf.OptionalSpec(tf.TensorSpec([], tf.int32)),
        "dataset": tf.data.DatasetSpec(tf.TensorSpec([], tf.int32)),
        "partition": tf.type_spec_from_value(tf.experimental.RowPartition.from_row_lengths([1, 2])),
        "shape": tf.type_spec_from_value(tf.shape(numbers(tf))),
    }


def _each(f):
    return lambda tf: {name: outcome(lambda: f(tf, spec), 10) for name, spec in _specs(tf).items()}


def _values(tf):
    return {"dense": tf.constant([[1, 2], [3, 4]]), "ragged": numbers(tf), "deep": deep(tf), "sparse": sparse(tf), "number": 5, "none": None, "list": [[1, 2]]}


globals().update(
    plain(
        limit=10,
        printed=_each(lambda tf, s: [repr(s), str(s)]),
        value_types=_each(lambda tf, s: s.value_type.__name__),
        classes=_each(lambda tf, s: type(s).__name__),
        equality=_each(lambda tf, s: [s == s, s == copy.copy(s), s != s, s == 5, hash(s) == hash(copy.copy(s))]),
        pickled=_each(lambda tf, s: pickle.loads(pickle.dumps(s)) == s),
        copied=_each(lambda tf, s: copy.deepcopy(s) == s),
        of_itself=_each(lambda tf, s: [s.is_compatible_with(s), s.is_subtype_of(s), s.most_specific_common_supertype([s]), s.most_specific_compatible_type(s)]),
        of_others=lambda tf: {a: [b for b, other in _specs(tf).items() if spec.is_compatible_with(other)] for a, spec in _specs(tf).items()},
        subtypes=lambda tf: {a: [b for b, other in _specs(tf).items() if spec.is_subtype_of(other)] for a, spec in _specs(tf).items()},
        supertypes_of_others=lambda tf: {a: [b for b, other in _specs(tf).items() if spec.most_specific_common_supertype([other]) is not None] for a, spec in _specs(tf).items()},
        compatible_values=lambda tf: {a: [b for b, value in _values(tf).items() if outcome(lambda: spec.is_compatible_with(value)) is True] for a, spec in _specs(tf).items()},
        from_values=lambda tf: {name: outcome(lambda: tf.type_spec_from_value(value), 6) for name, value in _values(tf).items()},
        from_more_values=lambda tf, np: [outcome(lambda: tf.type_spec_from_value(v), 5) for v in (tf.Variable(1.0), np.ones(2), np.float32(1), "a", b"a", True, 1.5, [1, 2], (), {"a": 1}, tf.TensorArray(tf.int32, 2), tf.IndexedSlices([1.0], [0]), tf.data.Dataset.range(2))],
        mutated=_each(lambda tf, s: setattr(s, "shape", [1])),
        ragged_properties=lambda tf: (lambda s: [s.shape, s.dtype, s.ragged_rank, s.row_splits_dtype, s.flat_values_spec, s.value_type.__name__])(tf.RaggedTensorSpec([2, None, None, 3], tf.float32, 2, tf.int32)),
        ragged_defaults=lambda tf: [tf.RaggedTensorSpec([None, None]), tf.RaggedTensorSpec([3, None, 2]), tf.RaggedTensorSpec([None, None, None]), tf.RaggedTensorSpec([None, None], ragged_rank=0)],
        ragged_rank_too_high=lambda tf: tf.RaggedTensorSpec([2, None], ragged_rank=2),
        ragged_rank_below_zero=lambda tf: tf.RaggedTensorSpec([2, None], ragged_rank=-1),
        ragged_without_shape=lambda tf: tf.RaggedTensorSpec(),
        ragged_of_unknown_shape=lambda tf: tf.RaggedTensorSpec(None, ragged_rank=1),
        ragged_of_bad_splits=lambda tf: tf.RaggedTensorSpec([None, None], row_splits_dtype=tf.float32),
        ragged_of_text_rank=lambda tf: tf.RaggedTensorSpec([None, None], ragged_rank="a"),
        ragged_from_value=lambda tf: [tf.RaggedTensorSpec.from_value(v) for v in (numbers(tf), deep(tf))],
        ragged_from_tensor=lambda tf: tf.RaggedTensorSpec.from_value(tf.constant([1])),
        ragged_compatible=lambda tf: [tf.RaggedTensorSpec([None, None], tf.int32).is_compatible_with(v) for v in (numbers(tf), deep(tf), tf.cast(numbers(tf), tf.int64), numbers(tf).with_row_splits_dtype(tf.int32))],
        ragged_supertype=lambda tf: [tf.type_spec_from_value(numbers(tf)).most_specific_common_supertype([tf.type_spec_from_value(o)]) for o in (numbers(tf)[:1], deep(tf), tf.cast(numbers(tf), tf.int64))],
        ragged_merged=lambda tf: [outcome(lambda: tf.RaggedTensorSpec([2, None], tf.int32).most_specific_compatible_type(o), 8) for o in (tf.RaggedTensorSpec([3, None], tf.int32), tf.RaggedTensorSpec([3, None], tf.int64), tf.TensorSpec([3, 2], tf.int32))],
        ragged_with_flat_values=lambda tf: tf.RaggedTensorSpec([None, None, 2], tf.int32, ragged_rank=1, flat_values_spec=tf.TensorSpec([None, 2], tf.int32)),
        ragged_of_two_dtypes=lambda tf: tf.RaggedTensorSpec([None, None], tf.int32, flat_values_spec=tf.TensorSpec([None], tf.float32)),
        sparse_properties=lambda tf: (lambda s: [s.shape, s.dtype, s.value_type.__name__])(tf.SparseTensorSpec([3, None], tf.int32)),
        sparse_defaults=lambda tf: [tf.SparseTensorSpec(), tf.SparseTensorSpec([2]), tf.SparseTensorSpec(dtype=tf.string)],
        sparse_from_value=lambda tf: [outcome(lambda: tf.SparseTensorSpec.from_value(v), 8) for v in (sparse(tf), tf.compat.v1.SparseTensorValue([[0]], [1], [3]), tf.constant(1))],
        sparse_compatible=lambda tf: [tf.SparseTensorSpec([3, None], tf.int32).is_compatible_with(v) for v in (sparse(tf), tf.sparse.SparseTensor([[0]], [1], [3]), tf.sparse.SparseTensor([[0, 0]], [1.0], [3, 2]))],
        sparse_supertype=lambda tf: [tf.SparseTensorSpec([3, 2], tf.int32).most_specific_common_supertype([o]) for o in (tf.SparseTensorSpec([4, 2], tf.int32), tf.SparseTensorSpec([4], tf.int32), tf.SparseTensorSpec([3, 2], tf.int64))],
        sparse_of_bad_shape=lambda tf: tf.SparseTensorSpec("a"),
        slices_properties=lambda tf: (lambda s: [s.value_type.__name__, repr(s)])(tf.IndexedSlicesSpec([None, 2], tf.float32, tf.int32, tf.int64, [None])),
        array_properties=lambda tf: [repr(tf.TensorArraySpec([2], tf.int32, dynamic_size=True, infer_shape=False)), tf.TensorArraySpec([2], tf.int32).value_type.__name__, tf.TensorArraySpec.from_value(tf.TensorArray(tf.int32, 2, element_shape=[3]))],
        optional_properties=lambda tf: [repr(tf.OptionalSpec(tf.RaggedTensorSpec([None, None], tf.int32))), tf.OptionalSpec.from_value(tf.experimental.Optional.from_value(numbers(tf)))],
        tensor_supertypes=lambda tf: [tf.TensorSpec([2, 3], tf.int32).most_specific_common_supertype([o]) for o in (tf.TensorSpec([2, 4], tf.int32), tf.TensorSpec([2], tf.int32), tf.TensorSpec([2, 3], tf.int64), tf.TensorSpec(None, tf.int32))],
        tensor_common_supertype_of_many=lambda tf: tf.TensorSpec([2, 3], tf.int32).most_specific_common_supertype([tf.TensorSpec([2, 4], tf.int32), tf.TensorSpec([5, 3], tf.int32)]),
        tensor_compatible_types=lambda tf: [outcome(lambda: tf.TensorSpec([2, 3], tf.int32).most_specific_compatible_type(o), 8) for o in (tf.TensorSpec([2, 4], tf.int32), tf.TensorSpec([2], tf.int32), tf.TensorSpec([2, 3], tf.int64), tf.RaggedTensorSpec([2, None], tf.int32))],
        abstract_type_spec=lambda tf: outcome(lambda: tf.TypeSpec(), 5),  # the rest is Python's, other in each version
        function_of_specs=lambda tf: {name: outcome(lambda: [t.name.split(":")[0] and t.dtype for t in tf.function(lambda x: x).get_concrete_function(spec).inputs], 6) for name, spec in _specs(tf).items() if name != "unknown"},
        nested_signature=lambda tf: tf.function(lambda d: d["r"] + d["t"][0], input_signature=[{"r": tf.RaggedTensorSpec([None, None], tf.int32), "t": [tf.TensorSpec([], tf.int32)]}])({"r": numbers(tf), "t": [tf.constant(10)]}),
        spec_in_structure=lambda tf: tf.nest.flatten({"a": tf.RaggedTensorSpec([None, None]), "b": [tf.SparseTensorSpec([2])]}),
        spec_expanded=lambda tf: tf.nest.flatten(tf.RaggedTensorSpec([2, None], tf.int32), expand_composites=True),
        sparse_spec_expanded=lambda tf: tf.nest.flatten(tf.SparseTensorSpec([2, None], tf.int32), expand_composites=True),
        packed_by_spec=lambda tf: tf.nest.pack_sequence_as(tf.RaggedTensorSpec([None, None], tf.int32), [tf.constant([1, 2]), tf.constant([0, 1, 2], tf.int64)], expand_composites=True),
        sparse_packed_by_spec=lambda tf: tf.nest.pack_sequence_as(tf.SparseTensorSpec([3, 2], tf.int32), tf.nest.flatten(sparse(tf), expand_composites=True), expand_composites=True),
        structure_with_specs=lambda tf: [outcome(lambda: tf.nest.assert_same_structure(numbers(tf), s, expand_composites=True), 5) for s in (tf.RaggedTensorSpec([None, None], tf.int32), tf.RaggedTensorSpec([None, None], tf.float32), tf.TensorSpec([None]))],
        names_in_dir=lambda tf: sorted(n for n in dir(tf.TypeSpec) if not n.startswith("_")),
        tensor_from_spec=lambda tf: [tf.TensorSpec.from_spec(tf.TensorSpec([2], tf.int32, "a"), name="b"), tf.TensorSpec.from_tensor(tf.constant([1.0]), name="c")],
        array_spec_refuses=lambda tf: tf.TensorArraySpec.from_value(5),
        specs_of_datasets=lambda tf: [repr(tf.data.Dataset.from_tensors({"r": numbers(tf), "s": sparse(tf)}).element_spec), repr(tf.data.Dataset.from_tensor_slices({"r": numbers(tf), "s": sparse(tf)}).batch(2).element_spec)],
        dataset_structure=lambda tf: tf.data.experimental.get_structure({"r": numbers(tf), "s": sparse(tf), "t": 1}),
    )
)
