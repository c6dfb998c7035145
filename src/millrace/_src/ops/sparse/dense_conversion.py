"""From sparse to dense and back: `tf.sparse.to_dense`, `from_dense`, `to_indicator`, and `SparseToDense`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import bool_, int64
from millrace._src.core.errors import invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.op_registry import late_bound
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.gradient_rules import unbroadcast
from millrace._src.ops.sparse.coordinates import OWN_COORDINATES, are_inside, positions, validate_positions
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, as_sparse
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.export import export


def _dense_shape(c: ShapeContext) -> TensorShape:
    return c.value_as_shape("output_shape")


def _as_matrix(indices: Array) -> Array:
    """Returns indices of rank 0 or 1, which are of elements of a vector, as a matrix of coordinates."""
    return indices if indices.ndim == 2 else indices.reshape(-1, 1)


def _check_arguments(indices: Array, output_shape: Array, values: Array, default_value: Array) -> None:
    """Refuses shapes that do not fit, in the words of TensorFlow's kernel."""
    if indices.ndim > 2:
        raise invalid(f"sparse_indices should be a scalar, vector, or matrix, got shape {dims_text(indices.shape)}")
    if output_shape.ndim != 1:
        raise invalid(f"output_shape must be rank 1, got shape {dims_text(output_shape.shape)}")
    count, rank = _as_matrix(indices).shape
    if output_shape.size != rank:
        raise invalid(f"output_shape has incorrect number of elements: {output_shape.size} should be: {rank}")
    if values.ndim and values.shape != (count,):
        raise invalid(f"sparse_values has incorrect shape {dims_text(values.shape)}, should be [] or [{count}]")
    if default_value.ndim:
        raise invalid("default_value should be a scalar.")


@kernel_part
def _fill(
    xp: Xp, dims: list[int], default_value: Array, indices: Array, values: Array, validate_indices: bool
) -> Array:
    """Returns a vector of the default value, but for the values at some coordinates.

    The host refuses coordinates out of bounds here, not before the kernel, because the check computes the positions.
    """
    if validate_indices:
        flat_positions = validate_positions(indices, dims)
    elif are_inside(indices, dims):
        flat_positions = positions(np, indices, dims)
    else:
        raise invalid(f"Indices are not valid (out of bounds).  Shape: {dims_text(dims)}")
    size = math.prod(dims)
    is_zero = default_value.dtype.kind != "O" and not default_value.tobytes().strip(b"\0")
    dense = np.zeros(size, values.dtype) if is_zero else np.full(size, default_value, values.dtype)
    dense[flat_positions] = values
    return dense


@_fill.kernel_for("xla")
def _fill_by_scatter(
    xp: Xp, dims: list[int], default_value: Array, indices: Array, values: Array, validate_indices: bool
) -> Array:
    dense = xp.full(math.prod(dims), default_value, values.dtype)
    return xp.scatter(dense, positions(xp, indices, dims), values, "set")


@op(
    "SparseToDense",
    "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T -> dense: T",
    T=ANY,
    Tindices=INDEX,
    shape=_dense_shape,
    constant_inputs=("output_shape",),
    not_batched=OWN_COORDINATES,
    refuses=("sparse_indices",),
)
def sparse_to_dense_op(
    xp: Xp,
    sparse_indices: Array,
    output_shape: Array,
    sparse_values: Array,
    default_value: Array,
    *,
    validate_indices: bool = True,
) -> Array:
    """Makes a dense tensor of a default value, but for the values at some coordinates."""
    _check_arguments(sparse_indices, output_shape, sparse_values, default_value)
    dims = [int(dim) for dim in output_shape]
    if min(dims, default=0) < 0:
        raise invalid(f"Dimension {min(dims)} must be >= 0")
    coordinates = _as_matrix(sparse_indices)
    return _fill(xp, dims, default_value, coordinates, sparse_values, validate_indices).reshape(dims)


@sparse_to_dense_op.gradient
def sparse_to_dense_gradient(
    dy: Tensor, sparse_indices: Tensor, output_shape: Tensor, sparse_values: Tensor
) -> tuple[None, None, Tensor, Tensor]:
    """Gives each value the gradient of its element, and the default value the gradients of all other elements."""
    if sparse_indices.shape.rank != 2:
        rank = raw.Reshape(tensor=raw.Size(input=output_shape), shape=[1])
        row_shape = raw.ConcatV2(values=[[-1], rank], axis=0)
        sparse_indices = raw.Reshape(tensor=sparse_indices, shape=row_shape)
    d_values = raw.GatherNd(params=dy, indices=sparse_indices)
    d_default = _sum_of_all(dy) - _sum_of_all(d_values)
    return None, None, unbroadcast(d_values, sparse_values), d_default


