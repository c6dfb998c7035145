"""Norms of vectors and matrices (`tf.norm`).

Every norm is made of reductions that keep the reduced axes; a last step removes the axes. Only the spectral norm, the
largest singular value, needs a decomposition.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.complex_numbers import conj_
from millrace._src.ops.math.power import pow_
from millrace._src.ops.math.reduce import reduce_max, reduce_sum
from millrace._src.ops.math.unary import abs_, sqrt
from millrace._src.util.export import export

_VECTOR_NORMS = ("euclidean", 1, 2, np.inf)
_MATRIX_NORMS = ["euclidean", "fro", 1, 2, np.inf]


@export("linalg.norm", "norm", v1=[])
def norm(
    tensor: TensorLike, ord: Any = "euclidean", axis: Any = None, keepdims: bool | None = None, name: str | None = None
) -> Tensor:
    """Computes the norm of vectors, of matrices, or of a whole tensor seen as one vector.

    >>> tf.norm([3.0, 4.0]).numpy()
    np.float32(5.0)
    >>> tf.norm([[1.0, -2.0], [3.0, 4.0]], ord=1, axis=[0, 1]).numpy()
    np.float32(6.0)

    Args:
      tensor: A `Tensor`: floating point or complex.
      ord: Which norm: "euclidean", 1, 2, `np.inf` or another positive number for vectors; "euclidean" or "fro"
        (the Frobenius norm), 1, 2 or `np.inf` for matrices.
      axis: None for one vector norm of everything, an integer for vectors along that axis, two integers for matrices.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `tensor`, or of its parts for most norms of complex numbers.
    Raises: ValueError: if `ord` or `axis` has none of the values above.
    """
    keepdims = bool(keepdims)
    is_matrix = _is_matrix_norm(axis)
    if is_matrix:
        axis = tuple(axis)
        if ord not in _MATRIX_NORMS:
            raise ValueError(f"'ord' must be a supported matrix norm in {_MATRIX_NORMS}, got {ord}")
    else:
        axis = None if axis is None else (axis[0] if isinstance(axis, (list, tuple)) else axis,)
        if ord not in _VECTOR_NORMS and (isinstance(ord, str) or not np.isreal(ord) or not ord > 0):
            raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    with name_scope(name, "norm"):
        x = convert_to_tensor(tensor)
        axes = None if axis is None else list(axis)
        result = _norm_keeping_dims(x, ord, axes, is_matrix)
        if keepdims:
            return result
        return raw.Squeeze(input=result, squeeze_dims=axes or [])


def _is_matrix_norm(axis: object) -> bool:
    if not isinstance(axis, (list, tuple)) or len(axis) == 1:
        return False
    if len(axis) != 2:
        raise ValueError("'axis' must be None, an integer, or a tuple of 2 unique integers")
    if axis[0] == axis[1]:
        raise ValueError("'axis' must be None, an integer, or a tuple of 2 unique integers")
    return True


def _norm_keeping_dims(x: Tensor, order: Any, axes: list[int] | None, is_matrix: bool) -> Any:
    """Computes the norm and keeps the reduced axes, with size 1."""
    if order in ("fro", "euclidean", 2, 2.0) and not (is_matrix and order in (2, 2.0)):
        return sqrt(reduce_sum(x * conj_(x), axes, keepdims=True))
    if is_matrix and order in (2, 2.0):
        return _spectral_norm(x, axes or [])
    magnitude = abs_(x)
    first = None if axes is None else axes[0]
    if order == 1:
        total = reduce_sum(magnitude, first, keepdims=True)
        return reduce_max(total, axes[1], keepdims=True) if is_matrix and axes else total
    if order == np.inf:
        total = reduce_sum(magnitude, axes[1], keepdims=True) if is_matrix and axes else magnitude
        return reduce_max(total, first, keepdims=True)
    return pow_(reduce_sum(pow_(magnitude, order), axes, keepdims=True), 1.0 / order)


def _spectral_norm(x: Tensor, axes: list[int]) -> Any:
    """Computes the largest singular value of matrices in any two axes."""
    rank = x.shape.rank
    if rank is None:
        raise ValueError("tf.norm with ord=2 over two axes needs a tensor of known rank; set its shape first.")
    matrix_axes = [a % rank for a in axes]
    order = [i for i in range(rank) if i not in matrix_axes] + matrix_axes
    matrices = raw.Transpose(x=x, perm=np.array(order, np.int32))
    singular, _, _ = raw.Svd(input=matrices, compute_uv=False, full_matrices=False)
    largest_value = raw.ExpandDims(input=reduce_max(abs_(singular), -1, keepdims=True), dim=-1)
    return raw.Transpose(x=largest_value, perm=np.argsort(order).astype(np.int32))
