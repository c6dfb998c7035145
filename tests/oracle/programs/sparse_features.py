"""What feature models use: embedding lookups, bincounts, crosses, counts of sparse outputs, serialized sparse tensors."""

from __future__ import annotations

from tests.oracle.programs._composite_helpers import numbers, sparse, sparse_floats, staged


def _params(tf):
    return tf.reshape(tf.range(12, dtype=tf.float32), [4, 3])


def _ids(tf, dtype="int64"):
    return tf.sparse.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 0]], tf.constant([1, 3, 0, 1], dtype), [4, 2])


def _weights(tf):
    return tf.sparse.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 0]], [2.0, 0.5, 1.0, 3.0], [4, 2])


def _lookup_gradient(tf, params, combiner):
    with tf.GradientTape() as tape:
        tape.watch(params)
        total = tf.reduce_sum(tf.nn.embedding_lookup_sparse(params, _ids(tf), _weights(tf), combiner) ** 2)
    return tf.convert_to_tensor(tape.gradient(total, params))


def _texts(tf):
    return tf.sparse.SparseTensor([[0, 0], [1, 0], [1, 1]], ["a", "b", "c"], [2, 2])


def _more_texts(tf):
    return tf.sparse.SparseTensor([[0, 0], [0, 1], [1, 0]], ["d", "e", "f"], [2, 2])


