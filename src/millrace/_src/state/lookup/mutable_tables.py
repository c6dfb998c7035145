"""`tf.lookup.experimental.MutableHashTable` and `DenseHashTable`: tables that change at any time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import in_plain_graph, name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.graph.func_graph import init_scope
from millrace._src.ops.lookup import making_ops, table_ops
from millrace._src.state.lookup.interface import LookupInterface, keys_of_dtype
from millrace._src.state.resource import name_in_file
from millrace._src.trackable.base import SavedTogether
from millrace._src.trackable.saveable_object import SaveableObject, SaveSpec
from millrace._src.util.export import export

_SAVEABLES = "saveable_objects"
"""The collection of what version 1's savers save besides variables; the name is TensorFlow's."""
_KEYS, _VALUES = "-keys", "-values"
"""The names of a table's tensors in checkpoints, which are TensorFlow's."""


class ChangingTable(LookupInterface):
    """A table that changes at any time, and that checkpoints save."""

    _saved_together = SavedTogether("table", (_KEYS, _VALUES))

    _operation_name: str
    _default_value: Any

    def _list_for_savers(self) -> None:
        """Lets the savers of a plain graph save the table."""
        if in_plain_graph():
            state.graph.add_to_collection(_SAVEABLES, _TableSaveable(self))

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Any:
        """Gives keys values; keys that are there get new values, of a key that comes twice the last value counts.

        Args:
          keys: keys, of any shape.
          values: a value for each key.
          name: name of the operation's scope in a graph.

        Returns: The operation in a graph, else None.
        Raises: tf.errors.InvalidArgumentError: if the shapes do not fit, or a key may not be in the table.
        """
        with name_scope(name, f"{self.name}_lookup_table_insert"):
            keys = convert_to_tensor(keys, dtype=self.key_dtype, name="keys")
            values = convert_to_tensor(values, dtype=self.value_dtype, name="values")
            return table_ops.insert(self.resource_handle, keys, values)

    def remove(self, keys: object, name: str | None = None) -> Any:
        """Takes keys out; keys that are not there are passed over.

        Args:
          keys: keys, of any shape.
          name: name of the operation's scope in a graph.

        Returns: The operation in a graph, else None.
        Raises: TypeError: if `keys` has another dtype than the table's keys.
        """
        keys = keys_of_dtype(keys, self.key_dtype)
        with name_scope(name, f"{self.name}_lookup_table_remove"):
            return table_ops.remove(self.resource_handle, keys)

    def export(self, name: str | None = None) -> tuple[Any, Any]:
        """Returns all keys and their values.

        Args: name: name of the operation's scope in a graph.
        """
        return self._export_to_graph("lookup_table_export_values", name)

    _contents = export

    def _serialize_to_tensors(self) -> dict[str, Any]:
        keys, values = self.export()
        return {_KEYS: keys, _VALUES: values}

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> Any:
        """Makes the saved keys and values the only ones."""
        keys, values = restored_tensors[_KEYS], restored_tensors[_VALUES]
        if not isinstance(keys, EagerTensor):
            return table_ops.replace(self.resource_handle, keys, values)  # the restoration is a part of the graph
        with init_scope():  # a table may meet its saved keys while a function is traced
            return table_ops.replace(self.resource_handle, keys, values)


class _TableSaveable(SaveableObject):
    """What a saver of version 1 saves of a table: keys and values.

    Args: table: The table.
    """

    def __init__(self, table: ChangingTable) -> None:
        keys, values = table.export()
        name = str(table.name)
        super().__init__(table, [SaveSpec(keys, "", name + _KEYS), SaveSpec(values, "", name + _VALUES)], name)

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Any:
        """Makes the saved keys and values the only ones; returns the operation."""
        with name_scope(f"{self.name}_table_restore"):
            return table_ops.replace(self.op.resource_handle, *restored_tensors)


@export("lookup.experimental.MutableHashTable")
class MutableHashTable(ChangingTable):
    """A table that changes at any time; its values are scalars or vectors.

    >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
    >>> table.insert(["a", "b"], [1, 2])
    >>> table.remove(["a"])
    >>> table[["a", "b"]].numpy()
    array([-1,  2])

    Args:
      key_dtype: the dtype of the keys.
      value_dtype: the dtype of the values.
      default_value: the value of keys that are not in the table; its shape is that of all values.
      name: name of the table's operation in a graph.
      checkpoint: whether the checkpoints of a graph save the table.
      experimental_is_anonymous: whether no graph can name the table.

    Raises:
      tf.errors.NotFoundError: if no table has keys and values of such dtypes.
      tf.errors.InvalidArgumentError: if the default value is neither a scalar nor a vector.
    """

    def __init__(
        self,
        key_dtype: object,
        value_dtype: object,
        default_value: object,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype)
        self._operation_name = name
        self._is_anonymous = experimental_is_anonymous
        self._is_saved = checkpoint
        _ = self.resource_handle  # made at once, so that wrong dtypes are refused
        if self._is_saved:
            self._list_for_savers()

    def _create_resource(self) -> Any:
        shape = self._default_value.shape
        dtypes: dict[str, Any] = {"key_dtype": self.key_dtype, "value_dtype": self.value_dtype}
        is_anonymous = self._is_anonymous or state.graph is None  # no other object knows the name of an eager table
        if not is_anonymous:
            dtypes["shared_name"] = name_in_file()
        if shape.rank == 0:
            make = making_ops.anonymous_mutable_hash_table if is_anonymous else making_ops.mutable_hash_table
            return make(name=self._operation_name, **dtypes)
        make = (
            making_ops.anonymous_mutable_hash_table_of_tensors
            if is_anonymous
            else making_ops.mutable_hash_table_of_tensors
        )
        return make(value_shape=shape, name=self._operation_name, **dtypes)

    def lookup(self, keys: object, dynamic_default_values: object = None, name: str | None = None) -> Any:
        """Returns the values of keys.

        Args:
          keys: keys, of any shape.
          dynamic_default_values: the values of keys that are not in the table, one or as many as keys; None for the
            default value of the table.
          name: name of the operation's scope in a graph.

        Returns: A Tensor of the shape of `keys`, with one more axis if the values are vectors.
        Raises: tf.errors.InvalidArgumentError: if `dynamic_default_values` has another shape or dtype.
        """
        keys = convert_to_tensor(keys, dtype=self.key_dtype, name="keys")
        default = dynamic_default_values
        if default is None:
            default = self._default_value
        elif not isinstance(default, Tensor):
            default = convert_to_tensor(default, dtype=self.value_dtype, name="default_values")
        return self._look_up(keys, default, "lookup_table_find", name)

    def __getitem__(self, keys: Any) -> Any:
        """Returns the values of keys; see `lookup`."""
        return self.lookup(keys)


@export("lookup.experimental.DenseHashTable")
class DenseHashTable(ChangingTable):
    """A table that changes at any time, with two keys that never come; its keys and values are scalars or vectors.

    >>> table = tf.lookup.experimental.DenseHashTable(
    ...     tf.int64, tf.int64, default_value=-1, empty_key=0, deleted_key=-1)
    >>> table.insert([1, 5], [10, 50])
    >>> table[[1, 2]].numpy()
    array([10, -1])

    Args:
      key_dtype: the dtype of the keys.
      value_dtype: the dtype of the values.
      default_value: the value of keys that are not in the table; its shape is that of all values.
      empty_key: the key of an empty bucket; its shape is that of all keys.
      deleted_key: the key of a bucket whose key was removed.
      initial_num_buckets: the number of buckets at first, a power of two; None for 2**17.
      name: name of the table's operation in a graph.
      checkpoint: whether the checkpoints of a graph save the table.
      experimental_is_anonymous: whether no graph can name the table.

    Raises:
      tf.errors.NotFoundError: if no table has keys and values of such dtypes.
      tf.errors.InvalidArgumentError: if the two keys are equal, or the number of buckets is not a power of two.
    """

    def __init__(
        self,
        key_dtype: object,
        value_dtype: object,
        default_value: object,
        empty_key: object,
        deleted_key: object,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype, name="default_value")
        self._operation_name = name
        self._is_anonymous = experimental_is_anonymous
        self._is_saved = checkpoint
        self._special_keys = empty_key, deleted_key
        self._bucket_count = 2**17 if initial_num_buckets is None else initial_num_buckets
        _ = self.resource_handle  # made at once, so that wrong keys are refused
        if self._is_saved:
            self._list_for_savers()

    def _create_resource(self) -> Any:
        empty_key, deleted_key = self._special_keys
        is_anonymous = self._is_anonymous or state.graph is None
        make = making_ops.anonymous_mutable_dense_hash_table if is_anonymous else making_ops.mutable_dense_hash_table
        shared_name: dict[str, Any] = {} if is_anonymous else {"shared_name": name_in_file()}
        return make(
            convert_to_tensor(empty_key, dtype=self.key_dtype, name="empty_key"),
            convert_to_tensor(deleted_key, dtype=self.key_dtype, name="deleted_key"),
            value_dtype=self.value_dtype,
            value_shape=self._default_value.shape,
            initial_num_buckets=self._bucket_count,
            name=self._operation_name,
            **shared_name,
        )

    def lookup(self, keys: object, name: str | None = None) -> Any:
        """Returns the values of keys.

        Args:
          keys: keys, of any shape; vectors are in the last axis.
          name: name of the operation's scope in a graph.

        Returns: A Tensor with a value for each key.
        Raises: tf.errors.InvalidArgumentError: for a key that never comes.
        """
        keys = convert_to_tensor(keys, dtype=self.key_dtype, name="keys")
        return self._look_up(keys, self._default_value, "lookup_table_find", name)

    def __getitem__(self, keys: Any) -> Any:
        """Returns the values of keys; see `lookup`."""
        return self.lookup(keys)

    def insert_or_assign(self, keys: object, values: TensorLike, name: str | None = None) -> Any:
        """Gives keys values; see `insert`."""
        return self.insert(keys, values, name)

    def erase(self, keys: object, name: str | None = None) -> Any:
        """Takes keys out; see `remove`."""
        return self.remove(keys, name)
