"""Lookup tables: a million keys at once, as the vocabulary of a text pipeline has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = tuple(
    Row(key, title, "ms", reach=0.0, beyond="tensorflow")
    for key, title in (
        ("table_texts", "StaticHashTable, 1,000,000 texts in 100,000"),
        ("table_unknown_texts", "StaticHashTable, 1,000,000 texts that are not in it"),
        ("table_integers", "StaticHashTable, 1,000,000 dense integers in 100,000"),
        ("table_scattered", "StaticHashTable, 1,000,000 scattered integers in 100,000"),
        ("table_vocabulary", "StaticVocabularyTable, 1,000,000 known words"),
        ("table_mutable_lookup", "MutableHashTable, 1,000,000 texts in 1,000,000"),
        ("table_mutable_insert", "MutableHashTable, insertion of 1,000,000 texts"),
        ("table_dense_lookup", "DenseHashTable, 1,000,000 scattered integers in 1,000,000"),
    )
)
KEYS, ASKED = 100_000, 1_000_000


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    random = np.random.RandomState(0)
    picks = random.randint(0, KEYS, ASKED)
    words = np.array([b"word%d" % number for number in range(KEYS)], object)
    scattered = random.randint(0, 2**60, KEYS)
    unique = tf.constant(np.array([b"key%d" % number for number in range(ASKED)], object))
    numbers = tf.range(ASKED, dtype=tf.int64)
    wide = tf.constant(random.randint(0, 2**60, ASKED))
    texts, unknown = tf.constant(words[picks]), tf.constant(np.array([b"q%d" % number for number in picks], object))
    integers, spread = tf.constant(picks), tf.constant(scattered[picks])

    def static(keys: Any) -> Any:
        values = np.arange(KEYS)
        return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)

    def mutable() -> Any:
        return tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)

    of_texts, of_integers, of_scattered = static(words), static(np.arange(KEYS)), static(scattered)
    initializer = tf.lookup.KeyValueTensorInitializer(words, np.arange(KEYS))
    vocabulary = tf.lookup.StaticVocabularyTable(initializer, 10)
    large = mutable()
    large.insert(unique, numbers)
    dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, empty_key=-1, deleted_key=-2)
    dense.insert(wide, numbers)
    return {
        "table_texts": lambda: of_texts.lookup(texts),
        "table_unknown_texts": lambda: of_texts.lookup(unknown),
        "table_integers": lambda: of_integers.lookup(integers),
        "table_scattered": lambda: of_scattered.lookup(spread),
        "table_vocabulary": lambda: vocabulary.lookup(texts),
        "table_mutable_lookup": lambda: large.lookup(unique),
        "table_mutable_insert": lambda: mutable().insert(unique, numbers),
        "table_dense_lookup": lambda: dense.lookup(wide),
    }
