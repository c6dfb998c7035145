"""The rows of a sparse tensor as elements of three dense tensors, as TensorFlow 1 makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.specs import TensorSpec
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor
from millrace._src.data.dataset_base import new_dataset
from millrace._src.data.nodes import DATASET_OF_COMPONENTS, DatasetNode, PassContext, position_cursor
from millrace._src.ops.sparse.coordinates import require_order
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.ops.type_sets import ANY


@dataclass(eq=False, repr=False)
class SparseSliceNode(DatasetNode):
    """Indices, values and dense shape of each row of a sparse tensor.

    Attributes:
      coordinates: the indices within rows, `[elements, rank - 1]`.
      values: the values.
      row_shape: the dense shape of a row.
      ends: for each row, and one more, where its elements begin.
    """

    coordinates: Array
    values: Array
    row_shape: Array
    ends: Sequence[int]

    def cardinality(self) -> int:
        """Returns the number of rows."""
        return len(self.ends) - 1

    @property
    def is_random_access(self) -> bool:
        """True."""
        return True

    def gather(self, indices: Array) -> Block:
        """Returns the rows at positions."""
        return Block.of_rows([self._row(index) for index in indices.tolist()])

    def _row(self, index: int) -> list[Array]:
        part = slice(self.ends[index], self.ends[index + 1])
        return [self.coordinates[part], self.values[part], self.row_shape]

    def cursor(self, context: PassContext) -> Cursor:
        """Starts at the first row."""
        return position_cursor(self)


_RULES = {name: rule for name, rule in DATASET_OF_COMPONENTS.items() if not name.startswith(("Toutput", "output"))}


@op(
    "SparseTensorSliceDataset",
    "indices: int64, values: Tvalues, dense_shape: int64 -> handle: variant",
    Tvalues=ANY,
    **_RULES,
)
def sparse_tensor_slice_dataset(xp: Xp, indices: Array, values: Array, dense_shape: Array, *, Tvalues: Any) -> Any:
    """Makes a dataset of the rows of a sparse tensor."""
    if indices.ndim != 2:
        raise invalid(f"Input indices should be a matrix. Got: {indices.ndim}-dimensional indices.")
    if len(indices) != len(values) or indices.shape[1] != len(dense_shape):
        raise invalid("Number of indices, values and dimensions must agree.")
    require_order(indices, dense_shape.tolist())
    ends = np.searchsorted(indices[:, 0], np.arange(int(dense_shape[0]) + 1)).tolist()
    rank = len(dense_shape) - 1
    specs = [TensorSpec([None, rank], "int64"), TensorSpec([None], Tvalues), TensorSpec([rank], "int64")]
    dtypes, shapes = tuple(spec.dtype for spec in specs), tuple(spec.shape for spec in specs)
    return SparseSliceNode(dtypes, shapes, indices[:, 1:], values, dense_shape[1:], ends)


def from_sparse_tensor_slices(sparse_tensor: object) -> Any:
    """Makes a dataset of the rows of a sparse tensor: indices, values and dense shape of each.

    Args:
      sparse_tensor: a `tf.SparseTensor` of at least one dimension.

    Returns: A Dataset of tuples.
    Raises: TypeError: if `sparse_tensor` is none.
    """
    if not isinstance(sparse_tensor, SparseTensor):
        raise TypeError(
            f"Invalid `sparse_tensor`. `sparse_tensor` must be a `tf.sparse.SparseTensor`. Got {type(sparse_tensor)}."
        )
    parts = sparse_tensor.indices, sparse_tensor.values, sparse_tensor.dense_shape
    size = sparse_tensor.dense_shape.shape[0]
    rank = None if size is None else size - 1
    spec = TensorSpec([None, rank], "int64"), TensorSpec([None], sparse_tensor.dtype), TensorSpec([rank], "int64")
    return new_dataset("_SparseTensorSliceDataset", sparse_tensor_slice_dataset(*parts), spec)
