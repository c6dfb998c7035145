"""Tables that answer every key: ids of a vocabulary, buckets for other words."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.state.lookup.hash_buckets import HasherSpec, IdTableWithHashBuckets, StrongHashSpec
from millrace._src.testing.graph_sessions import session_of_graph

Vocabulary = tf.lookup.StaticVocabularyTable


def _ids(keys: Any, dtype: Any = tf.int64) -> Any:
    return tf.lookup.KeyValueTensorInitializer(keys, tf.range(len(keys), dtype=dtype))


def test_unknown_words_have_the_buckets_of_tensorflow() -> None:
    table = Vocabulary(_ids(["a", "b"]), 3)
    assert table.lookup(tf.constant(["a", "b", "zzz", "q", ""])).numpy().tolist() == [0, 1, 2, 4, 4]
    assert table["b"].numpy() == 1
    assert table.size().numpy() == 5
    assert (table.name, table.key_dtype, table.value_dtype) == (None, tf.string, tf.int64)
    assert list(table._trackable_children()) == ["_initializer"]


def test_without_a_vocabulary_all_words_have_buckets() -> None:
    table = Vocabulary(None, 5)
    assert table.lookup(tf.constant(["a", "b"])).numpy().tolist() == [4, 2]
    assert (table.size().numpy(), table.name, table.resource_handle) == (5, "hash_bucket", None)


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_words_may_be_integers(dtype: Any) -> None:
    table = Vocabulary(_ids(tf.constant([7, 8], tf.int64)), 5, lookup_key_dtype=dtype)
    assert table.lookup(tf.constant([7, 9, -1], dtype)).numpy().tolist() == [0, 2, 2]


WRONG = [
    (ValueError, "`num_oov_buckets` must be > 0; use StaticHashTable.", (["a"], tf.int64), (0,)),
    (TypeError, "Invalid `value_dtype`, expected <dtype: 'int64'> but got <dtype: 'int32'>.", (["a"], tf.int32), (1,)),
    (TypeError, "Invalid `key_dtype`, expected integer but got <dtype: 'string'>.", (["a"], tf.int64), (1, tf.int32)),
    (TypeError, "Invalid `key_dtype`, expected non-integer", (tf.constant([1], tf.int64), tf.int64), (1, tf.string)),
    (TypeError, "Invalid `key_dtype`, expected one of", (tf.constant([1.0]), tf.int64), (1,)),
    (TypeError, "Invalid `key_dtype`, expected integer or string", (["a"], tf.int64), (1, tf.float32)),
]


@pytest.mark.parametrize(("error", "message", "ids", "arguments"), WRONG)
def test_vocabularies_that_cannot_be(error: Any, message: str, ids: Any, arguments: Any) -> None:
    with pytest.raises(error, match=message):
        Vocabulary(_ids(*ids), *arguments)


def test_a_strong_hash_has_a_key_of_two_integers() -> None:
    table = IdTableWithHashBuckets(None, 7, hasher_spec=StrongHashSpec([1, 2]))
    assert table.lookup(tf.constant(["a", "b"])).numpy().tolist() == [1, 1]
    with pytest.raises(ValueError, match="`key` must have size 2, received 1"):
        StrongHashSpec([1])
    with pytest.raises(TypeError, match=r"Invalid key \['a', 2\]. Must be unsigned integer values."):
        StrongHashSpec(["a", 2])  # type: ignore[list-item]  # that is the point


def test_there_are_two_hashes() -> None:
    with pytest.raises(TypeError, match="`hasher_spec` must be of type HasherSpec"):
        IdTableWithHashBuckets(None, 7, hasher_spec=3)  # type: ignore[arg-type]  # that is the point
    with pytest.raises(ValueError, match="Found unknown hasher x in `hasher_spec`"):
        IdTableWithHashBuckets(None, 7, hasher_spec=HasherSpec("x", None)).lookup("a")
    with pytest.raises(ValueError, match="must be given"):
        IdTableWithHashBuckets(None, 0)


def test_a_table_without_buckets_answers_alone() -> None:
    table = IdTableWithHashBuckets(tf.lookup.StaticHashTable(_ids(["a"]), -5), 0)
    assert table.lookup(tf.constant(["a", "b"])).numpy().tolist() == [0, -5]


def test_vocabularies_work_in_functions_and_graphs() -> None:
    table = Vocabulary(_ids(["a", "b"]), 3)
    assert tf.function(table.lookup)(tf.constant(["zzz", "b"])).numpy().tolist() == [2, 1]
    with tf.Graph().as_default() as graph:
        v1_table = tf.compat.v1.lookup.StaticVocabularyTable(_ids(["a", "b"]), 3)
        found = v1_table.lookup(tf.constant(["a", "q"]))
    session = session_of_graph(graph)
    session.run(v1_table.initializer)
    assert session.run(found).tolist() == [0, 4]
