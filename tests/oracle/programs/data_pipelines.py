"""Input pipelines as users write them, and what such pipelines rely on: state, caches, side effects, names."""

from __future__ import annotations

import functools
import gc

from tests.oracle.programs._data_helpers import about, cases, each, elements, errors, numbers, order, outcome

_TEXT = ["the cat sat", "on", "the mat and slept", ""]


def _lookup(tf, words):
    """Positions of words in a short vocabulary, without a table."""
    vocabulary = tf.constant(["the", "cat", "mat"])
    return tf.argmax(tf.cast(words[:, None] == vocabulary[None, :], tf.int32), axis=1)


globals().update(
    cases(
        features_and_labels=lambda tf, np: order(tf.data.Dataset.from_tensor_slices((np.arange(12).reshape(6, 2) / 4, np.arange(6) % 2)).map(lambda x, y: (tf.cast(x, tf.float32) * 2, tf.one_hot(y, 2))).batch(4)),
        train_and_test_split=lambda tf: (tf.random.set_seed(1), (lambda d: [order(d.take(7)), order(d.skip(7)), order(d.skip(7).take(2))])(numbers(tf, 10).shuffle(10, 3, reshuffle_each_iteration=False)))[1],
        cross_validation=lambda tf: [[order(numbers(tf, 9).shard(3, k)), order(numbers(tf, 9).enumerate().filter(lambda i, x: i % 3 != k).map(lambda i, x: x))] for k in range(3)],
        images_and_augmentation=lambda tf, np: (tf.random.set_seed(1), elements(tf.data.Dataset.from_tensor_slices(np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2)).map(lambda x: tf.cond(tf.random.uniform([], seed=3) < 0.5, lambda: x[:, ::-1], lambda: x))))[1],
        time_series_windows=lambda tf: order(tf.data.Dataset.range(10).window(4, shift=2, drop_remainder=True).flat_map(lambda w: w.batch(4)).map(lambda w: (w[:-1], w[-1]))),
        time_series_targets=lambda tf: order(tf.data.Dataset.zip(tf.data.Dataset.range(8).batch(3, drop_remainder=True), tf.data.Dataset.range(1, 9).batch(3, drop_remainder=True))),
        padded_text=lambda tf: elements(tf.data.Dataset.from_tensor_slices(["a", "bb", "cccc"]).map(lambda s: tf.io.decode_raw(s, tf.uint8)).padded_batch(2)),
        characters=lambda tf: order(tf.data.Dataset.from_tensor_slices(_TEXT).map(tf.strings.length).filter(lambda n: n > 0)),
        vocabulary_positions=lambda tf: order(tf.data.Dataset.from_tensors(["the", "mat", "cat"]).map(lambda words: _lookup(tf, words))),
        balanced_classes=lambda tf: (tf.random.set_seed(3), order(tf.data.Dataset.sample_from_datasets([numbers(tf, 20).filter(lambda x: x % 5 == 0).repeat(), numbers(tf, 20).filter(lambda x: x % 5 != 0).repeat()], [0.5, 0.5], seed=1).take(12)))[1],
        class_counts=lambda tf, np: numbers(tf, 10).map(lambda x: x % 3).reduce(np.zeros(3, np.int64), lambda counts, label: counts + tf.one_hot(label, 3, dtype=tf.int64)),
        mean_and_variance=lambda tf: numbers(tf, 5).map(lambda x: tf.cast(x, tf.float32)).reduce((0.0, 0.0, 0.0), lambda s, x: (s[0] + 1, s[1] + x, s[2] + x * x)),
        epochs_with_a_number=lambda tf: order(tf.data.Dataset.range(2).flat_map(lambda epoch: tf.data.Dataset.range(3).map(lambda x: (epoch, x)))),
        fibonacci=lambda tf: order(tf.data.Dataset.counter().scan((0, 1), lambda s, _: ((s[1], s[0] + s[1]), s[0])).take_while(lambda x: x < 30)),
        batches_of_dicts=lambda tf: elements(tf.data.Dataset.from_tensor_slices({"x": [1.0, 2.0, 3.0], "name": ["a", "b", "c"]}).map(lambda d: ({"x": d["x"] * 2}, d["name"])).batch(2)),
        sparse_labels_to_one_hot=lambda tf: elements(tf.data.Dataset.from_tensor_slices([0, 2]).map(lambda y: tf.one_hot(y, 3))),
        crop_batches_to_steps=lambda tf: [len(numbers(tf, 100).batch(32)), len(numbers(tf, 100).batch(32, drop_remainder=True)), len(numbers(tf, 100).repeat(3).batch(32).take(5))],
        pairs=lambda tf: order(tf.data.Dataset.range(3).flat_map(lambda a: tf.data.Dataset.range(a + 1, 4).map(lambda b: (a, b)))),
        merge_sorted_by_choice=lambda tf: order(tf.data.Dataset.choose_from_datasets([tf.data.Dataset.range(0, 10, 2), tf.data.Dataset.range(1, 10, 2)], tf.data.Dataset.range(2).repeat())),
        prefetch_at_the_end=lambda tf: [about(numbers(tf).batch(2).prefetch(tf.data.AUTOTUNE)), order(numbers(tf).batch(2).prefetch(tf.data.AUTOTUNE))],
        whole_dataset_as_one_batch=lambda tf: numbers(tf).batch(len(numbers(tf))).get_single_element(),
        dataset_of_datasets=lambda tf: order(tf.data.Dataset.from_tensor_slices([2, 3]).map(lambda n: tf.data.Dataset.range(tf.cast(n, tf.int64))).flat_map(lambda d: d)),
        partial_functions=lambda tf: order(numbers(tf, 3).map(functools.partial(lambda a, b: a * b, tf.constant(3, tf.int64)))),
        methods_as_functions=lambda tf: order(numbers(tf, 3).map(tf.math.square)),
        counted_by_a_variable=lambda tf: (lambda v: (lambda d: [order(d), order(d), int(v)])(numbers(tf, 4).map(lambda x: v.assign_add(1))))(tf.Variable(0, dtype=tf.int64)),
        two_iterators_of_a_cache=lambda tf: (lambda d: (lambda a, b: [int(next(a)), int(next(b)), int(next(a)), int(next(b)), [int(x) for x in a], [int(x) for x in b]])(iter(d), iter(d)))(numbers(tf, 4).cache()),
        sources_of_numpy_kinds=lambda tf, np: [tf.data.Dataset.from_tensor_slices(a).element_spec for a in (np.array(["a", "b"]), np.array(["a", b"b"], object), np.array([1], np.uint64), np.array([1.0]), range(3), [2**40])],
    )
)

