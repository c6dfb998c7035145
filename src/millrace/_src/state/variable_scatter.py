"""Sparse updates of a variable: scatters of rows (`IndexedSlices`) and of slices at index tuples.

Tests: tests/state/test_variable.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.ops import raw


class VariableScatter:
    """The scatter methods of `tf.Variable`, each one op on the handle."""

    _dtype: Any

    def _update(
        self, op_name: str, inputs: tuple[Any, ...], name: str | None, read_value: bool, **attrs: object
    ) -> Any:
        raise NotImplementedError

    def _scatter(self, op_name: str, sparse_delta: object, name: str | None) -> Any:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}")
        values = convert_to_tensor(sparse_delta.values, dtype=self._dtype)
        return self._update(op_name, (convert_to_tensor(sparse_delta.indices), values), name, True)

    def scatter_add(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Any:
        """Adds `IndexedSlices` to the variable."""
        return self._scatter("ResourceScatterAdd", sparse_delta, name)

    def scatter_sub(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Any:
        """Subtracts `IndexedSlices` from the variable."""
        return self._scatter("ResourceScatterSub", sparse_delta, name)

    def scatter_mul(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Any:
        """Multiplies rows of the variable by `IndexedSlices`."""
        return self._scatter("ResourceScatterMul", sparse_delta, name)

    def scatter_div(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Any:
        """Divides rows of the variable by `IndexedSlices`."""
        return self._scatter("ResourceScatterDiv", sparse_delta, name)

    def scatter_min(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Any:
        """Takes the minimum of rows of the variable and `IndexedSlices`."""
        return self._scatter("ResourceScatterMin", sparse_delta, name)

    def scatter_max(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Any:
        """Takes the maximum of rows of the variable and `IndexedSlices`."""
        return self._scatter("ResourceScatterMax", sparse_delta, name)

    def scatter_update(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Any:
        """Replaces rows of the variable by `IndexedSlices`."""
        return self._scatter("ResourceScatterUpdate", sparse_delta, name)

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replaces slices along the last axis of the indices, batch by batch."""
        indices = convert_to_tensor(sparse_delta.indices)
        rank = indices.shape.rank or 1
        grids = [raw.Range(start=0, limit=n, delta=1) for n in indices.shape.as_list()[:-1]]
        parts = [
            raw.Reshape(tensor=g, shape=[-1 if i == j else 1 for j in range(rank)])
            + raw.ZerosLike(x=raw.Cast(x=indices, DstT="int32"))
            for i, g in enumerate(grids)
        ]
        stacked = raw.Pack(values=[*parts, raw.Cast(x=indices, DstT="int32")], axis=-1)
        return self.scatter_nd_update(stacked, sparse_delta.values, name)

    def scatter_nd_update(self, indices: object, updates: object, name: str | None = None) -> Any:
        """Replaces slices at index tuples."""
        return self._scatter_nd("ResourceScatterNdUpdate", indices, updates, name)

    def scatter_nd_add(self, indices: object, updates: object, name: str | None = None) -> Any:
        """Adds to slices at index tuples."""
        return self._scatter_nd("ResourceScatterNdAdd", indices, updates, name)

    def scatter_nd_sub(self, indices: object, updates: object, name: str | None = None) -> Any:
        """Subtracts from slices at index tuples."""
        return self._scatter_nd("ResourceScatterNdSub", indices, updates, name)

    def scatter_nd_min(self, indices: object, updates: object, name: str | None = None) -> Any:
        """Takes the minimum with slices at index tuples."""
        return self._scatter_nd("ResourceScatterNdMin", indices, updates, name)

    def scatter_nd_max(self, indices: object, updates: object, name: str | None = None) -> Any:
        """Takes the maximum with slices at index tuples."""
        return self._scatter_nd("ResourceScatterNdMax", indices, updates, name)

    def _scatter_nd(self, op_name: str, indices: Any, updates: Any, name: str | None) -> Any:
        return self._update(op_name, (indices, convert_to_tensor(updates, dtype=self._dtype)), name, True)
