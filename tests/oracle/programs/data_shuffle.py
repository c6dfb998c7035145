"""The order of shuffles and of all that draws: seeds, buffers, epochs, sampling, random ops in functions."""

from __future__ import annotations

from tests.oracle.programs._data_helpers import about, cases, errors, numbers, order


def _shuffled(tf, count, buffer_size, seed=None, global_seed=11, epochs=1, **arguments):
    """The order of `epochs` iterations over one shuffled range."""
    tf.random.set_seed(global_seed)
    dataset = numbers(tf, count).shuffle(buffer_size, seed, **arguments)
    return [order(dataset, 200) for _ in range(epochs)]


def _after_seed(tf, make, seed=11, epochs=1, limit=60):
    """The order of `epochs` iterations over the dataset that `make` returns once the global seed is set."""
    tf.random.set_seed(seed)
    dataset = make()
    return [order(dataset, limit) for _ in range(epochs)]


def _three(tf):
    return [tf.data.Dataset.range(start, start + 100) for start in (0, 100, 200)]


def _drawn(tf, **arguments):
    return tf.random.uniform([], 0, 1000, tf.int32, **arguments)


globals().update(
    cases(
        **{f"buffer_of_{size}": lambda tf, *, size=size: _shuffled(tf, 20, size, 5) for size in (1, 2, 3, 5, 8, 13, 19, 20, 21, 1000)},
        **{f"count_of_{count}": lambda tf, *, count=count: _shuffled(tf, count, 4, 7) for count in (0, 1, 2, 3, 4, 5, 100)},
        **{f"seed_of_{name}": lambda tf, *, seed=seed: _shuffled(tf, 12, 5, seed) for name, seed in {"zero": 0, "one": 1, "minus_three": -3, "large": 2**40 + 1, "modulus": 2**31 - 1, "largest": 2**63 - 1}.items()},
        **{f"global_seed_of_{name}": lambda tf, *, seed=seed: _shuffled(tf, 12, 5, 3, seed) for name, seed in {"none": None, "zero": 0, "minus_one": -1, "large": 2**40 + 1, "modulus": 2**31 - 1}.items()},
        **{f"global_seed_alone_of_{seed}": lambda tf, *, seed=seed: _shuffled(tf, 12, 5, None, seed) for seed in (0, 1, 123456789)},
        both_seeds_zero=lambda tf: _shuffled(tf, 12, 5, 0, 0),
        epochs_reshuffled=lambda tf: _shuffled(tf, 8, 4, 5, epochs=4),
        epochs_not_reshuffled=lambda tf: _shuffled(tf, 8, 4, 5, epochs=3, reshuffle_each_iteration=False),
        epochs_of_reshuffle_none=lambda tf: _shuffled(tf, 8, 4, 5, epochs=3, reshuffle_each_iteration=None),
        epochs_of_an_op_without_seed=lambda tf: _shuffled(tf, 8, 8, epochs=3),
        epochs_without_seed_not_reshuffled=lambda tf: _shuffled(tf, 8, 8, epochs=2, reshuffle_each_iteration=False),
        unknown_buffer=lambda tf: _shuffled(tf, 10, tf.data.UNKNOWN_CARDINALITY, 5, epochs=2),
        buffer_from_cardinality=lambda tf: _after_seed(tf, lambda: numbers(tf, 9).filter(lambda x: x != 4).shuffle(numbers(tf, 9).cardinality(), 5)),
        two_datasets_draw_two_seeds=lambda tf: [_after_seed(tf, lambda: tf.data.Dataset.zip(numbers(tf, 6).shuffle(6), numbers(tf, 6).shuffle(6)))],
        shuffle_then_repeat=lambda tf: _after_seed(tf, lambda: numbers(tf, 6).shuffle(4, 5).repeat(3), epochs=2),
        shuffle_not_reshuffled_then_repeat=lambda tf: _after_seed(tf, lambda: numbers(tf, 6).shuffle(4, 5, reshuffle_each_iteration=False).repeat(3)),
        shuffle_then_repeat_for_ever=lambda tf: _after_seed(tf, lambda: numbers(tf, 6).shuffle(6, 5).repeat(), limit=20),
        repeat_then_shuffle=lambda tf: _after_seed(tf, lambda: numbers(tf, 6).repeat(3).shuffle(4, 5), epochs=2),
        repeat_for_ever_then_shuffle=lambda tf: _after_seed(tf, lambda: numbers(tf, 6).repeat().shuffle(8, 5), limit=20),
        shuffle_then_batch=lambda tf: _after_seed(tf, lambda: numbers(tf, 10).shuffle(10, 5).batch(3), epochs=2),
        batch_then_shuffle=lambda tf: _after_seed(tf, lambda: numbers(tf, 10).batch(3).shuffle(10, 5), epochs=2),
        shuffle_then_take=lambda tf: _after_seed(tf, lambda: numbers(tf, 10).shuffle(10, 5).take(3), epochs=3),
        shuffle_then_map_then_shuffle=lambda tf: _after_seed(tf, lambda: numbers(tf, 10).shuffle(3, 5).map(lambda x: x * 2).shuffle(4, 6), epochs=2),
        shuffle_then_cache=lambda tf: _after_seed(tf, lambda: numbers(tf, 8).shuffle(8, 5).cache(), epochs=3),
        cache_then_shuffle=lambda tf: _after_seed(tf, lambda: numbers(tf, 8).cache().shuffle(8, 5), epochs=3),
        shuffle_of_tuples=lambda tf: _after_seed(tf, lambda: tf.data.Dataset.from_tensor_slices(([1, 2, 3, 4], ["a", "b", "c", "d"])).shuffle(4, 5)),
        shuffle_of_a_zip_with_itself=lambda tf: _after_seed(tf, lambda: (lambda d: tf.data.Dataset.zip(d, d))(numbers(tf, 6).shuffle(4, 5))),
        shuffle_in_flat_map=lambda tf: _after_seed(tf, lambda: numbers(tf, 3).flat_map(lambda x: tf.data.Dataset.range(x * 10, x * 10 + 4).shuffle(4, 5))),
        shuffle_in_interleave=lambda tf: _after_seed(tf, lambda: numbers(tf, 3).interleave(lambda x: tf.data.Dataset.range(x * 10, x * 10 + 4).shuffle(4, 5), cycle_length=2)),
        shuffle_slices_and_batch=lambda tf, np: _after_seed(tf, lambda: tf.data.Dataset.from_tensor_slices((np.arange(30), np.arange(30) % 3)).shuffle(30, 42).batch(8)),
        shuffle_split_by_take_and_skip=lambda tf: (lambda d: [order(d.take(3)), order(d.skip(3))])((tf.random.set_seed(1), numbers(tf, 8).shuffle(8, 5, reshuffle_each_iteration=False))[1]),
        shuffle_about=lambda tf: [about(numbers(tf).shuffle(3)), about(numbers(tf).repeat().shuffle(3))],
        shuffle_and_repeat=lambda tf: _after_seed(tf, lambda: numbers(tf, 6).apply(tf.data.experimental.shuffle_and_repeat(4, 3, 5)), epochs=2),
        shuffle_and_repeat_for_ever=lambda tf: _after_seed(tf, lambda: numbers(tf, 6).apply(tf.data.experimental.shuffle_and_repeat(10, seed=5)), limit=20),
        random_dataset=lambda tf: [about(tf.data.Dataset.random(5)), _after_seed(tf, lambda: tf.data.Dataset.random(5), epochs=2, limit=6)],
        random_dataset_without_seed=lambda tf: _after_seed(tf, lambda: tf.data.Dataset.random(), epochs=2, limit=4),
        random_dataset_each_iteration_anew=lambda tf: _after_seed(tf, lambda: tf.data.Dataset.random(5, rerandomize_each_iteration=True), epochs=3, limit=4),
        random_dataset_repeats_itself=lambda tf: _after_seed(tf, lambda: tf.data.Dataset.random(5, rerandomize_each_iteration=False).take(3).repeat(2)),
        random_dataset_batched=lambda tf: _after_seed(tf, lambda: tf.data.Dataset.random(9).batch(2), limit=3),
        sample_weighted=lambda tf: _after_seed(tf, lambda: tf.data.Dataset.sample_from_datasets(_three(tf), [0.2, 0.3, 0.5], seed=5), limit=30),
        sample_evenly=lambda tf: _after_seed(tf, lambda: tf.data.Dataset.sample_from_datasets(_three(tf), seed=5), epochs=2, limit=30),
        sample_to_the_end=lambda tf: _after_seed(tf, lambda: tf.data.Dataset.sample_from_datasets([numbers(tf, 3), tf.data.Dataset.range(10, 15)], [0.5, 0.5], seed=5)),
        sample_stops_on_empty=lambda tf: [_after_seed(tf, lambda: tf.data.Dataset.sample_from_datasets([numbers(tf, 3), tf.data.Dataset.range(10, 25)], [0.7, 0.3], seed=s, stop_on_empty_dataset=True)) for s in (5, 6)],
        sample_of_weight_zero=lambda tf: _after_seed(tf, lambda: tf.data.Dataset.sample_from_datasets([numbers(tf, 3), tf.data.Dataset.range(10, 15)], [0.0, 1.0], seed=5)),
        sample_of_one=lambda tf: [about(tf.data.Dataset.sample_from_datasets([numbers(tf, 3)], seed=5)), order(tf.data.Dataset.sample_from_datasets([numbers(tf, 3)], seed=5))],
        sample_of_tensor_weights=lambda tf: _after_seed(tf, lambda: tf.data.Dataset.sample_from_datasets(_three(tf), tf.constant([0.1, 0.1, 0.8], tf.float64), seed=5), limit=20),
        sample_of_a_dataset_of_weights=lambda tf: _after_seed(tf, lambda: tf.data.Dataset.sample_from_datasets(_three(tf), tf.data.Dataset.from_tensor_slices([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]).repeat(), seed=5), limit=20),
        sample_each_iteration_anew=lambda tf: _after_seed(tf, lambda: tf.data.Dataset.sample_from_datasets(_three(tf), seed=5, rerandomize_each_iteration=True), epochs=2, limit=12),
        sample_about=lambda tf: [about(tf.data.Dataset.sample_from_datasets([numbers(tf), numbers(tf).repeat()], stop_on_empty_dataset=s)) for s in (True, False)],
        rejection_resample=lambda tf: _after_seed(tf, lambda: numbers(tf, 30).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.2, 0.8], [0.5, 0.5], seed=3)),
        rejection_resample_estimates=lambda tf: _after_seed(tf, lambda: numbers(tf, 30).rejection_resample(lambda x: tf.cast(x % 3 == 0, tf.int32), [0.5, 0.5], seed=3)),
        rejection_resample_about=lambda tf: about(numbers(tf).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.5, 0.5])),
        random_op_in_map=lambda tf: _after_seed(tf, lambda: numbers(tf, 4).map(lambda x: _drawn(tf, seed=3)), epochs=2),
        random_op_in_map_without_seed=lambda tf: _after_seed(tf, lambda: numbers(tf, 4).map(lambda x: _drawn(tf)), epochs=2),
        random_op_in_map_repeated=lambda tf: _after_seed(tf, lambda: numbers(tf, 4).map(lambda x: _drawn(tf, seed=3)).repeat(2), epochs=2),
        random_op_in_flat_map=lambda tf: _after_seed(tf, lambda: numbers(tf, 3).flat_map(lambda x: tf.data.Dataset.range(2).map(lambda y: _drawn(tf, seed=3)))),
        random_ops_in_two_maps=lambda tf: _after_seed(tf, lambda: numbers(tf, 3).map(lambda x: (x, _drawn(tf))).map(lambda x, y: (y, _drawn(tf)))),
        random_op_in_filter=lambda tf: _after_seed(tf, lambda: numbers(tf, 12).filter(lambda x: tf.random.uniform([], seed=4) < 0.5), epochs=2),
        random_normal_in_map=lambda tf: _after_seed(tf, lambda: numbers(tf, 3).map(lambda x: tf.random.normal([2], seed=3))),
        stateless_random_in_map=lambda tf: order(numbers(tf, 3).map(lambda x: tf.random.stateless_uniform([], [x, 7], 0, 1000, tf.int32))),
        generator_in_map=lambda tf: (lambda g: (lambda d: [order(d), order(d), g.state])(numbers(tf, 3).map(lambda x: g.uniform([], 0, 1000, tf.int32))))(tf.random.Generator.from_seed(5)),
        shuffle_op_in_map=lambda tf: _after_seed(tf, lambda: tf.data.Dataset.from_tensors([1, 2, 3, 4]).repeat(3).map(lambda v: tf.random.shuffle(v, seed=3))),
        shuffle_at=lambda tf: (tf.random.set_seed(1), sorted(int(tf.data.experimental.at(numbers(tf).shuffle(5, seed=1, reshuffle_each_iteration=False), i)) for i in range(5)))[1],
    )
)

