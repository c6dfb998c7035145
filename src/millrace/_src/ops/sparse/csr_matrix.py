"""`CSRSparseMatrix`: a sparse matrix in compressed rows as an object, and products of such objects.

TensorFlow keeps the class below `tensorflow.python.ops.linalg.sparse`. The object holds one variant tensor; its methods
are the `SparseMatrix*` ops.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any, NamedTuple

from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int64, variant
from millrace._src.core.handle_types import MatrixHandle
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.util.class_homes import tensorflow_home


class DenseShapeAndType(NamedTuple):
    """The shape and dtype of the matrix behind a variant tensor."""

    shape: TensorShape
    dtype: DType


def dense_shape_and_type(matrix: object) -> DenseShapeAndType:
    """Returns the dense shape and the dtype of the sparse matrix behind a variant tensor.

    Raises:
      TypeError: if the tensor is not a variant.
      ValueError: if the tensor does not tell what it refers to.
    """
    if not isinstance(matrix, Tensor):
        raise TypeError(f"matrix should be a tensor, but saw: {matrix}")
    if matrix.dtype is not variant:
        raise TypeError(f"expected matrix to be type tf.variant, but saw: {matrix.dtype}")
    kind = matrix.handle_type
    if not isinstance(kind, MatrixHandle):
        raise ValueError(f"matrix has missing handle data: {matrix}")
    return DenseShapeAndType(kind.shape, kind.dtype)


@tensorflow_home("python.ops.linalg.sparse.sparse_csr_matrix_ops")
class SparseMatrix(metaclass=ABCMeta):
    """The base class of sparse matrices that are variant tensors."""

    @abstractmethod
    def __init__(self) -> None:
        self._shape_and_type: DenseShapeAndType

    @property
    @abstractmethod
    def _matrix(self) -> Any: ...

    @abstractmethod
    def _from_matrix(self, matrix: Tensor) -> Any: ...

    @abstractmethod
    def to_dense(self) -> Tensor:
        """Makes the dense tensor."""

    @abstractmethod
    def to_sparse_tensor(self) -> SparseTensor:
        """Makes a sparse tensor of the same values."""

    @property
    def graph(self) -> Any:
        """The graph of the variant tensor."""
        return self._matrix.graph

    @property
    def shape(self) -> TensorShape:
        """The static dense shape."""
        return self._shape_and_type.shape

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._shape_and_type.dtype

    def conj(self) -> Any:
        """Makes the conjugate matrix; a real matrix is its own."""
        if not self.dtype.is_complex:
            return self
        turned = raw.SparseMatrixTranspose(input=self._matrix, conjugate=True, type=self.dtype)
        return self._from_matrix(raw.SparseMatrixTranspose(input=turned, type=self.dtype))

    def hermitian_transpose(self) -> Any:
        """Makes the conjugate transpose."""
        return self._from_matrix(raw.SparseMatrixTranspose(input=self._matrix, conjugate=True, type=self.dtype))

    def transpose(self) -> Any:
        """Makes the transpose."""
        return self._from_matrix(raw.SparseMatrixTranspose(input=self._matrix, type=self.dtype))

    def nnz(self) -> Tensor:
        """Counts the values, of each matrix of a batch."""
        return raw.SparseMatrixNNZ(sparse_matrix=self._matrix)

    nonzero = nnz

    def sorted_indices(self) -> Tensor:
        """Returns the indices of the values, row by row."""
        return self.to_sparse_tensor().indices


@tensorflow_home("python.ops.linalg.sparse.sparse_csr_matrix_ops")
class CSRSparseMatrix(SparseMatrix):
    """A sparse matrix, or a batch of sparse matrices, in compressed rows.

    >>> from millrace._src.ops.sparse.csr_matrix import CSRSparseMatrix, matmul
    >>> matrix = CSRSparseMatrix([[1.0, 0.0], [2.0, 3.0]])
    >>> matrix.shape
    TensorShape([2, 2])
    >>> matmul(matrix, [[1.0], [1.0]]).numpy().tolist()
    [[1.0], [5.0]]

    Args:
      value: A dense tensor or a `SparseTensor`, of float32, float64, complex64 or complex128 and rank 2 or 3.
      indices: The indices of the elements of a dense value to keep; by default those that are not 0.
      name: A name for the operation (optional).

    Raises: ValueError: if indices are given for a sparse value, or the rank is another.
    """

    def __init__(self, value: Any, indices: Any = None, name: str | None = None) -> None:
        with name_scope(name, "CSRSparseMatrix"):
            self._csr_matrix = _convert(value, indices)
        self._shape_and_type = dense_shape_and_type(self._csr_matrix)

    @property
    def _matrix(self) -> Any:
        return self._csr_matrix

    def _from_matrix(self, matrix: Tensor) -> CSRSparseMatrix:
        made = object.__new__(type(self))
        made._csr_matrix = matrix
        made._shape_and_type = dense_shape_and_type(matrix)
        return made

    def to_dense(self) -> Tensor:
        """Makes the dense tensor."""
        return raw.CSRSparseMatrixToDense(sparse_input=self._matrix, type=self.dtype)

    def to_sparse_tensor(self) -> SparseTensor:
        """Makes a sparse tensor of the same values."""
        return SparseTensor(*raw.CSRSparseMatrixToSparseTensor(sparse_matrix=self._matrix, type=self.dtype))


def _convert(value: Any, indices: Any) -> Tensor:
    """Makes the variant tensor of a sparse or dense value."""
    if isinstance(value, SparseTensor):
        if indices is not None:
            raise ValueError("indices must be None if value is a SparseTensor.")
        parts = {"indices": value.indices, "values": value.values, "dense_shape": value.dense_shape}
        return raw.SparseTensorToCSRSparseMatrix(**parts)
    value = convert_to_tensor(value)
    if indices is None:
        indices = raw.Where(condition=raw.NotEqual(x=value, y=raw.ZerosLike(x=value)))
    return raw.DenseToCSRSparseMatrix(dense_input=value, indices=convert_to_tensor(indices, dtype=int64))


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Any:
    """Multiplies two matrices, either of which may be a `CSRSparseMatrix`.

    Args:
      a: A `CSRSparseMatrix` or dense tensor of rank 2 or 3.
      b: A `CSRSparseMatrix` or dense tensor of the same rank.
      transpose_a: Whether to transpose `a`.
      transpose_b: Whether to transpose `b`.
      adjoint_a: Whether to transpose and conjugate `a`.
      adjoint_b: Whether to transpose and conjugate `b`.
      name: A name for the operation (optional).

    Returns: A `CSRSparseMatrix` if both are, else a dense tensor.
    Raises: tf.errors.InvalidArgumentError: if the shapes do not fit, or an operand is to be transposed and adjoint at
      once.
    """
    flags = {"transpose_a": transpose_a, "transpose_b": transpose_b, "adjoint_a": adjoint_a, "adjoint_b": adjoint_b}
    if not isinstance(a, SparseMatrix) and not isinstance(b, SparseMatrix):
        return raw.BatchMatMulV2(x=_turn(a, transpose_a, adjoint_a), y=_turn(b, transpose_b, adjoint_b), name=name)
    if isinstance(a, SparseMatrix) and isinstance(b, SparseMatrix):
        product = raw.SparseMatrixSparseMatMul(a=a._matrix, b=b._matrix, type=a.dtype, **flags, name=name)
        return a._from_matrix(product)
    if isinstance(a, SparseMatrix):
        return raw.SparseMatrixMatMul(a=a._matrix, b=convert_to_tensor(b, dtype=a.dtype), **flags, name=name)
    # a @ b = (b^T @ a^T)^T, and the conjugates that are left belong to the operands
    dense = convert_to_tensor(a, dtype=b.dtype)
    conjugates_b = adjoint_b and b.dtype.is_complex
    if (adjoint_a and b.dtype.is_complex) != conjugates_b:
        dense = raw.Conj(input=dense)
    return raw.SparseMatrixMatMul(
        a=b._matrix,
        b=dense,
        transpose_a=not (transpose_b or adjoint_b),
        transpose_b=not (transpose_a or adjoint_a),
        transpose_output=True,
        conjugate_output=conjugates_b,
        name=name,
    )


def _turn(value: Any, transpose: bool, adjoint: bool) -> Tensor:
    """Transposes the last two dimensions of a dense operand if asked."""
    tensor = convert_to_tensor(value)
    if not (transpose or adjoint):
        return tensor
    rank = tensor.shape.rank
    if rank is None or rank < 2:
        raise ValueError(f"A matrix to be transposed needs a known rank of 2 or more, got {tensor}")
    turned = raw.Transpose(x=tensor, perm=[*range(rank - 2), rank - 1, rank - 2])
    return raw.Conj(input=turned) if adjoint and tensor.dtype.is_complex else turned
