"""Sparse tensors in another shape: `reshape`, `expand_dims`, `transpose`, `reset_shape`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import ShapeLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext, static_shape, static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.graph.scopes import control_dependencies
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text, vector, with_rank
from millrace._src.ops.sparse.coordinates import OWN_COORDINATES, have_positions, positions, strides_of
from millrace._src.ops.sparse.ordering import sparse_reorder
from millrace._src.ops.sparse.part_checks import check_dims
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, as_sparse, sparse_result
from millrace._src.util.export import export

# --- reshape ---------------------------------------------------------------------------------------------------------


def _reshape_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    count, _ = with_rank(c.shape("input_indices"), 2)
    with_rank(c.shape("input_shape"), 1)
    (rank,) = with_rank(c.shape("new_shape"), 1)
    return vector(count, rank), vector(rank)


def _check_reshape(indices: Array, input_shape: Array, new_shape: Array) -> None:
    if indices.ndim != 2:
        raise invalid("Input must be a matrix.")
    if input_shape.ndim != 1:
        raise invalid("Input shape must be a vector.")
    if new_shape.ndim != 1:
        raise invalid(f"Target shape should be a vector but received shape {dims_text(new_shape.shape)}")
    if len(input_shape) != indices.shape[1]:
        raise invalid("Input tensor rank must match input shape length.")


def _target_dims(dims: list[int], wanted_dims: list[int]) -> list[int]:
    """Returns the new dimensions, where one may have been left open.

    Raises: InvalidArgumentError: if no tensor of the old dimensions has the new ones.
    """
    check_dims(dims)
    if not have_positions(dims):
        sizes = [f"{a} with {b}" for a, b in itertools.pairwise(dims)]
        raise invalid(f"Encountered overflow when multiplying {sizes[-1]}, result: -1")
    open_axes = [axis for axis, dim in enumerate(wanted_dims) if dim == -1]
    for axis, dim in enumerate(wanted_dims):
        if dim < -1:
            raise invalid(f"size {axis} must be non-negative, not {dim}")
    if len(open_axes) > 1:
        raise invalid(f"only one output dimension may be -1, not both {open_axes[0]} and {open_axes[1]}")
    size, known = math.prod(dims), math.prod(dim for dim in wanted_dims if dim != -1)
    if open_axes:
        return _complete(dims, wanted_dims, open_axes[0], size, known)
    if known != size:
        raise invalid(
            f"Input to reshape is a tensor with {size} dense values, but the requested shape has {known}. "
            f"input_shape={dims_text(dims)} output_shape={dims_text(wanted_dims)}"
        )
    return wanted_dims


def _complete(dims: list[int], wanted_dims: list[int], axis: int, size: int, known: int) -> list[int]:
    if known == 0:
        raise invalid(
            "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are "
            "non-zero"
        )
    shown_dims = [*wanted_dims[:axis], size // known, *wanted_dims[axis + 1 :]]
    if size % known:
        shown_dims[axis] = 1
        raise invalid(
            f"Input to reshape is a SparseTensor with {size} dense values, but the requested shape requires a multiple "
            f"of {known}. input_shape={dims_text(dims)} output_shape={dims_text(shown_dims)}"
        )
    return shown_dims


@op(
    "SparseReshape",
    "input_indices: int64, input_shape: int64, new_shape: int64 -> output_indices: int64, output_shape: int64",
    shape=_reshape_shapes,
    constant_inputs=("input_shape", "new_shape"),
    not_differentiable="indices are integers",
    not_batched=OWN_COORDINATES,
)
def sparse_reshape_op(xp: Xp, input_indices: Array, input_shape: Array, new_shape: Array) -> tuple[Array, Array]:
    """Computes the coordinates of the elements of a sparse tensor in another shape of the same size."""
    _check_reshape(input_indices, input_shape, new_shape)
    dims = [int(dim) for dim in input_shape]
    new_dims = _target_dims(dims, [int(dim) for dim in new_shape])
    rest = positions(xp, input_indices, dims)
    columns = []
    for stride in strides_of(new_dims):
        column = rest if stride <= 1 else xp.floor_divide(rest, stride)  # 0 in a tensor without elements
        columns.append(column)
        rest = rest - column * stride
    indices = xp.stack(columns, axis=1) if columns else xp.zeros((input_indices.shape[0], 0), input_indices.dtype)
    return indices, xp.asarray(new_dims, np.int64)


@export("sparse.reshape", v1=["sparse.reshape", "sparse_reshape"])
def sparse_reshape(sp_input: object, shape: Any, name: str | None = None) -> SparseTensor:
    """Gives a sparse tensor another shape of the same size; the elements keep their order.

    >>> st = tf.SparseTensor([[0, 1], [1, 2]], [5, 6], [2, 3])
    >>> tf.sparse.reshape(st, [3, -1]).indices.numpy().tolist()
    [[0, 1], [2, 1]]

    Args:
      sp_input: a SparseTensor.
      shape: a vector of integers; one dimension may be -1 and follows from the others.
      name: name of the operation.

    Returns: A SparseTensor of that shape, with the values of `sp_input`.
    Raises:
      TypeError: if `sp_input` is not a SparseTensor.
      ValueError: if the sizes are known to differ while a graph is built.
      tf.errors.InvalidArgumentError: if the sizes differ.
    """
    sp_input = as_sparse(sp_input)
    shape = raw.Cast(x=shape, DstT=int64)
    with name_scope(name, "SparseReshape") as scope:
        _refuse_two_open_dims(shape)
        indices, dense_shape = sparse_reshape_op(sp_input.indices, sp_input.dense_shape, shape, name=scope)
        known_shape = TensorShape(None) if state.graph is None else _known_target(sp_input.shape, static_shape(shape))
        return sparse_result(indices, raw.Identity(input=sp_input.values), dense_shape, known_shape)


def _refuse_two_open_dims(shape: ShapeLike) -> None:
    """Refuses while tracing what the kernel refuses when it runs."""
    dims = None if state.graph is None else static_value(shape)
    if dims is not None and np.count_nonzero(dims == -1) > 1:
        raise ValueError("At most one dimension can be inferred (-1).")


def _known_target(shape: TensorShape, wanted_shape: TensorShape) -> TensorShape:
    """Returns what is known of the new shape while tracing.

    Raises: ValueError: if the sizes are known to differ.
    """
    size, dims = shape.num_elements(), wanted_shape.dim_sizes
    if size is None or dims is None:
        return wanted_shape
    known = math.prod(dim for dim in dims if dim is not None)
    if None not in dims and known != size or None in dims and (known == 0 or size % known):
        raise ValueError(f"Cannot reshape a tensor with {size} elements to shape {list(dims)} ({known} elements).")
    return wanted_shape if dims.count(None) > 1 else TensorShape([size // known if d is None else d for d in dims])


# --- expand_dims, transpose ------------------------------------------------------------------------------------------


@export("sparse.expand_dims")
def sparse_expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """Inserts a dimension of size one into the shape of a sparse tensor.

    >>> st = tf.SparseTensor([[1, 2]], [7], [2, 3])
    >>> tf.sparse.expand_dims(st, 1).shape, tf.sparse.expand_dims(st).shape
    (TensorShape([2, 1, 3]), TensorShape([2, 3, 1]))

    Args:
      sp_input: a SparseTensor.
      axis: where to insert the dimension, an integer; a negative one counts from behind, None means -1.
      name: name of the scope in a graph.

    Returns: A SparseTensor of one rank more, with the values of `sp_input`.
    Raises:
      TypeError: if `axis` is not an integer.
      tf.errors.InvalidArgumentError: if `axis` is out of range.
    """
    rank = sp_input.dense_shape.shape[0]
    with name_scope(name, "expand_dims"):
        axis = -1 if axis is None else axis
        if rank is not None and isinstance(axis, int):
            new_axis: Any = axis if axis >= 0 else axis + rank + 1
            if new_axis < 0:
                raise invalid(f"Expected begin[0] in [0, {rank}], but got {new_axis}")
        else:
            axis = convert_to_tensor(axis, name="axis")
            if not axis.dtype.is_integer:
                raise TypeError("axis must be an integer value in range [-rank(sp_input) - 1, rank(sp_input)]")
            shape_size = raw.Size(input=sp_input.dense_shape, out_type=axis.dtype)
            new_axis = raw.SelectV2(condition=axis >= 0, t=axis, e=axis + shape_size + 1)
        indices, dense_shape = sp_input.indices, sp_input.dense_shape
        before = raw.Slice(input=indices, begin=[0, 0], size=_pair(-1, new_axis))
        after = raw.Slice(input=indices, begin=_pair(0, new_axis), size=[-1, -1])
        count = raw.Shape(input=indices, out_type=int64)[0]
        column = raw.Fill(dims=raw.Pack(values=[count, np.int64(1)]), value=np.int64(0))
        front = raw.Slice(input=dense_shape, begin=[0], size=raw.Pack(values=[new_axis]))
        back = raw.Slice(input=dense_shape, begin=raw.Pack(values=[new_axis]), size=[-1])
        new_shape = raw.ConcatV2(values=[front, np.ones(1, np.int64), back], axis=0)
        new_indices = raw.ConcatV2(values=[before, column, after], axis=1)
        known_shape = sp_input.shape
        if known_shape.rank is not None and isinstance(new_axis, int) and new_axis <= known_shape.rank:
            known_shape = known_shape[:new_axis].concatenate([1]).concatenate(known_shape[new_axis:])
            return sparse_result(new_indices, sp_input.values, new_shape, known_shape)
        return SparseTensor(new_indices, sp_input.values, new_shape)


def _pair(first: int, second: Any) -> Any:
    if isinstance(second, int):
        return [first, second]
    return raw.Pack(values=[raw.Cast(x=first, DstT=second.dtype), second])


@export("sparse.transpose", v1=["sparse.transpose", "sparse_transpose"])
def sparse_transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """Permutes the dimensions of a sparse tensor; the elements of the result are in order.

    >>> st = tf.SparseTensor([[0, 2], [1, 0]], [5, 6], [2, 3])
    >>> tf.sparse.transpose(st).indices.numpy().tolist()
    [[0, 1], [2, 0]]

    Args:
      sp_input: a SparseTensor.
      perm: a permutation of the dimensions; None reverses them.
      name: name of the scope in a graph.

    Returns: A SparseTensor.
    Raises: ValueError: if the length of `perm` is not the rank.
    """
    with name_scope(name, "SparseTranspose"):
        rank = sp_input.shape.rank
        if perm is None:
            perm = _reverse_axes(sp_input) if rank is None else np.arange(rank)[::-1]
        indices = raw.GatherV2(params=sp_input.indices, indices=perm, axis=1)
        perm = convert_to_tensor(perm)
        count = perm.shape.num_elements()
        if rank is not None and count is not None and count != rank:
            raise ValueError(f"Dimensions {count} and {rank} are not compatible")
        order, known_shape = static_value(perm), sp_input.shape
        dense_shape = raw.GatherV2(params=sp_input.dense_shape, indices=perm, axis=0)
        if order is not None and rank is not None:
            dims = known_shape.as_list()
            permuted = sparse_result(
                indices, sp_input.values, dense_shape, TensorShape([dims[i] for i in order.tolist()])
            )
        else:
            permuted = SparseTensor(indices, sp_input.values, dense_shape)
        return sparse_reorder(permuted)


def _reverse_axes(sp_input: Any) -> Any:
    """Returns the axes of a sparse tensor of unknown rank, the last one first."""
    rank = raw.Size(input=sp_input.dense_shape)
    return raw.Range(start=rank - 1, limit=-1, delta=-1)


# --- reset_shape -----------------------------------------------------------------------------------------------------


@export("sparse.reset_shape", v1=["sparse.reset_shape", "sparse_reset_shape"])
def sparse_reset_shape(sp_input: object, new_shape: Any = None) -> SparseTensor:
    """Gives a sparse tensor a larger shape, or the smallest that holds all elements; no element moves.

    >>> st = tf.SparseTensor([[0, 0], [1, 2]], [5, 6], [4, 5])
    >>> tf.sparse.reset_shape(st).shape, tf.sparse.reset_shape(st, [9, 9]).shape
    (TensorShape([2, 3]), TensorShape([9, 9]))

    Args:
      sp_input: a SparseTensor.
      new_shape: the shape, none of whose dimensions may be smaller than that of `sp_input`; None for the smallest.

    Returns: A SparseTensor with the indices and values of `sp_input`.
    Raises:
      TypeError: if `sp_input` is not a SparseTensor.
      ValueError: if `new_shape` is known to be of another rank, or smaller.
      tf.errors.InvalidArgumentError: if `new_shape` turns out to be so when a graph runs.
    """
    sp_input = as_sparse(sp_input)
    indices, values = raw.Identity(input=sp_input.indices), raw.Identity(input=sp_input.values)
    dense_shape = raw.Identity(input=sp_input.dense_shape)
    if new_shape is None:
        highest = raw.Max(input=indices, reduction_indices=[0])  # of no elements: the smallest integer
        smallest = raw.Maximum(x=np.int64(0), y=raw.AddV2(x=highest, y=raw.OnesLike(x=highest)))
        return SparseTensor(indices, values, smallest)
    new_shape = raw.Cast(x=new_shape, DstT=int64)
    if new_shape.shape.rank not in (None, 1):
        raise ValueError(f"Shape {new_shape.shape} must have rank 1")
    if not new_shape.shape.is_compatible_with(dense_shape.shape):
        sizes = new_shape.shape.as_list()[0], dense_shape.shape.as_list()[0]
        raise ValueError(f"Dimensions {sizes[0]} and {sizes[1]} are not compatible")
    known_shape, new = sp_input.shape, static_value(new_shape)
    if known_shape.is_fully_defined() and new is not None:
        old = np.array(known_shape.as_list(), np.int64)
        if (new < old).any():
            raise ValueError(
                "Requested new_shape should have dimension sizes >= sp_input.shape.  "
                f"Found new_shape ({new}), sp_input.shape ({old})."
            )
        return SparseTensor(indices, values, new_shape)
    return SparseTensor(indices, values, _validate_larger(new_shape, dense_shape))


def _validate_larger(new_shape: object, dense_shape: object) -> Any:
    """Returns the new shape, after a check when the graph runs that no dimension shrinks."""
    is_larger = raw.All(input=raw.LessEqual(x=dense_shape, y=new_shape), reduction_indices=[0])
    message = "Requested new_shape should have dimension sizes >= sp_input.shape."
    check = raw.Assert(condition=is_larger, data=[message, dense_shape, new_shape])
    with control_dependencies([] if check is None else [check]):
        return raw.Identity(input=new_shape)