globals().update(
    errors(
        shuffle_buffer_of_zero=lambda tf: numbers(tf).shuffle(0),
        shuffle_buffer_of_minus_one=lambda tf: numbers(tf).shuffle(-1),
        shuffle_buffer_of_minus_five=lambda tf: numbers(tf).shuffle(-5),
        shuffle_buffer_of_a_string=lambda tf: numbers(tf).shuffle("a"),
        shuffle_buffer_of_none=lambda tf: numbers(tf).shuffle(None),
        shuffle_and_repeat_zero=lambda tf: numbers(tf).apply(tf.data.experimental.shuffle_and_repeat(3, 0)),
        sample_of_nothing=lambda tf: tf.data.Dataset.sample_from_datasets([]),
        sample_of_too_few_weights=lambda tf: tf.data.Dataset.sample_from_datasets([numbers(tf), numbers(tf)], [0.1]),
        sample_of_integer_weights=lambda tf: tf.data.Dataset.sample_from_datasets([numbers(tf), numbers(tf)], [5, 5]),
        sample_of_different_types=lambda tf: tf.data.Dataset.sample_from_datasets([numbers(tf), tf.data.Dataset.from_tensors("a")]),
    )
)


def prog_seeds_are_drawn_when_the_iterator_is_made(tf, np):
    """The iterator made first has the first epoch's order, whichever is read first."""
    tf.random.set_seed(11)
    dataset = numbers(tf, 6).shuffle(4, 5)
    first, second = iter(dataset), iter(dataset)
    later = [int(next(second)) for _ in range(6)]
    return [[int(next(first)) for _ in range(6)], later]


