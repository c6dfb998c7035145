"""`tf.sparse.sampled_addmm`: elements of a product of dense matrices at the coordinates of a sparse one."""

from __future__ import annotations

from typing import Any

from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, float32
from millrace._src.core.shape_context import static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.graph.scopes import control_dependencies
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.util.export import export


@export("sparse.sampled_addmm", v1=[])
def sampled_addmm(
    indices: Any,
    values: Any,
    dense_shape: Any,
    mat1: Any,
    mat2: Any,
    beta: Any = 1.0,
    alpha: Any = 1.0,
    output_type: Any = float32,
) -> tuple[Any, Any, Any]:
    """Computes `alpha * (mat1 @ mat2) + beta * sparse` at the coordinates of a sparse matrix only.

    >>> tf.sparse.sampled_addmm([[0, 0], [1, 1]], [1.0, 2.0], [2, 2], [[1.0, 2.0], [3.0, 4.0]], tf.eye(2))[1].numpy()
    array([2., 6.], dtype=float32)

    Args:
      indices: coordinates: an integer Tensor `[n, 2]`.
      values: a Tensor `[n]`, the elements of the sparse matrix.
      dense_shape: the shape of the sparse matrix, which is that of the product.
      mat1: a dense matrix.
      mat2: a dense matrix.
      beta: a scalar factor of `values`.
      alpha: a scalar factor of the product.
      output_type: the dtype of the result, in which everything is computed.

    Returns: A tuple of `indices`, the new values `[n]` and `dense_shape`.
    Raises:
      ValueError: if an argument is not a matrix, or the product is known to have another shape.
      tf.errors.InvalidArgumentError: if the product has another shape, or a coordinate is out of bounds.
    """
    dtype = as_dtype(output_type)
    indices, dense_shape = convert_to_tensor(indices), convert_to_tensor(dense_shape)
    values, mat1, mat2 = (raw.Cast(x=value, DstT=dtype) for value in (values, mat1, mat2))
    for name, matrix in (("indices", indices), ("mat1", mat1), ("mat2", mat2)):
        if matrix.shape.rank not in (None, 2):
            raise ValueError(f"tf.sparse.sampled_addmm: `{name}` must be a matrix; received shape {matrix.shape}.")
    with control_dependencies(_shape_checks(dense_shape, mat1, mat2)):
        rows = raw.GatherV2(params=mat1, indices=indices[:, 0], axis=0)
        columns = raw.GatherV2(params=raw.Transpose(x=mat2, perm=[1, 0]), indices=indices[:, 1], axis=0)
        product = raw.Einsum(inputs=[rows, columns], equation="nk,nk->n")
        alpha, beta = (raw.Cast(x=factor, DstT=dtype) for factor in (alpha, beta))
        return indices, product * alpha + values * beta, dense_shape


def _shape_checks(dense_shape: Any, mat1: Any, mat2: Any) -> list[Any]:
    """Checks the shape of the product, in a graph by operations where the shape is not known yet."""
    found, expected = static_value(dense_shape), TensorShape([mat1.shape[0], mat2.shape[1]])
    if found is not None and expected.is_fully_defined():
        if found.tolist() != expected.as_list():
            raise ValueError(f"Dense shape: {found} does not match output shape: {expected.as_list()}")
        return []
    product_shape = raw.Pack(values=[shape_of(mat1, dense_shape.dtype)[0], shape_of(mat2, dense_shape.dtype)[1]])
    is_same = raw.All(input=raw.Equal(x=dense_shape, y=product_shape), reduction_indices=[0])
    check = raw.Assert(condition=is_same, data=["Dense shape does not match output shape", dense_shape, product_shape])
    return [] if state.graph is None else [check]
