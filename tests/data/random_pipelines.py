"""Random pipelines for hypothesis: a source and up to five stages, each given by its name and arguments.

A pipeline is plain data (`("range", 7), ("batch", 2, False)`), so that an example which fails can be read and built
again. All elements are vectors of int64 whose length may differ, so that every stage follows on every other.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from hypothesis import strategies as st

import millrace as tf

Dataset = tf.data.Dataset
_SMALL = st.integers(1, 4)
_VECTOR = tf.TensorSpec([None], tf.int64)


def _refuse_threes(x: Any) -> Any:
    return tf.debugging.check_numerics(tf.where(x % 5 == 3, float("inf"), 1.0), "three") > 0


def _called_in_python(x: Any) -> Any:
    return tf.ensure_shape(tf.py_function(lambda y: y + 1, [x], tf.int64), [None])


def _rest(x: Any) -> Any:
    return tf.reduce_sum(x) % 3


_TOTAL = tf.data.experimental.Reducer(
    lambda key: tf.constant(0, tf.int64), lambda total, x: total + tf.reduce_sum(x), lambda total: total[None]
)

SOURCES: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "range": (lambda n: Dataset.range(n).map(lambda x: x[None]), [st.integers(0, 9)]),
    "slices": (lambda n: Dataset.from_tensor_slices(tf.reshape(tf.range(2 * n, dtype=tf.int64), [n, 2])), [_SMALL]),
    "generator": (
        lambda n: Dataset.from_generator(lambda: ([i] * (i % 3) for i in range(n)), output_signature=_VECTOR),
        [_SMALL],
    ),
    "counter": (lambda n: Dataset.counter(3, 2).take(n).map(lambda x: x[None]), [_SMALL]),
}

STAGES: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "map": (lambda ds, n: ds.map(lambda x: x * n + 1), [_SMALL]),
    "map_of_rows": (lambda ds: ds.map(_called_in_python), []),
    "parallel_map": (lambda ds, n: ds.map(lambda x: x - 1, num_parallel_calls=n), [_SMALL]),
    "map_with_errors": (lambda ds: ds.map(lambda x: x + tf.cast(tf.reduce_all(_refuse_threes(x)), tf.int64)), []),
    "random_map": (lambda ds: ds.map(lambda x: x + tf.random.uniform([], 0, 9, tf.int64, seed=3)), []),
    "filter": (lambda ds, n: ds.filter(lambda x: tf.reduce_sum(x) % (n + 1) != 0), [_SMALL]),
    "take": (lambda ds, n: ds.take(n), [st.integers(-1, 6)]),
    "skip": (lambda ds, n: ds.skip(n), [st.integers(0, 6)]),
    "repeat": (lambda ds, n: ds.repeat(n), [st.integers(0, 3)]),
    "shard": (lambda ds, n: ds.shard(n, n - 1), [_SMALL]),
    "shuffle": (lambda ds, n: ds.shuffle(n, seed=7), [_SMALL]),
    "concatenate": (lambda ds, n: ds.concatenate(Dataset.range(n).map(lambda x: x[None])), [_SMALL]),
    "zip": (lambda ds: Dataset.zip((ds, Dataset.range(6))).map(lambda x, i: x + i), []),
    "enumerate": (lambda ds: ds.enumerate().map(lambda i, x: x * i), []),
    "flat_map": (lambda ds, n: ds.flat_map(lambda x: Dataset.range(n).map(lambda i: x + i)), [_SMALL]),
    "interleave": (
        lambda ds, cycle, block: ds.interleave(lambda x: Dataset.from_tensors(x).repeat(3), cycle, block),
        [_SMALL, _SMALL],
    ),
    "scan": (lambda ds: ds.scan(tf.constant(0, tf.int64), lambda s, x: (s + 1, x + s)), []),
    "take_while": (lambda ds, n: ds.take_while(lambda x: tf.reduce_sum(x) < 10 * n), [_SMALL]),
    "padded_batch": (lambda ds, n: ds.padded_batch(n).map(lambda x: tf.reshape(x, [-1])), [_SMALL]),
    "prefetch": (lambda ds, n: ds.prefetch(n), [_SMALL]),
    "unbatch": (lambda ds: ds.unbatch().map(lambda x: tf.reshape(x, [-1])), []),
    "ignore_errors": (lambda ds: ds.ignore_errors(), []),
    "group_by_window": (
        lambda ds, size: ds.group_by_window(
            lambda x: tf.reduce_sum(x) % 2, lambda key, group: group.map(lambda x: x + key), window_size=size
        ),
        [_SMALL],
    ),
    "window": (
        lambda ds, size, shift: ds.window(size, shift).flat_map(lambda window: window),
        [_SMALL, _SMALL],
    ),
    "shuffle_and_repeat": (
        lambda ds, size, n: ds.apply(tf.data.experimental.shuffle_and_repeat(size, n, seed=7)),
        [_SMALL, st.integers(1, 3)],
    ),
    "parallel_interleave": (
        lambda ds, cycle, block: ds.interleave(lambda x: Dataset.from_tensors(x).repeat(3), cycle, block, cycle),
        [_SMALL, _SMALL],
    ),
    "batch_of_sums": (lambda ds, n, drops: ds.map(tf.reduce_sum).batch(n, drops), [_SMALL, st.booleans()]),
    "rebatch": (lambda ds, n: ds.rebatch(n), [_SMALL]),
    "group_by_reducer": (lambda ds: ds.apply(tf.data.experimental.group_by_reducer(_rest, _TOTAL)), []),
    "bucket_by_sequence_length": (
        lambda ds, n: ds.bucket_by_sequence_length(tf.size, [2], [n, n]).map(lambda x: tf.reshape(x, [-1])),
        [_SMALL],
    ),
    "unique": (lambda ds: ds.map(tf.reduce_sum).unique().map(lambda x: x[None]), []),
    "cache": (lambda ds: ds.cache(), []),
    "choose_from_datasets": (
        lambda ds, n: Dataset.choose_from_datasets(
            [ds, Dataset.range(3).map(lambda x: x[None])],
            Dataset.range(n).map(lambda i: i % 2),
            stop_on_empty_dataset=False,
        ),
        [st.integers(0, 6)],
    ),
}


def _calls(table: dict[str, tuple[Callable[..., Any], list[Any]]], names: Container[str]) -> Any:
    """Returns the strategy of calls of functions of a table: a name and arguments."""
    return st.one_of([st.tuples(st.just(n), *arguments) for n, (_, arguments) in table.items() if n in names])


def pipelines_of(names: Container[str]) -> Any:
    """Returns the strategy of pipelines with some sources and stages."""
    return st.tuples(_calls(SOURCES, names), st.lists(_calls(STAGES, names), max_size=5))


PIPELINES = pipelines_of({*SOURCES, *STAGES})


def build(pipeline: Any, optimizes: bool = True) -> Any:
    """Makes the dataset of a pipeline; its functions may depend on state outside.

    Args:
      pipeline: the names and arguments of the source and the stages.
      optimizes: whether the pipeline is rewritten before it runs.
    """
    tf.random.set_seed(1)
    (source, *arguments), stages = pipeline
    dataset = SOURCES[source][0](*arguments)
    for stage, *values in stages:
        dataset = STAGES[stage][0](dataset, *values)
    options = tf.data.Options()
    options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    options.experimental_optimization.apply_default_optimizations = optimizes
    return dataset.with_options(options)
