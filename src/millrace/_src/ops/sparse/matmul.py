"""`tf.sparse.sparse_dense_matmul`: a sparse matrix times a dense one.

On the host SciPy multiplies: by compressed rows where the elements are in order, else element by element. XLA gathers
the rows of the dense matrix and adds them up. The gradient of the elements needs only products of rows of two dense
matrices at the elements' coordinates; the dense product of all rows is never made.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse as scipy_sparse

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int64
from millrace._src.core.errors import invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text, merge_dim, vector, with_rank
from millrace._src.ops.math.broadcasting import conj
from millrace._src.ops.math.precision import in_single
from millrace._src.ops.sparse.coordinates import are_inside, are_sorted
from millrace._src.ops.sparse.product_batches import sparse_times_dense
from millrace._src.ops.sparse.sparse_tensor import SparseTensorType, as_sparse
from millrace._src.ops.type_sets import INDEX, NUMERIC
from millrace._src.util.export import export

_FEW = 64
"""Elements up to which a product takes less time than making a matrix of SciPy."""


_MAX_ROWS_PER_ELEMENT = 4
"""Rows for each element from which on a row number for each element takes less memory than a start for each row."""


def _product_shape(c: ShapeContext) -> TensorShape:
    with_rank(c.shape("a_indices"), 2)
    with_rank(c.shape("a_values"), 1)
    rows, inner = with_rank(c.value_as_shape("a_shape"), 2)
    other_inner, columns = with_rank(c.shape("b"), 2)
    if c.attr("adjoint_a"):
        rows, inner = inner, rows
    if c.attr("adjoint_b"):
        other_inner, columns = columns, other_inner
    merge_dim(inner, other_inner)
    return vector(rows, columns)


def _check_shapes(
    indices: Array, values: Array, shape: Array, b: Array, adjoint_a: bool, adjoint_b: bool
) -> tuple[int, int]:
    """Refuses arrays that do not fit; returns the rows and the inner dimension of the product."""
    for name, array, rank, kind in (
        ("b", b, 2, "matrix"),
        ("a_shape", shape, 1, "vector"),
    ):
        if array.ndim != rank:
            raise invalid(f"Tensor '{name}' is not a {kind}")
    if len(shape) != 2:
        raise invalid("Tensor 'a_shape' must have 2 elements")
    for name, array, rank, kind in (("a_values", values, 1, "vector"), ("a_indices", indices, 2, "matrix")):
        if array.ndim != rank:
            raise invalid(f"Tensor '{name}' is not a {kind}")
    if len(indices) != len(values):
        raise invalid("Number of rows of a_indices does not match number of entries in a_values")
    if indices.shape[1] != 2:
        raise invalid("Number of columns of a_indices does not match number of entries in a_shape")
    rows, inner = (int(size) for size in (shape[::-1] if adjoint_a else shape))
    other_inner = b.shape[1 if adjoint_b else 0]
    if inner != other_inner:
        raise invalid(
            f"Cannot multiply A and B because inner dimension does not match: {inner} vs. {other_inner}.  Did you "
            f"forget a transpose?  Dimensions of A: [{shape[0]}, {shape[1]}).  Dimensions of B: {dims_text(b.shape)}"
        )
    return rows, inner


def _refuse_outside(
    a_indices: Array, a_values: Array, a_shape: Array, b: Array, *, adjoint_a: bool, adjoint_b: bool
) -> None:
    """Refuses matrices that do not fit, and coordinates out of bounds."""
    limits = _check_shapes(a_indices, a_values, a_shape, b, adjoint_a, adjoint_b)
    if are_inside(a_indices, a_shape.tolist()):
        return
    axes = (1, 0) if adjoint_a else (0, 1)
    is_outside = [(a_indices[:, axis] < 0) | (a_indices[:, axis] >= limits[i]) for i, axis in enumerate(axes)]
    at = int(np.argmax(is_outside[0] | is_outside[1]))
    which = 0 if is_outside[0][at] else 1
    index = a_indices[at, axes[which]]
    raise invalid(f"{'mk'[which]} ({index}) from index[{at},{axes[which]}] out of bounds (>={limits[which]})")


@kernel_part
def _product(xp: Xp, coordinates: Array, values: Array, size: tuple[int, int], b: Array, is_transposed: bool) -> Array:
    """Multiplies a sparse matrix of that size, or the transposed matrix, by a dense one."""
    if len(values) <= _FEW:
        return _scatter_product(xp, coordinates, values, size, b, is_transposed)
    matrix = _compress(coordinates, values, size)
    product: Array = (matrix.T if is_transposed else matrix) @ b
    return product


def _compress(coordinates: Array, values: Array, size: tuple[int, int]) -> Any:
    """Returns a sparse matrix of SciPy: compressed rows where the elements come row by row."""
    index_type = np.int32 if max(*size, len(values)) < 2**31 else np.int64  # SciPy would look at all indices first
    rows, columns = coordinates[:, 0], coordinates[:, 1].astype(index_type)
    if size[0] > _MAX_ROWS_PER_ELEMENT * len(values) or not are_sorted(rows):
        return scipy_sparse.coo_array((values, (rows.astype(index_type), columns)), shape=size)
    starts = np.searchsorted(rows, np.arange(size[0] + 1)).astype(index_type)
    return scipy_sparse.csr_array((values, columns, starts), shape=size)


@_product.kernel_for("xla")
def _scatter_product(
    xp: Xp, coordinates: Array, values: Array, size: tuple[int, int], b: Array, is_transposed: bool
) -> Array:
    row_axis = 1 if is_transposed else 0
    read_rows = xp.take(b, coordinates[:, 1 - row_axis], axis=0)
    zeros = xp.zeros((size[row_axis], b.shape[1]), values.dtype)
    return xp.scatter(zeros, coordinates[:, row_axis], xp.reshape(values, (-1, 1)) * read_rows, "add")


@op(
    "SparseTensorDenseMatMul",
    "a_indices: Tindices, a_values: T, a_shape: int64, b: T -> product: T",
    T=NUMERIC,
    Tindices=INDEX.with_default(int64),
    shape=_product_shape,
    checks=_refuse_outside,
    constant_inputs=("a_shape",),
    batching=sparse_times_dense,
)
def sparse_tensor_dense_matmul_op(
    xp: Xp,
    a_indices: Array,
    a_values: Array,
    a_shape: Array,
    b: Array,
    *,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Array:
    """Multiplies a sparse matrix by a dense one; repeated coordinates count repeatedly."""
    _check_shapes(a_indices, a_values, a_shape, b, adjoint_a, adjoint_b)
    size = int(a_shape[0]), int(a_shape[1])

    def multiply(values: Array, dense: Array) -> Array:
        values = xp.conj(values) if adjoint_a else values
        dense = xp.conj(xp.transpose(dense)) if adjoint_b else dense
        return _product(xp, a_indices, values, size, dense, adjoint_a)

    return in_single(xp, multiply, a_values, b)


@sparse_tensor_dense_matmul_op.gradient
def sparse_tensor_dense_matmul_gradient(
    dy: Tensor, a_indices: Tensor, a_values: Tensor, a_shape: Tensor, b: Tensor, adjoint_a: bool, adjoint_b: bool
) -> tuple[None, Tensor, None, Tensor]:
    """Multiplies by the adjoint for the dense matrix, and rows of the two dense matrices for the elements."""
    d_b = raw.SparseTensorDenseMatMul(
        a_indices=a_indices, a_values=a_values, a_shape=a_shape, b=dy, adjoint_a=not adjoint_a
    )
    rows = _adjoint(b) if adjoint_b else b
    row_axis = 1 if adjoint_a else 0
    d_rows = raw.GatherV2(params=dy, indices=a_indices[:, row_axis], axis=0)
    read_rows = raw.GatherV2(params=rows, indices=a_indices[:, 1 - row_axis], axis=0)
    d_values = raw.Einsum(inputs=[d_rows, conj(read_rows)], equation="nk,nk->n")
    return None, conj(d_values) if adjoint_a else d_values, None, _adjoint(d_b) if adjoint_b else d_b


def _adjoint(matrix: Tensor) -> Tensor:
    """Returns a matrix transposed, and conjugated where it is complex."""
    transpose = raw.ConjugateTranspose if matrix.dtype.is_complex else raw.Transpose
    adjoint: Tensor = transpose(x=matrix, perm=[1, 0], name="transpose")
    return adjoint


@export(
    "sparse.sparse_dense_matmul",
    v1=["sparse.sparse_dense_matmul", "sparse.matmul", "sparse_tensor_dense_matmul"],
)
def sparse_dense_matmul(
    sp_a: object, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Any:
    """Multiplies a sparse matrix and a dense one, in either order.

    >>> st = tf.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 2])
    >>> tf.sparse.sparse_dense_matmul(st, [[1.0, 2.0], [10.0, 20.0]]).numpy()
    array([[20., 40.],
           [ 3.,  6.]], dtype=float32)

    Args:
      sp_a: a SparseTensor of rank 2, or a dense matrix where `b` is sparse.
      b: a dense matrix of the same dtype, or a SparseTensor where `sp_a` is dense.
      adjoint_a: whether `sp_a` is transposed, and conjugated where it is complex.
      adjoint_b: whether `b` is transposed, and conjugated where it is complex.
      name: name of the scope in a graph.

    Returns: A dense matrix.
    Raises:
      TypeError: if neither matrix is sparse, or both are.
      tf.errors.InvalidArgumentError: if the matrices do not fit, or a coordinate is out of bounds.
    """
    if isinstance(b, SparseTensorType):
        if isinstance(sp_a, SparseTensorType):
            raise TypeError("tf.sparse.sparse_dense_matmul: one of the matrices must be dense; both are sparse.")
        # A B = (B^H A^H)^H
        return _adjoint(sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a, name))
    sp_a = as_sparse(sp_a)
    with name_scope(name, "SparseTensorDenseMatMul"):
        b = convert_to_tensor(b, name="b")
        return sparse_tensor_dense_matmul_op(
            sp_a.indices, sp_a.values, sp_a.dense_shape, b, adjoint_a=adjoint_a, adjoint_b=adjoint_b
        )
