"""tf.data.experimental: transformations for apply, random access, variants, reducers, tables of constants."""

from __future__ import annotations

from tests.oracle.programs._data_helpers import about, cases, elements, errors, numbers, order, outcome, rows


def _reduced(tf, count, key, init, reduce, finalize):
    reducer = tf.data.experimental.Reducer(init, reduce, finalize)
    return order(numbers(tf, count).apply(tf.data.experimental.group_by_reducer(key, reducer)))


globals().update(
    cases(
        at=lambda tf: [tf.data.experimental.at(numbers(tf), i) for i in (0, 4)],
        at_of_slices=lambda tf: tf.data.experimental.at(tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"])), 1),
        at_of_map=lambda tf: tf.data.experimental.at(numbers(tf).map(lambda x: x * x), 3),
        at_of_batch=lambda tf: [tf.data.experimental.at(numbers(tf).batch(2), i) for i in (0, 2)],
        at_of_range_with_step=lambda tf: tf.data.experimental.at(tf.data.Dataset.range(10, 0, -3), 2),
        at_of_take_skip_concatenate=lambda tf: [tf.data.experimental.at(numbers(tf).skip(1).take(3).concatenate(numbers(tf)), i) for i in (0, 2, 3)],
        at_of_zip=lambda tf: tf.data.experimental.at(tf.data.Dataset.zip(numbers(tf), numbers(tf).skip(1)), 1),
        at_of_repeat=lambda tf: tf.data.experimental.at(numbers(tf).repeat(3), 7),
        at_of_shard=lambda tf: tf.data.experimental.at(numbers(tf).shard(2, 1), 1),
        at_of_prefetch_and_cache=lambda tf: tf.data.experimental.at(numbers(tf).cache().prefetch(2), 1),
        at_of_a_list=lambda tf: tf.data.experimental.at(tf.data.experimental.from_list([5, 6]), 1),
        at_of_a_tensor=lambda tf: tf.data.experimental.at(tf.data.Dataset.from_tensors("x"), 0),
        cardinality=lambda tf: [tf.data.experimental.cardinality(d) for d in (numbers(tf), numbers(tf).repeat(), numbers(tf).filter(lambda x: True))],
        assert_cardinality=lambda tf: (lambda d: [about(d), order(d), len(d)])(numbers(tf).filter(lambda x: x < 3).apply(tf.data.experimental.assert_cardinality(3))),
        assert_cardinality_infinite=lambda tf: order(numbers(tf, 2).repeat().apply(tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY)), 3),
        counter=lambda tf: [about(tf.data.experimental.Counter()), order(tf.data.experimental.Counter(5, -2), 3), elements(tf.data.experimental.Counter(dtype=tf.int32), 1)],
        random_dataset=lambda tf: [about(tf.data.experimental.RandomDataset(5)), (tf.random.set_seed(11), order(tf.data.experimental.RandomDataset(5), 3))[1]],
        enumerate_dataset=lambda tf: order(tf.data.Dataset.from_tensor_slices(["a", "b"]).apply(tf.data.experimental.enumerate_dataset(3))),
        unbatch=lambda tf: [about(numbers(tf).batch(2).apply(tf.data.experimental.unbatch())), order(numbers(tf).batch(2).apply(tf.data.experimental.unbatch()))],
        unique=lambda tf: order(tf.data.Dataset.from_tensor_slices([1, 2, 1]).apply(tf.data.experimental.unique())),
        take_while=lambda tf: order(numbers(tf).apply(tf.data.experimental.take_while(lambda x: x < 2))),
        scan=lambda tf, np: order(numbers(tf).apply(tf.data.experimental.scan(np.int64(0), lambda s, x: (s + x, s)))),
        map_and_batch=lambda tf: (lambda d: [about(d), order(d)])(numbers(tf).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, 2))),
        map_and_batch_drop=lambda tf: (lambda d: [about(d), order(d)])(numbers(tf).apply(tf.data.experimental.map_and_batch(lambda x: (x, -x), 2, drop_remainder=True, num_parallel_calls=2))),
        parallel_interleave=lambda tf: [order(numbers(tf, 6).apply(tf.data.experimental.parallel_interleave(lambda x: tf.data.Dataset.range(x * 10, x * 10 + x + 1), c, b))) for c, b in ((1, 1), (2, 1), (2, 2), (3, 1))],
        parallel_interleave_about=lambda tf: about(numbers(tf).apply(tf.data.experimental.parallel_interleave(lambda x: numbers(tf), 2))),
        sample_from_datasets=lambda tf: (tf.random.set_seed(11), order(tf.data.experimental.sample_from_datasets([numbers(tf, 3), tf.data.Dataset.range(10, 15)], [0.5, 0.5], seed=5)))[1],
        choose_from_datasets=lambda tf: order(tf.data.experimental.choose_from_datasets([numbers(tf, 1), tf.data.Dataset.range(10, 13)], tf.data.Dataset.range(2).repeat(3))),
        group_by_window=lambda tf: order(numbers(tf, 7).apply(tf.data.experimental.group_by_window(lambda x: x % 2, lambda k, g: g.batch(2), 2))),
        bucket_by_sequence_length=lambda tf: order(rows(tf).apply(tf.data.experimental.bucket_by_sequence_length(lambda x: tf.size(x), [2], [2, 2]))),
        group_by_reducer=lambda tf, np: _reduced(tf, 7, lambda x: x % 3, lambda key: np.int64(0), lambda s, x: s + x, lambda s: s),
        group_by_reducer_keys_in_order=lambda tf, np: _reduced(tf, 7, lambda x: 2 - x % 3, lambda key: (key, np.int64(0)), lambda s, x: (s[0], s[1] + x), lambda key, s: (key, s * 10)),
        group_by_reducer_counts=lambda tf: _reduced(tf, 10, lambda x: x // 4, lambda key: 0, lambda s, x: s + 1, lambda s: s),
        group_by_reducer_about=lambda tf, np: about(numbers(tf).apply(tf.data.experimental.group_by_reducer(lambda x: x, tf.data.experimental.Reducer(lambda k: np.int64(0), lambda s, x: s, lambda s: tf.fill([s], 1.0))))),
        reducer_parts=lambda tf: (lambda f, r: [r.init_func is f[0], r.reduce_func is f[1], r.finalize_func is f[2]])(*(lambda f: (f, tf.data.experimental.Reducer(*f)))((len, sum, max))),
        rejection_resample=lambda tf: (tf.random.set_seed(11), order(numbers(tf, 12).apply(tf.data.experimental.rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.2, 0.8], [0.5, 0.5], seed=3))))[1],
        copy_to_device=lambda tf: (lambda d: [about(d), order(d)])(numbers(tf).apply(tf.data.experimental.copy_to_device("/cpu:0"))),
        prefetch_to_device=lambda tf: (lambda d: [about(d), order(d)])(numbers(tf).apply(tf.data.experimental.prefetch_to_device("/cpu:0"))),
        prefetch_to_device_buffer=lambda tf: order(numbers(tf).apply(tf.data.experimental.prefetch_to_device("/cpu:0", buffer_size=1))),
        pad_to_cardinality=lambda tf: (lambda d: [about(d), order(d)])(numbers(tf, 2).map(lambda x: {"a": x}).apply(tf.data.experimental.pad_to_cardinality(4))),
        pad_to_cardinality_key=lambda tf: order(tf.data.Dataset.from_tensor_slices({"s": ["x"], "v": [[1.0, 2.0]]}).apply(tf.data.experimental.pad_to_cardinality(2, mask_key="real"))),
        to_and_from_variant=lambda tf: (lambda v: [v.dtype, v.shape, about(tf.data.experimental.from_variant(v, tf.TensorSpec([], tf.int64))), order(tf.data.experimental.from_variant(v, tf.TensorSpec([], tf.int64)))])(tf.data.experimental.to_variant(numbers(tf, 3))),
        variant_through_a_function=lambda tf: order(tf.data.experimental.from_variant(tf.function(lambda: tf.data.experimental.to_variant(numbers(tf, 3).map(lambda x: x + 1)))(), tf.TensorSpec([], tf.int64))),
        get_single_element=lambda tf: [tf.data.experimental.get_single_element(numbers(tf, 1)), outcome(lambda: tf.data.experimental.get_single_element(numbers(tf, 2)))],
        get_structure=lambda tf: tf.data.experimental.get_structure(tf.data.Dataset.from_tensors({"a": 1, "b": (2.0, "x")})),
        from_list=lambda tf: order(tf.data.experimental.from_list([(1, "a"), (2, "b")])),
        dense_to_ragged_of_scalars=lambda tf: (lambda d: [about(d), order(d)])(numbers(tf).apply(tf.data.experimental.dense_to_ragged_batch(2))),
        names=lambda tf: sorted(name for name in dir(tf.data.experimental) if not name.startswith("_")),
        names_of_data=lambda tf: sorted(name for name in dir(tf.data) if not name.startswith("_")),
        names_of_service=lambda tf: sorted(name for name in dir(tf.data.experimental.service) if not name.startswith("_")),
        sharding_policies=lambda tf: [(m.name, m.value) for m in tf.data.experimental.service.ShardingPolicy],
        fingerprint_dtype=lambda tf: [numbers(tf).fingerprint().dtype, numbers(tf).fingerprint().shape],
        parse_example_dataset=lambda tf: elements(tf.data.Dataset.from_tensors([tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))})).SerializeToString()]).apply(tf.data.experimental.parse_example_dataset({"a": tf.io.FixedLenFeature([], tf.int64)}))),
    )
)

