"""Datasets of ragged and sparse tensors, tensor arrays and tables."""

from __future__ import annotations

from tests.oracle.programs._data_helpers import about, cases, elements, errors, numbers, order, rows


def _sparse(tf):
    return tf.sparse.SparseTensor([[0, 1], [2, 0]], [5, 7], [3, 2])


def _parts(sparse):
    return [sparse.indices, sparse.values, sparse.dense_shape]


globals().update(
    cases(
        ragged_slices=lambda tf: (lambda d: [about(d), elements(d)])(tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3]]))),
        ragged_tensor=lambda tf: (lambda d: [about(d), elements(d)])(tf.data.Dataset.from_tensors(tf.ragged.constant([[1, 2], []]))),
        ragged_batch=lambda tf: (lambda d: [about(d), elements(d)])(rows(tf).ragged_batch(2)),
        ragged_batch_drop=lambda tf: about(rows(tf).ragged_batch(2, drop_remainder=True)),
        ragged_batch_of_int32_splits=lambda tf: elements(rows(tf, 3).ragged_batch(2, row_splits_dtype=tf.int32)),
        ragged_batch_of_scalars=lambda tf: elements(numbers(tf).ragged_batch(2)),
        ragged_batch_of_dicts=lambda tf: elements(rows(tf, 3).map(lambda x: {"a": x, "b": 1}).ragged_batch(3)),
        ragged_map=lambda tf: elements(tf.data.Dataset.from_tensors(tf.ragged.constant([[1, 2], []])).map(lambda x: x * 10)),
        ragged_from_map=lambda tf: elements(numbers(tf, 3).map(lambda x: tf.RaggedTensor.from_row_lengths(tf.range(x), [x, 0]))),
        ragged_slices_batched=lambda tf: elements(tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3]])).batch(2)),
        ragged_of_three_dimensions=lambda tf: elements(tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[[1], [2, 3]], [[]]]))),
        ragged_unbatch=lambda tf: elements(tf.data.Dataset.from_tensors(tf.ragged.constant([[1, 2], []])).unbatch()),
        ragged_generator=lambda tf: elements(tf.data.Dataset.from_generator(lambda: [tf.ragged.constant([[1, 2], [3]])], output_signature=tf.RaggedTensorSpec([2, None], tf.int32))),
        ragged_numpy=lambda tf: [row.tolist() for element in tf.data.Dataset.from_tensors(tf.ragged.constant([[1], [2, 3]])).as_numpy_iterator() for row in element],
        ragged_zip=lambda tf: elements(tf.data.Dataset.zip(numbers(tf, 2), tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2], []])))),
        ragged_filter=lambda tf: elements(rows(tf, 4).ragged_batch(2).filter(lambda x: x.nrows() > 1)),
        ragged_text=lambda tf: elements(tf.data.Dataset.from_tensor_slices(["a b", "c"]).map(tf.strings.split).ragged_batch(2)),
        ragged_dense_to_ragged=lambda tf: elements(rows(tf, 3).apply(tf.data.experimental.dense_to_ragged_batch(2))),
        ragged_cached=lambda tf: (lambda d: [elements(d), elements(d)])(rows(tf, 3).ragged_batch(2).cache()),
        ragged_bucket=lambda tf: elements(rows(tf, 4).ragged_batch(2).unbatch()),
        ragged_shuffled=lambda tf: (tf.random.set_seed(1), elements(tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3]])).shuffle(3, 5)))[1],
        ragged_reduce=lambda tf: rows(tf, 4).ragged_batch(2).reduce(tf.constant(0, tf.int64), lambda s, x: s + tf.reduce_sum(x)),
        ragged_cardinality=lambda tf: len(tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2], []]))),
        sparse_slices=lambda tf: (lambda d: [about(d), [_parts(x) for x in d]])(tf.data.Dataset.from_tensor_slices(_sparse(tf))),
        sparse_tensor=lambda tf: (lambda d: [about(d), [_parts(x) for x in d]])(tf.data.Dataset.from_tensors(_sparse(tf))),
        sparse_batch=lambda tf: (lambda d: [about(d), [_parts(x) for x in d]])(rows(tf, 3).sparse_batch(2, [4])),
        sparse_batch_of_matrices=lambda tf: [_parts(x) for x in numbers(tf, 3).map(lambda x: tf.fill([x, 1], x)).sparse_batch(3, [3, 2])],
        sparse_batched=lambda tf: [_parts(x) for x in tf.data.Dataset.from_tensor_slices(_sparse(tf)).batch(2)],
        sparse_map=lambda tf: [_parts(x) for x in tf.data.Dataset.from_tensors(_sparse(tf)).map(lambda x: x * 2)],
        sparse_to_dense=lambda tf: elements(tf.data.Dataset.from_tensor_slices(_sparse(tf)).map(tf.sparse.to_dense)),
        sparse_from_map=lambda tf: [_parts(x) for x in numbers(tf, 2).map(lambda x: tf.sparse.from_dense([x, 0, 3]))],
        sparse_unbatch=lambda tf: [_parts(x) for x in tf.data.Dataset.from_tensors(_sparse(tf)).unbatch()],
        sparse_numpy=lambda tf: [type(x).__name__ for x in tf.data.Dataset.from_tensors(tf.sparse.eye(2)).as_numpy_iterator()],
        sparse_and_dense=lambda tf: [[order([a]), _parts(b)] for a, b in tf.data.Dataset.from_tensor_slices(([1, 2, 3], _sparse(tf)))],
        sparse_generator=lambda tf: [_parts(x) for x in tf.data.Dataset.from_generator(lambda: [_sparse(tf)], output_signature=tf.SparseTensorSpec([3, 2], tf.int32))],
        sparse_filter=lambda tf: [_parts(x) for x in tf.data.Dataset.from_tensor_slices(_sparse(tf)).filter(lambda x: tf.size(x.values) > 0)],
        dense_to_sparse_batch=lambda tf: [_parts(x) for x in rows(tf, 3).apply(tf.data.experimental.dense_to_sparse_batch(2, [4]))],
        from_sparse_tensor_slices=lambda tf: elements(tf.compat.v1.data.Dataset.from_sparse_tensor_slices(_sparse(tf))),
        tensor_array=lambda tf: [x.stack() for x in tf.data.Dataset.from_tensors(0).map(lambda x: tf.TensorArray(tf.int32, 2, element_shape=[]).unstack([x, 7]))],
        table_in_a_map=lambda tf: order(tf.data.Dataset.from_tensor_slices(["b", "z", "a"]).map(tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1).lookup)),
        table_from_dataset=lambda tf: tf.data.experimental.table_from_dataset(tf.data.Dataset.zip((tf.data.Dataset.from_tensor_slices(["a", "b"]), tf.data.Dataset.range(2))), default_value=-1).lookup(tf.constant(["b", "x"])),
        index_table_from_dataset=lambda tf: tf.data.experimental.index_table_from_dataset(tf.data.Dataset.from_tensor_slices(["a", "b"])).lookup(tf.constant(["b", "a", "x"])),
        index_table_with_buckets=lambda tf: tf.data.experimental.index_table_from_dataset(tf.data.Dataset.from_tensor_slices(["a", "b"]), num_oov_buckets=1).lookup(tf.constant(["b", "x"])),
        dataset_initializer=lambda tf: tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(tf.data.Dataset.zip((tf.data.Dataset.from_tensor_slices(["a", "b"]), tf.data.Dataset.range(2)))), -1).lookup(tf.constant(["a", "x"])),
        specs=lambda tf: [tf.data.DatasetSpec(tf.RaggedTensorSpec([None, None], tf.int32)), tf.data.DatasetSpec(tf.SparseTensorSpec([3], tf.int32)), tf.data.DatasetSpec(tf.TensorArraySpec([], tf.int32))],
    )
)

globals().update(
    errors(
        ragged_and_dense_of_different_sizes=lambda tf: tf.data.Dataset.from_tensor_slices((tf.ragged.constant([[1], []]), [1, 2, 3])),
        sparse_batch_of_tuples=lambda tf: tf.data.Dataset.zip(rows(tf), rows(tf)).sparse_batch(2, [4]),
        sparse_batch_too_small=lambda tf: elements(rows(tf).sparse_batch(5, [2])),
        sparse_batch_of_zero=lambda tf: rows(tf).sparse_batch(0, [4]),
        padded_batch_of_sparse=lambda tf: tf.data.Dataset.from_tensors(_sparse(tf)).padded_batch(2),
        padded_batch_of_ragged=lambda tf: tf.data.Dataset.from_tensors(tf.ragged.constant([[1]])).padded_batch(2),
        ragged_batch_of_zero=lambda tf: rows(tf).ragged_batch(0),
    )
)
