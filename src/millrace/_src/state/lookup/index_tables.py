"""Tables between words and their positions, as TensorFlow 1's programs make them.

TensorFlow has these functions at a private path, `tensorflow.python.ops.lookup_ops`, which many programs import.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, int64, string
from millrace._src.ops import raw
from millrace._src.state.lookup.hash_buckets import FAST_HASH, HasherSpec, IdTableWithHashBuckets
from millrace._src.state.lookup.static_hash_table import StaticHashTableV1
from millrace._src.state.lookup.table_initializers import KeyValueTensorInitializer, TextFileIndex, TextFileInitializer

_LINE, _NUMBER = TextFileIndex.WHOLE_LINE, TextFileIndex.LINE_NUMBER


def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = -1,
    hasher_spec: HasherSpec = FAST_HASH,
    key_dtype: DTypeLike = string,
    name: str | None = None,
    key_column_index: int = _LINE,
    value_column_index: int = _NUMBER,
    delimiter: str = "\t",
) -> Any:
    """Makes a table of the numbers of words in a file, which has a word a line.

    Args:
      vocabulary_file: the file.
      num_oov_buckets: the number of ids for other words.
      vocab_size: how many lines are read; None for all.
      default_value: the number of other words, where there are no buckets.
      hasher_spec: the hash that gives words their buckets.
      key_dtype: the dtype of the words, an integer or string.
      name: name of the operations in a graph.
      key_column_index: the column of the words, or a `tf.lookup.TextFileIndex`.
      value_column_index: the column of the numbers, or a `tf.lookup.TextFileIndex`.
      delimiter: the character between columns.

    Returns: A table with `lookup` and `size`.
    Raises: ValueError, TypeError: if an argument cannot be.
    """
    _check_file(vocabulary_file)
    _check_bucket_count(num_oov_buckets)
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(
            f"`vocab_size` must be greater than 0, got {vocab_size} for vocabulary_file: {vocabulary_file}."
        )
    key_dtype = as_dtype(key_dtype)
    if not key_dtype.is_integer and key_dtype is not string:
        raise TypeError("Dtype for `keys` should be either integer or string.")
    with name_scope(name, "string_to_index"):
        initializer = TextFileInitializer(
            vocabulary_file,
            int64 if key_dtype.is_integer else key_dtype,
            key_column_index,
            int64,
            value_column_index,
            vocab_size,
            delimiter,
        )
        table = StaticHashTableV1(initializer, default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype)


def index_table_from_tensor(
    vocabulary_list: Any,
    num_oov_buckets: int = 0,
    default_value: Any = -1,
    hasher_spec: HasherSpec = FAST_HASH,
    dtype: DTypeLike = string,
    name: str | None = None,
) -> Any:
    """Makes a table of the positions of words in a vector.

    Args:
      vocabulary_list: the words, a Tensor or what becomes one.
      num_oov_buckets: the number of ids for other words.
      default_value: the position of other words, where there are no buckets.
      hasher_spec: the hash that gives words their buckets.
      dtype: the dtype of the words, an integer or string.
      name: name of the operations in a graph.

    Returns: A table with `lookup` and `size`.
    Raises: ValueError, TypeError: if an argument cannot be.
    """
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` must be specified.")
    _check_bucket_count(num_oov_buckets)
    dtype = as_dtype(dtype)
    if not dtype.is_integer and dtype is not string:
        raise TypeError("`dtype` must either be integer or string.")
    with name_scope(name, "string_to_index"):
        keys = convert_to_tensor(vocabulary_list)
        if keys.dtype.is_integer != dtype.is_integer:
            expected = "integer" if dtype.is_integer else "non-integer"
            raise ValueError(f"Invalid `dtype`: Expected {expected}, got {keys.dtype!s}.")
        if not dtype.is_integer and keys.dtype is not dtype:
            raise ValueError(f"Invalid `dtype`: Expected {dtype!s}, got {keys.dtype!s}.")
        if dtype.is_integer:
            keys = raw.Cast(x=keys, DstT=int64)
        initializer = KeyValueTensorInitializer(keys, _positions(keys), name="table_init")
        table = StaticHashTableV1(initializer, default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, dtype)


def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: int | None = None,
    default_value: Any = "UNK",
    name: str | None = None,
    key_column_index: int = _NUMBER,
    value_column_index: int = _LINE,
    delimiter: str = "\t",
) -> StaticHashTableV1:
    """Makes a table of the words of a file, which has a word a line, by their numbers.

    Args:
      vocabulary_file: the file.
      vocab_size: how many lines are read; None for all.
      default_value: the word of other numbers.
      name: name of the operations in a graph.
      key_column_index: the column of the numbers, or a `tf.lookup.TextFileIndex`.
      value_column_index: the column of the words, or a `tf.lookup.TextFileIndex`.
      delimiter: the character between columns.

    Raises: ValueError: if there is no file, or `vocab_size` is not positive.
    """
    _check_file(vocabulary_file)
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    with name_scope(name, "index_to_string"):
        initializer = TextFileInitializer(
            vocabulary_file, int64, key_column_index, string, value_column_index, vocab_size, delimiter
        )
        return StaticHashTableV1(initializer, default_value)


def index_to_string_table_from_tensor(
    vocabulary_list: Any, default_value: Any = "UNK", name: str | None = None
) -> StaticHashTableV1:
    """Makes a table of the words of a vector by their positions.

    Args:
      vocabulary_list: the words, a Tensor or what becomes one.
      default_value: the word of other positions.
      name: name of the operations in a graph.

    Raises: ValueError: if there are no words.
    """
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` argument must be specified.")
    with name_scope(name, "index_to_string"):
        values = convert_to_tensor(vocabulary_list, dtype=string)
        initializer = KeyValueTensorInitializer(_positions(values), values, name="table_init")
        return StaticHashTableV1(initializer, default_value)


def _positions(words: object) -> Any:
    """Returns 0, 1, 2 ... for each word."""
    return raw.Range(start=0, limit=raw.Cast(x=raw.Size(input=words), DstT=int64), delta=1)


def _with_buckets(table: StaticHashTableV1, count: int, hasher_spec: HasherSpec, key_dtype: DTypeLike) -> Any:
    return IdTableWithHashBuckets(table, count, hasher_spec, key_dtype=key_dtype) if count else table


def _check_file(vocabulary_file: object) -> None:
    if vocabulary_file is None or isinstance(vocabulary_file, (str, bytes)) and not vocabulary_file:
        raise ValueError("`vocabulary_file` must be specified and must not be empty.")


def _check_bucket_count(count: int) -> None:
    if count < 0:
        raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {count}.")
