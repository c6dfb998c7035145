"""Sparse features before a network: embeddings of bags of ids, sets, crosses of features, counts.

A million ids in 100,000 bags against a table of 50,000 rows of 32 numbers; 100,000 pairs of sets of ten numbers or
strings; crosses of 200,000 rows of one value and three values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("bags", "embedding_lookup_sparse of 1e6 ids in 1e5 bags", "ms", beyond="tensorflow", reach=0.0),
    Row("bags_weighted", "the same with weights", "ms", beyond="tensorflow", reach=0.0),
    Row("bags_gradient", "the first with the gradient of the table", "ms", beyond="tensorflow", reach=0.0),
    Row("bags_weighted_gradient", "the second with the gradient of the table", "ms", beyond="tensorflow", reach=0.0),
    Row("sets_union", "unions of 1e5 pairs of sets of 10 numbers", "ms", beyond="tensorflow", reach=0.0),
    Row("sets_text", "differences of 1e5 pairs of sets of 10 strings", "ms"),
    Row("cross_text", "cross of 2e5 rows of 1 and 3 strings", "ms"),
    Row("cross_numbers", "cross of 2e5 rows of 1 and 3 numbers", "ms", beyond="tensorflow", reach=0.0),
    Row("cross_hashed", "cross_hashed of 2e5 rows of 1 and 3 numbers", "ms", beyond="tensorflow", reach=0.0),
    Row("counts", "sparse.bincount of 1e5 rows of 10 numbers", "ms", beyond="tensorflow", reach=0.0),
)

_IDS, _BAGS, _TABLE, _WIDTH = 1_000_000, 100_000, 50_000, 32


def _bags(tf: Any, np: Any) -> tuple[Any, Any]:
    """The ids in their bags, and a weight for each."""
    random = np.random.RandomState(0)
    rows = np.sort(random.randint(0, _BAGS, _IDS))
    columns = np.arange(_IDS) - np.searchsorted(rows, rows)
    shape = [_BAGS, int(columns.max()) + 1]
    indices = np.stack([rows, columns], axis=1)
    ids = tf.SparseTensor(indices, random.randint(0, _TABLE, _IDS), shape)
    return ids, tf.SparseTensor(indices, random.rand(_IDS).astype("float32"), shape)


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    random = np.random.RandomState(1)
    ids, weights = _bags(tf, np)
    table = tf.Variable(random.rand(_TABLE, _WIDTH).astype("float32"))
    first, second = (tf.constant(random.randint(0, 1000, (100_000, 10))) for _ in range(2))
    texts = [tf.strings.as_string(numbers) for numbers in (first, second)]
    features = [tf.constant(random.randint(0, 5000, (200_000, size))) for size in (1, 3)]
    text_features = [tf.strings.as_string(feature) for feature in features]

    def look_up(weights: Any = None) -> Any:
        return tf.nn.embedding_lookup_sparse(table, ids, weights)

    def gradient(weights: Any = None) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(look_up(weights) ** 2)
        return tape.gradient(loss, table).values

    return {
        "bags": look_up,
        "bags_weighted": lambda: look_up(weights),
        "bags_gradient": gradient,
        "bags_weighted_gradient": lambda: gradient(weights),
        "sets_union": lambda: tf.sets.union(first, second).values,
        "sets_text": lambda: tf.sets.difference(*texts).values,
        "cross_text": lambda: tf.sparse.cross(text_features).values,
        "cross_numbers": lambda: tf.sparse.cross(features).values,
        "cross_hashed": lambda: tf.sparse.cross_hashed(features, num_buckets=1000).values,
        "counts": lambda: tf.sparse.bincount(first, axis=-1).values,
    }
