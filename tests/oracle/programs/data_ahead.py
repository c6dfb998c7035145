"""Pipelines whose elements are made ahead: what programs of users see, and what is asked for how often."""

from __future__ import annotations

import tempfile
import time

from tests.oracle.programs._data_helpers import cases, outcome


def _python(tf, seen, seconds=0.0):
    """Returns a map function in Python that notes its numbers, and waits."""

    def note(x):
        seen.append(int(x))
        time.sleep(seconds)
        return x

    return lambda x: tf.py_function(note, [x], tf.int64)


def _settled(seen):
    """Returns how many calls there have been when there are no more for a while."""
    count = -1
    while count != len(seen):
        count = len(seen)
        time.sleep(0.15)
    return count


def _made(tf, build, take=10):
    seen = []
    iterator = iter(build(tf.data.Dataset.range(200).map(_python(tf, seen))))
    before = _settled(seen)
    for _ in range(take):
        next(iterator)
    return [before, _settled(seen), seen == list(range(len(seen)))]


def _without(tf, dataset, group="experimental_optimization", name="inject_prefetch"):
    options = tf.data.Options()
    setattr(getattr(options, group), name, False)
    return dataset.with_options(options)


def _generated(tf, count=20, seconds=0.0, log=None):
    def generate():
        try:
            for number in range(count):
                time.sleep(seconds)
                yield number, [number, number + 1]
        finally:
            if log is not None:
                log.append("closed")

    signature = (tf.TensorSpec([], tf.int64), tf.TensorSpec([2], tf.float32))
    return tf.data.Dataset.from_generator(generate, output_signature=signature)


def _training(tf):
    """A generator feeds a training loop."""
    weight = tf.Variable(0.0)

    @tf.function
    def step(number, pair):
        with tf.GradientTape() as tape:
            loss = (weight * tf.reduce_sum(pair) - tf.cast(number, tf.float32)) ** 2
        weight.assign_sub(1e-4 * tape.gradient(loss, weight))
        return loss

    losses = [step(number, pair) for number, pair in _generated(tf, seconds=0.002)]
    return losses[-1], weight


def _decoded(tf, np):
    """Images are decoded, batched and made ahead."""
    images = [tf.io.encode_png(tf.fill([4, 4, 3], tf.cast(value, tf.uint8))) for value in range(12)]
    dataset = tf.data.Dataset.from_tensor_slices(tf.stack(images)).map(
        lambda x: tf.cast(tf.io.decode_png(x, channels=3), tf.float32) / 255.0
    )
    return [tf.reduce_sum(batch, [1, 2, 3]) for batch in dataset.batch(5).prefetch(2)], dataset.batch(5).element_spec


def _slow_turn(tf):
    """A consumer that turns slow finds elements, and all of them once."""
    seen = []
    found = []
    for count, x in enumerate(tf.data.Dataset.range(30).map(_python(tf, seen, 0.001))):
        time.sleep(0.004 if count > 10 else 0)
        found.append(int(x))
    return found, seen


def _broken_off(tf):
    log = []
    for number, _ in _generated(tf, 1000, 0.002, log):
        if int(number) == 4:
            break
    return int(number)


def _many(tf):
    dataset = tf.data.Dataset.range(6).map(_python(tf, [], 0.001)).repeat(2)
    iterators = [iter(dataset) for _ in range(8)]
    return [[int(next(iterator)) for iterator in iterators] for _ in range(12)]


def _cached(tf):
    seen = []
    dataset = tf.data.Dataset.range(5).map(_python(tf, seen, 0.002)).cache().repeat(3)
    found = []
    for x in dataset:
        time.sleep(0.003)
        found.append(int(x))
    return found, seen


def _in_function(tf):
    @tf.function
    def total(dataset):
        result = tf.constant(0, tf.int64)
        for number, _ in dataset:
            if number == 7:
                break
            result += number
        return result

    @tf.function
    def three(iterator):
        return [next(iterator)[0] for _ in range(3)]

    iterator = iter(_generated(tf, seconds=0.002))
    return total(_generated(tf, seconds=0.002)), three(iterator), three(iterator)


def _failing(tf):
    def call(x):
        time.sleep(0.002)
        if int(x) == 7:
            raise ValueError("seven")
        return x

    iterator, found = iter(tf.data.Dataset.range(12).map(lambda x: tf.py_function(call, [x], tf.int64))), []
    while True:
        time.sleep(0.003)
        try:
            found.append(int(next(iterator)))
        except StopIteration:
            return found
        except tf.errors.OpError as error:
            found.append(type(error).__name__)


def _restored(tf):
    """An iterator that has made elements ahead is saved on the way."""
    iterator = iter(tf.data.Dataset.range(20).map(lambda x: x * x).prefetch(4))
    for _ in range(5):
        next(iterator)
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(iterator=iterator).save(f"{folder}/ckpt")
        after = [int(next(iterator)) for _ in range(3)]
        tf.train.Checkpoint(iterator=iterator).restore(path)
        return after, [int(x) for x in iterator]


