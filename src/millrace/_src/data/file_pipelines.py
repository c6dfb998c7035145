"""Pipelines from files to batches: `make_csv_dataset` and `make_batched_features_dataset`.

Both shuffle the files, let several of them take turns, shuffle and repeat the records, and make batches. For given
seeds, records come in TensorFlow's order.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.dtypes import string
from millrace._src.core.specs import TensorSpec
from millrace._src.data import csv_columns
from millrace._src.data.csv_columns import CsvFormat
from millrace._src.data.csv_datasets import CsvDatasetV2
from millrace._src.data.dataset import DatasetV2
from millrace._src.data.dataset_base import DatasetBase
from millrace._src.data.parallelism import AUTOTUNE
from millrace._src.data.record_datasets import TFRecordDatasetV2
from millrace._src.data.transforms.parallel_interleave import parallel_interleave
from millrace._src.data.transforms.parse_examples import parse_example_dataset
from millrace._src.ops.io.gfile import glob
from millrace._src.util.export import export


@export("data.experimental.make_csv_dataset")
def make_csv_dataset(
    file_pattern: object,
    batch_size: int,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[Any] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: TensorLike | None = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: str | None = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Any:
    """Makes a dataset of batches of the rows of files of comma-separated values.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "people.csv")
    >>> tf.io.write_file(path, "name,age,member\\nAnn,31,1\\nBob,19,0\\n")
    >>> batches = tf.data.experimental.make_csv_dataset(path, 2, label_name="member", num_epochs=1, shuffle=False)
    >>> for people, members in batches:
    ...     print(people["age"].numpy(), members.numpy())
    [31 19] [1 0]

    Args:
      file_pattern: a pattern of names of files, or a list of patterns; files come in the order of their names.
      batch_size: the number of rows in a batch.
      column_names: the names of all columns; None to take them from the headers, which must agree.
      column_defaults: for each column that is read its dtype if no field may be empty, else the value of an empty
        field; None to infer dtypes from the first rows, with 0 or an empty text as the value of an empty field.
      label_name: the name of a column that becomes the second part of each element.
      select_columns: the names or positions of the columns to read; None for all.
      field_delim: the character between fields.
      use_quote_delim: whether double quotes have a meaning.
      na_value: another text that means an empty field.
      header: whether the first row of each file has the names of the columns.
      num_epochs: how often the rows come; None for ever, in which case all batches are full.
      shuffle: whether files and rows come in random order.
      shuffle_buffer_size: the size of the buffer from which rows are drawn.
      shuffle_seed: a seed.
      prefetch_buffer_size: how many batches are made ahead; None lets the runtime choose.
      num_parallel_reads: how many files are read at a time; their rows then take turns.
      sloppy: whether a turn may pass to a file that has rows ready.
      num_rows_for_inference: how many rows are looked at to infer dtypes; None for all.
      compression_type: "", "ZLIB" or "GZIP".
      ignore_errors: whether rows with mistakes are left out.
      encoding: the encoding of the files, for names and inference.

    Returns: A Dataset of dictionaries from names to vectors; with a label, of pairs of dictionary and vector.
    Raises: ValueError: if there are no files, or the arguments and the files do not fit together.
    """
    paths = _matching_files(file_pattern)
    form = CsvFormat(field_delim, use_quote_delim, na_value, header, compression_type or "", encoding)
    names = _names(paths, form, column_names)
    positions = csv_columns.column_positions(names, select_columns)
    if column_defaults is None:
        column_defaults = csv_columns.column_defaults(paths, form, len(names), positions, num_rows_for_inference)
    elif select_columns is not None and len(column_defaults) != len(select_columns):
        raise ValueError(
            "If specified, `column_defaults` and `select_columns` must have the same length: `column_defaults` has "
            f"length {len(column_defaults)}, `select_columns` has length {len(select_columns)}."
        )
    chosen = names if positions is None else [names[position] for position in positions]
    if label_name is not None and label_name not in chosen:
        raise ValueError(f"`label_name` provided must be one of the columns: {chosen}. Received: {label_name}.")

    def rows_of(path: Any) -> Any:
        rows = CsvDatasetV2(
            path,
            column_defaults,
            compression_type=compression_type,
            header=header,
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            select_cols=positions,
        )
        return rows.ignore_errors() if ignore_errors else rows

    def map_fn(*columns: Any) -> Any:
        features = collections.OrderedDict(zip(chosen, columns, strict=False))
        return features if label_name is None else (features, features.pop(label_name))

    files = DatasetV2.from_tensor_slices(paths)
    if shuffle:
        files = files.shuffle(len(paths), shuffle_seed)
    turns = 1 if num_parallel_reads is None else num_parallel_reads
    rows = files.apply(parallel_interleave(rows_of, cycle_length=turns, sloppy=sloppy))
    buffer_size = shuffle_buffer_size if shuffle else None
    rows = _shuffle_and_repeat(rows, buffer_size, shuffle_seed, num_epochs)
    batches = rows.batch(batch_size, drop_remainder=num_epochs is None).map(map_fn)
    return batches.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _names(paths: Sequence[str], form: CsvFormat, given: Sequence[str] | None) -> list[str]:
    """Returns the names of the columns: those that the user gives, else those of the headers.

    Raises: ValueError: if there are neither, or a name stands there twice.
    """
    if given is None and not form.has_header:
        raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
    names = csv_columns.column_names(paths, form) if given is None else list(given)
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"Either `column_names` argument or CSV header row contains duplicate column names: {twice}.")
    return names


def _matching_files(file_pattern: Any) -> list[str]:
    """Returns the names of the files that patterns match, sorted.

    Raises: ValueError: if there is no pattern or no file.
    """
    if not file_pattern:
        raise ValueError("Argument `file_pattern` should not be empty.")
    paths = sorted(glob(file_pattern))
    if not paths:
        raise ValueError(f"No files match `file_pattern` {file_pattern}.")
    return paths


def _shuffle_and_repeat(dataset: Any, buffer_size: int | None, seed: Any, count: int | None) -> Any:
    """Shuffles, unless there is no buffer, and repeats, unless once."""
    if buffer_size is not None:
        dataset = dataset.shuffle(buffer_size, seed)
    return dataset if count == 1 else dataset.repeat(count)


@export("data.experimental.make_batched_features_dataset")
def make_batched_features_dataset(
    file_pattern: object,
    batch_size: int,
    features: Mapping[Any, Any],
    reader: Callable[..., Any] | None = None,
    label_key: object = None,
    reader_args: Sequence[Any] | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: TensorLike | None = None,
    prefetch_buffer_size: int | None = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Any:
    """Makes a dataset of batches of the features of `tf.train.Example` messages in files.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "numbers.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     for number in range(3):
    ...         numbers = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
    ...         example = tf.train.Example(features=tf.train.Features(feature={"n": numbers}))
    ...         writer.write(example.SerializeToString())
    >>> batches = tf.data.experimental.make_batched_features_dataset(
    ...     path, 2, {"n": tf.io.FixedLenFeature([], tf.int64)}, num_epochs=1, shuffle=False)
    >>> [batch["n"].tolist() for batch in batches.as_numpy_iterator()]
    [[0, 1], [2]]

    Args:
      file_pattern: a pattern of names of files, or a list of patterns; files come in the order of their names.
      batch_size: the number of Examples in a batch.
      features: what to read; see `tf.io.parse_example`.
      reader: a function from the name of a file to a dataset of serialized Examples, or of pairs of key and Example;
        `tf.data.TFRecordDataset` by default.
      label_key: the key of a feature that becomes the second part of each element.
      reader_args: further arguments of `reader`.
      num_epochs: how often the Examples come; None for ever, in which case all batches are full.
      shuffle: whether files and Examples come in random order.
      shuffle_buffer_size: the size of the buffer from which Examples are drawn.
      shuffle_seed: a seed.
      prefetch_buffer_size: how many batches are made ahead; None lets the runtime choose.
      reader_num_threads: how many files are read at a time, 1 by default; their Examples then take turns.
      parser_num_threads: how many batches may be parsed at a time, 2 by default.
      sloppy_ordering: whether a turn may pass to a file that has Examples ready.
      drop_final_batch: whether a last batch that is not full is left out.

    Returns: A Dataset of dictionaries of tensors; with a label, of pairs of dictionary and tensor.
    Raises:
      TypeError: if `reader` makes no dataset.
      ValueError: if `label_key` is not a key.
      tf.errors.InvalidArgumentError: if there are no files.
    """
    reader = TFRecordDatasetV2 if reader is None else reader
    if isinstance(reader, type) and not issubclass(reader, DatasetBase):
        raise TypeError(
            "The `reader` argument must return a `Dataset` object. `tf.ReaderBase` subclasses are not supported. For "
            "example, pass `tf.data.TFRecordDataset` instead of `tf.TFRecordReader`."
        )
    if label_key is not None and label_key not in features:
        raise ValueError(
            f"The `label_key` provided ({label_key}) must be one of the `features` keys: {features.keys()}."
        )
    files = DatasetV2.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    arguments = list(reader_args or ())
    turns = 1 if reader_num_threads is None else reader_num_threads
    examples = files.apply(
        parallel_interleave(lambda path: reader(path, *arguments), cycle_length=turns, sloppy=sloppy_ordering)
    )
    if examples.element_spec == (TensorSpec([], string), TensorSpec([], string)):
        examples = examples.map(lambda _, example: example)
    examples = _shuffle_and_repeat(examples, shuffle_buffer_size if shuffle else None, shuffle_seed, num_epochs)
    batches = examples.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    calls = 2 if parser_num_threads is None else parser_num_threads
    parsed = batches.apply(parse_example_dataset(features, num_parallel_calls=calls))
    if label_key is not None:
        parsed = parsed.map(lambda batch: ({k: v for k, v in batch.items() if k != label_key}, batch[label_key]))
    return parsed.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
