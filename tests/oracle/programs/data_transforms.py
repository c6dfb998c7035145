"""map, filter, flat_map, interleave, scan, reduce, take, skip, cache, unique and the other transformations."""

from __future__ import annotations

from tests.oracle.programs._data_helpers import about, cases, elements, errors, numbers, order, outcome


def _countdown(tf, count, **arguments):
    """Interleaves 10x, 10x + 1, ..., of lengths that grow with x."""
    return order(numbers(tf, count).interleave(lambda x: tf.data.Dataset.range(x * 10, x * 10 + x + 1), **arguments))


def _gaps(tf, count, **arguments):
    """Interleaves where every other dataset is empty."""
    return order(numbers(tf, count).interleave(lambda x: tf.data.Dataset.range(x * 10, x * 10 + x * (x % 2)), **arguments))


def _calls_of_a_cache(tf, dataset_of, *limits):
    """How often the function before a cache has run after each iteration."""
    runs = tf.Variable(0)

    def counted(x):
        runs.assign_add(1)
        return x

    dataset = dataset_of(numbers(tf, 4).map(counted))
    return [[order(dataset, limit), int(runs)] for limit in limits]


globals().update(
    cases(
        map=lambda tf: [about(numbers(tf).map(lambda x: x * 2)), elements(numbers(tf).map(lambda x: x * 2))],
        map_to_tuple=lambda tf: [about(numbers(tf, 2).map(lambda x: (x, -x))), elements(numbers(tf, 2).map(lambda x: (x, -x)))],
        map_to_dict=lambda tf: elements(numbers(tf, 2).map(lambda x: {"z": x, "a": tf.strings.as_string(x)})),
        map_to_list=lambda tf: [about(numbers(tf, 2).map(lambda x: [x, x + 1])), elements(numbers(tf, 2).map(lambda x: [x, x + 1]))],
        map_to_nested_list=lambda tf: elements(numbers(tf, 2).map(lambda x: (x, [1, 2]))),
        map_to_constant=lambda tf: [elements(numbers(tf, 2).map(lambda x: v)) for v in (7, 1.5, "text", True, [1, 2])],
        map_to_numpy=lambda tf, np: elements(numbers(tf, 2).map(lambda x: np.arange(3))),
        map_to_none_inside=lambda tf: [about(numbers(tf, 2).map(lambda x: (x, None))), elements(numbers(tf, 2).map(lambda x: (x, None)))],
        map_to_tuple_of_one=lambda tf: elements(numbers(tf, 2).map(lambda x: (x,))),
        map_of_a_tuple=lambda tf: elements(tf.data.Dataset.zip(numbers(tf, 3), numbers(tf, 3)).map(lambda a, b: a * b)),
        map_of_a_tuple_of_one=lambda tf: elements(tf.data.Dataset.from_tensor_slices(([1, 2],)).map(lambda x: x + 1)),
        map_of_nested_tuples=lambda tf: elements(tf.data.Dataset.from_tensor_slices(([1], ([2], [3]))).map(lambda a, b: a + b[0] * b[1])),
        map_of_a_dict=lambda tf: elements(tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [3, 4]}).map(lambda d: d["a"] - d["b"])),
        map_of_star_args=lambda tf: elements(tf.data.Dataset.zip(numbers(tf, 2), numbers(tf, 2)).map(lambda *args: len(args))),
        map_with_default=lambda tf: elements(numbers(tf, 2).map(lambda x, k=10: x + k)),
        map_captures_a_tensor=lambda tf: (lambda c: elements(numbers(tf, 3).map(lambda x: x * c)))(tf.constant(3, tf.int64)),
        map_captures_an_array=lambda tf, np: (lambda c: elements(numbers(tf, 2).map(lambda x: tf.cast(x, tf.float64) + c)))(np.array([0.5, 1.5])),
        map_changes_shape=lambda tf: [numbers(tf).map(lambda x: tf.fill([x, 2], 0)).element_spec, elements(numbers(tf, 2).map(lambda x: tf.fill([x, 2], 0)))],
        map_of_strings=lambda tf: elements(tf.data.Dataset.from_tensor_slices(["a b", "c"]).map(tf.strings.length)),
        map_parallel=lambda tf: [about(numbers(tf).map(lambda x: x + 1, num_parallel_calls=2)), order(numbers(tf, 20).map(lambda x: x + 1, num_parallel_calls=3))],
        map_autotune=lambda tf: [about(numbers(tf).map(lambda x: x + 1, num_parallel_calls=tf.data.AUTOTUNE)), order(numbers(tf, 20).map(lambda x: x + 1, num_parallel_calls=tf.data.AUTOTUNE))],
        map_not_deterministic=lambda tf: sorted(order(numbers(tf, 20).map(lambda x: x + 1, num_parallel_calls=4, deterministic=False))),
        map_synchronous=lambda tf: [about(numbers(tf).map(lambda x: x + 1, synchronous=True)), order(numbers(tf).map(lambda x: x + 1, synchronous=True))],
        map_unbounded_threads=lambda tf: order(numbers(tf).map(lambda x: x + 1, num_parallel_calls=2, use_unbounded_threadpool=True)),
        map_of_a_function=lambda tf: order(numbers(tf).map(tf.function(lambda x: x + 1))),
        map_of_a_bound_method=lambda tf: order(numbers(tf, 3).map(tf.constant(2, tf.int64).__mul__)),
        map_of_a_callable_object=lambda tf: order(numbers(tf, 3).map(type("Doubler", (), {"__call__": lambda self, x: x * 2})())),
        map_to_a_dataset=lambda tf: [numbers(tf, 2).map(lambda x: tf.data.Dataset.range(x)).element_spec, [order(d) for d in numbers(tf, 3).map(lambda x: tf.data.Dataset.range(x))]],
        map_py_function=lambda tf: elements(numbers(tf, 3).map(lambda x: tf.py_function(lambda v: v * 3, [x], tf.int64))),
        map_numpy_function=lambda tf, np: elements(numbers(tf, 3).map(lambda x: tf.numpy_function(lambda v: np.sqrt(v), [x], tf.float64))),
        filter=lambda tf: [about(numbers(tf, 9).filter(lambda x: x % 3 == 0)), elements(numbers(tf, 9).filter(lambda x: x % 3 == 0))],
        filter_all_and_none=lambda tf: [order(numbers(tf, 3).filter(lambda x: True)), order(numbers(tf, 3).filter(lambda x: False))],
        filter_tuple=lambda tf: order(tf.data.Dataset.zip(numbers(tf), numbers(tf).skip(1)).filter(lambda a, b: (a + b) % 3 == 0)),
        filter_dict=lambda tf: order(tf.data.Dataset.from_tensor_slices({"a": [1, 2, 3]}).filter(lambda d: d["a"] != 2)),
        filter_strings=lambda tf: order(tf.data.Dataset.from_tensor_slices(["x1", "y", "x2"]).filter(lambda s: tf.strings.regex_full_match(s, "x.*"))),
        filter_twice=lambda tf: order(numbers(tf, 20).filter(lambda x: x % 2 == 0).filter(lambda x: x % 3 == 0)),
        filter_then_batch=lambda tf: order(numbers(tf, 9).filter(lambda x: x % 2 == 0).batch(2)),
        flat_map=lambda tf: [about(numbers(tf).flat_map(lambda x: tf.data.Dataset.range(x))), elements(numbers(tf, 4).flat_map(lambda x: tf.data.Dataset.range(x)))],
        flat_map_slices=lambda tf: order(tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).flat_map(tf.data.Dataset.from_tensor_slices)),
        flat_map_tuple=lambda tf: order(tf.data.Dataset.zip(numbers(tf, 3), numbers(tf, 3)).flat_map(lambda a, b: tf.data.Dataset.from_tensors((a, b)).repeat(2))),
        flat_map_nested=lambda tf: order(numbers(tf, 3).flat_map(lambda x: tf.data.Dataset.range(x).flat_map(lambda y: tf.data.Dataset.from_tensors(x * 10 + y)))),
        flat_map_of_empties=lambda tf: [order(numbers(tf, 3).flat_map(lambda x: tf.data.Dataset.range(0))), order(numbers(tf, 0).flat_map(lambda x: tf.data.Dataset.range(2)))],
        interleave_default_block=lambda tf: _countdown(tf, 6, cycle_length=2),
        interleave_one=lambda tf: _countdown(tf, 4, cycle_length=1),
        interleave_blocks=lambda tf: [_countdown(tf, 6, cycle_length=c, block_length=b) for c, b in ((2, 2), (3, 2), (2, 3), (4, 5))],
        interleave_many=lambda tf: _countdown(tf, 6, cycle_length=10),
        interleave_three=lambda tf: _countdown(tf, 6, cycle_length=3),
        interleave_gaps=lambda tf: [_gaps(tf, 6, cycle_length=c) for c in (1, 2, 3)],
        interleave_parallel=lambda tf: [_countdown(tf, 6, cycle_length=3, block_length=2, num_parallel_calls=n) for n in (1, 2, 3)],
        interleave_autotune=lambda tf: _countdown(tf, 6, cycle_length=3, num_parallel_calls=tf.data.AUTOTUNE),
        interleave_not_deterministic=lambda tf: sorted(_countdown(tf, 6, cycle_length=2, num_parallel_calls=2, deterministic=False)),
        interleave_about=lambda tf: [about(numbers(tf).interleave(lambda x: tf.data.Dataset.range(x))), about(numbers(tf).interleave(lambda x: tf.data.Dataset.range(x), num_parallel_calls=tf.data.AUTOTUNE))],
        interleave_infinite=lambda tf: order(numbers(tf, 3).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(), cycle_length=2), 6),
        take=lambda tf: [[about(numbers(tf).take(n))[2:3], order(numbers(tf).take(n))] for n in (0, 2, 9, -1)],
        skip=lambda tf: [[about(numbers(tf).skip(n))[2:3], order(numbers(tf).skip(n))] for n in (0, 2, 9, -1)],
        take_and_skip_classes=lambda tf: [about(numbers(tf).take(2)), about(numbers(tf).skip(2))],
        take_of_infinite=lambda tf: [order(tf.data.Dataset.counter().take(3)), order(tf.data.Dataset.counter().skip(2).take(3))],
        repeat=lambda tf: [[int(numbers(tf, 2).repeat(n).cardinality()), order(numbers(tf, 2).repeat(n), 7)] for n in (None, -1, 0, 1, 3)],
        repeat_about=lambda tf: about(numbers(tf).repeat(2)),
        repeat_of_nothing=lambda tf: [int(numbers(tf, 0).repeat(3).cardinality()), order(numbers(tf, 0).repeat(3))],
        shard=lambda tf: [[about(numbers(tf).shard(3, i))[2], order(numbers(tf).shard(3, i))] for i in range(3)],
        shard_more_than_elements=lambda tf: [order(numbers(tf, 2).shard(4, i)) for i in range(4)],
        shard_about=lambda tf: about(numbers(tf).shard(2, 0)),
        prefetch=lambda tf: [about(numbers(tf).prefetch(2)), order(numbers(tf).prefetch(2)), order(numbers(tf).prefetch(tf.data.AUTOTUNE)), order(numbers(tf).prefetch(0))],
        prefetch_none=lambda tf: about(numbers(tf).prefetch(None)),
        enumerate=lambda tf: [about(numbers(tf).enumerate()), elements(tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate())],
        enumerate_start=lambda tf: order(tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(start=5)),
        enumerate_tuples=lambda tf: order(tf.data.Dataset.from_tensors((1, 2)).enumerate()),
        take_while=lambda tf: [about(numbers(tf).take_while(lambda x: x < 3)), order(numbers(tf).take_while(lambda x: x < 3)), order(numbers(tf).take_while(lambda x: x != 0))],
        take_while_stops_for_good=lambda tf: order(tf.data.Dataset.from_tensor_slices([1, 5, 1]).take_while(lambda x: x < 3)),
        take_while_tuple=lambda tf: order(tf.data.Dataset.zip(numbers(tf), numbers(tf)).take_while(lambda a, b: a + b < 5)),
        scan=lambda tf, np: [about(numbers(tf).scan(np.int64(0), lambda s, x: (s + x, s))), elements(numbers(tf).scan(np.int64(0), lambda s, x: (s + x, s)))],
        scan_tuple_state=lambda tf, np: order(numbers(tf).scan((np.int64(0), 1.0), lambda s, x: ((s[0] + x, s[1] / 2), (x, s)))),
        scan_dict_state=lambda tf, np: order(numbers(tf, 3).scan({"sum": np.int64(0)}, lambda s, x: ({"sum": s["sum"] + x}, s["sum"]))),
        scan_growing_state=lambda tf: order(numbers(tf, 3).scan(tf.zeros([0], tf.int64), lambda s, x: (tf.concat([s, [x]], 0), s))),
        scan_infinite=lambda tf: order(tf.data.Dataset.from_tensors(0).repeat().scan((0, 1), lambda s, _: ((s[1], s[0] + s[1]), s[0])), 8),
        scan_starts_over=lambda tf, np: order(numbers(tf, 3).scan(np.int64(0), lambda s, x: (s + x, s + x)).repeat(2)),
        reduce=lambda tf, np: [numbers(tf).reduce(np.int64(0), lambda s, x: s + x), numbers(tf, 0).reduce(np.int64(7), lambda s, x: s + x)],
        reduce_tuple_state=lambda tf, np: numbers(tf).reduce((np.int64(0), 0.0), lambda s, x: (s[0] + x, s[1] + 1.0)),
        reduce_dict_state=lambda tf, np: numbers(tf).reduce({"b": np.int64(1), "a": 0}, lambda s, x: {"b": s["b"] + x, "a": s["a"] + 1}),
        reduce_of_tuples=lambda tf, np: tf.data.Dataset.zip(numbers(tf), numbers(tf)).reduce(np.int64(0), lambda s, pair: s + pair[0] * pair[1]),
        reduce_to_a_growing_vector=lambda tf: numbers(tf, 3).reduce(tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0)),
        reduce_strings=lambda tf: tf.data.Dataset.from_tensor_slices(["a", "b"]).reduce("", lambda s, x: s + x),
        reduce_counts=lambda tf, np: numbers(tf, 9).filter(lambda x: x % 2 == 0).reduce(np.int64(0), lambda count, _: count + 1),
        unique=lambda tf: [about(tf.data.Dataset.from_tensor_slices([1, 2, 1]).unique()), elements(tf.data.Dataset.from_tensor_slices([1, 2, 1, 3, 2]).unique())],
        unique_strings=lambda tf: elements(tf.data.Dataset.from_tensor_slices(["a", "b", "a"]).unique()),
        unique_vectors=lambda tf: elements(tf.data.Dataset.from_tensor_slices([[1, 2], [1, 2], [2, 1]]).unique()),
        unique_of_int64_epochs=lambda tf: order(numbers(tf, 3).repeat(2).unique()),
        cache_memory=lambda tf: [about(numbers(tf).cache()), _calls_of_a_cache(tf, lambda d: d.cache(), None, None)],
        cache_partly_read=lambda tf: [row[0] for row in _calls_of_a_cache(tf, lambda d: d.cache(), 2, None, None)],
        cache_then_repeat=lambda tf: _calls_of_a_cache(tf, lambda d: d.cache().repeat(3), None),
        cache_of_a_random_map=lambda tf: (lambda d: order(d) == order(d))(numbers(tf).map(lambda x: tf.random.uniform([])).cache()),
        apply=lambda tf: [about(numbers(tf).apply(lambda d: d.take(2))), order(numbers(tf).apply(lambda d: d.map(lambda x: -x)))],
        get_single_element=lambda tf: [tf.data.Dataset.from_tensors(3).get_single_element(), tf.data.Dataset.from_tensors((1, {"a": "x"})).get_single_element()],
        ignore_errors=lambda tf: [about(numbers(tf).ignore_errors()), order(numbers(tf, 4).map(lambda x: tf.debugging.check_numerics(1 / (x - 1), "x")).ignore_errors())],
        choose_from_datasets=lambda tf: order(tf.data.Dataset.choose_from_datasets([numbers(tf, 3), tf.data.Dataset.range(10, 13)], tf.data.Dataset.from_tensor_slices([0, 1, 1, 0, 1, 1, 0, 0]).map(lambda x: tf.cast(x, tf.int64)))),
        choose_from_datasets_goes_on=lambda tf: order(tf.data.Dataset.choose_from_datasets([numbers(tf, 3), tf.data.Dataset.range(10, 13)], tf.data.Dataset.from_tensor_slices([0, 1, 1, 0, 1, 1, 0, 0]).map(lambda x: tf.cast(x, tf.int64)), stop_on_empty_dataset=False)),
        choose_from_datasets_about=lambda tf: [about(tf.data.Dataset.choose_from_datasets([numbers(tf), numbers(tf)], numbers(tf, 2), stop_on_empty_dataset=s)) for s in (True, False)],
        choose_repeatedly=lambda tf: order(tf.data.Dataset.choose_from_datasets([tf.data.Dataset.from_tensors(w).repeat() for w in ("foo", "bar", "baz")], numbers(tf, 3).repeat(2))),
        dataset_in_a_structure=lambda tf: [order(part) for part in tf.nest.flatten({"a": numbers(tf, 2), "b": (numbers(tf, 1),)})],
        lengths=lambda tf: [len(numbers(tf)), bool(numbers(tf, 0)), len(numbers(tf).batch(2)), len(numbers(tf).map(lambda x: x).repeat(3))],
        many_cardinalities=lambda tf: [int(d.cardinality()) for d in (numbers(tf).filter(lambda x: True), numbers(tf).flat_map(lambda x: numbers(tf)), numbers(tf).shuffle(2), numbers(tf).unique(), numbers(tf).take_while(lambda x: True), numbers(tf).filter(lambda x: True).take(2), numbers(tf).filter(lambda x: True).repeat(), numbers(tf).filter(lambda x: True).repeat(0))],
    )
)