def _sum_of_all(x: Tensor) -> Tensor:
    axes = raw.Range(start=0, limit=raw.Rank(input=x), delta=1)
    total: Tensor = raw.Sum(input=x, reduction_indices=axes)
    return total


@late_bound("sparse_to_dense")
@export("sparse.to_dense", v1=["sparse.to_dense", "sparse_tensor_to_dense"])
def to_dense(
    sp_input: object, default_value: object = None, validate_indices: bool = True, name: str | None = None
) -> Any:
    """Makes the dense tensor that a sparse tensor represents.

    >>> st = tf.SparseTensor([[0, 1], [1, 0]], [7, 8], [2, 2])
    >>> tf.sparse.to_dense(st, default_value=-1).numpy()
    array([[-1,  7],
           [ 8, -1]], dtype=int32)

    Args:
      sp_input: a SparseTensor.
      default_value: a scalar for all other elements; None for zero, or the empty string.
      validate_indices: whether to refuse repeated coordinates and coordinates out of order.
      name: name of the operation.

    Returns: A Tensor of the dense shape.
    Raises:
      TypeError: if `sp_input` is not a SparseTensor.
      tf.errors.InvalidArgumentError: if a coordinate is out of bounds, out of order or repeated.
    """
    sp_input = as_sparse(sp_input)
    if default_value is None:
        default_value = _zero_like(sp_input.values)
    return sparse_to_dense_op(
        sp_input.indices,
        sp_input.dense_shape,
        sp_input.values,
        default_value,
        validate_indices=validate_indices,
        name=name,
    )


def _zero_like(values: Any, name: str = "zeros") -> Any:
    zero = b"" if values.dtype.np_dtype == np.dtype(object) else np.zeros((), values.dtype.np_dtype)
    return convert_to_tensor(zero, dtype=values.dtype, name=name)


@export("sparse.from_dense")
def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """Makes a sparse tensor of the elements of a dense tensor that are not zero (or not the empty string).

    >>> st = tf.sparse.from_dense([[0, 3], [0, 0]])
    >>> st.indices.numpy().tolist(), st.values.numpy().tolist()
    ([[0, 1]], [3])

    Args:
      tensor: a Tensor of rank one or more.
      name: name of the scope in a graph.

    Returns: A SparseTensor.
    Raises: tf.errors.InvalidArgumentError: if the tensor is a scalar.
    """
    with name_scope(name, "dense_to_sparse"):
        tensor = convert_to_tensor(tensor)
        if tensor.dtype is bool_:
            indices = raw.Where(condition=tensor)
        else:
            indices = raw.Where(condition=raw.NotEqual(x=tensor, y=_zero_like(tensor, "zeros_like")))
        values = raw.GatherNd(params=tensor, indices=indices)
        return SparseTensor(indices, values, shape_of(tensor, out_type=int64))


@export("sparse.to_indicator", v1=["sparse.to_indicator", "sparse_to_indicator"])
def to_indicator(sp_input: object, vocab_size: object, name: str | None = None) -> Any:
    """Turns ids in the last axis into a dense boolean tensor that says which ids there are.

    >>> st = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [2, 0, 1], [2, 2])
    >>> tf.sparse.to_indicator(st, 3).numpy()
    array([[False, False,  True],
           [ True,  True, False]])

    Args:
      sp_input: a SparseTensor of int32 or int64.
      vocab_size: the size of the last axis of the result; no id may be larger.
      name: name of the scope in a graph.

    Returns: A boolean Tensor of shape `sp_input.shape[:-1] + [vocab_size]`.
    Raises:
      TypeError: if `sp_input` is not a SparseTensor.
      tf.errors.InvalidArgumentError: if an id is out of bounds or occurs twice in a row out of order.
    """
    sp_input = as_sparse(sp_input)
    with name_scope(name, "SparseToIndicator") as scope:
        ids = raw.Cast(x=sp_input.values, DstT=int64)
        columns = raw.ExpandDims(input=ids, dim=1)
        indices = raw.ConcatV2(values=[sp_input.indices[:, :-1], columns], axis=1)
        size = raw.ExpandDims(input=raw.Cast(x=vocab_size, DstT=int64), dim=0)
        dense_shape = raw.ConcatV2(values=[sp_input.dense_shape[:-1], size], axis=0)
        present = raw.Fill(dims=shape_of(ids), value=True)
        return to_dense(
            SparseTensor(indices, present, dense_shape), default_value=False, validate_indices=False, name=scope
        )