globals().update(
    staged(
        embedding_mean=lambda tf: (lambda p, i: tf.nn.embedding_lookup_sparse(p, i, None), _params(tf), _ids(tf)),
        embedding_combiners=lambda tf: (lambda p, i, w: [tf.nn.embedding_lookup_sparse(p, i, w, c) for c in ("sum", "mean", "sqrtn")], _params(tf), _ids(tf), _weights(tf)),
        embedding_unweighted=lambda tf: (lambda p, i: [tf.nn.embedding_lookup_sparse(p, i, None, c) for c in ("sum", "mean", "sqrtn")], _params(tf), _ids(tf)),
        embedding_of_int32=lambda tf: (lambda p, i: tf.nn.embedding_lookup_sparse(p, i, None, "sum"), _params(tf), _ids(tf, "int32")),
        embedding_clipped=lambda tf: (lambda p, i: tf.nn.embedding_lookup_sparse(p, i, None, "sum", max_norm=1.0), _params(tf), _ids(tf)),
        embedding_of_shards=lambda tf: (lambda p, i: tf.nn.embedding_lookup_sparse([p, p + 100.0], i, None, "sum"), _params(tf), _ids(tf)),
        embedding_of_mod_shards=lambda tf: (lambda p, i: [tf.compat.v1.nn.embedding_lookup_sparse([p, p + 100.0], i, None, s, combiner="sum") for s in ("mod", "div")], _params(tf), _ids(tf)),
        embedding_of_ragged=lambda tf: (lambda p, i: [tf.nn.embedding_lookup_sparse(p, i, None, c) for c in ("sum", "mean")], _params(tf), tf.ragged.constant([[1, 3], [0], [2]], tf.int64)),
        embedding_of_weighted_ragged=lambda tf: (lambda p, i, w: tf.nn.embedding_lookup_sparse(p, i, w, "sum"), _params(tf), tf.ragged.constant([[1, 3], [0], [2]], tf.int64), tf.ragged.constant([[1.0, 2.0], [3.0], [4.0]])),
        embedding_of_dense_ids=lambda tf: (lambda p, i: tf.nn.embedding_lookup_sparse(p, i, None), _params(tf), tf.constant([[1]], tf.int64)),
        embedding_of_dense_weights=lambda tf: (lambda p, i: tf.nn.embedding_lookup_sparse(p, i, tf.ones([4])), _params(tf), _ids(tf)),
        embedding_of_bad_combiner=lambda tf: (lambda p, i: tf.nn.embedding_lookup_sparse(p, i, None, "max"), _params(tf), _ids(tf)),
        embedding_out_of_range=lambda tf: (lambda p, i: tf.nn.embedding_lookup_sparse(p, i, None, "sum"), _params(tf)[:2], _ids(tf)),
        embedding_of_no_params=lambda tf: (lambda p, i: tf.nn.embedding_lookup_sparse([], i, None), _params(tf), _ids(tf)),
        embedding_of_unlike_weights=lambda tf: (lambda p, i, w: tf.nn.embedding_lookup_sparse(p, i, w), _params(tf), _ids(tf), sparse_floats(tf)),
        embedding_of_low_memory=lambda tf: (lambda p, i, w: tf.nn.embedding_lookup_sparse(p, i, w, "mean", allow_fast_lookup=True), _params(tf), _ids(tf), _weights(tf)),
        embedding_gradient=lambda tf: (lambda p: [_lookup_gradient(tf, p, c) for c in ("sum", "mean", "sqrtn")], _params(tf)),
        safe_embedding=lambda tf: (lambda p, i: tf.nn.safe_embedding_lookup_sparse(p, i), _params(tf), _ids(tf)),
        safe_embedding_weighted=lambda tf: (lambda p, i, w: [tf.nn.safe_embedding_lookup_sparse(p, i, w, c) for c in ("sum", "mean", "sqrtn")], _params(tf), _ids(tf), _weights(tf)),
        safe_embedding_default=lambda tf: (lambda p, i: tf.nn.safe_embedding_lookup_sparse(p, i, default_id=2, combiner="sum"), _params(tf), _ids(tf)),
        safe_embedding_of_invalid_ids=lambda tf: (lambda p, i: tf.nn.safe_embedding_lookup_sparse(p, i, combiner="sum"), _params(tf), tf.sparse.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, -5, -1], tf.int64), [3, 2])),
        safe_embedding_of_invalid_weights=lambda tf: (lambda p, i: tf.nn.safe_embedding_lookup_sparse(p, i, tf.sparse.SparseTensor([[0, 0], [0, 1], [1, 0]], [1.0, 0.0, -2.0], [3, 2]), combiner="mean"), _params(tf), tf.sparse.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 2, 3], tf.int64), [3, 2])),
        safe_embedding_of_cube=lambda tf: (lambda p, i: tf.nn.safe_embedding_lookup_sparse(p, i, combiner="sum"), _params(tf), tf.sparse.SparseTensor([[0, 0, 0], [1, 1, 0]], tf.constant([1, 2], tf.int64), [2, 2, 1])),
        safe_embedding_of_ragged=lambda tf: (lambda p, i: tf.nn.safe_embedding_lookup_sparse(p, i, combiner="sum"), _params(tf), tf.ragged.constant([[1, 3], [], [2]], tf.int64)),
        safe_embedding_of_dense=lambda tf: (lambda p, i: tf.nn.safe_embedding_lookup_sparse(p, i), _params(tf), tf.constant([[1]], tf.int64)),
        bincount=lambda tf: (lambda x: [tf.math.bincount(x), tf.math.bincount(x, minlength=6), tf.math.bincount(x, maxlength=3), tf.math.bincount(x, dtype=tf.int64)], tf.constant([1, 1, 2, 4])),
        bincount_weighted=lambda tf: (lambda x: [tf.math.bincount(x, weights=[0.5, 1.5, 2.0, 3.0]), tf.math.bincount(x, weights=[1, 2, 3, 4])], tf.constant([1, 1, 2, 4])),
        bincount_binary=lambda tf: (lambda x: [tf.math.bincount(x, binary_output=True), tf.math.bincount(x, axis=-1, binary_output=True)], tf.constant([1, 1, 2, 4])),
        bincount_of_rows=lambda tf: (lambda x: [tf.math.bincount(x, axis=-1), tf.math.bincount(x, axis=-1, minlength=5), tf.math.bincount(x, axis=0)], tf.constant([[1, 1], [2, 0]])),
        bincount_of_sparse=lambda tf: (lambda x: [tf.math.bincount(x), tf.math.bincount(x, axis=-1), tf.math.bincount(x, axis=-1, binary_output=True)], sparse(tf)),
        bincount_of_bad_axis=lambda tf: (lambda x: tf.math.bincount(x, axis=1), tf.constant([[1, 1], [2, 0]])),
        bincount_of_negatives=lambda tf: (lambda x: tf.math.bincount(x), tf.constant([-1, 1])),
        bincount_of_floats=lambda tf: (lambda x: tf.math.bincount(x), tf.constant([1.0])),
        bincount_of_unlike_weights=lambda tf: (lambda x: tf.math.bincount(x, weights=[1.0]), tf.constant([1, 2])),
        bincount_of_weights_and_binary=lambda tf: (lambda x: tf.math.bincount(x, weights=[1.0, 2.0], binary_output=True), tf.constant([1, 2])),
        bincount_of_nothing=lambda tf: (lambda x: [tf.math.bincount(x), tf.math.bincount(x, minlength=2)], tf.constant([], tf.int32)),
        sparse_bincount=lambda tf: (lambda x: [tf.sparse.bincount(x), tf.sparse.bincount(x, minlength=8), tf.sparse.bincount(x, maxlength=3)], tf.constant([[1, 1], [4, 2]])),
        sparse_bincount_of_axis=lambda tf: (lambda x: [tf.sparse.bincount(x, axis=a) for a in (0, -1)], tf.constant([[1, 1], [4, 2]])),
        sparse_bincount_weighted=lambda tf: (lambda x: tf.sparse.bincount(x, weights=tf.constant([[0.5, 1.5], [2.0, 3.0]])), tf.constant([[1, 1], [4, 2]])),
        sparse_bincount_binary=lambda tf: (lambda x: tf.sparse.bincount(x, binary_output=True), tf.constant([[1, 1], [4, 2]])),
        sparse_bincount_of_sparse=lambda tf: (lambda x: [tf.sparse.bincount(x), tf.sparse.bincount(x, axis=0), tf.sparse.bincount(x, weights=sparse_floats(tf))], sparse(tf)),
        sparse_bincount_of_ragged=lambda tf: (lambda x: [tf.sparse.bincount(x), tf.sparse.bincount(x, binary_output=True)], numbers(tf)),
        sparse_bincount_of_bad_axis=lambda tf: (lambda x: tf.sparse.bincount(x, axis=5), tf.constant([[1]])),
        sparse_bincount_of_negatives=lambda tf: (lambda x: tf.sparse.bincount(x), tf.constant([[-1]])),
        sparse_bincount_of_cube=lambda tf: (lambda x: tf.sparse.bincount(x), tf.constant([[[1]]])),
        sparse_bincount_of_unlike_weights=lambda tf: (lambda x: tf.sparse.bincount(x, weights=[[1.0, 2.0]]), tf.constant([[1]])),
        raw_counts=lambda tf: (lambda x: list(tf.raw_ops.DenseCountSparseOutput(values=x, weights=tf.zeros([0]), binary_output=False, minlength=-1, maxlength=-1)), tf.constant([[1, 1], [4, 2]])),
        raw_sparse_counts=lambda tf: (lambda x: list(tf.raw_ops.SparseCountSparseOutput(indices=x.indices, values=x.values, dense_shape=x.dense_shape, weights=tf.zeros([0]), binary_output=False, minlength=-1, maxlength=-1)), sparse(tf)),
        cross=lambda tf: (lambda a, b: tf.sparse.cross([a, b]), _texts(tf), _more_texts(tf)),
        cross_of_dense=lambda tf: (lambda a: tf.sparse.cross([a, tf.constant([["x"], ["y"]])]), _texts(tf)),
        cross_of_three=lambda tf: (lambda a, b: tf.sparse.cross([a, b, a]), _texts(tf), _more_texts(tf)),
        cross_of_numbers=lambda tf: (lambda a: tf.sparse.cross([a, _texts(tf)]), tf.sparse.SparseTensor([[0, 0], [1, 0]], tf.constant([5, 7], tf.int64), [2, 1])),
        cross_separator=lambda tf: (lambda a, b: tf.sparse.cross([a, b], separator="|"), _texts(tf), _more_texts(tf)),
        cross_hashed=lambda tf: (lambda a, b: [tf.sparse.cross_hashed([a, b]), tf.sparse.cross_hashed([a, b], num_buckets=100), tf.sparse.cross_hashed([a, b], 100, 7)], _texts(tf), _more_texts(tf)),
        cross_hashed_of_dense=lambda tf: (lambda a: tf.sparse.cross_hashed([a, tf.constant([[1], [2]], tf.int64)], 10), _texts(tf)),
        cross_of_unlike_rows=lambda tf: (lambda a: tf.sparse.cross([a, tf.constant([["x"]])]), _texts(tf)),
        cross_of_floats=lambda tf: (lambda a: tf.sparse.cross([a]), sparse_floats(tf)),
        cross_of_no_list=lambda tf: (lambda a: tf.sparse.cross(a), _texts(tf)),
        cross_of_bad_inputs=lambda tf: (lambda a: tf.sparse.cross(["x", "y"]), _texts(tf)),
        serialize=lambda tf: (lambda s: tf.io.deserialize_many_sparse(tf.expand_dims(tf.io.serialize_sparse(s), 0), tf.int32), sparse(tf)),
        serialize_as_variant=lambda tf: (lambda s: tf.shape(tf.io.serialize_sparse(s, out_type=tf.variant)), sparse(tf)),
        serialize_shapes=lambda tf: (lambda s: [tf.shape(tf.io.serialize_sparse(s)), tf.shape(tf.io.serialize_many_sparse(s))], sparse(tf)),
        serialize_bytes=lambda tf: (lambda s: tf.io.serialize_sparse(s), tf.sparse.SparseTensor([[1]], tf.constant([5], tf.int64), [3])),
        serialize_many=lambda tf: (lambda s: tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(s), tf.int32, rank=1), sparse(tf)),
        serialize_many_of_cube=lambda tf: (lambda s: tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(s), tf.float32), tf.sparse.SparseTensor([[0, 1, 2], [1, 0, 0]], [1.0, 2.0], [2, 2, 3])),
        serialize_two=lambda tf: (lambda s, t: tf.io.deserialize_many_sparse(tf.stack([tf.io.serialize_sparse(s), tf.io.serialize_sparse(t)]), tf.int32), sparse(tf), tf.sparse.SparseTensor([[4, 4]], [9], [5, 5])),
        serialize_text=lambda tf: (lambda s: tf.io.deserialize_many_sparse(tf.expand_dims(tf.io.serialize_sparse(s), 0), tf.string), _texts(tf)),
        serialize_dense=lambda tf: (lambda s: tf.io.serialize_sparse(s), tf.constant([1])),
        serialize_many_of_vector=lambda tf: (lambda s: tf.io.serialize_many_sparse(s), tf.sparse.SparseTensor([[1]], [5], [3])),
        serialize_of_bad_type=lambda tf: (lambda s: tf.io.serialize_sparse(s, out_type=tf.int32), sparse(tf)),
        deserialize_of_wrong_dtype=lambda tf: (lambda s: tf.io.deserialize_many_sparse(tf.expand_dims(tf.io.serialize_sparse(s), 0), tf.float32), sparse(tf)),
        deserialize_of_garbage=lambda tf: (lambda s: tf.io.deserialize_many_sparse(s, tf.float32), tf.constant([["a", "b", "c"]])),
        deserialize_of_wrong_shape=lambda tf: (lambda s: tf.io.deserialize_many_sparse(s, tf.float32), tf.constant([["a", "b"]])),
        deserialize_raw=lambda tf: (lambda s: list(tf.raw_ops.DeserializeSparse(serialized_sparse=tf.io.serialize_sparse(s), dtype=tf.int32)), sparse(tf)),
        parse_example_of_sparse=lambda tf: (lambda x: tf.io.parse_example(x, {"i": tf.io.VarLenFeature(tf.int64), "s": tf.io.SparseFeature("i", "v", tf.float32, 10)}), tf.constant([_example([1, 4], [0.5, 0.25]), _example([], [])])),
        parse_single_example_of_sparse=lambda tf: (lambda x: tf.io.parse_single_example(x, {"i": tf.io.VarLenFeature(tf.int64), "s": tf.io.SparseFeature("i", "v", tf.float32, 10)}), tf.constant(_example([1, 4], [0.5, 0.25]))),
        parse_example_of_unsorted=lambda tf: (lambda x: tf.io.parse_example(x, {"s": tf.io.SparseFeature("i", "v", tf.float32, 10)}), tf.constant([_example([4, 1], [0.5, 0.25])])),
        to_indicator_of_parsed=lambda tf: (lambda x: tf.sparse.to_indicator(tf.io.parse_example(x, {"i": tf.io.VarLenFeature(tf.int64)})["i"], 6), tf.constant([_example([1, 4], [0.5, 0.25])])),
        crossed_and_embedded=lambda tf: (lambda a, b: tf.nn.embedding_lookup_sparse(_params(tf), tf.sparse.cross_hashed([a, b], 4), None, "sum"), _texts(tf), _more_texts(tf)),
        ctc_greedy=lambda tf: (lambda x: tf.nn.ctc_greedy_decoder(x, [2])[0], tf.constant([[[0.1, 0.9, 0.0]], [[0.8, 0.1, 0.1]]])),
        confusion_of_weights=lambda tf: (lambda x: tf.math.confusion_matrix(x, [1, 2, 1], weights=[1, 2, 3]), tf.constant([1, 2, 4])),
    )
)


def _example(i, v):
    from tests.oracle.programs._messages import example, floats, ints

    return example(i=ints(*i), v=floats(*v))