def prog_derived_datasets_share_the_seeds(tf, np):
    """Epochs of a dataset and of one made of it alternate."""
    tf.random.set_seed(11)
    dataset = numbers(tf, 6).shuffle(4, 5)
    derived = dataset.map(lambda x: x * 10)
    return [order(derived), order(dataset), order(derived)]


def prog_iterators_side_by_side(tf, np):
    """Two iterators at once do not disturb each other."""
    tf.random.set_seed(11)
    dataset = numbers(tf, 6).shuffle(4, 5)
    first, second = iter(dataset), iter(dataset)
    return [[int(next(first)), int(next(second))] for _ in range(6)]


def prog_set_seed_between_elements(tf, np):
    """Setting the global seed changes nothing for an iterator that exists."""
    tf.random.set_seed(11)
    iterator = iter(numbers(tf, 6).map(lambda x: _drawn(tf, seed=3)))
    first = int(next(iterator))
    tf.random.set_seed(11)
    return [first, int(next(iterator)), int(next(iterator))]


def prog_set_seed_starts_the_numbering_of_ops_over(tf, np):
    """Datasets without a seed of their own are numbered since set_seed."""
    found = []
    for _ in range(2):
        tf.random.set_seed(3)
        found.append([order(numbers(tf, 6).shuffle(6)), order(numbers(tf, 6).shuffle(6))])
    return found


def prog_shuffle_in_a_function(tf, np):
    """Every call makes the dataset anew, with the same order."""

    @tf.function
    def joined():
        text = tf.constant("")
        for x in tf.data.Dataset.range(6).shuffle(6, 5):
            text += tf.strings.as_string(x)
        return text

    tf.random.set_seed(11)
    return [joined(), joined()]


def prog_shuffle_without_seed_in_a_function(tf, np):
    """The function's graph numbers its seeded ops."""

    @tf.function
    def joined():
        text = tf.constant("")
        for x in tf.data.Dataset.zip(tf.data.Dataset.range(6).shuffle(6), tf.data.Dataset.range(6).shuffle(6)):
            text += tf.strings.as_string(x[0]) + tf.strings.as_string(x[1])
        return text

    tf.random.set_seed(11)
    return [joined(), joined()]
