"""Sparse matrices in compressed rows (CSR): what the variant tensors of the `SparseMatrix*` ops refer to.

Problem: such a variant may hold a batch of matrices, while SciPy knows single matrices.

Idea: the rows of a batch lie one after the other in the same three vectors, so a batch *is* a matrix of `batch * rows`
rows. With the columns of each matrix moved to the right of the columns of the one before, the batch becomes one block
diagonal matrix, and products, transposes and sums of batches are those of block diagonal matrices.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import as_dtype, runtime_name
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import MatrixHandle, Referent
from millrace._src.core.resources import resource_of
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.variant_values import VariantValue
from millrace._src.ops.shape_rules import UNKNOWN


class MatrixValue(VariantValue, Referent):
    """A sparse matrix, or a batch of sparse matrices; never changed.

    Args:
      shape: the dense shape, of two or three dimensions.
      pointers: int64 `[batch * rows + 1]`, the position in `columns` at which each row starts, and the end.
      columns: int64, the column of each value.
      values: the values, row by row.
    """

    __slots__ = ("shape", "pointers", "columns", "values", "_blocks")

    def __init__(self, shape: tuple[int, ...], pointers: Array, columns: Array, values: Array) -> None:
        self.shape = shape
        self.pointers = pointers
        self.columns = columns
        self.values = values
        self._blocks: Any = None

    @property
    def handle_type(self) -> MatrixHandle:
        """The dtype and shape, as a handle to the matrix carries both."""
        return MatrixHandle(as_dtype(self.values.dtype), TensorShape(self.shape))

    @property
    def batch(self) -> int:
        """The number of matrices; 1 for a single matrix."""
        return self.shape[0] if len(self.shape) == 3 else 1

    @property
    def row_numbers(self) -> Array:
        """The row of each value, counted through the batch."""
        return np.repeat(np.arange(len(self.pointers) - 1), np.diff(self.pointers))

    @property
    def blocks(self) -> Any:
        """The matrices as one block diagonal `scipy.sparse.csr_array`, which no code may change."""
        if self._blocks is None:
            rows, columns = self.shape[-2:]
            shifted_columns = self.columns
            if self.batch > 1:
                shifted_columns = self.columns + self.row_numbers // max(rows, 1) * columns
            parts = self.values, shifted_columns, self.pointers
            self._blocks = scipy_sparse().csr_array(parts, shape=(self.batch * rows, self.batch * columns))
        return self._blocks

    def with_values(self, values: Array) -> MatrixValue:
        """Makes a matrix with other values at the same coordinates."""
        return MatrixValue(self.shape, self.pointers, self.columns, values)

    def dense(self) -> Array:
        """Makes the dense array; where a coordinate occurs twice, the last value counts."""
        array = np.zeros((len(self.pointers) - 1, self.shape[-1]), self.values.dtype)
        array[self.row_numbers, self.columns] = self.values
        return array.reshape(self.shape)

    def indices(self) -> Array:
        """Makes the indices of the values, int64 `[values, rank]`."""
        rows = self.row_numbers
        if len(self.shape) == 2:
            return np.stack([rows, self.columns], axis=1)
        return np.stack([*np.divmod(rows, self.shape[1]), self.columns], axis=1)

    def zeros_like(self) -> MatrixValue:
        """Makes a matrix of the same shape without values."""
        return without_values(self.shape, self.values.dtype)

    def __add__(self, other: MatrixValue) -> MatrixValue:
        return from_blocks(self.blocks + other.blocks, self.shape)

    def __repr__(self) -> str:
        return f"CSRSparseMatrix<{runtime_name(as_dtype(self.values.dtype))}, {list(self.shape)}>"


def scipy_sparse() -> Any:
    """Imports `scipy.sparse`."""
    return importlib.import_module("scipy.sparse")  # heavy, and few programs need it


def without_values(shape: tuple[int, ...], dtype: DTypeLike) -> MatrixValue:
    """Makes a matrix of zeros."""
    row_count = int(np.prod(shape[:-1], dtype=np.int64))
    return MatrixValue(shape, np.zeros(row_count + 1, np.int64), np.zeros(0, np.int64), np.zeros(0, dtype))


def from_coordinates(indices: Array, values: Array, shape: tuple[int, ...]) -> MatrixValue:
    """Makes a matrix from values and their indices; the order of the values inside a row is kept."""
    rows = indices[:, 0] if len(shape) == 2 else indices[:, 0] * shape[1] + indices[:, 1]
    columns = indices[:, -1]
    if (rows[1:] < rows[:-1]).any():
        order = np.argsort(rows, kind="stable")
        rows, columns, values = rows[order], columns[order], values[order]
    row_count = int(np.prod(shape[:-1], dtype=np.int64))
    pointers = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=row_count))])
    return MatrixValue(shape, pointers.astype(np.int64), columns, values)


def from_blocks(blocks: Any, shape: tuple[int, ...]) -> MatrixValue:
    """Makes a matrix from a block diagonal SciPy matrix, with the columns of each row in order."""
    matrix = blocks.tocsr()
    matrix.sort_indices()
    pointers, columns = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    if len(shape) == 3 and shape[0] > 1:
        columns %= max(shape[-1], 1)
    return MatrixValue(shape, pointers, columns, matrix.data)


def box(value: MatrixValue) -> Array:
    """Makes the 0-d array of a variant tensor."""
    array = np.empty((), dtype=object)
    array[()] = value
    return array


def matrix_in(variant: Array, position: int = 0) -> MatrixValue:
    """Returns the matrix that a variant refers to.

    Raises: InvalidArgumentError: if the variant refers to something else.
    """
    value = resource_of(variant)
    if not isinstance(value, MatrixValue):
        raise invalid(f"Could not retrieve Variant input {position}")
    return value


# --- shapes ----------------------------------------------------------------------------------------------------------


def shape_in(tensor: Any) -> TensorShape:
    """Returns the static shape of the matrix behind a variant tensor, unknown if the handle does not tell."""
    kind = tensor.handle_type
    return kind.shape if isinstance(kind, MatrixHandle) else UNKNOWN


def same_matrix(c: ShapeContext) -> MatrixHandle | None:
    """Returns the handle type of the first input, for ops that keep dtype and shape of a matrix."""
    kind = c.inputs[0].handle_type
    return kind if isinstance(kind, MatrixHandle) else None
