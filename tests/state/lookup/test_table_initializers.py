"""What fills tables: dtypes, shared tables, arguments that cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.state.lookup.table_initializers import TableInitializer

KeyValue = tf.lookup.KeyValueTensorInitializer
TextFile = tf.lookup.TextFileInitializer
LINE, NUMBER = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER


def test_dtypes_follow_from_the_tensors_or_are_asked_for() -> None:
    assert (KeyValue(["a"], [1]).key_dtype, KeyValue(["a"], [1]).value_dtype) == (tf.string, tf.int32)
    assert KeyValue([1], [1], tf.int64, tf.float32).value_dtype is tf.float32
    with pytest.raises(TypeError, match=r"Cannot convert \['a'\] to EagerTensor of dtype int64"):
        KeyValue(["a"], [1], key_dtype=tf.int64)


def test_a_table_of_other_dtypes_is_not_filled() -> None:
    table = tf.lookup.StaticHashTable(KeyValue(["a"], [1]), -1)
    for initializer, words in ((KeyValue([1], [1]), "key_dtype"), (KeyValue(["a"], [1.0]), "value_dtype")):
        with pytest.raises(TypeError, match=f"Invalid {words}"):
            initializer.initialize(table)


def test_there_must_be_keys() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="keys and values cannot be empty tensors"):
        tf.lookup.StaticHashTable(KeyValue([], [], tf.string, tf.int64), -1)


def test_tables_of_one_file_are_one_table(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("a\nb\n")
    tables = [tf.lookup.StaticHashTable(TextFile(str(path), tf.string, LINE, tf.int64, NUMBER), -1) for _ in range(2)]
    assert tables[1]["b"].numpy() == 1
    assert tables[0].resource_handle._eager_array[()] is tables[1].resource_handle._eager_array[()]
    other = tf.lookup.StaticHashTable(TextFile(str(path), tf.string, LINE, tf.int64, NUMBER, vocab_size=1), -1)
    assert other["b"].numpy() == -1


def test_a_file_has_columns_and_an_offset(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("a 5\nb 6\n")
    by_column = TextFile(path, tf.string, 0, tf.int64, 1, delimiter=" ")
    assert tf.lookup.StaticHashTable(by_column, -1)["b"].numpy() == 6
    by_line = TextFile(tf.constant(str(path)), tf.string, 0, tf.int64, NUMBER, delimiter=" ", value_index_offset=3)
    assert tf.lookup.StaticHashTable(by_line, -1)["b"].numpy() == 4


def test_shared_names_are_those_of_tensorflow() -> None:
    assert TextFile("/a/b", tf.string, LINE, tf.int64, NUMBER)._shared_name == "hash_table_/a/b_-2_-1"
    sized = TextFile("/a/b", tf.string, LINE, tf.int64, NUMBER, vocab_size=3, value_index_offset=2)
    assert sized._shared_name == "hash_table_/a/b_3_-2_-1_2"


WRONG = [
    (("", tf.string, LINE, tf.int64, NUMBER), "`filename` argument required for tf.lookup.TextFileInitializer"),
    (("x", tf.string, -3, tf.int64, NUMBER), "`key_index` should be >= -2, received: -3."),
    (("x", tf.string, LINE, tf.int64, -3), "`value_index` should be >= -2, received: -3."),
    (
        ("x", tf.int32, NUMBER, tf.string, LINE),
        "`key_dtype` must be int64 if `key_index` is -1",
    ),
    (("x", tf.string, LINE, tf.int32, NUMBER), "`value_dtype` must be int64 for `value_index` -1"),
    (("x", tf.float32, LINE, tf.int64, NUMBER), "`key_dtype` should be either integer or string for `key_index` -2"),
    (("x", tf.string, LINE, tf.int64, NUMBER, 0), "`vocab_size` should be > 0, received: 0"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_arguments_that_cannot_be(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TextFile(*arguments)


def test_an_initializer_says_how_it_fills() -> None:
    with pytest.raises(NotImplementedError, match=r"TableInitializer\.initialize"):
        TableInitializer(tf.string, tf.int64).initialize(None)
