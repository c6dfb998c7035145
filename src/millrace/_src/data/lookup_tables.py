"""Lookup tables filled from datasets of pairs of a key and a value.

The pass over the dataset takes blocks of pairs, column by column, which are what a table is filled with.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.dtypes import as_dtype, int64, string
from millrace._src.core.op_def import Effects, op
from millrace._src.core.specs import TensorSpec
from millrace._src.core.type_specs import TypeSpec
from millrace._src.data.dataset import DatasetV2
from millrace._src.data.nodes import node_of
from millrace._src.data.pipeline_optimizer import begin
from millrace._src.data.transforms.cardinality import assert_cardinality
from millrace._src.ops.lookup.tables import table_of
from millrace._src.ops.shape_rules import no_outputs
from millrace._src.state.lookup.hash_buckets import FAST_HASH, HasherSpec, IdTableWithHashBuckets
from millrace._src.state.lookup.static_hash_table import StaticHashTableV1
from millrace._src.state.lookup.table_initializers import TableInitializer, note_initializer
from millrace._src.util.export import export

_BLOCK = 1 << 16
"""How many pairs are taken at a time."""


@op(
    "InitializeTableFromDataset",
    "table_handle: resource, dataset: variant ->",
    shape=no_outputs,
    host_only=True,
    refused_when_compiled=True,
    effects=Effects.WRITES,
    not_differentiable="it changes a table",
    not_batched="rows would change one table in no particular order",
)
def initialize_from_dataset(xp: Xp, table_handle: Array, dataset: Array) -> None:
    """Fills a table with the pairs of a dataset."""
    table = table_of(table_handle)
    blocks = []
    cursor, _ = begin(node_of(dataset))
    with closing(cursor):
        while (block := cursor.next_block(_BLOCK)) is not None:
            blocks.append([np.asarray(column) for column in block.columns])
    if not blocks:
        raise errors.OutOfRangeError(None, None, "end of iterator")
    keys, values = (np.concatenate(columns) for columns in zip(*blocks, strict=True))
    table.initialize(keys, values)


def _form_error(complaint: str) -> ValueError:
    return ValueError(
        "Datasets used to initialize lookup tables must produce elements in the form (key, value), where the keys and "
        f"values are scalar tensors. However, the given dataset produces {complaint}"
    )


def _pair_dtypes(spec: Any) -> list[Any]:
    """Returns the dtypes of keys and values of a dataset of pairs.

    Raises:
      TypeError: if the elements have no parts.
      ValueError: if they are not pairs of scalars.
    """
    if isinstance(spec, TypeSpec):
        raise TypeError(f"object of type '{type(spec).__name__}' has no len()")
    if not isinstance(spec, tuple) or len(spec) != 2:
        raise _form_error(
            f"{len(spec)} components instead of two (key, value) components. Full dataset element spec: {spec}."
        )
    for name, part in zip(("key", "value"), spec, strict=True):
        if not isinstance(part, TensorSpec):
            raise _form_error(f"non-Tensor {name} components: {part}.")
        if part.shape.rank != 0:
            raise _form_error(f"non-scalar {name} Tensors of rank {part.shape.rank}.")
    return [part.dtype for part in spec]


@export("data.experimental.DatasetInitializer")
class DatasetInitializer(TableInitializer):
    """Fills tables with the pairs of a dataset.

    >>> pairs = tf.data.Dataset.zip((tf.data.Dataset.range(100), tf.data.Dataset.range(100, 200)))
    >>> table = tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(pairs), default_value=-1)
    >>> table.lookup(tf.constant([5, 100], tf.int64)).numpy()
    array([105,  -1])

    Args: dataset: a dataset of pairs of a key and a value, both scalars.
    Raises:
      TypeError: if the elements have no parts.
      ValueError: if they are not pairs of scalars.
    """

    def __init__(self, dataset: Any) -> None:
        super().__init__(*_pair_dtypes(dataset.element_spec))
        self._dataset = dataset

    def initialize(self, table: Any) -> Any:
        """Fills a table.

        Args: table: a table with a `resource_handle`.
        Returns: The operation in a graph, else None.
        Raises:
          TypeError: if the table has other dtypes.
          tf.errors.OutOfRangeError: if the dataset is empty.
          tf.errors.FailedPreconditionError: if a key comes with two values.
        """
        self._check_dtypes(table)
        with name_scope("dataset_init"):
            return note_initializer(initialize_from_dataset(table.resource_handle, self._dataset._variant_tensor))


@export("data.experimental.table_from_dataset")
def table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = None,
    hasher_spec: HasherSpec = FAST_HASH,
    key_dtype: DTypeLike = string,
    name: str | None = None,
) -> Any:
    """Makes a table of the pairs of a dataset.

    >>> pairs = tf.data.Dataset.zip((tf.data.Dataset.from_tensor_slices(["a", "b"]), tf.data.Dataset.range(2)))
    >>> table = tf.data.experimental.table_from_dataset(pairs, num_oov_buckets=1)
    >>> table.lookup(tf.constant(["b", "c"])).numpy()
    array([1, 2])

    Args:
      dataset: a dataset of pairs of a key and a value, both scalars.
      num_oov_buckets: the number of ids for keys that are not in the dataset; values are then ids, from 0 on.
      vocab_size: how many pairs are taken; None for all.
      default_value: the value of keys that are not in the dataset, where there are no buckets; None for -1, or an empty
        text.
      hasher_spec: the hash that gives keys their buckets.
      key_dtype: the dtype of keys, an integer or string; a table has the keys of its dataset.
      name: name of the operations in a graph.

    Returns: A table with `lookup` and `size`.
    Raises:
      TypeError: if `key_dtype` is not a dtype of keys, or with buckets the values are not an int64.
      ValueError: if a number is negative, or the dataset has no pairs of scalars.
      tf.errors.FailedPreconditionError: if there are not `vocab_size` pairs.
    """
    spec = dataset.element_spec
    _check_arguments(num_oov_buckets, vocab_size, as_dtype(key_dtype))
    if vocab_size is not None:
        dataset = dataset.take(vocab_size).apply(assert_cardinality(vocab_size))
    value_dtype = _pair_dtypes(spec)[1]
    if default_value is None:
        default_value = "" if value_dtype is string else -1
    with name_scope(name, "string_to_index"):
        table = StaticHashTableV1(DatasetInitializer(dataset), default_value)
        if not num_oov_buckets:
            return table
        return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, name=name, key_dtype=None)


def _check_arguments(num_oov_buckets: int, vocab_size: int | None, key_dtype: Any) -> None:
    """Refuses numbers that are too small, and keys that are not integers or texts.

    Raises: ValueError, TypeError: in TensorFlow's words.
    """
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    if not key_dtype.is_integer and key_dtype is not string:
        raise TypeError(f"`key_dtype` must be either an integer or string type, but got {key_dtype!s}")


@export("data.experimental.index_table_from_dataset")
def index_table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: TensorLike = -1,
    hasher_spec: HasherSpec = FAST_HASH,
    key_dtype: DTypeLike = string,
    name: str | None = None,
) -> Any:
    """Makes a table of the positions of keys in a dataset.

    >>> words = tf.data.Dataset.from_tensor_slices(["a", "b"])
    >>> table = tf.data.experimental.index_table_from_dataset(words)
    >>> table.lookup(tf.constant(["b", "c"])).numpy()
    array([ 1, -1])

    Args:
      dataset: a dataset of keys, which are scalars.
      num_oov_buckets: the number of ids for keys that are not in the dataset.
      vocab_size: how many keys are taken; None for all.
      default_value: the id of keys that are not in the dataset, where there are no buckets.
      hasher_spec: the hash that gives keys their buckets.
      key_dtype: the dtype of keys, an integer or string.
      name: name of the operations in a graph.

    Returns: A table with `lookup` and `size`.
    Raises: as `table_from_dataset`.
    """
    pairs = _swap(dataset.enumerate())
    default = np.asarray(default_value, int64.np_dtype)
    return table_from_dataset(pairs, num_oov_buckets, vocab_size, default, hasher_spec, key_dtype, name)


def _swap(dataset: DatasetV2) -> Any:
    """Returns the dataset with the two parts of each element in the other order."""
    return dataset.map(lambda first, second: (second, first))
