"""Pipelines of random transformations: elements in order, cardinality, spec. What optimizers must not change."""

from __future__ import annotations

import random

from tests.oracle.programs._data_helpers import order

_PIPELINES = 120
_SHOWN = 40
_ALL = 10_000


def _scalar_stage(tf, dataset, draw):
    """Adds one random transformation to a dataset of numbers; the answer says whether its elements are vectors."""
    data = tf.data.Dataset
    a, b, c, seed = draw.randrange(1, 5), draw.randrange(1, 7), draw.randrange(1, 4), draw.randrange(1000)
    flag = draw.random() < 0.5
    stages = {
        "map": lambda: dataset.map(lambda x: x * a + b),
        "map_parallel": lambda: dataset.map(lambda x: x * x - b, num_parallel_calls=c),
        "map_branch": lambda: dataset.map(lambda x: tf.cond(x % 2 == 0, lambda: x // 2, lambda: 3 * x + b)),
        "filter": lambda: dataset.filter(lambda x: x % (a + 1) != 0),
        "flat_map": lambda: dataset.flat_map(lambda x: data.range(x, x + b)),
        "flat_map_uneven": lambda: dataset.flat_map(lambda x: data.range(x % b)),
        "interleave": lambda: dataset.interleave(lambda x: data.range(x, x + x % 5), cycle_length=a, block_length=c),
        "interleave_parallel": lambda: dataset.interleave(lambda x: data.range(x, x + 3), a, c, num_parallel_calls=a),
        "shuffle": lambda: dataset.shuffle(b, seed),
        "shuffle_once": lambda: dataset.shuffle(2 * b, seed, reshuffle_each_iteration=False),
        "shuffle_large": lambda: dataset.shuffle(1000, seed),
        "repeat": lambda: dataset.repeat(c),
        "take": lambda: dataset.take(4 * b),
        "skip": lambda: dataset.skip(c),
        "shard": lambda: dataset.shard(c + 1, seed % (c + 1)),
        "window": lambda: dataset.window(a + 1, shift=c, drop_remainder=True).flat_map(lambda w: w.take(c)),
        "group_by_window": lambda: dataset.group_by_window(lambda x: x % a, lambda key, group: group.map(lambda x: x + key), b),
        "scan": lambda: dataset.scan(tf.constant(0, tf.int64), lambda s, x: ((s + x) % 97, s)),
        "take_while": lambda: dataset.take_while(lambda x: x < 40),
        "enumerate": lambda: dataset.enumerate(start=a).map(lambda i, x: i * 10 + x),
        "concatenate": lambda: dataset.concatenate(data.range(b)),
        "zip": lambda: data.zip(dataset, data.counter(a)).map(lambda x, y: x + 2 * y),
        "zip_with_itself": lambda: data.zip(dataset, dataset).map(lambda x, y: x * 100 + y),
        "choose": lambda: data.choose_from_datasets([dataset, data.range(b)], data.range(2).repeat(), stop_on_empty_dataset=flag),
        "sample": lambda: data.sample_from_datasets([dataset, data.range(b)], [0.6, 0.4], seed=seed, stop_on_empty_dataset=flag),
        "cache": lambda: dataset.cache(),
        "prefetch": lambda: dataset.prefetch(c),
        "random": lambda: dataset.map(lambda x: x + tf.random.uniform([], 0, 10, tf.int64, seed=seed)),
        "unique": lambda: dataset.unique(),
        "batch": lambda: dataset.batch(b, drop_remainder=flag),
        "batch_parallel": lambda: dataset.batch(b, num_parallel_calls=c),
        "padded_batch": lambda: dataset.padded_batch(b, drop_remainder=flag),
    }
    name = draw.choice(sorted(stages))
    return name, stages[name](), "batch" in name


def _vector_stage(tf, dataset, draw):
    """Adds one random transformation to a dataset of vectors; the answer says whether its elements are vectors."""
    a, b, seed = draw.randrange(1, 5), draw.randrange(1, 7), draw.randrange(1000)
    stages = {
        "unbatch": lambda: (dataset.unbatch(), False),
        "rebatch": lambda: (dataset.rebatch(b), True),
        "sum": lambda: (dataset.map(tf.reduce_sum), False),
        "map_vector": lambda: (dataset.map(lambda x: x * a - b), True),
        "reverse": lambda: (dataset.map(lambda x: x[::-1]), True),
        "slices": lambda: (dataset.flat_map(tf.data.Dataset.from_tensor_slices), False),
        "shuffle_vectors": lambda: (dataset.shuffle(b, seed), True),
        "filter_vectors": lambda: (dataset.filter(lambda x: tf.reduce_sum(x) % 3 != 0), True),
        "repeat_vectors": lambda: (dataset.repeat(2), True),
        "take_vectors": lambda: (dataset.take(b), True),
        "first": lambda: (dataset.map(lambda x: x[0]), False),
        "prefetch_vectors": lambda: (dataset.prefetch(1), True),
    }
    name = draw.choice(sorted(stages))
    return name, *stages[name]()


def _pipeline(number):
    def program(tf, np):
        draw = random.Random(number)
        tf.random.set_seed(number)
        dataset, is_vector, names = tf.data.Dataset.range(draw.randrange(1, 25)), False, []
        for _ in range(draw.randrange(2, 7)):
            stage = _vector_stage if is_vector else _scalar_stage
            name, dataset, is_vector = stage(tf, dataset, draw)
            names.append(name)
        epochs = [order(dataset, _ALL) for _ in range(2)]  # to the end, so that caches are filled
        found = [[epoch[:_SHOWN], len(epoch)] for epoch in epochs]
        return [names, int(dataset.cardinality()), dataset.element_spec, *found]

    return program


globals().update({f"prog_pipeline_{number:03d}": _pipeline(number) for number in range(_PIPELINES)})
