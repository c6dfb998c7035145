"""`DynamicRaggedShape`, `RowPartition` and `StructuredTensor`: what they are made of, say and refuse."""

from __future__ import annotations

from tests.oracle.programs._composite_helpers import deep, numbers, plain, staged, wide
from tests.oracle.support import printed


def _shape(tf):
    return tf.experimental.DynamicRaggedShape


def _row(tf):
    return tf.experimental.RowPartition


def _about(shape):
    """All that a shape says of itself."""
    out = {name: getattr(shape, name) for name in ("rank", "inner_rank", "num_row_partitions", "dtype")}
    out["partitions"] = [p.row_splits() for p in shape.row_partitions]
    out["inner_shape"] = shape.inner_shape
    out["lengths"] = shape.static_lengths()
    return out


def _about_row(partition):
    """All that a partition says of itself."""
    names = ("row_splits", "row_lengths", "row_starts", "row_limits", "value_rowids", "nrows", "nvals", "offsets_in_rows", "uniform_row_length", "is_uniform")
    static = ("static_nrows", "static_nvals", "static_uniform_row_length", "dtype")
    return {**{name: getattr(partition, name)() for name in names}, **{name: getattr(partition, name) for name in static}}


globals().update(
    plain(
        shape_of_ragged=lambda tf: [_about(tf.shape(x)) for x in (numbers(tf), deep(tf), wide(tf))],
        shape_from_tensor=lambda tf: [_about(_shape(tf).from_tensor(x)) for x in (numbers(tf), tf.ones([2, 3]), tf.constant(1))],
        shape_from_lengths=lambda tf: [_about(_shape(tf).from_lengths(n)) for n in ([2, (1, 2), 3], [2, 3], [], [2, (1, 2)], [2, (1, 2), (3, 4, 5)], [2, 3, (1, 2, 3, 4, 5, 6)])],
        shape_from_row_partitions=lambda tf: _about(_shape(tf).from_row_partitions([_row(tf).from_row_lengths([2, 1]), _row(tf).from_row_lengths([1, 2, 0])])),
        shape_of_constructor=lambda tf: _about(_shape(tf)([_row(tf).from_row_lengths([2, 1])], [3, 4])),
        shape_of_inner_only=lambda tf: _about(_shape(tf)([], [3, 4])),
        shape_printed=lambda tf: [f(s) for s in (tf.shape(deep(tf)), _shape(tf).from_lengths([2, 3]), _shape(tf).from_lengths([3, (1, 0, 2), 5])) for f in (repr, str)],
        shape_getitem=lambda tf: [tf.shape(wide(tf))[i] for i in (0, 2, -1)],
        shape_getitem_of_ragged=lambda tf: tf.shape(deep(tf))[1],
        shape_getitem_of_slices=lambda tf: [repr(tf.shape(deep(tf))[:2]), repr(tf.shape(deep(tf))[:]), repr(tf.shape(wide(tf))[1:])],
        shape_getitem_out_of_range=lambda tf: tf.shape(deep(tf))[5],
        shape_getitem_of_text=lambda tf: tf.shape(deep(tf))["a"],
        shape_is_uniform=lambda tf: [[tf.shape(wide(tf)).is_uniform(a) for a in (0, 1, 2)], [tf.shape(deep(tf)).is_uniform(a) for a in (0, 1, 2)]],
        shape_static_lengths=lambda tf: [tf.shape(x).static_lengths(ragged_lengths=r) for x in (numbers(tf), wide(tf)) for r in (True, False)],
        shape_with_dtype=lambda tf: [tf.shape(deep(tf)).with_dtype(d).dtype for d in (tf.int32, tf.int64)],
        shape_of_out_type=lambda tf: [tf.shape(numbers(tf), out_type=tf.int32).dtype, tf.shape(numbers(tf)).dtype],
        shape_equality=lambda tf: [tf.shape(numbers(tf)) == tf.shape(numbers(tf)), tf.shape(numbers(tf)) == tf.shape(deep(tf)), tf.shape(numbers(tf)) == 5],
        shape_hash=lambda tf: hash(tf.shape(numbers(tf))),
        shape_length=lambda tf: len(tf.shape(numbers(tf))),
        shape_immutable=lambda tf: setattr(tf.shape(numbers(tf)), "inner_shape", 1),
        shape_spec=lambda tf: [tf.type_spec_from_value(tf.shape(x)) for x in (numbers(tf), wide(tf))],
        shape_of_bad_lengths=lambda tf: _shape(tf).from_lengths([2, (1, 2, 3)]),
        shape_of_negative_lengths=lambda tf: _shape(tf).from_lengths([-1, 2]),
        shape_of_ragged_outer=lambda tf: _shape(tf).from_lengths([(1, 2), 3]),
        shape_of_text_lengths=lambda tf: _shape(tf).from_lengths(["a"]),
        shape_of_bad_partitions=lambda tf: _shape(tf)([1], [2]),
        shape_of_unchained_partitions=lambda tf: _shape(tf).from_row_partitions([_row(tf).from_row_lengths([2, 1]), _row(tf).from_row_lengths([1])]),
        shape_of_wrong_inner=lambda tf: _shape(tf)([_row(tf).from_row_lengths([2, 1])], [5]),
        shape_of_other_dtypes=lambda tf: _shape(tf)([_row(tf).from_row_lengths(tf.constant([2, 1], tf.int32))], tf.constant([3], tf.int64)),
        shape_of_no_partitions=lambda tf: _shape(tf).from_row_partitions([]),
        shape_in_a_function=lambda tf: tf.function(lambda s: tf.ones(s))(tf.shape(numbers(tf))),
        shape_from_a_function=lambda tf: repr(tf.function(lambda x: tf.shape(x))(numbers(tf))),
        broadcast_shapes=lambda tf: [repr(tf.broadcast_dynamic_shape(tf.shape(numbers(tf)), s)) for s in (_shape(tf).from_lengths([]), _shape(tf).from_lengths([3, 1]), _shape(tf).from_lengths([1, 1]))],
        broadcast_of_unlike_shapes=lambda tf: tf.broadcast_dynamic_shape(tf.shape(numbers(tf)), tf.shape(deep(tf))),
        broadcast_to_shape=lambda tf: [tf.broadcast_to(v, tf.shape(deep(tf))) for v in (7, [[[1]], [[2]], [[3]]])],
        broadcast_to_uniform=lambda tf: tf.broadcast_to([1, 2], _shape(tf).from_lengths([3, 2])),
        reshape_to_shape=lambda tf: [tf.reshape(tf.range(3), tf.shape(deep(tf))), tf.reshape(deep(tf), [3]), tf.reshape(tf.range(6), tf.shape(wide(tf)))],
        reshape_to_wrong_shape=lambda tf: tf.reshape(tf.range(4), tf.shape(deep(tf))),
        partition_of_splits=lambda tf: _about_row(_row(tf).from_row_splits([0, 2, 2, 5])),
        partition_of_lengths=lambda tf: _about_row(_row(tf).from_row_lengths([2, 0, 3])),
        partition_of_rowids=lambda tf: _about_row(_row(tf).from_value_rowids([0, 0, 2], nrows=4)),
        partition_of_rowids_alone=lambda tf: _about_row(_row(tf).from_value_rowids([0, 0, 2])),
        partition_of_starts=lambda tf: _about_row(_row(tf).from_row_starts([0, 2, 2], nvals=5)),
        partition_of_limits=lambda tf: _about_row(_row(tf).from_row_limits([2, 2, 5])),
        partition_of_uniform=lambda tf: _about_row(_row(tf).from_uniform_row_length(2, 6)),
        partition_of_uniform_zero=lambda tf: _about_row(_row(tf).from_uniform_row_length(0, nvals=0, nrows=3)),
        partition_of_dtypes=lambda tf: [_row(tf).from_row_lengths([1, 2], dtype=d).row_splits() for d in (tf.int32, tf.int64)] + [_row(tf).from_row_lengths(tf.constant([1], tf.int32)).dtype],
        partition_with_dtype=lambda tf: [_row(tf).from_row_lengths([1, 2]).with_dtype(d).row_splits() for d in (tf.int32, tf.int64)],
        partition_with_bad_dtype=lambda tf: _row(tf).from_row_lengths([1, 2]).with_dtype(tf.float32),
        partition_printed=lambda tf: [f(p) for p in (_row(tf).from_row_lengths([1, 2]), _row(tf).from_uniform_row_length(2, 6), _row(tf).from_value_rowids([0, 2])) for f in (repr, str)],
        partition_printed_in_graph=lambda tf: _in_graph(tf, lambda: repr(_row(tf).from_row_lengths([1, 2]))),
        partition_spec=lambda tf: [tf.type_spec_from_value(p) for p in (_row(tf).from_row_lengths([1, 2]), _row(tf).from_uniform_row_length(2, 6))],
        partition_in_a_function=lambda tf: tf.function(lambda p: p.row_lengths() * 2)(_row(tf).from_row_lengths([1, 2])),
        partition_from_a_function=lambda tf: tf.function(lambda n: _row(tf).from_row_lengths(n))(tf.constant([1, 2])).row_splits(),
        partition_of_ragged=lambda tf: [p.row_lengths() for p in tf.shape(deep(tf)).row_partitions],
        partition_constructor=lambda tf: _row(tf)([0, 1]),
        partition_of_falling_splits=lambda tf: _row(tf).from_row_splits([0, 3, 2]),
        partition_of_late_splits=lambda tf: _row(tf).from_row_splits([1, 2]),
        partition_of_no_splits=lambda tf: _row(tf).from_row_splits([]),
        partition_of_deep_splits=lambda tf: _row(tf).from_row_splits([[0, 1]]),
        partition_of_float_splits=lambda tf: _row(tf).from_row_splits([0.0, 1.0]),
        partition_of_negative_lengths=lambda tf: _row(tf).from_row_lengths([2, -1]),
        partition_of_falling_rowids=lambda tf: _row(tf).from_value_rowids([1, 0]),
        partition_of_rowids_over_nrows=lambda tf: _row(tf).from_value_rowids([0, 5], nrows=2),
        partition_of_starts_over_nvals=lambda tf: _row(tf).from_row_starts([0, 9], nvals=5),
        partition_of_remainder=lambda tf: _row(tf).from_uniform_row_length(2, 5),
        partition_of_negative_length=lambda tf: _row(tf).from_uniform_row_length(-2, 4),
        partition_unknown_nvals=lambda tf: _row(tf).from_uniform_row_length(2),
        partition_unvalidated=lambda tf: _row(tf).from_row_splits([0, 3, 2], validate=False).row_splits(),
        partition_nested=lambda tf: tf.nest.flatten(_row(tf).from_row_lengths([1, 2]), expand_composites=True),
    )
)