globals().update(
    errors(
        at_beyond=lambda tf: tf.data.experimental.at(numbers(tf), 7),
        at_negative=lambda tf: tf.data.experimental.at(numbers(tf), -1),
        at_of_a_filter=lambda tf: tf.data.experimental.at(numbers(tf).filter(lambda x: True), 0),
        at_of_infinite=lambda tf: tf.data.experimental.at(numbers(tf).repeat(), 3),
        pad_to_less=lambda tf: numbers(tf).map(lambda x: {"a": x}).apply(tf.data.experimental.pad_to_cardinality(3)),
        pad_of_infinite=lambda tf: numbers(tf).repeat().map(lambda x: {"a": x}).apply(tf.data.experimental.pad_to_cardinality(8)),
        pad_of_scalars=lambda tf: numbers(tf).apply(tf.data.experimental.pad_to_cardinality(8)),
        reducer_of_string_keys=lambda tf: numbers(tf).apply(tf.data.experimental.group_by_reducer(lambda x: "a", tf.data.experimental.Reducer(lambda k: 0, lambda s, x: s, lambda s: s))),
        reducer_of_changing_state=lambda tf: numbers(tf).apply(tf.data.experimental.group_by_reducer(lambda x: x, tf.data.experimental.Reducer(lambda k: 0, lambda s, x: x, lambda s: s))),
        assert_cardinality_of_text=lambda tf: numbers(tf).apply(tf.data.experimental.assert_cardinality("a")),
        sql_of_another_database=lambda tf: elements(tf.data.experimental.SqlDataset("mysql", "file", "select 1", (tf.int32,))),
    )
)
