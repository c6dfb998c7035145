"""`tf.sparse.reorder`: the elements of a sparse tensor in the order of a dense tensor."""

from __future__ import annotations

from collections.abc import Sequence

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import vector, with_rank
from millrace._src.ops.sparse.coordinates import OWN_COORDINATES, order_of_coordinates, take
from millrace._src.ops.sparse.part_checks import check_parts
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, as_sparse, sparse_result
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export


def _reorder_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    count, rank = with_rank(c.shape("input_indices"), 2)
    (value_count,) = with_rank(c.shape("input_values"), 1)
    with_rank(c.shape("input_shape"), 1)
    return vector(count, rank), vector(value_count)


@op(
    "SparseReorder",
    "input_indices: int64, input_values: T, input_shape: int64 -> output_indices: int64, output_values: T",
    T=ANY,
    shape=_reorder_shapes,
    not_batched=OWN_COORDINATES,
)
def sparse_reorder_op(xp: Xp, input_indices: Array, input_values: Array, input_shape: Array) -> tuple[Array, Array]:
    """Puts the elements of a sparse tensor in the order of a dense tensor; repeated coordinates stay as they are."""
    check_parts(input_indices, input_values, input_shape)
    order = order_of_coordinates(xp, input_indices, input_shape)
    return take(xp, input_indices, order), take(xp, input_values, order)


@sparse_reorder_op.gradient
def sparse_reorder_gradient(
    d_indices: Tensor, d_values: Tensor, input_indices: Tensor, input_shape: Tensor
) -> tuple[None, Tensor, None]:
    """Puts the gradients of the elements back in the order of the input."""
    count = raw.Shape(input=input_indices, out_type="int64")[0]
    numbers = raw.Range(start=raw.ZerosLike(x=count), limit=count, delta=raw.OnesLike(x=count))
    _, order = raw.SparseReorder(input_indices=input_indices, input_values=numbers, input_shape=input_shape)
    return None, raw.GatherV2(params=d_values, indices=raw.InvertPermutation(x=order), axis=0), None


@export("sparse.reorder", v1=["sparse.reorder", "sparse_reorder"])
def sparse_reorder(sp_input: object, name: str | None = None) -> SparseTensor:
    """Puts the elements of a sparse tensor in the order of a dense tensor, the last axis running fastest.

    >>> st = tf.SparseTensor([[1, 0], [0, 2]], ["b", "a"], [2, 3])
    >>> tf.sparse.reorder(st).values.numpy()
    array([b'a', b'b'], dtype=object)

    Args:
      sp_input: a SparseTensor.
      name: name of the operation.

    Returns: A SparseTensor of the same shape and dtype.
    Raises: TypeError: if `sp_input` is not a SparseTensor.
    """
    sp_input = as_sparse(sp_input)
    indices, values = sparse_reorder_op(sp_input.indices, sp_input.values, sp_input.dense_shape, name=name)
    return sparse_result(indices, values, raw.Identity(input=sp_input.dense_shape), sp_input.shape)