def _in_graph(tf, call):
    with tf.Graph().as_default():
        return call()


def _structured(tf):
    return tf.experimental.StructuredTensor


_NESTED = [{"a": [1, 2], "b": {"c": "x"}}, {"a": [3], "b": {"c": "y"}}]

globals().update(
    plain(
        structured_of_values=lambda tf: [repr(_structured(tf).from_pyval(v)) for v in ({"a": 1}, [{"a": 1}, {"a": 2}], _NESTED, {}, [{}], {"a": [[1], []]})],
        structured_to_pyval=lambda tf: [_structured(tf).from_pyval(v).to_pyval() for v in ({"a": 1}, [{"a": 1}, {"a": 2}], _NESTED, {"a": [[1], []]})],
        structured_field=lambda tf: (lambda s: [s.field_value("a"), s.field_value(("b", "c")), s["a"], s["b", "c"]])(_structured(tf).from_pyval({"a": [1], "b": {"c": 3}})),
        structured_names=lambda tf: (lambda s: [s.field_names(), s.rank, s.shape, s.nrows(), [p.row_splits() for p in s.row_partitions]])(_structured(tf).from_pyval(_NESTED)),
        structured_row=lambda tf: [repr(_structured(tf).from_pyval(_NESTED)[i]) for i in (0, -1)],
        structured_rows=lambda tf: repr(_structured(tf).from_pyval(_NESTED)[1:]),
        structured_field_of_row=lambda tf: _structured(tf).from_pyval(_NESTED)[:, "a"],
        structured_from_fields=lambda tf: repr(_structured(tf).from_fields({"a": [1, 2], "b": numbers(tf)[:2]}, shape=[2])),
        structured_from_fields_and_rank=lambda tf: repr(_structured(tf).from_fields_and_rank({"a": [[1, 2]]}, 2)),
        structured_from_shape=lambda tf: repr(_structured(tf).from_shape(tf.shape(numbers(tf)))),
        structured_updates=lambda tf: repr(_structured(tf).from_pyval({"a": 1, "b": {"c": 2}}).with_updates({"d": tf.constant(5), ("b", "c"): tf.constant(7), "a": None})),
        structured_partitioned=lambda tf: repr(_structured(tf).from_pyval([{"a": 1}, {"a": 2}, {"a": 3}]).partition_outer_dimension(tf.experimental.RowPartition.from_row_lengths([2, 1]))),
        structured_merged=lambda tf: repr(_structured(tf).from_pyval([[{"a": 1}], [{"a": 2}, {"a": 3}]]).merge_dims(0, 1)),
        structured_promoted=lambda tf: repr(_structured(tf).from_pyval([{"b": {"c": [1, 2]}}, {"b": {"c": [3]}}]).promote(("b", "c"), "d")),
        structured_spec=lambda tf: tf.type_spec_from_value(_structured(tf).from_pyval({"a": [1]})),
        structured_in_a_function=lambda tf: tf.function(lambda s: s.field_value("a") * 2)(_structured(tf).from_pyval([{"a": 1}, {"a": 2}])),
        structured_missing_field=lambda tf: _structured(tf).from_pyval({"a": 1}).field_value("z"),
        structured_of_mixed=lambda tf: _structured(tf).from_pyval([{"a": 1}, 5]),
        structured_of_other_keys=lambda tf: _structured(tf).from_pyval([{"a": 1}, {"b": 2}]),
        structured_of_mixed_types=lambda tf: _structured(tf).from_pyval([{"a": 1}, {"a": "x"}]),
        structured_of_wrong_shape=lambda tf: _structured(tf).from_fields({"a": [1, 2]}, shape=[3]),
        structured_bad_fields=lambda tf: _structured(tf).from_fields(5),
        structured_concat=lambda tf: repr(tf.concat([_structured(tf).from_pyval(_NESTED)] * 2, 0)),
        structured_stack=lambda tf: repr(tf.stack([_structured(tf).from_pyval({"a": 1})] * 2)),
        structured_expand=lambda tf: repr(tf.expand_dims(_structured(tf).from_pyval({"a": 1}), 0)),
        structured_size=lambda tf: [tf.size(_structured(tf).from_pyval(_NESTED)), tf.rank(_structured(tf).from_pyval(_NESTED))],
        structured_equality=lambda tf: [_structured(tf).from_pyval({"a": 1}) == _structured(tf).from_pyval({"a": 1}), _structured(tf).from_pyval({"a": 1}) == 5],
        structured_printed=lambda tf: printed(lambda: print(_structured(tf).from_pyval({"a": [1, 2]})))["stdout"],
        structured_random=lambda tf: repr(tf.random.shuffle(_structured(tf).from_pyval([{"a": 5}]), seed=1)),
        structured_gather=lambda tf: repr(tf.gather(_structured(tf).from_pyval(_NESTED), [1, 0])),
        structured_ones=lambda tf: repr(tf.ones_like(_structured(tf).from_pyval([{"a": 5}]))),
        structured_dataset=lambda tf: [s.to_pyval() for s in tf.data.Dataset.from_tensor_slices(_structured(tf).from_pyval(_NESTED))],
    )
)

