"""Transpose: the same elements with the dimensions in another order.

The kernels are NumPy's `transpose`, which makes a view; a permutation that NumPy refuses is explained in TensorFlow's
words. The gradient goes back through the inverse permutation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.array import shape_batches
from millrace._src.ops.array.eager_arguments import index_tensor
from millrace._src.ops.array.shape_checks import dims_text, unknown_dims
from millrace._src.ops.array.shape_ops import rank_op
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.export import export

_INDEX = INDEX.with_default(int32)


def _transpose_shape(c: ShapeContext) -> TensorShape:
    dims, perm_shape = c.shape("x").dim_sizes, c.shape("perm").dim_sizes
    if perm_shape is not None and len(perm_shape) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(perm_shape)}")
    count = perm_shape[0] if perm_shape else None
    if dims is None:
        return unknown_dims(count)
    if count is not None and count != len(dims):
        raise ValueError(f"Dimension must be {len(dims)} but is {count}")
    perm = c.value("perm")
    if perm is None:
        has_equal_dims = (
            len(set(dims)) == 1 and dims[0] is not None
        )  # all dimensions alike: any order gives the same dimensions
        return TensorShape.of(dims) if has_equal_dims or len(dims) < 2 else unknown_dims(len(dims))
    rank = len(dims)
    for axis in perm.tolist():
        if not -rank <= axis < rank:
            raise ValueError(f"perm dim {axis} is out of range of input rank {rank}")
    return TensorShape.of(tuple(dims[axis] for axis in perm.tolist()))


@op(
    "Transpose",
    "x: T, perm: Tperm -> y: T",
    only_moves_values=True,
    T=ANY,
    Tperm=_INDEX,
    shape=_transpose_shape,
    constant_inputs=("perm",),
    batching=shape_batches.transpose,
    exact_on_rows=True,
    permutes_axes=True,
)
def transpose_op(xp: Xp, x: Array, perm: Array) -> Array:
    """Reorders the dimensions of `x`: dimension `i` of the result is dimension `perm[i]` of `x`."""
    try:
        return x.transpose(perm.tolist())
    except (ValueError, TypeError):
        raise _bad_permutation(x.ndim, perm) from None


@op(
    "ConjugateTranspose",
    "x: T, perm: Tperm -> y: T",
    T=ANY,
    Tperm=_INDEX,
    shape=_transpose_shape,
    constant_inputs=("perm",),
    batching=shape_batches.transpose,
)
def conjugate_transpose_op(xp: Xp, x: Array, perm: Array) -> Array:
    """Conjugates `x` and reorders the dimensions by `perm`."""
    transposed_x = transpose_op.op_def.kernel(xp, x, perm)
    return xp.conj(transposed_x) if transposed_x.dtype.kind == "c" else transposed_x


def _bad_permutation(rank: int, perm: Array) -> Exception:
    """Says what is wrong with a permutation that was refused."""
    if perm.ndim != 1:
        return invalid(f"perm must be rank 1, got shape {dims_text(perm.shape)}")
    if perm.size != rank:
        return invalid(f"transpose expects a vector of size {rank}. But input(1) is a vector of size {perm.size}")
    order = perm.tolist()
    for axis in order:
        if not -rank <= axis < rank:
            return invalid(f"{axis} is out of range [0 .. {rank})")
    missing_axis = next((i for i in range(rank) if i not in {a % rank for a in order}), -1)
    return invalid(f"{missing_axis} is missing from {{{','.join(str(a) for a in order)}}}.")


def _inverse(perm: object) -> Any:
    return raw.InvertPermutation(x=perm)


@transpose_op.gradient
def transpose_gradient(dy: Tensor, perm: Tensor) -> tuple[Tensor, None]:
    """Takes the gradient back through the inverse permutation."""
    return transpose_op(dy, _inverse(perm)), None


@conjugate_transpose_op.gradient
def conjugate_transpose_gradient(dy: Tensor, perm: Tensor) -> tuple[Tensor, None]:
    """Takes the gradient back through the inverse permutation, conjugated."""
    return conjugate_transpose_op(dy, _inverse(perm)), None


@export("transpose", v1=[])
def transpose(a: TensorLike, perm: TensorLike | None = None, conjugate: bool = False, name: str = "transpose") -> Any:
    """Reorders the dimensions of `a`: dimension `i` of the result is dimension `perm[i]` of `a`.

    >>> tf.transpose([[1, 2, 3], [4, 5, 6]]).numpy()
    array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int32)

    Args:
      a: A Tensor of any dtype.
      perm: A permutation of the dimensions of `a`; None reverses them.
      conjugate: whether to conjugate complex elements too.
      name: name of the operation.

    Returns: A Tensor with the elements of `a`.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if `perm` is not a permutation.
    """
    if not conjugate and (perm is not None or type(a) is EagerTensor and state.graph is None):
        return transpose_op(a, index_tensor(_reverse_eagerly(a) if perm is None else perm), name=name)
    with name_scope(name, "transpose") as scope:
        tensor = convert_to_tensor(a, name="a")
        function = conjugate_transpose_op if conjugate and tensor.dtype.is_complex else transpose_op
        if perm is None:
            perm = _reverse_dims(tensor)
        return function(tensor, perm, name=scope)


def _reverse_eagerly(a: Any) -> list[int]:
    """Returns the permutation that reverses the dimensions of an eager tensor."""
    return list(range(a._eager_array.ndim - 1, -1, -1))


def _reverse_dims(tensor: Any) -> Any:
    """Returns the permutation that reverses the dimensions."""
    if tensor.shape.rank is not None:
        return np.arange(tensor.shape.rank - 1, -1, -1, dtype=np.int32)
    return raw.Range(start=rank_op(tensor) - 1, limit=-1, delta=-1)


@export("linalg.matrix_transpose", v1=["linalg.transpose", "matrix_transpose", "linalg.matrix_transpose"])
def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Any:
    """Transposes the last two dimensions of `a`.

    >>> tf.linalg.matrix_transpose(tf.zeros([5, 2, 3])).shape
    TensorShape([5, 3, 2])

    Args:
      a: A Tensor with at least two dimensions.
      name: name of the operation.
      conjugate: whether to conjugate complex elements too.

    Returns: A Tensor with the elements of `a`.
    Raises: ValueError: if `a` has fewer than two dimensions.
    """
    with name_scope(name, "matrix_transpose"):
        a = convert_to_tensor(a, name="a")
        rank = a.shape.rank
        if rank is None:
            return transpose(a, _matrix_perm(a), conjugate)
        if rank < 2:
            raise ValueError(
                "Argument `a` should be a (batch) matrix with rank >= 2.  "
                f"Received `a` = {a!s} with shape: {tuple(a.shape.as_list())}"
            )
        return transpose(a, [*range(rank - 2), rank - 1, rank - 2], conjugate)


def _matrix_perm(a: object) -> Any:
    """Returns the permutation that swaps the last two dimensions of a tensor of unknown rank."""
    rank = rank_op(a)
    lead = raw.Range(start=0, limit=rank - 2, delta=1)
    return raw.ConcatV2(values=[lead, raw.Pack(values=[rank - 1, rank - 2], axis=0)], axis=0, name="concat")