globals().update(
    errors(
        map_of_too_few_arguments=lambda tf: numbers(tf).map(lambda x, y: x) and 0,
        map_of_one_argument_for_two=lambda tf: tf.data.Dataset.zip(numbers(tf), numbers(tf)).map(lambda x: x),
        map_to_an_object=lambda tf: numbers(tf).map(lambda x: object()),
        map_to_none=lambda tf: outcome(lambda: numbers(tf).map(lambda x: None), 3),
        map_of_a_number=lambda tf: numbers(tf).map(3),
        map_zero_parallel_calls=lambda tf: numbers(tf).map(lambda x: x, num_parallel_calls=0),
        map_synchronous_and_parallel=lambda tf: numbers(tf).map(lambda x: x, num_parallel_calls=2, synchronous=True),
        filter_by_a_number=lambda tf: numbers(tf).filter(lambda x: x),
        filter_by_none=lambda tf: numbers(tf).filter(lambda x: None),
        flat_map_to_a_tensor=lambda tf: type(numbers(tf).flat_map(lambda x: (x,))),
        interleave_cycle_zero=lambda tf: numbers(tf).interleave(lambda x: numbers(tf), cycle_length=0),
        interleave_block_zero=lambda tf: numbers(tf).interleave(lambda x: numbers(tf), block_length=0),
        interleave_zero_parallel_calls=lambda tf: numbers(tf).interleave(lambda x: numbers(tf), num_parallel_calls=0),
        interleave_more_calls_than_cycles=lambda tf: numbers(tf).interleave(lambda x: numbers(tf), cycle_length=2, num_parallel_calls=3),
        take_a_string=lambda tf: numbers(tf).take("a"),
        take_none=lambda tf: numbers(tf).take(None),
        take_a_vector=lambda tf: numbers(tf).take([1]),
        skip_a_float=lambda tf: numbers(tf).skip(1.5),
        repeat_a_string=lambda tf: numbers(tf).repeat("a"),
        prefetch_minus_two=lambda tf: numbers(tf).prefetch(-2),
        shard_into_none=lambda tf: numbers(tf).shard(0, 0),
        shard_beyond=lambda tf: numbers(tf).shard(2, 2),
        shard_negative=lambda tf: numbers(tf).shard(2, -1),
        take_while_a_number=lambda tf: numbers(tf).take_while(lambda x: x),
        scan_to_one_value=lambda tf, np: numbers(tf).scan(np.int64(0), lambda s, x: s),
        scan_to_three_values=lambda tf, np: numbers(tf).scan(np.int64(0), lambda s, x: (s, x, x)),
        scan_to_another_dtype=lambda tf, np: numbers(tf).scan(np.int64(0), lambda s, x: (1.0, x)),
        reduce_to_another_dtype=lambda tf: numbers(tf).reduce(0, lambda s, x: x),
        reduce_of_mixed_dtypes=lambda tf: numbers(tf).reduce(0, lambda s, x: s + x),
        unique_floats=lambda tf: tf.data.Dataset.from_tensor_slices([1.0]).unique(),
        unique_tuples=lambda tf: tf.data.Dataset.zip(numbers(tf), numbers(tf)).unique(),
        apply_to_a_number=lambda tf: numbers(tf).apply(lambda d: 3),
        apply_a_number=lambda tf: numbers(tf).apply(3),
        single_element_of_none=lambda tf: numbers(tf, 0).get_single_element(),
        single_element_of_two=lambda tf: numbers(tf, 2).get_single_element(),
        cache_to_a_number=lambda tf: numbers(tf).cache(1),
        choose_from_nothing=lambda tf: tf.data.Dataset.choose_from_datasets([], numbers(tf)),
        choose_by_int32=lambda tf: tf.data.Dataset.choose_from_datasets([numbers(tf)], tf.data.Dataset.from_tensors(1)),
        choose_by_vectors=lambda tf: tf.data.Dataset.choose_from_datasets([numbers(tf), numbers(tf)], numbers(tf).batch(2)),
        choose_by_a_number=lambda tf: tf.data.Dataset.choose_from_datasets([numbers(tf), numbers(tf)], 3),
        choose_out_of_range=lambda tf: elements(tf.data.Dataset.choose_from_datasets([numbers(tf), numbers(tf)], tf.data.Dataset.range(2, 3))),
        length_of_infinite=lambda tf: len(numbers(tf).repeat()),
        length_of_unknown=lambda tf: len(numbers(tf).filter(lambda x: True)),
        add_datasets=lambda tf: numbers(tf) + numbers(tf),
        index_a_dataset=lambda tf: numbers(tf)[0],
        next_of_a_dataset=lambda tf: next(numbers(tf)),
    )
)
