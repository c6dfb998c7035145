"""Pipelines whose graphs TensorFlow and Millrace read from each other."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any


def _fills(tf: Any) -> Any:
    return tf.data.Dataset.range(6).map(lambda n: tf.fill([n], n))


def _sums(tf: Any) -> Any:
    return tf.data.experimental.Reducer(lambda key: key, lambda total, x: total + x, lambda total: total)


PIPELINES: dict[str, Callable[[Any, Any], Any]] = {
    "assert_cardinality": lambda tf, d: d.apply(tf.data.experimental.assert_cardinality(6)),
    "batch": lambda tf, d: d.batch(4),
    "bucket": lambda tf, d: _fills(tf).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2, 2]),
    "concatenate": lambda tf, d: d.concatenate(d.take(2)),
    "counter": lambda tf, d: tf.data.Dataset.counter(1, 2).take(3),
    "enumerate": lambda tf, d: d.enumerate(3),
    "filter": lambda tf, d: d.filter(lambda x: x % 2 == 0),
    "flat_map": lambda tf, d: d.flat_map(lambda x: tf.data.Dataset.range(x)),
    "group_by_reducer": lambda tf, d: d.apply(tf.data.experimental.group_by_reducer(lambda x: x % 2, _sums(tf))),
    "group_by_window": lambda tf, d: d.group_by_window(lambda x: x % 2, lambda key, window: window.batch(3), 3),
    "ignore_errors": lambda tf, d: d.ignore_errors(),
    "interleave": lambda tf, d: d.interleave(lambda x: tf.data.Dataset.range(x), cycle_length=2, block_length=2),
    "map": lambda tf, d: d.map(lambda x: {"x": x, "text": tf.strings.as_string(x)}),
    "padded_batch": lambda tf, d: _fills(tf).padded_batch(2, [7], tf.constant(-1, tf.int64)),
    "rebatch": lambda tf, d: d.batch(2).rebatch([3, 1]),
    "repeat": lambda tf, d: d.repeat(2),
    "scan": lambda tf, d: d.scan(tf.constant(0, tf.int64), lambda total, x: (total + x, total)),
    "shard": lambda tf, d: d.shard(2, 1),
    "skip": lambda tf, d: d.skip(4),
    "slices": lambda tf, d: tf.data.Dataset.from_tensor_slices(([1.5, 2.5], ["a", "b"])),
    "take_while": lambda tf, d: d.take_while(lambda x: x < 3),
    "unbatch": lambda tf, d: d.batch(2).unbatch(),
    "unique": lambda tf, d: d.map(lambda x: x // 2).unique(),
    "window": lambda tf, d: d.window(3, 2).flat_map(lambda window: window.batch(3)),
    "zip": lambda tf, d: tf.data.Dataset.zip((d, d.skip(1))),
}
"""Name -> a function of the framework and the numbers below 6."""


def pipeline(tf: Any, name: str) -> Any:
    """Makes a pipeline."""
    return PIPELINES[name](tf, tf.data.Dataset.range(6))


def written(tf: Any, name: str) -> str:
    """The graph of a pipeline, as text."""
    return base64.b64encode(pipeline(tf, name)._as_serialized_graph().numpy()).decode()


def read(tf: Any, name: str, text: str) -> Any:
    """The dataset of a graph."""
    handle = tf.raw_ops.DatasetFromGraph(graph_def=base64.b64decode(text))
    return tf.data.experimental.from_variant(handle, pipeline(tf, name).element_spec)


def elements(tf: Any, dataset: Any) -> list[Any]:
    """The elements as texts of nests of plain values."""

    def plain(tensor: Any) -> Any:
        value = tensor.numpy()
        return value.tolist() if hasattr(value, "tolist") else value

    return [repr(tf.nest.map_structure(plain, element)) for element in dataset]
