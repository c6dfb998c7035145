"""Lookup tables of TensorFlow 1: the operations that fill them, and tables with an initializer.

Tests: tests/oracle/programs/lookup_tables.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.context import state
from millrace._src.ops.grouping import group
from millrace._src.state.lookup.hash_buckets import StaticVocabularyTable
from millrace._src.state.lookup.static_hash_table import StaticHashTableV1
from millrace._src.state.lookup.table_initializers import TABLE_INITIALIZERS
from millrace._src.util.export import export


@export(v1=["lookup.StaticVocabularyTable"])
class StaticVocabularyTableV1(StaticVocabularyTable):
    """A table of the ids of words, in a graph with the operation `initializer`.

    >>> ids = tf.constant([0, 1], tf.int64)
    >>> table = tf.compat.v1.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], ids), 1)
    >>> table.lookup(tf.constant(["b", "c"])).numpy()
    array([1, 2])

    Args: as for `tf.lookup.StaticVocabularyTable`.
    """

    _table_class = StaticHashTableV1


@export(v1=["tables_initializer", "initialize_all_tables", "initializers.tables_initializer"])
def tables_initializer(name: str = "init_all_tables") -> Any:
    """Returns an operation that fills all tables of the graph.

    >>> with tf.Graph().as_default():
    ...     table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1], [2]), -1)
    ...     print(tf.compat.v1.tables_initializer().name)
    init_all_tables

    Args: name: name of the operation.
    Returns: The operation; None in eager mode, where tables are filled when they are made.
    """
    if state.graph is None:
        return None
    return group(*state.graph.get_collection(TABLE_INITIALIZERS), name=name)
