"""Tensor contraction over given axes: reshape to matrices, multiply, reshape back.

Where the shapes are known the reshapes are constants, as in TensorFlow. Where the shapes are not known, the same steps
are computed by ops when the graph runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32
from millrace._src.core.shape_context import static_value
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.concat import concat
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.array.selecting import where_select
from millrace._src.ops.array.shape_ops import rank, shape
from millrace._src.ops.array.transposing import transpose
from millrace._src.ops.math.matmul import matmul
from millrace._src.util.export import export

_INT_ZERO = np.int32(0)


@export("linalg.tensordot", "tensordot")
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Sums the products of `a` and `b` over pairs of axes.

    >>> a, b = tf.ones([2, 3, 4]), tf.ones([4, 3, 5])
    >>> tf.tensordot(a, b, axes=[[1, 2], [1, 0]]).shape
    TensorShape([2, 5])

    Args:
      a: A `Tensor` of numbers.
      b: A `Tensor` of the same dtype.
      axes: An integer n, for the last n axes of `a` and the first n of `b` in order; or two lists (or one integer
        `Tensor` of shape [2, k]) with the axes of `a` and of `b`. 0 gives the outer product.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the remaining axes of `a`, then the remaining axes of `b`.
    Raises:
      ValueError: if the axes do not make pairs or are more than `a` has.
      IndexError: if an axis is out of range.
    """
    with name_scope(name, "Tensordot") as scope:
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, name="b")
        a_axes, b_axes = _axis_pairs(a, axes)
        a_matrix, a_free, a_static = _as_matrix(a, a_axes, contracted_first=False)
        b_matrix, b_free, b_static = _as_matrix(b, b_axes, contracted_first=True)
        product = matmul(a_matrix, b_matrix)
        if isinstance(a_free, list) and isinstance(b_free, list):
            free_dims = a_free + b_free
            if product.shape.is_fully_defined() and product.shape.as_list() == free_dims:
                return product
            return raw.Reshape(tensor=product, shape=free_dims, name=scope)
        free_sizes = [
            convert_to_tensor(a_free, dtype=int32, name="Const"),
            convert_to_tensor(b_free, dtype=int32, name="Const"),
        ]
        shaped_product: Any = raw.Reshape(tensor=product, shape=concat(free_sizes, 0), name=scope)
        if a_static is not None and b_static is not None:
            shaped_product.set_shape(a_static + b_static)
        result: Tensor = shaped_product
        return result


def _axis_pairs(a: Tensor, axes: Any) -> tuple[Any, Any]:
    """Returns the contracted axes of both operands: lists of integers where the axes are known, else tensors."""
    if isinstance(axes, (int, np.integer)):
        return _last_and_first(a, int(axes))
    if isinstance(axes, (list, tuple)):
        if len(axes) != 2:
            raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
        first, second = _as_list(axes[0]), _as_list(axes[1])
        if len(first) != len(second):
            raise ValueError(f"Different number of contraction axes `a` and `b`, {len(first)} != {len(second)}.")
        return first, second
    axes = convert_to_tensor(axes, name="axes", dtype=int32)
    value = static_value(axes)
    if value is not None:
        return value[0].reshape(-1).tolist(), value[1].reshape(-1).tolist()
    return axes[0], axes[1]


def _as_list(axes: Any) -> list[int]:
    return [int(axes)] if isinstance(axes, (int, np.integer)) else [int(i) for i in axes]


def _last_and_first(a: Tensor, count: int) -> tuple[Any, Any]:
    if count < 0:
        raise ValueError(f"`axes` must be at least 0. Received: {count}.")
    static_rank = a.shape.rank
    if static_rank is None:
        a_rank = raw.Rank(input=a)
        return range_(a_rank - count, a_rank), range_(0, count)
    if count > static_rank:
        raise ValueError(
            f"`axes` must not be larger than the number of dimensions of tensor {a}.  "
            f"Received {count}, vs tensor dimensions {static_rank}."
        )
    return list(range(static_rank - count, static_rank)), list(range(count))


def _as_matrix(x: Tensor, axes: object, *, contracted_first: bool) -> tuple[Tensor, Any, list[int | None] | None]:
    """Reshapes `x` to a matrix of the free and the contracted axes.

    Returns the matrix, the sizes of the free axes, and the static sizes of the free axes as far as they are known.
    """
    if x.shape.is_fully_defined() and isinstance(axes, list):
        matrix, known_sizes = _static_matrix(x, axes, contracted_first=contracted_first)
        return matrix, known_sizes, list(known_sizes)
    if x.shape.rank is not None and isinstance(axes, list):
        positive_axes = [i if i >= 0 else i + x.shape.rank for i in axes]
        free_axes: Any = [i for i in range(x.shape.rank) if i not in positive_axes]
        static_sizes: Any = [x.shape[i] for i in free_axes]
        axes_tensor = convert_to_tensor(np.array(positive_axes, np.int32), name="axes")
        free_axes = convert_to_tensor(np.array(free_axes, np.int32), name="free")
        sizes = shape(x)
    else:
        sizes = shape(x)
        axes_tensor, free_axes = _dynamic_axes(x, axes)
        static_sizes = None
    free_sizes = raw.GatherV2(params=sizes, indices=free_axes, axis=_INT_ZERO)
    axes_sizes = raw.GatherV2(params=sizes, indices=axes_tensor, axis=_INT_ZERO)
    counts = [_product(free_sizes), _product(axes_sizes)]
    order = [axes_tensor, free_axes] if contracted_first else [free_axes, axes_tensor]
    order_tensor = concat(order, 0)
    size = raw.Pack(values=counts[::-1] if contracted_first else counts, axis=0, name="stack")
    matrix = raw.Reshape(tensor=transpose(x, order_tensor), shape=size)
    return matrix, free_sizes, static_sizes


def _product(sizes: Tensor) -> Any:
    return raw.Prod(input=sizes, reduction_indices=convert_to_tensor(np.array([0], np.int32), name="Const"))


def _dynamic_axes(x: Tensor, axes: Any) -> tuple[Tensor, Tensor]:
    """Returns the axes as a tensor, not negative, and all other axes."""
    x_rank = rank(x)
    given_axes = convert_to_tensor(axes, dtype=int32, name="axes")
    positive_axes = where_select(given_axes >= 0, given_axes, given_axes + x_rank)
    all_axes = range_(0, x_rank)
    free_axes, _ = raw.ListDiff(x=all_axes, y=positive_axes, out_idx=int32)
    return positive_axes, free_axes


def _static_matrix(x: Tensor, axes: list[int], *, contracted_first: bool) -> tuple[Tensor, list[int]]:
    dims = x.shape.as_list()
    positive_axes = [i if i >= 0 else i + len(dims) for i in axes]
    free_axes = [i for i in range(len(dims)) if i not in positive_axes]
    free_sizes = [dims[i] for i in free_axes]
    rows, columns = _count(free_sizes), _count([dims[i] for i in positive_axes])
    order, size = free_axes + positive_axes, [rows, columns]
    if contracted_first:
        order, size = positive_axes + free_axes, [columns, rows]
    if len(order) != len(dims):
        raise ValueError(f"`axes` of tf.tensordot name an axis twice: {axes} for a tensor of shape {x.shape}.")
    if order != list(range(len(dims))):
        x = transpose(x, np.array(order, np.int32))
    if x.shape.as_list() != size:
        x = raw.Reshape(tensor=x, shape=np.array(size, np.int32))
    return x, free_sizes  # type: ignore[return-value]  # fully defined


def _count(sizes: list[Any]) -> int:
    count = 1
    for size in sizes:
        count *= size
    return count
