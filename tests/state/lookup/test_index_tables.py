"""Tables between words and their positions, at the path where programs look for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.state.lookup import index_tables as tables


@pytest.fixture
def words(tmp_path: Path) -> str:
    """A file with a word a line."""
    path = tmp_path / "words.txt"
    path.write_text("a\nb\nc\n")
    return str(path)


def _int64(*values: int) -> Any:
    return tf.constant(values, tf.int64)


def test_words_of_a_file_have_numbers(words: str) -> None:
    keys = tf.constant(["a", "z"])
    assert tables.index_table_from_file(words).lookup(keys).numpy().tolist() == [0, -1]
    assert tables.index_table_from_file(words, num_oov_buckets=2).lookup(keys).numpy().tolist() == [0, 4]
    table = tables.index_table_from_file(words, vocab_size=2, default_value=9)
    assert table.lookup(tf.constant(["a", "c"])).numpy().tolist() == [0, 9]


def test_words_of_a_vector_have_positions() -> None:
    table = tables.index_table_from_tensor(["a", "b"], num_oov_buckets=1)
    assert table.lookup(tf.constant(["b", "z"])).numpy().tolist() == [1, 2]
    table = tables.index_table_from_tensor([5, 6], dtype=tf.int64, num_oov_buckets=1)
    assert table.lookup(_int64(6, 7)).numpy().tolist() == [1, 2]
    assert tables.index_table_from_tensor([5, 6], dtype=tf.int32).lookup(_int64(6, 7)).numpy().tolist() == [1, -1]


def test_numbers_have_words(words: str) -> None:
    assert tables.index_to_string_table_from_file(words).lookup(_int64(1, 9)).numpy().tolist() == [b"b", b"UNK"]
    table = tables.index_to_string_table_from_tensor(["a"], default_value="?")
    assert table.lookup(_int64(0, 9)).numpy().tolist() == [b"a", b"?"]


WRONG = [
    (lambda w: tables.index_table_from_file(None), ValueError, "`vocabulary_file` must be specified"),
    (lambda w: tables.index_table_from_file(""), ValueError, "`vocabulary_file` must be specified"),
    (lambda w: tables.index_table_from_file(w, num_oov_buckets=-1), ValueError, "greater or equal than 0, got -1"),
    (lambda w: tables.index_table_from_file(w, vocab_size=0), ValueError, "`vocab_size` must be greater than 0, got 0"),
    (lambda w: tables.index_table_from_file(w, key_dtype=tf.float32), TypeError, "should be either integer or string"),
    (lambda w: tables.index_table_from_tensor(None), ValueError, "`vocabulary_list` must be specified"),
    (lambda w: tables.index_table_from_tensor([5, 6]), ValueError, "Expected non-integer, got <dtype: 'int32'>"),
    (
        lambda w: tables.index_table_from_tensor(["a"], dtype=tf.int64),
        ValueError,
        "Expected integer, got <dtype: 'string'",
    ),
    (lambda w: tables.index_table_from_tensor([]), ValueError, "Expected <dtype: 'string'>, got <dtype: 'float32'>"),
    (lambda w: tables.index_table_from_tensor([1.5], dtype=tf.float32), TypeError, "must either be integer or string"),
    (lambda w: tables.index_to_string_table_from_file(""), ValueError, "`vocabulary_file` must be specified"),
    (lambda w: tables.index_to_string_table_from_file(w, vocab_size=0), ValueError, "must be greater than 0, got 0"),
    (lambda w: tables.index_to_string_table_from_tensor(None), ValueError, "argument must be specified"),
]


@pytest.mark.parametrize(("make", "error", "message"), WRONG)
def test_tables_that_cannot_be(make: Any, error: Any, message: str, words: str) -> None:
    with pytest.raises(error, match=message):
        make(words)