globals().update(
    errors(
        name_with_a_space=lambda tf: tf.data.Dataset.range(2, name="a b"),
        slices_of_a_set=lambda tf: tf.data.Dataset.from_tensor_slices({1, 2}),
        slices_of_dates=lambda tf, np: tf.data.Dataset.from_tensor_slices(np.array(["2020-01-01"], "datetime64[D]")),
        number_beyond_64_bits=lambda tf: tf.data.Dataset.from_tensors(2**70),
        variable_made_in_a_map=lambda tf: numbers(tf).map(lambda x: (tf.Variable(1), x)[1]),
        generator_function_in_a_map=lambda tf: numbers(tf).map(_generate),
    )
)


def _generate(x):
    yield x


def prog_captured_shuffle_goes_on_between_calls(tf, np):
    """A dataset made outside of a function reshuffles from call to call."""
    tf.random.set_seed(11)
    dataset = numbers(tf, 6).shuffle(4, 5)

    @tf.function
    def joined():
        text = tf.constant("")
        for x in dataset:
            text += tf.strings.as_string(x)
        return text

    return [joined(), joined(), order(dataset)]


def prog_dropped_iterators_close_their_generator(tf, np):
    """A generator left half-way is closed."""
    log = []

    def generate():
        try:
            yield from range(1000)
        finally:
            log.append("closed")

    iterator = iter(tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int32)))
    first = int(next(iterator))
    del iterator
    gc.collect()
    return [first, log]


def prog_nothing_runs_before_the_first_element(tf, np):
    """Making a dataset and an iterator calls no user function."""
    calls = []

    def seen(value):
        calls.append(int(value))
        return value

    iterator = iter(numbers(tf, 3).map(lambda x: tf.py_function(seen, [x], tf.int64)))
    before = list(calls)
    return [before, [int(x) for x in iterator], calls]


def prog_stateful_python_in_parallel_keeps_every_element(tf, np):
    """A parallel map over a Python function sees each element once."""
    calls = []

    def seen(value):
        calls.append(int(value))
        return value * 2

    dataset = numbers(tf, 20).map(lambda x: tf.py_function(seen, [x], tf.int64), num_parallel_calls=4)
    return [order(dataset), sorted(calls)]


def prog_iterator_state_across_functions(tf, np):
    """One iterator serves a function and plain Python in turn."""
    iterator = iter(numbers(tf, 6))
    advance = tf.function(lambda: next(iterator))
    return [int(advance()), int(next(iterator)), int(advance()), each(iterator, 4)]


def prog_training_with_early_stop(tf, np):
    """An infinite dataset limited by zip with a range."""
    weight = tf.Variable(1.0)
    steps = tf.data.Dataset.zip(tf.data.Dataset.range(3), tf.data.Dataset.from_tensors(2.0).repeat())
    for step, value in steps:
        weight.assign(weight * value + tf.cast(step, tf.float32))
    return weight.numpy()


def prog_error_then_retry(tf, np):
    """A pipeline that failed works once its cause is gone."""
    divisor = tf.Variable(0, dtype=tf.int64)
    dataset = numbers(tf, 2).map(lambda x: (x + 6) // divisor)
    first = outcome(lambda: order(dataset), 0)
    divisor.assign(2)
    return [first, order(dataset)]
