"""Datasets whose elements hold ragged tensors, sparse tensors and extension types: transforms, specs, iteration, errors."""

from __future__ import annotations

from tests.oracle.programs._composite_helpers import deep, numbers, outcome, plain, sparse, words


def _slices(tf, *values):
    return tf.data.Dataset.from_tensor_slices(values if len(values) > 1 else values[0])


def _seen(dataset, limit=20):
    """The spec and the first elements of a dataset."""
    return [dataset.element_spec, list(dataset.take(limit))]


def _point(tf):
    fields = {"__annotations__": {"x": tf.Tensor, "r": tf.RaggedTensor}, "__module__": __name__}
    return type("Point", (tf.experimental.BatchableExtensionType,), fields)


def _points(tf):
    return _slices(tf, _point(tf)([1, 2, 3], numbers(tf)))


def _fields(value):
    return [value.x, value.r]


def _rows(tf, count=4):
    return tf.data.Dataset.range(count).map(lambda n: tf.RaggedTensor.from_row_lengths(tf.range(n), tf.stack([n, 0])))


def _loop(tf):
    @tf.function
    def total(dataset):
        out = tf.constant(0, tf.int32)
        for rows in dataset:
            out += tf.reduce_sum(rows)
        return out

    return total(_slices(tf, deep(tf)))


def _sparse_loop(tf):
    @tf.function
    def total(dataset):
        out = tf.constant(0, tf.int32)
        for row in dataset:
            out += tf.reduce_sum(row.values)
        return out

    return total(_slices(tf, sparse(tf)))


def _iterator_spec(tf):
    iterator = iter(_slices(tf, numbers(tf)).batch(2))
    return [iterator.element_spec, next(iterator), iterator.get_next(), outcome(lambda: next(iterator))]


def _map_to_structures(tf):
    dataset = _slices(tf, words(tf)).map(lambda row: {"n": tf.size(row), "parts": tf.strings.split(row)})
    return _seen(dataset)


def _optional(tf):
    optional = iter(_slices(tf, numbers(tf))).get_next_as_optional()
    return [optional.has_value(), optional.get_value(), optional.element_spec]


