"""What the gradients of matrix products have in common: the products themselves, and sums over stacks of matrices.

Tests: tests/ops/math/test_matmul.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.broadcasting import int_vector


def matrix_product(a: Tensor, b: Tensor, transpose_a: bool, transpose_b: bool) -> Any:
    """Multiplies two matrices."""
    return raw.MatMul(a=a, b=b, transpose_a=transpose_a, transpose_b=transpose_b)


def is_one_matrix_for_all(x: Tensor, y: Tensor) -> bool:
    """Returns whether a stack of real matrices, with known sizes of rows, is multiplied with one matrix."""
    x_dims, y_dims = x.shape.dim_sizes, y.shape.dim_sizes
    if x.dtype.is_complex or x_dims is None or y_dims is None or len(y_dims) != 2 or len(x_dims) <= 2:
        return False
    return None not in y_dims and 0 not in y_dims and x_dims[-1] is not None


def gradient_of_one_matrix(dz: Tensor, x: Tensor, adj_y: bool) -> Any:
    """Computes the gradient of the matrix by one product, for its sum over the stack is one over more rows."""
    rows, drows = (raw.Reshape(tensor=t, shape=int_vector((-1, t.shape[-1]))) for t in (x, dz))
    return matrix_product(drows, rows, True, False) if adj_y else matrix_product(rows, drows, True, False)


def batch_gradients(dz: Tensor, x: Tensor, y: Tensor, adj_x: bool, adj_y: bool) -> tuple[Tensor, Tensor]:
    """Returns the gradients of a product of stacks of matrices, not yet summed over repeated matrices."""

    def product(a: Tensor, b: Tensor, adj_a: bool, adj_b: bool) -> Any:
        return raw.BatchMatMulV2(x=a, y=b, adj_x=adj_a, adj_y=adj_b)

    dx = product(y, dz, adj_y, True) if adj_x else product(dz, y, False, not adj_y)
    dy = product(dz, x, True, adj_x) if adj_y else product(x, dz, not adj_x, False)
    return dx, dy


def sum_batches(x: Tensor, y: Tensor, dx: Tensor, dy: Tensor) -> tuple[Tensor, Tensor]:
    """Sums gradients over the batch dimensions along which the operands were repeated."""
    x_dims, y_dims = x.shape.dim_sizes, y.shape.dim_sizes
    if x_dims is not None and y_dims is not None and x_dims[:-2] == y_dims[:-2] and None not in x_dims[:-2]:
        return dx, dy
    if x_dims is not None and y_dims is not None and None not in x_dims and None not in y_dims:
        return _sum_batch(dx, x_dims, y_dims), _sum_batch(dy, y_dims, x_dims)
    x_shape, y_shape = raw.Shape(input=x), raw.Shape(input=y)
    x_axes, y_axes = raw.BroadcastGradientArgs(s0=x_shape[:-2], s1=y_shape[:-2])
    dx = raw.Reshape(tensor=raw.Sum(input=dx, reduction_indices=x_axes), shape=x_shape)
    return dx, raw.Reshape(tensor=raw.Sum(input=dy, reduction_indices=y_axes), shape=y_shape)


def _sum_batch(gradient: Tensor, own: tuple[int | None, ...], other: tuple[int | None, ...]) -> Any:
    lead = max(len(other) - len(own), 0)
    shift = len(own) - len(other)
    repeated_axes = [i + lead for i, d in enumerate(own[:-2]) if d == 1 and i - shift >= 0 and other[i - shift] != 1]
    axes = [*range(lead), *repeated_axes]
    if not axes:
        return gradient
    total = raw.Sum(input=gradient, reduction_indices=int_vector(tuple(axes)))
    return raw.Reshape(tensor=total, shape=int_vector(own))
