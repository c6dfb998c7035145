"""Trace, adjoint and normalization of matrices.

Each is a short composition of other ops, which give the shape rules and gradients.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array.diagonals import matrix_diag_part
from millrace._src.ops.array.transposing import matrix_transpose
from millrace._src.ops.math.norm import norm
from millrace._src.ops.math.reduce import reduce_sum
from millrace._src.util.export import export


@export("linalg.trace", v1=["linalg.trace", "trace"])
def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """Sums the main diagonal of one or more matrices.

    >>> tf.linalg.trace([[1, 2], [3, 4]]).numpy()
    np.int32(5)

    Args:
      x: A numeric `Tensor` of shape `[..., M, N]`.
      name: A name for the operation (optional).

    Returns: A `Tensor` of shape `[...]` and the dtype of `x`.
    Raises: InvalidArgumentError: if `x` has fewer than two dimensions.
    """
    with name_scope(name, "Trace") as scope:
        return reduce_sum(matrix_diag_part(convert_to_tensor(x, name="x")), [-1], name=scope)


@export("linalg.adjoint")
def adjoint(matrix: TensorLike, name: str | None = None) -> Any:
    """Transposes the last two dimensions, and conjugates the elements.

    >>> tf.linalg.adjoint([[1 + 2j, 3j]]).numpy()
    array([[1.-2.j],
           [0.-3.j]])

    Args:
      matrix: A `Tensor` of shape `[..., M, N]`.
      name: A name for the operation (optional).

    Returns: A `Tensor` of shape `[..., N, M]`.
    Raises: ValueError: if `matrix` has fewer than two dimensions.
    """
    with name_scope(name, "adjoint"):
        return matrix_transpose(convert_to_tensor(matrix, name="matrix"), conjugate=True)


@export("linalg.normalize")
def normalize(
    tensor: Any, ord: object = "euclidean", axis: object = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Divides a tensor by its norm along some axes.

    >>> normalized, norm = tf.linalg.normalize([3.0, 4.0])
    >>> normalized.numpy(), norm.numpy()
    (array([0.6, 0.8], dtype=float32), array([5.], dtype=float32))

    Args:
      tensor: A `Tensor`: floating point or complex.
      ord: Which norm, as in `tf.norm`.
      axis: Which axes, as in `tf.norm`.
      name: A name for the operation (optional).

    Returns: `(normalized, norm)`: the quotient, and the norm with the reduced axes kept.
    Raises: ValueError: if `ord` or `axis` is not one that `tf.norm` knows.
    """
    with name_scope(name, "normalize"):
        tensor = convert_to_tensor(tensor)
        length = norm(tensor, ord, axis, True)
        if length.dtype is not tensor.dtype:
            return tensor / convert_to_tensor(length, dtype=tensor.dtype), length
        return tensor / length, length
