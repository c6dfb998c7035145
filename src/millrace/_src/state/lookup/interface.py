"""What all lookup tables have in common: a handle, dtypes, a name, and keys of any structure.

The table itself is a resource, made outside of all functions; a table that is made while a function is traced lives as
long as the function. In a graph the table's name is that of its operation; in eager mode a table has none.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.tensor import SymbolicTensor, Tensor
from millrace._src.ops.lookup import table_ops
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.state.resource import TrackableResource


class LookupInterface(TrackableResource):
    """A lookup table.

    Args:
      key_dtype: the dtype of the keys.
      value_dtype: the dtype of the values.
    """

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        super().__init__()
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

    @property
    def name(self) -> str | None:
        """The name of the table's operation in a graph; None in eager mode."""
        handle = self.resource_handle
        return handle.op.name.split("/")[-1] if isinstance(handle, SymbolicTensor) else None

    @abstractmethod
    def _create_resource(self) -> Any:
        """Makes the table; returns its handle."""

    @abstractmethod
    def __getitem__(self, keys: object) -> Any:
        """Returns the values of keys."""

    def size(self, name: str | None = None) -> Any:
        """Returns the number of keys, a scalar of int64.

        Args: name: name of the operation's scope in a graph.
        """
        with name_scope(name, f"{self.name}_Size"):
            return table_ops.size(self.resource_handle)

    def _contents(self) -> Sequence[Any]:
        """Returns the keys and the values of the table as tensors; nothing where a table does not tell."""
        return ()

    def _export_to_graph(self, scope: str, name: str | None) -> tuple[Any, Any]:
        """Returns all keys and values."""
        with name_scope(name, f"{self.name}_{scope}"):
            keys, values = table_ops.export(self.resource_handle, Tkeys=self.key_dtype, Tvalues=self.value_dtype)
        return keys, values

    def _look_up(self, keys: object, default: object, scope: str, name: str | None) -> Any:
        """Returns the values of a tensor of keys."""
        with name_scope(name, f"{self.name}_{scope}"):
            return table_ops.find(self.resource_handle, keys, default)


_KEY_CLASSES: Any = (Tensor, SparseTensor, RaggedTensor)


def keys_of_dtype(keys: Any, dtype: DType) -> Any:
    """Returns keys as a tensor, or as the sparse or ragged tensor that they are.

    Raises: TypeError: if they are a tensor of another dtype.
    """
    if not isinstance(keys, _KEY_CLASSES):
        return convert_to_tensor(keys, dtype=dtype, name="keys")
    if keys.dtype is not dtype:
        raise TypeError(f"Dtype of argument `keys` must be {dtype!s}, received: {keys.dtype!s}")
    return keys


def map_keys(function: Callable[[Any], Any], keys: Any) -> Any:
    """Applies a function of a tensor to all keys; values of sparse or ragged keys have the structure of the keys."""
    kind = type(keys)
    if issubclass(kind, SparseTensor):
        return SparseTensor(keys.indices, function(keys.values), keys.dense_shape)
    if issubclass(kind, RaggedTensor):
        return keys.with_flat_values(function(keys.flat_values))
    return function(keys)
