"""Functions of TensorFlow 1 that pick elements: `gather` and `gather_nd` in their old signatures, `batch_gather`."""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.v1_wrappers import v1_wrapper
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, int32
from millrace._src.ops.array.gathering import gather, gather_nd, gather_v2
from millrace._src.ops.array.selecting import boolean_mask
from millrace._src.ops.array.uniqueness import ListDiff, list_diff
from millrace._src.util.export import export

gather_v1 = export(v1=["gather"])(
    v1_wrapper(
        "gather",
        gather,
        "params, indices, validate_indices=None, name=None, axis=None, batch_dims=0",
        """
    >>> tf.compat.v1.gather([10, 20, 30], [2, 0]).numpy()
    array([30, 10], dtype=int32)
    """,
    )
)


@export(v1=["batch_gather"])
def batch_gather(params: TensorLike, indices: Any, name: str | None = None) -> Any:
    """Gathers along the last dimension of `indices`; all earlier dimensions are batches.

    >>> tf.compat.v1.batch_gather([[1, 2], [3, 4]], [[1], [0]]).numpy()
    array([[2],
           [3]], dtype=int32)

    Args:
      params: A Tensor.
      indices: An integer Tensor of known rank.
      name: name of the operation.

    Returns: A Tensor.
    Raises: ValueError: if the rank of `indices` is unknown.
    """
    with name_scope(name, "BatchGather"):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        if indices.shape.rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        batch_dims = int(indices.shape.rank) - 1
        return gather_v2(params, indices, batch_dims, batch_dims=batch_dims)


gather_nd_v1 = export(v1=["gather_nd", "manip.gather_nd"])(
    v1_wrapper(
        "gather_nd",
        gather_nd,
        "params, indices, name=None, batch_dims=0, bad_indices_policy=''",
        """
    >>> tf.compat.v1.gather_nd([1, 2, 3], [[1]]).numpy()
    array([2], dtype=int32)
    """,
    )
)


boolean_mask_v1 = export(v1=["boolean_mask"])(
    v1_wrapper(
        "boolean_mask",
        boolean_mask,
        "tensor, mask, name='boolean_mask', axis=None",
        """
    >>> tf.compat.v1.boolean_mask([1, 2, 3], [True, False, True]).numpy()
    array([1, 3], dtype=int32)
    """,
    )
)


@export(v1=["setdiff1d"])
def setdiff1d(x: object, y: object, index_dtype: object = int32, name: str | None = None) -> ListDiff:
    """Finds the elements of one vector that are not in another.

    >>> tf.compat.v1.setdiff1d([1, 2, 3, 4], [2, 4]).out.numpy()
    array([1, 3], dtype=int32)

    Args:
      x: a vector.
      y: a vector of the same dtype.
      index_dtype: int32 or int64.
      name: name of the operation.

    Returns: A named tuple of `out`, the elements in the order of `x`, and `idx`, the positions of the elements in `x`.
    """
    return ListDiff(*list_diff(x, y, out_idx=as_dtype(index_dtype), name=name))
