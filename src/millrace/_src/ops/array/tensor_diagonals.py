"""Diagonals of tensors: `out[i, j, i, j] = x[i, j]`, and back.

A tensor of twice the rank, with its first and its second half of axes run together, is a matrix; the diagonal is the
diagonal of that matrix.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import bfloat16, complex64, complex128, float16, float32, float64, int32, int64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array import shape_batches
from millrace._src.ops.array.shape_checks import UNKNOWN, dims_text, merge_dim, with_rank_at_least
from millrace._src.util.export import export

_DIAGONAL = TypeSet((bfloat16, float16, float32, float64, int32, int64, complex64, complex128))


def _diag_shape(c: ShapeContext) -> TensorShape:
    dims = with_rank_at_least(c.shape("diagonal"), 1)
    return UNKNOWN if dims is None else TensorShape.of((*dims, *dims))


@export("linalg.tensor_diag", v1=["linalg.tensor_diag", "diag"])
@op(
    "Diag",
    "diagonal: T -> output: T",
    T=_DIAGONAL,
    shape=_diag_shape,
    batching=shape_batches.diagonal,
    exact_on_rows=True,
)
def tensor_diag(xp: Xp, diagonal: Array) -> Array:
    """Makes a tensor of twice the rank, with `diagonal` on the diagonal and zeros elsewhere.

    >>> tf.linalg.tensor_diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)

    Args: diagonal: A numeric Tensor of at least one dimension.
    Returns: A Tensor of shape `diagonal.shape + diagonal.shape`.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if `diagonal` is a scalar.
    """
    if not diagonal.ndim:
        raise invalid("Input must be at least rank 1, got 0")
    flat_diagonal = diagonal.reshape(-1)
    marks = xp.eye(flat_diagonal.shape[0], dtype=bool)
    return xp.where(marks, flat_diagonal[:, None], xp.zeros((), flat_diagonal.dtype)).reshape(diagonal.shape * 2)


@tensor_diag.gradient
def tensor_diag_gradient(dy: Tensor) -> Tensor:
    """Takes the diagonal of the gradient."""
    return diag_part_op(dy)


def _diag_part_shape(c: ShapeContext) -> TensorShape:
    dims = c.shape("input").dim_sizes
    if dims is None:
        return UNKNOWN
    if not dims or len(dims) % 2:
        raise ValueError(f"Input must have even and non-zero rank, input rank is {len(dims)}")
    half = len(dims) // 2
    return TensorShape.of(tuple(merge_dim(a, b) for a, b in zip(dims[:half], dims[half:], strict=True)))


@op(
    "DiagPart",
    "input: T -> diagonal: T",
    T=_DIAGONAL,
    shape=_diag_part_shape,
    batching=shape_batches.diagonal_part,
    exact_on_rows=True,
)
def diag_part_op(xp: Xp, input: Array) -> Array:
    """Takes the diagonal of a tensor of even rank."""
    half = input.ndim // 2
    if input.ndim % 2 or not input.ndim:
        raise invalid(f"The rank of the tensor should be even and positive, got shape {dims_text(input.shape)}")
    for i in range(half):
        if input.shape[i] != input.shape[half + i]:
            where = f"dimensions {i} and {half + i} do not match."
            raise invalid(f"Invalid shape {dims_text(input.shape)}: {where}")
    size = 1
    for n in input.shape[:half]:
        size *= n
    return xp.diagonal(input.reshape((size, size))).reshape(input.shape[:half])


@diag_part_op.gradient
def diag_part_gradient(dy: Tensor) -> Tensor:
    """Puts the gradient on the diagonal, zeros elsewhere."""
    return tensor_diag(dy)


@export("linalg.tensor_diag_part", v1=["linalg.tensor_diag_part", "diag_part"])
def tensor_diag_part(input: TensorLike, name: str | None = None) -> Any:
    """Takes the diagonal out of a tensor of shape `[n1, ..., nk, n1, ..., nk]`.

    >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)

    Args:
      input: A numeric Tensor of even rank; the second half of its shape repeats the first.
      name: name of the operation.

    Returns: A Tensor of half the rank; a scalar is returned unchanged.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if the shape is another.
    """
    tensor = convert_to_tensor(input, name="input")
    return tensor if tensor.shape.rank == 0 else diag_part_op(tensor, name=name)