globals().update(
    plain(
        limit=10,
        slices_of_rows=lambda tf: _seen(_slices(tf, numbers(tf))),
        slices_of_deep=lambda tf: _seen(_slices(tf, deep(tf))),
        slices_of_sparse=lambda tf: _seen(_slices(tf, sparse(tf))),
        slices_of_many=lambda tf: _seen(_slices(tf, {"r": numbers(tf), "s": sparse(tf), "d": [1, 2, 3]})),
        tensors_of_many=lambda tf: _seen(tf.data.Dataset.from_tensors({"r": deep(tf), "s": sparse(tf)})),
        slices_of_unlike_sizes=lambda tf: _slices(tf, numbers(tf), [1, 2]),
        batch=lambda tf: _seen(_slices(tf, numbers(tf)).batch(2)),
        batch_of_deep=lambda tf: _seen(_slices(tf, deep(tf)).batch(2)),
        batch_dropping=lambda tf: _seen(_slices(tf, numbers(tf)).batch(2, drop_remainder=True)),
        batch_of_sparse=lambda tf: _seen(_slices(tf, sparse(tf)).batch(2)),
        batch_of_batches=lambda tf: _seen(_slices(tf, numbers(tf)).batch(2).batch(2)),
        batch_of_whole_ragged=lambda tf: _seen(_rows(tf).batch(2)),
        unbatch=lambda tf: _seen(_slices(tf, numbers(tf)).batch(2).unbatch()),
        unbatch_of_sparse=lambda tf: _seen(_slices(tf, sparse(tf)).batch(3).unbatch()),
        unbatch_of_mapped=lambda tf: _seen(_slices(tf, numbers(tf)).batch(2).map(lambda rows: tf.concat([rows, rows], 1)).unbatch()),
        ragged_batch=lambda tf: _seen(tf.data.Dataset.range(4).map(tf.range).ragged_batch(3)),
        ragged_batch_of_matrices=lambda tf: _seen(tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n, 2], n)).ragged_batch(2)),
        ragged_batch_of_ragged=lambda tf: _seen(_slices(tf, deep(tf)).ragged_batch(2)),
        padded_batch_of_rows=lambda tf: _seen(_slices(tf, numbers(tf)).padded_batch(2)),
        rebatch=lambda tf: _seen(_slices(tf, numbers(tf)).batch(2).rebatch(3)),
        mapped=lambda tf: _seen(_slices(tf, numbers(tf)).batch(2).map(lambda rows: rows * 2)),
        mapped_in_parallel=lambda tf: _seen(_slices(tf, numbers(tf)).batch(1).map(lambda rows: rows[:, :1], num_parallel_calls=2)),
        mapped_to_dense=lambda tf: _seen(_slices(tf, numbers(tf)).batch(2).map(lambda rows: rows.to_tensor())),
        mapped_to_sparse=lambda tf: _seen(_slices(tf, numbers(tf)).batch(2).map(lambda rows: rows.to_sparse())),
        mapped_sparse_to_ragged=lambda tf: _seen(tf.data.Dataset.from_tensors(numbers(tf).to_sparse()).map(tf.RaggedTensor.from_sparse)),
        mapped_to_structures=_map_to_structures,
        mapped_of_pairs=lambda tf: _seen(_slices(tf, numbers(tf), [10, 20, 30]).batch(3).map(lambda r, d: r + d[:, tf.newaxis])),
        filtered=lambda tf: _seen(_slices(tf, numbers(tf)).filter(lambda row: tf.size(row) > 0)),
        filtered_batches=lambda tf: _seen(_slices(tf, numbers(tf)).batch(1).filter(lambda rows: tf.size(rows.flat_values) > 1)),
        flat_mapped=lambda tf: _seen(tf.data.Dataset.from_tensors(deep(tf)).flat_map(tf.data.Dataset.from_tensor_slices)),
        interleaved=lambda tf: _seen(_slices(tf, deep(tf)).interleave(lambda rows: tf.data.Dataset.from_tensors(rows), cycle_length=2)),
        concatenated=lambda tf: _seen(_slices(tf, numbers(tf)).concatenate(_slices(tf, tf.ragged.constant([[9]])))),
        concatenated_batches=lambda tf: _seen(_slices(tf, numbers(tf)).batch(2).concatenate(_slices(tf, tf.ragged.constant([[9]])).batch(1))),
        zipped=lambda tf: _seen(tf.data.Dataset.zip((_slices(tf, numbers(tf)).batch(1), tf.data.Dataset.range(3)))),
        enumerated=lambda tf: _seen(_slices(tf, numbers(tf)).batch(2).enumerate()),
        repeated=lambda tf: _seen(_slices(tf, numbers(tf)).batch(3).repeat(2)),
        cached=lambda tf: (lambda d: [list(d), list(d)])(_slices(tf, numbers(tf)).batch(2).cache()),
        prefetched=lambda tf: _seen(_slices(tf, sparse(tf)).prefetch(1)),
        shuffled=lambda tf: sorted(repr(e.numpy().tolist()) for e in _slices(tf, numbers(tf)).shuffle(3, seed=1)),
        taken_and_skipped=lambda tf: _seen(_slices(tf, numbers(tf)).batch(1).skip(1).take(1)),
        windows=lambda tf: [list(w) for w in _slices(tf, numbers(tf)).window(2)],
        windows_batched=lambda tf: _seen(_slices(tf, numbers(tf)).window(2).flat_map(lambda w: w.batch(2))),
        reduced=lambda tf: _slices(tf, numbers(tf)).batch(2).reduce(tf.constant(0), lambda s, rows: s + tf.reduce_sum(rows)),
        reduced_to_ragged=lambda tf: outcome(lambda: _slices(tf, numbers(tf)).batch(1).reduce(tf.ragged.constant([[0]]), lambda s, rows: rows), 5),
        scanned=lambda tf: _seen(_slices(tf, numbers(tf)).scan(tf.constant(0), lambda s, row: (s + tf.reduce_sum(row), s))),
        grouped=lambda tf: _seen(_slices(tf, numbers(tf)).group_by_window(lambda row: tf.size(row, tf.int64), lambda key, w: w.batch(5), window_size=5)),
        bucketed=lambda tf: _seen(tf.data.Dataset.range(4).map(tf.range).bucket_by_sequence_length(lambda row: tf.size(row), [2], [2, 2])),
        uniqued=lambda tf: outcome(lambda: list(_slices(tf, numbers(tf)).batch(1).unique()), 5),
        generated=lambda tf: _seen(tf.data.Dataset.from_generator(lambda: iter([tf.ragged.constant([[1], []]), tf.ragged.constant([[2, 3]])]), output_signature=tf.RaggedTensorSpec([None, None], tf.int32))),
        generated_of_other_dtype=lambda tf: outcome(lambda: list(tf.data.Dataset.from_generator(lambda: iter([tf.ragged.constant([["a"]])]), output_signature=tf.RaggedTensorSpec([None, None], tf.int32))), 1)[0],
        numpy_iterator=lambda tf: [[row.tolist() for row in rows] for rows in _slices(tf, numbers(tf)).batch(3).as_numpy_iterator()],
        numpy_iterator_of_sparse=lambda tf: [type(v).__name__ for v in _slices(tf, sparse(tf)).as_numpy_iterator()],
        loop=_loop,
        sparse_loop=_sparse_loop,
        iterator=_iterator_spec,
        optional=_optional,
        get_single_element=lambda tf: _slices(tf, numbers(tf)).batch(3).get_single_element(),
        snapshot_of_points=lambda tf: [_fields(p) for p in _points(tf)],
        points_batched=lambda tf: [[repr(_points(tf).batch(2).element_spec)], [_fields(p) for p in _points(tf).batch(2)]],
        points_mapped=lambda tf: [_fields(p) for p in _points(tf).batch(3).map(lambda p: type(p)(p.x * 2, p.r + 1))],
        points_unbatched=lambda tf: [_fields(p) for p in _points(tf).batch(2).unbatch()],
        dense_to_ragged_batch=lambda tf: _seen(tf.data.Dataset.range(3).map(tf.range).apply(tf.data.experimental.dense_to_ragged_batch(2))),
        dense_to_sparse_batch=lambda tf: _seen(tf.data.Dataset.range(3).map(tf.range).apply(tf.data.experimental.dense_to_sparse_batch(2, [4]))),
        sparse_batch=lambda tf: _seen(tf.data.Dataset.range(3).map(tf.range).sparse_batch(2, [4])),
        sparse_batch_too_short=lambda tf: list(tf.data.Dataset.range(4).map(tf.range).sparse_batch(4, [2])),
        structure=lambda tf: [tf.data.experimental.get_structure(_slices(tf, numbers(tf))), _slices(tf, numbers(tf)).batch(2).element_spec],
        cardinality=lambda tf: [len(_slices(tf, d)) for d in (numbers(tf), deep(tf), sparse(tf))],
        text_pipeline=lambda tf: _seen(_slices(tf, ["a b", "c", ""]).batch(2).map(lambda t: tf.strings.split(t)).map(lambda w: tf.strings.length(w))),
        choose=lambda tf: _seen(tf.data.Dataset.choose_from_datasets([_slices(tf, numbers(tf)), _slices(tf, tf.ragged.constant([[7]]))], tf.data.Dataset.from_tensor_slices(tf.constant([0, 1, 0], tf.int64)))),
        assert_cardinality=lambda tf: _seen(_slices(tf, numbers(tf)).batch(2).apply(tf.data.experimental.assert_cardinality(2))),
    )
)
