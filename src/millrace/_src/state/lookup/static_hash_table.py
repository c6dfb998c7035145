"""`tf.lookup.StaticHashTable`: a table that an initializer fills once."""

from __future__ import annotations

from typing import Any

from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.lookup.making_ops import anonymous_hash_table, hash_table
from millrace._src.state.lookup.interface import LookupInterface, keys_of_dtype, map_keys
from millrace._src.state.resource import name_in_file
from millrace._src.util.export import export


@export("lookup.StaticHashTable", v1=[])
class StaticHashTable(LookupInterface):
    """A table that an initializer fills once, and that never changes.

    >>> keys, values = tf.constant(["a", "b", "c"]), tf.constant([7, 8, 9])
    >>> table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), default_value=-1)
    >>> table.lookup(tf.constant(["a", "z"])).numpy()
    array([ 7, -1], dtype=int32)
    >>> table.size().numpy()
    np.int64(3)

    Args:
      initializer: what fills the table, such as a `tf.lookup.TextFileInitializer`.
      default_value: the value of keys that are not in the table, a scalar.
      name: name of the table's operation in a graph.
      experimental_is_anonymous: whether no graph can name the table.

    Raises:
      tf.errors.NotFoundError: if no table has keys and values of such dtypes.
      ValueError: if the default value is not a scalar.
    """

    _registered_name = "tf.StaticHashTable"

    def __init__(
        self, initializer: Any, default_value: object, name: str | None = None, experimental_is_anonymous: bool = False
    ) -> None:
        self._shared_name = initializer._shared_name
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._initializer = initializer
        self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype)
        self._default_value.shape.merge_with(TensorShape([]))
        self._operation_name = name or "hash_table"
        self._is_anonymous = experimental_is_anonymous
        self._track_trackable(initializer, "_initializer")
        _ = self.resource_handle  # made at once, outside of the scope of what fills it
        self._init_op = self._initialize()

    def _create_resource(self) -> Any:
        """Makes the table. In eager mode only tables with equal entries share a name, and so one table."""
        dtypes: dict[str, Any] = {"key_dtype": self.key_dtype, "value_dtype": self.value_dtype}
        if self._is_anonymous or state.graph is None and not self._initializer._is_shared:
            return anonymous_hash_table(name=self._operation_name, **dtypes)
        shared_name = self._shared_name if self._initializer._is_shared else name_in_file() or self._shared_name
        return hash_table(shared_name=shared_name, name=self._operation_name, **dtypes)

    def _initialize(self) -> Any:
        """Fills the table; returns the operation in a graph."""
        return self._initializer.initialize(self)

    @property
    def default_value(self) -> Any:
        """The value of keys that are not in the table."""
        return self._default_value

    def lookup(self, keys: object, name: str | None = None) -> Any:
        """Returns the values of keys.

        Args:
          keys: a Tensor, `tf.SparseTensor` or `tf.RaggedTensor` of keys, or what becomes a Tensor.
          name: name of the operation's scope in a graph.

        Returns: The values, in the structure of `keys`.
        Raises: TypeError: if `keys` has another dtype than the table's keys.
        """
        keys = keys_of_dtype(keys, self.key_dtype)
        return map_keys(lambda flat: self._look_up(flat, self._default_value, "Lookup", name), keys)

    def __getitem__(self, keys: Any) -> Any:
        """Returns the values of keys; see `lookup`."""
        return self.lookup(keys)

    def export(self, name: str | None = None) -> tuple[Any, Any]:
        """Returns all keys and their values, two vectors.

        Args: name: name of the operation's scope in a graph.
        """
        return self._export_to_graph("Export", name)

    _contents = export


class StaticHashTableV1(StaticHashTable):
    """A table that an initializer fills once, in a graph with the operation `initializer`.

    >>> table = tf.compat.v1.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1, 2], ["x", "y"]), "?")
    >>> table.lookup(tf.constant([2, 3])).numpy()
    array([b'y', b'?'], dtype=object)

    Args: as for `tf.lookup.StaticHashTable`.
    """

    @property
    def initializer(self) -> Any:
        """The operation that fills the table; None in eager mode."""
        return self._init_op
