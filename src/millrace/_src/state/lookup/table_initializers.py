"""What fills a table that is filled once: `tf.lookup.KeyValueTensorInitializer`, `TextFileInitializer`."""

from __future__ import annotations

import uuid
from typing import Any

from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, int64, string
from millrace._src.core.tensor import Tensor
from millrace._src.graph.operation import Operation
from millrace._src.ops.io.file_names import file_name
from millrace._src.ops.lookup import table_ops, text_files
from millrace._src.state.asset import Asset
from millrace._src.trackable.base import Trackable
from millrace._src.util.export import export

TABLE_INITIALIZERS = "table_initializer"
"""The collection of a graph with the operations that fill tables; the name is TensorFlow's."""


class TableInitializer(Trackable):
    """Fills tables; the base class of all initializers.

    Args:
      key_dtype: the dtype of the keys.
      value_dtype: the dtype of the values.
    """

    def __init__(self, key_dtype: object, value_dtype: object) -> None:
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    def initialize(self, table: object) -> Any:
        """Fills a table.

        Args: table: a table with a `resource_handle`.
        Returns: The operation in a graph, else None.
        Raises: NotImplementedError: unless a subclass says how.
        """
        raise NotImplementedError(f"{type(self).__name__}.initialize")

    @property
    def _shared_name(self) -> str:
        """The shared name of tables that are filled by this initializer."""
        return f"hash_table_{uuid.uuid4()}"

    @property
    def _is_shared(self) -> bool:
        """Whether other initializers may have the same shared name, because they fill tables with the same entries."""
        return False

    def _check_dtypes(self, table: object) -> None:
        """Refuses a table of other dtypes.

        Raises: TypeError: in TensorFlow's words.
        """
        for what in ("key_dtype", "value_dtype"):
            expected, given = getattr(table, what), getattr(self, what)
            if expected is not given:
                raise TypeError(f"Invalid {what}; expected {expected!s} but got {given!s}.")


def note_initializer(operation: Operation) -> Any:
    """Lets `tf.compat.v1.tables_initializer` run an operation that fills a table."""
    if operation is not None:
        state.graph.add_to_collection(TABLE_INITIALIZERS, operation)
    return operation


@export("lookup.KeyValueTensorInitializer")
class KeyValueTensorInitializer(TableInitializer):
    """Fills tables with the keys and values of two tensors.

    >>> table = tf.lookup.StaticHashTable(
    ...     tf.lookup.KeyValueTensorInitializer(["a", "b"], [7, 8]), default_value=-1)
    >>> table.lookup(tf.constant(["b", "c"])).numpy()
    array([ 8, -1], dtype=int32)

    Args:
      keys: the keys, a Tensor or what becomes one.
      values: as many values.
      key_dtype: the dtype of the keys, where it does not follow from `keys`.
      value_dtype: the dtype of the values, where it does not follow from `values`.
      name: name of the operation that fills a table.

    Raises: TypeError, ValueError: if the keys or values have not the dtypes that are asked for.
    """

    def __init__(
        self,
        keys: object,
        values: object,
        key_dtype: object = None,
        value_dtype: object = None,
        name: str | None = None,
    ) -> None:
        self._keys = convert_to_tensor(keys, dtype=key_dtype, name="keys")
        self._values = convert_to_tensor(values, dtype=value_dtype, name="values")
        self._name = "key_value_init" if name is None else name
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> Any:
        """Fills a table.

        Args: table: a table with a `resource_handle`.
        Returns: The operation in a graph, else None.
        Raises:
          TypeError: if the table has other dtypes.
          tf.errors.InvalidArgumentError: if there are no keys, or not as many values.
          tf.errors.FailedPreconditionError: if a key comes with two values.
        """
        self._check_dtypes(table)
        with name_scope(self._name, "key_value_init"):
            return note_initializer(table_ops.replace(table.resource_handle, self._keys, self._values))