globals().update(
    staged(
        shape_of_argument=lambda tf: (lambda x: [p.row_splits() for p in tf.shape(x).row_partitions], deep(tf)),
        ones_of_shape=lambda tf: (lambda x: [tf.ones(tf.shape(x)), tf.zeros(tf.shape(x), tf.string), tf.fill(tf.shape(x), 3)], deep(tf)),
        broadcast_column=lambda tf: (lambda x, y: tf.broadcast_to(y, tf.shape(x)), numbers(tf), tf.constant([[1], [2], [3]])),
        broadcast_wrong_rows=lambda tf: (lambda x, y: tf.broadcast_to(y, tf.shape(x)), numbers(tf), tf.constant([[1], [2]])),
        reshape_ragged_to_ragged=lambda tf: (lambda x: tf.reshape(x, tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 2)])), numbers(tf)),
        reshape_ragged_to_dense=lambda tf: (lambda x: tf.reshape(x, [3, 1]), numbers(tf)),
        reshape_of_unknown=lambda tf: (lambda x: tf.reshape(x, [-1]), deep(tf)),
        inner_shape=lambda tf: (lambda x: tf.shape(x).inner_shape, wide(tf)),
        length_of_axis=lambda tf: (lambda x: [tf.shape(x)[0], tf.shape(x)[2]], wide(tf)),
        random_uniform_of_shape=lambda tf: (lambda x: tf.ones_like(tf.random.uniform(tf.shape(x))), numbers(tf)),
    )
)