def _outcomes(tf, dataset):
    iterator, found = iter(dataset), []
    while True:
        try:
            found.append(next(iterator))
        except StopIteration:
            return found
        except tf.errors.OpError as error:
            found.append(type(error).__name__)


def _checked(tf, size, failing, count=8, **kwargs):
    def check(x):
        for number in failing:
            tf.debugging.assert_none_equal(x, tf.constant(number, tf.int64))
        return x

    return _outcomes(tf, tf.data.Dataset.range(count).apply(tf.data.experimental.map_and_batch(check, size, **kwargs)))


def _snapshots(tf):
    found = []
    for dataset in (tf.data.Dataset.range(0), tf.data.Dataset.range(3).filter(lambda x: x > 5)):
        with tempfile.TemporaryDirectory() as folder:
            found.append([[int(x) for x in dataset.snapshot(folder).repeat(2)] for _ in range(2)])
    return found


globals().update(
    cases(
        prefetch_is_full_after_a_pause=lambda tf: [_made(tf, lambda d, n=n: d.prefetch(n)) for n in (1, 3, 10)],
        prefetch_is_full_after_one_element=lambda tf: _made(tf, lambda d: d.prefetch(3), 1),
        prefetch_in_the_middle=lambda tf: _made(tf, lambda d: _without(tf, d.prefetch(3).map(lambda x: x))),
        prefetch_of_none=lambda tf: [_made(tf, lambda d: d.prefetch(0)), _made(tf, lambda d: d.prefetch(0).map(lambda x: x))],
        prefetch_twice=lambda tf: _made(tf, lambda d: d.prefetch(2).map(lambda x: x).prefetch(3)),
        no_injection=lambda tf: _made(tf, lambda d: _without(tf, d)),
        no_autotuning=lambda tf: _made(tf, lambda d: _without(tf, d, "autotune", "enabled")),
        no_rewrites=lambda tf: _made(tf, lambda d: _without(tf, d, name="apply_default_optimizations")),
        training=_training,
        decoded=_decoded,
        slow_turn=_slow_turn,
        broken_off=_broken_off,
        many_iterators=_many,
        cached=_cached,
        in_a_function=_in_function,
        taken=lambda tf: [int(x) for x, _ in _generated(tf, seconds=0.002).take(7)],
        failing=_failing,
        restored=_restored,
        reduced=lambda tf: _generated(tf, seconds=0.002).reduce(tf.constant(0, tf.int64), lambda s, x: s + x[0]),
        map_and_batch_failing=lambda tf: [_checked(tf, 3, {3}), _checked(tf, 3, {1}), _checked(tf, 3, {2, 4}), _checked(tf, 2, {7})],
        map_and_batch_failing_last=lambda tf: [_checked(tf, 3, {7}), _checked(tf, 3, {0}, 1), _checked(tf, 4, {1, 2, 6}, drop_remainder=True)],
        map_and_batch_failing_parallel=lambda tf: [_checked(tf, 3, {3}, num_parallel_calls=2), _checked(tf, 3, {4}, num_parallel_batches=2)],
        snapshots_of_nothing=_snapshots,
        debug_strings=lambda tf: [
            d.__debug_string__()
            for d in (
                tf.data.Dataset.range(3),
                tf.data.Dataset.zip((tf.data.Dataset.range(3).map(lambda x: x + 1).batch(2), tf.data.Dataset.from_tensors({"a": [1.0]}).repeat())).prefetch(1),
                tf.data.Dataset.range(3).concatenate(tf.data.Dataset.range(4)).shuffle(2).take(1),
                tf.data.Dataset.range(3).flat_map(tf.data.Dataset.range).cache(),
                tf.data.experimental.sample_from_datasets([tf.data.Dataset.range(1), tf.data.Dataset.range(2)]),
            )
        ],
        lists_of_datasets=lambda tf: [
            [int(y) for x in tf.data.experimental.from_list([tf.data.Dataset.range(2), tf.data.Dataset.range(3)]) for y in x],
            [int(y) for y in tf.data.experimental.from_list([tf.data.Dataset.range(2), tf.data.Dataset.range(3)]).flat_map(lambda d: d)],
            repr(tf.data.experimental.from_list([tf.data.Dataset.range(2)]).element_spec),
        ],
        numpy_of_scalars=lambda tf: [type(next(iter(tf.data.Dataset.from_tensors(v)))._numpy()).__name__ for v in ("abc", 1.5, 3, True, ["a"], [1])],
        save_and_load_nothing=lambda tf: outcome(lambda: _saved(tf)),
    )
)


def _saved(tf):
    with tempfile.TemporaryDirectory() as folder:
        tf.data.Dataset.range(0).save(folder)
        loaded = tf.data.Dataset.load(folder)
        return [int(x) for x in loaded], int(loaded.cardinality())