@export("lookup.TextFileIndex")
class TextFileIndex:
    """Says what of a line is a key or a value, other than a column.

    >>> tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
    (-2, -1)

    Attributes:
      WHOLE_LINE: the line without its end.
      LINE_NUMBER: the number of the line, from 0 on.
    """

    WHOLE_LINE = text_files.WHOLE_LINE
    LINE_NUMBER = text_files.LINE_NUMBER


@export("lookup.TextFileInitializer")
class TextFileInitializer(TableInitializer):
    r"""Fills tables from a text file, one entry a line.

    >>> tf.io.write_file("/tmp/vocabulary.txt", "emerson 10\nlake 20\n")
    >>> table = tf.lookup.StaticHashTable(
    ...     tf.lookup.TextFileInitializer("/tmp/vocabulary.txt", tf.string, 0, tf.int64, 1, delimiter=" "), -1)
    >>> table.lookup(tf.constant(["lake", "palmer"])).numpy()
    array([20, -1])

    Args:
      filename: the file.
      key_dtype: the dtype of the keys.
      key_index: the number of the column of the keys, or a `tf.lookup.TextFileIndex`.
      value_dtype: the dtype of the values.
      value_index: the number of the column of the values, or a `tf.lookup.TextFileIndex`.
      vocab_size: how many lines are read; None for all.
      delimiter: the character between columns.
      name: name of the operation that fills a table.
      value_index_offset: what is added to the numbers of lines.

    Raises: ValueError: if there is no file name; for an index below -2, or one that does not go with the dtype; if
      `vocab_size` is not positive.
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        if not isinstance(filename, Tensor) and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        super().__init__(key_dtype, value_dtype)
        _check_index("key", key_index, self.key_dtype)
        _check_index("value", value_index, self.value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self._filename_arg = filename if isinstance(filename, Tensor) else file_name(filename)
        self._filename = self._track_trackable(Asset(self._filename_arg), "_filename")
        self._name = "text_file_init" if name is None else name
        self._columns: dict[str, Any] = {"key_index": key_index, "value_index": value_index}
        self._vocab_size = vocab_size
        self._delimiter = delimiter
        self._offset = value_index_offset

    def initialize(self, table: Any) -> Any:
        """Fills a table.

        Args: table: a table with a `resource_handle`.
        Returns: The operation in a graph, else None.
        Raises:
          TypeError: if the table has other dtypes.
          tf.errors.InvalidArgumentError: if a line is empty, has too few columns, or no value of the dtype.
        """
        self._check_dtypes(table)
        with name_scope(self._name, "text_file_init"):
            return note_initializer(
                text_files.initialize_from_text_file(
                    table.resource_handle,
                    convert_to_tensor(self._filename.asset_path, dtype=string, name="asset_filepath"),
                    **self._columns,
                    vocab_size=-1 if self._vocab_size is None else self._vocab_size,
                    delimiter=self._delimiter,
                    offset=self._offset,
                )
            )

    @property
    def _shared_name(self) -> str:
        """The shared name of tables that are filled from the same columns of the same file."""
        parts = [
            "hash_table",
            self._filename_arg,
            self._vocab_size,
            *self._columns.values(),
            self._offset or None,
        ]
        return "_".join(str(part) for part in parts if part is not None)

    @property
    def _is_shared(self) -> bool:
        return not isinstance(self._filename_arg, Tensor)


def _check_index(what: str, index: int, dtype: DType) -> None:
    """Refuses a column that does not go with the dtype.

    Raises: ValueError: in TensorFlow's words.
    """
    if index < -2:
        raise ValueError(f"`{what}_index` should be >= -2, received: {index}.")
    if index == TextFileIndex.LINE_NUMBER and dtype is not int64:
        between = "if `key_index` is" if what == "key" else "for `value_index`"
        raise ValueError(f"`{what}_dtype` must be int64 {between} {index}, received: {dtype!s}")
    if index == TextFileIndex.WHOLE_LINE and not dtype.is_integer and dtype is not string:
        raise ValueError(
            f"`{what}_dtype` should be either integer or string for `{what}_index` {index}, received: {dtype!s}"
        )
